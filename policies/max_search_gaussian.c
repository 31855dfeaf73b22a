/* MaxSearch, Gaussian (Kikkawa & Ohno 2024, "Materials discovery using max K-armed bandit"): each arm once, then the
 * arm with the largest expected improvement over its own maximum under upper confidence bounds of its mean and
 * variance,
 *
 *     a = t^(-c^2),  mu' = mean + t_{1-a/2, n-1} s / sqrt(n),  sigma'^2 = (n - 1) s^2 / chi2_{a/2, n-1},
 *     index = sqrt(sigma'^2 / 2) ierfc((max - mu') / sqrt(2 sigma'^2)),  ierfc(x) = exp(-x^2)/sqrt(pi) - x erfc(x),
 *
 * infinite while n = 1. An arm whose rewards are all equal has s = 0 and no index (0/0): see `nan`.
 * The two quantiles change slowly with t and are followed by policies/parts/tail_quantiles.h.
 * Cost per pull O(K), O(n) with numerics: rescan; memory 1.1 kB per arm.
 * per_cost: ratio, this project's: policies/parts/pull_costs.h. root is not offered: n is also the degrees of freedom
 * of both quantiles, which costs do not change. */
#include "policies/parts/max_search.h"
#include "policies/parts/tail_quantiles.h"
#include "policies/play/per_pull_loop.h"

struct state {
    struct mk_tail_quantiles *path; /* [K] */
    struct mk_max_search search;
};

enum { PARAMS = MK_SEARCH_NEXT };

static const struct mk_param params[] = {
    {"c", MK_REAL, 0, 1, 0, 3, NULL, "exploration, a = t^(-c^2)"},
    MK_SEARCH_PARAMS("none|ratio"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static size_t state_size(const struct mk_setup *s)
{
    return sizeof(struct state) - sizeof(struct mk_max_search) + mk_max_search_bytes(s) +
           s->arms * sizeof(struct mk_tail_quantiles);
}

static void init_max_search_gaussian(void *state, const struct mk_setup *s)
{
    struct state *q = state;
    mk_max_search_start(&q->search, s, mk_per_cost_ratio(s->par[MK_SEARCH_PER_COST]));
    q->path = (struct mk_tail_quantiles *)((char *)state + state_size(s)) - s->arms;
    for (size_t i = 0; i < s->arms; i++) mk_tail_quantiles_clear(&q->path[i]);
}

static inline double ierfc(double x)
{
    return -x * erfc(x) + exp(-x * x) * (0.5 * M_2_SQRTPI);
}

static inline double index_of(const struct mk_max_search_arm *k, struct mk_tail_quantiles *path, double L)
{
    if (!(k->n > 1)) return INFINITY;
    double t, chi2;
    mk_tail_quantiles_at(path, k->n - 1, L, &t, &chi2);
    double mu = k->mean + t * sqrt(k->sample_variance / k->n), sigma2 = (k->n - 1) * k->sample_variance / chi2;
    return sqrt(sigma2 / 2) * ierfc((k->max - mu) / sqrt(2 * sigma2));
}

/* The arm whose path supplies the quantiles of arm i: rescan takes the first arm with the same number of pulls, so that
 * whether arms that differ only by a shift are tied depends on the rounding of the published programs, not on that of
 * two paths. */
static inline size_t path_of(const struct mk_max_search *m, size_t i)
{
    size_t j = m->rescan.history ? 0 : i;
    while (m->moments[j].n != m->moments[i].n) j++;
    return j;
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct state *q = state;
    struct mk_max_search *m = &q->search;
    const struct mk_setup *s = m->setup;
    if (t <= s->arms) return (size_t)(t - 1);
    const double c = s->par[MK_SEARCH_C];
    mk_max_search_round(m);
    for (size_t i = 0; i < s->arms; i++) {
        struct mk_max_search_arm k = mk_max_search_look(m, i);
        const double L = c * c * mk_max_search_log(m, i, t);
        mk_max_search_set(m, i, &k, index_of(&k, &q->path[path_of(m, i)], L));
    }
    return mk_max_search_argmax(m);
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    struct state *q = state;
    mk_max_search_update(&q->search, arm, reward, t);
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_max_search_gaussian = {
    .name = "max_search_gaussian",
    .summary = "MaxSearch, Gaussian: expected improvement over an arm's own maximum with confidence bounds",
    .formula = "argmax_i sqrt(S/2) ierfc((max_i - m)/sqrt(2S)), m = mean_i + t_{1-a/2,n-1} s/sqrt(n), S = (n-1) s^2 / "
               "chi2_{a/2,n-1}, a = t^(-c^2), ierfc(x) = exp(-x^2)/sqrt(pi) - x erfc(x); infinite while n = 1",
    .reference = "Kikkawa & Ohno 2024",
    .departures = "Appendix E.4 runs of Balef et al. 2025: round_offset=-1, ties=random; published AutoML runs: "
                  "nan=maximum, numerics=rescan, scale=minmax (2 of 384 sequences of 200 pulls still differ for two "
                  "pulls: last bits of SciPy's quantiles decide near-ties)",
    .cost = "O(K)",
    .kind = MK_EXTREME,
    .flags = MK_POLICY_RANDOM_TIES,
    .params = params,
    .state_size = state_size,
    .init = init_max_search_gaussian,
    .select = select_arm,
    .update = update,
    .play = play,
};
