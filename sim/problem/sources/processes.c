/* Arms whose distribution depends on their count of pulls (sim/problem/process.h). */
#include <stdlib.h>

#include "sim/base/error.h"

#include "sim/problem/problem.h"

static int make_room(struct mk_problem *p, size_t n_instances, struct mk_error *err)
{
    (void)n_instances;
    p->process = calloc(p->n_arms, sizeof(struct mk_process *));
    return p->process ? MK_OK : mk_fail_memory(err, "processes");
}

static int support(const struct mk_problem *p, size_t instance, size_t k, double *low, double *high,
                   struct mk_error *err)
{
    return mk_process_support(p->process[p->instance[instance].arm[k]], low, high, err);
}

static int expected_max(const struct mk_problem *p, size_t arm, uint64_t horizon, double *value, struct mk_error *err)
{
    return mk_process_expected_max(p->process[arm], horizon, value, err);
}

static int median_max(const struct mk_problem *p, size_t arm, uint64_t horizon, double *value, struct mk_error *err)
{
    return mk_process_median_max(p->process[arm], horizon, value, err);
}

static int sample(const struct mk_problem *p, size_t arm, struct mk_pcg64 *rng, uint64_t first, size_t n, double *out)
{
    return mk_process_sample(p->process[arm], rng, first, n, out);
}

const struct mk_source_type mk_source_processes = {.key = "processes",
                                                   .moving = true,
                                                   .make_room = make_room,
                                                   .support = support,
                                                   .expected_max = expected_max,
                                                   .median_max = median_max,
                                                   .sample = sample};
