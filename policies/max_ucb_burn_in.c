/* MaxUCB with burn-in (Balef et al. 2025, Algorithm E.1), for rewards that are not stationary at the start:
 * pull every arm C times in round-robin order and forget those rewards, then MaxUCB,
 *
 *     I_t = argmax_i  max_i + (alpha log t / n_i)^2,
 *
 * with n_i and max_i counted from the end of the burn-in, and every arm first pulled once more.
 *
 * Algorithm E.1 lets t run on from C K + K + 1; the published programs count it from the end of the burn-in
 * (round: restart). Scaling is reset after the burn-in (scale_from: start keeps the range seen in it).
 * power > 1: (log t)^power in the place of log t, as for max_ucb; this project's.
 * From records: the rewards of the burn-in are drawn one by one, and records describe those after it.
 * Cost per pull O(log K); memory 49 bytes per arm. */
#include "policies/parts/log_power.h"
#include "policies/parts/max_index_records.h"
#include "policies/play/per_pull_loop.h"

enum {
    ALPHA,
    BURN_IN,
    ROUND,
    SCALE_FROM,
    SCALE,
    POWER = SCALE + MK_MAX_INDEX_NEXT,
    BONUS,
    PARAMS = BONUS + MK_BONUS_NEXT
};

static const struct mk_param params[] = {
    {"alpha", MK_REAL, 0, 0.5, 0, MK_MOST_ALPHA, NULL, "exploration"},
    {"burn_in", MK_INTEGER, 0, 6, 0, 1000000, NULL, "pulls of every arm that are forgotten (C)"},
    {"round", MK_CHOICE, 0, 0, 0, 0, "running|restart", "t in the bonus: the round, or counted from the burn-in's end"},
    {"scale_from", MK_CHOICE, 0, 0, 0, 0, "main|start", "rewards that scaling is fitted to: since the burn-in, or all"},
    MK_MAX_INDEX_PARAMS,
    MK_POWER_PARAM,
    MK_BONUS_PARAMS("none|root|ratio"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static const char *check_max_ucb_burn_in(const double *par)
{
    return mk_log_power_check(par[ALPHA], par[POWER]);
}

static void init_max_ucb_burn_in(void *state, const struct mk_setup *s)
{
    mk_max_index_init(state, s, s->par + SCALE);
    mk_max_index_weigh(state, s->par + BONUS, (uint64_t)s->par[BURN_IN]);
}

static inline uint64_t burn_in_rounds(const struct mk_setup *s)
{
    return (uint64_t)s->par[BURN_IN] * s->arms;
}

static inline uint64_t argument(const struct mk_setup *s, uint64_t t)
{
    return s->par[ROUND] != 0 ? t - burn_in_rounds(s) : t;
}

static inline double squared_bonus(const struct mk_setup *s, uint64_t t)
{
    return mk_log_power(s, s->par[ALPHA], s->par[POWER], argument(s, t));
}

/* The round at which the bonus reaches c. */
static inline double round_of(const struct mk_setup *s, double c)
{
    return mk_log_power_inverse(c, s->par[ALPHA], s->par[POWER]) +
           (s->par[ROUND] != 0 ? (double)burn_in_rounds(s) : 0.0);
}

/* per_cost: ratio; the money of the burn-in is forgotten, and its rounds count where t does. */
static double ratio_value(const void *context, size_t i)
{
    const struct mk_max_index *m = context;
    const struct mk_setup *s = m->setup;
    const double before = s->par[ROUND] != 0 ? 0 : (double)burn_in_rounds(s);
    const double log_u = mk_pull_costs_log(&m->weights.costs, i, m->n[i], 0, before);
    return m->max[i] + m->scaling.range * mk_log_power_at(s->par[ALPHA], s->par[POWER], log_u) * m->inv_n2[i];
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct mk_max_index *m = state;
    const struct mk_setup *s = m->setup;
    if (t <= burn_in_rounds(s) + s->arms) return (size_t)((t - 1) % s->arms);
    if (m->weights.costs.rule == MK_PER_COST_RATIO)
        return mk_argmax_of(m, s->arms, ratio_value, m->random_ties, s->rng);
    return mk_max_index_select(m, squared_bonus(s, t));
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    struct mk_max_index *m = state;
    if (t > burn_in_rounds(m->setup))
        mk_max_index_update(m, arm, reward, t);
    else if (m->setup->par[SCALE_FROM] != 0)
        mk_scaling_see(&m->scaling, reward);
}

MK_POLICY_PLAY(play, select_arm, update)

static void play_records(void *state, struct mk_record_play *play_, uint64_t first, uint64_t last)
{
    struct mk_max_index *m = state;
    const struct mk_setup *s = m->setup;
    uint64_t burnt = burn_in_rounds(s), t = first;
    if (first == 1) mk_record_play_skip(play_, s->arms, (uint64_t)s->par[BURN_IN]);
    for (; t <= last && t <= burnt; t++) {
        size_t arm = (size_t)((t - 1) % s->arms);
        update(m, arm, mk_record_one(play_, arm), t);
    }
    mk_max_index_play_records(m, play_, t, last, burnt,
                              (struct mk_max_index_bonus){squared_bonus, round_of, s->par[POWER], false});
}

static const char *no_records(const double *par)
{
    return mk_bonus_no_records(par + BONUS);
}

const struct mk_policy_type mk_policy_max_ucb_burn_in = {
    .name = "max_ucb_burn_in",
    .summary = "MaxUCB after a burn-in whose rewards are forgotten",
    .formula =
        "every arm C times, rewards forgotten; then argmax_i max_i + (alpha (log t)^power / n_i)^2, each arm once "
        "first",
    .reference = "Balef et al. 2025, Algorithm E.1; power > 1: this project",
    .departures = "published AutoML runs: round=restart, scale=minmax, burn_in=5 to 8",
    .cost = "O(log K)",
    .kind = MK_EXTREME,
    .flags = MK_POLICY_RANDOM_TIES | MK_POLICY_BURN_IN | MK_POLICY_RISING_BONUS,
    .params = params,
    .check = check_max_ucb_burn_in,
    .state_size = mk_max_index_bytes,
    .init = init_max_ucb_burn_in,
    .select = select_arm,
    .update = update,
    .play = play,
    .play_records = play_records,
    .no_records = no_records,
    .keep = mk_max_index_keep,
};
