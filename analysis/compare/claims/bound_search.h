/* The worst case of Theorem 4.2, of Proposition 4.1 or of a claim of the experiment: the parameters, within given
 * ranges, at which observed / bound is largest (for a lower bound: bound / observed).
 *
 * A point of the box is turned into overrides of the experiment file (`policies.0.alpha=0.37`), simulated by the record
 * engine (engine auto if a policy needs all rewards), and evaluated: the objective is the largest ratio over policies,
 * horizons and suboptimal arms, where an upper bound of 0 or less that is exceeded counts as infinitely exceeded. All
 * points see the same random numbers, so the objective is a deterministic function that changes little between
 * neighbours. A quasi-random scan (Sobol) of a third of the evaluations is followed by Nelder-Mead simplex searches
 * (GSL, nmsimplex2) from the best points, confined to the box by reflection. The worst point is simulated again with
 * fresh random numbers, since the largest of many noisy values is biased upwards. A map has the points of a grid. */
#ifndef MAXK_ANALYSIS_COMPARE_CLAIMS_BOUND_SEARCH_H
#define MAXK_ANALYSIS_COMPARE_CLAIMS_BOUND_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/theory/bounds.h"
#include "sim/api/maxk/error.h"
#include "sim/base/progress.h"
#include "sim/run/engine/run.h"

enum { MK_SEARCH_DIMENSIONS = 8 };
#define MK_SEARCH_NO_ARM SIZE_MAX

struct mk_bound_search_range {
    char key[200]; /* dotted key of the experiment file */
    double lo, hi; /* lo < hi; searched on a log scale where lo > 0 and hi / lo >= 10 */
};

enum mk_bound_search_target { MK_SEARCH_THEOREM, MK_SEARCH_PROPOSITION, MK_SEARCH_CLAIM };

struct mk_bound_search {
    const char *path; /* experiment file, synthetic arms; for the theorem every policy max_ucb */
    enum mk_bound_search_target target;
    const char *claim; /* MK_SEARCH_CLAIM: its name in the file */
    size_t n_sets;
    const char *const *sets; /* further overrides */
    size_t n;
    const struct mk_bound_search_range *range; /* [n], 1 … MK_SEARCH_DIMENSIONS */
    enum mk_bound_variant variant;             /* MK_SEARCH_THEOREM */
    uint64_t evaluations;                      /* of the objective, >= 1 */
    uint64_t replications;                     /* of each */
    uint64_t confirm;                          /* replications of the last one, on its own seed */
    uint64_t seed;
    int threads;
    struct mk_progress *progress; /* one step per evaluation; NULL: not counted */
    bool loosest; /* the largest bound / observed (for a lower bound: observed / bound) is looked for instead */
};

/* Where the ratio is largest. */
struct mk_bound_search_cell {
    char policy[128];
    double alpha;
    uint64_t horizon;
    size_t arm;             /* MK_SEARCH_NO_ARM: the regret */
    double mean, low, high; /* pulls or regret, 95 % interval */
    double unit;            /* of the policy (analysis/compare/reward_unit.h): L and gap are in it */
    double L;               /* of the optimal arm */
    double gap, p, bound;   /* gap, p: NaN if undefined */
    double ratio; /* mean / bound; for a lower bound, or else with `loosest`, bound / mean; +inf if unbounded */
    enum mk_verdict verdict;
};

struct mk_bound_search_result {
    uint64_t evaluations, refused; /* refused: parameters that the experiment reader rejects, or no bound */
    double x[MK_SEARCH_DIMENSIONS];
    struct mk_bound_search_cell searched, confirmed;
    enum mk_engine engine; /* engine that simulated */
    bool inverted;         /* ratio is bound / observed */
    char *resolved;        /* the confirmed experiment as YAML; owned */
};

/* Reads "KEY=LO:HI"; otherwise MK_EINPUT, with a message that begins with `option`. */
int mk_bound_search_range_parse(const char *text, const char *option, struct mk_bound_search_range *out,
                                struct mk_error *err);

/* The target: the claim of that name, unless NULL; else a form of Theorem 4.2, or MK_BOUND_VARIANTS for Proposition
 * 4.1. */
void mk_bound_search_set_target(struct mk_bound_search *s, int variant, const char *claim);
/* "sum", …, "proposition", or the claim's name. */
const char *mk_bound_search_target_name(const struct mk_bound_search *s);

/* Position u in [0, 1] of a range; u outside is reflected back. */
double mk_bound_search_place(const struct mk_bound_search_range *r, double u);

/* MK_EINPUT when no evaluation gave a bound, with the reason of the first. */
int mk_bound_search_run(const struct mk_bound_search *s, struct mk_bound_search_result *out, struct mk_error *err);

/* The experiment at the point x[s->n], which the caller frees. */
int mk_bound_search_experiment(struct mk_experiment **out, const struct mk_bound_search *s, const double *x,
                               struct mk_error *err);

enum { MK_BOUND_MAP_LEAST = 2, MK_BOUND_MAP_MOST = 200 }; /* points per key */

/* A bound compared with the observed value on a grid over two keys of an experiment file. */
struct mk_bound_map {
    struct mk_bound_search search; /* of every point; range and n are set here */
    struct mk_bound_search_range range[2];
    size_t points[2];
    double *x, *y;                     /* [points[0]], [points[1]]: values of the keys */
    struct mk_bound_search_cell *cell; /* [points[0]][points[1]]: the worst of all policies, horizons and arms */
};

/* Evaluates every point, with one step of search.progress each. Freed with mk_bound_map_clear, also after an error. */
int mk_bound_map_evaluate(struct mk_bound_map *m, struct mk_error *err);
void mk_bound_map_clear(struct mk_bound_map *m);

/* log10(bound / observed), above 0 where the bound holds, the bound capped at the largest possible value. */
double mk_bound_map_looseness(const struct mk_bound_map *m, const struct mk_bound_search_cell *c);

#endif
