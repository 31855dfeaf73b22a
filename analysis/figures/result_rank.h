/* Shared by the files that draw comparisons: result_rank.c (which policies, curves) and result_rank_maps.c. */
#ifndef MAXK_ANALYSIS_FIGURES_RESULT_RANK_H
#define MAXK_ANALYSIS_FIGURES_RESULT_RANK_H

#include <stdbool.h>

#include "analysis/compare/rank.h"
#include "analysis/figures/result_view.h"

/* Policies that are compared with each other in one set of figures. */
struct mk_policy_group {
    const struct mk_result_view *view;
    const struct mk_sweep *sweep; /* they are the values of one parameter; NULL: they are not */
    const char *detail;           /* end of file names, "" for none */
    struct mk_scores *scores;
    struct mk_comparison **at; /* [horizon of the scores] */
};

enum mk_standing_measure { MK_STANDING_RANK, MK_STANDING_LOSS, MK_STANDING_MEASURES };
const char *mk_standing_name(enum mk_standing_measure m);  /* "rank", "loss" */
const char *mk_standing_label(enum mk_standing_measure m); /* of the axis */

/* Adds to the subtitle that ranks are among some of the result's policies, if they are. */
void mk_policy_group_tell(const struct mk_policy_group *g, struct mk_plot *p);

/* Whether the result has this measure at all. */
bool mk_policy_group_has(const struct mk_policy_group *g, enum mk_standing_measure m);

static inline const struct mk_comparison *mk_policy_group_last(const struct mk_policy_group *g)
{
    return g->at[g->view->info->n_horizons - 1];
}

static inline const char *mk_policy_group_label(const struct mk_policy_group *g, size_t policy)
{
    return g->view->info->policy[g->scores->policy[policy]];
}

/* A heat map of policies by instances at the largest horizon (Figures D.7, D.8), instances from the oracle's lowest
 * score to its highest; by_shift: from the smallest to the largest shift (Figure E.6). */
int mk_policy_group_draw_tasks(const struct mk_policy_group *g, enum mk_standing_measure m, int by_shift,
                               struct mk_error *err);

/* The shift of every instance, in the order of that map (Figure E.6, top). */
int mk_policy_group_draw_shift(const struct mk_policy_group *g, struct mk_error *err);

/* A heat map of a sweep: its values by the horizons or budgets of the scores (Figures D.1-D.4). */
int mk_policy_group_draw_sweep(const struct mk_policy_group *g, enum mk_standing_measure m, struct mk_error *err);

/* That map for every sweep of the result all of whose policies are compared, ranks as in at[horizon or budget of the
 * scores], as PNG into the folder, which is created if necessary. r: the result of the scores; drawn is called with
 * `context` for every picture; may be NULL. */
int mk_scores_draw_sweeps(struct mk_scores *scores, struct mk_comparison **at, struct mk_result *r, const char *folder,
                          void (*drawn)(void *context, const char *path), void *context, struct mk_error *err);

/* The critical-distance diagram of the average ranks at the largest horizon, by Nemenyi's test (Figure D.9). */
int mk_policy_group_draw_distance(const struct mk_policy_group *g, struct mk_error *err);

/* Mean pulls of the arms by their order in E[M(T)] at the largest horizon (Figures E.1-E.4, right). */
int mk_policy_group_draw_pulls(const struct mk_policy_group *g, struct mk_error *err);

/* The same as the description of a part; without curves where nothing is to be drawn. */
int mk_policy_group_compose_pulls(const struct mk_policy_group *g, const struct mk_view_part *part, struct mk_plot *p,
                                  struct mk_error *err);

#endif
