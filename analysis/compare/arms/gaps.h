/* Which arm is best, and by how much, per horizon.
 *
 * E[M_k(T)], i*(T) and Delta_i(T) (Definition 3.1 of Balef et al. 2025) are the struct mk_truth of
 * sim/problem/problem.h; this module adds the gap between upper end points, Delta^b_i = b_{i*(T)} - b_i, and the
 * horizons at which i* changes: for unbounded or crossing families the best arm depends on T. */
#ifndef MAXK_ANALYSIS_COMPARE_ARMS_GAPS_H
#define MAXK_ANALYSIS_COMPARE_ARMS_GAPS_H

#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/problem/problem.h"

/* b_optimal - b_arm of two arm positions (in arm_label) of an instance, given the upper end points b[arm]; NaN unless
 * both are finite. Negative when the arm that is best at this horizon does not have the highest end point. */
double mk_gap_endpoint(const double *upper, size_t optimal, size_t arm);

/* Upper end points of an instance: upper[arm] for all of the problem's arms, NaN for arms that the instance lacks. */
void mk_gap_uppers(const struct mk_problem *p, size_t instance, double *upper);

/* i* is `before` at horizon - 1 and `after` at horizon. */
struct mk_crossing {
    uint64_t horizon;
    size_t before, after;
};

enum { MK_CROSSINGS_PER_DECADE = 4 };

/* The changes of i* over whole horizons 1 … last (to 10^12 and beyond) of a synthetic problem, ascending, malloc'ed. i*
 * is computed on a grid of MK_CROSSINGS_PER_DECADE points per decade, and wherever two neighbours differ the change is
 * located exactly by bisection (a pair of changes that cancel within one grid step is missed). For trajectory problems
 * the list is empty by definition. Errors: MK_ENOMEM, and those of mk_truth_new. */
int mk_gap_crossings(const struct mk_problem *p, uint64_t last, struct mk_crossing **out, size_t *n,
                     struct mk_error *err);

#endif
