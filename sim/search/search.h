/* Searches as arms: an arm is an objective and the optimiser that works on it; its n-th reward is that of the n-th
 * configuration that the optimiser asks for. An optimiser only sees the results of its own arm, so the rewards do not
 * depend on the policy above: they form a reward tape, drawn lazily.
 *
 * A combined search is one optimiser on the joint space of all arms.
 *
 * An optimiser may ask for evaluations in part (MK_OPTIMIZER_FIDELITY), whose values are not those of the
 * configuration: a part of the folds or of the iterations may flatter it. A pull is one such evaluation, of cost below
 * 1, and its reward never exceeds what whole evaluations have shown, except before the first of them.
 *
 * Keys, from that of the tape (seed, instance, replication): arm k has (key, k); its optimiser (…, "optimizer"), the
 * noise of its n-th evaluation (…, "noise", n), whoever asks for it. Combined searches have (key, "combined",
 * optimiser), so those that differ in their parameters alone share their random numbers. */
#ifndef MAXK_SIM_SEARCH_SEARCH_H
#define MAXK_SIM_SEARCH_SEARCH_H

#include "sim/search/objectives/objective.h"
#include "sim/search/optimizers/optimizer.h"
#include "sim/search/prior.h"

struct mk_optimizer_choice {
    const struct mk_optimizer_type *type;
    double par[MK_MAX_PARAMS];
};

/* Immutable once built, so threads may share it. */
struct mk_searches {
    size_t n_instances, n_arms, n_combined;
    struct mk_objective **objective;       /* [n_instances][n_arms] owned */
    struct mk_optimizer_choice *optimizer; /* [n_arms] */
    struct mk_prior_arm **prior;           /* [n_instances][n_arms] owned, what the arms begin with; NULL: nothing */
    struct mk_optimizer_choice *combined;  /* [n_combined] optimisers on the joint space */
    struct mk_space **joint;               /* [n_instances] owned; NULL without combined searches */
    size_t *first;                         /* [n_instances][n_arms] where each arm begins in the joint space */
    uint64_t budget;                       /* evaluations of every search: the largest horizon */
    bool in_part;                          /* an optimiser asks for evaluations in part of an objective that allows it:
                                              pulls differ in cost; known with the budget */
    bool noisy;                            /* rewards of an objective contain noise; known with the budget */
};

void mk_searches_free(struct mk_searches *s);

/* Room for the objectives of all instances and arms, none of which is there yet. */
int mk_searches_new(struct mk_searches **out, size_t n_instances, size_t n_arms, struct mk_error *err);

static inline struct mk_objective **mk_searches_objective(const struct mk_searches *s, size_t instance, size_t arm)
{
    return &s->objective[instance * s->n_arms + arm];
}

/* Builds the joint spaces. */
int mk_searches_join(struct mk_searches *s, const char *const *arm_label, struct mk_error *err);

/* Sets the budget and checks that every optimiser fits its space. MK_EINPUT: *arm is the arm, or n_arms + the combined
 * search, to blame; err->text without a place. */
int mk_searches_set_budget(struct mk_searches *s, uint64_t budget, size_t *arm, struct mk_error *err);

/* ---- running searches ---- */

/* What one evaluation gave. */
struct mk_pull {
    size_t arm;      /* of a combined search */
    double value;    /* of the evaluation itself */
    double reward;   /* of an evaluation in part: the best of the whole ones so far, or, before the first, the worst of
                        the values so far; the optimiser gets its own value */
    double cost;     /* in units of a whole evaluation; without what earlier evaluations have paid for */
    double fidelity; /* 1: a whole evaluation */
    double noise_free; /* the value without noise, as a whole, of the configuration that the reward is of; only of noisy
                          searches */
    const double *v;   /* the configuration, in the space of the search; until the next pull */
};

/* One thread's searches: those of all arms and the combined ones, one replication at a time. Searches that were not
 * asked for take neither time nor memory. */
struct mk_search_bench;
int mk_search_bench_new(struct mk_search_bench **out, const struct mk_searches *s, struct mk_error *err);
void mk_search_bench_free(struct mk_search_bench *b);

/* Go to a replication of an instance, with the key of its tape: all searches start again. */
void mk_search_bench_seek(struct mk_search_bench *b, size_t instance, struct mk_key key);

/* Restarts a combined search. */
void mk_search_restart_combined(struct mk_search_bench *b, size_t combined);

/* The next pull of an arm, or of the combined search `at` - n_arms; at most s->budget of each. */
int mk_search_pull(struct mk_search_bench *b, size_t at, struct mk_pull *out, struct mk_error *err);

/* The optimiser at work there, after the pulls so far; NULL before the first. It stays the bench's. */
struct mk_optimizer *mk_search_optimizer(const struct mk_search_bench *b, size_t at);

#endif
