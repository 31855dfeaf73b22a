/* The figure of pairs of alpha and power: the trade-off between a short and a long horizon. */
#ifndef MAXK_ANALYSIS_ANSWERS_FIGURES_BONUS_FIGURE_H
#define MAXK_ANALYSIS_ANSWERS_FIGURES_BONUS_FIGURE_H

#include "analysis/answers/figures/plot/plot.h"
#include "analysis/compare/arms/bonus_scan.h"

struct mk_bonus_figure {
    const struct mk_bonus_pairs *pairs;
    const uint64_t *horizon; /* [pairs->horizons] */
    enum mk_bonus_measure by;
    const char *policy, *instance;
};

/* Draws a curve for every power with enough alphas: its bounds at the last horizon against those at the first, both
 * relative to the smallest one there (of one horizon: against alpha); and the best pairs. `folder` is made; *path,
 * malloc'ed, is the picture. */
int mk_bonus_figure_draw(const struct mk_bonus_figure *f, const char *folder, enum mk_plot_format format, char **path,
                         struct mk_error *err);

#endif
