/* Fits of extreme-value distributions to the largest rewards of an arm, and with them what decides between policies:
 * whether the tail is light (the shape is below 0 and there is an upper end point) or heavy (the shape is above 0).
 *
 * Shape xi as in R and in Coles 2001 (scipy's genextreme has -xi). The generalised Pareto distribution has the survival
 * function (1 + xi y / scale)^(-1/xi) for y = x - location >= 0, the generalised extreme-value distribution the
 * distribution function exp(-(1 + xi (x - location) / scale)^(-1/xi)); both are continuous at xi = 0. A reward family
 * with P(X >= b - e) ~ e^a has xi = -1/a, the exponential distribution 0, Pareto's with exponent a has 1/a.
 *
 * Estimates are those of L-moments (Hosking & Wallis 1987; Hosking, Wallis & Wood 1985). The L-moment ratio that
 * determines the shape does not depend on location and scale, so that its distribution under any shape can be drawn:
 * intervals and tests hold for every number of values, and where maximum likelihood has no regular limit (xi <= -1/2,
 * the usual case of bounded rewards), as far as the values are independent draws from the distribution fitted. */
#ifndef MAXK_ANALYSIS_THEORY_TAIL_FIT_H
#define MAXK_ANALYSIS_THEORY_TAIL_FIT_H

#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/base/pcg64.h"

enum mk_tail_family { MK_TAIL_PARETO, MK_TAIL_EXTREME_VALUE };

enum { MK_TAIL_MIN_VALUES = 10 };

struct mk_tail_fit {
    double shape, scale, location; /* the location of a Pareto fit is the threshold */
    double shape_low, shape_high;  /* interval; -INFINITY or INFINITY beyond MK_TAIL_MAX_SHAPE */
    double end, end_low, end_high; /* upper end point, INFINITY where there is none; never below the largest value.
                                      `end` leaves the largest value at the median of its distance from it */
    double p_exponential;          /* two-sided Monte Carlo test of xi = 0, at least 2 / (draws + 1) */
    double p_fit;                  /* Monte Carlo test (parametric bootstrap) of the fit by the Cramer-von Mises
                                      statistic, at least 1 / (draws + 1) */
};

/* Shapes that are considered are within ±this. */
#define MK_TAIL_MAX_SHAPE 10.0

/* Fits value[0 … n-1], ascending: n >= MK_TAIL_MIN_VALUES values, not all the same. Of Pareto fits they are the values
 * above the threshold `location`. `confidence` is the level of each of the two intervals; the draws, 1 or more, come
 * from the stream of `key`. Errors: MK_ENOMEM. */
int mk_tail_fit(struct mk_tail_fit *out, enum mk_tail_family family, const double *value, size_t n, double location,
                double confidence, size_t draws, struct mk_key key, struct mk_error *err);

#endif
