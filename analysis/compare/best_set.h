/* Which of several candidates may be the best one: multiple comparisons with the best.
 *
 * A candidate is rejected where some other one has smaller losses than it, by more than chance explains. The statistic
 * is max_j sum_i d_ij / sqrt(sum_i d_ij^2), d_ij its loss minus that of candidate j on unit i; its p-value that of the
 * test by sign flips, in which all d_i. of a unit change their signs together, so that the number of candidates and
 * their correlation count as they are. A hypothesis for each candidate, "none has a smaller expected loss", tested at
 * level alpha: those not rejected hold the best one with probability at least 1 - alpha, regardless of which it is and
 * of how many they are (Hsu 1984, "Constrained simultaneous confidence intervals for multiple comparisons with the
 * best", Annals of Statistics 12). Exact where the d_i. are symmetric about 0 when the candidate is not worse;
 * otherwise for many units. No p-value is below 2^-n. */
#ifndef MAXK_ANALYSIS_COMPARE_BEST_SET_H
#define MAXK_ANALYSIS_COMPARE_BEST_SET_H

#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"

/* loss[n][k], p[k]: NaN for n < 2. All 2^n flips up to n = 13; for more units 10000 of them are drawn. */
int mk_best_set(const double *loss, size_t n, size_t k, uint64_t seed, double *p, struct mk_error *err);

/* The p-value of candidate c alone; NaN for n < 2. */
int mk_best_of(const double *loss, size_t n, size_t k, size_t c, uint64_t seed, double *p, struct mk_error *err);

/* The p-value of candidate c with each unit left out, p[n]; NaN for n < 3. Left-out units share the flips of the
 * others.
 */
int mk_best_left_out(const double *loss, size_t n, size_t k, size_t c, uint64_t seed, double *p, struct mk_error *err);

/* Two-sided p-value of a difference between a[n] and b[n] by the same test; NaN for n < 2. */
int mk_flip_test(const double *a, const double *b, size_t n, uint64_t seed, double *p, struct mk_error *err);

#endif
