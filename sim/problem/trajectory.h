/* Recorded rewards from a CSV file, as a problem.
 *
 * The columns, in any order, under these names in any case or those of the options (further ones are ignored):
 *   instance, repetition (numbers or texts), iteration
 *   arm, or arm_index[,classifier,optimizer]: the arm is named after its classifier, or after its index without that
 *       column; arm_index < 0 is a combined-search baseline, kept apart. An arm_index has one classifier within an
 *       instance. A classifier with several indices in one instance becomes several arms, named "classifier
 *       (arm_index)" throughout the file; otherwise arms of different instances are the same when their classifiers
 *       are.
 *   reward, or loss: reward = -loss
 * In a file with more than needed, reward is taken before loss; arm before arm_index with a reward, and after it with a
 * loss; a name in the options before both.
 * An optional column `cost` (> 0) is the cost of each pull; policies learn it as they pull (mk_setup.pull_cost).
 * An optional column `test_reward`, or test_loss = -test_reward, or metrics.test_reward or metrics.test_loss as maxk
 * tune and record write metrics of these names, is what the configuration of the pull is worth on data kept apart: no
 * policy sees it, results have that of the configuration with the largest reward. An empty cell: not known. An optional
 * column `fidelity` says how much of a whole evaluation a row is. Rows below 1 are left out, and those after them move
 * up: what an evaluation in part gave is not what its configuration is worth. Their costs are added to that of the next
 * whole one. They are read where the options name the column of losses loss_seen or loss_shown, which have what stands
 * in for them. Rows may come in any order. The iterations of a series (one instance, arm, repetition) are 0 … n-1, or 1
 * … n throughout the file, without duplicates; rewards lie within MK_MOST_REWARD. Instances may lack arms, and differ
 * in their repetitions; series may differ in length. What happens to an arm that lacks repetitions which others have,
 * to an iteration that is missing within a series, and to a series that ends before the largest horizon is a matter of
 * rules: enum mk_missing, enum mk_holes, enum mk_ends_early. What they drop or fill in is noted in mk_instance.gaps.
 *
 * Memory does not grow with the number of rows as long as each series' rows come in order (others take 32 bytes each
 * until the end): at most `memory` bytes of rewards and costs are held, plus about 250 bytes per series; the excess
 * goes to a temporary file of 8 bytes per reward (twice that while series are put together, where rows of many series
 * alternate), see sim/base/scratch_file.h. */
#ifndef MAXK_SIM_PROBLEM_TRAJECTORY_H
#define MAXK_SIM_PROBLEM_TRAJECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/problem/problem.h"

/* Columns in which a loss stands for an evaluation in part, too. */
#define MK_LOSS_SEEN "loss_seen"
#define MK_LOSS_SHOWN "loss_shown"

/* Whether this is an HDF5 file of recorded rewards (sim/problem/trajectory_array.c), and not a result. */
bool mk_trajectory_in_array(const char *path);

enum mk_arm_order {
    MK_ARMS_SORTED, /* by name, byte by byte; names that are whole numbers by value */
    MK_ARMS_FILE    /* as they first appear */
};

enum mk_baselines { MK_BASELINES_ALL, MK_BASELINES_NONE };

/* An instance's arm lacks a repetition that exists elsewhere in the file (combined searches may lack it: they then have
 * no value). */
enum mk_missing {
    MK_MISSING_OWN,             /* every instance keeps the repetitions that all of its arms have */
    MK_MISSING_ERROR,           /* all arms of all instances must have the same */
    MK_MISSING_DROP_REPETITION, /* repetitions that not all arms of all instances have are dropped everywhere */
    MK_MISSING_DROP_ARM         /* the instance loses arms that lack what others of its arms have; must keep one */
};

/* An iteration is missing within a series, or before its first row. */
enum mk_holes {
    MK_HOLES_ERROR,
    MK_HOLES_REPEAT, /* the reward (and cost) before it repeats; an error before the first */
    MK_HOLES_CLOSE   /* the later ones move up */
};

#define MK_MISSING_CHOICES "own|error|drop_repetition|drop_arm"
#define MK_HOLES_CHOICES "error|repeat|close"
#define MK_ENDS_CHOICES "error|hold|restart|leave"

/* What a column is. */
enum mk_recorded_column {
    MK_COLUMN_INSTANCE,
    MK_COLUMN_ARM,
    MK_COLUMN_ARM_INDEX,
    MK_COLUMN_REPETITION,
    MK_COLUMN_CLASSIFIER,
    MK_COLUMN_OPTIMIZER,
    MK_COLUMN_ITERATION,
    MK_COLUMN_REWARD,
    MK_COLUMN_LOSS,
    MK_COLUMN_COST,
    MK_COLUMN_FIDELITY,
    MK_COLUMN_TEST_REWARD,
    MK_COLUMN_TEST_LOSS,
    MK_COLUMNS
};

/* "instance", …: what it is called by default, and in the options. */
extern const char *const mk_column_names[MK_COLUMNS];

/* A series is shorter than the largest horizon. (A combined search that ends keeps its best reward, always.) */
enum mk_ends_early {
    MK_ENDS_ERROR,
    MK_ENDS_HOLD,    /* its last reward repeats: further pulls gain nothing */
    MK_ENDS_RESTART, /* it starts again from its first reward */
    MK_ENDS_LEAVE /* its arm is no longer chosen (policies/play/leave_loop.h); extended as for hold, but not pulled */
};

struct mk_trajectory_options {
    const char *const *instance; /* read only these, in this order; NULL: all, sorted by name */
    size_t n_instances;
    enum mk_arm_order order;
    enum mk_baselines baselines;
    enum mk_missing missing;
    enum mk_holes holes;
    const char *column[MK_COLUMNS]; /* names in the file; NULL: mk_column_names */
    size_t memory;                  /* bytes of rewards and costs held in memory; 0: MK_TRAJECTORY_MEMORY */
};

enum { MK_TRAJECTORY_MEMORY = 64 << 20 };

/* Errors: MK_EINPUT with file:line[:column]. When instance[i] is not in the file, *unknown = i and the text has no
 * place; *unknown = SIZE_MAX otherwise. */
int mk_trajectory_read(struct mk_problem **out, const char *path, const struct mk_trajectory_options *options,
                       size_t *unknown, struct mk_error *err);

/* Error with the place of the first series, among the first `replications` of each instance, that is shorter than
 * `horizon`. */
int mk_trajectory_check(const struct mk_problem *p, uint64_t horizon, uint64_t replications, struct mk_error *err);

/* The same where horizons are costs (by_cost): every arm can be pulled once within the first horizon, and no arm ends
 * before the last one, unless arms leave. */
int mk_trajectory_check_costs(const struct mk_problem *p, uint64_t first, uint64_t last, uint64_t replications,
                              struct mk_error *err);

/* Extends every arm's series, rewards and costs, to at least `horizon` by the rule (not MK_ENDS_ERROR). MK_EINPUT where
 * that needs more memory than is available. */
int mk_trajectory_extend(struct mk_problem *p, uint64_t horizon, enum mk_ends_early rule, struct mk_error *err);

#endif
