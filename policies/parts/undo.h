/* What a policy's state held before changes that are taken back (policies/ask_tell/policy_loop.c, looking ahead): the
 * bytes that were kept, put back in the reverse order. */
#ifndef MAXK_POLICIES_PARTS_UNDO_H
#define MAXK_POLICIES_PARTS_UNDO_H

#include <assert.h>
#include <stddef.h>
#include <string.h>

struct mk_undo {
    unsigned char *byte;
    size_t used, room;
};

struct mk_undo_kept {
    void *at;
    size_t bytes;
};

/* Keeps the bytes at this place. Whoever lets a policy play ahead has made the room. */
static inline void mk_undo_keep(struct mk_undo *u, void *at, size_t bytes)
{
    const struct mk_undo_kept kept = {at, bytes};
    assert(bytes + sizeof kept <= u->room - u->used);
    memcpy(u->byte + u->used, at, bytes);
    memcpy(u->byte + u->used + bytes, &kept, sizeof kept);
    u->used += bytes + sizeof kept;
}

/* Puts everything back. */
static inline void mk_undo_all(struct mk_undo *u)
{
    while (u->used) {
        struct mk_undo_kept kept;
        memcpy(&kept, u->byte + (u->used -= sizeof kept), sizeof kept);
        memcpy(kept.at, u->byte + (u->used -= kept.bytes), kept.bytes);
    }
}

#endif
