/* MaxUCB (Balef et al. 2025, Algorithm 1):
 *
 *     I_t = argmax_i  max_i + (alpha log t / n_i)^2,   each arm once first.
 *
 * Departures: none by default. The published toy experiments (Appendix E.4) divide rewards by the largest one seen so
 * far (scale: global_max), use the 0-based round inside the logarithm (round_offset: -1) and break ties at random
 * (ties: random); the published AutoML runs scale to [0.01, 0.99] (scale: minmax).
 * Cost per pull O(K); memory 24 bytes per arm. */
#include "policies/max_index_records.h"
#include "sim/play.h"

enum { ALPHA, SCALE, SCALE_LO, SCALE_HI, TIES, ROUND_OFFSET };

static const struct mk_param params[] = {
    {"alpha", MK_REAL, MK_OPEN_HI, 0.5, 0, INFINITY, NULL, "exploration"},
    MK_MAX_INDEX_PARAMS,
    {"round_offset", MK_INTEGER, 0, 0, -1, 1000000, NULL, "added to the round t inside the logarithm"},
    {NULL, MK_REAL, 0, 0, 0, 0, NULL, NULL},
};

static const char *check(const double *par)
{
    return mk_max_index_check(par + SCALE);
}

static size_t state_size(const struct mk_setup *s)
{
    return mk_max_index_bytes(s->arms);
}

static void init(void *state, const struct mk_setup *s)
{
    mk_max_index_init(state, s, s->par + SCALE);
}

/* c_t = (alpha log(t + offset))^2 */
static inline double bonus_at(const struct mk_max_index *m, uint64_t t)
{
    const struct mk_setup *s = m->setup;
    double bonus = s->par[ALPHA] * mk_log(s, (uint64_t)((int64_t)t + (int64_t)s->par[ROUND_OFFSET]));
    return bonus * bonus;
}

static inline double bonus_reaches(const struct mk_max_index *m, double c)
{
    return exp(sqrt(c) / m->setup->par[ALPHA]) - m->setup->par[ROUND_OFFSET];
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct mk_max_index *m = state;
    if (t <= m->setup->arms) return (size_t)(t - 1);
    return mk_max_index_select(m, bonus_at(m, t));
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)t;
    mk_max_index_update(state, arm, reward);
}

MK_POLICY_PLAY(play, select_arm, update)

static void play_records(void *state, struct mk_record_play *play_, uint64_t first, uint64_t last)
{
    struct mk_max_index *m = state;
    if (first == 1 && m->scaling.scale == MK_SCALE_MINMAX) mk_record_play_watch_low(play_, m->setup->arms);
    mk_max_index_play_records(m, play_, first, last, m->setup->arms,
                              (struct mk_max_index_bonus){bonus_at, bonus_reaches});
}

const struct mk_policy_type mk_policy_max_ucb = {
    .name = "max_ucb",
    .summary = "MaxUCB: running maximum plus (alpha log t / n)^2",
    .formula = "argmax_i max_i + (alpha log t / n_i)^2, each arm once first",
    .reference = "Balef et al. 2025, Algorithm 1",
    .departures = "Appendix E.4 runs: scale=global_max, round_offset=-1, ties=random; AutoML runs: scale=minmax",
    .cost = "O(K)",
    .kind = MK_EXTREME,
    .flags = MK_POLICY_RANDOMISED | MK_POLICY_RECORD_BASED,
    .params = params,
    .check = check,
    .state_size = state_size,
    .init = init,
    .select = select_arm,
    .update = update,
    .play = play,
    .play_records = play_records,
};
