#include "analysis/compare/growth_fit.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/compare/growth_bootstrap.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/run/engine/rare.h"
#include "sim/run/store/cells.h"

/* ---- gathering ---- */

void mk_growth_data_free(struct mk_growth_data *g)
{
    if (!g) return;
    for (int s = 0; s < MK_GROWTH_STATISTICS; s++) {
        free(g->value[s]);
        free(g->error[s]);
    }
    for (int s = 0; s < MK_GROWTH_RARE_MEAN; s++) free(g->sample[s]);
    free(g);
}

static bool allocate(struct mk_growth_data *g, bool rare)
{
    const size_t cells = g->columns * g->info->n_horizons;
    bool good = true;
    for (int s = 0; s < (rare ? MK_GROWTH_STATISTICS : MK_GROWTH_RARE_MEAN); s++) {
        g->value[s] = malloc(cells * sizeof(double));
        g->error[s] = malloc(cells * sizeof(double));
        good = good && g->value[s] && g->error[s];
    }
    for (int s = 0; s < MK_GROWTH_RARE_MEAN && g->samples; s++) {
        g->sample[s] = malloc(cells * g->samples * sizeof(double));
        good = good && g->sample[s];
    }
    return good;
}

static void put(struct mk_growth_data *g, enum mk_growth_statistic s, size_t column, size_t h, double value,
                double error)
{
    g->value[s][column * g->info->n_horizons + h] = value;
    g->error[s][column * g->info->n_horizons + h] = error;
}

/* The samples of one horizon: [sample][column]. */
static double *samples_at(const struct mk_growth_data *g, enum mk_growth_statistic s, size_t h)
{
    return g->sample[s] + h * g->samples * g->columns;
}

/* expected: E[M(T)] of the best arm, from which the resampled maxima become regrets. */
static int resample(struct mk_growth_data *g, struct mk_result *r, size_t h, double expected, uint64_t seed,
                    struct mk_error *err)
{
    const struct mk_result_info *i = g->info;
    const size_t n = (size_t)i->own_replications[g->instance], regret = i->n_arms;
    uint64_t *pulls = malloc((size_t)i->replications * i->n_arms * sizeof *pulls);
    double *max_reward = malloc((size_t)i->replications * sizeof *max_reward);
    double *median = samples_at(g, MK_GROWTH_MEDIAN, h), *mean = samples_at(g, MK_GROWTH_MEAN, h);
    int code = pulls && max_reward ? MK_OK : mk_fail_memory(err, "the bootstrap");
    if (!code) code = mk_result_raw(r, g->policy, g->instance, h, pulls, max_reward, err);
    if (!code) code = mk_growth_bootstrap(pulls, max_reward, n, i->n_arms, seed, g->samples, mean, median, err);
    for (size_t b = 0; !code && b < g->samples; b++) {
        mean[b * g->columns + regret] = expected - mean[b * g->columns + regret];
        median[b * g->columns + regret] = expected - median[b * g->columns + regret];
    }
    for (size_t k = 0; !code && k < g->columns; k++)
        g->error[MK_GROWTH_MEDIAN][k * i->n_horizons + h] = mk_growth_deviation(median + k, g->samples, g->columns);
    free(max_reward);
    free(pulls);
    return code;
}

static int gather(struct mk_growth_data *g, struct mk_result *r, const struct mk_rare *rare, size_t h, uint64_t seed,
                  struct mk_error *err)
{
    const struct mk_result_info *i = g->info;
    const struct mk_truth *f = i->truth;
    const size_t arms = i->n_arms;
    const double expected = f->expected_max[mk_truth_at(f, g->instance, h, mk_truth_best(f, g->instance, h))];
    struct mk_cell *c = NULL;
    int code = mk_result_cell(r, g->policy, g->instance, h, &c, err);
    if (code) return code;
    for (size_t k = 0; k < arms; k++) {
        put(g, MK_GROWTH_MEDIAN, k, h, mk_cell_quantile_pulls(i, c, k, 0.5), NAN);
        put(g, MK_GROWTH_MEAN, k, h, c->mean_pulls[k], c->se_pulls[k]);
        if (rare) put(g, MK_GROWTH_RARE_MEAN, k, h, rare->mean_pulls[h * arms + k], rare->se_pulls[h * arms + k]);
    }
    put(g, MK_GROWTH_MEDIAN, arms, h, expected - mk_cell_quantile_max(i, c, 0.5), NAN);
    put(g, MK_GROWTH_MEAN, arms, h, mk_cell_regret(i, (struct mk_cell_index){g->policy, g->instance, h}, c), c->se_max);
    if (rare) put(g, MK_GROWTH_RARE_MEAN, arms, h, rare->regret[h], rare->se_regret[h]);
    mk_cell_free(c);
    return g->samples ? resample(g, r, h, expected, seed, err) : MK_OK;
}

bool mk_growth_can_resample(const struct mk_result_info *i, size_t samples)
{
    return i->has_pulls && i->replications > 1 && samples >= 2;
}

int mk_growth_data_new(struct mk_growth_data **out, struct mk_result *r, size_t policy, size_t instance, uint64_t seed,
                       size_t samples, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    struct mk_growth_data *g = calloc(1, sizeof *g);
    struct mk_rare *rare = NULL;
    *out = NULL;
    if (!g) return mk_fail_memory(err, "the fits");
    g->info = i;
    g->policy = policy;
    g->instance = instance;
    g->columns = i->n_arms + 1;
    g->samples = mk_growth_can_resample(i, samples) ? samples : 0;
    int code = mk_result_rare(r, policy, &rare, err);
    if (!code && !allocate(g, rare != NULL)) code = mk_fail_memory(err, "the fits");
    for (size_t h = 0; !code && h < i->n_horizons; h++) code = gather(g, r, rare, h, seed, err);
    mk_rare_free(rare);
    if (code)
        mk_growth_data_free(g);
    else
        *out = g;
    return code;
}

const double *mk_growth_values(const struct mk_growth_data *g, enum mk_growth_statistic s, size_t column)
{
    return g->value[s] + column * g->info->n_horizons;
}

const double *mk_growth_errors(const struct mk_growth_data *g, enum mk_growth_statistic s, size_t column)
{
    return g->error[s] + column * g->info->n_horizons;
}

bool mk_growth_is_resampled(const struct mk_growth_data *g, enum mk_growth_statistic s)
{
    return s != MK_GROWTH_RARE_MEAN && g->samples > 0;
}

/* ---- fits ---- */

/* One column, and room for the fits. */
struct column {
    const struct mk_growth_data *g;
    size_t at;
    uint64_t from, to;
    double *y;     /* [horizon] NaN where a horizon is left out */
    double *a, *c; /* [sample] */
};

static void choose_points(const struct column *k, const double *value, size_t stride)
{
    const struct mk_result_info *i = k->g->info;
    for (size_t h = 0; h < i->n_horizons; h++) {
        bool used = i->horizon[h] >= k->from && (!k->to || i->horizon[h] <= k->to) &&
                    mk_truth_best(i->truth, k->g->instance, h) != k->at;
        k->y[h] = used ? value[h * stride] : NAN;
    }
}

static void fit_model(const struct column *k, enum mk_growth_statistic s, enum mk_growth_model model,
                      struct mk_growth_estimate *out)
{
    const struct mk_growth_data *g = k->g;
    const struct mk_growth_points p = {g->info->n_horizons, g->info->horizon, k->y, mk_growth_errors(g, s, k->at),
                                       k->at == g->info->n_arms};
    choose_points(k, mk_growth_values(g, s, k->at), 1);
    mk_growth_fit(&p, model, &out->fit);
    out->a_low = out->fit.a * exp(-MK_NORMAL_95 * out->fit.se_log_a);
    out->a_high = out->fit.a * exp(MK_NORMAL_95 * out->fit.se_log_a);
    out->c_low = out->fit.c - MK_NORMAL_95 * out->fit.se_c;
    out->c_high = out->fit.c + MK_NORMAL_95 * out->fit.se_c;
    if (!mk_growth_is_resampled(g, s)) return;
    for (size_t b = 0; b < g->samples; b++) {
        struct mk_growth_fit resampled;
        choose_points(k, g->sample[s] + b * g->columns + k->at, g->samples * g->columns);
        mk_growth_fit(&p, model, &resampled);
        k->a[b] = resampled.a;
        k->c[b] = resampled.c;
    }
    mk_growth_interval(k->a, g->samples, &out->a_low, &out->a_high);
    mk_growth_interval(k->c, g->samples, &out->c_low, &out->c_high);
}

int mk_growth_estimate(const struct mk_growth_data *g, enum mk_growth_statistic s, size_t column, uint64_t from,
                       uint64_t to, struct mk_growth_estimates *out, struct mk_error *err)
{
    double aicc[MK_GROWTH_MODELS];
    double *room = malloc((g->info->n_horizons + 2 * g->samples) * sizeof *room);
    if (!room) return mk_fail_memory(err, "a fit");
    double *a = room + g->info->n_horizons;
    const struct column k = {g, column, from, to, room, a, a + g->samples};
    for (int m = 0; m < MK_GROWTH_MODELS; m++) {
        fit_model(&k, s, (enum mk_growth_model)m, &out->of[m]);
        aicc[m] = out->of[m].fit.aicc;
    }
    out->best = mk_growth_least_aicc(aicc);
    free(room);
    return MK_OK;
}

double mk_growth_margin(const struct mk_growth_estimates *e, enum mk_growth_model model)
{
    const double least = e->of[e->best].fit.aicc;
    double next = INFINITY;
    if (model != e->best) return least - e->of[model].fit.aicc;
    for (int m = 0; m < MK_GROWTH_MODELS; m++)
        if ((enum mk_growth_model)m != e->best) next = fmin(next, e->of[m].fit.aicc - least);
    return next;
}

struct mk_growth_claim mk_growth_claim_of(const struct mk_result_info *i, const struct mk_problem *p, size_t policy,
                                          size_t column)
{
    const struct mk_growth_claim none = {NAN, NAN, NAN, NAN};
    if (column == i->n_arms || !p->source->known || !mk_result_policy_has(i, policy, MK_POLICY_THEOREM_4_2) ||
        mk_result_parameter(i, policy, "scale") != 0)
        return none;
    return mk_growth_claim(p->dist, i->n_arms, mk_truth_best(i->truth, 0, i->n_horizons - 1), column,
                           mk_result_parameter(i, policy, "alpha"));
}
