/* What a table of a result says, as a sentence above it; empty where it says nothing in general. */
#ifndef MAXK_ANALYSIS_PAGE_PAGE_ANSWERS_H
#define MAXK_ANALYSIS_PAGE_PAGE_ANSWERS_H

#include "sim/store/result.h"
#include "sim/table/table.h"

enum { MK_ANSWER_ROOM = 2048 };

/* Which policy has the best average rank at the largest horizon, among those that do not know the best arm in advance;
 * from which others it differs significantly (Wilcoxon's signed-rank test, adjusted by Holm for all pairs, level 0.05),
 * and from which it does not. `ranks` is not used: the tests are those of another layout. */
int mk_answer_ranks(char said[MK_ANSWER_ROOM], const struct mk_table *ranks, const char *path,
                    const struct mk_result_info *info, struct mk_error *err);

/* How often Theorem 4.2 as printed holds, is violated or says nothing, and how often what is proved does. */
int mk_answer_bounds(char said[MK_ANSWER_ROOM], const struct mk_table *bounds, const char *path,
                     const struct mk_result_info *info, struct mk_error *err);

#endif
