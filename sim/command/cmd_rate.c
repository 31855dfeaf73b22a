/* maxk rate: fitted growth of pulls and regret in T against the claimed rates. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/results/growth_bootstrap.h"
#include "analysis/theory/growth.h"
#include "sim/base/number.h"
#include "sim/base/statistics.h"
#include "sim/base/table.h"
#include "sim/command/command.h"
#include "sim/command/options.h"
#include "sim/command/summary_table.h"
#include "sim/run/rare.h"
#include "sim/store/result.h"

enum { MEDIAN, MEAN, RARE_MEAN, STATISTICS };
static const char *const statistic_name[STATISTICS] = {"median", "mean", "rare mean"};

struct work {
    struct mk_result *result;
    const struct mk_result_info *info;
    struct mk_experiment *e;
    struct mk_selection select;
    int csv, all;
    uint64_t from, to, samples;
    struct mk_table *fits, *claims;
    /* of the (policy, instance) at work; the column n_arms is the regret */
    struct mk_rare *rare;                          /* or NULL */
    double *value[STATISTICS], *error[STATISTICS]; /* [column][horizon] */
    double *sample[RARE_MEAN];                     /* [horizon][samples][column], median and mean */
};

static size_t columns(const struct work *w)
{
    return w->info->n_arms + 1;
}

static int has_samples(const struct work *w)
{
    return w->info->has_pulls && w->samples >= 2 && w->info->replications > 1;
}

/* ---- gathering ---- */

static double median_of(const struct mk_result_info *i, const double *quantiles, size_t stride, size_t at)
{
    for (size_t q = 0; q < i->n_quantiles; q++)
        if (i->quantile[q] == 0.5) return quantiles[q * stride + at];
    return NAN;
}

static void put(struct work *w, int statistic, size_t column, size_t h, double value, double error)
{
    w->value[statistic][column * w->info->n_horizons + h] = value;
    w->error[statistic][column * w->info->n_horizons + h] = error;
}

static int resample(struct work *w, struct mk_cell_index at, double expected, struct mk_error *err)
{
    const struct mk_result_info *i = w->info;
    size_t n = (size_t)i->replications, cells = (size_t)w->samples * columns(w);
    uint64_t *pulls = malloc(n * i->n_arms * sizeof *pulls);
    double *max_reward = malloc(n * sizeof *max_reward);
    double *median = w->sample[MEDIAN] + at.horizon * cells, *mean = w->sample[MEAN] + at.horizon * cells;
    int code = pulls && max_reward ? MK_OK : mk_fail_memory(err, "the bootstrap");
    if (!code) code = mk_result_raw(w->result, at.policy, at.instance, at.horizon, pulls, max_reward, err);
    if (!code)
        code = mk_growth_bootstrap(pulls, max_reward, n, i->n_arms, w->e->seed, (size_t)w->samples, mean, median, err);
    for (size_t s = 0; !code && s < w->samples; s++) {
        mean[s * columns(w) + i->n_arms] = expected - mean[s * columns(w) + i->n_arms];
        median[s * columns(w) + i->n_arms] = expected - median[s * columns(w) + i->n_arms];
    }
    for (size_t k = 0; !code && k < columns(w); k++)
        w->error[MEDIAN][k * i->n_horizons + at.horizon] =
            mk_growth_deviation(median + k, (size_t)w->samples, columns(w));
    free(max_reward);
    free(pulls);
    return code;
}

static int gather_cell(struct work *w, struct mk_cell_index at, struct mk_error *err)
{
    const struct mk_result_info *i = w->info;
    const struct mk_truth *f = i->truth;
    size_t arms = i->n_arms, h = at.horizon, best = mk_truth_best(f, at.instance, h);
    double expected = f->expected_max[mk_truth_at(f, at.instance, h, best)];
    struct mk_cell *c = NULL;
    int code = mk_result_cell(w->result, at.policy, at.instance, h, &c, err);
    if (code) return code;
    for (size_t k = 0; k < arms; k++) {
        put(w, MEDIAN, k, h, median_of(i, c->quantile_pulls, arms, k), NAN);
        put(w, MEAN, k, h, c->mean_pulls[k], c->se_pulls[k]);
        if (w->rare) put(w, RARE_MEAN, k, h, w->rare->mean_pulls[h * arms + k], w->rare->se_pulls[h * arms + k]);
    }
    put(w, MEDIAN, arms, h, expected - median_of(i, c->quantile_max, 1, 0), NAN);
    put(w, MEAN, arms, h, mk_cell_regret(i, at, c), c->se_max);
    if (w->rare) put(w, RARE_MEAN, arms, h, w->rare->regret[h], w->rare->se_regret[h]);
    mk_cell_free(c);
    return has_samples(w) ? resample(w, at, expected, err) : MK_OK;
}

/* ---- one fit ---- */

struct series {
    struct mk_cell_index at;
    size_t column;
    int statistic;
    const double *y, *error; /* [horizon] */
};

struct fitted {
    struct mk_growth_fit fit;
    double a_low, a_high, c_low, c_high;
};

/* Horizons at which the arm is the best one say nothing about suboptimal pulls. */
static void choose_points(const struct work *w, const struct series *s, const double *from, double *y)
{
    const struct mk_result_info *i = w->info;
    for (size_t h = 0; h < i->n_horizons; h++) {
        size_t best = mk_truth_best(i->truth, s->at.instance, h);
        int used = i->horizon[h] >= w->from && (!w->to || i->horizon[h] <= w->to) && best != s->column;
        y[h] = used ? from[h] : NAN;
    }
}

static int fit_series(const struct work *w, const struct series *s, enum mk_growth_model model, struct fitted *out,
                      struct mk_error *err)
{
    const size_t n = w->info->n_horizons, samples = (size_t)w->samples;
    double *y = malloc((2 * n + 2 * samples) * sizeof *y);
    if (!y) return mk_fail_memory(err, "a fit");
    double *drawn = y + n, *a = drawn + n, *c = a + samples;
    struct mk_growth_points p = {n, w->info->horizon, y, s->error, s->column == w->info->n_arms};
    choose_points(w, s, s->y, y);
    mk_growth_fit(&p, model, &out->fit);
    out->a_low = out->fit.a * exp(-MK_NORMAL_95 * out->fit.se_log_a);
    out->a_high = out->fit.a * exp(MK_NORMAL_95 * out->fit.se_log_a);
    out->c_low = out->fit.c - MK_NORMAL_95 * out->fit.se_c;
    out->c_high = out->fit.c + MK_NORMAL_95 * out->fit.se_c;
    if (s->statistic != RARE_MEAN && has_samples(w)) {
        for (size_t b = 0; b < samples; b++) {
            struct mk_growth_fit again;
            for (size_t h = 0; h < n; h++)
                drawn[h] = w->sample[s->statistic][(h * samples + b) * columns(w) + s->column];
            choose_points(w, s, drawn, y);
            mk_growth_fit(&p, model, &again);
            a[b] = again.a;
            c[b] = again.c;
        }
        mk_growth_interval(a, samples, &out->a_low, &out->a_high);
        mk_growth_interval(c, samples, &out->c_low, &out->c_high);
    }
    free(y);
    return MK_OK;
}

static struct mk_growth_claim claim_of(const struct work *w, const struct series *s)
{
    const struct mk_problem *p = w->e->problem;
    const struct mk_growth_claim none = {NAN, NAN, NAN, NAN};
    size_t last = w->info->n_horizons - 1, arms = w->info->n_arms;
    if (s->column == arms || p->kind != MK_SYNTHETIC ||
        !mk_result_policy_has(w->info, s->at.policy, MK_POLICY_THEOREM_4_2) ||
        mk_policy_entry_parameter(&w->e->entry[s->at.policy], "scale") != 0)
        return none;
    return mk_growth_claim(p->dist, arms, mk_truth_best(w->info->truth, 0, last), s->column,
                           mk_policy_entry_parameter(&w->e->entry[s->at.policy], "alpha"));
}

/* ---- printing ---- */

static const char *interval_name(const struct work *w, const struct series *s)
{
    return s->statistic != RARE_MEAN && has_samples(w) ? "bootstrap" : "independent";
}

static void print_csv(struct work *w, const struct series *s, enum mk_growth_model model, int chosen,
                      const struct fitted *f, const struct mk_growth_claim *claim)
{
    struct mk_table *t = w->fits;
    int regret = s->column == w->info->n_arms;
    mk_table_text(t, w->info->policy[s->at.policy]);
    mk_table_text(t, w->info->instance[s->at.instance]);
    mk_table_text(t, regret ? "regret" : "pulls");
    if (regret)
        mk_table_text(t, "");
    else
        mk_table_count(t, s->column);
    mk_table_text(t, statistic_name[s->statistic]);
    mk_table_text(t, mk_growth_model_name(model, regret));
    mk_table_count(t, (uint64_t)chosen);
    mk_table_count(t, f->fit.used);
    const double real[] = {f->fit.a, f->a_low, f->a_high, f->fit.c, f->c_low, f->c_high, f->fit.aicc};
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) mk_table_real(t, real[i]);
    mk_table_text(t, interval_name(w, s));
    mk_table_real(t, claim->slope);
    mk_table_real(t, 1 - claim->c);
    mk_table_real(t, 1 - claim->c_joint);
}

static void add_interval(struct mk_table *t, double value, double low, double high)
{
    if (isnan(value))
        mk_table_text(t, "");
    else
        mk_table_format(t, "%.4g [%.4g, %.4g]", value, low, high);
}

static void print_aligned(struct work *w, const struct series *s, enum mk_growth_model model, int chosen, double margin,
                          const struct fitted *f)
{
    struct mk_table *t = w->fits;
    int regret = s->column == w->info->n_arms;
    if (!chosen && !w->all) return;
    mk_table_text(t, w->info->policy[s->at.policy]);
    mk_table_text(t, w->info->instance[s->at.instance]);
    if (regret)
        mk_table_text(t, "R(T)");
    else
        mk_table_format(t, "N of arm %zu", s->column);
    mk_table_text(t, statistic_name[s->statistic]);
    mk_table_text(t, mk_growth_model_name(model, regret));
    add_interval(t, f->fit.a, f->a_low, f->a_high);
    add_interval(t, f->fit.c, f->c_low, f->c_high);
    mk_table_count(t, f->fit.used);
    mk_table_format(t, "%.1f", margin);
    mk_table_text(t, interval_name(w, s));
}

/* All models of one series; *exponent = c of the power law. */
static int print_series(struct work *w, const struct series *s, const struct mk_growth_claim *claim, double *exponent,
                        struct mk_error *err)
{
    struct fitted f[MK_GROWTH_MODELS];
    int best = 0;
    double next = INFINITY;
    for (int m = 0; m < MK_GROWTH_MODELS; m++) {
        int code = fit_series(w, s, (enum mk_growth_model)m, &f[m], err);
        if (code) return code;
        if (f[m].fit.aicc < f[best].fit.aicc) best = m;
    }
    for (int m = 0; m < MK_GROWTH_MODELS; m++)
        if (m != best) next = fmin(next, f[m].fit.aicc - f[best].fit.aicc);
    *exponent = f[MK_GROWTH_POWER].fit.c;
    if (f[best].fit.used < MK_GROWTH_LEAST_POINTS) return MK_OK;
    for (int m = 0; m < MK_GROWTH_MODELS; m++) {
        if (w->csv)
            print_csv(w, s, (enum mk_growth_model)m, m == best, &f[m], claim);
        else
            print_aligned(w, s, (enum mk_growth_model)m, m == best, m == best ? next : f[best].fit.aicc - f[m].fit.aicc,
                          &f[m]);
    }
    return MK_OK;
}

static void print_claim(struct work *w, const struct series *s, const struct mk_growth_claim *claim, double median,
                        double exponent)
{
    struct mk_table *t = w->claims;
    const uint64_t *horizon = w->info->horizon;
    if (w->csv || isnan(claim->slope)) return;
    mk_table_text(t, w->info->policy[s->at.policy]);
    mk_table_count(t, s->column);
    mk_table_real(t, claim->slope);
    mk_table_real(t, median / log((double)horizon[w->info->n_horizons - 1]));
    mk_table_real(t, claim->c);
    mk_table_real(t, claim->x);
    mk_table_real(t, fmax(1 - claim->c, 0));
    mk_table_real(t, fmax(1 - claim->c_joint, 0));
    mk_table_real(t, exponent);
}

static int print_column(struct work *w, struct mk_cell_index at, size_t column, struct mk_error *err)
{
    const size_t n = w->info->n_horizons;
    struct series s = {.at = at, .column = column};
    struct mk_growth_claim claim = claim_of(w, &s);
    double exponent = NAN;
    for (s.statistic = 0; s.statistic < STATISTICS; s.statistic++) {
        if (s.statistic == RARE_MEAN && !w->rare) break;
        s.y = w->value[s.statistic] + column * n;
        s.error = w->error[s.statistic] + column * n;
        int code = print_series(w, &s, &claim, &exponent, err);
        if (code) return code;
    }
    print_claim(w, &s, &claim, w->value[MEDIAN][column * n + n - 1], exponent);
    return MK_OK;
}

static int print_policy(struct work *w, struct mk_cell_index at, struct mk_error *err)
{
    const struct mk_result_info *i = w->info;
    int code = mk_result_rare(w->result, at.policy, &w->rare, err);
    for (at.horizon = 0; !code && at.horizon < i->n_horizons; at.horizon++) code = gather_cell(w, at, err);
    size_t best = mk_truth_best(i->truth, at.instance, i->n_horizons - 1);
    for (size_t k = 0; !code && k < columns(w); k++)
        if (k != best) code = print_column(w, at, k, err);
    mk_rare_free(w->rare);
    w->rare = NULL;
    return code;
}

static int allocate(struct work *w, struct mk_error *err)
{
    size_t cells = columns(w) * w->info->n_horizons, good = 1;
    for (int s = 0; s < STATISTICS; s++) {
        w->value[s] = malloc(cells * sizeof(double));
        w->error[s] = malloc(cells * sizeof(double));
        good &= w->value[s] && w->error[s];
    }
    for (int s = 0; s < RARE_MEAN && has_samples(w); s++) {
        w->sample[s] = malloc(cells * (size_t)w->samples * sizeof(double));
        good &= w->sample[s] != NULL;
    }
    return good ? MK_OK : mk_fail_memory(err, "the fits");
}

static int print_all(struct work *w, struct mk_error *err)
{
    static const char csv_columns[] =
        "policy,instance,quantity,arm,statistic,model,chosen,points,a,a_low,a_high,c,c_low,"
        "c_high,aicc,interval,claim_slope,claim_exponent,claim_exponent_joint";
    const struct mk_result_info *i = w->info;
    struct mk_cell_index at = {0, 0, 0};
    int code = mk_table_begin(
        &w->fits, stdout, w->csv ? MK_TABLE_CSV : MK_TABLE_ALIGNED,
        w->csv ? csv_columns : "policy,instance,quantity,of runs,growth,a [95 %],c [95 %],points,AICc margin,interval",
        err);
    if (!code && !w->csv)
        code = mk_table_begin(&w->claims, stdout, MK_TABLE_ALIGNED,
                              "policy,arm,alpha/sqrt(gap of ends),median/log T at the end,c of i* alone,at x,mean T^,"
                              "all better arms T^,fitted T^",
                              err);
    for (; !code && at.policy < i->n_policies; at.policy++)
        for (at.instance = 0; !code && at.instance < i->n_instances; at.instance++)
            if (mk_selection_has(&w->select, i, at)) code = print_policy(w, at, err);
    code = mk_table_finish(w->fits, code, err);
    if (!w->csv) printf("\n");
    return mk_table_finish(w->claims, code, err);
}

static void print_notes(const struct work *w)
{
    printf(
        "\nAICc margin: by how much the form shown beats the next best; negative: by how much it is beaten (--all).\n");
    if (has_samples(w))
        printf("Intervals: bootstrap of %" PRIu64
               " resamples of whole replications, which keeps the dependence between horizons;\n`independent`: from "
               "the standard errors alone, as if the horizons were independent.\n",
               w->samples);
    else
        printf("Intervals: from standard errors, as if the horizons were independent (they are prefixes of the "
               "same\nreplications; with keep: pulls the replications are resampled instead).\n");
}

static int rate(const char *path, struct work *w, struct mk_error *err)
{
    int code = mk_result_open(&w->result, path, err);
    if (code) return code;
    w->info = mk_result_info(w->result);
    code = mk_selection_check(&w->select, w->info, err);
    if (!code) code = mk_result_experiment(w->result, &w->e, err);
    if (!code && w->info->n_horizons < MK_GROWTH_LEAST_POINTS)
        code = mk_fail(err, MK_EINPUT, "%s: expected at least %d horizons, got %zu", path, MK_GROWTH_LEAST_POINTS,
                       w->info->n_horizons);
    if (!code) code = allocate(w, err);
    if (!code) code = print_all(w, err);
    if (!code && !w->csv) print_notes(w);
    for (int s = 0; s < STATISTICS; s++) {
        free(w->value[s]);
        free(w->error[s]);
    }
    for (int s = 0; s < RARE_MEAN; s++) free(w->sample[s]);
    mk_experiment_free(w->e);
    mk_result_free(w->result);
    return code;
}

int mk_cmd_rate(int argc, char **argv, struct mk_error *err)
{
    static const struct mk_usage usage = {
        "rate", "RESULT.h5",
        "Fits the growth in T of the median and the mean of N_i(T) for every suboptimal arm, and of the regret R(T), "
        "over the horizons of the file: a log T, a sqrt(T) log T and a T^c (for R(T) the first two divided by T), on a "
        "log scale, weighted by standard errors (at least 1 %), and shows the one with the least AICc. Means from "
        "rare_events are fitted as `rare mean`. Then, for max_ucb without scaling on bounded arms, the conjectures "
        "that typical runs have N_i(T) / log T -> alpha / sqrt(b_best - b_i), and that the mean grows as T^(1-c) when "
        "the best arm, or every better arm, is locked out.",
        1, 1};
    struct work w = {.samples = 200, .from = 2};
    const struct mk_option options[] = {
        {"csv", 0, MK_OPT_FLAG, &w.csv, NULL, NULL, 1, 0, "print CSV, with every form of growth"},
        {"all", 0, MK_OPT_FLAG, &w.all, NULL, NULL, 1, 0, "show every form of growth, not only the best"},
        {"policy", 0, MK_OPT_TEXT, &w.select.policy, "LABEL", NULL, 1, 0, "only this policy"},
        {"instance", 0, MK_OPT_TEXT, &w.select.instance, "NAME", NULL, 1, 0, "only this instance"},
        {"from", 0, MK_OPT_COUNT, &w.from, "T", NULL, 2, MK_EXACT_MAX, "smallest horizon of the fits (default: 2)"},
        {"to", 0, MK_OPT_COUNT, &w.to, "T", NULL, 2, MK_EXACT_MAX,
         "largest horizon of the fits (default: the largest of the file)"},
        {"resamples", 0, MK_OPT_COUNT, &w.samples, "N", NULL, 0, 1e5, "bootstrap resamples (default: 200; 0: none)"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 1, 0, NULL},
    };
    char **operand;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    return code ? code : rate(operand[0], &w, err);
}
