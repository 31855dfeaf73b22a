/* Bootstrap over replications of means and medians, with the same resamples in every cell: the horizons of one run are
 * prefixes of the same replications, and resampling these keeps their dependence. */
#ifndef MAXK_ANALYSIS_COMPARE_GROWTH_BOOTSTRAP_H
#define MAXK_ANALYSIS_COMPARE_GROWTH_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"

/* pulls[n][arms] and max_reward[n] of one cell. mean and median receive [samples][arms + 1]: of every arm's pulls and,
 * last, of the largest reward. Resample s is a function of (n, seed, s) alone. The same bits for any number of
 * threads. MK_ENOMEM. */
int mk_growth_bootstrap(const uint64_t *pulls, const double *max_reward, size_t n, size_t arms, uint64_t seed,
                        size_t samples, double *mean, double *median, struct mk_error *err);

/* 95 % interval of value[0 … n-1] by percentiles, NaN ignored (sorts value); NaN if fewer than 20 are left. */
void mk_growth_interval(double *value, size_t n, double *low, double *high);

/* Standard deviation of value[0], value[stride], … n of them. */
double mk_growth_deviation(const double *value, size_t n, size_t stride);

#endif
