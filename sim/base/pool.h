/* Scratch memory: one block that is reserved as a whole, used in pieces, and kept for reuse. */
#ifndef MAXK_SIM_BASE_POOL_H
#define MAXK_SIM_BASE_POOL_H

#include <assert.h>
#include <stddef.h>

#include "sim/api/maxk/error.h"

/* Start with a struct of zeros. */
struct mk_pool {
    char *block;
    size_t room, reserved, used; /* bytes: of the block, requested last, taken of these */
};

enum { MK_POOL_ALIGNMENT = 64 };

/* The memory for `count` items of `size` bytes. */
static inline size_t mk_pool_bytes(size_t count, size_t size)
{
    return (count * size + MK_POOL_ALIGNMENT - 1) / MK_POOL_ALIGNMENT * MK_POOL_ALIGNMENT;
}

/* Room for `bytes`, none of it used; earlier pieces become invalid. MK_ENOMEM (`what` needs it). */
int mk_pool_reserve(struct mk_pool *p, size_t bytes, const char *what, struct mk_error *err);

static inline void *mk_pool_take(struct mk_pool *p, size_t count, size_t size)
{
    char *at = p->block + p->used;
    p->used += mk_pool_bytes(count, size);
    assert(p->used <= p->reserved);
    return at;
}

void mk_pool_free(struct mk_pool *p);

#endif
