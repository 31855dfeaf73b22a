/* Combined searches, one optimiser on the joint space of all arms, as entries of a run. Those recorded next to the arms
 * (arm_index < 0) choose no arms: their largest reward so far is read from the file and their pulls are 0. Those at
 * work on searches (sim/search/search.h) have pulls. */
#ifndef MAXK_SIM_RUN_EXPERIMENT_COMBINED_SEARCH_H
#define MAXK_SIM_RUN_EXPERIMENT_COMBINED_SEARCH_H

#include <stdbool.h>

#include "policies/policy.h"
#include "sim/problem/problem.h"

/* Not in the registry: experiment files cannot ask for them as policies. par[0] is the number among the problem's
 * baselines. */
extern const struct mk_policy_type mk_combined_search, mk_combined_search_live;

/* A recorded one, without pulls. */
static inline bool mk_is_combined_search(const struct mk_policy_type *type)
{
    return type == &mk_combined_search;
}

/* Whether the policy of this name, in the registry or one of these two, has all of the given flags of
 * policies/policy.h. */
bool mk_policy_has(const char *name, unsigned flag);

/* Largest of the first `horizon` rewards, or of all of them when the search ended earlier; NaN when the file has none
 * for this instance and repetition. */
double mk_combined_search_best(const struct mk_problem *p, size_t baseline, size_t instance, uint64_t replication,
                               uint64_t horizon);

#endif
