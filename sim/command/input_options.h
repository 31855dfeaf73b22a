/* Inputs of commands (analysis/tables/table_input.h), with remarks for people. */
#ifndef MAXK_SIM_COMMAND_INPUT_OPTIONS_H
#define MAXK_SIM_COMMAND_INPUT_OPTIONS_H

#include <stdio.h>

#include "analysis/tables/table_input.h"
#include "sim/command/options.h"

/* Prints what rules for gaps dropped or filled in, a few lines of it at most; nothing where nothing was. */
void mk_input_print_gaps(FILE *to, const struct mk_problem *p);

#endif
