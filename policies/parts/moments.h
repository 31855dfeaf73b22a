/* Running count, mean and sum of squared deviations (Welford 1962). Chosen over plain sums because variances stay
 * non-negative and accurate for rewards far from 0, and are exactly 0 for equal rewards. O(1) per reward. */
#ifndef MAXK_POLICIES_PARTS_MOMENTS_H
#define MAXK_POLICIES_PARTS_MOMENTS_H

#include <stdint.h>

#include "policies/parts/running_mean.h"
#include "policies/parts/square_sum.h"

/* All zero = empty. */
struct mk_moments {
    uint64_t n;
    struct mk_running_mean mean;
    struct mk_square_sum m2; /* sum of (x - mean)^2 */
};

static inline void mk_moments_add(struct mk_moments *m, double x)
{
    double delta = mk_running_mean_below(&m->mean, x);
    m->n++;
    mk_running_mean_add(&m->mean, x, 1 / (double)m->n);
    mk_square_sum_add(&m->m2, delta, mk_running_mean_below(&m->mean, x));
}

/* sqrt(m2 / n); 0 / 0 for no reward. */
static inline double mk_moments_population_sd(const struct mk_moments *m)
{
    return mk_square_sum_root(&m->m2, (double)m->n);
}

#endif
