/* Round robin: I_t = 1 + (t - 1 mod K). AVG of Li et al. 2020; the baseline that spends the budget evenly.
 * Cost per pull O(1); memory O(1). */
#include "policies/play/per_pull_loop.h"
#include "policies/play/record_loop.h"
#include "policies/policy.h"

struct uniform {
    size_t arms, next;
};

static size_t state_size(const struct mk_setup *s)
{
    (void)s;
    return sizeof(struct uniform);
}

static void init_uniform(void *state, const struct mk_setup *s)
{
    struct uniform *u = state;
    u->arms = s->arms;
    u->next = 0;
}

static inline size_t select_arm(void *state, uint64_t t)
{
    (void)t;
    return ((struct uniform *)state)->next;
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)reward;
    (void)t;
    struct uniform *u = state;
    u->next = arm + 1 == u->arms ? 0 : arm + 1;
}

MK_POLICY_PLAY(play, select_arm, update)

static void play_records(void *state, struct mk_record_play *play_, uint64_t first, uint64_t last)
{
    struct uniform *u = state;
    uint64_t rounds = last - first + 1;
    mk_record_pull_turns(play_, NULL, u->arms, u->next, rounds);
    u->next = (u->next + (size_t)(rounds % u->arms)) % u->arms;
}

const struct mk_policy_type mk_policy_uniform = {
    .name = "uniform",
    .summary = "round robin over all arms",
    .formula = "I_t = 1 + ((t - 1) mod K)",
    .reference = "baseline (AVG in Li et al. 2020)",
    .departures = "",
    .cost = "O(1)",
    .kind = MK_CLASSIC,
    .flags = MK_POLICY_BASELINE,
    .state_size = state_size,
    .init = init_uniform,
    .select = select_arm,
    .update = update,
    .play = play,
    .play_records = play_records,
};
