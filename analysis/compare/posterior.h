/* What the scores of two policies over instances make credible: the Bayesian signed-rank test of Benavoli, Corani,
 * Demšar and Zaffalon 2017 ("Time for a change: a tutorial for comparing multiple classifiers through Bayesian
 * analysis", JMLR 18, Section 4.2.2), in place of a test of the hypothesis that they are equal.
 *
 * With z_1, …, z_n the differences, z_0 = 0 a pseudo-observation of prior strength s = 1/2, and r >= 0 the half width
 * of the region of practical equivalence, the posterior of the shares
 *
 *     better = sum_ij w_i w_j [z_i + z_j > 2r],   worse = sum_ij w_i w_j [z_i + z_j < -2r],   equivalent = the rest,
 *
 * has weights (w_0, …, w_n) from the Dirichlet distribution with parameters (s, 1, …, 1). Reported is the probability
 * that each share is the largest of the three. */
#ifndef MAXK_ANALYSIS_COMPARE_POSTERIOR_H
#define MAXK_ANALYSIS_COMPARE_POSTERIOR_H

#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"

enum { MK_POSTERIOR_DRAWS = 50000 }; /* standard error of a probability: at most 0.0023 */

struct mk_posterior {
    double better, equivalent, worse; /* their sum is 1 */
};

/* difference[pairs][n] without NaN, n >= 1; out[pairs]. All pairs use the same weights, from a stream of its own with
 * this seed. Errors: MK_ENOMEM. */
int mk_signed_rank_posteriors(const double *difference, size_t pairs, size_t n, double region, uint64_t seed,
                              struct mk_posterior *out, struct mk_error *err);

#endif
