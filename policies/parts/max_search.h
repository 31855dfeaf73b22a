/* What the two MaxSearch policies share (Kikkawa & Ohno 2024): per-arm count, mean, variance and maximum, the rules
 * for scaling, NaN and ties.
 *
 * Both indices are multiplied by a when rewards are mapped by x -> a x + b, a > 0, so scaling does not change the
 * choice but through rounding, and is not applied unless numerics is `rescan`. Running statistics are looked at from
 * the arm's own mean, in a unit in which its variance neither overflows nor underflows. */
#ifndef MAXK_POLICIES_PARTS_MAX_SEARCH_H
#define MAXK_POLICIES_PARTS_MAX_SEARCH_H

#include "policies/parts/argmax.h"
#include "policies/parts/moments.h"
#include "policies/parts/numpy_arithmetic.h"
#include "policies/policy.h"

/* Parameters of both, after c. */
enum {
    MK_SEARCH_C,
    MK_SEARCH_ROUND_OFFSET,
    MK_SEARCH_NAN,
    MK_SEARCH_TIES,
    MK_SEARCH_NUMERICS,
    MK_SEARCH_SCALE,
};

#define MK_SEARCH_PARAMS                                                                                               \
    {"round_offset", MK_INTEGER, 0, 0, -1, 1000000, NULL, "added to the round t inside the logarithm"}, MK_NAN_PARAM,  \
        MK_TIES_PARAM, MK_NUMERICS_PARAM, MK_SCALING_PARAMS(0.01, 0.99)

struct mk_max_search {
    const struct mk_setup *setup;
    struct mk_moments *moments; /* [K] */
    double *max;                /* [K] */
    double *index;              /* [K] scratch */
    struct mk_numpy rescan;
    struct mk_scaling scaling; /* rescan */
};

/* An arm as seen in a round, in units of 2^exponent. */
struct mk_max_search_arm {
    double n, mean, max;
    double sample_variance, population_variance;
    int exponent;
};

static inline const char *mk_max_search_check(const double *par)
{
    return mk_scaling_check(par + MK_SEARCH_SCALE);
}

static inline size_t mk_max_search_bytes(const struct mk_setup *s)
{
    return sizeof(struct mk_max_search) + s->arms * (sizeof(struct mk_moments) + 2 * sizeof(double)) +
           mk_numpy_bytes(s, s->par[MK_SEARCH_NUMERICS] != 0);
}

static inline void mk_max_search_init(struct mk_max_search *m, const struct mk_setup *s)
{
    m->setup = s;
    m->moments = (struct mk_moments *)(m + 1);
    m->max = (double *)(m->moments + s->arms);
    m->index = m->max + s->arms;
    for (size_t i = 0; i < s->arms; i++) {
        m->moments[i] = (struct mk_moments){0};
        m->max[i] = -INFINITY;
    }
    mk_scaling_init(&m->scaling, s->par + MK_SEARCH_SCALE);
    mk_numpy_init(&m->rescan, m->index + s->arms, s, s->par[MK_SEARCH_NUMERICS] != 0);
}

static inline void mk_max_search_add(struct mk_max_search *m, size_t arm, double reward)
{
    mk_moments_add(&m->moments[arm], reward);
    if (reward > m->max[arm]) m->max[arm] = reward;
    if (!m->rescan.history) return;
    mk_numpy_add(&m->rescan, arm, reward);
    mk_scaling_see(&m->scaling, reward);
}

/* Before the arms of a round are looked at. */
static inline void mk_max_search_round(struct mk_max_search *m)
{
    if (m->rescan.history) m->rescan.map = mk_scaling_affine(&m->scaling);
}

static inline struct mk_max_search_arm mk_max_search_running(const struct mk_moments *k, double max)
{
    const double n = (double)k->n, above = mk_running_mean_below(&k->mean, max);
    return (struct mk_max_search_arm){n,
                                      0,
                                      k->m2.exponent ? ldexp(above, -k->m2.exponent) : above,
                                      k->m2.sum / (n - 1),
                                      k->m2.sum / n,
                                      k->m2.exponent};
}

static inline struct mk_max_search_arm mk_max_search_look(const struct mk_max_search *m, size_t arm)
{
    const struct mk_moments *k = &m->moments[arm];
    if (!m->rescan.history) return mk_max_search_running(k, m->max[arm]);
    const struct mk_history *h = &m->rescan.history[arm];
    double n = (double)h->n, mean = mk_numpy_mean(&m->rescan, arm, 0, 0), mean2 = mk_numpy_squared(mean);
    double squares = mk_numpy_sum(h->x, h->n, &m->rescan.map, 0, 1);
    double max = mk_affine_value(&m->rescan.map, m->max[arm]);
    return (struct mk_max_search_arm){n, mean, max, (squares - n * mean2) / (n - 1), squares / n - mean2, 0};
}

/* log of the round that the index uses. */
static inline double mk_max_search_log(const struct mk_max_search *m, uint64_t t)
{
    return mk_log(m->setup, (uint64_t)((int64_t)t + (int64_t)m->setup->par[MK_SEARCH_ROUND_OFFSET]));
}

/* Of the arm `k` as looked at. */
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
