/* How many rewards above a threshold each policy drew. */
#include <math.h>
#include <stdlib.h>

#include "analysis/figures/result_view.h"
#include "analysis/plot/plot_text.h"
#include "analysis/results/threshold_counts.h"
#include "analysis/tables/result_tables.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"

struct exceed_options {
    double threshold;
    const char *folder;
};

#define COLUMNS(X)                                                                                                     \
    MK_PLACE_COLUMNS(X)                                                                                                \
    X(THRESHOLD, "threshold", REAL, "rewards", "the threshold x")                                                      \
    X(REPLICATIONS, "replications", COUNT, "", "replications of the run")                                              \
    X(MEAN_ABOVE, "mean_above", REAL, "rewards", "mean number of rewards above x up to horizon T")                     \
    X(SE_ABOVE, "se_above", REAL, "rewards", "its standard error over the replications")                               \
    X(BEST_EXPECTED, "best_arm_expected", REAL, "rewards", "T times the largest P(X > x) of any arm")

enum { COLUMNS(MK_COLUMN_ENUMERATOR) };
static const struct mk_column columns[] = {COLUMNS(MK_COLUMN_DESCRIPTOR)};
static const struct mk_table_view view[] = {COLUMNS(MK_COLUMN_SEEN) MK_TABLE_VIEW_END};
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("rewards above a threshold", columns, view);

struct exceed {
    struct mk_result *result;
    const struct mk_result_info *info;
    struct mk_experiment *experiment;
    struct mk_count_moments *count; /* [horizon] of the current cell */
    double threshold;
    struct mk_table *table;
    struct mk_plot *plot; /* NULL: none */
};

static void add_rows(const struct exceed *x, size_t policy, size_t instance)
{
    for (size_t h = 0; h < x->info->n_horizons; h++) {
        mk_table_set_place(x->table, x->info, (struct mk_cell_index){policy, instance, h});
        mk_table_set_real(x->table, THRESHOLD, x->threshold);
        mk_table_set_count(x->table, REPLICATIONS, x->info->replications);
        mk_table_set_real(x->table, MEAN_ABOVE, mk_count_moments_mean(&x->count[h]));
        mk_table_set_real(x->table, SE_ABOVE, mk_spread_error(&x->count[h].spread));
        mk_table_set_real(x->table, BEST_EXPECTED,
                          mk_threshold_best(x->experiment->problem, x->threshold, x->info->horizon[h]));
        mk_table_end_row(x->table);
    }
}

static int add_curve(const struct exceed *x, size_t policy, struct mk_error *err)
{
    struct mk_curve *c = mk_plot_add(x->plot, x->info->policy[policy], x->info->n_horizons, x->info->replications > 1);
    if (!c) return mk_fail_memory(err, "a figure");
    c->style = MK_CURVE_LINE_POINTS;
    for (size_t h = 0; h < c->n; h++) {
        struct mk_mean mean = {mk_count_moments_mean(&x->count[h]), mk_spread_error(&x->count[h].spread)};
        mk_curve_set(c, h, (double)x->info->horizon[h], mean, MK_MEASURE_BEST_REWARD);
    }
    return MK_OK;
}

static int all_cells(const struct exceed *x, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t policy = 0; policy < x->info->n_policies && !code; policy++) {
        if (mk_result_policy_has(x->info, policy, MK_POLICY_COMBINED)) continue; /* its rewards are not the arms' */
        for (size_t i = 0; i < x->info->n_instances && !code; i++) {
            code = mk_threshold_counts(x->result, x->experiment, policy, i, x->threshold, x->count, err);
            if (code) break;
            add_rows(x, policy, i);
            if (x->plot && x->info->n_instances == 1) code = add_curve(x, policy, err);
        }
    }
    return code;
}

static void describe(const struct exceed *x, struct mk_plot *p)
{
    char number[32];
    mk_text_clean(x->info->title[0] ? x->info->title : x->info->name, 0, p->title, sizeof p->title);
    snprintf(p->subtitle, sizeof p->subtitle, "mean and 95 %% band, %llu replications",
             (unsigned long long)x->info->replications);
    snprintf(p->x.label, sizeof p->x.label, "horizon T (pulls)");
    snprintf(p->y.label, sizeof p->y.label, "rewards above %s", mk_format_real(x->threshold, number, sizeof number));
}

static int draw(const struct exceed *x, const char *folder, struct mk_error *err)
{
    char prefix[128], name[160];
    if (x->plot->n_curves == 0) return MK_OK;
    describe(x, x->plot);
    mk_file_name_part(x->info->name, prefix, sizeof prefix);
    snprintf(name, sizeof name, "%s_exceed", prefix);
    int code = mk_make_folder(folder, err);
    if (!code) code = mk_plot_draw(x->plot, folder, name, MK_PLOT_PNG, err);
    if (!code) mk_table_add_warning(x->table, "%s/%s.png", folder, name);
    return code;
}

static int make(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct exceed_options *o = call->options;
    struct exceed x = {.result = call->result, .threshold = o->threshold};
    struct mk_plot plot;
    if (!isfinite(o->threshold))
        return mk_fail(err, MK_EINPUT,
                       "maxk exceed: --above: missing; expected a finite number (see maxk exceed --help)");
    mk_plot_init(&plot);
    if (o->folder) x.plot = &plot;
    int code = x.result ? MK_OK : mk_result_open(&x.result, call->input[0], err);
    if (!code) {
        x.info = mk_result_info(x.result);
        code = mk_result_check_choosing(x.info, err);
    }
    if (!code) code = mk_result_experiment(x.result, NULL, &x.experiment, err);
    if (!code) x.count = calloc(x.info->n_horizons, sizeof *x.count);
    if (!code && !x.count) code = mk_fail_memory(err, "counts");
    if (!code) code = mk_table_new(&x.table, &schema, err);
    if (!code) code = mk_table_add_swept(x.table, x.info, NULL, err);
    if (!code) code = all_cells(&x, err);
    if (!code && o->folder) code = draw(&x, o->folder, err);
    free(x.count);
    mk_plot_clear(&plot);
    mk_experiment_free(x.experiment);
    if (!call->result) mk_result_free(x.result);
    return mk_table_made(out, x.table, code, err);
}

static const struct exceed_options defaults = {.threshold = NAN};
static const struct mk_table_option options[] = {
    MK_TABLE_OPTION(struct exceed_options, threshold, "above", 'a', MK_OPT_REAL, "X", NULL, 0, -1,
                    "the threshold (required)"),
    MK_TABLE_OPTION(struct exceed_options, folder, "out", 'o', MK_OPT_TEXT, "DIR", NULL, 0, -1,
                    "also draw the counts against T, into this folder"),
    MK_TABLE_OPTIONS_END};
static const struct mk_table_schema *const schemas[] = {&schema, NULL};

const struct mk_table_type mk_table_exceed = {
    .usage =
        {"exceed", "RESULT.h5",
         "Counts the rewards above a threshold that every policy drew up to each horizon: means and standard errors "
         "over the replications, next to T times the largest P(X > threshold) of any arm. The rewards are drawn again "
         "from the stored pulls, so any result of the per-pull engine will do.",
         1, 1},
    .group = "Results",
    .summary = "count rewards above a threshold",
    .option = options,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .printing_last = true,
    .schema = schemas,
    .inapplicable = mk_table_choosing,
    .required = "--above X",
    .make = make};
