/* Functional analysis of variance of a forest (Hutter, Hoos & Leyton-Brown 2014): which share of the variance of its
 * predictions over the space, numbers in [0, 1] and words that all count the same, is that of one feature alone, and
 * which that of the interaction of two. A tree is constant on boxes, so that its mean, its variance and those of its
 * marginals, the means over all other features, are sums; shares are averaged over the trees. */
#ifndef MAXK_SIM_SEARCH_MODELS_FANOVA_H
#define MAXK_SIM_SEARCH_MODELS_FANOVA_H

#include "sim/search/models/forest.h"

/* share[d] and deviation[d]: mean and standard deviation over the trees whose variance is positive, NaN where there is
 * none. pair[d * d]: at i * d + j, i < j, that of the interaction of i and j, pair_deviation likewise; the others are
 * 0; pair NULL: not computed. What all shares lack of 1 is due to interactions of three and more. The memory for pairs
 * is up to a quarter of the square of the number of samples. */
int mk_fanova(const struct mk_forest *f, double *share, double *deviation, double *pair, double *pair_deviation,
              struct mk_error *err);

/* The marginal of a feature at x[m], averaged over the trees; of words, x are their positions. */
int mk_fanova_marginal(const struct mk_forest *f, size_t feature, const double *x, size_t m, double *out,
                       struct mk_error *err);

#endif
