/* Survival functions G(x) = P(X >= x): exact, and empirical with a simultaneous band. */
#ifndef MAXK_ANALYSIS_THEORY_SURVIVAL_H
#define MAXK_ANALYSIS_THEORY_SURVIVAL_H

#include <stddef.h>

#include "distributions/dist.h"

/* x[0 … n-1], equally spaced over the support, an infinite end replaced by the quantile at 0.001 or 0.999; n >= 2. */
void mk_survival_points(const struct mk_dist *d, size_t n, double *x);

/* The same over [low, high] with both ends exact. */
void mk_survival_spaced(double low, double high, size_t n, double *x);

/* Share of the ascending sample >= x. O(log n). */
double mk_survival_empirical(const double *sorted, size_t n, double x);

/* Ends of the Dvoretzky-Kiefer-Wolfowitz-Massart band around an empirical value, within [0, 1]. */
void mk_survival_band(double empirical, size_t n, double confidence, double *low, double *high);

#endif
