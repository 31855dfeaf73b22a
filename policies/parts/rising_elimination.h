/* The elimination shared by Rising Bandits and its cost-aware variant (Li et al. 2020, Algorithm 1).
 *
 * Candidates are pulled once each per pass; with y the running best and w = (y(n) - y(n-C)) / C, an arm's final reward
 * lies between l = y and u = min(cap, y + w * left), `left` being the pulls it could still get. After a pass candidate
 * j is dropped when some candidate i has l_i >= u_j, in index order of i, then j. y and w follow the map of
 * policies/parts/reward_scaling.h, so they are kept raw and mapped when the bounds are compared. variant paper: `left`
 * as of the arm's own pull; u = cap while n <= C, since there is no growth rate yet. variant published (the MaxUCB
 * authors' program): `left` as of the last pull of the pass; y(n-C) = -1 while n <= C; the map with that program's
 * roundings, because l_i = u_j can hold up to rounding. Cost O(1) per pull, amortised: O(K) at the end of a pass; only
 * what runs at every pull is inline. */
#ifndef MAXK_POLICIES_PARTS_RISING_ELIMINATION_H
#define MAXK_POLICIES_PARTS_RISING_ELIMINATION_H

#include "policies/parts/best_growth.h"
#include "policies/parts/reward_scaling.h"
#include "policies/policy.h"

enum { MK_RISING_C, MK_RISING_CAP, MK_RISING_SCALE, MK_RISING_NEXT = MK_RISING_SCALE + MK_SCALING_NEXT };

#define MK_RISING_PARAMS                                                                                               \
    MK_GROWTH_PARAM(7), {"cap", MK_REAL, 0, 1, -INFINITY, INFINITY, NULL, "upper bound on (scaled) rewards"},          \
        MK_SCALING_PARAMS_FROM(MK_SCALE_MINMAX, 0.01, 0.99)

struct mk_rising {
    const struct mk_setup *setup;
    struct mk_best_growth growth;
    struct mk_scaling scaling;
    struct mk_affine map; /* published: of the current elimination */
    int published;
    size_t candidates, position; /* position in the pass */
    size_t *candidate;           /* [K] ascending */
    double *left;                /* [K] pulls that arm i could still get, as of its last pull; -1 once dropped */
    double *upper;               /* [K] u_i of the current elimination */
};

size_t mk_rising_bytes(const struct mk_setup *s);

void mk_rising_init(struct mk_rising *r, const struct mk_setup *s, int published);

static inline size_t mk_rising_select(const struct mk_rising *r)
{
    return r->candidate[r->position];
}

/* All candidates have been pulled once more: compares them, and starts over. */
void mk_rising_end_pass(struct mk_rising *r, double (*left_of)(const void *context, size_t arm), const void *context);

/* After a pull of the arm just selected. left_of(context, arm): pulls that it could still get, >= 0. */
static inline void mk_rising_update(struct mk_rising *r, size_t arm, double reward,
                                    double (*left_of)(const void *context, size_t arm), const void *context)
{
    mk_best_growth_add(&r->growth, arm, reward);
    mk_scaling_see(&r->scaling, reward);
    r->left[arm] = left_of(context, arm);
    if (++r->position >= r->candidates) mk_rising_end_pass(r, left_of, context);
}

#endif
