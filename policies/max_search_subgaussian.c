/* MaxSearch, sub-Gaussian (Kikkawa & Ohno 2024, "Materials discovery using max K-armed bandit"): each arm once, then
 * the arm with the largest bound on the expected improvement over its own maximum,
 *
 *     beta = c sqrt(log t / n),  g = 2 sqrt(2) beta - beta^2,  v = (mean of squares - mean^2) / (2 (log 2 - g)),
 *     index = sqrt(2 pi v) erfc((max - mean) / sqrt(2 v)),  infinite where g > log 2.
 *
 * An arm whose rewards are all equal has v = 0 and no index (0/0): see `nan`.
 * Cost per pull O(K), O(n) with numerics: rescan; memory 64 bytes per arm.
 * per_cost, this project's: policies/parts/pull_costs.h, root in the n of beta. */
#include "policies/parts/max_search.h"
#include "policies/play/per_pull_loop.h"

enum { PARAMS = MK_SEARCH_NEXT };

static const struct mk_param params[] = {
    {"c", MK_REAL, MK_OPEN_HI, 0.27, 0, INFINITY, NULL, "exploration"},
    MK_SEARCH_PARAMS("none|root|ratio"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static void init_max_search_subgaussian(void *state, const struct mk_setup *s)
{
    mk_max_search_start(state, s, (enum mk_per_cost)s->par[MK_SEARCH_PER_COST]);
}

/* pulls: n in beta. */
static inline double index_of(const struct mk_max_search_arm *k, double c, double log_t, double pulls)
{
    double beta = c * sqrt(log_t / pulls), g = 2 * M_SQRT2 * beta - beta * beta;
    if (g > M_LN2) return INFINITY;
    double v = k->population_variance / (2 * (M_LN2 - g));
    return sqrt(2 * M_PI * v) * erfc((k->max - k->mean) / sqrt(2 * v));
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct mk_max_search *m = state;
    const struct mk_setup *s = m->setup;
    if (t <= s->arms) return (size_t)(t - 1);
    mk_max_search_round(m);
    for (size_t i = 0; i < s->arms; i++) {
        struct mk_max_search_arm k = mk_max_search_look(m, i);
        const double pulls = mk_pull_costs_pulls(&m->costs, i, m->moments[i].n);
        mk_max_search_set(m, i, &k, index_of(&k, s->par[MK_SEARCH_C], mk_max_search_log(m, i, t), pulls));
    }
    return mk_max_search_argmax(m);
}

MK_POLICY_PLAY(play, select_arm, mk_max_search_update)

const struct mk_policy_type mk_policy_max_search_subgaussian = {
    .name = "max_search_subgaussian",
    .summary = "MaxSearch, sub-Gaussian: a bound on the expected improvement over an arm's own maximum",
    .formula =
        "argmax_i sqrt(2 pi v) erfc((max_i - mean_i)/sqrt(2v)), v = (mean of squares - mean^2)/(2(log 2 - g)), g = "
        "2 sqrt(2) beta - beta^2, beta = c sqrt(log t / n_i); infinite if g > log 2; each arm once first",
    .reference = "Kikkawa & Ohno 2024",
    .departures = "published runs of Balef et al. 2025: c=0.2710335651133569 (1/sqrt(13.613)); with round_offset=-1, "
                  "ties=random in "
                  "Appendix E.4; with nan=maximum, numerics=rescan, scale=minmax in the AutoML runs",
    .cost = "O(K)",
    .kind = MK_EXTREME,
    .flags = MK_POLICY_RANDOM_TIES,
    .params = params,
    .state_size = mk_max_search_bytes,
    .init = init_max_search_subgaussian,
    .select = select_arm,
    .update = mk_max_search_update,
    .play = play,
};
