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

/* An array in a pool. */
struct mk_pool_array {
    void *to; /* the pointer that it is for, by its address */
    size_t count, size;
};
#define MK_POOL_ARRAY(pointer, count)                                                                                  \
    {                                                                                                                  \
        &(pointer), (count), sizeof *(pointer)                                                                         \
    }

/* Reserves room for these arrays alone and sets their pointers. */
int mk_pool_lay_out(struct mk_pool *p, const struct mk_pool_array *array, size_t n, const char *what,
                    struct mk_error *err);

void mk_pool_free(struct mk_pool *p);

#endif
