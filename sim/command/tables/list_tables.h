/* The registries as tables: as text, and in Markdown for the documents (`make docs`). */
#ifndef MAXK_SIM_COMMAND_LIST_TABLES_H
#define MAXK_SIM_COMMAND_LIST_TABLES_H

#include <stdbool.h>

#include "policies/policy.h"

#define MK_LIST_TABLES "policies|distributions|curves|optimizers|objectives|keys|commands|figures|claims"

/* Prints one of MK_LIST_TABLES on standard output; false: it is not one of them. */
bool mk_list_table(const char *name, bool markdown);

const char *mk_policy_kind_name(enum mk_policy_kind kind);

/* "randomised", "ties=random" (with that option only) or "deterministic". */
const char *mk_policy_randomness(const struct mk_policy_type *p);

#endif
