/* Thompson sampling for Gaussian rewards of known variance, flat prior (Agrawal & Goyal 2013):
 *
 *     I_t = argmax_i z_i,   z_i ~ N(mean_i, sigma^2 / n_i),   each arm once first.
 *
 * One uniform number per arm and round, arms in order, through the inverse normal distribution function.
 * Cost per pull O(K); memory 40 bytes per arm.
 * per_cost: root, this project's: policies/parts/pull_costs.h, for n_i in the variance. */
#include <gsl/gsl_cdf.h>

#include "policies/parts/arm_stat.h"
#include "policies/parts/pull_costs.h"
#include "policies/play/per_pull_loop.h"

enum { SIGMA, SCALE, PER_COST = SCALE + MK_SCALING_NEXT, PARAMS };

static const struct mk_param params[] = {
    {"sigma", MK_REAL, MK_OPEN_HI, 1, 0, INFINITY, NULL, "assumed standard deviation of a (scaled) reward"},
    MK_SCALING_PARAMS(0, 1),
    MK_PER_COST_PARAM("none|root"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

struct thompson {
    struct mk_pull_costs costs;
    struct mk_scaled_stat arms;
};

static size_t state_size(const struct mk_setup *s)
{
    return offsetof(struct thompson, arms) + mk_scaled_stat_state_size(s) +
           mk_pull_costs_bytes(s, (enum mk_per_cost)s->par[PER_COST]);
}

static void init_thompson_gaussian(void *state, const struct mk_setup *s)
{
    struct thompson *h = state;
    mk_scaled_stat_init(&h->arms, s, 0, s->par + SCALE);
    mk_pull_costs_init(&h->costs, (char *)&h->arms + mk_scaled_stat_state_size(s), s,
                       (enum mk_per_cost)s->par[PER_COST]);
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct thompson *with = state;
    struct mk_scaled_stat *h = &with->arms;
    const struct mk_setup *s = h->stat.setup;
    if (t <= s->arms) return (size_t)(t - 1);
    double sigma = h->scaling.range * s->par[SIGMA];
    for (size_t i = 0; i < s->arms; i++) {
        double z = gsl_cdf_ugaussian_Pinv(mk_uniform(s->rng));
        h->round[i] = mk_scaled_stat_value(h, i) + sigma / sqrt(mk_pull_costs_pulls(&with->costs, i, h->stat.n[i])) * z;
    }
    return mk_argmax(h->round, s->arms, 0, NULL);
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    struct thompson *h = state;
    mk_scaled_stat_update(&h->arms, arm, reward, t);
    mk_pull_costs_pay(&h->costs, arm, h->arms.stat.n[arm]);
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_thompson_gaussian = {
    .name = "thompson_gaussian",
    .summary = "Thompson sampling, Gaussian rewards of known variance",
    .formula = "argmax_i z_i, z_i ~ N(mean_i, sigma^2/n_i), each arm once first",
    .reference = "Agrawal & Goyal 2013, Further optimal regret bounds for Thompson sampling",
    .departures = "that paper's posterior is N(sum_i/(n_i+1), 1/(n_i+1)); here the flat prior N(mean_i, sigma^2/n_i)",
    .cost = "O(K)",
    .kind = MK_CLASSIC,
    .flags = MK_POLICY_RANDOMISED,
    .params = params,
    .state_size = state_size,
    .init = init_thompson_gaussian,
    .select = select_arm,
    .update = update,
    .play = play,
};
