/* PS-Max (Balef & Eggensperger 2025, arXiv 2508.13657, posterior sampling of the largest reward; PS_Max.py of their
 * repository CASHPlus):
 *
 *     I_t = argmax_i  mu_n + sqrt(s^2 / lambda) Phi^-1(U^(1/f)),   each arm once first:
 *
 * the largest of f draws from a normal distribution whose variance s^2 ~ InvGamma(a, b) is drawn once an arm and round,
 *
 *     lambda = 1 + n,  mu_n = (1 + n mean) / lambda,  a = 1 + n/2,  b = ss/2 + n (mean - mu_n)^2 / (2 lambda),
 *
 * with n, mean and the sum of squared deviations ss of the arm's shaped rewards z = 1 / (1 + exp(-(x - m) / (v +
 * .01))), m and v the mean and the standard deviation (of the population) of the first K rewards. f = t (target:
 * current) or n + T - t + 1 (target: remaining), the pulls that the arm would have had or would get.
 *
 * This is the posterior of a normal distribution under the normal-inverse-gamma prior (1, 1, 1, 0), except that
 *   - b has mu_n in the place of the prior mean; update: textbook has the prior mean, 1;
 *   - the maximum is one of draws from the posterior of the mean, of variance s^2 / lambda, not of rewards, of variance
 *     s^2 (1 + 1 / lambda).
 * Both are kept as published.
 *
 * per_cost: lognormal (PS_Max_CA.py) asks what money buys. The cost of the next pull is drawn from the posterior of a
 * log-normal distribution, whose logarithm has the normal-inverse-gamma prior (0, 1, 1, 0), no lower than .1 and no
 * higher than B/10; f = spent / cost or n + (B - spent) / cost; indices are clipped to [0, 1]. Without a budget B there
 * is no highest cost, and B is T times the mean cost so far; money that is overspent counts as spent.
 *
 * The published programs draw by NumPy and SciPy; here every arm in order draws a gamma
 * variate by GSL, with costs two normal ones by inversion and another gamma variate before them, then a uniform number,
 * from the policy's own stream. U^(1/f) is near 1 and is kept as its difference from 1. Cost per pull O(K), measured
 * 0.07 microseconds per arm; memory 56 bytes per arm, with costs 96. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

#include "policies/parts/argmax.h"
#include "policies/parts/shaped_reward.h"
#include "policies/parts/undo.h"
#include "policies/play/per_pull_loop.h"
#include "policies/policy.h"

enum { UPDATE, TARGET, PER_COST, BUDGET, PARAMS };
enum { UPDATE_PUBLISHED, UPDATE_TEXTBOOK };
enum { TARGET_CURRENT, TARGET_REMAINING };

static const struct mk_param params[] = {
    MK_CHOICE_ROW("update", UPDATE_PUBLISHED, "published|textbook",
                  "in the posterior's b: the squared distance of the mean from mu_n or, textbook, from the prior mean"),
    MK_CHOICE_ROW("target", TARGET_CURRENT, "current|remaining",
                  "largest of how many draws: t, or the arm's pulls and all remaining ones (remaining: needs T)"),
    MK_CHOICE_ROW("per_cost", 0, "none|lognormal",
                  "count what money buys at sampled costs of pulls in the place of pulls"),
    {"budget", MK_REAL, MK_OPTIONAL | MK_OPEN_LO, 0, 0, INFINITY, NULL,
     "per_cost: B; if absent, T times the mean cost so far"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

/* The normal-inverse-gamma prior: mean, draws that it counts as, shape. Its scale is 0. */
static const double prior_mean = 1, prior_weight = 1, prior_shape = 1;

struct ps_max {
    const struct mk_setup *setup;
    struct mk_moments first;   /* of the first K rewards */
    double *raw;               /* [K] reward of round i + 1, for i < K */
    double *index;             /* [K] scratch */
    struct mk_moments *shaped; /* [K] of shaped rewards, from round K on */
    struct mk_moments *paid;   /* [K] of logarithms of costs; NULL: costs do not count */
    double spent;
    uint64_t pulls;
};

static bool needs_horizon(const double *par)
{
    return par[TARGET] == TARGET_REMAINING;
}

static size_t state_size(const struct mk_setup *s)
{
    const size_t moments = s->par[PER_COST] != 0 ? 2 : 1;
    return sizeof(struct ps_max) + s->arms * (2 * sizeof(double) + moments * sizeof(struct mk_moments));
}

static void init_ps_max(void *state, const struct mk_setup *s)
{
    struct ps_max *p = state;
    *p = (struct ps_max){.setup = s, .raw = (double *)(p + 1)};
    p->index = p->raw + s->arms;
    p->shaped = (struct mk_moments *)(p->index + s->arms);
    p->paid = s->par[PER_COST] != 0 ? p->shaped + s->arms : NULL;
    for (size_t i = 0; i < s->arms; i++) p->shaped[i] = (struct mk_moments){0};
    for (size_t i = 0; p->paid && i < s->arms; i++) p->paid[i] = (struct mk_moments){0};
}

/* Phi^-1(u^(1/draws)) */
static inline double largest_of(double draws, double u)
{
    const double log_p = log(u) / draws, p = exp(log_p);
    return p < 0.5 ? gsl_cdf_ugaussian_Pinv(p) : gsl_cdf_ugaussian_Qinv(-expm1(log_p));
}

static double normal(const struct mk_setup *s, double mean, double sd)
{
    const double z = gsl_cdf_ugaussian_Pinv(mk_uniform(s->rng));
    return mean + sd * z;
}

/* A cost of the arm's next pull. */
static double sample_cost(const struct ps_max *p, size_t arm)
{
    static const double lowest = 0.1, highest = 0.1; /* in units of cost, in budgets */
    const struct mk_setup *s = p->setup;
    const struct mk_moments *y = &p->paid[arm];
    const gsl_rng rng = {mk_gsl_rng_pcg64, s->rng};
    const double n = (double)y->n, mean = y->mean.high + y->mean.low, sd = mk_moments_population_sd(y);
    const double scale = (n * sd * sd + n * mean * mean / (1 + n)) / 2;
    const double variance = scale / gsl_ran_gamma(&rng, 1 + n / 2, 1);
    const double centre = normal(s, n * mean / (1 + n), sqrt(variance / (1 + n)));
    const double cost = fmax(lowest, exp(normal(s, centre, sqrt(variance)))), budget = s->par[BUDGET];
    return cost > highest * budget ? highest * budget : cost;
}

/* f: of how many draws the largest counts, with n pulls of the arm so far. */
static double draws_of(const struct ps_max *p, size_t arm, double n, uint64_t t)
{
    const struct mk_setup *s = p->setup;
    const bool remaining = needs_horizon(s->par);
    if (!p->paid) return remaining ? n + (double)(s->horizon - t + 1) : (double)t;
    const double cost = sample_cost(p, arm), own = s->par[BUDGET];
    if (!remaining) return p->spent / cost;
    const double budget = isnan(own) ? (double)s->horizon * p->spent / (double)p->pulls : own;
    return n + fmax(0, budget - p->spent) / cost;
}

static double sample(const struct ps_max *p, size_t arm, uint64_t t)
{
    const struct mk_setup *s = p->setup;
    const struct mk_moments *z = &p->shaped[arm];
    const gsl_rng rng = {mk_gsl_rng_pcg64, s->rng};
    const double n = (double)z->n, mean = z->mean.high + z->mean.low, sd = mk_moments_population_sd(z);
    const double weight = prior_weight + n, posterior = (prior_weight * prior_mean + n * mean) / weight;
    const double off = mean - (s->par[UPDATE] == UPDATE_PUBLISHED ? posterior : prior_mean);
    const double scale = n * sd * sd / 2 + n * off * off / (2 * weight);
    const double step = sqrt(scale / gsl_ran_gamma(&rng, prior_shape + n / 2, 1) / weight);
    const double draws = draws_of(p, arm, n, t), u = mk_uniform(s->rng);
    const double index = step > 0 ? posterior + step * largest_of(draws, u) : posterior;
    return p->paid ? fmin(1, fmax(0, index)) : index;
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct ps_max *p = state;
    const size_t arms = p->setup->arms;
    if (t <= arms) return (size_t)(t - 1);
    for (size_t i = 0; i < arms; i++) p->index[i] = sample(p, i, t);
    return mk_argmax(p->index, arms, 0, NULL);
}

static void pay(struct ps_max *p, size_t arm)
{
    const struct mk_setup *s = p->setup;
    struct mk_moments *paid = &p->paid[arm];
    const double cost = s->pull_cost ? s->pull_cost[arm][paid->n] : s->cost[arm];
    p->spent += cost;
    p->pulls++;
    mk_moments_add(paid, log(cost));
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    struct ps_max *p = state;
    const size_t arms = p->setup->arms;
    if (p->paid) pay(p, arm);
    if (t > arms) {
        mk_moments_add(&p->shaped[arm], mk_shaped_reward(&p->first, reward));
        return;
    }
    p->raw[arm] = reward;
    mk_moments_add(&p->first, reward);
    for (size_t i = 0; t == arms && i < arms; i++)
        mk_moments_add(&p->shaped[i], mk_shaped_reward(&p->first, p->raw[i]));
}

/* Round K shapes the first rewards of all arms. */
static void keep(void *state, size_t arm, double reward, struct mk_undo *undo)
{
    struct ps_max *p = state;
    const size_t arms = p->setup->arms;
    (void)reward;
    if (arm == arms) {
        mk_undo_keep(undo, p, sizeof *p);
        mk_undo_keep(undo, p->index, arms * sizeof *p->index);
        return;
    }
    const bool all = p->first.n + 1 == arms;
    mk_undo_keep(undo, &p->raw[arm], sizeof *p->raw);
    mk_undo_keep(undo, &p->shaped[all ? 0 : arm], (all ? arms : 1) * sizeof *p->shaped);
    if (p->paid) mk_undo_keep(undo, &p->paid[arm], sizeof *p->paid);
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_ps_max = {
    .name = "ps_max",
    .summary = "PS-Max: the largest of t draws from a sampled normal posterior of shaped rewards",
    .formula =
        "argmax_i mu_n + sqrt(s^2/lambda) Phi^-1(U^(1/f)), s^2 ~ InvGamma(a, b), each arm once first; rewards "
        "shaped by 1/(1 + exp(-(x - m)/(v + 0.01))), m and v of the first K rewards; lambda = 1 + n, mu_n = "
        "(1 + n mean)/lambda, a = 1 + n/2, b = ss/2 + n (mean - mu_n)^2/(2 lambda); f = t or n + T - t + 1, per_cost spent/c or n + (B - spent)/c at a sampled cost c",
    .reference = "Balef & Eggensperger 2025 (PS-Max, arXiv 2508.13657) and its program PS_Max.py",
    .departures =
        "as published, b has mu_n where the posterior has the prior mean, which update=textbook restores, and "
        "the maximum is of draws of the mean, not of rewards; random numbers are drawn by GSL; of per_cost, "
        "money that is overspent counts as spent, and without a budget no cost is too high",
    .cost = "O(K)",
    .kind = MK_EXTREME,
    .flags = MK_POLICY_RANDOMISED,
    .params = params,
    .state_size = state_size,
    .init = init_ps_max,
    .select = select_arm,
    .update = update,
    .play = play,
    .keep = keep,
    .needs_horizon = needs_horizon,
};
