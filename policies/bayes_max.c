/* bayes_max: every arm has one of C known distributions, the candidates. In round t
 *
 *     I_t = argmax_i  sum_c P(arm i has candidate c | rewards so far) E[(M_c(T - t + 1) - b)^+],
 *
 * M_c(n) the largest of n rewards of candidate c and b the largest reward so far: the posterior mean of what the
 * remaining rounds would add to the largest reward, if all of them were spent on arm i. Source: this project; for known
 * arms in an unknown order it is the row bayes_max of `maxk optimum`, which compares it with the optimum.
 *
 * prior: independent  every arm has each of the candidates with probability 1 / C, independently of the others
 *        orders       the arms have different candidates, every choice and order of which is as likely as any other;
 *                     for at most C arms and C <= 10
 *
 * recorded: labels     the candidates of an arm are how the rewards of the arm with its label are distributed on each
 *                      of the other recorded instances, every one with the same probability, independently of the
 *                      other arms; `candidates` and `prior` are without meaning
 *           instances  the same, but all arms have their candidates from the same instance
 *
 * Of recorded instances, the rewards of an arm, all repetitions and pulls together, are a sample whose distribution is
 * the candidate: E[(M_c(n) - b)^+] is that of n draws from it. The likelihood of a reward is
 *
 *     (1 - floor) P_c(bin of the reward) + floor / bins
 *
 * for bins of equal width from the smallest to the largest reward of the candidates, the outer ones of which hold what
 * lies outside. So a floor of 1 keeps the prior, and a small one excludes candidates by few rewards. The first round
 * pulls the arm with the largest mean of E[M_c(T)]. Candidates with a posterior probability up to 1e-12 count for
 * nothing.
 *
 * Without `recorded`, likelihoods are densities, and probabilities where a candidate has the reward as a point mass. A
 * reward that every candidate which is left for its arm excludes changes nothing but b; so does what no order of
 * different candidates explains, with orders. The first round pulls arm 0. Indices within 1e-9 of the largest one
 * (relative) count as equal to it, and of these the arm with the lowest number is pulled. Without candidates, which
 * only happens outside of experiments, arms are pulled in round-robin order.
 *
 * It is no index policy with a bonus: the index of an arm depends on the rewards of all others by b, and with orders by
 * the posterior, and rises and falls with its own. So it has no certified bounds. Cost per pull: C integrals (sums for
 * point masses) and O(K C); with orders O(C 2^C). Of N recorded instances K N sums over the rewards above b. Memory
 * O(K C), with orders O(2^C) as well. */
#include <string.h>

#include "distributions/candidates.h"
#include "policies/play/per_pull_loop.h"
#include "policies/policy.h"

enum { CANDIDATES, PRIOR, RECORDED, OWN, BINS, FLOOR, PARAMS };
enum { INDEPENDENT, ORDERS };
enum { NOT_RECORDED, LABELS, INSTANCES };
enum { LEFT_OUT, INCLUDED };
enum { MOST_OF_ORDERS = 10 };

static const struct mk_param params[] = {
    {"candidates", MK_PARTS, MK_OPTIONAL, 0, 0, 0, NULL,
     "the distributions that an arm may have, as in `arms`, up to 64; by default those "
     "of the arms of the problem, where these are known"},
    MK_CHOICE_ROW("prior", INDEPENDENT, "independent|orders",
                  "independent: each arm has any of them; orders: different arms have different ones, in any order"),
    MK_CHOICE_ROW("recorded", NOT_RECORDED, "none|labels|instances",
                  "labels: of recorded runs, an arm is as its label is on any of the other instances; instances: all "
                  "arms are as on a single other instance"),
    MK_CHOICE_ROW("own", LEFT_OUT, "left_out|included",
                  "left_out: the recorded instance that is played is no candidate; included: it is one, which no "
                  "policy could know"),
    {"bins", MK_INTEGER, 0, 50, 1, 100000, NULL, "of recorded: bins of equal width for the likelihood of a reward"},
    {"floor", MK_REAL, MK_OPEN_LO, 0.05, 0, 1, NULL,
     "of recorded: weight of the uniform distribution over the bins in the likelihood"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static const double near = 1e-9;        /* indices that count as equal, relative to the largest */
static const double negligible = 1e-12; /* posterior probability of a recorded candidate, whose gain is not computed */

struct bayes_max {
    const struct mk_setup *setup;
    size_t n;         /* C of an arm; 0: none */
    bool orders;      /* prior: orders */
    bool runs;        /* recorded */
    double best;      /* the largest reward so far */
    double low, high; /* of recorded candidates: their smallest and largest reward */
    double *log_of;   /* [K][n] log likelihoods of an arm's rewards, up to a constant for each arm */
    double *weight;   /* [K][n] posterior probabilities */
    double *gain;     /* [n], of runs [K][n] */
    double *now;      /* [n] log likelihoods of one reward */
    double *first;    /* [2^n] of orders: log of the sum over the candidates of the first arms, by their set */
    double *last;     /* [2^n] the same of the other arms, by the set that the first ones take */
};

static size_t count_of(const struct mk_setup *s)
{
    const struct mk_candidates *c = s->candidates;
    return c ? c->n / (c->arms ? c->arms : 1) : 0;
}

static size_t gains_of(const struct mk_setup *s)
{
    return s->candidates ? s->candidates->n : 0;
}

static bool has_orders(const struct mk_setup *s)
{
    const size_t n = count_of(s);
    return s->par[RECORDED] == NOT_RECORDED && s->par[PRIOR] == ORDERS && n <= MOST_OF_ORDERS && s->arms <= n;
}

static const char *refuses(const struct mk_setup *s)
{
    if (s->par[RECORDED] != NOT_RECORDED)
        return s->candidates ? "recorded: cannot be combined with candidates; expected none" : NULL;
    if (!s->candidates) return "candidates: missing; expected a list of the distributions that an arm may have";
    if (s->par[PRIOR] == ORDERS && !has_orders(s))
        return "prior: orders: expected at most 10 candidates, and no more arms than candidates";
    return NULL;
}

static size_t state_size(const struct mk_setup *s)
{
    const size_t n = count_of(s), sets = has_orders(s) ? (size_t)2 << n : 0;
    return sizeof(struct bayes_max) + (2 * s->arms * n + gains_of(s) + n + sets) * sizeof(double);
}

/* What the rewards of the recorded candidates lie between; the instance that is played is none, unless it is to be. */
static void begin_runs(struct bayes_max *p)
{
    const struct mk_setup *s = p->setup;
    const bool included = s->par[OWN] == INCLUDED;
    p->low = INFINITY;
    p->high = -INFINITY;
    for (size_t k = 0; k < s->arms; k++)
        for (size_t c = 0; c < p->n; c++) {
            const struct mk_candidate_arm *a = &s->candidates->of[c * s->arms + k];
            const bool possible = included || c != s->instance;
            p->log_of[k * p->n + c] = possible ? 0 : -INFINITY;
            p->weight[k * p->n + c] = possible ? 1 / (double)(p->n - !included) : 0;
            if (!possible) continue;
            p->low = fmin(p->low, a->value[0]);
            p->high = fmax(p->high, a->value[a->n_values - 1]);
        }
}

static void init_bayes_max(void *state, const struct mk_setup *s)
{
    struct bayes_max *p = state;
    const size_t n = count_of(s);
    *p = (struct bayes_max){.setup = s, .n = n, .orders = has_orders(s), .best = -INFINITY};
    p->runs = s->candidates && s->candidates->arms > 0;
    p->log_of = (double *)(p + 1);
    p->weight = p->log_of + s->arms * n;
    p->gain = p->weight + s->arms * n;
    p->now = p->gain + gains_of(s);
    p->first = p->now + n;
    p->last = p->first + (p->orders ? (size_t)1 << n : 0);
    for (size_t i = 0; i < s->arms * n; i++) {
        p->log_of[i] = 0;
        p->weight[i] = 1 / (double)n;
    }
    for (size_t i = 0; i < gains_of(s); i++) p->gain[i] = 0;
    for (size_t i = 0; i < n; i++) p->now[i] = 0;
    for (size_t i = 0; p->orders && i < (size_t)2 << n; i++) p->first[i] = 0;
    if (p->runs) begin_runs(p);
}

/* log(exp(a) + exp(b)) */
static double log_sum(double a, double b)
{
    const double high = fmax(a, b), low = fmin(a, b);
    return low == -INFINITY ? high : high + log1p(exp(low - high));
}

/* ---- the posterior ---- */

static void weigh_alone(struct bayes_max *p, size_t arm)
{
    double *weight = p->weight + arm * p->n, sum = 0;
    const double *log_of = p->log_of + arm * p->n;
    for (size_t c = 0; c < p->n; c++) sum += weight[c] = exp(log_of[c]);
    for (size_t c = 0; c < p->n; c++) weight[c] /= sum;
}

/* Arms take candidates one after the other: the number of candidates in a set is that of the arms which have taken
 * theirs. The sum over all orders; -inf: none explains the rewards. */
static double sum_orders(struct bayes_max *p)
{
    const size_t n = p->n, arms = p->setup->arms, sets = (size_t)1 << n;
    double all = -INFINITY;
    for (size_t set = 0; set < sets; set++) {
        const size_t taken = (size_t)__builtin_popcountll(set);
        p->first[set] = set ? -INFINITY : 0;
        for (size_t c = 0; set && taken <= arms && c < n; c++)
            if (set >> c & 1)
                p->first[set] = log_sum(p->first[set], p->first[set ^ (size_t)1 << c] + p->log_of[(taken - 1) * n + c]);
        if (taken == arms) all = log_sum(all, p->first[set]);
    }
    for (size_t set = sets; set-- > 0;) {
        const size_t taken = (size_t)__builtin_popcountll(set);
        p->last[set] = taken == arms ? 0 : -INFINITY;
        for (size_t c = 0; taken < arms && c < n; c++)
            if (!(set >> c & 1))
                p->last[set] = log_sum(p->last[set], p->last[set | (size_t)1 << c] + p->log_of[taken * n + c]);
    }
    return all;
}

static void weigh_orders(struct bayes_max *p)
{
    const size_t n = p->n, arms = p->setup->arms, sets = (size_t)1 << n;
    const double all = sum_orders(p);
    for (size_t i = 0; i < arms; i++) weigh_alone(p, i);
    if (!(all > -INFINITY)) return;
    for (size_t i = 0; i < arms * n; i++) p->weight[i] = 0;
    for (size_t set = 0; set < sets; set++) {
        const size_t arm = (size_t)__builtin_popcountll(set);
        for (size_t c = 0; arm < arms && c < n; c++)
            if (!(set >> c & 1))
                p->weight[arm * n + c] +=
                    exp(p->first[set] + p->log_of[arm * n + c] + p->last[set | (size_t)1 << c] - all);
    }
}

static double bin_of(const struct bayes_max *p, double reward)
{
    const double bins = p->setup->par[BINS], width = p->high - p->low;
    return width > 0 ? fmax(0, fmin(bins - 1, floor((reward - p->low) / width * bins))) : 0;
}

/* P(the bin of a reward of the candidate is below this one) */
static double below_bin(const struct bayes_max *p, const struct mk_candidate_arm *c, double bin)
{
    size_t low = 0, high = c->n_values;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (bin_of(p, c->value[middle]) < bin)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? c->cdf[low - 1] : 0;
}

static void weigh_runs(struct bayes_max *p, size_t arm, double reward)
{
    const struct mk_setup *s = p->setup;
    const double bin = bin_of(p, reward), least = s->par[FLOOR];
    for (size_t c = 0; c < p->n; c++) {
        const struct mk_candidate_arm *a = &s->candidates->of[c * s->arms + arm];
        p->now[c] = log((1 - least) * (below_bin(p, a, bin + 1) - below_bin(p, a, bin)) + least / s->par[BINS]);
    }
}

/* ---- the rule ---- */

static double index_of(const struct bayes_max *p, size_t arm)
{
    const double *weight = p->weight + arm * p->n, *gain = p->gain + (p->runs ? arm * p->n : 0);
    double sum = 0;
    for (size_t c = 0; c < p->n; c++)
        if (weight[c] > 0) sum += weight[c] * gain[c];
    return sum;
}

static void find_gains(struct bayes_max *p, double rounds)
{
    const struct mk_candidate_arm *of = p->setup->candidates->of;
    const size_t arms = p->setup->arms;
    const double best = p->runs ? fmax(p->best, p->low) : p->best;
    for (size_t k = 0; p->runs && k < arms; k++)
        for (size_t c = 0; c < p->n; c++)
            p->gain[k * p->n + c] =
                p->weight[k * p->n + c] > negligible ? mk_candidate_gain(&of[c * arms + k], rounds, best) : 0;
    for (size_t c = 0; !p->runs && c < p->n; c++) p->gain[c] = mk_candidate_gain(&of[c], rounds, best);
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct bayes_max *p = state;
    const struct mk_setup *s = p->setup;
    double top = 0;
    if (p->n == 0) return (size_t)((t - 1) % s->arms);
    if (!(p->best > -INFINITY) && !p->runs) return 0;
    find_gains(p, (double)(s->horizon - t + 1));
    if (p->orders) weigh_orders(p);
    for (size_t i = 0; i < s->arms; i++) top = fmax(top, index_of(p, i));
    size_t i = 0;
    while (i + 1 < s->arms && index_of(p, i) < (isfinite(top) ? top * (1 - near) : top)) i++;
    return i;
}

/* The log likelihoods of a reward become part of the posterior of an arm. */
static void learn(struct bayes_max *p, size_t arm)
{
    double *log_of = p->log_of + arm * p->n, most = -INFINITY;
    for (size_t c = 0; c < p->n; c++) most = fmax(most, p->now[c] + log_of[c]);
    if (!(most > -INFINITY)) return;
    for (size_t c = 0; c < p->n; c++) log_of[c] += p->now[c] - most;
    weigh_alone(p, arm);
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    struct bayes_max *p = state;
    const struct mk_setup *s = p->setup;
    (void)t;
    p->best = fmax(p->best, reward);
    if (p->n == 0) return;
    if (p->runs)
        weigh_runs(p, arm, reward);
    else
        mk_candidates_likelihood(s->candidates, reward, p->now);
    const bool joint = p->runs && s->par[RECORDED] == INSTANCES;
    for (size_t k = joint ? 0 : arm; k < (joint ? s->arms : arm + 1); k++) learn(p, k);
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_bayes_max = {
    .name = "bayes_max",
    .summary = "the largest posterior mean of what all remaining rounds would add, over given candidate arms",
    .formula = "argmax_i sum_c P(arm i has candidate c | rewards) E[(M_c(T - t + 1) - b)^+], M_c(n) the largest of n "
               "rewards of candidate c, b the largest reward so far",
    .reference = "this project (maxk optimum)",
    .departures =
        "none; it has no certified bounds: its index is not the largest reward of the arm plus a bonus. maxk optimum "
        "computes its exact value on small problems (prior: orders, candidates: the arms)",
    .cost = "O(K C) and C integrals, prior=orders O(C 2^C), for C candidates; recorded: K C sums over rewards",
    .kind = MK_EXTREME,
    .flags = MK_POLICY_NEEDS_HORIZON,
    .params = params,
    .state_size = state_size,
    .init = init_bayes_max,
    .select = select_arm,
    .update = update,
    .play = play,
    .refuses = refuses,
};
