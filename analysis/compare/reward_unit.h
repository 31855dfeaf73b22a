/* The unit and the origin in which theory measures the rewards of a policy that scales them itself (parameter `scale`
 * of policies/parts/reward_scaling.h).
 *
 * Such a policy plays the same arms in any unit of the rewards, and a verdict on it must not depend on the unit
 * either. L, U, gaps and end points are therefore those of (x - origin) / unit, which has the scale that the policy's
 * map tends to as the rewards seen fill the support [low, high] of the instance:
 *
 *     scale        origin  unit                                        where there is none
 *     none         0       1
 *     global_max   0       high; 1 if high <= 0                        high infinite
 *     minmax       low     (high - low) / (scale_hi - scale_lo);       low or high infinite
 *                          1 if high = low
 *
 * The map itself is fitted to what has been seen so far and gets there from below: bounds take it as fixed. */
#ifndef MAXK_ANALYSIS_COMPARE_REWARD_UNIT_H
#define MAXK_ANALYSIS_COMPARE_REWARD_UNIT_H

#include "analysis/theory/bounds.h"
#include "policies/policy.h"

struct mk_reward_unit {
    double origin, unit; /* both NaN if the map has no limit: nothing is applicable then */
    double low, high;    /* the support of the instance, as written */
};

/* The unit of a policy with parameters par[] (type == NULL, a policy that this program does not know: as for scale
 * none) on an instance with n arms, arm[i] the position of the i-th in lower[] and upper[]; arm == NULL: i itself. */
struct mk_reward_unit mk_reward_unit(const struct mk_policy_type *type, const double *par, const double *lower,
                                     const double *upper, const size_t *arm, size_t n);

/* L, U and the two gaps in this unit. */
void mk_reward_unit_of_input(const struct mk_reward_unit *u, struct mk_bound_input *in);
void mk_reward_unit_of_span(const struct mk_reward_unit *u, struct mk_bound_span *span);

/* Sets the ends of the support, counted from the origin; bounds and regret stay in the unit of the rewards. */
void mk_reward_unit_of_regret(const struct mk_reward_unit *u, struct mk_regret_input *in);

#endif
