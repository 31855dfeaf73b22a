/* Functional analysis of variance of a forest (Hutter, Hoos & Leyton-Brown 2014): which share of the variance of its
 * predictions over the unit cube is that of one feature alone. A tree is constant on boxes, so that its mean, its
 * variance and the variance of its marginal of a feature, the mean over all others, are sums; shares are averaged over
 * the trees. */
#ifndef MAXK_SIM_MODEL_FANOVA_H
#define MAXK_SIM_MODEL_FANOVA_H

#include "sim/model/forest.h"

/* share[d] and deviation[d]: mean and standard deviation over the trees whose variance is positive, NaN where there is
 * none. What the shares lack of 1 is due to interactions. The features on which the forest was fitted lie in [0, 1]. */
int mk_fanova(const struct mk_forest *f, double *share, double *deviation, struct mk_error *err);

/* The marginal of a feature at x[m], averaged over the trees. */
int mk_fanova_marginal(const struct mk_forest *f, size_t feature, const double *x, size_t m, double *out,
                       struct mk_error *err);

#endif
