/* CSV files, plain or gzip, of both forms: as recorded rewards under every rule, and as a column of numbers. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "sim/base/csv.h"
#include "sim/problem/trajectory.h"
#include "tests/fuzz/fuzz.h"

enum { LONGEST = 64 };

static void check(const struct mk_problem *p)
{
    FUZZ_MUST(p->n_instances && p->n_arms && p->replications);
    for (size_t i = 0; i < p->n_instances; i++) {
        const struct mk_instance *in = &p->instance[i];
        FUZZ_MUST(in->n_arms && in->n_arms <= p->n_arms);
        for (size_t k = 0; k < in->n_arms; k++) {
            FUZZ_MUST(in->arm[k] < p->n_arms && (!k || in->arm[k] > in->arm[k - 1]));
            FUZZ_MUST(in->replications && in->replications <= p->replications);
            for (uint64_t r = 0; r < in->replications; r++) {
                const struct mk_series *s = mk_problem_series(p, i, k, r);
                FUZZ_MUST(s->length);
                for (size_t t = 0; t < s->length; t++)
                    FUZZ_MUST(isfinite(s->reward[t]) && (!s->cost || s->cost[t] > 0));
            }
        }
    }
}

static void read_as(const char *path, const struct mk_trajectory_options *o, enum mk_ends_early rule)
{
    struct mk_problem *p = NULL;
    struct mk_error err = {0, ""};
    size_t unknown;
    if (!fuzz_outcome(mk_trajectory_read(&p, path, o, &unknown, &err), &err)) {
        FUZZ_MUST(unknown != SIZE_MAX || strncmp(err.text, path, strlen(path)) == 0);
        return;
    }
    check(p);
    int code = rule == MK_ENDS_ERROR ? mk_trajectory_check(p, LONGEST, p->replications, &err)
                                     : mk_trajectory_extend(p, LONGEST, rule, &err);
    if (fuzz_outcome(code, &err)) {
        check(p);
        FUZZ_MUST(mk_trajectory_check(p, LONGEST, p->replications, &err) == MK_OK);
    }
    mk_problem_free(p);
}

void fuzz_csv(const unsigned char *data, size_t n)
{
    static const char *const wanted[] = {"d"};
    const char *path = fuzz_file(data, n);
    struct mk_error err = {0, ""};
    double *value = NULL;
    size_t count = 0;
    read_as(path, &(struct mk_trajectory_options){0}, MK_ENDS_ERROR);
    read_as(path,
            &(struct mk_trajectory_options){
                .order = MK_ARMS_FILE, .baselines = MK_BASELINES_NONE, .missing = MK_MISSING_DROP_ARM},
            MK_ENDS_HOLD);
    read_as(
        path,
        &(struct mk_trajectory_options){.instance = wanted, .n_instances = 1, .missing = MK_MISSING_DROP_REPETITION},
        MK_ENDS_RESTART);
    if (fuzz_outcome(mk_csv_column(path, "reward", &value, &count, &err), &err)) {
        FUZZ_MUST(count);
        for (size_t i = 0; i < count; i++) FUZZ_MUST(isfinite(value[i]));
        free(value);
    }
}
