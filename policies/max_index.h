/* Index policies of the form  scaled(max_i) + c_t / n_i^2  (max_ucb and its variants).
 *
 * Scaling is an affine map x -> low + (x - shift) / range with range > 0, the same for all arms in a round, so the order
 * of the indices is that of  max_i + range * c_t / n_i^2 : O(1) per round, no rescan.
 *   none        range = 1
 *   global_max  range = g, the largest reward seen so far (x / g); 1 while g <= 0, where dividing would turn the order
 *   minmax      range = (largest - smallest reward seen so far) / (scale_hi - scale_lo); constant history: only the
 *               bonus decides
 * State: 16 bytes per arm and this struct. Cost O(K) per pull. */
#ifndef MAXK_POLICIES_MAX_INDEX_H
#define MAXK_POLICIES_MAX_INDEX_H

#include "policies/policy.h"

enum mk_scale { MK_SCALE_NONE, MK_SCALE_GLOBAL_MAX, MK_SCALE_MINMAX };

struct mk_max_index {
    const struct mk_setup *setup;
    double *max;     /* [K] running maxima, -inf before the first reward */
    double *inv_n2;  /* [K] 1 / n_i^2 */
    uint64_t *n;     /* [K] */
    enum mk_scale scale;
    int random_ties;
    double scale_width; /* scale_hi - scale_lo */
    double largest, smallest, range;
};

#define MK_MAX_INDEX_PARAMS                                                                                           \
    {"scale", MK_CHOICE, 0, 0, 0, 0, "none|global_max|minmax", "what is done to the rewards seen so far"},           \
        {"scale_lo", MK_REAL, 0, 0.01, -INFINITY, INFINITY, NULL, "scale minmax: where the smallest reward goes"},    \
        {"scale_hi", MK_REAL, 0, 0.99, -INFINITY, INFINITY, NULL, "scale minmax: where the largest reward goes"},     \
        {"ties", MK_CHOICE, 0, 0, 0, 0, "lowest|random", "which of several arms with the largest index"}

/* Values of MK_MAX_INDEX_PARAMS start at par[0] here. */
static inline const char *mk_max_index_check(const double *par)
{
    return par[2] > par[1] ? NULL : "scale_hi must be above scale_lo";
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
    m->largest = -INFINITY;
    m->smallest = INFINITY;
    m->range = 1;
}

static inline void mk_max_index_init(struct mk_max_index *m, const struct mk_setup *s, const double *par)
{
    m->setup = s;
    m->max = (double *)(m + 1);
    m->inv_n2 = m->max + s->arms;
    m->n = (uint64_t *)(m->inv_n2 + s->arms);
    m->scale = (enum mk_scale)par[0];
    m->scale_width = par[2] - par[1];
    m->random_ties = par[3] != 0;
    mk_max_index_clear(m);
}

/* argmax_i of max_i + range * c / n_i^2; every arm must have been pulled. */
static inline size_t mk_max_index_select(const struct mk_max_index *m, double c)
{
    const size_t arms = m->setup->arms;
    const double scaled = m->range * c;
    size_t best = 0;
    double top = m->max[0] + scaled * m->inv_n2[0];
    for (size_t i = 1; i < arms; i++) {
        double index = m->max[i] + scaled * m->inv_n2[i];
        best = index > top ? i : best;
        top = index > top ? index : top;
    }
    if (m->random_ties) {
        uint64_t equal = 0;
        for (size_t i = best; i < arms; i++) equal += m->max[i] + scaled * m->inv_n2[i] == top;
        if (equal > 1) {
            uint64_t skip = mk_uniform_below(m->setup->rng, equal);
            for (size_t i = best;; i++) {
                if (m->max[i] + scaled * m->inv_n2[i] != top) continue;
                if (skip-- == 0) return i;
            }
        }
    }
    return best;
}

static inline void mk_max_index_update(struct mk_max_index *m, size_t arm, double reward)
{
    double n = (double)++m->n[arm];
    m->inv_n2[arm] = 1.0 / (n * n);
    if (reward > m->max[arm]) m->max[arm] = reward;
    if (m->scale == MK_SCALE_NONE) return;
    if (reward > m->largest) m->largest = reward;
    if (reward < m->smallest) m->smallest = reward;
    double range = m->scale == MK_SCALE_GLOBAL_MAX ? m->largest : (m->largest - m->smallest) / m->scale_width;
    m->range = range > 0 ? range : 1.0;
}

#endif
