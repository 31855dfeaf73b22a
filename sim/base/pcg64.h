/* PCG64 (XSL-RR 128/64), O'Neill 2014, "PCG: A Family of Simple Fast Space-Efficient Statistically Good
 * Algorithms for Random Number Generation": state <- state * M + inc (mod 2^128), output = the xor of the
 * two halves rotated right by the top six bits. Period 2^128 for every odd inc.
 *
 * Streams are keyed by content: mk_key_* absorbs words and strings and mk_pcg64_from_key turns the digest
 * into state *and* increment. Raw neighbouring stream numbers must not be used as seeds: they are visibly
 * correlated when they differ in a high bit (tests/unit/base/test_pcg64.c keeps the measurement). */
#ifndef MAXK_SIM_BASE_PCG64_H
#define MAXK_SIM_BASE_PCG64_H

#include <stddef.h>
#include <stdint.h>

#include <gsl/gsl_rng.h>

__extension__ typedef unsigned __int128 mk_u128;

struct mk_pcg64 {
    mk_u128 state, inc;
};

#define MK_PCG64_MULTIPLIER (((mk_u128)2549297995355413924ULL << 64) | 4865540595714422341ULL)

/* The output of the current state. */
static inline uint64_t mk_pcg64_output(const struct mk_pcg64 *g)
{
    uint64_t x = (uint64_t)(g->state >> 64) ^ (uint64_t)g->state;
    unsigned rot = (unsigned)(g->state >> 122);
    return (x >> rot) | (x << ((64u - rot) & 63u));
}

static inline uint64_t mk_pcg64_next(struct mk_pcg64 *g)
{
    g->state = g->state * MK_PCG64_MULTIPLIER + g->inc;
    return mk_pcg64_output(g);
}

/* (k + 1/2) 2^-53 with k uniform on 0 … 2^53 - 1: strictly inside (0, 1), symmetric about 1/2.
 * The smallest value is 2^-54, the largest rounds to 1 - 2^-53. */
static inline double mk_uniform_from(uint64_t output)
{
    const double largest = 0x1.fffffffffffffp-1; /* the sum rounds to 1 for the largest k */
    double u = (double)(int64_t)(output >> 11) * 0x1p-53 + 0x1p-54;
    return u < largest ? u : largest;
}

static inline double mk_uniform(struct mk_pcg64 *g)
{
    return mk_uniform_from(mk_pcg64_next(g));
}

/* Uniform on 0 … n-1, n >= 1, without bias (Lemire 2019). */
uint64_t mk_uniform_below(struct mk_pcg64 *g, uint64_t n);

/* The reference seeding: pcg64_srandom(initstate, initseq). */
void mk_pcg64_seed(struct mk_pcg64 *g, mk_u128 initstate, mk_u128 initseq);

/* Jump ahead by delta outputs (mod 2^128; 2^128 - d jumps d back). O(log delta). */
void mk_pcg64_advance(struct mk_pcg64 *g, mk_u128 delta);

/* A 256-bit digest of what a stream belongs to. Order matters; lengths are absorbed. */
struct mk_key {
    uint64_t lane[4];
};
struct mk_key mk_key_start(void);
struct mk_key mk_key_word(struct mk_key key, uint64_t word);
struct mk_key mk_key_text(struct mk_key key, const char *text);
void mk_pcg64_from_key(struct mk_pcg64 *g, struct mk_key key);

/* The same generator as a gsl_rng_type, so that every gsl_ran_* sampler works.
 * gsl_rng_get gives the top 32 bits; gsl_rng_uniform the full 53-bit uniform in (0,1).
 * gsl_rng_set(r, seed) keys the stream by the seed. To wrap an existing stream, copy the
 * struct mk_pcg64 into gsl_rng_state(r). */
extern const gsl_rng_type *const mk_gsl_rng_pcg64;

#endif
