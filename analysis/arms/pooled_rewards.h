/* Rewards of one instance pooled per arm: every recorded repetition of a trajectory problem, or independent draws of
 * the arms of a synthetic one. */
#ifndef MAXK_ANALYSIS_ARMS_POOLED_REWARDS_H
#define MAXK_ANALYSIS_ARMS_POOLED_REWARDS_H

#include <stddef.h>
#include <stdint.h>

#include "sim/base/error.h"
#include "sim/experiment/experiment.h"
#include "sim/problem/problem.h"

struct mk_pooled_rewards {
    size_t n_arms;   /* of the instance */
    double **sorted; /* [n_arms][n[k]] ascending */
    size_t *n;       /* [n_arms], >= 1 */
    double largest;  /* over all arms of the instance */
};

/* `samples` draws per arm (synthetic only) from streams keyed by (seed, `what`, arm). Errors: MK_ENOMEM, MK_EINPUT (an
 * arm without a reward). */
int mk_pooled_rewards_new(struct mk_pooled_rewards **out, const struct mk_problem *p, size_t instance, size_t samples,
                          uint64_t seed, const char *what, struct mk_error *err);
void mk_pooled_rewards_free(struct mk_pooled_rewards *pool);

/* The stream of anything drawn for analysis. */
struct mk_key mk_pooled_rewards_key(uint64_t seed, const char *what, size_t arm);

/* Opens an experiment file; a CSV file (.csv, .csv.gz), treated as an experiment with nothing but trajectories; or a
 * result file (recognised by its first bytes, or .h5), whose experiment is read again: recorded rewards must still be
 * where they were. */
int mk_problem_input_open(struct mk_experiment **out, const char *path, unsigned need, struct mk_error *err);
int mk_input_is_csv(const char *path);
int mk_input_is_yaml(const char *path);
int mk_input_is_result(const char *path);

/* MK_EINPUT with one line for processes, whose rewards are not identically distributed, so that they can be neither
 * pooled nor given L and U; `what` as in "L and U are". */
int mk_problem_same_distribution(const struct mk_problem *p, const char *what, struct mk_error *err);

/* Smallest and largest reward that the arm at position k of the instance can give: the support (of processes over all
 * pulls; NaN when out of memory), or, for trajectories, the range of all its recorded rewards. */
void mk_problem_arm_support(const struct mk_problem *p, size_t instance, size_t k, double *low, double *high);

#endif
