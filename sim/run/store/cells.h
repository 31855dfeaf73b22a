/* Queries of a result: which of its cells (policy, instance, horizon) are selected, and the contents of one of them. */
#ifndef MAXK_SIM_RUN_STORE_CELLS_H
#define MAXK_SIM_RUN_STORE_CELLS_H

#include <stdbool.h>

#include "sim/run/store/result.h"

/* Which cells: NULL and 0 mean all. */
struct mk_selection {
    const char *policy, *instance;
    double horizon;
};

/* MK_EINPUT when the result lacks the policy, instance or horizon. */
int mk_selection_check(const struct mk_selection *s, const struct mk_result_info *i, struct mk_error *err);

/* Where a cell is: positions in the result's lists. */
struct mk_cell_index {
    size_t policy, instance, horizon;
};
bool mk_selection_has_policy(const struct mk_selection *s, const struct mk_result_info *i, size_t policy);
bool mk_selection_has(const struct mk_selection *s, const struct mk_result_info *i, struct mk_cell_index at);

/* Calls visit for every selected cell, in the order policy, instance, horizon; stops at the first error. */
typedef int mk_cell_visit(void *context, const struct mk_result_info *i, struct mk_cell_index at,
                          const struct mk_cell *c, struct mk_error *err);
int mk_result_each_cell(struct mk_result *r, const struct mk_selection *s, mk_cell_visit *visit, void *context,
                        struct mk_error *err);

/* 1 when the instance has the arm. */
bool mk_cell_has_arm(const struct mk_result_info *i, const struct mk_cell *c, size_t arm);

/* Quantile of an arm's pulls, and of the maxima, at `level`; NaN when the file does not have that level. */
double mk_cell_quantile_pulls(const struct mk_result_info *i, const struct mk_cell *c, size_t arm, double level);
double mk_cell_quantile_max(const struct mk_result_info *i, const struct mk_cell *c, double level);

/* The share of pulls up to the horizon, of the policies that keep[policy] (NULL: all) and all instances, that lie past
 * the recorded ends of their series, so that ends_early answered them: 0 unless has_repeated. */
int mk_result_repeated_share(struct mk_result *r, const char *keep, size_t horizon, double *share,
                             struct mk_error *err);

/* The sentence about it: "T = 60: 58 % of the pulls …". */
enum { MK_REPEATED_ROOM = 160 };
const char *mk_repeated_text(uint64_t horizon, double share, char text[MK_REPEATED_ROOM]);

/* A sentence for tables of results whose horizons are costs. */
extern const char mk_cost_horizons_text[];

/* max_k E[M_k(T)] - mean of the maxima (eq. 4 of Balef et al. 2025); NaN when the expectation is not finite. */
double mk_cell_regret(const struct mk_result_info *i, struct mk_cell_index at, const struct mk_cell *c);

#endif
