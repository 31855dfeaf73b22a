/* The two levels of `maxk tune`: the policy above, the optimisers below, and the trials so far. It starts no programs:
 * trials are requested from it and their results reported to it, and it is a function of the tune file and of the order
 * of these calls.
 *
 * Results may be outstanding when the next trial is requested. The policy takes them as mk_policy_add and
 * mk_policy_select_while_running say (sim/api/maxk/policy.h), those of every arm in the order of their issue: so every
 * policy, also one with phases, only ever gets rewards of the arm that it selected, and with no result outstanding it
 * plays as in a simulation. Optimisers see running trials as such.
 *
 * A failed trial counts, by the rule `worst`, as the worst reward of its arm so far, of all arms as long as its arm has
 * none; before any success it waits for the first one. One that violates a constraint counts in the same way. Where
 * trials have costs, one whose cost is not known counts with the largest cost of its arm so far, by the same rule. */
#ifndef MAXK_SIM_STUDY_TUNE_STATE_H
#define MAXK_SIM_STUDY_TUNE_STATE_H

#include <math.h>

#include "sim/base/string_table.h"
#include "sim/study/own_choices.h"
#include "sim/study/tune.h"

/* ---- outcomes ---- */

enum { MK_WHY_ROOM = 200 };

/* What came out of the program. */
struct mk_trial_outcome {
    enum mk_trial_status status;
    double value;                        /* of the metric; NaN if it failed */
    double seconds;                      /* time measured */
    char why[MK_WHY_ROOM];               /* of a failure or a violated constraint, one line */
    size_t n_metrics;                    /* of the further metrics the first ones, all once it is journalled */
    double metric[MK_TUNE_MOST_METRICS]; /* NaN: missing */
};

/* A further metric; NaN: it is missing. */
static inline double mk_outcome_metric(const struct mk_trial_outcome *o, size_t i)
{
    return i < o->n_metrics ? o->metric[i] : NAN;
}

/* What it has cost: NaN where trials have costs and that of this one is not known, 1 where they have none. */
double mk_outcome_cost(const struct mk_tune *t, const struct mk_trial_outcome *o);

/* A trial has ended: metrics that are times are set, and one that has succeeded fails without a cost > 0, where trials
 * have costs, or becomes infeasible. */
void mk_outcome_judge(const struct mk_tune *t, struct mk_trial_outcome *o);

/* Whether it violates a constraint, as far as its metrics are known. */
bool mk_outcome_is_infeasible(const struct mk_tune *t, const struct mk_trial_outcome *o);

/* ---- trials ---- */

struct mk_trial {
    size_t arm;
    size_t nth; /* of its arm, from 0 */
    double fidelity;
    size_t instance; /* number of the run of its configuration, from 1, where an evaluation has several: that of the
                        instance in their order; 0: it is an evaluation */
    const struct mk_named_instance *on; /* the instance of the tune file; NULL: it has none */
    size_t previous;                    /* the run of this configuration on the instance before; SIZE_MAX: none */
    size_t origin; /* of a configuration that runs in part first: the first trial of those that this one continues, at a
                      higher fidelity; SIZE_MAX: it continues none */
    double bound;  /* seconds after which the run is ended, 0: none */
    bool sound;    /* once refreshed: it and all runs of the configuration before it have succeeded */
    const struct mk_space *space; /* of the arm */
    double *v;                    /* [space->n] owned */
    uint64_t digest, seed;
    bool added;   /* an earlier result, not of the budget */
    bool first;   /* its configuration is one that was to be tried first */
    bool running; /* handed out in this session, without a result */
    bool fresh;   /* handed out once, in this session: what is in its folder is of an earlier run */
    bool dropped; /* the run ended before it did: reported to nobody, not a result */
    bool done;    /* outcome is known */
    bool told;    /* and policy and optimiser know it */
    struct mk_trial_outcome outcome;
    struct mk_reports reports; /* what it has reported while it ran */
    bool stopped;              /* the rule of `pruning` has ended it, with the last of these */
    /* Once reported. Of the metric: of the trial itself, or on instances the mean over the first `runs` ones, of which
     * it is the last; of one that failed or is infeasible NaN, or what the key `crash` says. */
    double value;
    size_t runs;
    /* What the policy saw. By the rule for a trial that failed or is infeasible, or whose cost is not known; NaN as
     * long as it waits. */
    double reward, cost; /* cost: 1 without costs */
};

/* One more evaluation of the best configuration, after the budget, of which the policy and the optimisers do not learn:
 * first one on each test instance, then those of the key `reevaluate`, on named instances one after the other. */
struct mk_reevaluation {
    const struct mk_named_instance *on; /* NULL: the instances have no names */
    size_t instance;                    /* of the trial's instances the number, from 1; 0: none, or a test instance */
    bool test;
    uint64_t seed;
    bool done;
    struct mk_trial_outcome outcome;
};

/* The re-evaluations that are done: the mean of the metric and its standard error over the ones that succeeded, NaN
 * where there are too few. */
struct mk_reevaluated {
    size_t n, failed;
    double mean, se;
};

/* To be read; changed by the functions below, but for running, done and outcome of trials and done and outcome of
 * re-evaluations. */
struct mk_tune_state {
    const struct mk_tune *t;
    size_t n;
    struct mk_trial *trial;        /* [n] in the order of their issue */
    size_t told, failures;         /* trials reported; of these, failures before the first one that did not fail */
    size_t best;                   /* the reported trial with the largest reward of those that succeeded (the first of
                                      equal ones), SIZE_MAX: none; on instances with names as mk_tune_state_refresh
                                      says */
    size_t depth;                  /* on instances with names: the runs by which configurations are compared */
    size_t n_again, again_of;      /* re-evaluations, and of which trial */
    struct mk_reevaluation *again; /* [n_again] */
    /* The functions' own: */
    struct mk_arm_state *arm; /* [t->n_arms + 1] the last one: of the combined search */
    size_t settled;           /* the policy has the results of the first `settled` trials */
    struct mk_policy *policy;
    uint64_t horizon;   /* that the policy plans for; 0: none */
    size_t n_left;      /* arms of the policy */
    size_t *left;       /* [n_left] ascending */
    size_t n_exhausted; /* exhausted: leave: arms all of whose configurations have been tried */
    struct mk_optimizer *combined;
    bool ran;              /* some trial did not fail */
    double worst, dearest; /* of all arms */
    size_t fresh;          /* trials and results when it was refreshed */
    size_t n_first, begun; /* arms of the configurations to be tried first, and those whose trials were asked for */
    size_t *first_arm;     /* [n_first] */
    bool serving;          /* trials of configuration `begun` were asked for, but not all */
    struct mk_string_table first;   /* (arm, digest) of them */
    const struct mk_study_own *own; /* of the caller, set before the first trial; NULL: none */
    struct mk_own_arm own_arm;
    struct mk_pruner *pruner;     /* NULL: there is no rule, or there are results alone */
    struct mk_string_table raced; /* (arm, digest, instance) of trials on instances, 0 of those of optimisers that
                                     evaluate in part, and the latest trial of each */
    size_t *latest;
    struct mk_key key;
};

/* Whether a trial is, or ends, a whole evaluation: not one in part, or the last run by which configurations are
 * compared. Reported ones only. */
static inline bool mk_trial_ends_whole(const struct mk_tune_state *s, const struct mk_trial *t)
{
    if (s->t->on.n && t->instance) return t->instance == s->depth && t->runs == s->depth;
    return t->fidelity == 1 && t->runs == (t->instance ? t->instance : 1);
}

/* Whether it is a success that says what its configuration is worth. Reported ones only. */
static inline bool mk_trial_is_whole(const struct mk_tune_state *s, const struct mk_trial *t)
{
    return t->done && t->outcome.status == MK_TRIAL_OK && mk_trial_ends_whole(s, t);
}

/* more: trials beyond those of the tune file, such as earlier results. */
int mk_tune_state_new(struct mk_tune_state **out, const struct mk_tune *t, uint64_t more, struct mk_error *err);
void mk_tune_state_free(struct mk_tune_state *s);

/* Room for `trials` in all, with those beyond the tune file, if the trials so far are those of that many from the start
 * and no memory is too small; otherwise returns false. */
bool mk_tune_state_extend(struct mk_tune_state *s, uint64_t trials);

/* Whether the policy or an optimiser chooses otherwise for another budget. */
bool mk_tune_state_plans(const struct mk_tune_state *s);

/* Whether the configuration has been tried, or is to be tried first. */
bool mk_tune_state_knows(const struct mk_tune_state *s, size_t arm, const double *v);

/* The configuration is tried before others are chosen; v is copied. *added <- false: nothing is done, for it has been
 * tried, or was enqueued before. */
int mk_tune_state_enqueue(struct mk_tune_state *s, size_t arm, const double *v, bool *added, struct mk_error *err);

/* The next trial: its number, from 0. */
int mk_tune_state_ask(struct mk_tune_state *s, size_t *number, struct mk_error *err);

/* The same of a trial that is repeated, whose arm and configuration are known (v NULL: they are not). It may be another
 * one. */
int mk_tune_state_ask_again(struct mk_tune_state *s, size_t known_arm, const double *known, size_t *number,
                            struct mk_error *err);

/* Whether arm k can take earlier results. MK_EINPUT: its optimiser cannot. */
int mk_tune_state_can_add(const struct mk_tune_state *s, size_t k, struct mk_error *err);

/* An earlier result of an arm; before the first ask. v is copied. MK_EINPUT: the optimiser cannot take it. */
int mk_tune_state_add(struct mk_tune_state *s, size_t arm, const double *v, const struct mk_trial_outcome *o,
                      struct mk_error *err);

/* Policy and optimisers learn of the outcome of a trial that is done; the trials of an arm (of all arms, in a combined
 * search) are reported in their order. */
int mk_tune_state_tell(struct mk_tune_state *s, size_t number, struct mk_error *err);

/* A trial that will not end: an optimiser takes it as a failure, the policy and the results do not count it. */
int mk_tune_state_drop(struct mk_tune_state *s, size_t number, struct mk_error *err);

/* A copy of the results so far, without policy and optimisers, in which all of them are reported and trials without one
 * are dropped: what there is to report while trials are still running. */
int mk_tune_state_results(struct mk_tune_state **out, const struct mk_tune_state *s, struct mk_error *err);

/* Whether the next trial has to wait for the results of all before it: a race that ends a step. */
bool mk_tune_state_waits(const struct mk_tune_state *s);

/* On instances with names, after `ended` results: says how many runs configurations are compared by (depth), and which
 * is the best. A race compares those that are left by the runs that all of them have, or that the elites of the race
 * before have if these are more; other optimisers compare by all runs of an evaluation. Of several arms the smallest of
 * these numbers counts, without arms that have less than half of the largest. */
void mk_tune_state_refresh(struct mk_tune_state *s, size_t ended);

/* The optimiser of an arm, of a combined search that of all; NULL where there are results alone. It stays the state's.
 */
struct mk_optimizer *mk_tune_state_optimizer(const struct mk_tune_state *s, size_t arm);

/* Whether trial `number` is the next of its optimiser to be reported. */
bool mk_tune_state_is_next(const struct mk_tune_state *s, size_t number);

/* What the configuration of a trial is worth, of the metric: its result, or the mean on all instances; NaN unless the
 * trial has succeeded and is, or ends, a whole evaluation. It need not have been reported. */
double mk_tune_state_whole(const struct mk_tune_state *s, size_t number);

/* *n <- the trials whose configuration an earlier trial of their arm has had, in the same part of an evaluation; those
 * of arms without hyperparameters are none. */
int mk_tune_state_repeats(const struct mk_tune_state *s, size_t *n, struct mk_error *err);

/* Room for n re-evaluations of a trial; what is known of another one is forgotten. */
int mk_tune_state_reevaluate(struct mk_tune_state *s, size_t trial, size_t n, struct mk_error *err);

/* Those of the key `reevaluate`, and those on test instances. */
struct mk_reevaluated mk_tune_state_reevaluated(const struct mk_tune_state *s);
struct mk_reevaluated mk_tune_state_tested(const struct mk_tune_state *s);

#endif
