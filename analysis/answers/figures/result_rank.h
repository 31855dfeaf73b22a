/* The heat maps of sweeps that `maxk rank` draws: those of the figure rank. */
#ifndef MAXK_ANALYSIS_ANSWERS_FIGURES_RESULT_RANK_H
#define MAXK_ANALYSIS_ANSWERS_FIGURES_RESULT_RANK_H

#include "analysis/compare/rank.h"
#include "sim/run/store/result.h"

/* A heat map for every sweep of the result all of whose policies are compared, its values by the horizons or budgets of
 * the scores, ranks as in at[horizon or budget], as PNG into the folder, which is created if necessary. r: the result
 * of the scores; drawn is called with `context` for every picture; may be NULL. */
int mk_scores_draw_sweeps(struct mk_scores *scores, struct mk_comparison **at, struct mk_result *r, const char *folder,
                          void (*drawn)(void *context, const char *path), void *context, struct mk_error *err);

#endif
