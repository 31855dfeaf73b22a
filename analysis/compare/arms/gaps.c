#include "analysis/compare/arms/gaps.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"

double mk_gap_endpoint(const double *upper, size_t optimal, size_t arm)
{
    return isfinite(upper[optimal]) && isfinite(upper[arm]) ? upper[optimal] - upper[arm] : NAN;
}

void mk_gap_uppers(const struct mk_problem *p, size_t instance, double *upper)
{
    const struct mk_instance *in = &p->instance[instance];
    for (size_t i = 0; i < p->n_arms; i++) upper[i] = NAN;
    for (size_t k = 0; k < in->n_arms; k++) {
        double low;
        mk_problem_arm_support(p, instance, k, &low, &upper[in->arm[k]]);
    }
}

struct crossings {
    const struct mk_problem *p;
    struct mk_crossing *found;
    size_t n;
};

static int best_at(const struct mk_problem *p, uint64_t horizon, size_t *best, struct mk_error *err)
{
    struct mk_truth *f = NULL;
    int code = mk_truth_new(&f, p, &horizon, 1, 1, err);
    if (code == MK_OK) *best = mk_truth_best(f, 0, 0);
    mk_truth_free(f);
    return code;
}

static int add(struct crossings *c, struct mk_crossing x, struct mk_error *err)
{
    if (!MK_GROW(c->found, c->n, 1)) return mk_fail_memory(err, "crossings");
    c->found[c->n++] = x;
    return MK_OK;
}

/* All changes between lo and hi that bisection can see; best arms at both ends are known and differ. */
static int locate(struct crossings *c, uint64_t lo, size_t at_lo, uint64_t hi, size_t at_hi, struct mk_error *err)
{
    while (hi - lo > 1) {
        uint64_t middle = lo + (hi - lo) / 2;
        size_t at;
        int code = best_at(c->p, middle, &at, err);
        if (code) return code;
        if (at != at_lo && at != at_hi) {
            code = locate(c, lo, at_lo, middle, at, err);
            if (code) return code;
            at_lo = at;
        }
        if (at == at_lo)
            lo = middle;
        else
            hi = middle;
    }
    return add(c, (struct mk_crossing){hi, at_lo, at_hi}, err);
}

int mk_gap_crossings(const struct mk_problem *p, uint64_t last, struct mk_crossing **out, size_t *n,
                     struct mk_error *err)
{
    struct crossings c = {p, NULL, 0};
    uint64_t lo = 1;
    size_t at_lo = 0;
    int code = MK_OK;
    *out = NULL;
    *n = 0;
    if (!p->source->known) return MK_OK;
    code = best_at(p, lo, &at_lo, err);
    for (int step = 1; !code && lo < last; step++) {
        double next = pow(10, (double)step / MK_CROSSINGS_PER_DECADE);
        uint64_t hi = next < (double)last ? (uint64_t)next : last;
        size_t at_hi = at_lo;
        if (hi <= lo) continue;
        code = best_at(p, hi, &at_hi, err);
        if (!code && at_hi != at_lo) code = locate(&c, lo, at_lo, hi, at_hi, err);
        lo = hi;
        at_lo = at_hi;
    }
    if (code) {
        free(c.found);
        return code;
    }
    *out = c.found;
    *n = c.n;
    return MK_OK;
}
