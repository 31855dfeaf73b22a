#include "analysis/compare/policy_choice.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"

static const double *values(const struct mk_comparison *c, enum mk_criterion by)
{
    return by == MK_BY_RANK ? c->rank : c->loss;
}

/* The candidate with the smallest mean over all instances but one (`without` = n_instances: over all). */
static size_t best(const struct mk_comparison *c, const double *value, size_t without)
{
    size_t at = 0;
    double least = INFINITY;
    for (size_t p = 0; p < c->n_policies; p++) {
        double sum = 0;
        for (size_t i = 0; i < c->n_instances; i++)
            if (i != without) sum += value[i * c->n_policies + p];
        if (sum >= least) continue;
        least = sum;
        at = p;
    }
    return at;
}

static void judge(struct mk_policy_choice *out, const struct mk_comparison *c)
{
    double n = (double)c->n_instances;
    for (size_t i = 0; i < c->n_instances; i++) {
        const double *rank = c->rank + i * c->n_policies, *loss = c->loss + i * c->n_policies;
        double least_rank = INFINITY, least_loss = INFINITY;
        for (size_t p = 0; p < c->n_policies; p++) {
            least_rank = rank[p] < least_rank ? rank[p] : least_rank;
            least_loss = loss[p] < least_loss ? loss[p] : least_loss;
        }
        out->left_out.rank += rank[out->picked[i]] / n;
        out->left_out.loss += loss[out->picked[i]] / n;
        out->overall.rank += rank[out->best_overall] / n;
        out->overall.loss += loss[out->best_overall] / n;
        out->single.rank += least_rank / n;
        out->single.loss += (isinf(least_loss) ? NAN : least_loss) / n;
    }
}

int mk_policy_choose(struct mk_policy_choice *out, const struct mk_comparison *c, enum mk_criterion by,
                     struct mk_error *err)
{
    *out = (struct mk_policy_choice){0};
    if (c->n_instances < 2)
        return mk_fail(err, MK_EINPUT, "choosing a policy from data: expected at least two instances, got %zu",
                       c->n_instances);
    if (by == MK_BY_LOSS && isnan(c->loss[0]))
        return mk_fail(err, MK_EINPUT, "choosing by loss: the result has no normalised losses");
    out->picked = calloc(c->n_instances, sizeof *out->picked);
    out->times = calloc(c->n_policies, sizeof *out->times);
    if (!out->picked || !out->times) {
        mk_policy_choice_clear(out);
        return mk_fail_memory(err, "a choice");
    }
    for (size_t i = 0; i < c->n_instances; i++) {
        out->picked[i] = best(c, values(c, by), i);
        out->times[out->picked[i]]++;
    }
    for (size_t p = 1; p < c->n_policies; p++)
        if (out->times[p] > out->times[out->most]) out->most = p;
    out->best_overall = best(c, values(c, by), c->n_instances);
    judge(out, c);
    return MK_OK;
}

void mk_policy_choice_clear(struct mk_policy_choice *choice)
{
    free(choice->picked);
    free(choice->times);
    *choice = (struct mk_policy_choice){0};
}
