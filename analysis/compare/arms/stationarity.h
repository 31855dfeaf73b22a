/* Tests that the rewards of an arm are exchangeable in their order, as those of a stationary arm are: whether their
 * distribution changes at some pull, and whether the first pulls differ from the last ones. Repetitions are blocks:
 * rewards count by their ranks within the repetition, so that differences between repetitions change nothing. */
#ifndef MAXK_ANALYSIS_COMPARE_ARMS_STATIONARITY_H
#define MAXK_ANALYSIS_COMPARE_ARMS_STATIONARITY_H

#include <stddef.h>

#include "sim/api/maxk/error.h"
#include "sim/problem/problem.h"

/* NaN, and 0 for change, where every repetition is constant or of one pull. */
struct mk_stationarity {
    size_t change;   /* pull after which the ranks change most, of the longest repetition */
    double p_change; /* rank CUSUM (Pettitt 1979): Kolmogorov's distribution of the largest sum, with the variance that
                        all orders of a repetition's rewards give; the sums of repetitions are added at equal shares of
                        their lengths */
    double p_halves; /* Kolmogorov and Smirnov's test of the first half of every repetition against the last half (a
                        middle pull is left out), limiting distribution */
};

/* Errors: MK_ENOMEM. */
int mk_stationarity_of(struct mk_stationarity *out, const struct mk_problem *p, size_t instance, size_t k,
                       struct mk_error *err);

/* P(sup |B| > x) of a Brownian bridge B. */
double mk_kolmogorov_tail(double x);

#endif
