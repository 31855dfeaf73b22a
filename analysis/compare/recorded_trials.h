/* The trials of a study for mk_what_if_table. */
#ifndef MAXK_ANALYSIS_COMPARE_RECORDED_TRIALS_H
#define MAXK_ANALYSIS_COMPARE_RECORDED_TRIALS_H

#include "analysis/compare/what_if.h"
#include "sim/study/tune_state.h"

/* From its OUT.csv. MK_EINPUT: not such a file, an arm that the tune file lacks, a combined search. Cleared with
 * mk_recorded_trials_clear before *t is freed. */
int mk_recorded_trials_read(struct mk_recorded_trials *r, const struct mk_tune *t, const char *path,
                            struct mk_error *err);

/* The trials of results that are all reported. MK_EINPUT: there are none, a combined search. */
int mk_recorded_trials_of(struct mk_recorded_trials *r, const struct mk_tune_state *results, struct mk_error *err);

#endif
