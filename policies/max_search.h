/* What the two MaxSearch policies share (Kikkawa & Ohno 2024): per-arm count, mean, variance and maximum, the rules
 * for scaling, NaN and ties.
 *
 * Both indices are multiplied by a when rewards are mapped by x -> a x + b, a > 0, so scaling does not change the
 * choice but through rounding, and is not applied unless numerics is `rescan`. */
#ifndef MAXK_POLICIES_MAX_SEARCH_H
#define MAXK_POLICIES_MAX_SEARCH_H

#include "policies/argmax.h"
#include "policies/history.h"
#include "policies/moments.h"
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

#define MK_SEARCH_PARAMS                                                                                              \
    {"round_offset", MK_INTEGER, 0, 0, -1, 1000000, NULL, "added to the round t inside the logarithm"},               \
        MK_NAN_PARAM, MK_TIES_PARAM,                                                                                  \
        {"numerics", MK_CHOICE, 0, 0, 0, 0, "running|rescan",                                                         \
         "running moments, or sums over the whole scaled history in every round as published"},                       \
        MK_SCALING_PARAMS(0.01, 0.99)

struct mk_search {
    const struct mk_setup *setup;
    struct mk_moments *moments; /* [K] */
    double *max;                /* [K] */
    double *index;              /* [K] scratch */
    struct mk_history *history; /* [K], NULL unless numerics is rescan */
    struct mk_arena arena;
    struct mk_scaling scaling;
    struct mk_affine map; /* rescan: of the round being decided */
};

/* An arm as seen in a round. */
struct mk_search_arm {
    double n, mean, max;
    double sample_variance, population_variance;
};

static inline const char *mk_search_check(const double *par)
{
    return mk_scaling_check(par + MK_SEARCH_SCALE);
}

static inline size_t mk_search_bytes(const struct mk_setup *s)
{
    size_t rescan = s->arms * sizeof(struct mk_history) + mk_history_bytes(s->arms, s->horizon);
    return sizeof(struct mk_search) + s->arms * (sizeof(struct mk_moments) + 2 * sizeof(double)) +
           (s->par[MK_SEARCH_NUMERICS] != 0 ? rescan : 0);
}

static inline void mk_search_init(struct mk_search *m, const struct mk_setup *s)
{
    m->setup = s;
    m->moments = (struct mk_moments *)(m + 1);
    m->max = (double *)(m->moments + s->arms);
    m->index = m->max + s->arms;
    m->history = NULL;
    for (size_t i = 0; i < s->arms; i++) {
        m->moments[i] = (struct mk_moments){0, 0, 0};
        m->max[i] = -INFINITY;
    }
    mk_scaling_init(&m->scaling, s->par + MK_SEARCH_SCALE);
    if (s->par[MK_SEARCH_NUMERICS] == 0) return;
    m->history = (struct mk_history *)(m->index + s->arms);
    memset(m->history, 0, s->arms * sizeof *m->history);
    m->arena.next = (char *)(m->history + s->arms);
    m->arena.end = m->arena.next + mk_history_bytes(s->arms, s->horizon);
}

static inline void mk_search_add(struct mk_search *m, size_t arm, double reward)
{
    mk_moments_add(&m->moments[arm], reward);
    if (reward > m->max[arm]) m->max[arm] = reward;
    if (!m->history) return;
    mk_history_add(&m->history[arm], &m->arena, reward);
    mk_scaling_see(&m->scaling, reward);
}

/* Before the arms of a round are looked at. */
static inline void mk_search_round(struct mk_search *m)
{
    if (m->history) m->map = mk_scaling_affine(&m->scaling);
}

static inline struct mk_search_arm mk_search_look(const struct mk_search *m, size_t arm)
{
    const struct mk_moments *k = &m->moments[arm];
    if (!m->history)
        return (struct mk_search_arm){(double)k->n, k->mean, m->max[arm], mk_moments_sample_variance(k),
                                      mk_moments_population_variance(k)};
    const struct mk_history *h = &m->history[arm];
    double n = (double)h->n, mean = mk_history_sum(h->x, h->n, &m->map, 0) / n;
    double squares = mk_history_sum(h->x, h->n, &m->map, 1), max = m->max[arm] * m->map.slope + m->map.shift;
    return (struct mk_search_arm){n, mean, max, (squares - n * (mean * mean)) / (n - 1), squares / n - mean * mean};
}

/* log of the round that the index uses. */
static inline double mk_search_log(const struct mk_search *m, uint64_t t)
{
    return mk_log(m->setup, (uint64_t)((int64_t)t + (int64_t)m->setup->par[MK_SEARCH_ROUND_OFFSET]));
}

static inline void mk_search_set(struct mk_search *m, size_t arm, double index)
{
    m->index[arm] = mk_nan_value(index, (enum mk_nan_rule)m->setup->par[MK_SEARCH_NAN]);
}

static inline size_t mk_search_argmax(const struct mk_search *m)
{
    return mk_argmax(m->index, m->setup->arms, m->setup->par[MK_SEARCH_TIES] != 0, m->setup->rng);
}

#endif
