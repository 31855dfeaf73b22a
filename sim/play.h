/* The per-pull loop: the reference engine. One loop for every policy; MK_POLICY_PLAY compiles it with a policy's
 * select and update inlined. */
#ifndef MAXK_SIM_PLAY_H
#define MAXK_SIM_PLAY_H

#include "policies/policy.h"
#include "sim/tape.h"

/* One policy's run through one replication. */
struct mk_play {
    struct mk_tape *tape;
    uint64_t *pulls;    /* [K] N_i so far */
    double best;        /* largest reward so far, -inf at the start */
    uint32_t *sequence; /* [T] arm of every round, or NULL */
};

static inline __attribute__((always_inline)) void
mk_play_rounds(void *state, struct mk_play *play, uint64_t first, uint64_t last, size_t (*select)(void *, uint64_t),
               void (*update)(void *, size_t, double, uint64_t))
{
    struct mk_tape *tape = play->tape;
    uint64_t *pulls = play->pulls;
    double best = play->best;
    for (uint64_t t = first; t <= last; t++) {
        size_t arm = select(state, t);
        double reward = mk_tape_reward(tape, arm, pulls[arm]++);
        update(state, arm, reward, t);
        best = reward > best ? reward : best;
        if (play->sequence) play->sequence[t - 1] = (uint32_t)arm;
    }
    play->best = best;
}

#define MK_POLICY_PLAY(name, select, update)                                                    \
    static void name(void *state, struct mk_play *play_, uint64_t first, uint64_t last)         \
    {                                                                                           \
        mk_play_rounds(state, play_, first, last, select, update);                              \
    }

#endif
