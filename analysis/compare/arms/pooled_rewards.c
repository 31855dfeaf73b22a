#include "analysis/compare/arms/pooled_rewards.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/statistics.h"

struct mk_key mk_pooled_rewards_key(uint64_t seed, const char *what, size_t arm)
{
    return mk_key_word(mk_key_text(mk_key_word(mk_key_start(), seed), what), arm);
}

/* All recorded rewards of an arm, repetition after repetition. */
static size_t recorded(const struct mk_problem *p, size_t instance, size_t k, double *to)
{
    size_t n = 0;
    for (uint64_t r = 0; r < p->replications; r++) {
        const struct mk_series *s = mk_problem_series(p, instance, k, r);
        const size_t length = mk_series_recorded(s);
        if (to && length) memcpy(to + n, s->reward, length * sizeof *to);
        n += length;
    }
    return n;
}

static int fill_arm(struct mk_pooled_rewards *pool, const struct mk_problem *p, size_t instance, size_t k,
                    size_t samples, struct mk_key key, struct mk_error *err)
{
    const struct mk_instance *in = &p->instance[instance];
    const struct mk_dist *d = mk_problem_dist(p, instance, k);
    size_t n = d ? samples : recorded(p, instance, k, NULL);
    if (n == 0) return mk_fail(err, MK_EINPUT, "%s: arm %s has no rewards", in->name, p->arm_label[in->arm[k]]);
    pool->sorted[k] = malloc(n * sizeof **pool->sorted);
    if (!pool->sorted[k]) return mk_fail_memory(err, "pooled rewards");
    pool->n[k] = n;
    if (d) {
        struct mk_pcg64 rng;
        mk_pcg64_from_key(&rng, key);
        d->type->sample(d, &rng, n, pool->sorted[k]);
    } else {
        recorded(p, instance, k, pool->sorted[k]);
    }
    mk_sort_values(pool->sorted[k], n);
    if (pool->sorted[k][n - 1] > pool->largest) pool->largest = pool->sorted[k][n - 1];
    return MK_OK;
}

int mk_pooled_rewards_new(struct mk_pooled_rewards **out, const struct mk_problem *p, size_t instance, size_t samples,
                          uint64_t seed, const char *what, struct mk_error *err)
{
    const struct mk_instance *in = &p->instance[instance];
    struct mk_pooled_rewards *pool = calloc(1, sizeof *pool);
    if (!pool) return mk_fail_memory(err, "pooled rewards");
    int code = MK_OK;
    pool->n_arms = in->n_arms;
    pool->largest = -INFINITY;
    pool->sorted = calloc(in->n_arms, sizeof *pool->sorted);
    pool->n = calloc(in->n_arms, sizeof *pool->n);
    if (!pool->sorted || !pool->n) code = mk_fail_memory(err, "pooled rewards");
    for (size_t k = 0; !code && k < in->n_arms; k++)
        code = fill_arm(pool, p, instance, k, samples, mk_pooled_rewards_key(seed, what, in->arm[k]), err);
    mk_problem_release(p, instance);
    if (code) {
        mk_pooled_rewards_free(pool);
        pool = NULL;
    }
    *out = pool;
    return code;
}

void mk_pooled_rewards_free(struct mk_pooled_rewards *pool)
{
    if (!pool) return;
    for (size_t k = 0; pool->sorted && k < pool->n_arms; k++) free(pool->sorted[k]);
    free(pool->sorted);
    free(pool->n);
    free(pool);
}
