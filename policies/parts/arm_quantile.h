/* The empirical tau-quantile of every arm's rewards, by linear interpolation (NumPy's default, R type 7). State: the
 * smaller of 64 bytes per pull + 478 per arm and 32 bytes per pull + 2526 per arm. O(log n) per reward. */
#ifndef MAXK_POLICIES_PARTS_ARM_QUANTILE_H
#define MAXK_POLICIES_PARTS_ARM_QUANTILE_H

#include "policies/parts/rank_heap.h"
#include "policies/policy.h"

struct mk_arm_quantile {
    struct mk_arena arena;
    struct mk_rank_heap *heap; /* [K] */
    double *value;             /* [K] */
    double tau;
};

/* Bytes after the struct. */
static inline size_t mk_arm_quantile_bytes(const struct mk_setup *s)
{
    return s->arms * (sizeof(struct mk_rank_heap) + sizeof(double)) +
           mk_rank_heap_steady_bytes(s->arms, (size_t)s->horizon);
}

/* `memory` has mk_arm_quantile_bytes(s) bytes. */
static inline void mk_arm_quantile_init(struct mk_arm_quantile *a, void *memory, const struct mk_setup *s, double tau)
{
    a->heap = memory;
    memset(a->heap, 0, s->arms * sizeof *a->heap);
    a->value = (double *)(a->heap + s->arms);
    for (size_t i = 0; i < s->arms; i++) a->value[i] = 0;
    a->arena.next = (char *)(a->value + s->arms);
    a->arena.end = (char *)memory + mk_arm_quantile_bytes(s);
    a->tau = tau;
}

/* Returns the arm's number of rewards. */
static inline size_t mk_arm_quantile_add(struct mk_arm_quantile *a, size_t arm, double reward)
{
    struct mk_rank_heap *h = &a->heap[arm];
    mk_rank_heap_insert(h, &a->arena, reward);
    a->value[arm] = mk_rank_heap_quantile(h, a->tau);
    return h->n;
}

#endif
