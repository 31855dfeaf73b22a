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

/* Digest of the bytes of all recorded rewards with their lengths. */
static int fingerprint(const struct mk_problem *p, uint64_t *digest)
{
    uint64_t hash = MK_HASH_START;
    for (size_t i = 0; i < p->n_instances; i++) {
        const struct mk_instance *in = &p->instance[i];
        size_t n = in->series ? in->n_arms * (size_t)p->replications : 0;
        for (size_t s = 0; s < n; s++) {
            const unsigned char *byte = (const unsigned char *)in->series[s].reward;
            for (size_t b = 0; b < in->series[s].length * sizeof(double); b++) hash = mk_hash_add(hash, byte[b]);
            hash = mk_hash_add(hash, in->series[s].length);
        }
        if (n) mk_problem_release(p, i);
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
