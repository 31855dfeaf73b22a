#include "analysis/compare/targets.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"

static const double *rewards(const struct mk_targets *t, size_t horizon, size_t instance, size_t policy)
{
    return mk_scores_at(t->scores, horizon, instance, policy);
}

static double *times(const struct mk_targets *t, size_t instance, size_t policy, size_t horizon)
{
    const struct mk_scores *s = t->scores;
    return t->time + ((instance * s->n_policies + policy) * s->n_horizons + horizon) * s->replications;
}

/* Mean over the replications that have a value; NaN without any. */
static double mean_where(const double *value, const double *where, size_t n)
{
    double sum = 0;
    size_t kept = 0;
    for (size_t r = 0; r < n; r++) {
        if (isnan(where[r])) continue;
        sum += value[r];
        kept++;
    }
    return sum / (double)kept;
}

static double mean_reward(const struct mk_targets *t, size_t horizon, size_t instance, size_t policy)
{
    const double *x = rewards(t, horizon, instance, policy);
    return mean_where(x, x, t->scores->replications);
}

double mk_targets_time(const struct mk_targets *t, size_t instance, size_t policy, size_t horizon)
{
    return mean_where(times(t, instance, policy, horizon), rewards(t, horizon, instance, policy),
                      t->scores->replications);
}

static void set_values(struct mk_targets *t, size_t instance, double target)
{
    const struct mk_scores *s = t->scores;
    double low = INFINITY, high = -INFINITY;
    for (size_t p = 0; p < s->n_policies; p++) {
        low = fmin(low, mean_reward(t, 0, instance, p));
        high = fmax(high, mean_reward(t, s->n_horizons - 1, instance, p));
    }
    for (size_t l = 0; l < t->n_levels; l++) {
        const double share = (double)(l + 1) / (double)t->n_levels;
        t->value[instance * t->n_levels + l] = isfinite(target) ? target
                                               : share < 1      ? low + (high - low) * share
                                                                : high;
    }
}

/* The first horizon at which a replication has reached the value; n_horizons: none. */
static size_t first_reached(const struct mk_targets *t, size_t instance, size_t policy, size_t replication,
                            double value)
{
    size_t h = 0;
    while (h < t->scores->n_horizons && !(rewards(t, h, instance, policy)[replication] >= value)) h++;
    return h;
}

static void set_running_time(struct mk_targets *t, size_t instance, size_t level, size_t policy)
{
    const struct mk_scores *s = t->scores;
    const size_t last = s->n_horizons - 1, at = mk_target_at(t, instance, level, policy);
    double spent = 0;
    size_t successes = 0, n = 0;
    for (size_t r = 0; r < s->replications; r++) {
        if (isnan(rewards(t, last, instance, policy)[r])) continue;
        const size_t h = first_reached(t, instance, policy, r, t->value[instance * t->n_levels + level]);
        n++;
        successes += h <= last;
        spent += times(t, instance, policy, h <= last ? h : last)[r];
    }
    t->reached[at] = (double)successes / (double)n;
    t->ert[at] = successes ? spent / (double)successes : INFINITY;
}

static int read_costs(struct mk_targets *t, struct mk_result *r, const struct mk_costs_of *of, struct mk_error *err)
{
    const struct mk_scores *s = t->scores;
    uint64_t *pulls = malloc((s->replications * s->info->n_arms + 1) * sizeof *pulls);
    int code = pulls ? mk_scores_check_costs(s, of, err) : mk_fail_memory(err, "targets");
    for (size_t i = 0; i < s->n_instances && !code; i++) {
        for (size_t p = 0; p < s->n_policies && !code; p++)
            for (size_t h = 0; h < s->n_horizons && !code; h++) {
                code = mk_result_raw(r, s->policy[p], i, s->horizon[h], pulls, NULL, err);
                if (!code) code = mk_result_spent(times(t, i, p, h), r, of, pulls, s->policy[p], i, s->horizon[h], err);
            }
        if (of->p) mk_problem_release(of->p, i);
    }
    free(pulls);
    return code;
}

static void set_pulls(struct mk_targets *t)
{
    const struct mk_scores *s = t->scores;
    double *to = t->time;
    for (size_t cell = 0; cell < s->n_instances * s->n_policies; cell++)
        for (size_t h = 0; h < s->n_horizons; h++)
            for (size_t n = 0; n < s->replications; n++) *to++ = mk_result_amount(s->info, s->horizon[h]);
}

int mk_targets_new(struct mk_targets **out, const struct mk_scores *s, struct mk_result *r, size_t n_levels,
                   double target, const struct mk_costs_of *costs, struct mk_error *err)
{
    const size_t cells = s->n_instances * s->n_policies, levels = isfinite(target) ? 1 : n_levels;
    struct mk_targets *t = calloc(1, sizeof *t);
    if (!t) return mk_fail_memory(err, "targets");
    *t = (struct mk_targets){.scores = s,
                             .n_levels = levels,
                             .instance = malloc((s->n_instances + 1) * sizeof *t->instance),
                             .time = malloc((cells * s->n_horizons * s->replications + 1) * sizeof *t->time),
                             .value = malloc((s->n_instances * levels + 1) * sizeof *t->value),
                             .ert = malloc((cells * levels + 1) * sizeof *t->ert),
                             .reached = malloc((cells * levels + 1) * sizeof *t->reached)};
    int code = t->instance && t->time && t->value && t->ert && t->reached ? MK_OK : mk_fail_memory(err, "targets");
    if (!code && costs) code = read_costs(t, r, costs, err);
    if (!code && !costs) set_pulls(t);
    for (size_t i = 0; i < s->n_instances && !code; i++) {
        if (mk_scores_has(s, s->n_horizons - 1, i)) t->instance[t->n_instances++] = i;
        set_values(t, i, target);
        for (size_t l = 0; l < levels; l++)
            for (size_t p = 0; p < s->n_policies; p++) set_running_time(t, i, l, p);
    }
    if (code) {
        mk_targets_free(t);
        t = NULL;
    }
    *out = t;
    return code;
}

void mk_targets_free(struct mk_targets *t)
{
    if (!t) return;
    free(t->instance);
    free(t->time);
    free(t->value);
    free(t->ert);
    free(t->reached);
    free(t);
}

double mk_targets_reached(const struct mk_targets *t, size_t instance, size_t policy, double time)
{
    const struct mk_scores *s = t->scores;
    const double most = time * (1 + 1e-12); /* a mean of equal costs may be a little below them */
    size_t reached = 0, n = 0;
    for (size_t r = 0; r < s->replications; r++) {
        size_t h = s->n_horizons;
        if (isnan(rewards(t, h - 1, instance, policy)[r])) continue;
        n += t->n_levels;
        while (h > 0 && times(t, instance, policy, h - 1)[r] > most) h--;
        if (h == 0) continue;
        const double best = rewards(t, h - 1, instance, policy)[r];
        for (size_t l = 0; l < t->n_levels; l++) reached += best >= t->value[instance * t->n_levels + l];
    }
    return (double)reached / (double)n;
}

/* Mean time of the first horizon at which the mean of a policy is at least `value`. */
static double mean_time_to(const struct mk_targets *t, size_t instance, size_t policy, double value)
{
    size_t h = 0;
    while (h + 1 < t->scores->n_horizons && mean_reward(t, h, instance, policy) < value) h++;
    return mk_targets_time(t, instance, policy, h);
}

void mk_targets_speed_up(struct mk_speed_up *out, const struct mk_targets *t, size_t instance, size_t policy,
                         size_t baseline)
{
    const size_t last = t->scores->n_horizons - 1;
    out->value = fmin(mean_reward(t, last, instance, policy), mean_reward(t, last, instance, baseline));
    out->time = mean_time_to(t, instance, policy, out->value);
    out->baseline_time = mean_time_to(t, instance, baseline, out->value);
}
