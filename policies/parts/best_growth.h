/* Running best y_i(n) of each arm and its growth rate over the last C pulls, (y(n) - y(n-C)) / C (Li et al. 2020,
 * eq. 10). A ring of the last C + 1 values per arm. State: 8 (C + 1) + 16 bytes per arm and this struct. O(1) per
 * reward. */
#ifndef MAXK_POLICIES_PARTS_BEST_GROWTH_H
#define MAXK_POLICIES_PARTS_BEST_GROWTH_H

#include <stdbool.h>

#include "policies/policy.h"

#define MK_GROWTH_PARAM(def)                                                                                           \
    {                                                                                                                  \
        "C", MK_INTEGER, 0, def, 1, 100000, NULL, "number of last pulls over which the growth rate is averaged"        \
    }

struct mk_best_growth {
    size_t ring;  /* C + 1 */
    uint64_t *n;  /* [K] */
    double *best; /* [K] y_i(n), -inf before the first reward */
    double *past; /* [K][ring] y_i(m) at m mod ring */
};

static inline size_t mk_best_growth_bytes(size_t arms, double c)
{
    return arms * (sizeof(uint64_t) + sizeof(double) * (2 + (size_t)c));
}

/* `memory` has mk_best_growth_bytes(arms, c) bytes. */
static inline void mk_best_growth_init(struct mk_best_growth *g, void *memory, size_t arms, double c)
{
    g->ring = (size_t)c + 1;
    g->n = memory;
    g->best = (double *)(g->n + arms);
    g->past = g->best + arms;
    for (size_t i = 0; i < arms; i++) {
        g->n[i] = 0;
        g->best[i] = -INFINITY;
    }
}

static inline void mk_best_growth_add(struct mk_best_growth *g, size_t i, double reward)
{
    uint64_t n = ++g->n[i];
    if (reward > g->best[i]) g->best[i] = reward;
    g->past[i * g->ring + n % g->ring] = g->best[i];
}

/* Whether y(n - C) exists: n > C. */
static inline bool mk_best_growth_known(const struct mk_best_growth *g, size_t i)
{
    return g->n[i] >= g->ring;
}

/* y(n - C); the arm has more than C pulls. */
static inline double mk_best_growth_past(const struct mk_best_growth *g, size_t i)
{
    return g->past[i * g->ring + (g->n[i] + 1) % g->ring];
}

#endif
