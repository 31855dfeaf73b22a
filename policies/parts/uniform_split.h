/* How many of a stretch of rounds each of several arms gets when every round goes to one of them uniformly: multinomial
 * counts, from one binomial draw per arm. Compared with a policy that draws round by round, the numbers drawn differ
 * but the distribution does not. */
#ifndef MAXK_POLICIES_PARTS_UNIFORM_SPLIT_H
#define MAXK_POLICIES_PARTS_UNIFORM_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "sim/base/pcg64.h"

/* Number of rounds from which random ties are split this way; shorter stretches draw what the per-pull loop draws. */
enum { MK_UNIFORM_SPLIT_LEAST = 1 << 14 };

/* At the start: all rounds and all arms. */
struct mk_uniform_split {
    struct mk_pcg64 *rng; /* borrowed */
    uint64_t rest;        /* rounds not yet assigned, at most 2^53 */
    size_t arms;          /* arms still to come */
};

/* Rounds of the next arm; to be called once for each. */
uint64_t mk_uniform_split_next(struct mk_uniform_split *shares);

#endif
