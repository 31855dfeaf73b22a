/* Uniformly random arm in every round, independent of all observations. Cost per pull O(1); memory O(1).
 * From records only the counts of a stretch are drawn, multinomial: the random numbers are not those of the per-pull
 * loop and depend on the horizons that are recorded, the distribution does not. */
#include "policies/parts/uniform_split.h"
#include "policies/play/per_pull_loop.h"
#include "policies/play/record_loop.h"
#include "policies/policy.h"

static size_t state_size(const struct mk_setup *s)
{
    (void)s;
    return sizeof(const struct mk_setup *);
}

static void init_random(void *state, const struct mk_setup *s)
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

static void play_records(void *state, struct mk_record_play *play_, uint64_t first, uint64_t last)
{
    const struct mk_setup *s = *(const struct mk_setup **)state;
    struct mk_uniform_split shares = {s->rng, last - first + 1, s->arms};
    for (size_t k = 0; k < s->arms; k++) mk_record_pull_all(play_, k, mk_uniform_split_next(&shares));
}

const struct mk_policy_type mk_policy_random = {
    .name = "random",
    .summary = "an arm uniformly at random in every round",
    .formula = "I_t uniform on 1 … K",
    .reference = "baseline",
    .departures = "",
    .cost = "O(1)",
    .kind = MK_CLASSIC,
    .flags = MK_POLICY_RANDOMISED | MK_POLICY_BASELINE,
    .state_size = state_size,
    .init = init_random,
    .select = select_arm,
    .update = update,
    .play = play,
    .play_records = play_records,
};
