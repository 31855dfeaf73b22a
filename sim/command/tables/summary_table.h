/* The tables that `maxk summary` and `maxk export` print from a result. */
#ifndef MAXK_SIM_COMMAND_SUMMARY_TABLE_H
#define MAXK_SIM_COMMAND_SUMMARY_TABLE_H

#include <stdio.h>

#include "sim/base/error.h"
#include "sim/base/table_printer.h"
#include "sim/store/cells.h"

/* Further columns of a table of cells. */
struct mk_summary_columns {
    const char *names; /* ",first,second", after the fixed ones; "" = none */
    int (*add)(void *context, struct mk_table_printer *t, struct mk_cell_index at, size_t arm, struct mk_error *err);
    void *context;
};

/* One row per policy, instance, horizon and arm. further may be NULL. */
int mk_summary_csv(struct mk_result *r, const struct mk_selection *s, const struct mk_summary_columns *further,
                   struct mk_table_style style, FILE *to, struct mk_error *err);

/* One row per policy, instance and horizon, aligned. */
int mk_summary_print(struct mk_result *r, const struct mk_selection *s, struct mk_table_style style, FILE *to,
                     struct mk_error *err);

/* The rare-event estimates, one row per policy and horizon, aligned, after a blank line;
 * nothing where there are none. */
int mk_summary_rare(struct mk_result *r, const struct mk_selection *s, FILE *to, struct mk_error *err);

#endif
