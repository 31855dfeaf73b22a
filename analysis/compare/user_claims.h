/* Claims of an experiment file (sim/run/experiment/user_claim.h) evaluated at one policy, instance, horizon and arm. */
#ifndef MAXK_ANALYSIS_COMPARE_USER_CLAIMS_H
#define MAXK_ANALYSIS_COMPARE_USER_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/compare/reward_unit.h"
#include "analysis/theory/bounds.h"
#include "sim/problem/problem.h"
#include "sim/run/experiment/user_claim.h"

struct mk_user_claim_place {
    const struct mk_truth *truth;
    const struct mk_instance *instance; /* its arms */
    size_t instance_at, horizon_at;     /* positions in facts */
    uint64_t horizon;                   /* T */
    const double *upper;                /* [arm] upper end points, NaN or infinite if there is none */
    size_t arm;                         /* of `pulls`; any for `regret` */
    double alpha, L, U;                 /* NaN if undefined; L and U of the rewards as written */
    double certified;                   /* of the arm, if the formula names it; NaN if undefined */
    struct mk_reward_unit measure;      /* of the policy: quantities enter the formula in this unit, from this origin */
};

/* Whether the formula names certified_upper, which takes time to compute. */
bool mk_user_claim_is_certified(const struct mk_user_claim *c);

/* The formula's value, for a regret in the unit of the rewards as written; NaN if a quantity that it uses is
 * undefined. */
double mk_user_claim_bound(const struct mk_user_claim *c, const struct mk_user_claim_place *at);

/* For a quantity that lies in [least, most] in any case (infinite ends: no limit), with the interval [low, high]. */
enum mk_verdict mk_user_claim_verdict(const struct mk_user_claim *c, double bound, double least, double most,
                                      double low, double high);

#endif
