/* R-UCBE, upper confidence bounds for best-arm identification in stochastic rising bandits (Mussi et al. 2024,
 * Algorithm 1):
 *
 *     I_t = argmax_i  mean of x_s + sum_s (T - s)(x_s - x_{s-h}) / h^2 + sigma (T - n + h - 1) sqrt(a / h^3),
 *
 * s over the last h = floor(epsilon n) of the arm's n pulls; infinite while h = 0. Each arm once first.
 * In CASH x_s is the running best after s pulls. sigma refers to the scale of the rewards, which are not scaled by
 * default (scale: none). variant: published follows the MaxUCB authors' program (with scale: minmax,
 * a: 57.12041528623219): the mean over the *first* n-h-1 values (0 when there is none), T - s + 2 instead of T - s, and
 * index 0 while h = 0. An arm's index changes only with its own pulls and with the map: four numbers are kept for each.
 * Sums of x are taken over the windows only (policies/parts/record_sums.h).
 * Cost per pull O(log K + log^2 n); memory at most 128 bytes per pull (typical rewards touch almost none of it) and 344
 * per arm. per_cost: ratio, this project's: policies/parts/pull_costs.h, its horizon in the place of T, at O(K log^2
 * n). */
#include <string.h>

#include "policies/parts/argmax.h"
#include "policies/parts/pull_costs.h"
#include "policies/parts/record_sums.h"
#include "policies/parts/reward_scaling.h"
#include "policies/parts/tournament.h"
#include "policies/play/per_pull_loop.h"
#include "policies/policy.h"

enum { A, SIGMA, EPSILON, VARIANT, SCALE, SCALE_LO, SCALE_HI, TIES, PER_COST, PARAMS };

static const struct mk_param params[] = {
    {"a", MK_REAL, MK_OPEN_HI, 57.12, 0, INFINITY, NULL, "exploration"},
    {"sigma", MK_REAL, MK_OPEN_HI, 0.05, 0, INFINITY, NULL, "assumed standard deviation of a reward"},
    MK_WINDOW_PARAM,
    MK_VARIANT_PARAM,
    MK_SCALING_PARAMS(0, 1),
    MK_TIES_PARAM,
    MK_PER_COST_PARAM("none|ratio"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

struct r_ucbe {
    const struct mk_setup *setup;
    struct mk_scaling scaling;
    struct mk_arena arena;
    struct mk_record_sums *arm; /* [K] */
    double *first, *rest;       /* [K] windowed mean: the window's first x, and the contribution of the others, raw */
    double *rise;               /* [K] sum of the increments, raw */
    double *bonus;              /* [K] */
    double *index;              /* [K] for the current map */
    struct mk_pull_costs costs;
    struct mk_tournament tournament;
};

static size_t state_size(const struct mk_setup *s)
{
    return sizeof(struct r_ucbe) + mk_tournament_bytes(s) +
           s->arms * (sizeof(struct mk_record_sums) + 5 * sizeof(double)) +
           mk_pull_costs_bytes(s, mk_per_cost_ratio(s->par[PER_COST])) +
           mk_record_sums_bytes(s->arms, (size_t)s->horizon);
}

static void init_r_ucbe(void *state, const struct mk_setup *s)
{
    struct r_ucbe *r = state;
    r->setup = s;
    r->arm = (struct mk_record_sums *)((char *)(r + 1) + mk_tournament_bytes(s));
    memset(r->arm, 0, s->arms * sizeof *r->arm);
    r->first = (double *)(r->arm + s->arms);
    r->rest = r->first + s->arms;
    r->rise = r->rest + s->arms;
    r->bonus = r->rise + s->arms;
    r->index = r->bonus + s->arms;
    const enum mk_per_cost per_cost = mk_per_cost_ratio(s->par[PER_COST]);
    mk_pull_costs_init(&r->costs, r->index + s->arms, s, per_cost);
    char *memory = (char *)(r->index + s->arms) + mk_pull_costs_bytes(s, per_cost);
    r->arena = (struct mk_arena){memory, (char *)state + state_size(s), NULL};
    mk_scaling_init(&r->scaling, s->par + SCALE);
    const struct mk_tournament_rules rules = {.a = r->index, .share = mk_near_index, .random_ties = s->par[TIES] != 0};
    mk_tournament_init(&r->tournament, r + 1, s, &rules);
}

/* floor(epsilon n): the window of an arm. */
static inline uint64_t window_of(const struct r_ucbe *r, size_t i)
{
    return (uint64_t)(r->setup->par[EPSILON] * (double)r->arm[i].n);
}

static inline double index_of(const struct r_ucbe *r, size_t i)
{
    const int published = r->setup->par[VARIANT] == MK_WINDOW_PUBLISHED;
    uint64_t h = window_of(r, i);
    if (h == 0) return published ? 0 : INFINITY;
    double level = published && r->arm[i].n == h + 1
                       ? 0
                       : mk_scaling_value(&r->scaling, r->first[i]) + mk_scaling_length(&r->scaling, r->rest[i]);
    return level + mk_scaling_length(&r->scaling, r->rise[i]) + r->bonus[i];
}

static void set_parts(struct r_ucbe *r, size_t arm);

/* The horizon of an arm depends on the costs of all. */
static size_t select_costly(struct r_ucbe *r)
{
    const struct mk_setup *s = r->setup;
    for (size_t i = 0; i < s->arms; i++) {
        set_parts(r, i);
        r->index[i] = index_of(r, i);
    }
    return mk_argmax_near(r->index, s->arms, s->par[TIES] != 0, s->rng);
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct r_ucbe *r = state;
    const struct mk_setup *s = r->setup;
    if (t <= s->arms) return (size_t)(t - 1);
    if (mk_pull_costs_count(&r->costs)) return select_costly(r);
    if (r->tournament.used) return mk_tournament_best(&r->tournament, 0, s->rng);
    return mk_argmax_near(r->index, s->arms, s->par[TIES] != 0, s->rng);
}

/* sum_s (c - s) x_s over the window minus sum_u (c - h - u) x_u over the preceding one, u = s - h. Pull o of either
 * window has the same weight, c - s = w - o, so that both may be measured from the first x of the earlier one. */
static double increments(const struct mk_record_sums *a, uint64_t window, double c)
{
    const struct mk_stretch now = mk_record_sums_over(a, a->n - window, a->n);
    const struct mk_stretch before = mk_record_sums_over(a, a->n - 2 * window, a->n - window);
    const double h = (double)window, w = c - (double)(a->n - window + 1), step = now.first - before.first;
    return w * (now.sum - before.sum + h * step) - (now.moment - before.moment + 0.5 * h * (h - 1) * step);
}

/* What the arm's index is made of, after a pull. */
static void set_parts(struct r_ucbe *r, size_t arm)
{
    const struct mk_setup *s = r->setup;
    const struct mk_record_sums *a = &r->arm[arm];
    const uint64_t window = window_of(r, arm);
    if (window == 0) return;
    const double h = (double)window, horizon = mk_pull_costs_horizon(&r->costs, arm, a->n);
    const struct mk_stretch level = mk_window_over(a, window, (enum mk_window_form)s->par[VARIANT]);
    r->first[arm] = level.first;
    r->rest[arm] = level.sum / level.pulls;
    double c = s->par[VARIANT] == MK_WINDOW_PUBLISHED ? horizon + 2 : horizon;
    r->rise[arm] = increments(a, window, c) / (h * h);
    r->bonus[arm] = s->par[SIGMA] * (horizon - (double)a->n + h - 1) * sqrt(s->par[A] / (h * h * h));
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)t;
    struct r_ucbe *r = state;
    const struct mk_scaling before = r->scaling;
    mk_record_sums_add(&r->arm[arm], &r->arena, reward);
    mk_pull_costs_pay(&r->costs, arm, r->arm[arm].n);
    mk_scaling_see(&r->scaling, reward);
    set_parts(r, arm);
    const bool moved = mk_scaling_moved(&before, &r->scaling);
    const size_t from = moved ? 0 : arm, to = moved ? r->setup->arms : arm + 1;
    if (moved) mk_tournament_forget(&r->tournament);
    for (size_t i = from; i < to; i++)
        if (r->arm[i].n) r->index[i] = index_of(r, i);
    mk_tournament_changed(&r->tournament, arm);
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_r_ucbe = {
    .name = "r_ucbe",
    .summary = "upper confidence bounds for rising bandits on the windowed running best",
    .formula =
        "argmax_i mean_h(x) + sum_s (T-s)(x_s - x_{s-h})/h^2 + sigma (T-n+h-1) sqrt(a/h^3), h = floor(epsilon n)",
    .reference = "Mussi et al. 2024, R-UCBE; parameters from Balef et al. 2025, Table D.5",
    .departures =
        "the reward of a pull is the running best; AutoML runs of Balef 2025: variant=published, scale=minmax, "
        "a=57.12041528623219",
    .cost = "O(log K + log^2 n)",
    .kind = MK_CASH,
    .flags = MK_POLICY_NEEDS_HORIZON | MK_POLICY_RANDOM_TIES,
    .params = params,
    .state_size = state_size,
    .init = init_r_ucbe,
    .select = select_arm,
    .update = update,
    .play = play,
};
