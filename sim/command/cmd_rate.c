/* maxk rate: fitted growth of pulls and regret in T against the claimed rates. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "analysis/results/growth_fit.h"
#include "sim/base/number.h"
#include "sim/base/table_printer.h"
#include "sim/command/command.h"
#include "sim/command/input_options.h"
#include "sim/command/progress_line.h"
#include "sim/store/cells.h"

static const char *const statistic_name[MK_GROWTH_STATISTICS] = {"median", "mean", "rare mean"};

struct rate_report {
    struct mk_result *result;
    const struct mk_result_info *info;
    struct mk_experiment *e;
    struct mk_selection select;
    struct mk_table_style style;
    struct mk_texts plugins;
    int all;
    uint64_t from, to, samples;
    struct mk_table_printer *fits, *claims;
    size_t unclaimed; /* arms left out of the second table */
};

/* ---- printing ---- */

/* One column of one policy and instance by one statistic; as the column of arm n_arms, the regret. */
struct series {
    const struct mk_growth_data *data;
    size_t column;
    enum mk_growth_statistic statistic;
};

static const char *interval_name(const struct series *s)
{
    return mk_growth_is_resampled(s->data, s->statistic) ? "bootstrap" : "independent";
}

static void print_csv(struct mk_table_printer *t, const struct series *s, const struct mk_growth_estimates *fitted,
                      enum mk_growth_model model, const struct mk_growth_claim *claim)
{
    const struct mk_result_info *i = s->data->info;
    const struct mk_growth_estimate *f = &fitted->of[model];
    int regret = s->column == i->n_arms;
    mk_table_text(t, i->policy[s->data->policy]);
    mk_table_text(t, i->instance[s->data->instance]);
    mk_table_text(t, regret ? "regret" : "pulls");
    if (regret)
        mk_table_text(t, "");
    else
        mk_table_count(t, s->column);
    mk_table_text(t, statistic_name[s->statistic]);
    mk_table_text(t, mk_growth_model_name(model, regret));
    mk_table_count(t, model == fitted->best);
    mk_table_count(t, f->fit.used);
    const double real[] = {f->fit.a, f->a_low, f->a_high, f->fit.c, f->c_low, f->c_high, f->fit.aicc};
    for (size_t k = 0; k < sizeof real / sizeof *real; k++) mk_table_real(t, real[k]);
    mk_table_text(t, interval_name(s));
    mk_table_real(t, claim->slope);
    mk_table_real(t, 1 - claim->c);
    mk_table_real(t, 1 - claim->c_joint);
}

static void add_interval(struct mk_table_printer *t, double value, double low, double high)
{
    if (isnan(value))
        mk_table_text(t, "");
    else
        mk_table_format(t, "%.4g [%.4g, %.4g]", value, low, high);
}

static void print_aligned(struct mk_table_printer *t, const struct series *s, const struct mk_growth_estimates *fitted,
                          enum mk_growth_model model)
{
    const struct mk_result_info *i = s->data->info;
    const struct mk_growth_estimate *f = &fitted->of[model];
    int regret = s->column == i->n_arms;
    mk_table_text(t, i->policy[s->data->policy]);
    mk_table_text(t, i->instance[s->data->instance]);
    if (regret)
        mk_table_text(t, "R(T)");
    else
        mk_table_format(t, "N of arm %zu", s->column);
    mk_table_text(t, statistic_name[s->statistic]);
    mk_table_text(t, mk_growth_model_name(model, regret));
    add_interval(t, f->fit.a, f->a_low, f->a_high);
    add_interval(t, f->fit.c, f->c_low, f->c_high);
    mk_table_count(t, f->fit.used);
    mk_table_format(t, "%.1f", mk_growth_margin(fitted, model));
    mk_table_text(t, interval_name(s));
}

static void print_series(struct rate_report *w, const struct series *s, const struct mk_growth_estimates *fitted,
                         const struct mk_growth_claim *claim)
{
    if (fitted->of[fitted->best].fit.used < MK_GROWTH_LEAST_POINTS) return;
    for (int m = 0; m < MK_GROWTH_MODELS; m++) {
        const enum mk_growth_model model = (enum mk_growth_model)m;
        if (w->style.form)
            print_csv(w->fits, s, fitted, model, claim);
        else if (w->all || model == fitted->best)
            print_aligned(w->fits, s, fitted, model);
    }
}

/* median: of the pulls at the longest horizon; exponent: c of the fitted power of the last statistic. */
static void print_claim(struct rate_report *w, const struct series *s, const struct mk_growth_claim *claim,
                        double median, double exponent)
{
    struct mk_table_printer *t = w->claims;
    const uint64_t *horizon = w->info->horizon;
    w->unclaimed += isnan(claim->slope) && s->column < w->info->n_arms;
    if (w->style.form || isnan(claim->slope)) return;
    mk_table_text(t, w->info->policy[s->data->policy]);
    mk_table_count(t, s->column);
    mk_table_real(t, claim->slope);
    mk_table_real(t, median / log((double)horizon[w->info->n_horizons - 1]));
    mk_table_real(t, claim->c);
    mk_table_real(t, claim->x);
    mk_table_real(t, fmax(1 - claim->c, 0));
    mk_table_real(t, fmax(1 - claim->c_joint, 0));
    mk_table_real(t, exponent);
}

static int print_column(struct rate_report *w, const struct mk_growth_data *g, size_t column, struct mk_error *err)
{
    struct series s = {.data = g, .column = column};
    const struct mk_growth_claim claim = mk_growth_claim_of(w->info, w->e->problem, g->policy, column);
    double exponent = NAN;
    for (int k = 0; k < MK_GROWTH_STATISTICS; k++) {
        struct mk_growth_estimates fitted;
        s.statistic = (enum mk_growth_statistic)k;
        if (!g->value[s.statistic]) break;
        int code = mk_growth_estimate(g, s.statistic, column, w->from, w->to, &fitted, err);
        if (code) return code;
        exponent = fitted.of[MK_GROWTH_POWER].fit.c;
        print_series(w, &s, &fitted, &claim);
    }
    print_claim(w, &s, &claim, mk_growth_values(g, MK_GROWTH_MEDIAN, column)[w->info->n_horizons - 1], exponent);
    return MK_OK;
}

static int print_policy(struct rate_report *w, struct mk_cell_index at, struct mk_error *err)
{
    const struct mk_result_info *i = w->info;
    struct mk_growth_data *g = NULL;
    const size_t best = mk_truth_best(i->truth, at.instance, i->n_horizons - 1);
    int code = mk_growth_data_new(&g, w->result, at.policy, at.instance, w->e->seed, (size_t)w->samples, err);
    for (size_t k = 0; !code && k < g->columns; k++)
        if (k != best) code = print_column(w, g, k, err);
    mk_growth_data_free(g);
    return code;
}

static int print_all(struct rate_report *w, struct mk_error *err)
{
    static const char csv_columns[] =
        "policy,instance,quantity,arm,statistic,model,chosen,points,a,a_low,a_high,c,c_low,"
        "c_high,aicc,interval,claim_slope,claim_exponent,claim_exponent_joint";
    const struct mk_result_info *i = w->info;
    struct mk_cell_index at = {0, 0, 0};
    int code = mk_table_begin(
        &w->fits, stdout, w->style,
        w->style.form ? csv_columns
                      : "policy,instance,quantity,of runs,growth,a [95 %],c [95 %],points,AICc margin,interval",
        err);
    if (!code && !w->style.form)
        code =
            mk_table_begin(&w->claims, stdout, MK_TABLE_PLAIN,
                           "policy,arm,alpha/sqrt(gap of ends),last median/log T,c best arm,x of c,exponent best arm,"
                           "exponent better arms,fitted exponent",
                           err);
    struct mk_progress_line line = {"rate", 0, NULL};
    struct mk_progress progress = {.report = w->style.form ? NULL : mk_progress_line(), .context = &line};
    mk_progress_start(&progress, 0, i->n_policies * i->n_instances);
    for (; !code && at.policy < i->n_policies; at.policy++)
        for (at.instance = 0; !code && at.instance < i->n_instances; at.instance++) {
            if (mk_selection_has(&w->select, i, at)) code = print_policy(w, at, err);
            mk_progress_step(&progress, 1);
        }
    if (progress.last > progress.start) mk_progress_line_clear(); /* a line was shown */
    code = mk_table_finish(w->fits, code, err);
    if (!w->style.form) printf("\n");
    return mk_table_finish(w->claims, code, err);
}

static void print_notes(const struct rate_report *w)
{
    printf(
        "\nlast median/log T: at the longest horizon; c best arm, at x: of lock-outs of the best arm alone; exponents: "
        "of the mean\nin T as claimed for lock-outs of the best arm and of all better arms, and as fitted.\n");
    if (w->unclaimed)
        printf(
            "%zu arms of policies are not in the second table: no rate is claimed for other policies, without an upper "
            "end point,\nor where it equals that of the best arm.\n",
            w->unclaimed);
    printf(
        "\nAICc margin: by how much the form shown beats the next best; negative: by how much it is beaten (--all).\n");
    if (mk_growth_can_resample(w->info, (size_t)w->samples))
        printf("Intervals: bootstrap of %" PRIu64
               " resamples of whole replications, which keeps the dependence between horizons;\n`independent`: from "
               "the standard errors alone, as if the horizons were independent.\n",
               w->samples);
    else
        printf("Intervals: from standard errors, as if the horizons were independent (they are prefixes of the "
               "same\nreplications; with keep: pulls the replications are resampled instead).\n");
}

static int rate(const char *path, struct rate_report *w, struct mk_error *err)
{
    int code = mk_result_open(&w->result, path, err);
    if (code) return code;
    w->info = mk_result_info(w->result);
    code = mk_result_check_choosing(w->info, err);
    if (!code) code = mk_selection_check(&w->select, w->info, err);
    if (!code) code = mk_input_of_result(w->result, &w->plugins, &w->e, err);
    if (!code && w->info->n_horizons < MK_GROWTH_LEAST_POINTS)
        code = mk_fail(err, MK_EINPUT, "%s: expected at least %d horizons, got %zu", path, MK_GROWTH_LEAST_POINTS,
                       w->info->n_horizons);
    if (!code) code = print_all(w, err);
    if (!code && !w->style.form) print_notes(w);
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
        "rare_events are fitted as `rare mean`. Then, for max_ucb without scaling on bounded arms, the conjecture that "
        "typical runs have N_i(T) / log T -> alpha / sqrt(b_best - b_i), and T^(1-c), by which the mean grows if the "
        "best arm alone must be locked out, or, as is proved, every better arm (analysis/theory/certificate.h, installed in share/maxk, section 6, with the exception that "
        "it names).",
        1, 1};
    struct rate_report w = {.samples = 200, .from = 2};
    const struct mk_option options[] = {
        MK_TABLE_OPTIONS(w.style),
        {"all", 0, MK_OPT_FLAG, &w.all, NULL, NULL, 1, 0, "show every form of growth, not only the best"},
        {"policy", 0, MK_OPT_TEXT, &w.select.policy, "LABEL", NULL, 1, 0, "only this policy"},
        {"instance", 0, MK_OPT_TEXT, &w.select.instance, "NAME", NULL, 1, 0, "only this instance"},
        {"from", 0, MK_OPT_COUNT, &w.from, "T", NULL, 2, MK_EXACT_MAX, "smallest horizon of the fits (default: 2)"},
        {"to", 0, MK_OPT_COUNT, &w.to, "T", NULL, 2, MK_EXACT_MAX,
         "largest horizon of the fits (default: the largest of the file)"},
        {"resamples", 0, MK_OPT_COUNT, &w.samples, "N", NULL, 0, 1e5, "bootstrap resamples (default: 200; 0: none)"},
        MK_PLUGIN_OPTION(&w.plugins),
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 1, 0, NULL},
    };
    char **operand;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    return code ? code : rate(operand[0], &w, err);
}
