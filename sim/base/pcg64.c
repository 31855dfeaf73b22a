#include "sim/base/pcg64.h"

#include <string.h>

void mk_pcg64_seed(struct mk_pcg64 *g, mk_u128 initstate, mk_u128 initseq)
{
    g->state = 0;
    g->inc = (initseq << 1) | 1;
    mk_pcg64_next(g);
    g->state += initstate;
    mk_pcg64_next(g);
}

void mk_pcg64_advance(struct mk_pcg64 *g, mk_u128 delta)
{
    mk_u128 mult = MK_PCG64_MULTIPLIER;
    mk_u128 plus = g->inc, acc_mult = 1, acc_plus = 0;
    for (; delta; delta >>= 1) {
        if (delta & 1) {
            acc_mult *= mult;
            acc_plus = acc_plus * mult + plus;
        }
        plus = (mult + 1) * plus;
        mult *= mult;
    }
    g->state = acc_mult * g->state + acc_plus;
}

uint64_t mk_uniform_below(struct mk_pcg64 *g, uint64_t n)
{
    mk_u128 m = (mk_u128)mk_pcg64_next(g) * n;
    if ((uint64_t)m < n) {
        uint64_t threshold = (0 - n) % n;
        while ((uint64_t)m < threshold) m = (mk_u128)mk_pcg64_next(g) * n;
    }
    return (uint64_t)(m >> 64);
}

/* Finaliser of splitmix64 (Stafford's mix 13): a bijection on 64 bits with full avalanche. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

struct mk_key mk_key_start(void)
{
    /* Fractional digits of pi: nothing up the sleeve, four different lanes. */
    struct mk_key key = {{0x243f6a8885a308d3ULL, 0x13198a2e03707344ULL, 0xa4093822299f31d0ULL, 0x082efa98ec4e6c89ULL}};
    return key;
}

struct mk_key mk_key_word(struct mk_key key, uint64_t word)
{
    for (unsigned i = 0; i < 4; i++) key.lane[i] = mix(key.lane[i] + mix(word + 0x9e3779b97f4a7c15ULL * (i + 1)));
    uint64_t sum = key.lane[0] ^ key.lane[1] ^ key.lane[2] ^ key.lane[3];
    for (unsigned i = 0; i < 4; i++) key.lane[i] += mix(sum + i);
    return key;
}

struct mk_key mk_key_text(struct mk_key key, const char *text)
{
    size_t len = strlen(text);
    key = mk_key_word(key, (uint64_t)len);
    for (size_t at = 0; at < len; at += 8) {
        uint64_t word = 0;
        for (size_t i = 0; i < 8 && at + i < len; i++) word |= (uint64_t)(unsigned char)text[at + i] << (8 * i);
        key = mk_key_word(key, word);
    }
    return key;
}

void mk_pcg64_from_key(struct mk_pcg64 *g, struct mk_key key)
{
    uint64_t w[4];
    for (int i = 0; i < 4; i++) w[i] = mix(key.lane[i] ^ mix(key.lane[(i + 1) & 3]));
    mk_pcg64_seed(g, ((mk_u128)w[0] << 64) | w[1], ((mk_u128)w[2] << 64) | w[3]);
}

static void gsl_set(void *state, unsigned long seed)
{
    mk_pcg64_from_key(state, mk_key_word(mk_key_start(), seed));
}

static unsigned long gsl_get(void *state)
{
    return (unsigned long)(mk_pcg64_next(state) >> 32);
}

static double gsl_get_double(void *state)
{
    return mk_uniform(state);
}

static const gsl_rng_type pcg64_type = {
    "pcg64", 0xffffffffUL, 0, sizeof(struct mk_pcg64), gsl_set, gsl_get, gsl_get_double,
};
const gsl_rng_type *const mk_gsl_rng_pcg64 = &pcg64_type;
