#include "analysis/arms/pooled_rewards.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/theory/lu.h"
#include "sim/base/statistics.h"
#include "sim/store/result.h"

struct mk_key mk_pooled_rewards_key(uint64_t seed, const char *what, size_t arm)
{
    return mk_key_word(mk_key_text(mk_key_word(mk_key_start(), seed), what), arm);
}

static int ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

int mk_input_is_csv(const char *path)
{
    return ends_with(path, ".csv") || ends_with(path, ".csv.gz");
}

int mk_input_is_yaml(const char *path)
{
    return ends_with(path, ".yaml") || ends_with(path, ".yml");
}

int mk_input_is_result(const char *path)
{
    static const unsigned char signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char head[sizeof signature];
    FILE *from = fopen(path, "rb");
    int same = from && fread(head, 1, sizeof head, from) == sizeof head && !memcmp(head, signature, sizeof head);
    if (from) fclose(from);
    return same || ends_with(path, ".h5");
}

int mk_problem_input_open(struct mk_experiment **out, const char *path, unsigned need, struct mk_error *err)
{
    if (mk_input_is_csv(path)) return mk_experiment_from_csv(out, path, err);
    if (!mk_input_is_result(path)) return mk_experiment_read(out, path, NULL, 0, need, err);
    struct mk_result *r = NULL;
    int code = mk_result_open(&r, path, err);
    if (code) return code;
    const char *text = mk_result_info(r)->resolved;
    code = mk_experiment_parse(out, path, text, strlen(text), need, err);
    mk_result_free(r);
    return code;
}

int mk_problem_same_distribution(const struct mk_problem *p, const char *what, struct mk_error *err)
{
    if (p->kind != MK_PROCESSES) return MK_OK;
    return mk_fail(err, MK_EINPUT,
                   "%s: %s not applicable to processes: the distribution of a reward changes from pull to pull",
                   p->instance[0].name, what);
}

/* All recorded rewards of an arm, repetition after repetition. */
static size_t recorded(const struct mk_problem *p, size_t instance, size_t k, double *to)
{
    size_t n = 0;
    for (uint64_t r = 0; r < p->replications; r++) {
        const struct mk_series *s = mk_problem_series(p, instance, k, r);
        if (to && s->length) memcpy(to + n, s->reward, s->length * sizeof *to);
        n += s->length;
    }
    return n;
}

static int fill_arm(struct mk_pooled_rewards *pool, const struct mk_problem *p, size_t instance, size_t k,
                    size_t samples, struct mk_key key, struct mk_error *err)
{
    const struct mk_instance *in = &p->instance[instance];
    size_t n = p->kind == MK_SYNTHETIC ? samples : recorded(p, instance, k, NULL);
    if (n == 0) return mk_fail(err, MK_EINPUT, "%s: arm %s has no rewards", in->name, p->arm_label[in->arm[k]]);
    pool->sorted[k] = malloc(n * sizeof **pool->sorted);
    if (!pool->sorted[k]) return mk_fail_memory(err, "pooled rewards");
    pool->n[k] = n;
    if (p->kind == MK_SYNTHETIC) {
        const struct mk_dist *d = p->dist[in->arm[k]];
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

void mk_problem_arm_support(const struct mk_problem *p, size_t instance, size_t k, double *low, double *high)
{
    size_t arm = p->instance[instance].arm[k];
    if (p->kind == MK_PROCESSES) {
        if (mk_process_support(p->process[arm], low, high, NULL)) *low = *high = NAN;
        return;
    }
    if (p->kind == MK_SYNTHETIC) {
        mk_dist_support(p->dist[arm], low, high);
        return;
    }
    *low = INFINITY;
    *high = -INFINITY;
    for (uint64_t r = 0; r < p->replications; r++) {
        const struct mk_series *s = mk_problem_series(p, instance, k, r);
        for (size_t i = 0; i < s->length; i++) {
            if (s->reward[i] < *low) *low = s->reward[i];
            if (s->reward[i] > *high) *high = s->reward[i];
        }
    }
    mk_problem_release(p, instance);
}
