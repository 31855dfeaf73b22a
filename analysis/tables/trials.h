/* The trials of a study (maxk tune): the files that it leaves, as tables. */
#ifndef MAXK_ANALYSIS_TABLES_TRIALS_H
#define MAXK_ANALYSIS_TABLES_TRIALS_H

#include "sim/table/table.h"

/* OUT.csv, in the layout of maxk record; the table of trials adds seconds and reasons. */
#define MK_TRIALS_COLUMNS(X)                                                                                           \
    X(MK_TRIALS_INSTANCE, "instance", TEXT, "", "instance that was worked on")                                         \
    X(MK_TRIALS_ARM_INDEX, "arm_index", REAL, "", "number of the arm, from 0; -1: a trial of the combined search")     \
    X(MK_TRIALS_CLASSIFIER, "classifier", TEXT, "", "label of the arm, or of the combined search")                     \
    X(MK_TRIALS_OPTIMIZER, "optimizer", TEXT, "", "optimiser that proposed the configuration")                         \
    X(MK_TRIALS_REPETITION, "repetition", COUNT, "", "repetition of the study")                                        \
    X(MK_TRIALS_ITERATION, "iteration", COUNT, "", "number of the trial in its arm, from 0")                           \
    X(MK_TRIALS_LOSS, "loss", REAL, "of the metric",                                                                   \
      "loss of the configuration, the metric with the sign reversed where it is maximised; of a failed trial by the "  \
      "rule for failures")                                                                                             \
    X(MK_TRIALS_ARM, "arm", TEXT, "", "label of the arm")                                                              \
    X(MK_TRIALS_CONFIGURATION, "configuration", TEXT, "", "the configuration, YAML")                                   \
    X(MK_TRIALS_TRIAL, "trial", COUNT, "", "number of the trial, from 1, in the order of issue")                       \
    X(MK_TRIALS_STATUS, "status", TEXT, "", "ok, crashed or timed out")                                                \
    X(MK_TRIALS_SECONDS, "seconds", REAL, "seconds", "measured time of the program; none of trials that were added")   \
    X(MK_TRIALS_WHY, "why", TEXT, "", "reason of a failure")
enum { MK_TRIALS_COLUMNS(MK_COLUMN_ENUMERATOR) };

/* OUT.times.csv. */
#define MK_TIMES_COLUMNS(X)                                                                                            \
    X(MK_TIMES_TRIAL, "trial", COUNT, "", "number of the trial, from 1")                                               \
    X(MK_TIMES_ARM, "arm", TEXT, "", "label of the arm")                                                               \
    X(MK_TIMES_STATUS, "status", TEXT, "", "ok, crashed or timed out")                                                 \
    X(MK_TIMES_SECONDS, "seconds", REAL, "seconds", "measured time of the program")                                    \
    X(MK_TIMES_WHY, "why", TEXT, "", "reason of a failure")
enum { MK_TIMES_COLUMNS(MK_COLUMN_ENUMERATOR) };

extern const struct mk_table_schema mk_trials_file_schema, mk_times_file_schema;

/* OUT of OUT.h5, and OUT with an ending; malloc'ed, NULL: no memory. */
char *mk_trials_path(const char *result, const char *ending);

#endif
