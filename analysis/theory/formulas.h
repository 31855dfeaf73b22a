/* The right-hand sides of published theorems other than Theorem 4.2 (which is in bounds.h), as plain functions. */
#ifndef MAXK_ANALYSIS_THEORY_FORMULAS_H
#define MAXK_ANALYSIS_THEORY_FORMULAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "distributions/dist.h"
#include "sim/api/maxk/error.h"

/* ---- Balef et al. 2025, Corollary 4.3 ---- */

/* eq. 9: alpha = (1 - 2 log log T / log T) / (4 L sqrt(smallest gap)), T > 1. The bracket is smallest, 1 - 2/e, at T =
 * e^e. */
double mk_corollary_alpha(double L, double least_gap, double horizon);

/* eq. 10 without its constant: K log T / sqrt(T) * largest b. */
double mk_corollary_rate(size_t arms, double largest, double horizon);

/* ---- Balef et al. 2024, Theorem 1 (Walker 1968) ---- */

/* tau (1 - tau) / (n f(q)^2), q the tau-quantile, n the size of the sample (n = 1: as printed in the paper, which omits
 * n). NaN where the density at q is 0 or infinite. */
double mk_quantile_variance(const struct mk_dist *d, double tau, double n);

/* ---- Hu et al. 2019, Theorem 1 and Corollary 1, for psi*(x) = 2 x^2 (rewards in [0, 1]) ---- */

/* mu_Y + sqrt(mu_Z / theta), Y = X - beta, Z = Y^2 [eq. 7], of a known distribution, by quadrature. MK_ENUM if it
 * fails. */
int mk_extreme_region(const struct mk_dist *d, double beta, double theta, double *value, struct mk_error *err);

/* Bound on E[T_i(n)], gap Gamma > 0, alpha > 2: alpha ln n / psi*(Gamma^2 / [4 (1 + 1/theta)^2]) + (alpha + 2)/(alpha -
 * 2). as_printed: Corollary 1, which has (1 - 1/theta)^4 in place of (1 + 1/theta)^4. */
double mk_extreme_region_pulls(double alpha, double theta, double gap, double n, int as_printed);

/* ---- Li et al. 2020; r[0 … T-1], r[n-1] = r(n) the reward of the n-th pull ---- */

/* eqs. 9, 10: min(1, r(t) + (r(t) - r(t-C)) / C (T - t)); 1 while t <= C, since there is no growth rate yet. */
double mk_rising_upper_bound(const double *r, uint64_t t, uint64_t C, uint64_t horizon);

/* eq. 11: max over k of the smallest t with u_k(t) <= l_best(t) = r_best(t); T if there is none up to T. */
uint64_t mk_rising_gamma(const double *const *r, size_t arms, size_t best, uint64_t C, uint64_t horizon);

/* Theorem 1, eq. 12: r(T) - r(T - (K-1) gamma), r(n <= 0) = 0. */
double mk_rising_regret(const double *r, size_t arms, uint64_t gamma, uint64_t horizon);

/* eq. 13: r_best(T) - max_k r_k(floor(T / K)), where r_k(n) is the best of the first n rewards of a curve that is not
 * monotone. */
double mk_rising_uniform_regret(const double *const *r, size_t arms, size_t best, uint64_t horizon);

/* Theorem 2, eq. 15: 1 when D(t) / D(t-C) <= (T - t) / (T - t + C) for all C < t <= T, D = r - y, and y <= r. */
bool mk_rising_is_loose(const double *r, const double *y, uint64_t C, uint64_t horizon);

/* ---- Karnin, Koren & Somekh 2013, Theorem 4.1 ---- */

/* H_2 = max over i >= 2 of i / (mean_(1) - mean_(i))^2, means in descending order; inf on a tie for the best. */
double mk_halving_complexity(const double *mean, size_t arms);

/* P(the best arm is not returned) <= 3 log2 K exp(-T / (8 H_2 log2 K)), rewards in [0, 1]. */
double mk_halving_error(const double *mean, size_t arms, double budget);

#endif
