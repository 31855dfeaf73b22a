/* MaxUCB with a bonus that does not depend on the round, for a known horizon T; this project's:
 *
 *     argmax_i  max_i + (alpha log(T / K) / n_i)^2,   each arm once first.
 *
 * Exploration is at its final level from the first round on. Cost per pull O(log K); memory 49 bytes per arm. From
 * records the cost does not grow with T. per_cost: policies/parts/pull_costs.h, ratio in the place of T at O(K) per
 * pull. */
#include "policies/parts/max_index_records.h"
#include "policies/play/per_pull_loop.h"

enum { ALPHA, SCALE, BONUS = SCALE + MK_MAX_INDEX_NEXT, PARAMS = BONUS + MK_BONUS_NEXT };

static const struct mk_param params[] = {
    {"alpha", MK_REAL, 0, 0.5, 0, MK_MOST_ALPHA, NULL, "exploration"},
    MK_MAX_INDEX_PARAMS,
    MK_BONUS_PARAMS("none|root|ratio"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static void init_max_ucb_horizon(void *state, const struct mk_setup *s)
{
    mk_max_index_init(state, s, s->par + SCALE);
    mk_max_index_weigh(state, s->par + BONUS, 0);
}

static inline double squared_bonus(const struct mk_setup *s, uint64_t t)
{
    const double bonus = s->par[ALPHA] * log(fmax(1, (double)s->horizon / (double)s->arms));
    (void)t;
    return bonus * bonus;
}

static double bonus(const struct mk_setup *s, uint64_t t, uint64_t n)
{
    if (mk_bonus_is_weighed(s->par + BONUS)) return NAN;
    return squared_bonus(s, t) / ((double)n * (double)n);
}

/* per_cost: ratio. */
static double ratio_value(const void *context, size_t i)
{
    const struct mk_max_index *m = context;
    const struct mk_setup *s = m->setup;
    const double horizon = mk_pull_costs_horizon(&m->weights.costs, i, m->n[i]);
    const double bonus = s->par[ALPHA] * log(fmax(1, horizon / (double)s->arms));
    return m->max[i] + m->scaling.range * bonus * bonus * m->inv_n2[i];
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

static void play_records(void *state, struct mk_record_play *play_, uint64_t first, uint64_t last)
{
    struct mk_max_index *m = state;
    mk_max_index_play_records(m, play_, first, last, 0,
                              (struct mk_max_index_bonus){.at = squared_bonus, .power = 1, .constant = true});
}

static const char *no_records(const double *par)
{
    return mk_bonus_no_records(par + BONUS);
}

const struct mk_policy_type mk_policy_max_ucb_horizon = {
    .name = "max_ucb_horizon",
    .summary = "MaxUCB with log(T / K) in the place of log t",
    .formula = "argmax_i max_i + (alpha log(T / K) / n_i)^2, each arm once first",
    .reference = "this project, after Balef et al. 2025, Algorithm 1",
    .departures = "",
    .cost = "O(log K)",
    .kind = MK_EXTREME,
    .flags = MK_POLICY_NEEDS_HORIZON | MK_POLICY_RANDOM_TIES,
    .params = params,
    .state_size = mk_max_index_bytes,
    .init = init_max_ucb_horizon,
    .select = select_arm,
    .update = mk_max_index_update,
    .play = play,
    .play_records = play_records,
    .no_records = no_records,
    .bonus = bonus,
    .keep = mk_max_index_keep,
};
