/* A tuning run without what runs its trials: it says which trial is next, takes results, keeps both in the journal of a
 * folder, and continues from there. Of the same tune file and the same results it asks for the same trials, whoever
 * runs them: sim/study/programs/tune_run.h as programs, callers of sim/api/maxk/study.h as they like. */
#ifndef MAXK_SIM_STUDY_TUNING_H
#define MAXK_SIM_STUDY_TUNING_H

#include "sim/study/tune_journal.h"

enum { MK_PREVIOUS_ROOM = 32 };

struct mk_tuning_options {
    const char *folder; /* of the trials and the journal; NULL: the journal is in memory */
    bool resume, force;
    bool repair; /* with resume: a damaged journal ends before its first damaged line, and is kept aside as it was */
    const char *add;    /* CSV file of earlier results (columns arm, configuration, reward or loss), or NULL */
    const char *result; /* OUT.h5, whose files are kept when a new run begins; NULL: none */
    const struct mk_study_own *own; /* what chooses in the place of policy and optimisers; NULL: they do */
};

/* An earlier result, of an evaluation that does not count for the budget. */
struct mk_added_trial {
    size_t arm;
    double *v; /* owned; of the arm's space */
    struct mk_trial_outcome outcome;
    struct mk_where where; /* that it comes from, for messages */
};

/* The lock of the folder of the trials. */
struct mk_folder_lock {
    int fd; /* -1: none */
    char *path;
};

/* To be read; changed by the functions below alone. */
struct mk_tuning {
    const struct mk_tune *t;
    const struct mk_tuning_options *how;
    struct mk_tune_state *state;
    struct mk_tune_journal *journal;
    uint64_t evaluations;            /* the budget: that of the tune file, unless it is open or extended */
    size_t all;                      /* trials of the budget and those added */
    size_t ended;                    /* results */
    size_t resumed, failed;          /* of these, from the journal, and failures */
    size_t infeasible;               /* and those that violate a constraint */
    size_t pruned;                   /* and those that the rule of `pruning` has ended */
    size_t complete;                 /* trials 0 … complete-1 have results */
    size_t told;                     /* the policy and the optimisers know trials 0 … told-1 */
    size_t journalled;               /* trials 0 … journalled-1 are in the journal */
    size_t left_out;                 /* of the file of earlier results: evaluations in part */
    bool lacks_fidelity;             /* it has no column that says which those are */
    size_t matched;                  /* earlier results that mk_tuning_add has been given in this session */
    bool impossible;                 /* an event of the journal cannot be */
    bool extended;                   /* the budget is another than when the journal was begun */
    double start, before;            /* of this session, and how long the earlier ones were */
    char previous[MK_PREVIOUS_ROOM]; /* ending with which the files of an earlier run are kept; "": none were there */
    struct mk_folder_lock lock;
};

/* Begins a run, or continues it. MK_EINPUT: the folder is in use, has results that are neither to be continued nor
 * dropped, or those of another tune file. *r is to be given to mk_tuning_close in either case. */
int mk_tuning_open(struct mk_tuning *r, const struct mk_tune *t, const struct mk_tuning_options *how,
                   struct mk_error *err);

/* Closes the journal and gives the folder back; with the code MK_EFAIL a journal of failures alone is emptied, unless
 * it has all trials of the budget. The state is left to the caller. */
void mk_tuning_close(struct mk_tuning *r, int code);

/* Another budget: the run is then that of this budget from its start. MK_EINPUT: there are more trials, or with it they
 * would have been others; the run is unchanged. */
int mk_tuning_extend(struct mk_tuning *r, uint64_t evaluations, struct mk_error *err);

/* Earlier results, before the first trial is asked for. Of a run that was resumed they are those of its journal, which
 * it has: nothing is done then. MK_EINPUT: there are trials, the journal has others, or an optimiser cannot take them.
 */
int mk_tuning_add(struct mk_tuning *r, const struct mk_added_trial *added, size_t n, struct mk_error *err);

/* A configuration of arm k is tried before others are chosen. *added <- false: it has been tried, or was enqueued
 * before, and nothing is done. */
int mk_tuning_enqueue(struct mk_tuning *r, size_t k, const double *v, bool *added, struct mk_error *err);

/* Seconds of the run, over all sessions. */
double mk_tuning_elapsed(const struct mk_tuning *r);

/* The next trial to start: one that was running when an earlier session ended, or a new one, which is in the journal
 * then; SIZE_MAX: none now. */
int mk_tuning_next(struct mk_tuning *r, size_t *number, struct mk_error *err);

/* Gives up one trial, or all that are running: they are the next to start, as after the end of a session. */
void mk_tuning_give_up(struct mk_tuning *r, size_t number);
void mk_tuning_give_up_all(struct mk_tuning *r);

/* Trials that were given up, or were running when an earlier session ended: mk_tuning_next returns them first. */
size_t mk_tuning_waiting(const struct mk_tuning *r);

/* Trial `number`, which is running, has reported a finite value of the metric at a step >= 1: whether it is to end now,
 * as the rule of `pruning` says. Of a trial that has to, nothing else counts any more, and whatever it ends with is
 * given to mk_tuning_end. A step that is no later than those before changes nothing. Without the key *stop = false. */
int mk_tuning_report(struct mk_tuning *r, size_t number, uint64_t step, double value, bool *stop, struct mk_error *err);

/* The result of a trial, and of re-evaluation `index` of the best one. MK_EIO: the journal could not take it, and it
 * may be given again. MK_EFAIL: the first MK_TUNE_FAILURES trials have failed. */
int mk_tuning_end(struct mk_tuning *r, size_t number, const struct mk_trial_outcome *o, struct mk_error *err);
int mk_tuning_again(struct mk_tuning *r, size_t index, const struct mk_trial_outcome *o, struct mk_error *err);

/* Tells the results that would be told before the next trial, which is not asked for. */
int mk_tuning_tell(struct mk_tuning *r, struct mk_error *err);

/* Tells all results and drops the trials without one: MK_EFAIL when none has succeeded. */
int mk_tuning_tell_all(struct mk_tuning *r, struct mk_error *err);

#endif
