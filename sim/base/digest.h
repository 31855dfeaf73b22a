/* A digest of 128 bits of words and bytes: equal for different contents with negligible probability, unless someone
 * wants it to be. Two lanes of the finaliser of MurmurHash3 (Appleby 2011), a bijection of each word and lane. */
#ifndef MAXK_SIM_BASE_DIGEST_H
#define MAXK_SIM_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct mk_digest {
    uint64_t lane[2];
};

#define MK_DIGEST_START                                                                                                \
    {                                                                                                                  \
        {                                                                                                              \
            UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344)                                                 \
        }                                                                                                              \
    } /* digits of pi */

static inline uint64_t mk_digest_mix(uint64_t x)
{
    x = (x ^ (x >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ (x >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ (x >> 33);
}

static inline void mk_digest_add(struct mk_digest *d, uint64_t word)
{
    d->lane[0] = mk_digest_mix(d->lane[0] ^ word) + UINT64_C(0x9e3779b97f4a7c15);
    d->lane[1] = mk_digest_mix(d->lane[1] + word * UINT64_C(0xd1342543de82ef95)) ^ d->lane[0];
}

static inline void mk_digest_add_real(struct mk_digest *d, double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    mk_digest_add(d, word);
}

/* The length is part of it. */
static inline void mk_digest_add_bytes(struct mk_digest *d, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    mk_digest_add(d, n);
    for (; n > 0; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        const size_t here = n < sizeof word ? n : sizeof word;
        memcpy(&word, at, here);
        mk_digest_add(d, word);
        n -= here;
    }
}

#endif
