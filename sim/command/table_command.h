/* The commands that print a table of analysis/tables. */
#ifndef MAXK_SIM_COMMAND_TABLE_COMMAND_H
#define MAXK_SIM_COMMAND_TABLE_COMMAND_H

#include "analysis/tables/table_type.h"

/* A command: the name is argv[0]. */
int mk_cmd_table(int argc, char **argv, struct mk_error *err);

#endif
