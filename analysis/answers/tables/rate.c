/* Fitted growth of pulls and regret in T against the claimed rates. */
#include <inttypes.h>
#include <math.h>

#include "analysis/answers/tables/result_tables.h"
#include "analysis/compare/growth_fit.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/run/store/cells.h"

struct rate_options {
    struct mk_selection select;
    struct mk_texts plugins;
    int all;
    uint64_t from, to, samples;
};

#define COLUMNS(X)                                                                                                     \
    X(POLICY, "policy", TEXT, "", "label of the policy")                                                               \
    X(INSTANCE, "instance", TEXT, "", "instance of the problem")                                                       \
    X(QUANTITY, "quantity", TEXT, "", "what grows: pulls of an arm, or regret")                                        \
    X(ARM, "arm", COUNT, "", "number of the arm, from 0; none for the regret")                                         \
    X(STATISTIC, "statistic", TEXT, "", "over the replications: median, mean, or rare mean, of rare_events")           \
    X(MODEL, "model", TEXT, "", "form of growth in T that is fitted")                                                  \
    X(CHOSEN, "chosen", FLAG, "", "whether it is the form with the smallest AICc")                                     \
    X(POINTS, "points", COUNT, "", "horizons in the fit")                                                              \
    X(A, "a", REAL, "", "factor a of the form")                                                                        \
    X(A_LOW, "a_low", REAL, "", "lower end of its 95 % interval")                                                      \
    X(A_HIGH, "a_high", REAL, "", "upper end of the interval")                                                         \
    X(C, "c", REAL, "", "exponent c of T, of a T^c")                                                                   \
    X(C_LOW, "c_low", REAL, "", "lower end of its 95 % interval")                                                      \
    X(C_HIGH, "c_high", REAL, "", "upper end of the interval")                                                         \
    X(AICC, "aicc", REAL, "", "Akaike's criterion of the fit, corrected for few points")                               \
    X(INTERVAL, "interval", TEXT, "", "bootstrap of whole replications, or independent: from standard errors alone")   \
    X(SLOPE, "claim_slope", REAL, "pulls", "limit of median N_i(T) / log T: alpha / sqrt(b_best - b_i)")               \
    X(EXPONENT, "claim_exponent", REAL, "", "exponent 1 - c of the mean in T where the best arm alone is locked out")  \
    X(EXPONENT_JOINT, "claim_exponent_joint", REAL, "", "the same where every better arm must be locked out")          \
    X(MARGIN, "aicc_margin", REAL, "", "aicc of the best other form minus that of this one")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_view view[] = {{POLICY, "", NULL},    {INSTANCE, "", NULL}, {QUANTITY, "", NULL},
                                            {STATISTIC, "", NULL}, {MODEL, "", NULL},    {A, "", NULL},
                                            {C, "", NULL},         {POINTS, "", NULL},   {MARGIN, "", NULL},
                                            {INTERVAL, "", NULL},  MK_TABLE_VIEW_END};
static const struct mk_table_schema schema = {.title = "growth in T",
                                              .column = columns,
                                              .n_columns = sizeof columns / sizeof *columns,
                                              .view = view,
                                              .empty_counts = true};

#define CLAIM_COLUMNS(X)                                                                                               \
    X(CLAIM_POLICY, "policy", TEXT, "", "label of the policy")                                                         \
    X(CLAIM_ARM, "arm", COUNT, "", "number of the arm, from 0")                                                        \
    X(CLAIM_SLOPE, "alpha/sqrt(gap of ends)", REAL, "pulls", "limit of median N_i(T) / log T")                         \
    X(LAST_MEDIAN, "last median/log T", REAL, "pulls", "median N_i(T) / log T at the longest horizon")                 \
    X(C_BEST, "c best arm", REAL, "", "c of lock-outs of the best arm alone")                                          \
    X(X_OF_C, "x of c", REAL, "rewards", "the reward at which c is reached")                                           \
    X(EXPONENT_BEST, "exponent best arm", REAL, "", "exponent of the mean in T for lock-outs of the best arm")         \
    X(EXPONENT_BETTER, "exponent better arms", REAL, "", "the same for lock-outs of all better arms")                  \
    X(FITTED, "fitted exponent", REAL, "", "c of the fitted power, of the last statistic")
MK_TABLE_COLUMNS(claim_columns, CLAIM_COLUMNS);
static const struct mk_table_schema claim_schema = MK_TABLE_SCHEMA("claimed rates", claim_columns, NULL);

static const char *const statistic_name[MK_GROWTH_STATISTICS] = {"median", "mean", "rare mean"};

struct rate {
    struct mk_result *result;
    const struct mk_result_info *info;
    struct mk_experiment *e;
    const struct rate_options *o;
    struct mk_table *fits, *claims; /* claims: NULL where they are not wanted */
    size_t unclaimed;               /* arms left out of the second table */
};

/* One column of one policy and instance by one statistic; as the column of arm n_arms, the regret. */
struct series {
    const struct mk_growth_data *data;
    size_t column;
    enum mk_growth_statistic statistic;
};

static void add_fit(struct mk_table *t, const struct series *s, const struct mk_growth_estimates *fitted,
                    enum mk_growth_model model, const struct mk_growth_claim *claim)
{
    const struct mk_result_info *i = s->data->info;
    const struct mk_growth_estimate *f = &fitted->of[model];
    const bool regret = s->column == i->n_arms;
    mk_table_set_text(t, POLICY, i->policy[s->data->policy]);
    mk_table_set_text(t, INSTANCE, i->instance[s->data->instance]);
    mk_table_set_text(t, QUANTITY, regret ? "regret" : "pulls");
    mk_table_set_count(t, ARM, regret ? MK_COUNT_MISSING : s->column);
    mk_table_set_text(t, STATISTIC, statistic_name[s->statistic]);
    mk_table_set_text(t, MODEL, mk_growth_model_name(model, regret));
    mk_table_set_flag(t, CHOSEN, model == fitted->best);
    mk_table_set_count(t, POINTS, f->fit.used);
    mk_table_set_real(t, A, f->fit.a);
    mk_table_set_real(t, A_LOW, f->a_low);
    mk_table_set_real(t, A_HIGH, f->a_high);
    mk_table_set_real(t, C, f->fit.c);
    mk_table_set_real(t, C_LOW, f->c_low);
    mk_table_set_real(t, C_HIGH, f->c_high);
    mk_table_set_real(t, AICC, f->fit.aicc);
    mk_table_set_text(t, INTERVAL, mk_growth_is_resampled(s->data, s->statistic) ? "bootstrap" : "independent");
    mk_table_set_real(t, SLOPE, claim->slope);
    mk_table_set_real(t, EXPONENT, 1 - claim->c);
    mk_table_set_real(t, EXPONENT_JOINT, 1 - claim->c_joint);
    mk_table_set_real(t, MARGIN, mk_growth_margin(fitted, model));
}

static void see_interval(struct mk_table *t, size_t column, double value, double low, double high)
{
    if (isnan(value))
        mk_table_set_seen(t, column, false, false, "%s", "");
    else
        mk_table_set_seen(t, column, false, false, "%.4g [%.4g, %.4g]", value, low, high);
}

/* What people see of a row. */
static void see_fit(struct mk_table *t, const struct series *s, const struct mk_growth_estimates *fitted,
                    enum mk_growth_model model)
{
    const struct mk_growth_estimate *f = &fitted->of[model];
    if (s->column == s->data->info->n_arms)
        mk_table_set_seen(t, QUANTITY, false, false, "R(T)");
    else
        mk_table_set_seen(t, QUANTITY, false, false, "N of arm %zu", s->column);
    see_interval(t, A, f->fit.a, f->a_low, f->a_high);
    see_interval(t, C, f->fit.c, f->c_low, f->c_high);
    mk_table_set_seen(t, MARGIN, false, false, "%.1f", mk_growth_margin(fitted, model));
}

static void add_series(struct rate *w, const struct series *s, const struct mk_growth_estimates *fitted,
                       const struct mk_growth_claim *claim)
{
    if (fitted->of[fitted->best].fit.used < MK_GROWTH_LEAST_POINTS) return;
    for (int m = 0; m < MK_GROWTH_MODELS; m++) {
        const enum mk_growth_model model = (enum mk_growth_model)m;
        add_fit(w->fits, s, fitted, model, claim);
        see_fit(w->fits, s, fitted, model);
        if (w->o->all || model == fitted->best) mk_table_list_row(w->fits, mk_table_rows(w->fits));
        mk_table_end_row(w->fits);
    }
}

/* median: of the pulls at the longest horizon; exponent: c of the fitted power of the last statistic. */
static void add_claim(struct rate *w, const struct series *s, const struct mk_growth_claim *claim, double median,
                      double exponent)
{
    struct mk_table *t = w->claims;
    const uint64_t *horizon = w->info->horizon;
    w->unclaimed += isnan(claim->slope) && s->column < w->info->n_arms;
    if (!t || isnan(claim->slope)) return;
    mk_table_set_text(t, CLAIM_POLICY, w->info->policy[s->data->policy]);
    mk_table_set_count(t, CLAIM_ARM, s->column);
    mk_table_set_real(t, CLAIM_SLOPE, claim->slope);
    mk_table_set_real(t, LAST_MEDIAN, median / log((double)horizon[w->info->n_horizons - 1]));
    mk_table_set_real(t, C_BEST, claim->c);
    mk_table_set_real(t, X_OF_C, claim->x);
    mk_table_set_real(t, EXPONENT_BEST, fmax(1 - claim->c, 0));
    mk_table_set_real(t, EXPONENT_BETTER, fmax(1 - claim->c_joint, 0));
    mk_table_set_real(t, FITTED, exponent);
    mk_table_end_row(t);
}

static int add_column(struct rate *w, const struct mk_growth_data *g, size_t column, struct mk_error *err)
{
    struct series s = {.data = g, .column = column};
    const struct mk_growth_claim claim = mk_growth_claim_of(w->info, w->e->problem, g->policy, column);
    double exponent = NAN;
    for (int k = 0; k < MK_GROWTH_STATISTICS; k++) {
        struct mk_growth_estimates fitted;
        s.statistic = (enum mk_growth_statistic)k;
        if (!g->value[s.statistic]) break;
        int code = mk_growth_estimate(g, s.statistic, column, w->o->from, w->o->to, &fitted, err);
        if (code) return code;
        exponent = fitted.of[MK_GROWTH_POWER].fit.c;
        add_series(w, &s, &fitted, &claim);
    }
    add_claim(w, &s, &claim, mk_growth_values(g, MK_GROWTH_MEDIAN, column)[w->info->n_horizons - 1], exponent);
    return MK_OK;
}

static int add_policy(struct rate *w, struct mk_cell_index at, struct mk_error *err)
{
    const struct mk_result_info *i = w->info;
    struct mk_growth_data *g = NULL;
    const size_t best = mk_truth_best(i->truth, at.instance, i->n_horizons - 1);
    int code = mk_growth_data_new(&g, w->result, at.policy, at.instance, w->e->seed, (size_t)w->o->samples, err);
    for (size_t k = 0; !code && k < g->columns; k++)
        if (k != best) code = add_column(w, g, k, err);
    mk_growth_data_free(g);
    return code;
}

static int add_all(struct rate *w, mk_progress_report *report, struct mk_error *err)
{
    const struct mk_result_info *i = w->info;
    struct mk_cell_index at = {0, 0, 0};
    struct mk_progress progress = {.report = report, .context = &(struct mk_progress_line){"rate", 0, NULL}};
    int code = MK_OK;
    mk_progress_start(&progress, 0, i->n_policies * i->n_instances);
    for (; !code && at.policy < i->n_policies; at.policy++)
        for (at.instance = 0; !code && at.instance < i->n_instances; at.instance++) {
            if (mk_selection_has(&w->o->select, i, at)) code = add_policy(w, at, err);
            mk_progress_step(&progress, 1);
        }
    return code;
}

static void add_notes(const struct rate *w)
{
    mk_table_add_note(
        w->claims, "last median/log T: at the longest horizon; c best arm, at x: of lock-outs of the best arm alone; "
                   "exponents: of the mean\nin T as claimed for lock-outs of the best arm and of all better arms, and "
                   "as fitted.");
    if (w->unclaimed)
        mk_table_extend_note(
            w->claims,
            "\n%zu arms of policies are not in the second table: no rate is claimed for other policies, without an "
            "upper end point,\nor where it equals that of the best arm.",
            w->unclaimed);
    mk_table_add_note(w->claims,
                      "a, c: with their 95 %% intervals. aicc_margin: by how much the form shown beats the next best; "
                      "negative: by how\nmuch it is beaten (--all).");
    if (mk_growth_can_resample(w->info, (size_t)w->o->samples))
        mk_table_extend_note(
            w->claims,
            "\nIntervals: bootstrap of %" PRIu64
            " resamples of whole replications, which keeps the dependence between horizons;\n`independent`:"
            " from the standard errors alone, as if the horizons were independent.",
            w->o->samples);
    else
        mk_table_extend_note(
            w->claims, "\nIntervals: from standard errors, as if the horizons were independent (they are prefixes "
                       "of the same\nreplications; with keep: pulls the replications are resampled instead).");
}

static int fill(struct rate *w, const struct mk_table_call *call, struct mk_error *err)
{
    int code = mk_table_new(&w->fits, &schema, err);
    if (!code) code = mk_table_add_swept(w->fits, w->info, NULL, err);
    if (!code && call->further) {
        code = mk_table_new(&w->claims, &claim_schema, err);
        if (!code) code = mk_table_add_swept(w->claims, w->info, NULL, err);
        mk_table_append(w->fits, w->claims);
    }
    if (!code) code = add_all(w, call->report, err);
    if (!code && call->further) add_notes(w);
    return code;
}

static int make_rate(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct rate_options *o = call->options;
    struct rate w = {.result = call->result, .o = o};
    int code = w.result ? MK_OK : mk_result_open(&w.result, call->input[0], err);
    if (!code) {
        w.info = mk_result_info(w.result);
        code = mk_result_check_choosing(w.info, err);
    }
    if (!code) code = mk_selection_check(&o->select, w.info, err);
    if (!code) code = mk_input_of_result(w.result, &o->plugins, &w.e, err);
    if (!code) code = mk_problem_by_pulls(w.e->problem, "rates are", err);
    if (!code && w.info->n_horizons < MK_GROWTH_LEAST_POINTS)
        code = mk_fail(err, MK_EINPUT, "%s: expected at least %d horizons, got %zu", w.info->path,
                       MK_GROWTH_LEAST_POINTS, w.info->n_horizons);
    if (!code) code = fill(&w, call, err);
    mk_experiment_free(w.e);
    if (!call->result) mk_result_free(w.result);
    return mk_table_made(out, w.fits, code, err);
}

static const char *inapplicable(struct mk_result *r)
{
    return mk_result_info(r)->n_horizons < MK_GROWTH_LEAST_POINTS ? "it has too few horizons for a fit" : NULL;
}

static const struct rate_options defaults = {.samples = 200, .from = 2};
#define OPTION(field, ...) MK_TABLE_OPTION(struct rate_options, field, __VA_ARGS__)
static const struct mk_table_option options[] = {
    OPTION(all, "all", 0, MK_OPT_FLAG, NULL, NULL, 1, 0, "show every form of growth, not only the best"),
    OPTION(select.policy, "policy", 0, MK_OPT_TEXT, "LABEL", NULL, 1, 0, "only this policy"),
    OPTION(select.instance, "instance", 0, MK_OPT_TEXT, "NAME", NULL, 1, 0, "only this instance"),
    OPTION(from, "from", 0, MK_OPT_COUNT, "T", NULL, 2, MK_EXACT_MAX, "smallest horizon of the fits (default: 2)"),
    OPTION(to, "to", 0, MK_OPT_COUNT, "T", NULL, 2, MK_EXACT_MAX,
           "largest horizon of the fits (default: the largest of the file)"),
    OPTION(samples, "resamples", 0, MK_OPT_COUNT, "N", NULL, 0, 1e5, "bootstrap resamples (default: 200; 0: none)"),
    OPTION(plugins, "plugin", 0, MK_OPT_TEXTS, "FILE.so", NULL, 0, -1,
           "load policies or families of your own (in place of the key `plugins`); may be repeated"),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_rate = {
    .usage =
        {"rate", "RESULT.h5",
         "Fits how the pulls N_i(T) of each suboptimal arm (their median and their mean over the replications) and the "
         "regret R(T) grow with T, and prints the form of growth that fits best, that with the smallest AICc:\n\n  "
         "pulls  a log T, a sqrt(T) log T, or a T^c\n  regret  a log T / T, a log T / sqrt(T), or a T^c\n\nThe fits "
         "use the horizons of the file. They are made on a logarithmic scale and weighted by the standard errors, each "
         "counted as at least 1 %. Means from rare_events are fitted too, as the statistic `rare mean`.\n\nA second "
         "table compares the fits with proved rates. It covers max_ucb without scaling on bounded arms:\n\n  typical "
         "runs  N_i(T) / log T tends to alpha / sqrt(b_best - b_i) (Proposition 4)\n  means  E[N_i(T)] grows as "
         "T^(1-c), since in rare runs every better arm is locked out (Theorem 4, with an exception that is named "
         "there). The table also has the exponent that results if only the best arm must be locked out\n\nPropositions "
         "and theorems are those of the paper \"Certified bounds for MaxUCB\" (`make paper`; installed as "
         "share/doc/maxk/maxk.pdf).",
         1, 1},
    .group = "Theory against simulation",
    .summary = "fit the growth of pulls and regret in T and compare it with claimed rates",
    MK_TABLE_TAKES(options, defaults),
    MK_TABLE_SHOWS(&schema, &claim_schema),
    .inapplicable = inapplicable,
    .make = make_rate};
