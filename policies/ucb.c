/* UCB (Auer, Cesa-Bianchi & Fischer 2002):
 *
 *     I_t = argmax_i  mean_i + sqrt(alpha log t / n_i),   each arm once first.
 *
 * UCB1 is alpha = 2 with t - 1 (the pulls made so far) in the logarithm; alpha = .5 is Table D.5 of Balef et al. 2025.
 * The C-UCB of Hu 2019 (Table 1) is met by alpha = .005: the weight gamma = 20 of ER-UCB on the mean.
 * Rewards are taken as they come (scale: none). The published AutoML runs use scale: minmax, to [0, 1] by default here.
 * The map is affine with one slope 1 / range for all arms, so the order is that of mean_i + range * bonus on raw
 * rewards. Cost per pull O(K); memory 40 bytes per arm. */
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
    double *mean;      /* [K] */
    double *root;      /* [K] 1 / sqrt(n_i) */
    double bonus;      /* range * sqrt(alpha log t) of the round being decided */
    double *n;         /* [K] */
    double *next_root; /* [K] 1 / sqrt(n_i + 1) and 1 / (n_i + 1), ready before the next pull needs them: */
    double *next_inv;  /* [K] divisions and roots would make the next round wait */
};

static const char *check(const double *par)
{
    return mk_scaling_check(par + SCALE);
}

static size_t state_size(const struct mk_setup *s)
{
    return sizeof(struct ucb) + 5 * s->arms * sizeof(double);
}

static void init(void *state, const struct mk_setup *s)
{
    struct ucb *u = state;
    u->setup = s;
    u->mean = (double *)(u + 1);
    u->root = u->mean + s->arms;
    u->n = u->root + s->arms;
    u->next_root = u->n + s->arms;
    u->next_inv = u->next_root + s->arms;
    for (size_t i = 0; i < s->arms; i++) {
        u->mean[i] = u->n[i] = 0;
        u->next_root[i] = u->next_inv[i] = 1;
    }
    mk_scaling_init(&u->scaling, s->par + SCALE);
}

static inline double index_of(const void *context, size_t i)
{
    const struct ucb *u = context;
    return u->mean[i] + u->bonus * u->root[i];
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct ucb *u = state;
    const struct mk_setup *s = u->setup;
    if (t <= s->arms) return (size_t)(t - 1);
    u->bonus = u->scaling.range * sqrt(s->par[ALPHA] * mk_log(s, t));
    return mk_argmax_near_of(u, s->arms, index_of, s->par[TIES] != 0, s->rng);
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)t;
    struct ucb *u = state;
    u->mean[arm] += (reward - u->mean[arm]) * u->next_inv[arm];
    u->root[arm] = u->next_root[arm];
    double next = (u->n[arm] += 1) + 1;
    u->next_inv[arm] = 1 / next;
    u->next_root[arm] = sqrt(u->next_inv[arm]);
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
    .flags = MK_POLICY_RANDOM_TIES,
    .params = params,
    .check = check,
    .state_size = state_size,
    .init = init,
    .select = select_arm,
    .update = update,
    .play = play,
};
