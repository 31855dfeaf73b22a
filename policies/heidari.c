/* Improving bandits (Heidari, Kearns & Roth 2016): the optimistic estimate of what an arm would earn in T pulls,
 *
 *     I_t = argmax_i sum_{s<=n} y_i(s) + sum_{s=n+1}^{T} min(1, y_i(n) + w_i (s - n)),
 *     w_i = (y_i(n) - y_i(n-C)) / C,
 *
 * an upper bound when y_i is increasing, concave and at most 1. Every arm C + 1 times first, in round-robin order, so
 * that w_i exists. That policy is about the cumulative reward. As in the comparison of Li et al. 2020 (Table 4), the
 * reward of a pull is the running best y_i(n), which is what increases in hyperparameter optimisation. C = 1 is the
 * original. The 1 (parameter cap) presupposes rewards in [0, 1], hence scale minmax to [0, 1] by default; the sums
 * follow the map. With w > 0, y reaches the cap after q = floor((1 - y)/w) pulls: the second sum is q y + w q (q+1)/2 +
 * (T-n-q). Cost per pull O(log K); memory 8 (C + 1) + 40 bytes per arm.
 * per_cost: ratio, this project's: policies/parts/pull_costs.h, its horizon in the place of T, at O(K) per pull. */
#include "policies/parts/argmax.h"
#include "policies/parts/best_growth.h"
#include "policies/parts/pull_costs.h"
#include "policies/parts/reward_scaling.h"
#include "policies/parts/running_mean.h"
#include "policies/parts/tournament.h"
#include "policies/play/per_pull_loop.h"

enum { C, CAP, SCALE, SCALE_LO, SCALE_HI, TIES, PER_COST, PARAMS };

static const struct mk_param params[] = {
    MK_GROWTH_PARAM(1),
    {"cap", MK_REAL, 0, 1, -INFINITY, INFINITY, NULL, "upper bound on (scaled) rewards"},
    MK_SCALING_PARAMS_FROM(MK_SCALE_MINMAX, 0, 1),
    MK_TIES_PARAM,
    MK_PER_COST_PARAM("none|ratio"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

struct heidari {
    const struct mk_setup *setup;
    struct mk_scaling scaling;
    struct mk_best_growth growth;
    struct mk_running_mean *mean; /* [K] of y_i(1) … y_i(n), raw */
    double *index;                /* [K] for the current map; changes with the pulls of its arm and with the map */
    struct mk_pull_costs costs;
    struct mk_tournament tournament;
};

static size_t state_size(const struct mk_setup *s)
{
    return sizeof(struct heidari) + mk_tournament_bytes(s) +
           s->arms * (sizeof(struct mk_running_mean) + sizeof(double)) + mk_best_growth_bytes(s->arms, s->par[C]) +
           mk_pull_costs_bytes(s, mk_per_cost_ratio(s->par[PER_COST]));
}

static void init_heidari(void *state, const struct mk_setup *s)
{
    struct heidari *h = state;
    h->setup = s;
    h->mean = (struct mk_running_mean *)((char *)(h + 1) + mk_tournament_bytes(s));
    h->index = (double *)(h->mean + s->arms);
    for (size_t i = 0; i < s->arms; i++) h->mean[i] = (struct mk_running_mean){0, 0};
    const enum mk_per_cost per_cost = mk_per_cost_ratio(s->par[PER_COST]);
    mk_pull_costs_init(&h->costs, h->index + s->arms, s, per_cost);
    mk_best_growth_init(&h->growth, (char *)(h->index + s->arms) + mk_pull_costs_bytes(s, per_cost), s->arms,
                        s->par[C]);
    mk_scaling_init(&h->scaling, s->par + SCALE);
    const struct mk_tournament_rules rules = {.a = h->index, .share = mk_near_index, .random_ties = s->par[TIES] != 0};
    mk_tournament_init(&h->tournament, h + 1, s, &rules);
}

/* sum_{j=1}^{left} min(cap, y + w j), w >= 0 */
static double future(double y, double w, double cap, double left)
{
    double q = left;
    if (y >= cap)
        q = 0;
    else if (w * left > cap - y)
        q = floor((cap - y) / w);
    double above = left > q ? (left - q) * cap : 0;
    return q * y + 0.5 * w * q * (q + 1) + above;
}

/* The arm has been pulled more than C times. */
static inline double index_of(const struct heidari *h, size_t i)
{
    const struct mk_setup *s = h->setup;
    double n = (double)h->growth.n[i], y = mk_scaling_value(&h->scaling, h->growth.best[i]);
    double w = mk_scaling_length(&h->scaling, h->growth.best[i] - mk_best_growth_past(&h->growth, i)) / s->par[C];
    double past = n * mk_scaling_sum(&h->scaling, h->mean[i].high, h->mean[i].low);
    return past + future(y, w, s->par[CAP], mk_pull_costs_horizon(&h->costs, i, h->growth.n[i]) - n);
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct heidari *h = state;
    const struct mk_setup *s = h->setup;
    if (t <= h->growth.ring * (uint64_t)s->arms) return (size_t)((t - 1) % s->arms);
    if (mk_pull_costs_count(&h->costs)) { /* the horizon of an arm depends on the costs of all */
        for (size_t i = 0; i < s->arms; i++) h->index[i] = index_of(h, i);
        return mk_argmax_near(h->index, s->arms, s->par[TIES] != 0, s->rng);
    }
    if (h->tournament.used) return mk_tournament_best(&h->tournament, 0, s->rng);
    return mk_argmax_near(h->index, s->arms, s->par[TIES] != 0, s->rng);
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)t;
    struct heidari *h = state;
    const struct mk_scaling before = h->scaling;
    mk_best_growth_add(&h->growth, arm, reward);
    mk_pull_costs_pay(&h->costs, arm, h->growth.n[arm]);
    mk_running_mean_add(&h->mean[arm], h->growth.best[arm], 1 / (double)h->growth.n[arm]);
    mk_scaling_see(&h->scaling, reward);
    const bool moved = mk_scaling_moved(&before, &h->scaling);
    const size_t from = moved ? 0 : arm, to = moved ? h->setup->arms : arm + 1;
    if (moved) mk_tournament_forget(&h->tournament);
    for (size_t i = from; i < to; i++)
        if (mk_best_growth_known(&h->growth, i)) h->index[i] = index_of(h, i);
    mk_tournament_changed(&h->tournament, arm);
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_heidari = {
    .name = "heidari",
    .summary = "improving bandits: optimistic extrapolation of the cumulative reward",
    .formula = "argmax_i sum_{s<=n} y_i(s) + sum_{s=n+1}^{T} min(1, y_i(n) + w_i (s-n)), w = (y(n) - y(n-C)) / C",
    .reference = "Heidari, Kearns & Roth 2016; compared in Li et al. 2020, Table 4",
    .departures = "the reward of a pull is the running best, mapped to [0, 1] by the range seen so far (scale=none "
                  "leaves it unchanged)",
    .cost = "O(log K)",
    .kind = MK_CASH,
    .flags = MK_POLICY_NEEDS_HORIZON | MK_POLICY_RANDOM_TIES,
    .params = params,
    .state_size = state_size,
    .init = init_heidari,
    .select = select_arm,
    .update = update,
    .play = play,
};
