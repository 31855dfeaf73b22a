/* MaxUCB with the rounds that remain in the bonus ("adaptive alpha" in the programs of Balef et al. 2025):
 *
 *     I_t = argmax_i  max_i + (alpha log(T + 1 - t) / n_i)^2,   each arm once first:
 *
 * much exploration at the start, none in the last round. power > 1: log(T + 1 - t)^power, as for max_ucb; this
 * project's. Cost per pull O(log K); memory 49 bytes per arm. per_cost, this project's too:
 * policies/parts/pull_costs.h, ratio in the place of T + 1 - t at O(K) per pull. */
#include "policies/parts/log_power.h"
#include "policies/parts/max_index_records.h"
#include "policies/play/per_pull_loop.h"

enum { ALPHA, SCALE, POWER = SCALE + MK_MAX_INDEX_NEXT, BONUS, PARAMS = BONUS + MK_BONUS_NEXT };

static const struct mk_param params[] = {
    {"alpha", MK_REAL, 0, 0.5, 0, MK_MOST_ALPHA, NULL, "exploration"},
    MK_MAX_INDEX_PARAMS,
    MK_POWER_PARAM,
    MK_BONUS_PARAMS("none|root|ratio"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static const char *check_max_ucb_remaining(const double *par)
{
    return mk_log_power_check(par[ALPHA], par[POWER]);
}

static void init_max_ucb_remaining(void *state, const struct mk_setup *s)
{
    mk_max_index_init(state, s, s->par + SCALE);
    mk_max_index_weigh(state, s->par + BONUS, 0);
}

static inline double squared_bonus(const struct mk_setup *s, uint64_t t)
{
    return mk_log_power(s, s->par[ALPHA], s->par[POWER], s->horizon + 1 - t);
}

/* per_cost: ratio. */
static double ratio_value(const void *context, size_t i)
{
    const struct mk_max_index *m = context;
    const struct mk_setup *s = m->setup;
    const uint64_t rounds = s->horizon - m->weights.costs.all;
    const double pulls = mk_pull_costs_remaining(&m->weights.costs, i, m->n[i], rounds);
    return m->max[i] + m->scaling.range * mk_log_power_at(s->par[ALPHA], s->par[POWER], log(pulls)) * m->inv_n2[i];
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct mk_max_index *m = state;
    if (t <= m->setup->arms) return (size_t)(t - 1);
    if (m->weights.costs.rule == MK_PER_COST_RATIO)
        return mk_argmax_of(m, m->setup->arms, ratio_value, m->random_ties, m->setup->rng);
    return mk_max_index_select(m, squared_bonus(m->setup, t));
}

MK_POLICY_PLAY(play, select_arm, mk_max_index_update)

/* The bonus falls with t, so a rival may overtake and fall back again: there is no round to aim at, the search
 * gallops. */
static void play_records(void *state, struct mk_record_play *play_, uint64_t first, uint64_t last)
{
    struct mk_max_index *m = state;
    mk_max_index_play_records(m, play_, first, last, 0,
                              (struct mk_max_index_bonus){squared_bonus, NULL, m->setup->par[POWER], false});
}

static double bonus(const struct mk_setup *s, uint64_t t, uint64_t n)
{
    if (mk_bonus_is_weighed(s->par + BONUS)) return NAN;
    return squared_bonus(s, t) / ((double)n * (double)n);
}

static const char *no_records(const double *par)
{
    return mk_bonus_no_records(par + BONUS);
}

const struct mk_policy_type mk_policy_max_ucb_remaining = {
    .name = "max_ucb_remaining",
    .summary = "MaxUCB with exploration that shrinks with the remaining rounds",
    .formula = "argmax_i max_i + (alpha log(T + 1 - t)^power / n_i)^2, each arm once first",
    .reference = "programs published with Balef et al. 2025 (MaxUCB with adaptive alpha); power > 1: this project",
    .departures = "published AutoML runs: scale=minmax",
    .cost = "O(log K)",
    .kind = MK_EXTREME,
    .flags = MK_POLICY_NEEDS_HORIZON | MK_POLICY_RANDOM_TIES | MK_POLICY_FALLING_BONUS,
    .params = params,
    .check = check_max_ucb_remaining,
    .state_size = mk_max_index_bytes,
    .init = init_max_ucb_remaining,
    .select = select_arm,
    .update = mk_max_index_update,
    .play = play,
    .play_records = play_records,
    .no_records = no_records,
    .bonus = bonus,
    .keep = mk_max_index_keep,
};
