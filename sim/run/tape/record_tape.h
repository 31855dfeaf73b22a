/* The record tape: the pulls at which an arm's running maximum rises, and its new values.
 *
 * Records of i.i.d. draws are a Markov chain and are drawn directly, O(log n) numbers for n pulls. With M the maximum
 * so far and s = P(X > M), the wait to the next record is geometric, P(wait > w) = (1 - s)^w, and the next record X,
 * given X > M, has P(X > x | X > M) uniform: its survival position is s U, and the reward is the inverse survival
 * function there. At a point mass the chain continues from P(X > x), so that only strict rises are records.
 *
 * Low records (falls of the running minimum) are drawn given the high ones: between two high records the draws are
 * i.i.d. given X <= M, so with r = P(X < minimum) a fall has probability r / (1 - s) per pull, and the next r is r U.
 * (Rényi 1962; Arnold, Balakrishnan & Nagaraja 1998, "Records", chapter 2.)
 *
 * A tape is a function of (seed, instance name, replication, arm) and the arm's distribution alone, is drawn lazily,
 * kept for a whole sweep, and independent of the reward tape of the same replication. For trajectories the records are
 * read off the data. A policy that needs the first pulls of an arm individually takes those from the reward tape and
 * has the records describe the pulls after them.
 *
 * Limits: pulls are counted to MK_RECORD_LAST = 2^53, up to which a double holds every whole number exactly; records
 * beyond it are dropped. Survival positions keep full relative accuracy to 1e-300; below, an arm has no further record
 * (one within 2^53 pulls would have probability below 1e-284). */
#ifndef MAXK_SIM_RUN_TAPE_RECORD_TAPE_H
#define MAXK_SIM_RUN_TAPE_RECORD_TAPE_H

#include <stddef.h>
#include <stdint.h>

#include "policies/play/record_loop.h"
#include "sim/api/maxk/error.h"
#include "sim/base/number.h"
#include "sim/base/pcg64.h"
#include "sim/run/tape/reward_tape.h"

#define MK_RECORD_LAST ((uint64_t)MK_EXACT_MAX)

struct mk_record_list {
    struct mk_record *at; /* [count] */
    size_t count, room;
    struct mk_pcg64 rng;
};

/* The distribution of the arm's first n rewards: conditioned on no survival position P(X > reward) below s; n = 0: not
 * at all. */
struct mk_record_floor {
    uint64_t n;
    double s;
};

struct mk_record_arm {
    struct mk_record_list high, low;
    struct mk_record_floor floor;
    const double *reward; /* trajectories: the data; NULL otherwise */
    uint64_t length;      /* number of rewards: UINT64_MAX unless read from data */
};

struct mk_record_tape {
    struct mk_records records;   /* what policies play */
    struct mk_record_arm *arm;   /* [problem->n_arms] */
    struct mk_reward_tape *unit; /* determines problem, seed, instance and replication */
};

/* One per thread; `unit` is borrowed and outlives it. */
int mk_record_tape_new(struct mk_record_tape **out, struct mk_reward_tape *unit, struct mk_error *err);
void mk_record_tape_free(struct mk_record_tape *tape);

/* Follows `unit`, which has just been moved to a replication. */
void mk_record_tape_seek(struct mk_record_tape *tape);

/* Draws the high records of arm k given that none of its first n rewards has a survival position below s in [0, 1);
 * later rewards follow the arm's own distribution. For arms that are drawn from distributions without point masses,
 * after mk_record_tape_seek and before the first record. */
void mk_record_tape_floor(struct mk_record_tape *tape, size_t k, uint64_t n, double s);

/* Record i (from 0) of the arm at position k of the instance; past the end of the list, the end. The pointer is valid
 * until the next call. */
static inline const struct mk_record *mk_record_high(struct mk_record_tape *tape, size_t k, size_t i)
{
    const struct mk_record_list *list = &tape->arm[k].high;
    return i < list->count ? &list->at[i] : tape->records.high(&tape->records, k, i);
}

static inline const struct mk_record *mk_record_low(struct mk_record_tape *tape, size_t k, size_t i)
{
    const struct mk_record_list *list = &tape->arm[k].low;
    return i < list->count ? &list->at[i] : tape->records.low(&tape->records, k, i);
}

/* Geometric wait >= 1 with success probability s in (0, 1], as a double: exact to 2^53, to full relative accuracy
 * above; its hazard is right to a few units in the last place for every s from 1 to the smallest double. */
double mk_record_wait(struct mk_pcg64 *g, double s);

/* Uniform in (0, 1) with a relative resolution of 2^-32 or finer however close to 0. */
double mk_uniform_dense(struct mk_pcg64 *g);

#endif
