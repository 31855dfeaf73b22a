/* Greedy: the arm with the best statistic so far, each arm once first.
 *
 *     I_t = argmax_i max_i        (statistic: mean  ->  argmax_i mean_i)
 *
 * The limit alpha = 0 of MaxUCB, and the baseline without exploration. With statistic mean it needs every reward, not
 * only records.
 * From records, the rounds of long stretches of random ties are shared out at once: the distribution is that of the
 * per-pull loop, the random numbers are not. Cost per pull O(log K); memory 32 bytes per arm. */
#include "policies/parts/arm_stat.h"
#include "policies/parts/uniform_split.h"
#include "policies/play/per_pull_loop.h"
#include "policies/play/record_loop.h"

enum { STATISTIC, TIES, PARAMS };

static const struct mk_param params[] = {
    MK_STATISTIC_PARAM(MK_STATISTIC_MAX),
    MK_TIES_PARAM,
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static void init_greedy(void *state, const struct mk_setup *s)
{
    mk_arm_stat_state_init(state, s, s->par[STATISTIC] == MK_STATISTIC_MAX, s->par[TIES] != 0);
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct mk_arm_stat *a = state;
    const struct mk_setup *s = a->setup;
    if (t <= s->arms) return (size_t)(t - 1);
    return mk_arm_stat_best(a, s->par[TIES] != 0);
}

/* A largest reward only rises, so that the lowest of the best arms remains it. */
static inline uint64_t stay(void *state, size_t arm, uint64_t t, uint64_t most)
{
    const struct mk_arm_stat *a = state;
    (void)arm;
    return a->use_max && a->setup->par[TIES] == 0 && t > a->setup->arms ? most : 1;
}

static inline uint64_t update_many(void *state, size_t arm, const double *rewards, uint64_t n, uint64_t t)
{
    for (uint64_t i = 0; i < n; i++) mk_arm_stat_update(state, arm, rewards[i], t + i);
    return n;
}

MK_POLICY_PLAY_STAYING(play, select_arm, mk_arm_stat_update, stay, update_many)

static const char *no_records(const double *par)
{
    return par[STATISTIC] == MK_STATISTIC_MAX ? NULL : "statistic: mean needs every reward";
}

/* The rounds of a stretch t … last in which all arms with a value of at least `least` remain tied, shared out among
 * them: the same distribution as one draw per round. 0: no stretch is long enough. */
static uint64_t share_out(struct mk_arm_stat *a, struct mk_record_play *play_, double least, uint64_t t, uint64_t last)
{
    const struct mk_setup *s = a->setup;
    uint64_t rounds = last - t + 1;
    size_t equal = 0;
    for (size_t j = 0; j < s->arms; j++) {
        if (!(a->value[j] >= least)) continue;
        equal++;
        if (mk_record_before(play_, j) <= rounds) rounds = mk_record_before(play_, j) - 1;
    }
    if (equal < 2 || rounds < MK_UNIFORM_SPLIT_LEAST) return 0;
    struct mk_uniform_split shares = {s->rng, rounds, equal};
    for (size_t j = 0; j < s->arms; j++) {
        if (!(a->value[j] >= least)) continue;
        uint64_t count = mk_uniform_split_next(&shares);
        mk_record_pull_all(play_, j, count);
        a->n[j] += count;
    }
    return rounds;
}

/* An arm stays chosen until it has a record, unless ties are broken at random in every round. */
static void play_records(void *state, struct mk_record_play *play_, uint64_t first, uint64_t last)
{
    struct mk_arm_stat *a = state;
    const struct mk_setup *s = a->setup;
    const int random = s->par[TIES] != 0;
    uint64_t t = first, rounds;
    for (; t <= last && t <= s->arms; t++)
        mk_arm_stat_update(a, (size_t)(t - 1), mk_record_pull(play_, (size_t)(t - 1), 1), t);
    for (; t <= last; t += rounds) {
        double least = a->value[mk_argmax(a->value, s->arms, 0, s->rng)];
        rounds = random ? share_out(a, play_, least, t, last) : 0;
        if (rounds) continue;
        size_t arm = select_arm(state, t), equal = 0;
        for (size_t j = 0; j < s->arms; j++) equal += a->value[j] >= least;
        rounds = equal > 1 && random ? 1 : last - t + 1;
        if (rounds > mk_record_before(play_, arm)) rounds = mk_record_before(play_, arm);
        double reward = mk_record_pull(play_, arm, rounds);
        a->n[arm] += rounds - 1;
        mk_arm_stat_update(a, arm, reward, t);
    }
}

static double bonus(const struct mk_setup *s, uint64_t t, uint64_t n)
{
    (void)t;
    (void)n;
    return s->par[STATISTIC] == MK_STATISTIC_MAX ? 0 : NAN;
}

const struct mk_policy_type mk_policy_greedy = {
    .name = "greedy",
    .summary = "the arm with the largest reward (or mean) so far",
    .formula = "argmax_i max_i (statistic mean: argmax_i mean_i), each arm once first",
    .reference = "baseline",
    .departures = "",
    .cost = "O(log K)",
    .kind = MK_CLASSIC,
    .flags = MK_POLICY_RANDOM_TIES,
    .params = params,
    .state_size = mk_arm_stat_state_size,
    .init = init_greedy,
    .select = select_arm,
    .update = mk_arm_stat_update,
    .play = play,
    .play_records = play_records,
    .no_records = no_records,
    .bonus = bonus,
    .keep = mk_arm_stat_keep,
};
