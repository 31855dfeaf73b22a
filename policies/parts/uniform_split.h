/* How many of a stretch of rounds fall on every one of several arms when each round goes to one of them uniformly:
 * multinomial counts, from one binomial draw per arm. Where a policy draws round by round otherwise, the numbers drawn
 * differ and the law does not. */
#ifndef MAXK_POLICIES_PARTS_UNIFORM_SPLIT_H
#define MAXK_POLICIES_PARTS_UNIFORM_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "sim/base/pcg64.h"

/* Rounds from which on ties at random are shared out; shorter stretches draw what the per-pull loop draws. */
enum { MK_UNIFORM_SPLIT_LEAST = 1 << 14 };

struct mk_uniform_split {
    struct mk_pcg64 *rng; /* borrowed */
    uint64_t rest;        /* rounds not given yet, at most 2^53 */
    size_t arms;          /* arms still to come */
};

struct mk_uniform_split mk_uniform_split_of(struct mk_pcg64 *rng, uint64_t rounds, size_t arms);

/* Rounds of the next arm; to be called once for each. */
uint64_t mk_uniform_split_next(struct mk_uniform_split *shares);

#endif
