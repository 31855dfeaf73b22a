/* Running count, mean and sum of squared deviations (Welford 1962). Chosen over plain sums because variances stay
 * non-negative and accurate for rewards far from 0, and are exactly 0 for equal rewards. O(1) per reward. */
#ifndef MAXK_POLICIES_PARTS_MOMENTS_H
#define MAXK_POLICIES_PARTS_MOMENTS_H

#include <stdint.h>

struct mk_moments {
    uint64_t n;
    double mean;
    double m2; /* sum of (x - mean)^2 */
};

static inline void mk_moments_add(struct mk_moments *m, double x)
{
    double delta = x - m->mean;
    m->n++;
    m->mean += delta / (double)m->n;
    m->m2 += delta * (x - m->mean);
}

/* m2 / n; 0 / 0 for no reward. */
static inline double mk_moments_population_variance(const struct mk_moments *m)
{
    return m->m2 / (double)m->n;
}

/* m2 / (n - 1); 0 / 0 for one reward. */
static inline double mk_moments_sample_variance(const struct mk_moments *m)
{
    return m->m2 / ((double)m->n - 1.0);
}

#endif
