/* MaxUCB (Balef et al. 2025, Algorithm 1):
 *
 *     I_t = argmax_i  max_i + (alpha log t / n_i)^2,   each arm once first.
 *
 * Departures: none by default. The published toy experiments (Appendix E.4) divide rewards by the largest reward so far
 * (scale: global_max), use the 0-based round inside the logarithm (round_offset: -1) and break ties at random (ties:
 * random); the published AutoML runs scale to [0.01, 0.99] (scale: minmax). power > 1 puts (alpha (log t)^power /
 * n_i)^2 in the place of the bonus, which is this project's: lock-outs become rarer than any power of their length
 * where a better arm has no heavy lower tail (c' > 0 in Theorem 5, analysis/theory/theorem_5.h). Cost per pull O(log
 * K); memory 49 bytes per arm. From records the cost does not grow with T.
 * per_cost and label_prior, this project's too: policies/parts/max_index.h. */
#include "policies/parts/log_power.h"
#include "policies/parts/max_index_records.h"
#include "policies/play/per_pull_loop.h"

enum { ALPHA, SCALE, SCALE_LO, SCALE_HI, TIES, ROUND_OFFSET, POWER, BONUS, PARAMS = BONUS + MK_BONUS_NEXT };

static const struct mk_param params[] = {
    {"alpha", MK_REAL, 0, 0.5, 0, MK_MOST_ALPHA, NULL, "exploration"},
    MK_MAX_INDEX_PARAMS,
    {"round_offset", MK_INTEGER, 0, 0, -1, 1000000, NULL, "added to the round t inside the logarithm"},
    MK_POWER_PARAM,
    MK_BONUS_PARAMS("none|root|ratio"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static const char *check_max_ucb(const double *par)
{
    return mk_log_power_check(par[ALPHA], par[POWER]);
}

static void init_max_ucb(void *state, const struct mk_setup *s)
{
    mk_max_index_init(state, s, s->par + SCALE);
    mk_max_index_weigh(state, s->par + BONUS, 0);
}

static inline uint64_t argument(const struct mk_setup *s, uint64_t t)
{
    return (uint64_t)((int64_t)t + (int64_t)s->par[ROUND_OFFSET]);
}

static inline double squared_bonus(const struct mk_setup *s, uint64_t t)
{
    return mk_log_power(s, s->par[ALPHA], s->par[POWER], argument(s, t));
}

/* The round at which the bonus reaches c. */
static inline double round_of(const struct mk_setup *s, double c)
{
    return mk_log_power_inverse(c, s->par[ALPHA], s->par[POWER]) - s->par[ROUND_OFFSET];
}

/* per_cost: ratio. */
static double ratio_value(const void *context, size_t i)
{
    const struct mk_max_index *m = context;
    const double *par = m->setup->par;
    const double log_u = mk_pull_costs_log(&m->weights.costs, i, m->n[i], 0, par[ROUND_OFFSET]);
    return m->max[i] + m->scaling.range * mk_log_power_at(par[ALPHA], par[POWER], log_u) * m->inv_n2[i];
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct mk_max_index *m = state;
    if (t <= m->setup->arms) return (size_t)(t - 1);
    if (m->weights.costs.rule == MK_PER_COST_RATIO)
        return mk_argmax_of(m, m->setup->arms, ratio_value, m->random_ties, m->setup->rng);
    return mk_max_index_select(m, squared_bonus(m->setup, t));
}

/* The bonus increases with t: halve the stretch until its end leaves a margin, then extend it again by quarters. */
static inline uint64_t stay(void *state, size_t arm, uint64_t t, uint64_t most)
{
    struct mk_max_index *m = state;
    const struct mk_setup *s = m->setup;
    size_t before = m->last;
    m->last = arm;
    if (t <= s->arms || most < 2 || arm != before || m->weights.used)
        return 1; /* alternating arms: looking ahead does not pay */
    const double rise = s->par[POWER] == 1 ? 1 : 1 + mk_max_index_widen(s->par[POWER]); /* pow need not be monotone */
    double room = mk_max_index_room(m, arm);
    uint64_t rounds = most;
    while (rounds > 1 && squared_bonus(s, t + rounds - 1) > room) rounds /= 2;
    for (uint64_t step = rounds / 2; step > 0 && step >= rounds / 8 && rounds + step <= most; step /= 2)
        if (squared_bonus(s, t + rounds + step - 1) <= room) rounds += step;
    return rounds > 1 && mk_max_index_leads(m, arm, squared_bonus(s, t + rounds - 1) * rise) ? rounds : 1;
}

MK_POLICY_PLAY_STAYING(play, select_arm, mk_max_index_update, stay, mk_max_index_update_many)

static void play_records(void *state, struct mk_record_play *play_, uint64_t first, uint64_t last)
{
    struct mk_max_index *m = state;
    mk_max_index_play_records(m, play_, first, last, 0,
                              (struct mk_max_index_bonus){squared_bonus, round_of, m->setup->par[POWER], false});
}

static const char *no_records(const double *par)
{
    return mk_bonus_no_records(par + BONUS);
}

const struct mk_policy_type mk_policy_max_ucb = {
    .name = "max_ucb",
    .summary = "MaxUCB: running maximum plus (alpha log t / n)^2",
    .formula = "argmax_i max_i + (alpha (log t)^power / n_i)^2, each arm once first",
    .reference = "Balef et al. 2025, Algorithm 1; power > 1: this project, Certified bounds for MaxUCB, Theorem 5",
    .departures = "Appendix E.4 runs: scale=global_max, round_offset=-1, ties=random; AutoML runs: scale=minmax",
    .cost = "O(log K)",
    .kind = MK_EXTREME,
    .flags = MK_POLICY_RANDOM_TIES | MK_POLICY_THEOREM_4_2 | MK_POLICY_RISING_BONUS,
    .params = params,
    .check = check_max_ucb,
    .state_size = mk_max_index_bytes,
    .init = init_max_ucb,
    .select = select_arm,
    .update = mk_max_index_update,
    .play = play,
    .play_records = play_records,
    .no_records = no_records,
    .keep = mk_max_index_keep,
};
