/* Help in every form, from the tables that options are parsed with: text for people, the man page, completion scripts
 * for shells. One table of commands, one of options per command and the registries are the only source of all of
 * them. */
#ifndef MAXK_SIM_PROGRAM_COMMAND_HELP_H
#define MAXK_SIM_PROGRAM_COMMAND_HELP_H

#include <stdio.h>

#include "sim/api/maxk/error.h"
#include "sim/base/table/option.h"
#include "sim/program/command/command.h"

enum mk_help_form { MK_HELP_TEXT, MK_HELP_MAN, MK_HELP_BASH, MK_HELP_ZSH, MK_HELP_FISH };
#define MK_HELP_FORMS "text|man|bash|zsh|fish"

/* One command; names: the possible values of its operand NAME, NULL without such a list. */
struct mk_help {
    const struct mk_usage *usage;
    const struct mk_option *options;
    mk_name_at *names;
};

/* Prints the part of one command: what mk_options_parse does for -h, --help and --help=FORM. */
void mk_help_command(enum mk_help_form form, const struct mk_help *h, FILE *to);

/* Prints the whole: a list of the commands, the man page (roff), or a completion script. `commands` ends with a NULL
 * name; each of them is run with --help=FORM, so that `to` must be where they print: standard output. */
int mk_help_program(enum mk_help_form form, const struct mk_command *commands, FILE *to, struct mk_error *err);

#endif
