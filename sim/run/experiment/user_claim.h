/* Claims that an experiment file makes about its own results: bounds of N_i(T) or R(T) as formulas.
 *
 *     claims:
 *       - {name: logarithm, of: pulls, at_most: alpha * log(T) / sqrt(gap_endpoint) + K}
 *       - {name: root, of: regret, at_most: K * log(T) / sqrt(T) * b_max, policy: a=0.5} */
#ifndef MAXK_SIM_RUN_EXPERIMENT_USER_CLAIM_H
#define MAXK_SIM_RUN_EXPERIMENT_USER_CLAIM_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/expression.h"

/* The quantities of a formula, in this order. Those from MK_USER_CLAIM_U on belong to one arm: for `of: pulls` only. */
enum mk_user_claim_quantity {
    MK_USER_CLAIM_T,
    MK_USER_CLAIM_K,
    MK_USER_CLAIM_ALPHA,           /* of the policy; NaN where it has none */
    MK_USER_CLAIM_L,               /* of the best arm */
    MK_USER_CLAIM_MIN_GAP,         /* smallest gap of the other arms */
    MK_USER_CLAIM_B_MAX,           /* largest upper end point */
    MK_USER_CLAIM_BEST_MAX,        /* E[M_{i*}(T)] */
    MK_USER_CLAIM_U,               /* of the arm */
    MK_USER_CLAIM_GAP,             /* Delta_i(T) */
    MK_USER_CLAIM_GAP_ENDPOINT,    /* b_{i*} - b_i */
    MK_USER_CLAIM_CERTIFIED_UPPER, /* of `maxk certify`; NaN where the policy has none */
    MK_USER_CLAIM_QUANTITIES
};

enum mk_user_claim_of { MK_USER_CLAIM_PULLS, MK_USER_CLAIM_REGRET };

struct mk_user_claim {
    char *name;
    enum mk_user_claim_of of;
    int at_least; /* 0: an upper bound */
    char *formula;
    struct mk_expression *bound;
    char *policy; /* label of the only policy it is about, or NULL: all */
};

void mk_user_claims_free(struct mk_user_claim *claim, size_t n);

/* "T, K, …": the words of formulas, in the order of mk_user_claim_quantity. */
extern const char *const mk_claim_quantities[MK_USER_CLAIM_QUANTITIES];

/* 1 when the claim is about this policy. */
bool mk_user_claim_covers(const struct mk_user_claim *c, const char *label);

#endif
