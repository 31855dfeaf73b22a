/* Inputs of commands (analysis/tables/table_input.h), with a progress line and remarks for people. */
#ifndef MAXK_SIM_COMMAND_INPUT_OPTIONS_H
#define MAXK_SIM_COMMAND_INPUT_OPTIONS_H

#include <stdio.h>

#include "analysis/tables/table_input.h"
#include "sim/command/options.h"

/* Runs the searches of an experiment, if it has any, with a progress line. */
int mk_input_run_searches(struct mk_experiment *e, struct mk_error *err);

/* mk_input_load with a progress line; what rules for gaps did is said on standard error. */
int mk_input_open(struct mk_experiment **out, const char *command, const char *path, struct mk_input_options *in,
                  unsigned need, struct mk_error *err);

/* Prints what rules for gaps dropped or filled in, a few lines of it at most; nothing where nothing was. */
void mk_input_tell_gaps(FILE *to, const struct mk_problem *p);

#endif
