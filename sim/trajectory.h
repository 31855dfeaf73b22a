/* Recorded rewards from a CSV file, as a problem.
 *
 * Two forms, told apart by their columns (order free, further columns ignored):
 *   instance,arm,repetition,iteration,reward
 *   instance,arm_index,repetition,iteration,loss[,classifier,optimizer]   reward = -loss; the arm is called by its
 *       classifier, or by its index without that column; arm_index < 0 is a combined-search baseline, kept apart
 * An optional column `cost` (> 0) is the cost of each pull; policies learn it as they pull (mk_setup.pull_cost).
 * Rows may come in any order. The iterations of a series (one instance, arm, repetition) are 0 … n-1, or 1 … n
 * throughout the file, without holes or repeats; rewards are finite; every arm of every instance has the same
 * repetitions. Instances may lack arms, and series may differ in length. */
#ifndef MAXK_SIM_TRAJECTORY_H
#define MAXK_SIM_TRAJECTORY_H

#include <stddef.h>
#include <stdint.h>

#include "sim/error.h"
#include "sim/problem.h"

enum mk_arm_order {
    MK_ARMS_SORTED, /* by name, byte by byte; names that are whole numbers by value */
    MK_ARMS_FILE    /* as they first appear */
};

struct mk_trajectory_options {
    const char *const *instance; /* read only these, in this order; NULL: all, sorted by name */
    size_t n_instances;
    enum mk_arm_order order;
};

/* Errors: MK_EINPUT with file:line[:column]. When instance[i] is not in the file, *unknown = i and the text has no
 * place; *unknown = SIZE_MAX otherwise. */
int mk_trajectory_read(struct mk_problem **out, const char *path, const struct mk_trajectory_options *options,
                       size_t *unknown, struct mk_error *err);

/* Error with the place of the first series among the first `replications` repetitions that is shorter than `horizon`. */
int mk_trajectory_check(const struct mk_problem *p, uint64_t horizon, uint64_t replications, struct mk_error *err);

#endif
