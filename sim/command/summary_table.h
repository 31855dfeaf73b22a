/* The tables that `maxk summary` and `maxk export` print from a result. */
#ifndef MAXK_SIM_COMMAND_SUMMARY_TABLE_H
#define MAXK_SIM_COMMAND_SUMMARY_TABLE_H

#include <stdio.h>

#include "sim/base/error.h"
#include "sim/store/result.h"
#include "sim/base/table.h"

/* Which cells: NULL and 0 mean all. */
struct mk_selection {
    const char *policy, *instance;
    uint64_t horizon;
};

/* MK_EINPUT when the result has no such policy, instance or horizon. */
int mk_selection_check(const struct mk_selection *s, const struct mk_result_info *i, struct mk_error *err);

/* Calls visit for every selected cell, in the order policy, instance, horizon; stops at the first error. */
struct mk_place {
    size_t policy, instance, horizon;
};
typedef int mk_cell_visit(void *context, const struct mk_result_info *i, struct mk_place at, const struct mk_cell *c,
                          struct mk_error *err);
int mk_each_cell(struct mk_result *r, const struct mk_selection *s, mk_cell_visit *visit, void *context,
                 struct mk_error *err);

/* 1 when the instance has the arm. */
int mk_has_arm(const struct mk_result_info *i, const struct mk_cell *c, size_t arm);

/* Quantile of the maxima at `level`; NaN when the file does not hold that level. */
double mk_cell_quantile_max(const struct mk_result_info *i, const struct mk_cell *c, double level);

/* max_k E[M_k(T)] - mean of the maxima (eq. 4 of Balef et al. 2025); NaN when the expectation is not finite. */
double mk_cell_regret(const struct mk_result_info *i, struct mk_place at, const struct mk_cell *c);

/* Further columns of a table of cells. */
struct mk_summary_columns {
    const char *names; /* ",first,second", after the fixed ones; "" = none */
    int (*add)(void *context, struct mk_table *t, struct mk_place at, size_t arm, struct mk_error *err);
    void *context;
};

/* One row per policy, instance, horizon and arm. further may be NULL. */
int mk_summary_csv(struct mk_result *r, const struct mk_selection *s, const struct mk_summary_columns *further,
                   FILE *to, struct mk_error *err);

/* One row per policy, instance and horizon, aligned. */
int mk_summary_print(struct mk_result *r, const struct mk_selection *s, FILE *to, struct mk_error *err);

/* The rare-event estimates, one row per policy and horizon, aligned, after a blank line;
 * nothing where there are none. */
int mk_summary_rare(struct mk_result *r, const struct mk_selection *s, FILE *to, struct mk_error *err);

#endif
