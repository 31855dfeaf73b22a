#include "sim/run/engine/label_shares.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"
#include "sim/base/order.h"

/* Adds the parts of the arms on one repetition; largest[arms of the instance] is scratch. */
static void share_repetition(const struct mk_problem *p, size_t instance, uint64_t replication, double weight,
                             double *largest, double *part)
{
    const struct mk_instance *in = &p->instance[instance];
    double top = -INFINITY, tied = 0;
    for (size_t k = 0; k < in->n_arms; k++) {
        const struct mk_series *s = mk_problem_series(p, instance, k, replication);
        largest[k] = s->length ? mk_largest(s->length, s->reward) : -INFINITY;
        top = fmax(top, largest[k]);
    }
    for (size_t k = 0; k < in->n_arms; k++) tied += largest[k] == top;
    for (size_t k = 0; k < in->n_arms; k++)
        if (largest[k] == top) part[in->arm[k]] += weight / tied;
}

int mk_label_shares_new(double **out, const struct mk_problem *p, struct mk_error *err)
{
    const size_t arms = p->n_arms, n = p->n_instances;
    double *part = calloc(n * arms + 1, sizeof *part), *sum = calloc(2 * arms + 1, sizeof *sum);
    if (!part || !sum) {
        free(part);
        free(sum);
        return mk_fail_memory(err, "shares of labels");
    }
    for (size_t i = 0; i < n; i++) {
        const uint64_t replications = mk_problem_replications(p, i, UINT64_MAX);
        for (uint64_t r = 0; r < replications; r++)
            share_repetition(p, i, r, 1 / (double)replications, sum + arms, part + i * arms);
        for (size_t k = 0; k < arms; k++) sum[k] += part[i * arms + k];
        mk_problem_release(p, i);
    }
    for (size_t i = 0; i < n; i++) {
        const struct mk_instance *in = &p->instance[i];
        const double has = (double)in->n_arms, others = (double)n - 1;
        for (size_t k = 0; k < in->n_arms; k++) {
            double *own = &part[i * arms + in->arm[k]];
            const double elsewhere = fmax(0, sum[in->arm[k]] - *own);
            sum[arms + k] = has * (elsewhere + 2 / has) / (others + 2);
        }
        for (size_t k = 0; k < arms; k++) part[i * arms + k] = 0;
        for (size_t k = 0; k < in->n_arms; k++) part[i * arms + in->arm[k]] = sum[arms + k];
    }
    free(sum);
    *out = part;
    return MK_OK;
}
