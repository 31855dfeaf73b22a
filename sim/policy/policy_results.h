/* Results that a policy has been told and has not used: earlier ones, those of pulls that end in another order than
 * they began, and failures. Each is used once, as the reward of its arm when the policy selects the arm, the results of
 * an arm in the order in which they came.
 *
 * A failure counts as the worst reward of its arm so far, of all arms as long as its arm has none. Before the first
 * reward it has no value: the policy plays on with 0 in its place, and starts over when that reward comes. */
#ifndef MAXK_SIM_POLICY_POLICY_RESULTS_H
#define MAXK_SIM_POLICY_POLICY_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"

/* A result, used or not. */
struct mk_policy_round {
    uint32_t arm;
    bool failed;
    double reward; /* what the policy takes; NaN: not known before the first reward */
};

struct mk_waiting {
    struct mk_policy_round of;
    size_t next; /* of its arm; SIZE_MAX: none */
    bool gone;   /* it has been used */
};

struct mk_policy_results {
    size_t arms;
    double *best, *worst; /* [arms] of the rewards that were told; NaN: none */
    double worst_of_all;  /* NaN: no reward yet */
    double best_of_all;   /* -INFINITY */
    size_t n, gone;
    struct mk_waiting *item; /* [n], of which `gone` are gone */
    size_t *first, *last;    /* [arms] SIZE_MAX: none */
};

/* MK_ENOMEM. Freed with mk_policy_results_clear. */
int mk_policy_results_init(struct mk_policy_results *r, size_t arms, struct mk_error *err);
int mk_policy_results_copy(struct mk_policy_results *to, const struct mk_policy_results *from, struct mk_error *err);
void mk_policy_results_clear(struct mk_policy_results *r);

/* Whether no reward has been told. */
bool mk_policy_results_is_empty(const struct mk_policy_results *r);

/* Notes a reward, or a result that failed, for which nothing is to be noted. */
void mk_policy_results_note(struct mk_policy_results *r, const struct mk_policy_round *of);

/* What a failure of arm k counts as. NaN: before the first reward. */
double mk_policy_results_failure(const struct mk_policy_results *r, size_t k);

/* What may be taken for a result of arm k that is outstanding: its best reward, else the worst of all, else 0. */
double mk_policy_results_stand_in(const struct mk_policy_results *r, size_t k);

/* Appends a result. MK_ENOMEM. */
int mk_policy_results_push(struct mk_policy_results *r, struct mk_policy_round of, struct mk_error *err);

/* Whether a result of arm k can be taken. */
bool mk_policy_results_has(const struct mk_policy_results *r, size_t k);

/* Takes the first result of arm k; a failure without a value as one of 0, which stays. Returns false: there is none. */
bool mk_policy_results_take(struct mk_policy_results *r, size_t k, struct mk_policy_round *of);

/* All results can be taken again, failures without a value as this one. NaN: they have none yet. */
void mk_policy_results_restart(struct mk_policy_results *r, double failure);

/* Those that have not been used, in the order in which they came: how many, all of them, and one of them. */
size_t mk_policy_results_n(const struct mk_policy_results *r);
void mk_policy_results_list(const struct mk_policy_results *r, struct mk_policy_round *out);
struct mk_policy_round mk_policy_results_at(const struct mk_policy_results *r, size_t i);

#endif
