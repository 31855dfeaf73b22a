#include "sim/command/tables/summary_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/statistics.h"
#include "sim/base/table_printer.h"
#include "sim/run/rare.h"

/* The destination of rows, and their contents after the fixed columns. */
struct rows {
    struct mk_table_printer *table;
    const struct mk_summary_columns *further; /* or NULL */
    struct mk_result *r;
    double *incumbent; /* [replication] of the cell */
};

/* Mean and standard error of the values without noise, where the result has them. */
static int find_incumbents(const struct rows *rows, const struct mk_result_info *i, struct mk_cell_index at,
                           struct mk_real_moments *m, struct mk_error *err)
{
    *m = (struct mk_real_moments){0};
    if (!i->has_incumbents) return MK_OK;
    int code = mk_result_incumbents(rows->r, at.policy, at.instance, at.horizon, rows->incumbent, err);
    for (uint64_t n = 0; n < i->own_replications[at.instance] && !code; n++) mk_real_moments_add(m, rows->incumbent[n]);
    return code;
}

static int csv_rows(void *context, const struct mk_result_info *i, struct mk_cell_index at, const struct mk_cell *c,
                    struct mk_error *err)
{
    const struct rows *rows = context;
    struct mk_table_printer *t = rows->table;
    const struct mk_truth *f = i->truth;
    size_t best = mk_truth_best(f, at.instance, at.horizon);
    struct mk_real_moments incumbents;
    int code = find_incumbents(rows, i, at, &incumbents, err);
    if (code) return code;
    for (size_t k = 0; k < i->n_arms; k++) {
        size_t cell = mk_truth_at(f, at.instance, at.horizon, k);
        if (!mk_cell_has_arm(i, c, k)) continue;
        mk_table_text(t, i->policy[at.policy]);
        mk_table_text(t, i->instance[at.instance]);
        mk_table_count(t, i->horizon[at.horizon]);
        mk_table_count(t, i->own_replications[at.instance]);
        mk_table_count(t, k);
        mk_table_text(t, i->arm_label[k]);
        mk_table_count(t, k == best);
        mk_table_real(t, c->mean_pulls[k]);
        mk_table_real(t, c->se_pulls[k]);
        mk_table_real(t, c->mean_max);
        mk_table_real(t, c->se_max);
        mk_table_real(t, mk_cell_quantile_max(i, c, 0.5));
        mk_table_real(t, f->expected_max[cell]);
        mk_table_real(t, f->gap[cell]);
        mk_table_real(t, mk_cell_regret(i, at, c));
        mk_table_real(t, c->proxy_regret);
        if (rows->further) code = rows->further->add(rows->further->context, t, at, k, err);
        if (code) break;
        if (!i->has_incumbents) continue;
        mk_table_real(t, mk_real_moments_mean(&incumbents));
        mk_table_real(t, mk_spread_error(&incumbents.spread));
    }
    return code;
}

/* "mean ± standard error", the error with two significant digits and the mean with as many decimals. A mean without an
 * error has two decimals, or as many as it needs if two would misrepresent it. */
static void add_mean(struct mk_table_printer *t, double mean, double error)
{
    int decimals = 2;
    if (!isfinite(mean) || !isfinite(error)) {
        mk_table_real(t, mean);
        return;
    }
    if (error > 0) decimals = 1 - (int)floor(log10(error));
    if (decimals < 0) decimals = 0;
    if (decimals > 15 || fabs(mean) >= 1e15 || (error == 0 && fabs(mean - rint(100 * mean) / 100) > 1e-9 * fabs(mean)))
        mk_table_format(t, "%.6g ± %.2g", mean, error);
    else
        mk_table_format(t, "%.*f ± %.*f", decimals, mean, decimals, error);
}

/* "value ± error", of a single replication the value alone. */
static void add_short_mean(struct mk_table_printer *t, double value, double error)
{
    if (isfinite(error))
        mk_table_format(t, "%.4g ± %.2g", value, error);
    else
        mk_table_real(t, value);
}

static void add_share(struct mk_table_printer *t, double share)
{
    if (isfinite(share))
        mk_table_format(t, "%.2f %%", 100 * share);
    else
        mk_table_real(t, NAN);
}

static int aligned_row(void *context, const struct mk_result_info *i, struct mk_cell_index at, const struct mk_cell *c,
                       struct mk_error *err)
{
    const struct rows *rows = context;
    struct mk_table_printer *t = rows->table;
    size_t best = mk_truth_best(i->truth, at.instance, at.horizon);
    struct mk_real_moments incumbents;
    int code = find_incumbents(rows, i, at, &incumbents, err);
    if (code) return code;
    mk_table_text(t, i->policy[at.policy]);
    mk_table_text(t, i->instance[at.instance]);
    mk_table_count(t, i->horizon[at.horizon]);
    mk_table_text(t, i->arm_label[best]);
    add_mean(t, c->mean_pulls[best], c->se_pulls[best]);
    add_share(t, c->mean_pulls[best] / (double)i->horizon[at.horizon]);
    add_mean(t, c->mean_max, c->se_max);
    mk_table_real(t, mk_cell_quantile_max(i, c, 0.5));
    mk_table_real(t, mk_cell_regret(i, at, c));
    mk_table_real(t, c->proxy_regret);
    if (i->has_incumbents) add_mean(t, mk_real_moments_mean(&incumbents), mk_spread_error(&incumbents.spread));
    return MK_OK;
}

/* columns: further ones follow where rewards are noisy, which `incumbent` names. */
static int print(struct mk_result *r, const struct mk_selection *s, const struct mk_summary_columns *further, FILE *to,
                 struct mk_table_style style, const char *columns, const char *incumbent, mk_cell_visit *visit,
                 struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    struct rows rows = {NULL, further, r, malloc((i->replications + 1) * sizeof(double))};
    char *all = NULL;
    int code = mk_selection_check(s, i, err);
    if (!code && (!rows.incumbent || asprintf(&all, "%s%s", columns, i->has_incumbents ? incumbent : "") < 0))
        code = mk_fail_memory(err, "a table");
    if (!code) code = mk_table_begin(&rows.table, to, style, all, err);
    if (!code) code = mk_result_each_cell(r, s, visit, &rows, err);
    code = mk_table_finish(rows.table, code, err);
    free(rows.incumbent);
    free(all);
    return code;
}

int mk_summary_csv(struct mk_result *r, const struct mk_selection *s, const struct mk_summary_columns *further,
                   struct mk_table_style style, FILE *to, struct mk_error *err)
{
    char *columns = NULL;
    if (asprintf(&columns,
                 "policy,instance,horizon,replications,arm,arm_label,optimal,mean_pulls,se_pulls,mean_max,se_max,"
                 "median_max,expected_max,gap,regret,proxy_regret%s",
                 further ? further->names : "") < 0)
        return mk_fail_memory(err, "a table");
    int code = print(r, s, further, to, style, columns, ",mean_incumbent,se_incumbent", csv_rows, err);
    free(columns);
    return code;
}

int mk_summary_print(struct mk_result *r, const struct mk_selection *s, struct mk_table_style style, FILE *to,
                     struct mk_error *err)
{
    int code = print(r, s, NULL, to, style,
                     "policy,instance,horizon,best arm,its mean pulls,share,mean max,median max,regret,proxy regret",
                     ",incumbent", aligned_row, err);
    /* MK_HISTOGRAM_BITS bits of two quantiles */
    if (!code && !mk_result_info(r)->has_pulls)
        fprintf(
            to,
            "\nkeep: summary: medians are within 0.1 %% of their size, proxy regrets within 0.2 %% of 1 - PER(T).\n");
    return code;
}

/* Of the arms other than the best one, the one with the largest mean. */
static size_t most_pulled(const struct mk_rare *rare, size_t h, size_t best)
{
    size_t most = best == 0 && rare->n_arms > 1;
    for (size_t k = 0; k < rare->n_arms; k++)
        if (k != best && rare->mean_pulls[h * rare->n_arms + k] > rare->mean_pulls[h * rare->n_arms + most]) most = k;
    return most;
}

static void rare_row(struct mk_table_printer *t, const struct mk_result_info *i, size_t policy, size_t h,
                     const struct mk_rare *rare)
{
    size_t arm = most_pulled(rare, h, mk_truth_best(i->truth, 0, h)), at = h * i->n_arms + arm;
    double low, high;
    mk_rare_lock_out_interval(rare, h, &low, &high);
    mk_table_text(t, i->policy[policy]);
    mk_table_count(t, i->horizon[h]);
    mk_table_text(t, i->arm_label[arm]);
    add_mean(t, rare->mean_pulls[at], rare->se_pulls[at]);
    add_share(t, rare->se_pulls[at] / rare->mean_pulls[at]);
    if (rare->lock_outs[h] > 0)
        mk_table_format(t, "%.4g [%.3g, %.3g]", rare->lock_out_share[h], low, high);
    else
        mk_table_text(t, "none seen");
    mk_table_format(t, "%.0f", rare->lock_outs[h]);
    add_short_mean(t, rare->regret[h], rare->se_regret[h]);
}

int mk_summary_rare(struct mk_result *r, const struct mk_selection *s, FILE *to, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    struct mk_table_printer *t = NULL;
    int code = MK_OK;
    for (size_t p = 0; !code && p < i->n_policies; p++) {
        struct mk_rare *rare = NULL;
        if (!mk_selection_has_policy(s, i, p)) continue;
        code = mk_result_rare(r, p, &rare, err);
        if (!code && rare && !t) {
            fprintf(to, "\nRare events, weighted replications\n");
            code = mk_table_begin(
                &t, to, MK_TABLE_PLAIN,
                "policy,horizon,most pulled other arm,its mean pulls,relative error,lock-out share [95 %],"
                "effective lock-outs,regret",
                err);
        }
        for (size_t h = 0; !code && rare && h < i->n_horizons; h++)
            if (mk_selection_has(s, i, (struct mk_cell_index){p, 0, h})) rare_row(t, i, p, h, rare);
        mk_rare_free(rare);
    }
    return mk_table_finish(t, code, err);
}
