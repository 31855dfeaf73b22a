/* The commands that print a table of analysis/tables. */
#ifndef MAXK_SIM_COMMAND_TABLE_COMMAND_H
#define MAXK_SIM_COMMAND_TABLE_COMMAND_H

#include "analysis/tables/table_type.h"

/* What a command does with its table besides printing it, such as drawing; `further`: it was printed for people. */
struct mk_table_extra {
    const struct mk_option *option; /* of its own; ends with name NULL */
    int (*then)(void *context, const struct mk_table *t, const char *input, bool further, struct mk_error *err);
    void *context;
};

/* A command: the name is argv[0]. */
int mk_cmd_table(int argc, char **argv, struct mk_error *err);

/* The same with options and an action of its own (NULL: none). */
int mk_cmd_table_with(const struct mk_table_type *type, const struct mk_table_extra *extra, int argc, char **argv,
                      struct mk_error *err);

#endif
