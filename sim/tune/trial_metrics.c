#include "sim/tune/trial_metrics.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/study/metric.h"

enum { PATH_ROOM = 4096 };

/* False: it is too long. */
static bool path_of(const char *directory, const struct mk_metric *m, char out[PATH_ROOM])
{
    const int n = snprintf(out, PATH_ROOM, "%s/%s", directory, m->file ? m->file : "stdout");
    return n > 0 && n < PATH_ROOM;
}

static void drop(const char *directory, const struct mk_metric *m)
{
    char path[PATH_ROOM];
    if (m->file && path_of(directory, m, path)) unlink(path);
}

void mk_trial_metrics_drop(const struct mk_tune *t, const char *directory)
{
    drop(directory, &t->metric);
    for (size_t i = 0; i < t->n_metrics; i++) drop(directory, &t->further[i].from);
}

/* One metric; MK_EINPUT with the reason: there is none. */
static int read_one(const struct mk_metric *m, const char *directory, double *value, enum mk_trial_status *status,
                    struct mk_error *err)
{
    char path[PATH_ROOM];
    *status = MK_TRIAL_OK;
    if (!path_of(directory, m, path)) return mk_fail(err, MK_EINPUT, "the path of the trial is too long");
    return mk_metric_read(m, path, value, status, err);
}

static int machine_failed(int code, size_t number, const struct mk_error *why, struct mk_error *err)
{
    return mk_fail(err, code, "trial %zu: %s; it is not counted, continue with --resume", number + 1, why->text);
}

int mk_trial_metrics_read(const struct mk_tune *t, const char *directory, size_t number, struct mk_trial_outcome *o,
                          struct mk_error *err)
{
    struct mk_error why;
    enum mk_trial_status status, ignored;
    double value;
    int code = read_one(&t->metric, directory, &value, &status, &why);
    if (code == MK_EINPUT) {
        *o = (struct mk_trial_outcome){.status = status == MK_TRIAL_OK ? MK_TRIAL_CRASHED : status, .value = NAN};
        snprintf(o->why, sizeof o->why, "%.*s", MK_WHY_ROOM - 1, why.text);
        mk_text_one_line(o->why);
        return MK_OK;
    }
    if (!code) *o = (struct mk_trial_outcome){.status = MK_TRIAL_OK, .value = value};
    for (; o->n_metrics < t->n_metrics && !code; o->n_metrics++) {
        const struct mk_metric *m = &t->further[o->n_metrics].from;
        value = NAN;
        if (m->source != MK_METRIC_SECONDS) code = read_one(m, directory, &value, &ignored, &why);
        o->metric[o->n_metrics] = code ? NAN : value;
        if (code == MK_EINPUT) code = MK_OK;
    }
    return code ? machine_failed(code, number, &why, err) : MK_OK;
}
