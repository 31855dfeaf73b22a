/* Reads the data to be compared from a result. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/rank.h"

static const double least_scale = 1e-5; /* as in the authors' programs: no division by tiny numbers */

void mk_scores_free(struct mk_scores *s)
{
    if (!s) return;
    free(s->policy);
    free(s->horizon);
    free(s->budget);
    free(s->unpaired);
    free(s->reward);
    free(s->reached);
    free(s);
}

static int allocate(struct mk_scores *s, const size_t *horizon, struct mk_error *err)
{
    size_t rows = s->n_instances * s->n_policies * s->replications;
    s->horizon = malloc((s->n_horizons + 1) * sizeof *s->horizon);
    s->reward = malloc((s->n_horizons * rows + 1) * sizeof *s->reward);
    s->reached = malloc((s->n_instances * s->replications + 1) * sizeof *s->reached);
    if (!s->horizon || !s->reward || !s->reached) return mk_fail_memory(err, "scores");
    memcpy(s->horizon, horizon, s->n_horizons * sizeof *horizon);
    for (size_t i = 0; i < s->n_instances * s->replications; i++) s->reached[i] = NAN;
    return MK_OK;
}

static int choose_policies(struct mk_scores *s, const char *keep, struct mk_error *err)
{
    s->policy = malloc((s->info->n_policies + 1) * sizeof *s->policy);
    if (!s->policy) return mk_fail_memory(err, "scores");
    for (size_t p = 0; p < s->info->n_policies; p++)
        if (!keep || keep[p]) s->policy[s->n_policies++] = p;
    if (s->n_policies >= 2) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s: a comparison needs at least two policies", s->info->path);
}

int mk_scores_cell(const struct mk_scores *s, struct mk_result *r, size_t policy, size_t instance, size_t h,
                   uint64_t *pulls, double *reward, struct mk_error *err)
{
    int code = mk_result_raw(r, policy, instance, h, pulls, reward, err);
    return code || s->score != MK_SCORE_INCUMBENT ? code : mk_result_incumbents(r, policy, instance, h, reward, err);
}

static int read_rewards(struct mk_scores *s, struct mk_result *r, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t h = 0; !code && h < s->n_horizons; h++)
        for (size_t i = 0; !code && i < s->n_instances; i++)
            for (size_t p = 0; !code && p < s->n_policies; p++) {
                size_t at = ((h * s->n_instances + i) * s->n_policies + p) * s->replications;
                code = mk_scores_cell(s, r, s->policy[p], i, s->horizon[h], NULL, s->reward + at, err);
            }
    return code;
}

int mk_scores_take_incumbents(struct mk_scores *s, struct mk_result *r, struct mk_error *err)
{
    s->score = MK_SCORE_INCUMBENT;
    if (s->info->has_incumbents) return read_rewards(s, r, err);
    return mk_fail(err, MK_EINPUT,
                   "maxk rank: --score incumbent: %s has no values without noise, which results of noisy searches have",
                   s->info->path);
}

static int read_reached(struct mk_scores *s, struct mk_result *r, struct mk_error *err)
{
    double *last = malloc((s->replications + 1) * sizeof *last);
    int code = last ? MK_OK : mk_fail_memory(err, "scores");
    for (size_t i = 0; !code && i < s->n_instances; i++)
        for (size_t p = 0; !code && p < s->n_policies; p++) {
            double *reached = s->reached + i * s->replications;
            code = mk_result_raw(r, s->policy[p], i, s->info->n_horizons - 1, NULL, last, err);
            for (size_t j = 0; !code && j < s->replications; j++) reached[j] = fmax(reached[j], last[j]);
        }
    free(last);
    return code;
}

int mk_scores_read(struct mk_scores **out, struct mk_result *r, const char *keep, const size_t *horizon,
                   size_t n_horizons, struct mk_error *err)
{
    struct mk_scores *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s) return mk_fail_memory(err, "scores");
    s->info = mk_result_info(r);
    s->n_instances = s->info->n_instances;
    s->n_horizons = n_horizons;
    s->replications = (size_t)s->info->replications;
    int code = choose_policies(s, keep, err);
    if (!code && !s->info->has_pulls)
        code = mk_fail(err, MK_EINPUT, "%s: contains no single replications (the experiment has keep: summary)",
                       s->info->path);
    if (!code) code = allocate(s, horizon, err);
    if (!code) code = read_rewards(s, r, err);
    if (!code) code = read_reached(s, r, err);
    if (code)
        mk_scores_free(s);
    else
        *out = s;
    return code;
}

/* to[r] of the repetitions of one cell. */
static void take_shares(const struct mk_scores *s, size_t instance, size_t h, const uint64_t *pulls, double *to)
{
    const size_t arms = s->info->n_arms, best = mk_truth_best(s->info->truth, instance, h);
    for (size_t r = 0; r < s->replications; r++) {
        uint64_t all = 0;
        for (size_t k = 0; k < arms; k++) all += pulls[r * arms + k];
        to[r] = best == SIZE_MAX || !all ? NAN : (double)pulls[r * arms + best] / (double)s->info->horizon[h];
    }
}

int mk_scores_take_shares(struct mk_scores *s, struct mk_result *r, struct mk_error *err)
{
    uint64_t *pulls = malloc((s->replications * s->info->n_arms + 1) * sizeof *pulls);
    int code = pulls ? MK_OK : mk_fail_memory(err, "scores");
    s->score = MK_SCORE_BEST_SHARE;
    for (size_t h = 0; !code && h < s->n_horizons; h++)
        for (size_t i = 0; !code && i < s->n_instances; i++)
            for (size_t p = 0; !code && p < s->n_policies; p++) {
                size_t at = ((h * s->n_instances + i) * s->n_policies + p) * s->replications;
                code = mk_result_raw(r, s->policy[p], i, s->horizon[h], pulls, NULL, err);
                if (!code) take_shares(s, i, s->horizon[h], pulls, s->reward + at);
            }
    free(pulls);
    return code;
}

int mk_scores_split(struct mk_scores *s, struct mk_error *err)
{
    const size_t P = s->n_policies, R = s->replications;
    double *split = malloc((s->n_horizons * s->n_instances * P * R + 1) * sizeof *split);
    if (!split) return mk_fail_memory(err, "scores");
    for (size_t cell = 0; cell < s->n_horizons * s->n_instances; cell++)
        for (size_t p = 0; p < P; p++)
            for (size_t r = 0; r < R; r++) split[(cell * R + r) * P + p] = s->reward[(cell * P + p) * R + r];
    free(s->reward);
    s->reward = split;
    s->n_instances *= R;
    s->replications = 1;
    s->split = R;
    return MK_OK;
}

double mk_scaled_loss(double top, double base, double reward)
{
    return (top - reward) / fmax(least_scale, top - base);
}

double mk_normalised_loss(const struct mk_scores *s, enum mk_loss kind, size_t instance, size_t replication,
                          double reward)
{
    const struct mk_recorded_truth *f = s->info->truth->recorded;
    if (!f || s->score != MK_SCORE_MAX) return NAN;
    size_t at = instance * s->replications + replication;
    double top = kind == MK_LOSS_REACHED ? s->reached[at] : f->best[at];
    double base = kind == MK_LOSS_MINMAX ? f->least[at] : f->first_median[at];
    return mk_scaled_loss(top, base, reward);
}

size_t mk_default_baseline(const struct mk_scores *s)
{
    static const unsigned wanted[] = {MK_POLICY_COMBINED, MK_POLICY_BASELINE | MK_POLICY_RANDOMISED,
                                      MK_POLICY_BASELINE};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        for (size_t p = 0; p < s->n_policies; p++)
            if (mk_result_policy_has(s->info, s->policy[p], wanted[i])) return p;
    return 0;
}
