/* Optimisers: they propose configurations inside an arm, or on the joint space of all arms.
 *
 * An optimiser is one .c file with one const struct mk_optimizer_type, and one line in list.def. It sees objectives
 * only through results (ask, then tell). Rewards are maximised. Its state is plain data without pointers, which may be
 * copied; all results are in the trials. Its proposals are a function of its parameters, the space, the budget, the
 * trials and the key of the search: random numbers come from the stream of the ask, or from streams derived from the
 * key that several asks share. */
#ifndef MAXK_SIM_SEARCH_OPTIMIZERS_OPTIMIZER_H
#define MAXK_SIM_SEARCH_OPTIMIZERS_OPTIMIZER_H

#include "sim/base/param.h"
#include "sim/search/optimizers/trials.h"

enum {
    MK_OPTIMIZER_MODEL = 1,    /* learns from results */
    MK_OPTIMIZER_FIDELITY = 2, /* asks for evaluations in part */
    MK_OPTIMIZER_INSTANCES = 4 /* these are on one more of `instances` each, the parameter */
};

/* What the model of an optimiser says of one configuration, on the model's own scale. Larger is better. */
struct mk_prediction {
    double mean, sd;     /* of the target there; NaN: the model is none of rewards */
    double good, others; /* densities of the good trials and of the others; NaN: it has none */
    double acquisition;  /* which the proposal maximises */
};

enum { MK_MODEL_NUMBERS = 3 };

/* A model, as of one proposal. */
struct mk_model_view {
    size_t n;                 /* configurations that are asked about */
    const double *v;          /* [n][space->n] */
    struct mk_prediction *at; /* [n] */
    double *target; /* [trials->n] what the model is built from: values of trials, or 1 for those that count as good
                       and 0 for the others; NaN: it is built without the trial, or with what it expects of it */
    bool drawn;     /* the proposal does not maximise the acquisition but is one at random */
    size_t n_numbers;
    struct mk_model_number {
        const char *name; /* such as "noise_variance"; static */
        double value;
    } number[MK_MODEL_NUMBERS];
    double *length; /* [space->n] length scales; NaN: the model has none for this hyperparameter */
};

struct mk_optimizer_type {
    const char *name;       /* as in experiment files, [a-z0-9_]+ */
    const char *summary;    /* one line */
    const char *formula;    /* the rule, plain text */
    const char *reference;  /* paper, program and version */
    const char *departures; /* departures from the reference and the options that restore it; "" if there are none */
    const char *cost;       /* of an ask, n trials, d hyperparameters */
    unsigned flags;
    const struct mk_param *params; /* may be NULL */

    /* Relations between parameters; NULL = nothing to check. Returns NULL or what is wrong and what is allowed. */
    const char *(*check)(const double *par);

    /* Whether it can search this space with this budget: a text without a place in err (MK_EINPUT). May be NULL. */
    int (*fits)(const double *par, const struct mk_space *space, uint64_t budget, struct mk_error *err);

    /* Whether proposals may depend on whether the budget is this one or a larger one; NULL: they do not. */
    bool (*plans)(const double *par, const struct mk_space *space, uint64_t budget);

    /* The size of its initial design where that is not the parameter `init`; NULL: it is. */
    double (*initial)(const double *par, const struct mk_space *space, uint64_t budget);

    /* Bytes of state, and its beginning (a->trials is empty, a->bench NULL); NULL: no state. */
    size_t (*state_size)(const double *par, const struct mk_space *space, uint64_t budget);
    int (*init)(void *state, const struct mk_ask *a, struct mk_error *err);

    /* The next configuration into v[space->n], allowed by the space; *fidelity is 1 unless it sets it. */
    /* One without a state is not called where a->known says what it proposes. */
    int (*ask)(void *state, struct mk_ask *a, double *v, double *fidelity, struct mk_error *err);

    /* Fills the view with the model of the proposal that `ask` has just made in the same situation, with the same state
     * and a->rng as it was before that. MK_EINPUT: the proposal has no model. NULL: none has. */
    int (*view)(void *state, struct mk_ask *a, struct mk_model_view *m, struct mk_error *err);

    /* Of those with MK_OPTIMIZER_INSTANCES, where mk_ask.named is true. waits: whether the next configuration depends
     * on the results of all before it. depth: on how many instances all configurations have run that are left, or the
     * elites of the race before where these are more; 0: none yet. survives: whether the configuration with this digest
     * is one of those that are left. */
    bool (*waits)(const void *state, const struct mk_ask *a);
    size_t (*depth)(const void *state, const struct mk_ask *a);
    /* allowance: the smallest reward with which the configuration asked for last can survive; NaN: any. */
    double (*allowance)(const void *state, const struct mk_ask *a);
    bool (*survives)(const void *state, const struct mk_ask *a, uint64_t digest);

    /* Scratch memory for one thread, zeros at first, 0: none; bench_free gives back the memory that it points to. */
    size_t bench_size;
    void (*bench_free)(void *bench);
};

/* Registry (from list.def, in its order). */
size_t mk_optimizer_type_count(void);
const struct mk_optimizer_type *mk_optimizer_type_at(size_t i);
const struct mk_optimizer_type *mk_optimizer_type_find(const char *name);

/* ---- a search: one optimiser and its trials ---- */

struct mk_optimizer {
    const struct mk_optimizer_type *type;
    struct mk_ask ask;
    struct mk_trials trials;
    void *state;
    const double *given; /* [n_given][space->n] configurations that it begins with */
    size_t n_given, served;
    double *first; /* owned: ask.first */
};

/* par[] is copied by pointer, like the space; both outlive the optimiser. Checks that it fits the space. */
int mk_optimizer_new(struct mk_optimizer **out, const struct mk_optimizer_type *type, const double *par,
                     const struct mk_space *space, uint64_t budget, struct mk_error *err);
void mk_optimizer_free(struct mk_optimizer *o);

/* Every search proposes these n configurations first, of measured ones the untried ones nearest to them; v[n][space->n]
 * outlives the optimiser. Not for those with MK_OPTIMIZER_FIDELITY, whose schedules count their own. */
void mk_optimizer_give(struct mk_optimizer *o, const double *v, size_t n);

/* The search proposes this configuration, which the space allows, before its own ones and those above, after those
 * given in this way before. One with MK_OPTIMIZER_FIDELITY does so in the place of its next new configuration: the
 * schedule decides when, and on which part of an evaluation. ask.taken counts those proposed. v is copied. */
int mk_optimizer_enqueue(struct mk_optimizer *o, const double *v, struct mk_error *err);

/* The instances of a whole evaluation, for those with MK_OPTIMIZER_INSTANCES; 0: others. */
size_t mk_optimizer_instances(const struct mk_optimizer_type *type, const double *par);

/* Begins a new search with this key; without a call, none has begun. Memory is kept. */
int mk_optimizer_start(struct mk_optimizer *o, struct mk_key key, struct mk_error *err);

/* Whether its proposals may be others for a larger budget. */
bool mk_optimizer_plans(const struct mk_optimizer *o);

/* Gives the search another budget, if it then is what it would have been with that budget from its start, and the
 * memory that it has is enough; otherwise returns false. */
bool mk_optimizer_extend(struct mk_optimizer *o, uint64_t budget);

/* The next configuration, which is running from then on; v points into the trials and holds until the next ask.
 * o->ask.paid is set. */
int mk_optimizer_ask(struct mk_optimizer *o, const double **v, double *fidelity, struct mk_error *err);

/* The same where the configuration is known that it proposes, NULL: it is not. Most of them are taken as such without
 * the work of choosing them; others are chosen again, so that the caller sees whether it would be another one now. */
int mk_optimizer_ask_again(struct mk_optimizer *o, const double *known, const double **v, double *fidelity,
                           struct mk_error *err);

/* The next proposal into v[space->n], and the model that it comes from, without asking for it: the search is unchanged.
 * MK_EINPUT: the optimiser, or this proposal, has no model. */
int mk_optimizer_view(struct mk_optimizer *o, double *v, struct mk_model_view *m, struct mk_error *err);

/* Replaces the latest configuration that was asked for, before anything else is done with the search: it gets the
 * result of this one. Not for those with MK_OPTIMIZER_FIDELITY. */
void mk_optimizer_replace(struct mk_optimizer *o, const double *v);

/* A configuration of the caller's own becomes a running trial of a whole evaluation, as if it had been proposed: for
 * results known beforehand. */
int mk_optimizer_add(struct mk_optimizer *o, const double *v, struct mk_error *err);

/* The result of the configuration that has been running longest. */
void mk_optimizer_tell(struct mk_optimizer *o, double reward, double cost, enum mk_trial_status status);

#endif
