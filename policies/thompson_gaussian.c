/* Thompson sampling for Gaussian rewards of known variance, flat prior (Agrawal & Goyal 2013):
 *
 *     I_t = argmax_i z_i,   z_i ~ N(mean_i, sigma^2 / n_i),   each arm once first.
 *
 * One uniform number per arm and round, arms in order, through the inverse normal distribution function.
 * Cost per pull O(K); memory 40 bytes per arm. */
#include <gsl/gsl_cdf.h>

#include "policies/parts/arm_stat.h"
#include "policies/play/per_pull_loop.h"

enum { SIGMA, SCALE, PARAMS = SCALE + MK_SCALING_NEXT };

static const struct mk_param params[] = {
    {"sigma", MK_REAL, MK_OPEN_HI, 1, 0, INFINITY, NULL, "assumed standard deviation of a (scaled) reward"},
    MK_SCALING_PARAMS(0, 1),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static void init_thompson_gaussian(void *state, const struct mk_setup *s)
{
    mk_scaled_stat_init(state, s, 0, s->par + SCALE);
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct mk_scaled_stat *h = state;
    const struct mk_setup *s = h->stat.setup;
    if (t <= s->arms) return (size_t)(t - 1);
    double sigma = h->scaling.range * s->par[SIGMA];
    for (size_t i = 0; i < s->arms; i++) {
        double z = gsl_cdf_ugaussian_Pinv(mk_uniform(s->rng));
        h->round[i] = mk_scaled_stat_value(h, i) + sigma / sqrt((double)h->stat.n[i]) * z;
    }
    return mk_argmax(h->round, s->arms, 0, NULL);
}

MK_POLICY_PLAY(play, select_arm, mk_scaled_stat_update)

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
    .state_size = mk_scaled_stat_state_size,
    .init = init_thompson_gaussian,
    .select = select_arm,
    .update = mk_scaled_stat_update,
    .play = play,
};
