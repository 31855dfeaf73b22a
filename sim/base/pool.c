#include "sim/base/pool.h"

#include <stdlib.h>

#include "sim/base/error.h"

int mk_pool_reserve(struct mk_pool *p, size_t bytes, const char *what, struct mk_error *err)
{
    if (bytes > p->room) mk_pool_free(p);
    p->reserved = bytes;
    p->used = 0;
    if (bytes <= p->room) return MK_OK;
    const size_t room = mk_pool_bytes(bytes + bytes / 2, 1);
    p->block = aligned_alloc(MK_POOL_ALIGNMENT, room);
    if (!p->block) return mk_fail_memory(err, what);
    p->room = room;
    return MK_OK;
}

void mk_pool_free(struct mk_pool *p)
{
    free(p->block);
    *p = (struct mk_pool){0};
}
