/* Quantile UCB (Balef et al. 2024, Algorithm 1):
 *
 *     I_t = argmax_i  Q_i(tau) + sqrt(alpha log t / n_i),   each arm once first,
 *
 * Q_i(tau) the empirical tau-quantile of arm i's rewards, by linear interpolation (NumPy's default, R type 7).
 * Line 8 of the algorithm normalises rewards, hence scale minmax to [0, 1] by default. Quantiles follow the map, so the
 * order is that of Q_i + range * bonus, quantiles measured from the origin of the map. numerics: rescan settles
 * near-ties as the published program does, which interpolates between scaled rewards. alpha = .5 is Table D.5 of Balef
 * et al. 2025; Balef et al. 2024 use .25. Cost per pull O(log K + log n_i); memory at most the smaller of 64 bytes per
 * pull + 524 per arm and 32 bytes per pull + 2572 per arm.
 * per_cost, this project's: policies/parts/pull_costs.h, at O(K) per pull. */
#include "policies/parts/argmax.h"
#include "policies/parts/arm_quantile.h"
#include "policies/parts/numpy_arithmetic.h"
#include "policies/parts/pull_costs.h"
#include "policies/parts/tournament.h"
#include "policies/play/per_pull_loop.h"

enum { ALPHA, TAU, SCALE, SCALE_LO, SCALE_HI, TIES, NUMERICS, PER_COST, PARAMS };

static const struct mk_param params[] = {
    {"alpha", MK_REAL, MK_OPEN_HI, 0.5, 0, INFINITY, NULL, "exploration"},
    {"tau", MK_REAL, 0, 0.95, 0, 1, NULL, "level of the quantile"},
    MK_SCALING_PARAMS_FROM(MK_SCALE_MINMAX, 0, 1),
    MK_TIES_PARAM,
    MK_NUMERICS_PARAM,
    MK_PER_COST_PARAM("none|root|ratio"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

struct quantile_ucb {
    const struct mk_setup *setup;
    struct mk_scaling scaling;
    struct mk_arm_quantile quantile; /* Q_i(tau) */
    double *root;                    /* [K] 1 / sqrt(n_i) */
    double *index;                   /* [K] for the current round */
    struct mk_pull_costs costs;
    struct mk_tournament tournament;
};

static size_t state_size(const struct mk_setup *s)
{
    return sizeof(struct quantile_ucb) + mk_tournament_bytes(s) + 2 * s->arms * sizeof(double) +
           mk_pull_costs_bytes(s, (enum mk_per_cost)s->par[PER_COST]) + mk_arm_quantile_bytes(s);
}

static void init_quantile_ucb(void *state, const struct mk_setup *s)
{
    struct quantile_ucb *q = state;
    q->setup = s;
    q->root = (double *)((char *)(q + 1) + mk_tournament_bytes(s));
    q->index = q->root + s->arms;
    const enum mk_per_cost per_cost = (enum mk_per_cost)s->par[PER_COST];
    mk_pull_costs_init(&q->costs, q->index + s->arms, s, per_cost);
    mk_arm_quantile_init(&q->quantile, (char *)(q->index + s->arms) + mk_pull_costs_bytes(s, per_cost), s, s->par[TAU]);
    mk_scaling_init(&q->scaling, s->par + SCALE);
    const struct mk_tournament_rules rules = {
        .a = q->quantile.value, .b = q->root, .share = mk_near_index, .random_ties = s->par[TIES] != 0};
    mk_tournament_init(&q->tournament, q + 1, s, &rules);
}

/* alpha log t / n_i, costs in it. */
static double squared_bonus(const struct quantile_ucb *q, size_t i, uint64_t t)
{
    const uint64_t n = q->quantile.heap[i].n;
    return q->setup->par[ALPHA] * mk_pull_costs_log(&q->costs, i, n, t, 0) / mk_pull_costs_pulls(&q->costs, i, n);
}

/* Equivalent to sorting the scaled history: the map preserves the order. */
static size_t select_rescanned(struct quantile_ucb *q, uint64_t t)
{
    const struct mk_setup *s = q->setup;
    const struct mk_affine map = mk_scaling_affine(&q->scaling);
    for (size_t i = 0; i < s->arms; i++) {
        struct mk_rank_heap *h = &q->quantile.heap[i];
        double lo, hi, share = mk_rank_heap_around(h, s->par[TAU], &lo, &hi);
        double quantile = mk_quantile_between(mk_affine_value(&map, lo), mk_affine_value(&map, hi), share);
        q->index[i] = quantile + sqrt(squared_bonus(q, i, t));
    }
    return mk_argmax(q->index, s->arms, s->par[TIES] != 0, s->rng);
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct quantile_ucb *q = state;
    const struct mk_setup *s = q->setup;
    if (t <= s->arms) return (size_t)(t - 1);
    if (s->par[NUMERICS] == MK_NUMERICS_RESCAN) return select_rescanned(q, t);
    if (mk_pull_costs_count(&q->costs)) {
        for (size_t i = 0; i < s->arms; i++)
            q->index[i] = q->quantile.value[i] + q->scaling.range * sqrt(squared_bonus(q, i, t));
        return mk_argmax_near(q->index, s->arms, s->par[TIES] != 0, s->rng);
    }
    const double bonus = q->scaling.range * sqrt(s->par[ALPHA] * mk_log(s, t));
    if (q->tournament.used) return mk_tournament_best(&q->tournament, bonus, s->rng);
    for (size_t i = 0; i < s->arms; i++) q->index[i] = q->quantile.value[i] + bonus * q->root[i];
    return mk_argmax_near(q->index, s->arms, s->par[TIES] != 0, s->rng);
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)t;
    struct quantile_ucb *q = state;
    mk_scaling_see(&q->scaling, reward);
    int moved = mk_arm_quantile_move(&q->quantile, q->setup->arms, mk_scaling_origin(&q->scaling));
    const uint64_t n = mk_arm_quantile_add(&q->quantile, arm, reward);
    q->root[arm] = 1 / sqrt((double)n);
    mk_pull_costs_pay(&q->costs, arm, n);
    if (moved) mk_tournament_forget(&q->tournament);
    mk_tournament_changed(&q->tournament, arm);
}

static void keep(void *state, size_t arm, double reward, struct mk_undo *undo)
{
    struct quantile_ucb *q = state;
    const size_t arms = q->setup->arms;
    const bool rescan = q->setup->par[NUMERICS] == MK_NUMERICS_RESCAN;
    const bool scans = !q->tournament.used || rescan || mk_pull_costs_count(&q->costs);
    if (arm == arms) {
        mk_undo_keep(undo, q, sizeof *q);
        if (scans) mk_undo_keep(undo, q->index, arms * sizeof *q->index);
        q->tournament.undo = q->quantile.arena.undo = undo;
        return;
    }
    mk_arm_quantile_keep(&q->quantile, arms, arm, mk_scaling_moves(&q->scaling, reward), undo);
    mk_undo_keep(undo, &q->root[arm], sizeof *q->root);
    mk_pull_costs_keep(&q->costs, arm, undo);
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_quantile_ucb = {
    .name = "quantile_ucb",
    .summary = "upper confidence bound on the tau-quantile",
    .formula = "argmax_i Q_i(tau) + sqrt(alpha log t / n_i), each arm once first",
    .reference = "Balef et al. 2024, Algorithm 1 (Quantile UCB); alpha from Balef et al. 2025, Table D.5",
    .departures = "Balef 2024: alpha=0.25; the normalisation of line 8 is scale=minmax, switched off by scale=none; "
                  "published AutoML runs: numerics=rescan",
    .cost = "O(log K + log n)",
    .kind = MK_CASH,
    .flags = MK_POLICY_RANDOM_TIES,
    .params = params,
    .state_size = state_size,
    .init = init_quantile_ucb,
    .select = select_arm,
    .update = update,
    .play = play,
    .keep = keep,
};
