/* A tuning run: trials are requested, run by workers, journalled, reported. With `order: issue` trial j is requested
 * when the results of trials 1 … j - lag are reported and no others, so that trials and results are the same for any
 * number of workers. A run may be continued with another budget of evaluations: it is then the run of this budget from
 * the start, and policies and optimisers that plan for the budget, so that its first trials are others, are refused. */
#ifndef MAXK_SIM_STUDY_PROGRAMS_TUNE_RUN_H
#define MAXK_SIM_STUDY_PROGRAMS_TUNE_RUN_H

#include "sim/study/tuning.h"

/* What there is to see of a run. */
struct mk_tune_view {
    const struct mk_tuning *of;
    size_t running;                      /* programs */
    const struct mk_reevaluation *again; /* the re-evaluation that has just ended; NULL: none */
};

/* Trial `number` has just ended, or a re-evaluation of it; SIZE_MAX: time has passed. */
typedef void mk_tune_seen(void *context, const struct mk_tune_view *v, size_t number);

struct mk_tune_options {
    struct mk_tuning_options files;
    bool drop; /* the folders of trials that succeed */
    mk_tune_seen *seen;
    void *context;
};

/* Runs to the end of the budget, of evaluations or of seconds: *out_of_time. *r is what came of it, to be given to
 * mk_tune_run_end; after an error it has been. MK_ESTOPPED after mk_run_stop, with what is kept; MK_EFAIL when the
 * first MK_TUNE_FAILURES trials, or all, have failed. No program is left running. */
int mk_tune_run(struct mk_tuning *r, const struct mk_tune *t, const struct mk_tune_options *how, bool *out_of_time,
                struct mk_error *err);

/* After the result files were written, with what came of that: notes the end of the run in the journal and gives the
 * folder back. The state, with all trials, is the caller's to free; NULL after an error. Returns the first error. */
int mk_tune_run_end(struct mk_tuning *r, int code, struct mk_error *err);

#endif
