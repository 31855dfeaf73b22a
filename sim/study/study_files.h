/* The files that a study (maxk tune) leaves. */
#ifndef MAXK_SIM_STUDY_STUDY_FILES_H
#define MAXK_SIM_STUDY_STUDY_FILES_H

#include <string.h>

#include "sim/base/table/table.h"
#include "sim/base/yaml_tree.h"
#include "sim/problem/trajectory.h"
#include "sim/search/space/space.h"
#include "sim/search/space/trial_status.h"

/* OUT.csv, in the layout of maxk record; the table of trials adds seconds and reasons. */
#define MK_TRIALS_COLUMNS(X)                                                                                           \
    X(MK_TRIALS_INSTANCE, "instance", TEXT, "", "instance that was worked on")                                         \
    X(MK_TRIALS_ARM_INDEX, "arm_index", REAL, "", "number of the arm, from 0; -1: a trial of the combined search")     \
    X(MK_TRIALS_CLASSIFIER, "classifier", TEXT, "", "label of the arm, or of the combined search")                     \
    X(MK_TRIALS_OPTIMIZER, "optimizer", TEXT, "", "optimiser that proposed the configuration")                         \
    X(MK_TRIALS_REPETITION, "repetition", COUNT, "", "repetition of the study")                                        \
    X(MK_TRIALS_ITERATION, "iteration", COUNT, "", "number of the trial in its arm, from 0")                           \
    X(MK_TRIALS_LOSS, "loss", REAL, "of the metric",                                                                   \
      "loss of the evaluation, the metric with the sign reversed where it is maximised; on instances the mean over "   \
      "those so far; of a failed or infeasible trial by the rule for failures")                                        \
    X(MK_TRIALS_ARM, "arm", TEXT, "", "label of the arm")                                                              \
    X(MK_TRIALS_CONFIGURATION, "configuration", TEXT, "", "the configuration, YAML")                                   \
    X(MK_TRIALS_TRIAL, "trial", COUNT, "", "number of the trial, from 1, in the order of issue")                       \
    X(MK_TRIALS_STATUS, "status", TEXT, "", "ok, failed, timed out, infeasible or pruned")                             \
    X(MK_TRIALS_SECONDS, "seconds", REAL, "seconds", "measured time of the program; none of trials that were added")   \
    X(MK_TRIALS_WHY, "why", TEXT, "", "reason of a failure, or the constraint that is violated")
enum { MK_TRIALS_COLUMNS(MK_COLUMN_ENUMERATOR) };
enum { MK_TRIALS_FURTHER = 32 }; /* columns at the end that only some studies have, at most */

/* Appends such a column (value, cost, metrics.NAME, fidelity, race_instance, loss_seen, loss_shown, instance_name,
 * first, step) and returns its place; SIZE_MAX: the name is that of none. */
size_t mk_trials_add_further(struct mk_table *t, const char *name);

/* The column of the instance of the tune file. */
#define MK_INSTANCE_NAME "instance_name"
#define MK_IS_TEST "test" /* of re-evaluations */
#define MK_IS_FIRST "first"

/* The column of the last step that was reported. */
#define MK_LAST_STEP "step"

/* Further metrics have columns with this before their names. */
static const char mk_trials_metric_prefix[] = "metrics.";

/* "metrics.time", of the metric named time; returns out. */
enum { MK_METRIC_COLUMN = 128 };
const char *mk_metric_column(const char *name, char out[MK_METRIC_COLUMN]);

/* The further metric whose column this is; NULL: of none. */
static inline const char *mk_trials_metric_of(const char *column)
{
    const size_t n = sizeof mk_trials_metric_prefix - 1;
    return strncmp(column, mk_trials_metric_prefix, n) == 0 ? column + n : NULL;
}

/* How titles of results begin whose study has none of its own. */
#define MK_TRIALS_TITLE "Trials of maxk tune, "

/* OUT.times.csv. */
#define MK_TIMES_COLUMNS(X)                                                                                            \
    X(MK_TIMES_TRIAL, "trial", COUNT, "", "number of the trial, from 1")                                               \
    X(MK_TIMES_ARM, "arm", TEXT, "", "label of the arm")                                                               \
    X(MK_TIMES_STATUS, "status", TEXT, "", "ok, failed, timed out, infeasible or pruned")                              \
    X(MK_TIMES_SECONDS, "seconds", REAL, "seconds", "measured time of the program")                                    \
    X(MK_TIMES_WHY, "why", TEXT, "", "reason of a failure, or the constraint that is violated")
enum { MK_TIMES_COLUMNS(MK_COLUMN_ENUMERATOR) };

extern const struct mk_table_schema mk_trials_schema, mk_trials_file_schema, mk_times_file_schema, mk_again_file_schema;

/* OUT.reevaluations.csv. */
#define MK_AGAIN_COLUMNS(X)                                                                                            \
    X(MK_AGAIN_TRIAL, "trial", COUNT, "", "number of the best trial, from 1")                                          \
    X(MK_AGAIN_NUMBER, "reevaluation", COUNT, "", "number of the re-evaluation, from 1")                               \
    X(MK_AGAIN_ARM, "arm", TEXT, "", "label of the arm")                                                               \
    X(MK_AGAIN_SEED, "seed", COUNT, "", "seed of the program")                                                         \
    X(MK_AGAIN_STATUS, "status", TEXT, "", "ok, failed or timed out")                                                  \
    X(MK_AGAIN_VALUE, "value", REAL, "of the metric", "value of the metric")                                           \
    X(MK_AGAIN_SECONDS, "seconds", REAL, "seconds", "measured time of the program")                                    \
    X(MK_AGAIN_WHY, "why", TEXT, "", "reason of a failure")
enum { MK_AGAIN_COLUMNS(MK_COLUMN_ENUMERATOR) };

/* The endings of OUT.h5 and of the files next to it. */
enum { MK_STUDY_FILES = 6 };
extern const char *const mk_study_endings[MK_STUDY_FILES];

/* OUT of OUT.h5, and OUT with an ending; malloc'ed, NULL: no memory. */
char *mk_trials_path(const char *result, const char *ending);

/* The table of trials of OUT.h5: OUT.csv with seconds and reasons from OUT.times.csv, and at its end the further
 * columns. */
int mk_trials_read(struct mk_table **out, const char *result, struct mk_error *err);

/* Whether OUT.csv is there and has trials. */
bool mk_trials_there(const char *result);

/* What is to be said where a study lacks the fidelity of its trials. */
extern const char mk_study_lacks_fidelity[];

struct mk_study_row {
    uint64_t number; /* from 1 */
    size_t arm, row; /* of the table of trials */
    enum mk_trial_status status;
    bool whole;      /* ok, and a whole evaluation: on instances the last one, on all of them */
    double value;    /* of the metric, on instances the mean over those so far; of a failure NaN */
    double measured; /* of the metric: of this evaluation alone */
    double seconds;  /* NaN: not known */
};

/* A study with its meaning: what the metric is called, the space of every arm. */
struct mk_study_files {
    struct mk_table *trials, *again;
    struct mk_tree *tune; /* OUT.tune.yaml */
    struct mk_tree *best; /* OUT.best.yaml */
    const char *metric;   /* its name, such as "accuracy" */
    bool maximize;
    double scale;
    size_t n_arms;
    const char **arm;        /* [n_arms] labels */
    struct mk_space **space; /* [n_arms] */
    size_t n;                /* trials, by their numbers */
    struct mk_study_row *trial;
    size_t failed, infeasible, pruned, in_part; /* in_part: successes that are no whole evaluations */
    bool lacks_fidelity; /* files of earlier versions, of an optimiser that evaluates in part: losses of partial
                            evaluations are not known, and all are taken as whole ones */
    size_t best_trial;   /* position of the best one; SIZE_MAX: none */
};

/* The trials of one arm. */
struct mk_study_arm {
    size_t trials, failed, infeasible, pruned;
    double best;    /* of the metric, among whole evaluations; NaN: none has succeeded */
    double seconds; /* of all its programs, as far as known */
};
struct mk_study_arm mk_study_arm(const struct mk_study_files *s, size_t arm);

/* MK_EINPUT: a file is missing or has another form. */
int mk_study_files_read(struct mk_study_files *s, const char *result, struct mk_error *err);
void mk_study_files_clear(struct mk_study_files *s);

/* Whether they are next to the result. */
bool mk_study_files_there(const char *result);

/* Whether value a of the metric is better than b. */
static inline bool mk_study_better(const struct mk_study_files *s, double a, double b)
{
    return s->maximize ? a > b : a < b;
}

#endif
