/* Opening the problem that any kind of input file holds. */
#ifndef MAXK_SIM_RUN_STORE_PROBLEM_INPUT_H
#define MAXK_SIM_RUN_STORE_PROBLEM_INPUT_H

#include "sim/api/maxk/error.h"
#include "sim/run/experiment/experiment.h"
#include "sim/run/store/result.h"

/* Opens an experiment file with the overrides `sets`; a CSV file, treated as an experiment with nothing but
 * trajectories and the overrides; or a result file, whose experiment is read again without any: recorded rewards must
 * still be where they were. `plugins` are loaded where they are the first override. "-" is standard input. Searches are
 * run, to become recorded rewards: that may take long. */
int mk_problem_input_open(struct mk_experiment **out, const char *path, const char *const *sets, size_t n_sets,
                          unsigned need, struct mk_error *err);

/* The same, but searches are not run yet. */
int mk_problem_input_read(struct mk_experiment **out, const char *path, const char *const *sets, size_t n_sets,
                          unsigned need, struct mk_error *err);

/* The same of a result that is open. */
int mk_problem_input_of_result(struct mk_experiment **out, struct mk_result *r, const char *const *sets, size_t n_sets,
                               unsigned need, struct mk_error *err);

#endif
