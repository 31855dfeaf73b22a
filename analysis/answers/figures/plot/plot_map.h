/* A coloured map over two positive quantities on log axes, as boxes of a plot. */
#ifndef MAXK_ANALYSIS_ANSWERS_FIGURES_PLOT_PLOT_MAP_H
#define MAXK_ANALYSIS_ANSWERS_FIGURES_PLOT_PLOT_MAP_H

#include <stddef.h>

#include "analysis/answers/figures/plot/plot.h"

/* colour[i * ny + k] at (x[i], y[k]), NaN = blank; x and y positive and strictly ascending, nx, ny >= 2. Cells meet
 * halfway (geometrically). Sets both axes. Errors: MK_ENOMEM. */
int mk_plot_map(struct mk_plot *p, const double *x, size_t nx, const double *y, size_t ny, const double *colour,
                struct mk_error *err);

/* The line on which value[i * ny + k] is `level`, one point per x where it is crossed, interpolated on log scales;
 * nothing where it is not crossed at all. */
int mk_plot_map_line(struct mk_plot *p, const char *label, const double *x, size_t nx, const double *y, size_t ny,
                     const double *value, double level, struct mk_error *err);

#endif
