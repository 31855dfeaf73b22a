#include "sim/problem/source.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"
#include "sim/base/registry.h"
#include "sim/problem/problem.h"

/* ---- arms whose rewards are i.i.d. with a distribution of their own ---- */

static int make_distributions(struct mk_problem *p, size_t n_instances, struct mk_error *err)
{
    (void)n_instances;
    p->dist = calloc(p->n_arms, sizeof(struct mk_dist *));
    return p->dist ? MK_OK : mk_fail_memory(err, "arms");
}

static int distribution_support(const struct mk_problem *p, size_t instance, size_t k, double *low, double *high,
                                struct mk_error *err)
{
    (void)err;
    mk_dist_support(p->dist[p->instance[instance].arm[k]], low, high);
    return MK_OK;
}

static int distribution_expected_max(const struct mk_problem *p, size_t arm, uint64_t horizon, double *value,
                                     struct mk_error *err)
{
    return mk_dist_expected_max(p->dist[arm], (double)horizon, value, err);
}

/* F(x)^T = 1/2, that is G(x) = 1 - 2^(-1/T). */
static int distribution_median_max(const struct mk_problem *p, size_t arm, uint64_t horizon, double *value,
                                   struct mk_error *err)
{
    (void)err;
    *value = mk_dist_inverse_survival(p->dist[arm], -expm1(-M_LN2 / (double)horizon));
    return MK_OK;
}

static int distribution_sample(const struct mk_problem *p, size_t arm, struct mk_pcg64 *rng, uint64_t first, size_t n,
                               double *out)
{
    (void)first;
    p->dist[arm]->type->sample(p->dist[arm], rng, n, out);
    return MK_OK;
}

const struct mk_source_type mk_source_arms = {.key = "arms",
                                              .has = MK_HAS_DISTRIBUTIONS | MK_HAS_POOLS | MK_HAS_RECORD_TAPE,
                                              .make_room = make_distributions,
                                              .support = distribution_support,
                                              .expected_max = distribution_expected_max,
                                              .median_max = distribution_median_max,
                                              .sample = distribution_sample};

/* ---- arms whose distribution depends on their count of pulls (sim/problem/process.h) ---- */

static int make_processes(struct mk_problem *p, size_t n_instances, struct mk_error *err)
{
    (void)n_instances;
    p->process = calloc(p->n_arms, sizeof(struct mk_process *));
    return p->process ? MK_OK : mk_fail_memory(err, "processes");
}

static int process_support(const struct mk_problem *p, size_t instance, size_t k, double *low, double *high,
                           struct mk_error *err)
{
    return mk_process_support(p->process[p->instance[instance].arm[k]], low, high, err);
}

static int process_expected_max(const struct mk_problem *p, size_t arm, uint64_t horizon, double *value,
                                struct mk_error *err)
{
    return mk_process_expected_max(p->process[arm], horizon, value, err);
}

static int process_median_max(const struct mk_problem *p, size_t arm, uint64_t horizon, double *value,
                              struct mk_error *err)
{
    return mk_process_median_max(p->process[arm], horizon, value, err);
}

static int process_sample(const struct mk_problem *p, size_t arm, struct mk_pcg64 *rng, uint64_t first, size_t n,
                          double *out)
{
    return mk_process_sample(p->process[arm], rng, first, n, out);
}

const struct mk_source_type mk_source_processes = {.key = "processes",
                                                   .has = MK_HAS_MEAN_CURVES,
                                                   .make_room = make_processes,
                                                   .support = process_support,
                                                   .expected_max = process_expected_max,
                                                   .median_max = process_median_max,
                                                   .sample = process_sample};

/* ---- recorded sequences of rewards (sim/problem/trajectory.h), and searches, whose rewards are there as such once
 * they have been run (sim/search/search.h) ---- */

/* The range of all rewards. */
static int series_support(const struct mk_problem *p, size_t instance, size_t k, double *low, double *high,
                          struct mk_error *err)
{
    (void)err;
    *low = INFINITY;
    *high = -INFINITY;
    for (uint64_t r = 0; r < p->instance[instance].replications; r++)
        mk_series_widen(mk_problem_series(p, instance, k, r), low, high);
    mk_problem_release(p, instance);
    return MK_OK;
}

static int make_searches(struct mk_problem *p, size_t n_instances, struct mk_error *err)
{
    return mk_searches_new(&p->searches, n_instances, p->n_arms, err);
}

const struct mk_source_type mk_source_trajectories = {
    .key = "trajectories", .has = MK_HAS_SERIES | MK_HAS_POOLS | MK_HAS_RECORD_TAPE, .support = series_support};

const struct mk_source_type mk_source_searches = {
    .key = "searches", .has = MK_HAS_EVALUATIONS | MK_HAS_POOLS, .make_room = make_searches, .support = series_support};

/* In the order in which messages list their keys. */
static const struct mk_source_type *const types[] = {&mk_source_arms, &mk_source_trajectories, &mk_source_processes,
                                                     &mk_source_searches};

MK_REGISTRY(mk_source_type, mk_source_type, types, types[i])
