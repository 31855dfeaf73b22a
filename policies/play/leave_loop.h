/* The loop of a policy on arms whose rewards may end. When the policy selects an arm that has none left, the arm
 * leaves: the policy starts again on the other arms, as if it had never been there. It has their earlier rewards at
 * hand and gets them, in rounds without a pull, whenever it selects an arm with earlier rewards that it has not seen
 * yet. So every policy, whatever its rule, chooses among the arms that are left, and up to the first end nothing
 * changes.
 *
 * The new policy plans for the pulls that are left and those that its arms have had: T less the pulls of the arms that
 * have left. Its random numbers continue. When no arm is left, no more pulls are made.
 *
 * Where pulls may cost no more than a sum, the loop ends at the first one that would exceed it. That pull is not made,
 * and is the next one when a larger sum is allowed. */
#ifndef MAXK_POLICIES_PLAY_LEAVE_LOOP_H
#define MAXK_POLICIES_PLAY_LEAVE_LOOP_H

#include <stdbool.h>

#include "policies/play/per_pull_loop.h"
#include "policies/policy.h"
#include "sim/base/statistics.h"

/* `all` are the arms of the instance, `left` those that have not left. Arrays have room for `all.arms`. */
struct mk_leaving {
    const struct mk_policy_type *type;
    void *state;
    size_t state_room;          /* bytes; a policy on fewer arms may need more */
    const struct mk_setup *all; /* of the policy at its start */
    struct mk_setup left;       /* of the policy now */
    uint64_t round;             /* of the policy now */
    size_t *arm;                /* [left.arms] positions in the instance, ascending */
    uint64_t *used;             /* [left.arms] rewards that the policy has got */
    double *cost, *label_share; /* [left.arms] */
    const double **pull_cost;   /* [left.arms] */
    const uint64_t *length;     /* [all.arms] rewards that there are */
    double most;           /* what pulls may cost, by all.pull_cost, or all.cost where there is none; 0: anything */
    struct mk_spent spent; /* what they have cost */
    bool waits;            /* the arm at position `next` has been selected, and its pull costs more than is left */
    size_t next;
    const double *worth; /* [all.arms] E[M(T)], by which an oracle chooses among those left; otherwise NULL */
};

/* Memory for instances of up to `arms` arms, but for all that is const, and for the state, which comes from
 * aligned_alloc and may be replaced by a larger one. false: none. */
bool mk_leaving_alloc(struct mk_leaving *l, size_t arms);
void mk_leaving_free(struct mk_leaving *l);

/* Before a replication, when type, all, length and worth are set and the policy has been started with *all. */
void mk_leaving_start(struct mk_leaving *l);

/* Plays rounds first … last, or until no arm or not enough money is left; without memory it fails as rewards do. */
void mk_play_leaving(struct mk_leaving *l, struct mk_play *play, uint64_t first, uint64_t last);

#endif
