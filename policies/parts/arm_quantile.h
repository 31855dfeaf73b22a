/* The empirical tau-quantile of every arm's rewards, by linear interpolation (NumPy's default, R type 7).
 * It is measured from an origin, that of the policy's map, with rounding errors of the size of differences between
 * rewards. State: the smaller of 64 bytes per pull + 494 per arm and 32 bytes per pull + 2542 per arm. O(log n) per
 * reward. */
#ifndef MAXK_POLICIES_PARTS_ARM_QUANTILE_H
#define MAXK_POLICIES_PARTS_ARM_QUANTILE_H

#include "policies/parts/quantile.h"
#include "policies/parts/rank_heap.h"
#include "policies/policy.h"

struct mk_arm_quantile {
    struct mk_arena arena;
    struct mk_rank_heap *heap; /* [K] */
    double *value;             /* [K] from the origin */
    double *anchor, *rest;     /* [K] a neighbouring reward, and its difference to the quantile */
    double tau, origin;
};

/* Bytes after the struct. */
static inline size_t mk_arm_quantile_bytes(const struct mk_setup *s)
{
    return s->arms * (sizeof(struct mk_rank_heap) + 3 * sizeof(double)) +
           mk_rank_heap_steady_bytes(s->arms, (size_t)s->horizon);
}

/* `memory` has mk_arm_quantile_bytes(s) bytes. */
static inline void mk_arm_quantile_init(struct mk_arm_quantile *a, void *memory, const struct mk_setup *s, double tau)
{
    a->heap = memory;
    memset(a->heap, 0, s->arms * sizeof *a->heap);
    a->value = (double *)(a->heap + s->arms);
    a->anchor = a->value + s->arms;
    a->rest = a->anchor + s->arms;
    for (size_t i = 0; i < 3 * s->arms; i++) a->value[i] = 0;
    a->arena = (struct mk_arena){(char *)(a->rest + s->arms), (char *)memory + mk_arm_quantile_bytes(s), NULL};
    a->tau = tau;
    a->origin = 0;
}

/* Returns the arm's number of rewards. */
static inline size_t mk_arm_quantile_add(struct mk_arm_quantile *a, size_t arm, double reward)
{
    struct mk_rank_heap *h = &a->heap[arm];
    mk_rank_heap_insert(h, &a->arena, reward, 0);
    double lo, hi, share = mk_rank_heap_around(h, a->tau, &lo, &hi);
    a->anchor[arm] = mk_quantile_anchor(lo, hi, share, &a->rest[arm]);
    a->value[arm] = (a->anchor[arm] - a->origin) + a->rest[arm];
    return h->n;
}

/* In `keep`: before a reward of this arm and, if the origin `moves`, those of all arms. */
static inline void mk_arm_quantile_keep(struct mk_arm_quantile *a, size_t arms, size_t arm, bool moves,
                                        struct mk_undo *undo)
{
    mk_undo_keep(undo, &a->heap[arm], sizeof *a->heap);
    mk_undo_keep(undo, &a->anchor[arm], sizeof *a->anchor);
    mk_undo_keep(undo, &a->rest[arm], sizeof *a->rest);
    mk_undo_keep(undo, &a->value[moves ? 0 : arm], (moves ? arms : 1) * sizeof *a->value);
}

/* From now on values count from there. Returns whether that is elsewhere. */
static inline bool mk_arm_quantile_move(struct mk_arm_quantile *a, size_t arms, double origin)
{
    if (origin == a->origin) return false;
    a->origin = origin;
    for (size_t i = 0; i < arms; i++) a->value[i] = (a->anchor[i] - origin) + a->rest[i];
    return true;
}

#endif
