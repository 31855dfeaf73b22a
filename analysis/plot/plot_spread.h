/* How a quantity is distributed over many things, at every point of an axis, in place of a curve for each. */
#ifndef MAXK_ANALYSIS_PLOT_PLOT_SPREAD_H
#define MAXK_ANALYSIS_PLOT_PLOT_SPREAD_H

#include <stddef.h>

#include "analysis/plot/plot.h"

/* Adds the median of value(context, i, x), i = 0 … n-1, with the band from 5 to 95 %, the quartiles and the largest, at
 * x[0 … points-1]; NaN values do not count. `things`: what is counted, such as "arms". Errors: MK_ENOMEM. */
int mk_plot_spread(struct mk_plot *p, const double *x, size_t points, const char *things, size_t n,
                   double (*value)(const void *context, size_t i, double x), const void *context, struct mk_error *err);

/* Adds the share of the n values that are at most x, against x; reorders them. Errors: MK_ENOMEM. */
int mk_plot_shares(struct mk_plot *p, double *value, size_t n, struct mk_error *err);

#endif
