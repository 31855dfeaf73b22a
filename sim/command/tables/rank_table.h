/* The tables that `maxk rank` prints. */
#ifndef MAXK_SIM_COMMAND_RANK_TABLE_H
#define MAXK_SIM_COMMAND_RANK_TABLE_H

#include <stdio.h>

#include "analysis/compare/policy_choice.h"
#include "analysis/compare/rank.h"
#include "sim/base/table_printer.h"

struct mk_rank_print {
    const struct mk_scores *scores;
    const struct mk_rank_options *options;
    struct mk_comparison *const *comparison; /* [n], one per horizon, all with the same baseline */
    size_t n;
    struct mk_table_style style;
    enum mk_criterion by; /* of mk_rank_print_choice */
    FILE *to;
};

/* One row per horizon and policy. CSV: everything, in the order of the file. Other forms: one table per horizon from
 * the best average rank to the worst, and a paragraph with the tests of all policies together. */
int mk_rank_print_rows(const struct mk_rank_print *p, struct mk_error *err);

/* The layout of Balef et al. 2025, Tables 1 and D.6: policies side by side; p-value of the sign test, wins/ties/losses
 * and normalised loss below each other, for every horizon. p-values below alpha are bold, and underlined too if they
 * stay below it after Bonferroni's correction, as these tables are printed. */
int mk_rank_print_beside(const struct mk_rank_print *p, struct mk_error *err);

/* One row per horizon, instance and policy: score, rank and loss. */
int mk_rank_print_tasks(const struct mk_rank_print *p, struct mk_error *err);

/* Choosing among the compared policies from data, one row per horizon: the baseline is the fixed choice to beat. */
int mk_rank_print_choice(const struct mk_rank_print *p, struct mk_error *err);

/* One row per horizon and pair of policies: tests of every two, adjusted for all of them. */
int mk_rank_print_pairs(const struct mk_rank_print *p, struct mk_error *err);

/* One row per horizon and policy: the policy against the baseline, with intervals and a verdict at level alpha;
 * p-values are adjusted for all rows (Holm). */
int mk_rank_print_verdicts(const struct mk_rank_print *p, struct mk_error *err);

/* ---- what the tables share ---- */

const char *mk_rank_label(const struct mk_rank_print *p, size_t policy);

/* Begins a table whose first column is the horizon or the budget; and that cell. */
int mk_rank_begin(struct mk_table_printer **t, const struct mk_rank_print *p, struct mk_table_style style,
                  const char *columns, struct mk_error *err);
void mk_rank_add_place(struct mk_table_printer *t, const struct mk_comparison *c);

#endif
