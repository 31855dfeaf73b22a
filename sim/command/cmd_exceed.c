/* maxk exceed: how many rewards above a threshold each policy drew. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/figures/result_view.h"
#include "analysis/plot/plot_text.h"
#include "analysis/results/threshold_counts.h"
#include "sim/base/atomic_file.h"
#include "sim/base/table_printer.h"
#include "sim/command/command.h"
#include "sim/command/options.h"

#define COLUMNS "policy,instance,horizon,threshold,replications,mean_above,se_above,best_arm_expected"

struct exceed {
    struct mk_result *result;
    const struct mk_result_info *info;
    struct mk_experiment *experiment;
    struct mk_count_moments *count; /* [horizon] of the current cell */
    double threshold;
    struct mk_table_printer *table;
    struct mk_plot *plot; /* NULL: none */
};

static void print_rows(const struct exceed *x, size_t policy, size_t instance)
{
    for (size_t h = 0; h < x->info->n_horizons; h++) {
        mk_table_text(x->table, x->info->policy[policy]);
        mk_table_text(x->table, x->info->instance[instance]);
        mk_table_count(x->table, x->info->horizon[h]);
        mk_table_real(x->table, x->threshold);
        mk_table_count(x->table, x->info->replications);
        mk_table_real(x->table, mk_count_moments_mean(&x->count[h]));
        mk_table_real(x->table, mk_spread_error(&x->count[h].spread));
        mk_table_real(x->table, mk_threshold_best(x->experiment->problem, x->threshold, x->info->horizon[h]));
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
            print_rows(x, policy, i);
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
    if (!code) fprintf(stderr, "%s/%s.png\n", folder, name);
    return code;
}

static int exceed(const char *path, double threshold, const char *folder, struct mk_table_style style,
                  struct mk_error *err)
{
    struct exceed x = {.threshold = threshold};
    struct mk_plot plot;
    mk_plot_init(&plot);
    if (folder) x.plot = &plot;
    int code = mk_result_open(&x.result, path, err);
    if (!code) {
        x.info = mk_result_info(x.result);
        code = mk_result_check_choosing(x.info, err);
    }
    if (!code) code = mk_result_experiment(x.result, NULL, &x.experiment, err);
    if (!code) x.count = calloc(x.info->n_horizons, sizeof *x.count);
    if (!code && !x.count) code = mk_fail_memory(err, "counts");
    if (!code) code = mk_table_begin(&x.table, stdout, style, COLUMNS, err);
    if (!code) code = all_cells(&x, err);
    code = mk_table_finish(x.table, code, err);
    if (!code && folder) code = draw(&x, folder, err);
    free(x.count);
    mk_plot_clear(&plot);
    mk_experiment_free(x.experiment);
    mk_result_free(x.result);
    return code;
}

int mk_cmd_exceed(int argc, char **argv, struct mk_error *err)
{
    const char *folder = NULL;
    double threshold = NAN;
    struct mk_table_style style = MK_TABLE_PLAIN;
    const struct mk_option options[] = {
        {"above", 'a', MK_OPT_REAL, &threshold, "X", NULL, 0, -1, "the threshold (required)"},
        {"out", 'o', MK_OPT_TEXT, &folder, "DIR", NULL, 0, -1, "also draw the counts against T, into this folder"},
        MK_TABLE_OPTIONS(style),
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, -1, NULL},
    };
    const struct mk_usage usage = {
        "exceed", "RESULT.h5",
        "Counts the rewards above a threshold that every policy drew up to each horizon: means and standard errors "
        "over the replications, next to T times the largest P(X > threshold) of any arm. The rewards are drawn again "
        "from the stored pulls, so any result of the per-pull engine will do.",
        1, 1};
    char **operand;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (code) return code;
    if (!isfinite(threshold))
        return mk_fail(err, MK_EINPUT,
                       "maxk exceed: --above: missing; expected a finite number (see maxk exceed --help)");
    return exceed(operand[0], threshold, folder, style, err);
}
