/* Opening the problem that any kind of input file holds. */
#ifndef MAXK_SIM_STORE_PROBLEM_INPUT_H
#define MAXK_SIM_STORE_PROBLEM_INPUT_H

#include <stdbool.h>

#include "sim/base/error.h"
#include "sim/experiment/experiment.h"

/* Opens an experiment file; a CSV file (.csv, .csv.gz), treated as an experiment with nothing but trajectories; or a
 * result file (recognised by its first bytes, or .h5), whose experiment is read again: recorded rewards must still be
 * where they were. Searches are run, to become recorded rewards: that may take long. */
int mk_problem_input_open(struct mk_experiment **out, const char *path, unsigned need, struct mk_error *err);
bool mk_input_is_csv(const char *path);
bool mk_input_is_yaml(const char *path);
bool mk_input_is_result(const char *path);

#endif
