/* The figure of a bound on a grid: a map of log10(bound / observed) with the line p = 1. */
#ifndef MAXK_ANALYSIS_FIGURES_BOUND_MAP_FIGURE_H
#define MAXK_ANALYSIS_FIGURES_BOUND_MAP_FIGURE_H

#include "analysis/claims/bound_search.h"
#include "analysis/plot/plot.h"

/* What the y axis shows for the second key. */
enum mk_map_axis { MK_MAP_KEY, MK_MAP_L, MK_MAP_GAP };
#define MK_MAP_AXES "key|L|gap"

/* Draws it into `folder`; *path, malloc'ed, is the picture. MK_EINPUT: --y is not positive and strictly monotone along
 * the second key, or the first key is not positive. */
int mk_bound_map_draw(const struct mk_bound_map *m, enum mk_map_axis along, const char *folder,
                      enum mk_plot_format format, char **path, struct mk_error *err);

#endif
