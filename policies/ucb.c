/* UCB (Auer, Cesa-Bianchi & Fischer 2002):
 *
 *     I_t = argmax_i  mean_i + sqrt(alpha log t / n_i),   each arm once first.
 *
 * UCB1 is alpha = 2 with t - 1 (the pulls made so far) in the logarithm; alpha = .5 is Table D.5 of Balef et al. 2025.
 * The C-UCB of Hu 2019 (Table 1) is met by alpha = .005: the weight gamma = 20 of ER-UCB on the mean.
 * Rewards are taken as they come (scale: none). The published AutoML runs use scale: minmax, to [0, 1] by default here.
 * The map is affine with one slope 1 / range for all arms, so the order is that of mean_i + range * bonus on raw rewards.
 * Cost per pull O(K), one square root; memory 32 bytes per arm. */
#include "policies/argmax.h"
#include "policies/policy.h"
#include "policies/scaling.h"
#include "sim/play.h"

enum { ALPHA, SCALE, SCALE_LO, SCALE_HI, TIES };

static const struct mk_param params[] = {
    {"alpha", MK_REAL, MK_OPEN_HI, 0.5, 0, INFINITY, NULL, "exploration"},
    MK_SCALING_PARAMS(0, 1),
    MK_TIES_PARAM,
    {NULL, MK_REAL, 0, 0, 0, 0, NULL, NULL},
};

struct ucb {
    const struct mk_setup *setup;
    struct mk_scaling scaling;
    double *mean;   /* [K] */
    double *root;   /* [K] 1 / sqrt(n_i) */
    double *index;  /* [K] of the round being decided */
    uint64_t *n;    /* [K] */
};

static const char *check(const double *par)
{
    return mk_scaling_check(par + SCALE);
}

static size_t state_size(const struct mk_setup *s)
{
    return sizeof(struct ucb) + s->arms * (3 * sizeof(double) + sizeof(uint64_t));
}

static void init(void *state, const struct mk_setup *s)
{
    struct ucb *u = state;
    u->setup = s;
    u->mean = (double *)(u + 1);
    u->root = u->mean + s->arms;
    u->index = u->root + s->arms;
    u->n = (uint64_t *)(u->index + s->arms);
    for (size_t i = 0; i < s->arms; i++) {
        u->mean[i] = 0;
        u->n[i] = 0;
    }
    mk_scaling_init(&u->scaling, s->par + SCALE);
}

static inline size_t select_arm(void *state, uint64_t t)
{
    const struct ucb *u = state;
    const struct mk_setup *s = u->setup;
    if (t <= s->arms) return (size_t)(t - 1);
    const double bonus = u->scaling.range * sqrt(s->par[ALPHA] * mk_log(s, t));
    double *restrict index = u->index;
    const double *restrict mean = u->mean, *restrict root = u->root;
    for (size_t i = 0; i < s->arms; i++) index[i] = mean[i] + bonus * root[i];
    return mk_argmax_near(index, s->arms, s->par[TIES] != 0, s->rng);
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)t;
    struct ucb *u = state;
    double n = (double)++u->n[arm];
    u->mean[arm] += (reward - u->mean[arm]) / n;
    u->root[arm] = 1 / sqrt(n);
    mk_scaling_see(&u->scaling, reward);
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_ucb = {
    .name = "ucb",
    .summary = "mean plus sqrt(alpha log t / n)",
    .formula = "argmax_i mean_i + sqrt(alpha log t / n_i), each arm once first",
    .reference = "Auer, Cesa-Bianchi & Fischer 2002; alpha from Balef et al. 2025, Table D.5",
    .departures = "UCB1: alpha=2; AutoML runs of Balef 2025: scale=minmax; Hu 2019, Table 1: alpha=0.005",
    .cost = "O(K)",
    .kind = MK_CLASSIC,
    .flags = MK_POLICY_RANDOMISED,
    .params = params,
    .check = check,
    .state_size = state_size,
    .init = init,
    .select = select_arm,
    .update = update,
    .play = play,
};
