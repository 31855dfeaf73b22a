/* Command-line options of one command: a table that getopt_long reads, and from which --help is printed. */
#ifndef MAXK_SIM_PROGRAM_COMMAND_OPTIONS_H
#define MAXK_SIM_PROGRAM_COMMAND_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/table/option.h"

enum { MK_HELP_SHOWN = 1 };

/* Parses argv[1 … argc-1] (argv[0] is the command's name). Options and operands may be mixed. Operands are moved to
 * the end: *operands points at them; published experiments, by name or path, and their data are those that are
 * installed if there is no such file (mk_find_operand in sim/program/command/experiments_folder.h). Returns MK_OK,
 * MK_HELP_SHOWN after -h or --help[=FORM] (sim/program/command/help.h), or MK_EINPUT. */
int mk_options_parse(const struct mk_usage *usage, const struct mk_option *options, int argc, char **argv,
                     char ***operands, size_t *n_operands, struct mk_error *err);

/* The same where the operand is one of `names`, which shells then complete; the caller checks it. */
int mk_options_parse_named(const struct mk_usage *usage, const struct mk_option *options, mk_name_at *names, int argc,
                           char **argv, char ***operands, size_t *n_operands, struct mk_error *err);

/* argv as one line, for the provenance of files; malloc'ed, NULL: no memory. */
char *mk_command_line(int argc, char **argv);

#define MK_PLUGIN_OPTION(to)                                                                                           \
    {                                                                                                                  \
        "plugin", 0, MK_OPT_TEXTS, (to), "FILE.so", NULL, 0, -1,                                                       \
            "load policies or families of your own (in place of the key `plugins`); may be repeated"                   \
    }

#endif
