/* Softmax, or Boltzmann exploration (Sutton & Barto 2018; Tokic & Palm 2011):
 *
 *     P(I_t = i) = exp(mean_i / temperature) / sum_j exp(mean_j / temperature),   each arm once first.
 *
 * One uniform number per round. The largest exponent is subtracted, so that no temperature, however small, makes the
 * exponentials overflow.
 * Cost per pull O(K); memory 40 bytes per arm. */
#include "policies/parts/arm_stat.h"
#include "policies/parts/roulette.h"
#include "policies/play/per_pull_loop.h"

enum { TEMPERATURE, STATISTIC, SCALE, PARAMS = SCALE + MK_SCALING_NEXT };

static const struct mk_param params[] = {
    {"temperature", MK_REAL, MK_OPEN_LO, 0.1, 0, INFINITY, NULL, "the smaller, the greedier"},
    MK_STATISTIC_PARAM(MK_STATISTIC_MEAN),
    MK_SCALING_PARAMS(0, 1),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static void init_softmax(void *state, const struct mk_setup *s)
{
    mk_scaled_stat_init(state, s, s->par[STATISTIC] == MK_STATISTIC_MAX, s->par + SCALE);
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct mk_scaled_stat *m = state;
    const struct mk_setup *s = m->stat.setup;
    if (t <= s->arms) return (size_t)(t - 1);
    double unit = m->scaling.range * s->par[TEMPERATURE];
    for (size_t i = 0; i < s->arms; i++) m->round[i] = mk_scaled_stat_value(m, i) / unit;
    double total = mk_roulette_exp(m->round, s->arms);
    return mk_roulette_spin(m->round, s->arms, total, s->rng);
}

MK_POLICY_PLAY(play, select_arm, mk_scaled_stat_update)

const struct mk_policy_type mk_policy_softmax = {
    .name = "softmax",
    .summary = "Boltzmann exploration on means (or maxima)",
    .formula = "P(I_t = i) proportional to exp(mean_i / temperature), each arm once first",
    .reference = "Sutton & Barto 2018, section 2.8; Tokic & Palm 2011; compared in Hu et al. 2019 and Li et al. 2020",
    .departures = "Hu 2019, Table 1 (.18) is reproduced neither by statistic=mean (.11) nor by statistic=max (.31)",
    .cost = "O(K)",
    .kind = MK_CLASSIC,
    .flags = MK_POLICY_RANDOMISED,
    .params = params,
    .state_size = mk_scaled_stat_state_size,
    .init = init_softmax,
    .select = select_arm,
    .update = mk_scaled_stat_update,
    .play = play,
};
