/* Survival functions G(x) = P(X >= x) of known arms, for figures of results and of problems. */
#ifndef MAXK_ANALYSIS_FIGURES_SURVIVAL_CURVES_H
#define MAXK_ANALYSIS_FIGURES_SURVIVAL_CURVES_H

#include <stdbool.h>

#include "analysis/plot/plot.h"
#include "sim/problem/problem.h"

/* Whether some arm has no upper end point. */
bool mk_survival_unbounded(const struct mk_problem *p);

/* One curve per arm, `thick` (n_arms: none) wider than the others, and the axes; of more than MK_MANY_ARMS arms their
 * distribution, and `thick`. tails: G, and for heavy tails x, on a log scale, down to 10^-6. */
int mk_survival_curves(struct mk_plot *plot, const struct mk_problem *p, size_t thick, bool tails,
                       struct mk_error *err);

#endif
