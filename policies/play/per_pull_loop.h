/* The per-pull loop: the reference engine. One loop for every policy; MK_POLICY_PLAY compiles it with a policy's
 * select and update inlined. */
#ifndef MAXK_POLICIES_PLAY_PER_PULL_LOOP_H
#define MAXK_POLICIES_PLAY_PER_PULL_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/order.h"

/* Rewards of one arm, in the order in which they are pulled. */
struct mk_arm_rewards {
    const double *reward; /* [filled] */
    uint64_t filled;
};

/* Where the loop gets rewards. */
struct mk_rewards {
    struct mk_arm_rewards *arm; /* [K] */

    /* Makes reward n (from 0) of an arm exist; returns it. NaN, with `failed`, where it cannot. */
    double (*extend)(struct mk_rewards *rewards, size_t arm, uint64_t n);
    int failed; /* out of memory, or past the end of recorded rewards: rewards are NaN from there on */
};

/* One policy's run through one replication. */
struct mk_play {
    struct mk_rewards *rewards;
    uint64_t *pulls;       /* [K] N_i so far */
    double best;           /* largest reward so far, -inf at the start */
    uint32_t *sequence;    /* [T] arm of every round, or NULL */
    bool (*stopped)(void); /* true: the run should stop; NULL: never */
    bool cut;              /* it did, before the last round */
};

enum { MK_PLAY_LOOK = 32 }; /* rounds between two checks whether to stop: a round takes milliseconds with 10^5 arms */

/* Whether to stop at this step of a loop. */
static inline __attribute__((always_inline)) bool mk_play_stops(struct mk_play *play, uint32_t step)
{
    if (__builtin_expect(step % MK_PLAY_LOOK != 0, 1) || !play->stopped || !play->stopped()) return false;
    return play->cut = true;
}

static inline __attribute__((always_inline)) void
mk_play_rounds(void *state, struct mk_play *play, uint64_t first, uint64_t last, size_t (*select)(void *, uint64_t),
               void (*update)(void *, size_t, double, uint64_t), uint64_t (*stay)(void *, size_t, uint64_t, uint64_t),
               uint64_t (*update_many)(void *, size_t, const double *, uint64_t, uint64_t))
{
    struct mk_rewards *const source = play->rewards;
    struct mk_arm_rewards *const drawn = source->arm;
    uint64_t *const pulls = play->pulls;
    uint32_t *const sequence = play->sequence;
    double best = play->best;
    uint32_t step = 0;
    for (uint64_t t = first; t <= last;) {
        if (mk_play_stops(play, ++step)) break;
        size_t arm = select(state, t);
        uint64_t n = pulls[arm], rounds = 1;
        double reward =
            __builtin_expect(n < drawn[arm].filled, 1) ? drawn[arm].reward[n] : source->extend(source, arm, n);
        if (stay) {
            uint64_t there = drawn[arm].filled - n, left = last - t + 1;
            rounds = stay(state, arm, t, there < left ? there : left);
        }
        if (stay && rounds > 1 && !source->failed) {
            const double *rewards = drawn[arm].reward + n;
            rounds = update_many(state, arm, rewards, rounds, t);
            double largest = mk_largest((size_t)rounds, rewards);
            best = largest > best ? largest : best;
        } else {
            rounds = 1;
            update(state, arm, reward, t);
            best = reward > best ? reward : best;
        }
        if (sequence)
            for (uint64_t i = 0; i < rounds; i++) sequence[t - 1 + i] = (uint32_t)arm;
        pulls[arm] = n + rounds;
        t += rounds;
    }
    play->best = best;
}

#define MK_POLICY_PLAY(name, select, update)                                                                           \
    static void name(void *state, struct mk_play *play_, uint64_t first, uint64_t last)                                \
    {                                                                                                                  \
        mk_play_rounds(state, play_, first, last, select, update, NULL, NULL);                                         \
    }

/* For policies that can tell that an arm will be selected for several rounds, regardless of its rewards:
 *   stay(state, arm, t, most)  how many rounds from t on, 1 … most, `arm` (just returned by select for round t) is
 *                              certainly selected; may rely on conditions that update_many watches
 *   update_many(state, arm, rewards, n, t)  the same as updates for rounds t, t+1, …; returns how many of the n rewards
 *                              it took, >= 1: it stops early after a reward that breaks a condition of stay
 * The sequence of arms must be the one that single rounds give. */
#define MK_POLICY_PLAY_STAYING(name, select, update, stay, update_many)                                                \
    static void name(void *state, struct mk_play *play_, uint64_t first, uint64_t last)                                \
    {                                                                                                                  \
        mk_play_rounds(state, play_, first, last, select, update, stay, update_many);                                  \
    }

#endif
