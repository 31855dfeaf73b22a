/* Files of maxk tune, the metric in what a program has printed, and the answers of persistent programs. Nothing is
 * started. */
#include <math.h>
#include <string.h>

#include "sim/study/metric.h"
#include "sim/study/tune.h"
#include "tests/fuzz/fuzz.h"

/* Lines `-s key=value` at the beginning are overrides, the rest is the file. */
void fuzz_tune(const unsigned char *data, size_t n)
{
    enum { MOST_SETS = 8, OVERRIDE = 3 /* "-s " */ };
    const char *set[MOST_SETS];
    size_t sets = 0, at = 0;
    struct mk_tune *t = NULL;
    struct mk_error err = {0, ""};
    char *text = calloc(n + 1, 1);
    FUZZ_MUST(text);
    memcpy(text, data, n);
    while (sets < MOST_SETS && strncmp(text + at, "-s ", OVERRIDE) == 0) {
        char *end = memchr(text + at, '\n', n - at);
        if (!end) break;
        *end = 0;
        set[sets++] = text + at + OVERRIDE;
        at = (size_t)(end - text) + 1;
    }
    if (fuzz_outcome(mk_tune_read(&t, fuzz_file(text + at, n - at), set, sets, &err), &err)) {
        FUZZ_MUST(t->n_arms && t->evaluations && t->evaluations <= MK_TUNE_MOST_EVALUATIONS && t->resolved[0]);
        FUZZ_MUST(t->workers && t->workers <= MK_TUNE_MOST_WORKERS && t->workers <= t->lag);
        FUZZ_MUST(t->metric.scale > 0 && !isnan(t->seconds) && !isnan(t->limits.timeout));
        for (size_t k = 0; k < t->n_arms; k++)
            FUZZ_MUST(t->arm[k].label[0] && t->arm[k].space && (t->arm[k].command || t->worker.n));
        mk_tune_free(t);
    }
    free(text);
}

/* The first byte chooses the metric; n: the bytes after it. */
static struct mk_metric chosen(const unsigned char **data, size_t *n)
{
    static char path[] = "a.b", value[] = "value", pattern[] = "loss *[=:] *([^ ]+)";
    const struct mk_metric metric[] = {{.source = MK_METRIC_LAST_NUMBER},
                                       {.source = MK_METRIC_JSON, .pattern = path},
                                       {.source = MK_METRIC_JSON, .pattern = value},
                                       {.source = MK_METRIC_REGEX, .pattern = pattern},
                                       {.source = MK_METRIC_SMAC},
                                       {.source = MK_METRIC_IRACE}};
    struct mk_metric m = metric[*n ? **data % (sizeof metric / sizeof *metric) : 0];
    m.scale = 1;
    *data += *n > 0;
    *n -= *n > 0;
    return m;
}

void fuzz_metric(const unsigned char *data, size_t n)
{
    const struct mk_metric m = chosen(&data, &n);
    enum mk_trial_status status = MK_TRIAL_OK;
    struct mk_error err = {0, ""};
    double value = NAN;
    char last[100];
    const char *path = fuzz_file(data, n);
    FUZZ_MUST(mk_metric_check(&m, &err) == MK_OK);
    if (fuzz_outcome(mk_metric_read(&m, path, &value, &status, &err), &err))
        FUZZ_MUST(status <= MK_TRIAL_TIMED_OUT && (status != MK_TRIAL_OK || isfinite(value)));
    FUZZ_MUST(strlen(mk_last_line(path, last, sizeof last)) < sizeof last);
}

void fuzz_answer(const unsigned char *data, size_t n)
{
    const struct mk_metric m = chosen(&data, &n);
    struct mk_error err = {0, ""};
    double value = NAN;
    bool bad = false;
    if (fuzz_outcome(mk_metric_of_answer(&m, (const char *)data, n, 3, &value, &bad, &err), &err))
        FUZZ_MUST(isfinite(value) && !bad);
}
