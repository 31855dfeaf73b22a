/* A tuning run: trials are requested, run by workers, journalled, reported. With `order: issue` trial j is requested
 * when the results of trials 1 … j - lag are reported and no others, so that trials and results are the same for any
 * number of workers. A run may be continued with another budget of evaluations: it is then the run of this budget from
 * the start, and policies and optimisers that plan for the budget, so that its first trials are others, are refused. */
#ifndef MAXK_SIM_TUNE_TUNE_RUN_H
#define MAXK_SIM_TUNE_TUNE_RUN_H

#include "sim/study/tuning.h"

/* What there is to see of a run. */
struct mk_tune_view {
    const struct mk_tune *t;
    const struct mk_tune_state *state;
    size_t all, ended, running;          /* trials of the budget, with those added; results; running programs */
    double elapsed;                      /* seconds, over all sessions */
    const struct mk_reevaluation *again; /* the re-evaluation that has just ended; NULL: none */
};

/* Trial `number` has just ended, or a re-evaluation of it; SIZE_MAX: time has passed. */
typedef void mk_tune_seen(void *context, const struct mk_tune_view *v, size_t number);

struct mk_tune_options {
    struct mk_tuning_options files;
    bool drop;   /* the folders of trials that succeed */
    bool adopts; /* what a program leaves behind that kills its guard: all children of this process are of trials */
    mk_tune_seen *seen;
    void *context;
};

struct mk_tune_report {
    size_t evaluations, resumed, failed; /* results, of these from the journal, failures */
    double seconds;                      /* over all sessions */
    bool already_complete, out_of_time;
    size_t infeasible;               /* trials that violate a constraint */
    char previous[MK_PREVIOUS_ROOM]; /* ending with which the files of an earlier run are kept; "": none were there */
};

/* Runs to the end of the budget; *out has all trials. MK_ESTOPPED after mk_run_stop, with what is kept; MK_EFAIL when
 * the first MK_TUNE_FAILURES trials, or all, have failed. No program is left running. */
int mk_tune_run(struct mk_tune_state **out, const struct mk_tune *t, const struct mk_tune_options *how,
                struct mk_tune_report *report, struct mk_error *err);

#endif
