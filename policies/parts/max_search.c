#include "policies/parts/max_search.h"

#include <math.h>

size_t mk_max_search_bytes(const struct mk_setup *s)
{
    return sizeof(struct mk_max_search) + s->arms * (sizeof(struct mk_moments) + 2 * sizeof(double)) +
           (s->par[MK_SEARCH_PER_COST] != 0 ? s->arms * sizeof(double) : 0) +
           mk_numpy_bytes(s, s->par[MK_SEARCH_NUMERICS] != 0);
}

void mk_max_search_start(struct mk_max_search *m, const struct mk_setup *s, enum mk_per_cost per_cost)
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
    mk_pull_costs_init(&m->costs, m->index + s->arms, s, per_cost);
    mk_numpy_init(&m->rescan, (char *)(m->index + s->arms) + mk_pull_costs_bytes(s, per_cost), s,
                  s->par[MK_SEARCH_NUMERICS] != 0);
}

/* mean ** 2 of a NumPy scalar: the C library's pow, whose last bit differs from that of mean * mean in about one case
 * in 1200. */
static double squared(double mean)
{
    static const volatile double two = 2; /* keeps the compiler from multiplying */
    return pow(mean, two);
}

struct mk_max_search_arm mk_max_search_rescan(const struct mk_max_search *m, size_t arm)
{
    const struct mk_history *h = &m->rescan.history[arm];
    double n = (double)h->n, mean = mk_numpy_mean(&m->rescan, arm, 0, 0), mean2 = squared(mean);
    double squares = mk_numpy_sum(h->x, h->n, &m->rescan.map, 0, 1);
    double max = mk_affine_value(&m->rescan.map, m->max[arm]);
    return (struct mk_max_search_arm){n, mean, max, (squares - n * mean2) / (n - 1), squares / n - mean2, 0};
}
