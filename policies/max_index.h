/* Index policies of the form  scaled(max_i) + c_t / n_i^2  (max_ucb and its variants).
 *
 * Scaling (policies/scaling.h) is affine with the same slope 1 / range for all arms in a round, so the order of the
 * indices is that of  max_i + range * c_t / n_i^2 : O(1) per round, no rescan. With a constant history only the bonus
 * decides.
 * State: 24 bytes per arm and this struct. Cost O(K) per pull. */
#ifndef MAXK_POLICIES_MAX_INDEX_H
#define MAXK_POLICIES_MAX_INDEX_H

#include "policies/argmax.h"
#include "policies/policy.h"
#include "policies/scaling.h"

struct mk_max_index {
    const struct mk_setup *setup;
    double *max;     /* [K] running maxima, -inf before the first reward */
    double *inv_n2;  /* [K] 1 / n_i^2 */
    uint64_t *n;     /* [K] */
    struct mk_scaling scaling;
    int random_ties;
    double scaled;   /* range * c_t of the round being decided */
};

#define MK_MAX_INDEX_PARAMS MK_SCALING_PARAMS(0.01, 0.99), MK_TIES_PARAM

/* Values of MK_MAX_INDEX_PARAMS start at par[0] here. */
static inline const char *mk_max_index_check(const double *par)
{
    return mk_scaling_check(par);
}

static inline size_t mk_max_index_bytes(size_t arms)
{
    return sizeof(struct mk_max_index) + arms * (2 * sizeof(double) + sizeof(uint64_t));
}

static inline void mk_max_index_clear(struct mk_max_index *m)
{
    for (size_t i = 0; i < m->setup->arms; i++) {
        m->max[i] = -INFINITY;
        m->inv_n2[i] = INFINITY;
        m->n[i] = 0;
    }
}

static inline void mk_max_index_init(struct mk_max_index *m, const struct mk_setup *s, const double *par)
{
    m->setup = s;
    m->max = (double *)(m + 1);
    m->inv_n2 = m->max + s->arms;
    m->n = (uint64_t *)(m->inv_n2 + s->arms);
    mk_scaling_init(&m->scaling, par);
    m->random_ties = par[3] != 0;
    mk_max_index_clear(m);
}

static inline double mk_max_index_value(const void *context, size_t i)
{
    const struct mk_max_index *m = context;
    return m->max[i] + m->scaled * m->inv_n2[i];
}

/* argmax_i of max_i + range * c / n_i^2; every arm must have been pulled. */
static inline size_t mk_max_index_select(struct mk_max_index *m, double c)
{
    m->scaled = m->scaling.range * c;
    return mk_argmax_of(m, m->setup->arms, mk_max_index_value, m->random_ties, m->setup->rng);
}

static inline void mk_max_index_update(struct mk_max_index *m, size_t arm, double reward)
{
    double n = (double)++m->n[arm];
    m->inv_n2[arm] = 1.0 / (n * n);
    if (reward > m->max[arm]) m->max[arm] = reward;
    mk_scaling_see(&m->scaling, reward);
}

#endif
