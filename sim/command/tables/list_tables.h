/* The registries as tables, and in Markdown for the documents (`make docs`). */
#ifndef MAXK_SIM_COMMAND_LIST_TABLES_H
#define MAXK_SIM_COMMAND_LIST_TABLES_H

#include <stdbool.h>

#include "policies/policy.h"
#include "sim/base/table_printer.h"

#define MK_LIST_TABLES "policies|families|curves|optimizers|objectives|keys|commands|figures|claims|tables"

/* Prints the one of MK_LIST_TABLES on standard output, in the style or as Markdown. */
int mk_list_table(const char *name, bool markdown, struct mk_table_style style, struct mk_error *err);

/* The same of the columns of a table of analysis/tables, of which there must be one. */
int mk_list_columns(const char *table, bool markdown, struct mk_table_style style, struct mk_error *err);

const char *mk_policy_kind_name(enum mk_policy_kind kind);

/* "randomised", "ties=random" (with that option only) or "deterministic". */
const char *mk_policy_randomness(const struct mk_policy_type *p);

#endif
