/* UCB (Auer, Cesa-Bianchi & Fischer 2002):
 *
 *     I_t = argmax_i  mean_i + sqrt(alpha log t / n_i),   each arm once first.
 *
 * UCB1 is alpha = 2 with t - 1 (the pulls made so far) in the logarithm; alpha = .5 is Table D.5 of Balef et al. 2025.
 * The C-UCB of Hu 2019 (Table 1) corresponds to alpha = .005: the weight gamma = 20 of ER-UCB on the mean.
 * Rewards are not scaled (scale: none). The published AutoML runs use scale: minmax, to [0, 1] by default here. The map
 * is affine with one slope 1 / range for all arms, so the order is that of mean_i + range * bonus, means measured from
 * the origin of the map. numerics: rescan settles near-ties as the published program does
 * (policies/parts/numpy_arithmetic.h), at O(t) per pull. Cost per pull O(log K); memory 56 bytes per arm.
 * per_cost, this project's: policies/parts/pull_costs.h, at O(K) per pull.
 *
 * Staying with an arm. In most rounds the arm of the previous round is chosen again, and its mean alone can show it.
 * Let v be the largest index of the other arms at round t, w the widest bonus of all, f the bonus of the arm and n its
 * pulls. After m more rounds, all to this arm, no other index exceeds v + m w / (2 t log t) (sqrt(log t) is concave:
 * its tangent), and the arm's own bonus is at least f (1 - m / (2 n)) (1/sqrt(n) is convex). So while
 *     mean > v - f + m (w / (t log t) + f / n) / 2,
 * it stays. A margin far above rounding, and above the tolerance for ties, makes the same true of the very numbers that
 * select compares; cases within the margin are left to select. */
#include "policies/parts/argmax.h"
#include "policies/parts/numpy_arithmetic.h"
#include "policies/parts/pull_costs.h"
#include "policies/parts/running_mean.h"
#include "policies/parts/tournament.h"
#include "policies/play/per_pull_loop.h"
#include "policies/policy.h"

enum { ALPHA, SCALE, SCALE_LO, SCALE_HI, TIES, NUMERICS, PER_COST, PARAMS };

static const struct mk_param params[] = {
    {"alpha", MK_REAL, MK_OPEN_HI, 0.5, 0, INFINITY, NULL, "exploration"},
    MK_SCALING_PARAMS(0, 1),
    MK_TIES_PARAM,
    MK_NUMERICS_PARAM,
    MK_PER_COST_PARAM("none|root|ratio"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

struct ucb {
    const struct mk_setup *setup;
    struct mk_scaling scaling;
    double *mean;      /* [K] from the origin of the map */
    double *root;      /* [K] 1 / sqrt(n_i) */
    double bonus;      /* range * sqrt(alpha log t) of the current round */
    double *n;         /* [K] */
    double *next_root; /* [K] 1 / sqrt(n_i + 1) and 1 / (n_i + 1), computed before the next pull needs them: */
    double *next_inv;  /* [K] divisions and roots would stall the next round */
    size_t last;       /* arm of the previous round; the number of arms at the start */
    double least_mean; /* for an arm that stays: v - f and the margin; */
    double rise;       /* its increase per round */
    struct mk_running_mean *raw; /* [K] means if the origin moves (scale minmax) */
    struct mk_numpy rescan;
    struct mk_pull_costs costs;
    uint64_t t; /* per_cost, rescan: the current round */
    struct mk_tournament tournament;
};

static size_t state_size(const struct mk_setup *s)
{
    return sizeof(struct ucb) + mk_tournament_bytes(s) +
           s->arms * (5 * sizeof(double) + sizeof(struct mk_running_mean)) + mk_numpy_bytes(s, s->par[NUMERICS] != 0) +
           mk_pull_costs_bytes(s, (enum mk_per_cost)s->par[PER_COST]);
}

static void init_ucb(void *state, const struct mk_setup *s)
{
    struct ucb *u = state;
    u->setup = s;
    u->mean = (double *)((char *)(u + 1) + mk_tournament_bytes(s));
    u->root = u->mean + s->arms;
    u->n = u->root + s->arms;
    u->next_root = u->n + s->arms;
    u->next_inv = u->next_root + s->arms;
    u->raw = (struct mk_running_mean *)(u->next_inv + s->arms);
    const enum mk_per_cost per_cost = (enum mk_per_cost)s->par[PER_COST];
    mk_pull_costs_init(&u->costs, u->raw + s->arms, s, per_cost);
    mk_numpy_init(&u->rescan, (char *)(u->raw + s->arms) + mk_pull_costs_bytes(s, per_cost), s, s->par[NUMERICS] != 0);
    for (size_t i = 0; i < s->arms; i++) {
        u->raw[i] = (struct mk_running_mean){0, 0};
        u->mean[i] = u->n[i] = 0;
        u->next_root[i] = u->next_inv[i] = 1;
    }
    const struct mk_tournament_rules rules = {
        .a = u->mean, .b = u->root, .share = mk_near_index, .random_ties = s->par[TIES] != 0};
    mk_tournament_init(&u->tournament, u + 1, s, &rules);
    u->last = s->arms;
    mk_scaling_init(&u->scaling, s->par + SCALE);
}

static inline double index_of(const void *context, size_t i)
{
    const struct ucb *u = context;
    return u->mean[i] + u->bonus * u->root[i];
}

/* The square of an arm's bonus, costs in it. */
static double squared_bonus(const struct ucb *u, size_t i)
{
    const uint64_t n = (uint64_t)u->n[i];
    return u->setup->par[ALPHA] * mk_pull_costs_log(&u->costs, i, n, u->t, 0) / mk_pull_costs_pulls(&u->costs, i, n);
}

static double rescanned(const void *context, size_t i)
{
    const struct ucb *u = context;
    return mk_numpy_mean(&u->rescan, i, 0, 0) + sqrt(squared_bonus(u, i));
}

static double costly(const void *context, size_t i)
{
    const struct ucb *u = context;
    return u->mean[i] + u->scaling.range * sqrt(squared_bonus(u, i));
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct ucb *u = state;
    const struct mk_setup *s = u->setup;
    if (t <= s->arms) return (size_t)(t - 1);
    if (u->rescan.history) {
        u->rescan.map = mk_scaling_affine(&u->scaling);
        u->t = t;
        return mk_argmax_of(u, s->arms, rescanned, s->par[TIES] != 0, s->rng);
    }
    if (mk_pull_costs_count(&u->costs)) {
        u->t = t;
        return mk_argmax_near_of(u, s->arms, costly, mk_near_index, s->par[TIES] != 0, s->rng);
    }
    u->bonus = u->scaling.range * sqrt(s->par[ALPHA] * mk_log(s, t));
    if (u->tournament.used) return mk_tournament_best(&u->tournament, u->bonus, s->rng);
    return mk_argmax_near_of(u, s->arms, index_of, mk_near_index, s->par[TIES] != 0, s->rng);
}

static void move_means(struct ucb *u)
{
    for (size_t i = 0; i < u->setup->arms; i++)
        u->mean[i] = mk_running_mean_above(&u->raw[i], mk_scaling_origin(&u->scaling));
    mk_tournament_forget(&u->tournament);
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)t;
    struct ucb *u = state;
    const double before = mk_scaling_origin(&u->scaling);
    mk_scaling_see(&u->scaling, reward);
    if (u->scaling.scale == MK_SCALE_MINMAX) {
        mk_running_mean_add(&u->raw[arm], reward, u->next_inv[arm]);
        u->mean[arm] = mk_running_mean_above(&u->raw[arm], mk_scaling_origin(&u->scaling));
        if (mk_scaling_origin(&u->scaling) != before) move_means(u);
    } else {
        u->mean[arm] += (reward - u->mean[arm]) * u->next_inv[arm];
    }
    u->root[arm] = u->next_root[arm];
    double next = (u->n[arm] += 1) + 1;
    mk_pull_costs_pay(&u->costs, arm, (uint64_t)u->n[arm]);
    u->next_inv[arm] = 1 / next;
    u->next_root[arm] = sqrt(u->next_inv[arm]);
    mk_numpy_add(&u->rescan, arm, reward);
    mk_tournament_changed(&u->tournament, arm);
}

static void keep(void *state, size_t arm, double reward, struct mk_undo *undo)
{
    struct ucb *u = state;
    const size_t arms = u->setup->arms;
    if (arm == arms) {
        mk_undo_keep(undo, u, u->rescan.history ? state_size(u->setup) : sizeof *u);
        u->tournament.undo = undo;
        return;
    }
    mk_undo_keep(undo, &u->root[arm], sizeof *u->root);
    mk_undo_keep(undo, &u->n[arm], sizeof *u->n);
    mk_undo_keep(undo, &u->next_root[arm], sizeof *u->next_root);
    mk_undo_keep(undo, &u->next_inv[arm], sizeof *u->next_inv);
    mk_undo_keep(undo, &u->raw[arm], sizeof *u->raw);
    mk_pull_costs_keep(&u->costs, arm, undo);
    if (mk_scaling_moves(&u->scaling, reward))
        mk_undo_keep(undo, u->mean, arms * sizeof *u->mean);
    else
        mk_undo_keep(undo, &u->mean[arm], sizeof *u->mean);
}

/* Rounds from t on, up to `most`, for which the tournament knows the rivals' largest index and the b of the leading
 * ones: the bonus, concave in t, stays below its tangent. */
static inline uint64_t known_rounds(const struct ucb *u, const struct mk_tournament_rivals *known, double slope,
                                    uint64_t most)
{
    double rounds = (known->until * (1 - 1e-12) - u->bonus) / slope;
    return rounds > (double)most ? most : rounds > 1 ? (uint64_t)rounds : 1;
}

/* No limit is set here: update_many watches the mean. */
static inline uint64_t stay(void *state, size_t arm, uint64_t t, uint64_t most)
{
    const double margin = 4e-13;
    struct ucb *u = state;
    const size_t arms = u->setup->arms, before = u->last;
    u->last = arm;
    /* Alternating arms: looking ahead does not pay. */
    if (t <= arms || arm != before || u->rescan.history || mk_pull_costs_count(&u->costs)) return 1;
    double own = u->bonus * u->root[arm], rival = -INFINITY, widest = 0;
    const double slope = u->bonus / (2 * (double)t * mk_log(u->setup, t));
    if (u->tournament.used) {
        const struct mk_tournament_rivals known = mk_tournament_rivals(&u->tournament, arm, INFINITY);
        rival = known.best;
        widest = fmax(own, u->bonus * known.steep);
        most = known_rounds(u, &known, slope, most);
    } else {
        for (size_t j = 0; j < arms; j++) {
            double bonus = u->bonus * u->root[j], index = u->mean[j] + bonus;
            rival = j != arm && index > rival ? index : rival;
            widest = bonus > widest ? bonus : widest;
        }
    }
    u->least_mean = rival - own + margin * (fabs(rival) + own + widest);
    u->rise = 0.5 * (widest / ((double)t * mk_log(u->setup, t)) + own / u->n[arm]);
    return most;
}

/* Also ends after a reward that changes the scaling. */
static inline __attribute__((always_inline)) uint64_t take(struct ucb *u, size_t arm, const double *rewards, uint64_t n,
                                                           int minmax)
{
    const double range = u->scaling.range, origin = mk_scaling_origin(&u->scaling), before = u->n[arm];
    const double least = u->least_mean, rise = u->rise;
    struct mk_running_mean raw = u->raw[arm];
    double mean = u->mean[arm], pulls = before;
    uint64_t taken = 0;
    do {
        pulls++;
        if (minmax) {
            mk_running_mean_add(&raw, rewards[taken], 1 / pulls);
            mean = mk_running_mean_above(&raw, origin);
        } else {
            mean += (rewards[taken] - mean) * (1 / pulls);
        }
        mk_scaling_see(&u->scaling, rewards[taken]);
        taken++;
    } while (taken < n && mean > least + (pulls - before) * rise && u->scaling.range == range &&
             (!minmax || u->scaling.smallest == origin));
    u->mean[arm] = mean;
    u->raw[arm] = raw;
    u->n[arm] = pulls;
    if (minmax && u->scaling.smallest != origin) move_means(u);
    return taken;
}

static inline uint64_t update_many(void *state, size_t arm, const double *rewards, uint64_t n, uint64_t t)
{
    (void)t;
    struct ucb *u = state;
    uint64_t taken = u->scaling.scale == MK_SCALE_MINMAX ? take(u, arm, rewards, n, 1) : take(u, arm, rewards, n, 0);
    u->root[arm] = sqrt(1 / u->n[arm]);
    u->next_inv[arm] = 1 / (u->n[arm] + 1);
    u->next_root[arm] = sqrt(u->next_inv[arm]);
    mk_tournament_changed(&u->tournament, arm);
    return taken;
}

MK_POLICY_PLAY_STAYING(play, select_arm, update, stay, update_many)

const struct mk_policy_type mk_policy_ucb = {
    .name = "ucb",
    .summary = "mean plus sqrt(alpha log t / n)",
    .formula = "argmax_i mean_i + sqrt(alpha log t / n_i), each arm once first",
    .reference = "Auer, Cesa-Bianchi & Fischer 2002; alpha from Balef et al. 2025, Table D.5",
    .departures = "UCB1: alpha=2; AutoML runs of Balef 2025: scale=minmax, numerics=rescan; Hu 2019, Table 1: "
                  "alpha=0.005",
    .cost = "O(log K)",
    .kind = MK_CLASSIC,
    .flags = MK_POLICY_RANDOM_TIES,
    .params = params,
    .state_size = state_size,
    .init = init_ucb,
    .select = select_arm,
    .update = update,
    .play = play,
    .keep = keep,
};
