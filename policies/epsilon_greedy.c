/* Epsilon-greedy (Sutton & Barto 2018, section 2.2):
 *
 *     with probability epsilon an arm uniformly at random, else argmax_i mean_i,   each arm once first.
 *
 * Hu 2019 (Table 1) names it without saying which statistic is greedy; only `statistic: max` comes near the published
 * share. Cost per pull O(log K); memory 32 bytes per arm. */
#include "policies/parts/arm_stat.h"
#include "policies/play/per_pull_loop.h"

enum { EPSILON, STATISTIC, TIES, PARAMS };

static const struct mk_param params[] = {
    {"epsilon", MK_REAL, 0, 0.1, 0, 1, NULL, "probability of a uniformly random arm"},
    MK_STATISTIC_PARAM(MK_STATISTIC_MEAN),
    MK_TIES_PARAM,
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static void init_epsilon_greedy(void *state, const struct mk_setup *s)
{
    mk_arm_stat_state_init(state, s, s->par[STATISTIC] == MK_STATISTIC_MAX, s->par[TIES] != 0);
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct mk_arm_stat *a = state;
    const struct mk_setup *s = a->setup;
    if (t <= s->arms) return (size_t)(t - 1);
    if (mk_uniform(s->rng) < s->par[EPSILON]) return (size_t)mk_uniform_below(s->rng, s->arms);
    return mk_arm_stat_best(a, s->par[TIES] != 0);
}

MK_POLICY_PLAY(play, select_arm, mk_arm_stat_update)

const struct mk_policy_type mk_policy_epsilon_greedy = {
    .name = "epsilon_greedy",
    .summary = "greedy on the mean (or maximum), a random arm with probability epsilon",
    .formula = "uniform arm with probability epsilon, else argmax_i mean_i, each arm once first",
    .reference = "Sutton & Barto 2018, section 2.2; compared in Hu et al. 2019, Table 1",
    .departures = "Hu 2019, Table 1 is approached only by statistic=max",
    .cost = "O(log K)",
    .kind = MK_CLASSIC,
    .flags = MK_POLICY_RANDOMISED,
    .params = params,
    .state_size = mk_arm_stat_state_size,
    .init = init_epsilon_greedy,
    .select = select_arm,
    .update = mk_arm_stat_update,
    .play = play,
    .keep = mk_arm_stat_keep,
};
