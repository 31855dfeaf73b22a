#include "analysis/results/threshold_counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distributions/dist.h"
#include "sim/base/error.h"
#include "sim/base/order.h"
#include "sim/tape/reward_tape.h"

static uint64_t count_above(const double *x, uint64_t n, double threshold)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++) count += x[i] > threshold;
    return count;
}

/* Rewards above the threshold among the first pulls[…] of every arm of the tape's unit, and the largest of all. */
static uint64_t look(struct mk_reward_tape *tape, const uint64_t *pulls, double threshold, double *largest)
{
    const struct mk_instance *in = &tape->problem->instance[tape->instance];
    uint64_t count = 0;
    *largest = -INFINITY;
    for (size_t k = 0; k < in->n_arms; k++) {
        uint64_t n = pulls[in->arm[k]];
        if (n == 0) continue;
        mk_reward_tape_reward(tape, k, n - 1);
        if (tape->rewards.failed) return 0;
        const double *x = tape->rewards.arm[k].reward;
        *largest = fmax(*largest, mk_largest((size_t)n, x));
        count += count_above(x, n, threshold);
    }
    return count;
}

static int check(const struct mk_result_info *info, size_t policy, struct mk_error *err)
{
    if (!info->has_pulls)
        return mk_fail(err, MK_EINPUT, "%s: contains no pulls of single replications; run with keep: pulls",
                       info->path);
    if (strcmp(info->policy_engine[policy], "record") == 0)
        return mk_fail(err, MK_EINPUT,
                       "%s: policy %s was played by the record engine, which draws no rewards; run with "
                       "--engine per-pull",
                       info->path, info->policy[policy]);
    return MK_OK;
}

int mk_threshold_counts(struct mk_result *r, const struct mk_experiment *e, size_t policy, size_t instance,
                        double threshold, struct mk_count_moments *count, struct mk_error *err)
{
    const struct mk_result_info *info = mk_result_info(r);
    const size_t n = (size_t)info->replications, arms = info->n_arms, horizons = info->n_horizons;
    struct mk_reward_tape *tape = NULL;
    uint64_t *pulls = malloc(horizons * n * arms * sizeof *pulls);
    double *best = malloc(horizons * n * sizeof *best);
    int code = pulls && best ? check(info, policy, err) : mk_fail_memory(err, "pulls");
    if (!code) code = mk_reward_tape_new(&tape, e->problem, e->seed, err);
    for (size_t h = 0; h < horizons && !code; h++)
        code = mk_result_raw(r, policy, instance, h, pulls + h * n * arms, best + h * n, err);
    memset(count, 0, horizons * sizeof *count);
    for (size_t i = 0; i < n && !code; i++) {
        mk_reward_tape_seek(tape, instance, i);
        for (size_t h = 0; h < horizons && !code; h++) {
            double largest;
            mk_count_moments_add(&count[h], look(tape, pulls + (h * n + i) * arms, threshold, &largest));
            if (tape->rewards.failed || largest != best[h * n + i])
                code = mk_fail(err, MK_EINPUT,
                               "%s: policy %s, replication %zu: the rewards cannot be drawn again; they come "
                               "from another version of the program or of its input",
                               info->path, info->policy[policy], i);
        }
    }
    mk_reward_tape_free(tape);
    free(pulls);
    free(best);
    return code;
}

double mk_threshold_best(const struct mk_problem *p, double threshold, uint64_t horizon)
{
    double largest = 0;
    if (!mk_problem_has(p, MK_HAS_DISTRIBUTIONS)) return NAN;
    for (size_t k = 0; k < p->n_arms; k++) largest = fmax(largest, mk_dist_above(p->dist[k], threshold));
    return (double)horizon * largest;
}
