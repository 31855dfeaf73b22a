/* `maxk record` of a tune file: the search of every arm is run for the whole budget, whatever it finds, and so is the
 * combined search where the file has one. What comes out are recorded runs of real programs, which any policy can be
 * played on.
 *
 * A unit, one repetition on one instance, is a tuning run of its own (sim/study/programs/tune_run.h) with the policy
 * `uniform` and a lag of the number of arms, so that every evaluation of a search is chosen with all results before it
 * known. Its journal and its rows are kept in FOLDER/INSTANCE-REPETITION; a combined search has a run of its own.
 * Repetition r of the file's seed s has the seed s + r: maxk tune with this seed, `repetition: r` and `lag: 1` makes
 * the same evaluations of every arm, in the same order, as far as its policy takes it. */
#ifndef MAXK_SIM_STUDY_PROGRAMS_TUNE_RECORD_H
#define MAXK_SIM_STUDY_PROGRAMS_TUNE_RECORD_H

#include <stdbool.h>

#include "sim/base/progress.h"
#include "sim/run/engine/run_searches.h"

struct mk_tune_recording {
    const char *file;
    const char *const *sets; /* overrides of keys, as in mk_tune_read */
    size_t n_sets;
    char *const *instance; /* [n_instances]; none: that of the file */
    size_t n_instances;
    uint64_t repetitions;
    int digits;         /* significant ones of losses and real hyperparameters; 17: exact */
    const char *folder; /* of the units */
    bool repair;        /* with resume: journals that are damaged, too */
    bool resume, force; /* of an earlier recording there: continue it, or drop its results */
    struct mk_progress *progress;
};

/* What was recorded. */
struct mk_tune_recorded {
    size_t searches, failed; /* of every unit; evaluations that failed or are infeasible, in all units */
    bool headed;             /* the names of the columns are written */
};

/* Whether a file is one for maxk tune, rather than an experiment: it has arms, and no problem. */
bool mk_is_tune_file(const char *path);

/* Runs all units, repetition by repetition, then writes their rows ordered by instance, repetition, search and
 * evaluation to the sink, the column names first. MK_ESTOPPED after mk_run_stop, with what is kept; MK_EINPUT when
 * FOLDER holds results and neither resume nor force is given. */
int mk_tune_record(const struct mk_tune_recording *r, mk_rows_sink *sink, void *to, struct mk_tune_recorded *done,
                   struct mk_error *err);

#endif
