/* ps_prior: posterior sampling under a prior over reward curves (distributions/parts/reward_prior.h), what PS-PFN
 * (Balef & Eggensperger 2025, arXiv 2508.13657; PS_PFN.py of their repository CASHPlus) approximates by a network that
 * was trained on draws from such a prior:
 *
 *     I_t = argmax_i  max(M_i, Y_i),   each arm once first,
 *
 * M_i the largest reward of arm i, Y_i a draw of the largest of its rewards n_i + 1 … f from the posterior: a curve is
 * drawn by its weight, then Y_i = F^-1(U), F the product of the curve's distribution functions of these pulls, by
 * bisection. f = t (target: current) or n_i + T - t + 1 (target: remaining). P curves are drawn from the prior before
 * the first round. The weight of a curve for an arm is the likelihood of the arm's running maximum (likelihood:
 * maximum, what the network is given) or of all its rewards (likelihood: all),
 *
 *     prod_j (1 - eps) f_j(x_j) + eps,   maximum: for x_j <= m_(j-1) instead  (1 - eps) F_j(m_(j-1)) + eps m_(j-1),
 *
 * eps the probability of a uniform reward, so that no reward excludes all curves. The distribution that Y_i is drawn
 * from has no such part. Rewards are shaped as those of ps_max (rewards: shaped) or used as they are (rewards: raw;
 * they should be in [0, 1]).
 *
 * Departures from PS-PFN: exact weights of P curves instead of a network, whose errors and bins it does not have; more
 * than 200 pulls of an arm are neither dropped from the history nor from f. The arithmetic of the prior is
 * approximated, as written there.
 *
 * Random numbers are uniform ones from the policy's own stream: those of the curves, then in every round for each arm
 * one that draws the curve and one that draws Y_i. Cost per pull O(K P), measured with P = 2000
 * and five arms 100 microseconds. Memory 16 P K + 120 P bytes. */
#include "distributions/parts/reward_prior.h"
#include "policies/parts/argmax.h"
#include "policies/parts/roulette.h"
#include "policies/parts/shaped_reward.h"
#include "policies/parts/undo.h"
#include "policies/play/per_pull_loop.h"
#include "policies/policy.h"

enum { PRIOR, TARGET, LIKELIHOOD, REWARDS, FLOOR, CURVES, PARAMS };
enum { TARGET_CURRENT, TARGET_REMAINING };
enum { OF_MAXIMUM, OF_ALL };
enum { SHAPED, RAW };

static const struct mk_param params[] = {
    MK_CHOICE_ROW("prior", MK_PRIOR_SEMI_FLAT, MK_REWARD_PRIORS, "the prior over reward curves"),
    MK_CHOICE_ROW("target", TARGET_CURRENT, "current|remaining",
                  "largest of how many rewards: t, or the arm's pulls and all remaining ones (remaining: needs T)"),
    MK_CHOICE_ROW("likelihood", OF_MAXIMUM, "maximum|all", "curves are weighted by the running maximum or all rewards"),
    MK_CHOICE_ROW("rewards", SHAPED, "shaped|raw", "shaped by the first K rewards, or as they are (in [0, 1])"),
    {"floor", MK_REAL, 0, 0.01, 0, 1, NULL, "eps: probability of a uniform reward, in the weights alone"},
    {"curves", MK_INTEGER, 0, 2000, 1, 1000000, NULL, "P: number of curves drawn from the prior"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

struct ps_prior {
    const struct mk_setup *setup;
    size_t curves;
    struct mk_moments first;       /* of the first K rewards */
    struct mk_reward_curve *curve; /* [P] */
    double *index;                 /* [K] of the first K rounds, their rewards; later scratch */
    double *largest;               /* [K] as the weights see it */
    double *total;                 /* [K] sum of weights */
    uint64_t *pulls;               /* [K] */
    double *log_of;                /* [K][P] log likelihoods */
    double *weight;                /* [K][P] the same, the largest one being 1 */
};

static bool needs_horizon(const double *par)
{
    return par[TARGET] == TARGET_REMAINING;
}

static size_t state_size(const struct mk_setup *s)
{
    const size_t curves = (size_t)s->par[CURVES];
    return sizeof(struct ps_prior) + curves * sizeof(struct mk_reward_curve) +
           s->arms * (3 * sizeof(double) + sizeof(uint64_t) + 2 * curves * sizeof(double));
}

static void init_ps_prior(void *state, const struct mk_setup *s)
{
    struct ps_prior *p = state;
    *p = (struct ps_prior){.setup = s, .curves = (size_t)s->par[CURVES]};
    p->curve = (struct mk_reward_curve *)(p + 1);
    p->index = (double *)(p->curve + p->curves);
    p->largest = p->index + s->arms;
    p->total = p->largest + s->arms;
    p->pulls = (uint64_t *)(p->total + s->arms);
    p->log_of = (double *)(p->pulls + s->arms);
    p->weight = p->log_of + s->arms * p->curves;
    for (size_t v = 0; v < p->curves; v++)
        mk_reward_curve_draw(&p->curve[v], (enum mk_reward_prior)s->par[PRIOR], s->rng);
    for (size_t i = 0; i < s->arms; i++) {
        p->index[i] = p->largest[i] = -INFINITY;
        p->total[i] = (double)p->curves;
        p->pulls[i] = 0;
    }
    for (size_t i = 0; i < s->arms * p->curves; i++) {
        p->log_of[i] = 0;
        p->weight[i] = 1;
    }
}

/* ---- the posterior ---- */

static void weigh(struct ps_prior *p, size_t arm, double reward)
{
    const double eps = p->setup->par[FLOOR],
                 x = p->setup->par[REWARDS] == RAW ? reward : mk_shaped_reward(&p->first, reward);
    const bool of_density = p->setup->par[LIKELIHOOD] == OF_ALL || x > p->largest[arm];
    const uint64_t segment = mk_reward_segment(++p->pulls[arm]);
    const double at = of_density ? x : p->largest[arm], uniform = of_density ? 1 : fmin(1, fmax(0, at));
    double *log_of = p->log_of + arm * p->curves, *weight = p->weight + arm * p->curves;
    for (size_t v = 0; v < p->curves; v++) {
        const double likely = of_density ? mk_reward_curve_density(&p->curve[v], segment, at)
                                         : mk_reward_curve_cdf(&p->curve[v], segment, at);
        weight[v] = log_of[v] += log((1 - eps) * fmin(likely, 1e300) + eps * uniform);
    }
    p->total[arm] = mk_roulette_exp(weight, p->curves);
    p->largest[arm] = fmax(p->largest[arm], x);
}

/* ---- the rule ---- */

/* log P(the largest of the rewards n + 1 … last <= x) */
static double log_below(const struct mk_reward_curve *c, uint64_t n, uint64_t last, double x)
{
    double sum = 0;
    while (n < last) {
        const uint64_t segment = mk_reward_segment(n + 1), end = (segment + 1) * MK_REWARD_SEGMENT_PULLS;
        const uint64_t to = segment + 1 < MK_REWARD_SEGMENTS && end < last ? end : last;
        sum += (double)(to - n) * log(mk_reward_curve_cdf(c, segment, x));
        n = to;
    }
    return sum;
}

static double sample(const struct ps_prior *p, size_t arm, uint64_t t)
{
    const struct mk_setup *s = p->setup;
    const size_t v = mk_roulette_spin(p->weight + arm * p->curves, p->curves, p->total[arm], s->rng);
    const double log_u = log(mk_uniform(s->rng));
    const uint64_t n = p->pulls[arm], last = needs_horizon(s->par) ? n + s->horizon - t + 1 : t;
    double lo = p->largest[arm], hi = 1;
    if (log_below(&p->curve[v], n, last, lo) >= log_u) return lo;
    lo = fmax(0, lo);
    for (int i = 0; i < 50; i++) {
        const double middle = lo + (hi - lo) / 2;
        if (log_below(&p->curve[v], n, last, middle) < log_u)
            lo = middle;
        else
            hi = middle;
    }
    return hi;
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct ps_prior *p = state;
    const size_t arms = p->setup->arms;
    if (t <= arms) return (size_t)(t - 1);
    for (size_t i = 0; i < arms; i++) p->index[i] = sample(p, i, t);
    return mk_argmax(p->index, arms, 0, NULL);
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    struct ps_prior *p = state;
    const size_t arms = p->setup->arms;
    if (t > arms) {
        weigh(p, arm, reward);
        return;
    }
    p->index[arm] = reward;
    mk_moments_add(&p->first, reward);
    for (size_t i = 0; t == arms && i < arms; i++) weigh(p, i, p->index[i]);
}

/* The curves never change. Round K weighs all arms. */
static void keep(void *state, size_t arm, double reward, struct mk_undo *undo)
{
    struct ps_prior *p = state;
    const size_t arms = p->setup->arms;
    (void)reward;
    if (arm == arms) {
        mk_undo_keep(undo, p, sizeof *p);
        mk_undo_keep(undo, p->index, arms * (3 * sizeof *p->index + sizeof *p->pulls));
        return;
    }
    const bool all = p->first.n + 1 == arms;
    const size_t from = all ? 0 : arm * p->curves, bytes = (all ? arms : 1) * p->curves * sizeof *p->log_of;
    mk_undo_keep(undo, &p->log_of[from], bytes);
    mk_undo_keep(undo, &p->weight[from], bytes);
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_ps_prior = {
    .name = "ps_prior",
    .summary = "posterior sampling of an arm's largest reward under a prior over reward curves, by weighted draws",
    .formula =
        "argmax_i max(M_i, Y_i), each arm once first; Y_i = F^-1(U), F the product of the distribution functions "
        "of pulls n_i + 1 … f of a curve drawn by its weight among P draws from the prior; f = t or n_i + T - t "
        "+ 1; weights prod_j (1 - eps) f_j + eps at new maxima, (1 - eps) F_j + eps m elsewhere",
    .reference = "Balef & Eggensperger 2025 (PS-PFN and its priors, arXiv 2508.13657) and their programs PS_PFN.py and "
                 "synth_paper.py; prior=tail: this project",
    .departures = "exact weights of P curves instead of a network; ceilings of the curves are quantiles by segments of "
                  "25 pulls instead of sorted samples; more than 200 pulls count",
    .cost = "O(K P), P = curves",
    .kind = MK_EXTREME,
    .flags = MK_POLICY_RANDOMISED,
    .params = params,
    .state_size = state_size,
    .init = init_ps_prior,
    .select = select_arm,
    .update = update,
    .play = play,
    .needs_horizon = needs_horizon,
    .keep = keep,
};
