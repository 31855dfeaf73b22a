/* Generic checks of what a plugin has: what the engine relies on in a policy, and exact truths and simulations in a
 * reward family. */
#ifndef MAXK_SIM_RUN_ENGINE_CHECK_PLUGIN_H
#define MAXK_SIM_RUN_ENGINE_CHECK_PLUGIN_H

#include <stddef.h>

#include "distributions/dist.h"
#include "policies/policy.h"
#include "sim/api/maxk/error.h"

/* Plays a policy with its usual parameters, the defaults and the middle or 1 from the finite end of the range of
 * required ones, for 1 to 40 arms and up to 400 rounds on rewards without ties, with ties, constant, negative and
 * rising. MK_EINPUT with one line: an arm outside 0 … K-1, other arms in a second run, bytes outside of the state
 * written, memory used that init has not set, first rounds of an anytime policy that depend on the horizon. *plays: how
 * many runs agreed. */
int mk_check_policy(const struct mk_policy_type *type, size_t *plays, struct mk_error *err);

/* Builds an arm with usual parameters and checks it. MK_EINPUT with one line if the family's own check rejects them. */
int mk_check_family(const struct mk_dist_type *type, size_t *checks, struct mk_error *err);

/* MK_EINPUT with one line: G and F at and beyond the ends of the support; G falls, F rises, P(X >= x) + P(X < x) = 1;
 * the inverse inverts G in both tails; the density is the slope of F; breaks lie in the support; draws depend on how
 * they are split into calls, lie outside of the support, or are not distributed as F says (20,000 draws with a fixed
 * seed; a right family fails with probability 10^-6); expected_max differs from quadrature. *checks: how many passed.
 */
int mk_check_distribution(const struct mk_dist *d, size_t *checks, struct mk_error *err);

#endif
