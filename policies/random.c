/* Uniformly random arm in every round, independent of everything seen. Cost per pull O(1); memory O(1). */
#include "sim/play.h"

static size_t state_size(const struct mk_setup *s)
{
    (void)s;
    return sizeof(const struct mk_setup *);
}

static void init(void *state, const struct mk_setup *s)
{
    *(const struct mk_setup **)state = s;
}

static inline size_t select_arm(void *state, uint64_t t)
{
    (void)t;
    const struct mk_setup *s = *(const struct mk_setup **)state;
    return (size_t)mk_uniform_below(s->rng, s->arms);
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)state;
    (void)arm;
    (void)reward;
    (void)t;
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_random = {
    .name = "random",
    .summary = "an arm uniformly at random in every round",
    .formula = "I_t uniform on 1 … K",
    .reference = "baseline",
    .departures = "",
    .cost = "O(1)",
    .kind = MK_CLASSIC,
    .flags = MK_POLICY_RANDOMISED | MK_POLICY_RECORD_BASED,
    .state_size = state_size,
    .init = init,
    .select = select_arm,
    .update = update,
    .play = play,
};
