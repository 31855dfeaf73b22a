/* The k-th largest of a growing multiset, for a k that changes slowly: a heap of the k largest (smallest on top) and a
 * heap of the others (largest on top), facing each other in one array of the arena.
 *
 * insert costs O(1) on average for exchangeable rewards and O(log n) at worst; moving k by one costs O(log n).
 * Quantiles with linear interpolation need two neighbouring order statistics: the tops of the two heaps. */
#ifndef MAXK_POLICIES_RANK_HEAP_H
#define MAXK_POLICIES_RANK_HEAP_H

#include <stdint.h>
#include <string.h>

#include "policies/arena.h"
#include "policies/quantile.h"

enum { MK_RANK_HEAP_FIRST = 8 };

/* All zero = empty. */
struct mk_rank_heap {
    double *a;      /* [room]: a[0 … upper-1] the upper heap, a[room-1], a[room-2], … the lower heap, from its top */
    size_t room;
    size_t n;       /* elements */
    size_t upper;   /* elements of the upper heap: the `upper` largest */
};

/* Bytes of arena for `heaps` heaps that hold `total` elements together. */
static inline size_t mk_rank_heap_bytes(size_t heaps, size_t total)
{
    return sizeof(double) * mk_arena_elements(heaps < total ? heaps : total, total, MK_RANK_HEAP_FIRST);
}

/* The lower heap is the upper one mirrored: element j lies at end[-j] and the order is turned by `sign`. */
static inline __attribute__((always_inline)) void mk_heap_up(double *top, ptrdiff_t step, double sign, size_t j,
                                                             double x)
{
    while (j > 0) {
        size_t parent = (j - 1) / 2;
        double p = top[step * (ptrdiff_t)parent];
        if (!(sign * x < sign * p)) break;
        top[step * (ptrdiff_t)j] = p;
        j = parent;
    }
    top[step * (ptrdiff_t)j] = x;
}

/* Put x into the hole at the top of a heap of n elements. The hole sinks to a leaf, then x rises: fewer comparisons
 * than the textbook way since x mostly comes from a leaf. */
static inline __attribute__((always_inline)) void mk_heap_down(double *top, ptrdiff_t step, double sign, size_t n,
                                                               double x)
{
    size_t j = 0;
    for (size_t child = 1; child < n; child = 2 * j + 1) {
        double c = top[step * (ptrdiff_t)child];
        if (child + 1 < n) {
            double other = top[step * (ptrdiff_t)(child + 1)];
            int second = sign * other < sign * c;
            child += (size_t)second;
            c = second ? other : c;
        }
        top[step * (ptrdiff_t)j] = c;
        j = child;
    }
    mk_heap_up(top, step, sign, j, x);
}

static inline double *mk_rank_heap_end(const struct mk_rank_heap *h)
{
    return h->a + h->room - 1;
}

static inline void mk_rank_heap_grow(struct mk_rank_heap *h, struct mk_arena *arena)
{
    size_t room = h->room ? 2 * h->room : MK_RANK_HEAP_FIRST;
    double *a = mk_arena_take(arena, room * sizeof *a);
    size_t lower = h->n - h->upper;
    if (h->n) {
        memcpy(a, h->a, h->upper * sizeof *a);
        memcpy(a + room - lower, h->a + h->room - lower, lower * sizeof *a);
    }
    h->a = a;
    h->room = room;
}

/* Add x; the number of elements of the upper heap does not change. */
static inline void mk_rank_heap_insert(struct mk_rank_heap *h, struct mk_arena *arena, double x)
{
    if (h->n == h->room) mk_rank_heap_grow(h, arena);
    size_t lower = h->n++ - h->upper;
    if (h->upper && x > h->a[0]) {
        double out = h->a[0];
        mk_heap_down(h->a, 1, 1.0, h->upper, x);
        x = out;
    }
    mk_heap_up(mk_rank_heap_end(h), -1, -1.0, lower, x);
}

/* Let the upper heap hold the k largest, 0 <= k <= n. */
static inline void mk_rank_heap_set(struct mk_rank_heap *h, size_t k)
{
    double *end = mk_rank_heap_end(h);
    while (h->upper < k) {
        size_t lower = h->n - h->upper;
        double x = end[0];
        if (lower > 1) mk_heap_down(end, -1, -1.0, lower - 1, end[-(ptrdiff_t)(lower - 1)]);
        mk_heap_up(h->a, 1, 1.0, h->upper++, x);
    }
    while (h->upper > k) {
        double x = h->a[0];
        h->upper--;
        if (h->upper) mk_heap_down(h->a, 1, 1.0, h->upper, h->a[h->upper]);
        mk_heap_up(end, -1, -1.0, h->n - h->upper - 1, x);
    }
}

/* The k-th largest, for the k set last; k >= 1. */
static inline double mk_rank_heap_kth(const struct mk_rank_heap *h)
{
    return h->a[0];
}

/* The (k+1)-th largest; k < n. */
static inline double mk_rank_heap_next(const struct mk_rank_heap *h)
{
    return *mk_rank_heap_end(h);
}

/* tau-quantile by linear interpolation (NumPy's default, R type 7) of a non-empty heap; moves k. */
static inline double mk_rank_heap_quantile(struct mk_rank_heap *h, double tau)
{
    double position = tau * (double)(h->n - 1);
    size_t below = (size_t)position;
    if (below >= h->n - 1) {
        mk_rank_heap_set(h, 1);
        return mk_rank_heap_kth(h);
    }
    mk_rank_heap_set(h, h->n - 1 - below);
    return mk_quantile_between(mk_rank_heap_next(h), mk_rank_heap_kth(h), position - (double)below);
}

#endif
