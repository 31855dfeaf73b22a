/* Thompson sampling for Bernoulli rewards (Agrawal & Goyal 2012, Algorithm 2), the CMAB baseline of Li 2020:
 *
 *     I_t = argmax_i z_i,   z_i ~ Beta(a + S_i, b + F_i),   each arm once first,
 *
 * where a reward x in [0, 1] adds 1 to S_i with probability x, else 1 to F_i.
 * It presupposes [0, 1], hence scale minmax to [0, 1] by default (with the map at the time of the reward: past trials
 * keep their outcome); values outside count as 0 or 1.
 * One Beta variate per arm and round, arms in order, by GSL from the policy's own stream.
 * Cost per pull O(K); memory 24 bytes per arm. */
#include <gsl/gsl_randist.h>

#include "policies/parts/argmax.h"
#include "policies/parts/reward_scaling.h"
#include "policies/play/per_pull_loop.h"
#include "policies/policy.h"

enum { PRIOR_A, PRIOR_B, SCALE, PARAMS = SCALE + MK_SCALING_NEXT };

static const struct mk_param params[] = {
    {"prior_a", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 1, 0, INFINITY, NULL, "Beta prior: weight of success"},
    {"prior_b", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 1, 0, INFINITY, NULL, "Beta prior: weight of failure"},
    MK_SCALING_PARAMS_FROM(MK_SCALE_MINMAX, 0, 1),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

struct thompson {
    const struct mk_setup *setup;
    struct mk_scaling scaling;
    double *a, *b, *sample; /* [K] */
};

static size_t state_size(const struct mk_setup *s)
{
    return sizeof(struct thompson) + 3 * s->arms * sizeof(double);
}

static void init_thompson_bernoulli(void *state, const struct mk_setup *s)
{
    struct thompson *h = state;
    h->setup = s;
    mk_scaling_init(&h->scaling, s->par + SCALE);
    h->a = (double *)(h + 1);
    h->b = h->a + s->arms;
    h->sample = h->b + s->arms;
    for (size_t i = 0; i < s->arms; i++) {
        h->a[i] = s->par[PRIOR_A];
        h->b[i] = s->par[PRIOR_B];
    }
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct thompson *h = state;
    const struct mk_setup *s = h->setup;
    const gsl_rng rng = {mk_gsl_rng_pcg64, s->rng};
    if (t <= s->arms) return (size_t)(t - 1);
    for (size_t i = 0; i < s->arms; i++) h->sample[i] = gsl_ran_beta(&rng, h->a[i], h->b[i]);
    return mk_argmax(h->sample, s->arms, 0, NULL);
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)t;
    struct thompson *h = state;
    mk_scaling_see(&h->scaling, reward);
    double *trial = mk_uniform(h->setup->rng) < mk_scaling_value(&h->scaling, reward) ? h->a : h->b;
    trial[arm] += 1;
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_thompson_bernoulli = {
    .name = "thompson_bernoulli",
    .summary = "Thompson sampling, Beta posterior, a Bernoulli trial on every reward (CMAB)",
    .formula = "argmax_i z_i, z_i ~ Beta(a + successes_i, b + failures_i), each arm once first",
    .reference = "Agrawal & Goyal 2012, Algorithm 2; CMAB of Li et al. 2020",
    .departures = "rewards are mapped to [0, 1] by the range seen so far; scale=none restores the paper",
    .cost = "O(K)",
    .kind = MK_CLASSIC,
    .flags = MK_POLICY_RANDOMISED,
    .params = params,
    .state_size = state_size,
    .init = init_thompson_bernoulli,
    .select = select_arm,
    .update = update,
    .play = play,
};
