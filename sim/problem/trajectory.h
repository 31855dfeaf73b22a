/* Recorded rewards from a CSV file, as a problem.
 *
 * Two forms, told apart by their columns (order free, further columns ignored):
 *   instance,arm,repetition,iteration,reward
 *   instance,arm_index,repetition,iteration,loss[,classifier,optimizer]   reward = -loss; the arm is called by its
 *       classifier, or by its index without that column; arm_index < 0 is a combined-search baseline, kept apart.
 *       An arm_index has one classifier within an instance. A classifier that has several there is as many arms, called
 *       "classifier (arm_index)" throughout the file; otherwise arms of different instances are the same where their
 *       classifiers are
 * An optional column `cost` (> 0) is the cost of each pull; policies learn it as they pull (mk_setup.pull_cost).
 * Rows may come in any order. The iterations of a series (one instance, arm, repetition) are 0 … n-1, or 1 … n
 * throughout the file, without holes or repeats; rewards lie within MK_MOST_REWARD. Instances may lack arms, and series
 * may differ in length. An arm that lacks repetitions which others have, and a series that ends before the largest
 * horizon, are errors unless a rule is chosen (enum mk_missing, enum mk_ends_early).
 *
 * Memory does not grow with the number of rows as long as each series' rows come in order (others take 32 bytes each
 * until the end): at most `memory` bytes of rewards and costs are held, and about 250 bytes for every series; what is
 * more goes to a temporary file of 8 bytes a reward (twice that while series are put together, where rows of many
 * series alternate), see sim/base/scratch_file.h. */
#ifndef MAXK_SIM_PROBLEM_TRAJECTORY_H
#define MAXK_SIM_PROBLEM_TRAJECTORY_H

#include <stddef.h>
#include <stdint.h>

#include "sim/base/error.h"
#include "sim/problem/problem.h"

enum mk_arm_order {
    MK_ARMS_SORTED, /* by name, byte by byte; names that are whole numbers by value */
    MK_ARMS_FILE    /* as they first appear */
};

enum mk_baselines { MK_BASELINES_ALL, MK_BASELINES_NONE };

/* An instance's arm lacks a repetition that the file has elsewhere (combined searches may: they have no
 * value there). */
enum mk_missing {
    MK_MISSING_ERROR,
    MK_MISSING_DROP_REPETITION, /* repetitions that not all arms of all instances have are left out */
    MK_MISSING_DROP_ARM         /* the instance loses the arm; every instance must keep at least one */
};

/* A series is shorter than the largest horizon. (A combined search that ends keeps its best reward, always.) */
enum mk_ends_early {
    MK_ENDS_ERROR,
    MK_ENDS_HOLD,   /* its last reward repeats: pulls are spent and gain nothing */
    MK_ENDS_RESTART /* it begins again from its first reward */
};

struct mk_trajectory_options {
    const char *const *instance; /* read only these, in this order; NULL: all, sorted by name */
    size_t n_instances;
    enum mk_arm_order order;
    enum mk_baselines baselines;
    enum mk_missing missing;
    size_t memory; /* bytes of rewards and costs held in memory; 0: MK_TRAJECTORY_MEMORY */
};

enum { MK_TRAJECTORY_MEMORY = 64 << 20 };

/* Errors: MK_EINPUT with file:line[:column]. When instance[i] is not in the file, *unknown = i and the text has no
 * place; *unknown = SIZE_MAX otherwise. */
int mk_trajectory_read(struct mk_problem **out, const char *path, const struct mk_trajectory_options *options,
                       size_t *unknown, struct mk_error *err);

/* Error with the place of the first series among the first `replications` repetitions that is shorter
 * than `horizon`. */
int mk_trajectory_check(const struct mk_problem *p, uint64_t horizon, uint64_t replications, struct mk_error *err);

/* Lengthens every arm's series, rewards and costs, to at least `horizon` by the rule (not MK_ENDS_ERROR). MK_EINPUT
 * where that needs more memory than there is. */
int mk_trajectory_extend(struct mk_problem *p, uint64_t horizon, enum mk_ends_early rule, struct mk_error *err);

#endif
