/* Shared by the two MaxSearch policies (Kikkawa & Ohno 2024): per-arm count, mean, variance and maximum, the rules for
 * scaling, NaN and ties.
 *
 * Both indices are multiplied by a when rewards are mapped by x -> a x + b, a > 0, so scaling changes the choice only
 * through rounding, and is not applied unless numerics is `rescan`. Running statistics are measured from the arm's own
 * mean, in a unit in which its variance neither overflows nor underflows. What runs for every
 * arm in every round is inline, but for `rescan`. */
#ifndef MAXK_POLICIES_PARTS_MAX_SEARCH_H
#define MAXK_POLICIES_PARTS_MAX_SEARCH_H

#include "policies/parts/argmax.h"
#include "policies/parts/moments.h"
#include "policies/parts/numpy_arithmetic.h"
#include "policies/parts/pull_costs.h"
#include "policies/policy.h"

/* Parameters of both, after c. */
enum {
    MK_SEARCH_C,
    MK_SEARCH_ROUND_OFFSET,
    MK_SEARCH_NAN,
    MK_SEARCH_TIES,
    MK_SEARCH_NUMERICS,
    MK_SEARCH_SCALE,
    MK_SEARCH_PER_COST = MK_SEARCH_SCALE + MK_SCALING_NEXT,
    MK_SEARCH_NEXT
};

#define MK_SEARCH_PARAMS(rules)                                                                                        \
    {"round_offset", MK_INTEGER, 0, 0, -1, 1000000, NULL, "added to the round t inside the logarithm"}, MK_NAN_PARAM,  \
        MK_TIES_PARAM, MK_NUMERICS_PARAM, MK_SCALING_PARAMS(0.01, 0.99), MK_PER_COST_PARAM(rules)

struct mk_max_search {
    const struct mk_setup *setup;
    struct mk_moments *moments; /* [K] */
    double *max;                /* [K] */
    double *index;              /* [K] scratch */
    struct mk_numpy rescan;
    struct mk_scaling scaling; /* rescan */
    struct mk_pull_costs costs;
};

/* An arm as seen in a round, in units of 2^exponent. */
struct mk_max_search_arm {
    double n, mean, max;
    double sample_variance, population_variance;
    int exponent;
};

/* `state_size` and `update` of a policy whose state this is, and its start. */
size_t mk_max_search_bytes(const struct mk_setup *s);
void mk_max_search_start(struct mk_max_search *m, const struct mk_setup *s, enum mk_per_cost per_cost);

static inline void mk_max_search_update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)t;
    struct mk_max_search *m = state;
    mk_moments_add(&m->moments[arm], reward);
    mk_pull_costs_pay(&m->costs, arm, m->moments[arm].n);
    if (reward > m->max[arm]) m->max[arm] = reward;
    if (!m->rescan.history) return;
    mk_numpy_add(&m->rescan, arm, reward);
    mk_scaling_see(&m->scaling, reward);
}

/* Before the arms of a round are evaluated. */
static inline void mk_max_search_round(struct mk_max_search *m)
{
    if (m->rescan.history) m->rescan.map = mk_scaling_affine(&m->scaling);
}

/* numerics: rescan: the arm from its whole history. */
struct mk_max_search_arm mk_max_search_rescan(const struct mk_max_search *m, size_t arm);

static inline struct mk_max_search_arm mk_max_search_look(const struct mk_max_search *m, size_t arm)
{
    const struct mk_moments *k = &m->moments[arm];
    if (m->rescan.history) return mk_max_search_rescan(m, arm);
    const double n = (double)k->n, above = mk_running_mean_below(&k->mean, m->max[arm]);
    return (struct mk_max_search_arm){.n = n,
                                      .max = k->m2.exponent ? ldexp(above, -k->m2.exponent) : above,
                                      .sample_variance = k->m2.sum / (n - 1),
                                      .population_variance = k->m2.sum / n,
                                      .exponent = k->m2.exponent};
}

/* log of the round that the index of an arm uses. */
static inline double mk_max_search_log(const struct mk_max_search *m, size_t arm, uint64_t t)
{
    return mk_pull_costs_log(&m->costs, arm, m->moments[arm].n, t, m->setup->par[MK_SEARCH_ROUND_OFFSET]);
}

/* For the arm `k` as seen in the round. */
static inline void mk_max_search_set(struct mk_max_search *m, size_t arm, const struct mk_max_search_arm *k,
                                     double index)
{
    if (k->exponent) index = ldexp(index, k->exponent);
    m->index[arm] = mk_nan_value(index, (enum mk_nan_rule)m->setup->par[MK_SEARCH_NAN]);
}

static inline size_t mk_max_search_argmax(const struct mk_max_search *m)
{
    return mk_argmax(m->index, m->setup->arms, m->setup->par[MK_SEARCH_TIES] != 0, m->setup->rng);
}

#endif
