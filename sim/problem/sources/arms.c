/* Arms whose rewards are i.i.d. with a distribution of their own. */
#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"

#include "sim/problem/problem.h"

static int make_room(struct mk_problem *p, size_t n_instances, struct mk_error *err)
{
    (void)n_instances;
    p->dist = calloc(p->n_arms, sizeof(struct mk_dist *));
    return p->dist ? MK_OK : mk_fail_memory(err, "arms");
}

static int support(const struct mk_problem *p, size_t instance, size_t k, double *low, double *high,
                   struct mk_error *err)
{
    (void)err;
    mk_dist_support(p->dist[p->instance[instance].arm[k]], low, high);
    return MK_OK;
}

static int expected_max(const struct mk_problem *p, size_t arm, uint64_t horizon, double *value, struct mk_error *err)
{
    return mk_dist_expected_max(p->dist[arm], (double)horizon, value, err);
}

/* F(x)^T = 1/2, that is G(x) = 1 - 2^(-1/T). */
static int median_max(const struct mk_problem *p, size_t arm, uint64_t horizon, double *value, struct mk_error *err)
{
    (void)err;
    *value = mk_dist_inverse_survival(p->dist[arm], -expm1(-M_LN2 / (double)horizon));
    return MK_OK;
}

static int sample(const struct mk_problem *p, size_t arm, struct mk_pcg64 *rng, uint64_t first, size_t n, double *out)
{
    (void)first;
    p->dist[arm]->type->sample(p->dist[arm], rng, n, out);
    return MK_OK;
}

const struct mk_source_type mk_source_arms = {.key = "arms",
                                              .known = true,
                                              .record_tape = true,
                                              .make_room = make_room,
                                              .support = support,
                                              .expected_max = expected_max,
                                              .median_max = median_max,
                                              .sample = sample};
