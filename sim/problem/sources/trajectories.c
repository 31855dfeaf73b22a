/* Recorded sequences of rewards (sim/problem/trajectory.h). */
#include <math.h>

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

const struct mk_source_type mk_source_trajectories = {.key = "trajectories",
                                                      .has = MK_HAS_SERIES | MK_HAS_POOLS | MK_HAS_RECORD_TAPE,
                                                      .support = mk_source_series_support};
