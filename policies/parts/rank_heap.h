/* The k-th largest of a growing multiset, for a k that changes slowly.
 *
 * The values around the k-th largest are kept in a short sorted window, within which moving k is free. Those above and
 * below it (the latter negated) form a side each: a heap of the values next to the window, smallest key on top, and an
 * unsorted pile of the values beyond `bound`. Most rewards only join a pile. When k leaves the window, the window is
 * refilled from the heaps; a heap that has run empty takes the nearest 32nd of its pile (quickselect). insert costs
 * O(1) on average for exchangeable rewards and O(log n) amortised at worst, as does moving k by one; moving k far costs
 * O(n). */
#ifndef MAXK_POLICIES_PARTS_RANK_HEAP_H
#define MAXK_POLICIES_PARTS_RANK_HEAP_H

#include <stdint.h>
#include <string.h>

#include "policies/parts/arena.h"

enum { MK_RANK_HEAP_FIRST = 8, MK_RANK_WINDOW = 32, MK_RANK_BLOCK = 64 };

struct mk_rank_side {
    double *a; /* [room]: pile a[0 … pile-1], heap a[room-1], a[room-2], … from its top */
    size_t room, pile, heap;
    double bound; /* keys in the heap <= bound <= keys in the pile */
};

/* All zero = empty. */
struct mk_rank_heap {
    size_t n, upper; /* elements, k */
    ptrdiff_t at;    /* window[at] is the k-th largest */
    size_t width;
    double window[MK_RANK_WINDOW]; /* ascending; low side <= window <= high side */
    struct mk_rank_side high, low; /* keys x and -x */
    struct mk_arena *arena;        /* set by insert */
};

/* Bytes of arena for `heaps` heaps that hold `total` elements together. */
static inline size_t mk_rank_heap_bytes(size_t heaps, size_t total)
{
    return 2 * sizeof(double) * mk_arena_elements(heaps < total ? heaps : total, total, MK_RANK_HEAP_FIRST);
}

/* The same for a k that rises by at most 1 with an element and never falls, as that of a fixed quantile: a side then
 * shrinks only when the window takes from it, so that both at their largest hold `total` elements together. */
static inline size_t mk_rank_heap_steady_bytes(size_t heaps, size_t total)
{
    const size_t used = heaps < total ? heaps : total;
    const size_t steady =
        sizeof(double) * mk_arena_elements(2 * used, total + 2 * MK_RANK_WINDOW * used, MK_RANK_HEAP_FIRST);
    const size_t any = mk_rank_heap_bytes(heaps, total);
    return steady < any ? steady : any;
}

/* Rare steps, see rank_heap.c. */
void mk_rank_side_push_slowly(struct mk_rank_side *s, struct mk_arena *arena, double key);
void mk_rank_heap_recentre(struct mk_rank_heap *h);

/* Sets k to any value 0 … n. */
void mk_rank_heap_set(struct mk_rank_heap *h, size_t k);

static inline void mk_rank_side_push(struct mk_rank_side *s, struct mk_arena *arena, double key)
{
    if (s->heap && key >= s->bound && s->pile + s->heap < s->room && !arena->undo)
        s->a[s->pile++] = key;
    else
        mk_rank_side_push_slowly(s, arena, key);
}

/* Adds x and lets k rise by `rise`, 0 or 1. */
static inline void mk_rank_heap_insert(struct mk_rank_heap *h, struct mk_arena *arena, double x, int rise)
{
    h->arena = arena;
    h->n++;
    h->upper += (size_t)rise;
    h->at -= rise;
    if (h->width && x < h->window[0]) {
        mk_rank_side_push(&h->low, arena, -x);
    } else if (h->width && x > h->window[h->width - 1]) {
        mk_rank_side_push(&h->high, arena, x);
        h->at++;
    } else {
        size_t j = h->width++;
        for (; j > 0 && h->window[j - 1] > x; j--) h->window[j] = h->window[j - 1];
        h->window[j] = x;
        h->at++;
    }
    if ((size_t)h->at >= h->width || h->width == MK_RANK_WINDOW) mk_rank_heap_recentre(h);
}

/* Adds x[0], x[1], … while k = ceil(n / per_rise), which holds before, and the k-th largest stays above `floor`, as it
 * is before: up to and including the first x after which one of them fails. Returns how many, 1 … count. */
uint64_t mk_rank_heap_insert_many(struct mk_rank_heap *h, struct mk_arena *arena, const double *x, uint64_t count,
                                  uint64_t per_rise, double floor);

/* The k-th largest; k >= 1. */
static inline double mk_rank_heap_kth(const struct mk_rank_heap *h)
{
    return h->window[h->at];
}

/* The (k+1)-th largest; k < n. */
static inline double mk_rank_heap_next(const struct mk_rank_heap *h)
{
    return h->at > 0 ? h->window[h->at - 1] : -h->low.a[h->low.room - 1];
}

/* The tau-quantile by linear interpolation (NumPy's default, R type 7) of a non-empty heap lies between *lo and *hi, at
 * the returned share of the way from *lo; moves k. */
static inline double mk_rank_heap_around(struct mk_rank_heap *h, double tau, double *lo, double *hi)
{
    double position = tau * (double)(h->n - 1);
    size_t below = (size_t)position;
    if (below >= h->n - 1) {
        mk_rank_heap_set(h, 1);
        *lo = *hi = mk_rank_heap_kth(h);
        return 0;
    }
    mk_rank_heap_set(h, h->n - 1 - below);
    *lo = mk_rank_heap_next(h);
    *hi = mk_rank_heap_kth(h);
    return position - (double)below;
}

#endif
