/* Are best-so-far curves concave, as Rising Bandits assume (Li et al. 2020, Assumption 1), at least loosely (eq. 15)?
 *
 * y(t) is the largest of the first t rewards, t = 1 … T; r the least concave curve above y, the closest one that
 * Theorem 2 can use; Delta = r - y; the growth rate of eq. 10 is (y(t) - y(t - C)) / C. For trajectory problems only.
 */
#ifndef MAXK_ANALYSIS_COMPARE_ARMS_CONCAVITY_H
#define MAXK_ANALYSIS_COMPARE_ARMS_CONCAVITY_H

#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/problem/problem.h"

/* One arm of one instance; shares are of its curves, one per repetition, or means over them. */
struct mk_concavity {
    uint64_t curves;
    double concave;     /* y(t) - y(t - 1) never grows */
    double smooth;      /* the growth rate of eq. 10 never grows */
    double loose;       /* share of the t > C at which eq. 15 holds: Delta(t) / Delta(t - C) <= (T - t) / (T - t + C) */
    double bound_fails; /* share of the t from C + 1 to T - 1 at which the upper bound of y(T), y(t) + (T - t) (growth
                           rate), is below y(T) */
    double departure;   /* of the mean curve: largest Delta over its rise y(T) - y(1); 0: concave */
};

/* The arm at position k of the instance. C >= 1. MK_EINPUT: the curves are not longer than C + 1. */
int mk_concavity_of(struct mk_concavity *out, const struct mk_problem *p, size_t instance, size_t k, uint64_t C,
                    struct mk_error *err);

#endif
