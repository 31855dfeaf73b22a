/* Quantile Bayes UCB (Balef et al. 2024, Algorithm 1; Bayes-UCB: Kaufmann et al. 2012):
 *
 *     I_t = argmax_i  d_i + spread_i * Phi^-1(1 - 1/t),   each arm once first,
 *     v_i = b_i / (a_i - 1),  a_i = alpha_0 + n_i/2,  b_i = beta_0 + (n_i/2) var(d_i),
 *
 * d_i the empirical tau-quantile. Its variance is taken from the running quantiles d_{i,1}, …, d_{i,n}: with
 * y_j = j d_j - (j-1) d_{j-1}, n var(d) = sum_j (y_j - d_n)^2. The y_j sum to n d_n, so this is their sum of squared
 * deviations from their mean, which Welford's update maintains in O(1).
 * v_i estimates a variance. The authors' program uses it as the standard deviation (spread: variance_as_sd, the default
 * since the published results are based on it); spread: sd takes the square root. It also estimates the quantile from
 * 1000 samples; here it has the closed form.
 * Line 8 of the algorithm normalises rewards, hence scale minmax to [0, 1] by default (beta_0 refers to that scale).
 * Cost per pull O(log K + log n_i); memory at most the smaller of 64 bytes per pull + 542 per arm and 32 bytes per pull
 * + 2590 per arm.
 * per_cost, this project's (policies/parts/pull_costs.h, at O(K) per pull): root weighs var(d_i) as well as the prior
 * by its count of pulls in the place of n_i, which needs alpha_0 >= 1; ratio has its round in 1 - 1/t. */
#include <gsl/gsl_cdf.h>

#include "policies/parts/argmax.h"
#include "policies/parts/arm_quantile.h"
#include "policies/parts/pull_costs.h"
#include "policies/parts/reward_scaling.h"
#include "policies/parts/square_sum.h"
#include "policies/parts/tournament.h"
#include "policies/play/per_pull_loop.h"

enum { ALPHA_0, BETA_0, TAU, SPREAD, SCALE, SCALE_LO, SCALE_HI, TIES, PER_COST, PARAMS };
enum { VARIANCE_AS_SD, SD };

static const struct mk_param params[] = {
    {"alpha_0", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 1, 0.5, INFINITY, NULL, "prior shape"},
    {"beta_0", MK_REAL, MK_OPEN_HI, 0.2, 0, INFINITY, NULL, "prior scale"},
    {"tau", MK_REAL, 0, 0.95, 0, 1, NULL, "level of the quantile"},
    {"spread", MK_CHOICE, 0, VARIANCE_AS_SD, 0, 0, "variance_as_sd|sd",
     "standard deviation of the Normal: v or sqrt(v)"},
    MK_SCALING_PARAMS_FROM(MK_SCALE_MINMAX, 0, 1),
    MK_TIES_PARAM,
    MK_PER_COST_PARAM("none|root|ratio"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static const char *check_quantile_bayes_ucb(const double *par)
{
    return par[PER_COST] == MK_PER_COST_ROOT && par[ALPHA_0] < 1 ? "per_cost: root needs alpha_0 >= 1" : NULL;
}

struct quantile_bayes {
    const struct mk_setup *setup;
    struct mk_scaling scaling;
    struct mk_arm_quantile quantile; /* d_i */
    struct mk_square_sum *m2;        /* [K] sum_j (y_j - d_n)^2, raw units */
    double *spread;                  /* [K] in raw units, for the current map */
    double *index;                   /* [K] for the current round */
    struct mk_pull_costs costs;
    struct mk_tournament tournament;
};

static size_t state_size(const struct mk_setup *s)
{
    return sizeof(struct quantile_bayes) + mk_tournament_bytes(s) +
           s->arms * (2 * sizeof(double) + sizeof(struct mk_square_sum)) +
           mk_pull_costs_bytes(s, (enum mk_per_cost)s->par[PER_COST]) + mk_arm_quantile_bytes(s);
}

static void init_quantile_bayes_ucb(void *state, const struct mk_setup *s)
{
    struct quantile_bayes *q = state;
    q->setup = s;
    q->m2 = (struct mk_square_sum *)((char *)(q + 1) + mk_tournament_bytes(s));
    q->spread = (double *)(q->m2 + s->arms);
    q->index = q->spread + s->arms;
    memset(q->m2, 0, s->arms * sizeof *q->m2);
    for (size_t i = 0; i < s->arms; i++) q->spread[i] = 0;
    const enum mk_per_cost per_cost = (enum mk_per_cost)s->par[PER_COST];
    mk_pull_costs_init(&q->costs, q->index + s->arms, s, per_cost);
    mk_arm_quantile_init(&q->quantile, (char *)(q->index + s->arms) + mk_pull_costs_bytes(s, per_cost), s, s->par[TAU]);
    mk_scaling_init(&q->scaling, s->par + SCALE);
    const struct mk_tournament_rules rules = {
        .a = q->quantile.value, .b = q->spread, .share = mk_near_index, .random_ties = s->par[TIES] != 0};
    mk_tournament_init(&q->tournament, q + 1, s, &rules);
}

static inline void set_spread(struct quantile_bayes *q, size_t i)
{
    const double *par = q->setup->par, range = q->scaling.range;
    const uint64_t n = q->quantile.heap[i].n;
    const double pulls = mk_pull_costs_pulls(&q->costs, i, n);
    double root = mk_square_sum_root(&q->m2[i], 1) / range;
    double v = (par[BETA_0] + 0.5 * root * root * (pulls / (double)n)) / (par[ALPHA_0] + 0.5 * pulls - 1);
    q->spread[i] = range * (par[SPREAD] == SD ? sqrt(v) : v);
}

static size_t select_costly(struct quantile_bayes *q, uint64_t t)
{
    const struct mk_setup *s = q->setup;
    for (size_t i = 0; i < s->arms; i++) {
        const double round = mk_pull_costs_round(&q->costs, i, q->quantile.heap[i].n, (double)t);
        set_spread(q, i);
        q->index[i] = q->quantile.value[i] + q->spread[i] * gsl_cdf_ugaussian_Qinv(1 / round);
    }
    return mk_argmax_near(q->index, s->arms, s->par[TIES] != 0, s->rng);
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct quantile_bayes *q = state;
    const struct mk_setup *s = q->setup;
    if (t <= s->arms) return (size_t)(t - 1);
    if (mk_pull_costs_count(&q->costs)) return select_costly(q, t);
    const double z = gsl_cdf_ugaussian_Qinv(1 / (double)t);
    if (q->tournament.used) return mk_tournament_best(&q->tournament, z, s->rng);
    for (size_t i = 0; i < s->arms; i++) q->index[i] = q->quantile.value[i] + q->spread[i] * z;
    return mk_argmax_near(q->index, s->arms, s->par[TIES] != 0, s->rng);
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)t;
    struct quantile_bayes *q = state;
    const double anchor = q->quantile.anchor[arm], rest = q->quantile.rest[arm], range = q->scaling.range;
    mk_scaling_see(&q->scaling, reward);
    int moved = mk_arm_quantile_move(&q->quantile, q->setup->arms, mk_scaling_origin(&q->scaling));
    const double n = (double)mk_arm_quantile_add(&q->quantile, arm, reward);
    mk_pull_costs_pay(&q->costs, arm, (uint64_t)n);
    const double step = (q->quantile.anchor[arm] - anchor) + (q->quantile.rest[arm] - rest);
    if (n > 1) mk_square_sum_add(&q->m2[arm], n * step, (n - 1) * step);
    if (q->scaling.range == range && !moved) {
        set_spread(q, arm);
        mk_tournament_changed(&q->tournament, arm);
        return;
    }
    mk_tournament_forget(&q->tournament);
    for (size_t i = 0; i < q->setup->arms; i++)
        if (q->quantile.heap[i].n) set_spread(q, i);
}

static void keep(void *state, size_t arm, double reward, struct mk_undo *undo)
{
    struct quantile_bayes *q = state;
    const size_t arms = q->setup->arms;
    const bool costs = mk_pull_costs_count(&q->costs);
    if (arm == arms) {
        mk_undo_keep(undo, q, sizeof *q);
        if (!q->tournament.used || costs) mk_undo_keep(undo, q->index, arms * sizeof *q->index);
        if (costs) mk_undo_keep(undo, q->spread, arms * sizeof *q->spread);
        q->tournament.undo = q->quantile.arena.undo = undo;
        return;
    }
    const bool all = mk_scaling_changes(&q->scaling, reward);
    mk_arm_quantile_keep(&q->quantile, arms, arm, mk_scaling_moves(&q->scaling, reward), undo);
    mk_undo_keep(undo, &q->m2[arm], sizeof *q->m2);
    mk_undo_keep(undo, &q->spread[all ? 0 : arm], (all ? arms : 1) * sizeof *q->spread);
    mk_pull_costs_keep(&q->costs, arm, undo);
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_quantile_bayes_ucb = {
    .name = "quantile_bayes_ucb",
    .summary = "Bayesian upper quantile of the tau-quantile",
    .formula = "argmax_i Q_i + spread_i Phi^-1(1-1/t), v_i = (beta_0 + n var(Q_i)/2) / (alpha_0 + n_i/2 - 1)",
    .reference = "Balef et al. 2024, Algorithm 1 (Quantile Bayes UCB); parameters from Balef et al. 2025, Table D.5",
    .departures = "v_i, a variance, is used as standard deviation as in the published runs; spread=sd takes its root",
    .cost = "O(log K + log n)",
    .kind = MK_CASH,
    .flags = MK_POLICY_RANDOM_TIES,
    .params = params,
    .check = check_quantile_bayes_ucb,
    .state_size = state_size,
    .init = init_quantile_bayes_ucb,
    .select = select_arm,
    .update = update,
    .play = play,
    .keep = keep,
};
