/* The search spaces of recorded arms, inferred from the configurations in the column `configuration` of their file. */
#ifndef MAXK_ANALYSIS_COMPARE_ARMS_RECORDED_SPACES_H
#define MAXK_ANALYSIS_COMPARE_ARMS_RECORDED_SPACES_H

#include "sim/base/yaml_tree.h"
#include "sim/run/experiment/experiment.h"

/* space[k] <- a search space for arm k of the problem in which all of its recorded configurations lie, as in tune
 * files, to be freed; NULL where the file has no configurations of the arm.
 *
 * What is always one value is a constant; what is always a number is an integer or a real one between the ends of what
 * was tried, reals with their ends rounded outwards to two digits, on a log scale where the range spans a factor of 10
 * and the values are more likely under a log-uniform distribution than under a uniform one; all else is categorical. A
 * hyperparameter that some configurations lack is active for those values of a categorical one that tell when it is
 * there. Where none does, it is left out, as are words beyond MK_SPACE_MOST_WORDS and names that a space cannot have;
 * *left_out, a text to be freed, names them ("": none). MK_EINPUT: a configuration is not a mapping in YAML or JSON.
 */
int mk_recorded_spaces(const struct mk_experiment *e, struct mk_node **space, char **left_out, struct mk_error *err);

#endif
