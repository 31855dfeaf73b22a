/* ER-UCB-S, the extreme-region UCB for stationary rewards (Hu et al. 2019, eqs. 14, 15, 17):
 *
 *     I_t = argmax_i  gamma (mu_Y + sqrt(mu_Z / theta)) + psi + sqrt(psi / theta),   each arm once first,
 *     psi = sqrt(alpha log t / (2 n_i)),  Y = X - beta,  Z = Y^2,
 *
 * mu_Y, mu_Z the means over arm i's rewards. alpha = 4 gives eq. 15; Theorem 1 needs alpha > 2.
 * The MaxUCB authors' program puts gamma on mu_Y alone: gamma_on: mean, with scale: minmax (to [0, 1]).
 * beta is in the units of the rewards, which are not scaled by default (scale: none): the paper's own problem has
 * Gaussian arms around .85 and beta = .85. mu_Z = variance + mu_Y^2, so mean and variance on raw rewards suffice under
 * any affine map: O(1). numerics: rescan settles near-ties as the published program does
 * (policies/parts/numpy_arithmetic.h), at O(t) per pull. Cost per pull O(log K), one square root (O(K) square roots
 * when the map changes); memory 80 bytes per arm.
 * per_cost, this project's: policies/parts/pull_costs.h, at O(K) per pull. */
#include "policies/parts/argmax.h"
#include "policies/parts/moments.h"
#include "policies/parts/numpy_arithmetic.h"
#include "policies/parts/pull_costs.h"
#include "policies/parts/tournament.h"
#include "policies/play/per_pull_loop.h"
#include "policies/policy.h"

enum { BETA, THETA, GAMMA, ALPHA, GAMMA_ON, SCALE, SCALE_LO, SCALE_HI, TIES, NUMERICS, PER_COST, PARAMS };
enum { ON_BOTH, ON_MEAN };

static const struct mk_param params[] = {
    {"beta", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 0.6, -INFINITY, INFINITY, NULL, "anchor of the extreme region"},
    {"theta", MK_REAL, MK_OPEN_LO, 0.01, 0, 1, NULL, "probability bound of the extreme region"},
    {"gamma", MK_REAL, MK_OPEN_HI, 20, 0, INFINITY, NULL, "weight of exploitation"},
    {"alpha", MK_REAL, MK_OPEN_HI, 4, 0, INFINITY, NULL, "exploration"},
    {"gamma_on", MK_CHOICE, 0, ON_BOTH, 0, 0, "both|mean", "what gamma multiplies: both terms or mu_Y alone"},
    MK_SCALING_PARAMS(0, 1),
    MK_TIES_PARAM,
    MK_NUMERICS_PARAM,
    MK_PER_COST_PARAM("none|root|ratio"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

struct er_ucb_s {
    const struct mk_setup *setup;
    struct mk_scaling scaling;
    struct mk_moments *moments; /* [K] raw rewards */
    double *exploit;            /* [K] the terms without t, for the current map */
    double *root;               /* [K] n_i^(-1/2) */
    double *root4;              /* [K] n_i^(-1/4) */
    double *index;              /* [K] for the current round */
    struct mk_numpy rescan;
    struct mk_pull_costs costs;
    struct mk_tournament tournament;
};

static size_t state_size(const struct mk_setup *s)
{
    return sizeof(struct er_ucb_s) + mk_tournament_bytes(s) +
           s->arms * (sizeof(struct mk_moments) + 4 * sizeof(double)) + mk_numpy_bytes(s, s->par[NUMERICS] != 0) +
           mk_pull_costs_bytes(s, (enum mk_per_cost)s->par[PER_COST]);
}

static void init_er_ucb_s(void *state, const struct mk_setup *s)
{
    struct er_ucb_s *e = state;
    e->setup = s;
    e->moments = (struct mk_moments *)((char *)(e + 1) + mk_tournament_bytes(s));
    e->exploit = (double *)(e->moments + s->arms);
    e->root = e->exploit + s->arms;
    e->root4 = e->root + s->arms;
    e->index = e->root4 + s->arms;
    for (size_t i = 0; i < s->arms; i++) e->moments[i] = (struct mk_moments){0};
    mk_scaling_init(&e->scaling, s->par + SCALE);
    const enum mk_per_cost per_cost = (enum mk_per_cost)s->par[PER_COST];
    mk_pull_costs_init(&e->costs, e->index + s->arms, s, per_cost);
    mk_numpy_init(&e->rescan, (char *)(e->index + s->arms) + mk_pull_costs_bytes(s, per_cost), s,
                  s->par[NUMERICS] != 0);
    const struct mk_tournament_rules rules = {.a = e->exploit,
                                              .b = e->root,
                                              .curve = s->par[THETA],
                                              .share = mk_near_index,
                                              .random_ties = s->par[TIES] != 0};
    mk_tournament_init(&e->tournament, e + 1, s, &rules);
}

static inline double exploit(const double *par, double mu_y, double mu_z)
{
    double region = sqrt(mu_z / par[THETA]);
    return par[GAMMA_ON] == ON_MEAN ? par[GAMMA] * mu_y + region : par[GAMMA] * (mu_y + region);
}

/* Costs in it. */
static double psi_of(const struct er_ucb_s *e, size_t i, uint64_t t)
{
    const uint64_t n = e->moments[i].n;
    const double log_t = 0.5 * e->setup->par[ALPHA] * mk_pull_costs_log(&e->costs, i, n, t, 0);
    return sqrt(log_t / mk_pull_costs_pulls(&e->costs, i, n));
}

static size_t select_rescanned(struct er_ucb_s *e, uint64_t t)
{
    const struct mk_setup *s = e->setup;
    e->rescan.map = mk_scaling_affine(&e->scaling);
    for (size_t i = 0; i < s->arms; i++) {
        double mu_y = mk_numpy_mean(&e->rescan, i, s->par[BETA], 0);
        double mu_z = mk_numpy_mean(&e->rescan, i, s->par[BETA], 1);
        double psi = psi_of(e, i, t);
        e->index[i] = exploit(s->par, mu_y, mu_z) + (psi + sqrt(1 / s->par[THETA] * psi));
    }
    return mk_argmax(e->index, s->arms, s->par[TIES] != 0, s->rng);
}

static size_t select_costly(struct er_ucb_s *e, uint64_t t)
{
    const struct mk_setup *s = e->setup;
    for (size_t i = 0; i < s->arms; i++) {
        const double psi = psi_of(e, i, t);
        e->index[i] = e->exploit[i] + psi + sqrt(psi / s->par[THETA]);
    }
    return mk_argmax_near(e->index, s->arms, s->par[TIES] != 0, s->rng);
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct er_ucb_s *e = state;
    const struct mk_setup *s = e->setup;
    if (t <= s->arms) return (size_t)(t - 1);
    if (e->rescan.history) return select_rescanned(e, t);
    if (mk_pull_costs_count(&e->costs)) return select_costly(e, t);
    const double psi = sqrt(0.5 * s->par[ALPHA] * mk_log(s, t)), region = sqrt(psi / s->par[THETA]);
    if (e->tournament.used) return mk_tournament_best(&e->tournament, psi, s->rng);
    for (size_t i = 0; i < s->arms; i++) e->index[i] = e->exploit[i] + psi * e->root[i] + region * e->root4[i];
    return mk_argmax_near(e->index, s->arms, s->par[TIES] != 0, s->rng);
}

static inline void set_exploit(struct er_ucb_s *e, size_t i)
{
    const double *par = e->setup->par;
    const struct mk_running_mean *mean = &e->moments[i].mean;
    double mu_y = mk_scaling_sum(&e->scaling, mean->high, mean->low) - par[BETA];
    double sd = mk_scaling_length(&e->scaling, mk_moments_population_sd(&e->moments[i]));
    e->exploit[i] = exploit(par, mu_y, sd * sd + mu_y * mu_y);
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)t;
    struct er_ucb_s *e = state;
    mk_moments_add(&e->moments[arm], reward);
    e->root[arm] = 1 / sqrt((double)e->moments[arm].n);
    e->root4[arm] = sqrt(e->root[arm]);
    mk_numpy_add(&e->rescan, arm, reward);
    mk_pull_costs_pay(&e->costs, arm, e->moments[arm].n);
    const struct mk_scaling before = e->scaling;
    mk_scaling_see(&e->scaling, reward);
    if (!mk_scaling_moved(&before, &e->scaling)) {
        set_exploit(e, arm);
        mk_tournament_changed(&e->tournament, arm);
        return;
    }
    mk_tournament_forget(&e->tournament);
    for (size_t i = 0; i < e->setup->arms; i++)
        if (e->moments[i].n) set_exploit(e, i);
}

static void keep(void *state, size_t arm, double reward, struct mk_undo *undo)
{
    struct er_ucb_s *e = state;
    const size_t arms = e->setup->arms;
    const bool scans =
        e->rescan.history || mk_pull_costs_count(&e->costs) || !e->tournament.used; /* every round writes all indices */
    if (arm == arms) {
        mk_undo_keep(undo, e, scans ? state_size(e->setup) : sizeof *e);
        e->tournament.undo = undo;
        return;
    }
    mk_undo_keep(undo, &e->moments[arm], sizeof *e->moments);
    mk_undo_keep(undo, &e->root[arm], sizeof *e->root);
    mk_undo_keep(undo, &e->root4[arm], sizeof *e->root4);
    if (mk_scaling_changes(&e->scaling, reward))
        mk_undo_keep(undo, e->exploit, arms * sizeof *e->exploit);
    else
        mk_undo_keep(undo, &e->exploit[arm], sizeof *e->exploit);
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_er_ucb_s = {
    .name = "er_ucb_s",
    .summary = "ER-UCB: upper confidence bound on the extreme region, stationary rewards",
    .formula = "argmax_i gamma (mu_Y + sqrt(mu_Z/theta)) + psi + sqrt(psi/theta), psi = sqrt(alpha log t/(2 n_i)), "
               "Y = X - beta, Z = Y^2",
    .reference = "Hu et al. 2019, eqs. 15 and 17; beta, theta, gamma from Balef et al. 2025, Table D.5",
    .departures = "AutoML runs of Balef 2025: gamma_on=mean, scale=minmax, numerics=rescan",
    .cost = "O(log K)",
    .kind = MK_CASH,
    .flags = MK_POLICY_RANDOM_TIES,
    .params = params,
    .state_size = state_size,
    .init = init_er_ucb_s,
    .select = select_arm,
    .update = update,
    .play = play,
    .keep = keep,
};
