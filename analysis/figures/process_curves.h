/* How the rewards of moving arms change with their pulls, for figures of results and of problems. */
#ifndef MAXK_ANALYSIS_FIGURES_PROCESS_CURVES_H
#define MAXK_ANALYSIS_FIGURES_PROCESS_CURVES_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/plot/plot.h"
#include "sim/problem/problem.h"

/* One line on what the curves and bands are. */
void mk_process_describe(const struct mk_problem *p, char *out, size_t room);

/* The mean reward of pull n of every arm for n = 1 … horizon, with the band from 5 to 95 % of single rewards, and the
 * axes; of more than MK_MANY_ARMS arms the distribution of their means. */
int mk_process_mean_curves(struct mk_plot *plot, const struct mk_problem *p, uint64_t horizon, struct mk_error *err);

/* Whether the following takes seconds, and is readable. */
bool mk_process_max_is_quick(const struct mk_problem *p, uint64_t horizon);

/* E[M(T)] of every arm, pulled alone, for T = 1 … horizon. */
int mk_process_max_curves(struct mk_plot *plot, const struct mk_problem *p, uint64_t horizon, struct mk_error *err);

#endif
