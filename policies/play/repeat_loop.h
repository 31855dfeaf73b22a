/* The loop of a policy that gets the first reward of an arm again (struct mk_prior_arm): rounds of its own, in which
 * nothing is pulled, whenever it selects an arm that has been pulled and has such rewards left. */
#ifndef MAXK_POLICIES_PLAY_REPEAT_LOOP_H
#define MAXK_POLICIES_PLAY_REPEAT_LOOP_H

#include <stdbool.h>

#include "policies/play/per_pull_loop.h"
#include "policies/policy.h"

struct mk_repeats {
    uint64_t *left; /* [K] rewards still to come */
    uint64_t round; /* of the policy, 0 at the start */
};

/* Plays until `last` pulls have been made, of which there are first - 1. */
void mk_play_repeats(const struct mk_policy_type *type, void *state, struct mk_play *play, struct mk_repeats *repeats,
                     uint64_t first, uint64_t last);

#endif
