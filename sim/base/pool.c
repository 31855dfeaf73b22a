#include "sim/base/pool.h"

#include <stdlib.h>
#include <string.h>

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

int mk_pool_lay_out(struct mk_pool *p, const struct mk_pool_array *array, size_t n, const char *what,
                    struct mk_error *err)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) bytes += mk_pool_bytes(array[i].count, array[i].size);
    int code = mk_pool_reserve(p, bytes, what, err);
    for (size_t i = 0; i < n && !code; i++) {
        void *items = mk_pool_take(p, array[i].count, array[i].size);
        memcpy(array[i].to, &items, sizeof items);
    }
    return code;
}

void mk_pool_free(struct mk_pool *p)
{
    free(p->block);
    *p = (struct mk_pool){0};
}
