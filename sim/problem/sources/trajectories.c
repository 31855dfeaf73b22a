/* Recorded sequences of rewards (sim/problem/trajectory.h). */
#include <math.h>

#include "sim/base/hash.h"
#include "sim/problem/problem.h"

int mk_source_series_support(const struct mk_problem *p, size_t instance, size_t k, double *low, double *high,
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

static uint64_t add_values(uint64_t hash, const double *value, size_t n)
{
    const unsigned char *byte = (const unsigned char *)value;
    for (size_t b = 0; value && b < n * sizeof *value; b++) hash = mk_hash_add(hash, byte[b]);
    return hash;
}

/* Everything of the series that a run depends on or writes. */
static uint64_t add_series(uint64_t hash, const struct mk_series *series, size_t n)
{
    for (size_t s = 0; series && s < n; s++) {
        const size_t length = series[s].length;
        hash = add_values(hash, series[s].reward, length);
        hash = add_values(hash, series[s].cost, length);
        hash = add_values(hash, series[s].worth, length);
        hash = mk_hash_add(hash, length);
    }
    return hash;
}

/* Digest of the bytes of all recorded rewards, costs and test scores with their lengths, those of combined searches
 * among them. */
static int fingerprint(const struct mk_problem *p, uint64_t *digest)
{
    uint64_t hash = MK_HASH_START;
    for (size_t i = 0; i < p->n_instances; i++) {
        const struct mk_instance *in = &p->instance[i];
        hash = add_series(hash, in->series, in->n_arms * (size_t)p->replications);
        hash = add_series(hash, in->baseline, p->n_baselines * (size_t)p->replications);
        if (in->series) mk_problem_release(p, i);
    }
    *digest = hash;
    return MK_OK;
}

const struct mk_source_type mk_source_trajectories = {.key = "trajectories",
                                                      .recorded = true,
                                                      .record_tape = true,
                                                      .fingerprint_name = "recorded rewards",
                                                      .fingerprint = fingerprint,
                                                      .support = mk_source_series_support};
