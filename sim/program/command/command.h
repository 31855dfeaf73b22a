/* The commands: one cmd_<name>.c each and a line in commands.def, and the tables of analysis/answers/tables, which need
 * neither. Each returns an mk_code; main prints err->text. */
#ifndef MAXK_SIM_PROGRAM_COMMAND_COMMAND_H
#define MAXK_SIM_PROGRAM_COMMAND_COMMAND_H

#include <stddef.h>

#include "sim/api/maxk/error.h"

struct mk_command {
    const char *name, *group, *summary; /* NULL ends a table; commands of a group are adjacent */
    int (*run)(int argc, char **argv, struct mk_error *err);
};

enum { MK_MOST_COMMANDS = 64 };

/* All of them, by group, with an end; returns how many. */
size_t mk_commands(struct mk_command all[MK_MOST_COMMANDS + 1]);

#define COMMAND(name, group, summary) int mk_cmd_##name(int argc, char **argv, struct mk_error *err);
#define TABLE(name)
#include "sim/program/command/commands.def"
#undef TABLE
#undef COMMAND

/* The command of a table, whose name is argv[0]. */
int mk_cmd_table(int argc, char **argv, struct mk_error *err);

/* Prints the one line of an error on standard error. */
void mk_command_fail(int code, const struct mk_error *err);

#endif
