/* Memory for growing arrays inside a policy's state block: taken in order, never returned within a replication.
 *
 * An array that doubles its room from `first` takes at most max(first, 4 n) elements over its life, outgrown copies
 * included, so `arrays` arrays that hold `total` elements together need mk_arena_elements(...) elements. */
#ifndef MAXK_POLICIES_PARTS_ARENA_H
#define MAXK_POLICIES_PARTS_ARENA_H

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "policies/parts/undo.h"

struct mk_arena {
    char *next, *end;
    struct mk_undo *undo; /* not NULL: what arrays hold is kept before it changes */
};

static inline size_t mk_arena_elements(size_t arrays, size_t total, size_t first)
{
    return arrays * first + 4 * total;
}

static inline void *mk_arena_take(struct mk_arena *a, size_t bytes)
{
    assert(bytes <= (size_t)(a->end - a->next));
    void *p = a->next;
    if (__builtin_expect(a->undo != NULL, 0)) mk_undo_keep(a->undo, p, bytes);
    a->next += bytes;
    return p;
}

/* A copy of an array of n items, with room for twice as many as *room, or for `first` if there is none. */
static inline void *mk_arena_grow(struct mk_arena *a, const void *array, size_t n, size_t *room, size_t first,
                                  size_t size)
{
    *room = *room ? 2 * *room : first;
    void *grown = mk_arena_take(a, *room * size);
    if (n) memcpy(grown, array, n * size);
    return grown;
}

#endif
