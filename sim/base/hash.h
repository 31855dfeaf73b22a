/* FNV-1a of 64 bits (Fowler, Noll, Vo; RFC 9923), over bytes or, faster, over words of up to 8 bytes. */
#ifndef MAXK_SIM_BASE_HASH_H
#define MAXK_SIM_BASE_HASH_H

#include <stdint.h>

#define MK_HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t mk_hash_add(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * UINT64_C(0x100000001b3);
}

#endif
