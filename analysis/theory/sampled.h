/* Bounds with confidence, from independent replications: what a simulation says of a mean, with a stated probability of
 * an error. Proof: the paper, analysis/theory/paper.
 *
 * THEOREM 14 (Bounds with confidence). Let Z_1 … Z_R, R >= 2, be independent with the distribution of Z, Y = min(max(Z,
 * a), b), m and v the mean and the sample variance (that with R - 1) of Y_1 … Y_R, and lambda = log(3 / delta). With a
 * probability of at least 1 - delta
 *
 *     m - w - E[(a - Z)^+] <= E[Z] <= m + w + E[(Z - b)^+],    w = sqrt(2 v lambda / R) + 7 (b - a) lambda / (3 (R -
 * 1)).
 *
 * For Z = N_i(T), a <= the least number of pulls, E[(Z - b)^+] = sum_{m >= b} P(N_i(T) > m), of which a certificate has
 * bounds. For Z = V, the largest reward of T >= K rounds, E[(a - V)^+] <= min_k E[(a - X_k)^+] and E[(V - b)^+] <=
 * sum_k E[(M_k(T) - b)^+]. J quantities hold together with probability 1 - J delta. */
#ifndef MAXK_ANALYSIS_THEORY_SAMPLED_H
#define MAXK_ANALYSIS_THEORY_SAMPLED_H

#include "analysis/theory/certificates/certificate.h"
#include "sim/base/statistics.h"

/* a and b of a quantity with upper bounds of what is outside of them; not chosen by the replications. */
struct mk_sampled_range {
    double low, high;    /* a, b; NaN: there are none, and no bounds */
    double below, above; /* E[(a - Z)^+], E[(Z - b)^+] */
};

/* R and lambda. */
struct mk_sampled_design {
    uint64_t samples;
    double lambda;
};

/* So that `quantities` >= 1 hold together with this confidence, 0 < confidence <= 1 - 1e-6. */
struct mk_sampled_design mk_sampled_design(uint64_t samples, double quantities, double confidence);

/* Of the points of the arm's tail and its largest number of pulls, the b for which the bounds are narrowest, but for
 * their variance. */
struct mk_sampled_range mk_sampled_pulls(const struct mk_certified_arm *arm, const struct mk_sampled_design *d);

/* a and b of V, likewise. Without a finite range that is known: NaN. Errors: MK_ENUM, MK_ENOMEM. */
int mk_sampled_largest(struct mk_sampled_range *out, const struct mk_known_cdf *arm, size_t arms, uint64_t horizon,
                       const struct mk_sampled_design *d, struct mk_error *err);

static inline double mk_sampled_clip(const struct mk_sampled_range *r, double z)
{
    return z < r->low ? r->low : z > r->high ? r->high : z;
}

/* The bounds, from the mean and the spread of clipped values; rounded outwards. NaN without a range. */
void mk_sampled_bounds(double *lower, double *upper, const struct mk_sampled_range *r,
                       const struct mk_sampled_design *d, double mean, const struct mk_spread *spread);

#endif
