/* Several results of one experiment with different numbers of arms, or different draws of them, in one figure. */
#ifndef MAXK_ANALYSIS_ANSWERS_FIGURES_ACROSS_ARMS_H
#define MAXK_ANALYSIS_ANSWERS_FIGURES_ACROSS_ARMS_H

#include <stddef.h>

#include "analysis/answers/figures/plot/figure_output.h"
#include "sim/api/maxk/error.h"

/* Draws the regret at the largest horizon against the number of arms, one curve per policy of the first file (of a
 * sweep the one whose largest regret is smallest), and if there is a sweep the regret against its parameter, one curve
 * per number of arms. Results with the same number of arms are averaged: the mean over results, with a 95 % interval
 * (Student) from how they differ, of a single one from its replications. to->prefix is set if empty. MK_EINPUT if files
 * have no regret, different policies or different largest horizons. */
int mk_across_arms_draw(char *const *path, size_t n, struct mk_figure_output *to, struct mk_error *err);

#endif
