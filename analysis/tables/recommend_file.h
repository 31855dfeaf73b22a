/* The tune file that `maxk recommend` writes. */
#ifndef MAXK_ANALYSIS_TABLES_RECOMMEND_FILE_H
#define MAXK_ANALYSIS_TABLES_RECOMMEND_FILE_H

#include "analysis/compare/replay.h"

/* "{name: max_ucb, alpha: 0.5, …}", as in experiment and tune files; malloc'ed, NULL: out of memory. */
char *mk_recommend_policy(const struct mk_policy_entry *entry);

/* Writes the tune file of a candidate: all arms under the policy, the arm alone, or a combined search. Program, metric
 * and spaces are those of OUT.tune.yaml where the runs are OUT.csv of maxk tune; elsewhere the direction of the metric
 * is that of the file, spaces are those of its configurations, and what recorded runs do not say is in capital letters.
 * head: lines without an end, which become comments. `path` as mk_atomic_file_open. */
int mk_recommend_write(const char *path, const struct mk_experiment *e, const struct mk_candidate *use, uint64_t trials,
                       const char *const *head, size_t n_head, struct mk_error *err);

#endif
