/* All rewards of an arm, in the order of its pulls. State: at most 32 bytes per pull. */
#ifndef MAXK_POLICIES_PARTS_HISTORY_H
#define MAXK_POLICIES_PARTS_HISTORY_H

#include "policies/parts/arena.h"

enum { MK_HISTORY_FIRST = 8 };

/* All zero = empty. */
struct mk_history {
    double *x; /* [n] in the order of the pulls */
    size_t n, room;
};

/* Bytes of arena for the histories of `arms` arms with `total` rewards together. */
static inline size_t mk_history_bytes(size_t arms, size_t total)
{
    return sizeof(double) * mk_arena_elements(arms < total ? arms : total, total, MK_HISTORY_FIRST);
}

static inline void mk_history_add(struct mk_history *h, struct mk_arena *arena, double x)
{
    if (h->n == h->room) h->x = mk_arena_grow(arena, h->x, h->n, &h->room, MK_HISTORY_FIRST, sizeof *h->x);
    h->x[h->n++] = x;
}

#endif
