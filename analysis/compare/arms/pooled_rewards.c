#include "analysis/compare/arms/pooled_rewards.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"
#include "sim/base/statistics.h"

struct mk_key mk_pooled_rewards_key(uint64_t seed, const char *what, size_t arm)
{
    return mk_key_word(mk_key_text(mk_key_word(mk_key_start(), seed), what), arm);
}

/* The largest of every `block` consecutive rewards, as far as a block is complete; returns their number. `to` may be
 * `reward`. */
static size_t block_maxima(const double *reward, size_t n, size_t block, double *to)
{
    const size_t blocks = n / block;
    for (size_t b = 0; to && b < blocks; b++) {
        double largest = reward[b * block];
        for (size_t i = 1; i < block; i++) largest = fmax(largest, reward[b * block + i]);
        to[b] = largest;
    }
    return blocks;
}

/* Those of all recorded rewards of an arm, repetition after repetition. */
static size_t recorded(const struct mk_problem *p, size_t instance, size_t k, size_t block, double *to)
{
    size_t n = 0;
    for (uint64_t r = 0; r < p->replications; r++) {
        const struct mk_series *s = mk_problem_series(p, instance, k, r);
        n += block_maxima(s->reward, mk_series_recorded(s), block, to ? to + n : NULL);
    }
    return n;
}

static int fill_arm(struct mk_pooled_rewards *pool, const struct mk_problem *p, size_t instance, size_t k, size_t block,
                    size_t samples, struct mk_key key, struct mk_error *err)
{
    const struct mk_instance *in = &p->instance[instance];
    const struct mk_dist *d = mk_problem_dist(p, instance, k);
    const size_t room = d ? samples : recorded(p, instance, k, block, NULL);
    size_t n = d ? samples / block : room;
    if (n == 0 && block > 1)
        return mk_fail(err, MK_EINPUT, "%s: no repetition of arm %s has %zu rewards, the length of a block", in->name,
                       p->arm_label[in->arm[k]], block);
    if (n == 0) return mk_fail(err, MK_EINPUT, "%s: arm %s has no rewards", in->name, p->arm_label[in->arm[k]]);
    pool->sorted[k] = malloc(room * sizeof **pool->sorted);
    if (!pool->sorted[k]) return mk_fail_memory(err, "pooled rewards");
    pool->n[k] = n;
    if (d) {
        struct mk_pcg64 rng;
        mk_pcg64_from_key(&rng, key);
        d->type->sample(d, &rng, samples, pool->sorted[k]);
        if (block > 1) block_maxima(pool->sorted[k], samples, block, pool->sorted[k]);
    } else {
        recorded(p, instance, k, block, pool->sorted[k]);
    }
    mk_sort_values(pool->sorted[k], n);
    if (pool->sorted[k][n - 1] > pool->largest) pool->largest = pool->sorted[k][n - 1];
    return MK_OK;
}

int mk_pooled_maxima_new(struct mk_pooled_rewards **out, const struct mk_problem *p, size_t instance, size_t block,
                         size_t samples, uint64_t seed, const char *what, struct mk_error *err)
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
        code = fill_arm(pool, p, instance, k, block, samples, mk_pooled_rewards_key(seed, what, in->arm[k]), err);
    mk_problem_release(p, instance);
    if (code) {
        mk_pooled_rewards_free(pool);
        pool = NULL;
    }
    *out = pool;
    return code;
}

int mk_pooled_rewards_new(struct mk_pooled_rewards **out, const struct mk_problem *p, size_t instance, size_t samples,
                          uint64_t seed, const char *what, struct mk_error *err)
{
    return mk_pooled_maxima_new(out, p, instance, 1, samples, seed, what, err);
}

void mk_pooled_rewards_free(struct mk_pooled_rewards *pool)
{
    if (!pool) return;
    for (size_t k = 0; pool->sorted && k < pool->n_arms; k++) free(pool->sorted[k]);
    free(pool->sorted);
    free(pool->n);
    free(pool);
}
