/* Exp3 (Auer, Cesa-Bianchi, Freund & Schapire 2002, Figure 1):
 *
 *     p_i = (1 - gamma) w_i / sum_j w_j + gamma / K,   w_i = exp(gamma / K * sum over pulls of i of x_s / p_{i,s}).
 *
 * No initial round of pulls: the first arm is drawn uniformly, as in the paper.
 * The paper needs rewards in [0, 1]; hence scale minmax by default, to [0.01, 0.99] as in the published AutoML runs.
 * Since x = lo + (raw - shift) / range, the exponent is gamma / K * A_i times the mapped mean of the raw rewards,
 * weighted by 1 / p, A_i = sum 1 / p: all past rewards are rescaled in O(1) while the probabilities with which they
 * were drawn are unchanged. Cost per pull O(K); memory 32 bytes per arm. */
#include "policies/parts/reward_scaling.h"
#include "policies/parts/roulette.h"
#include "policies/parts/running_mean.h"
#include "policies/play/per_pull_loop.h"
#include "policies/policy.h"

enum { GAMMA, SCALE, PARAMS = SCALE + MK_SCALING_NEXT };

static const struct mk_param params[] = {
    {"gamma", MK_REAL, MK_OPEN_LO, 0.1, 0, 1, NULL, "share of uniform exploration, and learning rate times K"},
    MK_SCALING_PARAMS_FROM(MK_SCALE_MINMAX, 0.01, 0.99),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

struct exp3 {
    const struct mk_setup *setup;
    struct mk_scaling scaling;
    double *weight;               /* [K] for the current round */
    double *a;                    /* [K] sum over pulls of 1 / p */
    struct mk_running_mean *mean; /* [K] of the rewards weighted by 1 / p */
    double total;                 /* of the weights */
};

static size_t state_size(const struct mk_setup *s)
{
    return sizeof(struct exp3) + s->arms * (2 * sizeof(double) + sizeof(struct mk_running_mean));
}

static void init_exp3(void *state, const struct mk_setup *s)
{
    struct exp3 *e = state;
    e->setup = s;
    e->weight = (double *)(e + 1);
    e->a = e->weight + s->arms;
    e->mean = (struct mk_running_mean *)(e->a + s->arms);
    for (size_t i = 0; i < s->arms; i++) {
        e->a[i] = 0;
        e->mean[i] = (struct mk_running_mean){0, 0};
    }
    mk_scaling_init(&e->scaling, s->par + SCALE);
}

static inline size_t select_arm(void *state, uint64_t t)
{
    (void)t;
    struct exp3 *e = state;
    const struct mk_setup *s = e->setup;
    double rate = s->par[GAMMA] / (double)s->arms;
    for (size_t i = 0; i < s->arms; i++) {
        double mean = e->a[i] > 0 ? mk_scaling_sum(&e->scaling, e->mean[i].high, e->mean[i].low) : 0;
        e->weight[i] = rate * e->a[i] * mean;
    }
    e->total = mk_roulette_exp(e->weight, s->arms);
    if (mk_uniform(s->rng) < s->par[GAMMA]) return (size_t)mk_uniform_below(s->rng, s->arms);
    return mk_roulette_spin(e->weight, s->arms, e->total, s->rng);
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)t;
    struct exp3 *e = state;
    const double gamma = e->setup->par[GAMMA];
    double p = (1 - gamma) * e->weight[arm] / e->total + gamma / (double)e->setup->arms;
    e->a[arm] += 1 / p;
    mk_running_mean_add(&e->mean[arm], reward, 1 / p / e->a[arm]);
    mk_scaling_see(&e->scaling, reward);
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_exp3 = {
    .name = "exp3",
    .summary = "exponential weights for adversarial rewards in [0, 1]",
    .formula = "p_i = (1-gamma) w_i / sum w + gamma/K, w_i = exp(gamma/K sum x_s / p_{i,s})",
    .reference = "Auer, Cesa-Bianchi, Freund & Schapire 2002, Figure 1",
    .departures = "rewards seen so far are mapped to [0.01, 0.99] as in the AutoML runs; scale=none restores the paper",
    .cost = "O(K)",
    .kind = MK_CLASSIC,
    .flags = MK_POLICY_RANDOMISED,
    .params = params,
    .state_size = state_size,
    .init = init_exp3,
    .select = select_arm,
    .update = update,
    .play = play,
};
