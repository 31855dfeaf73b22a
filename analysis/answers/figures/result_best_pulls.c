/* Pulls of the best arm by every policy at the largest horizon, over instances and replications: median, quartiles and
 * mean (Balef et al. 2025, Figures E.1 to E.4, left). From the largest mean to the smallest. */
#include <stdbool.h>
#include <stdlib.h>

#include "analysis/answers/figures/result_view.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/base/text.h"

enum { MOST_ROWS = 60 };

static bool applies(const struct mk_result_view *s)
{
    return s->info->has_pulls && s->info->n_instances > 1 && s->info->n_policies > 1;
}

struct row {
    double mean, low, median, high;
    size_t policy;
};

static int by_mean(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    if (a->mean != b->mean) return a->mean > b->mean ? -1 : 1;
    return (a->policy > b->policy) - (a->policy < b->policy);
}

/* value[instance][replication], pulls[replication][arm]: buffers for reading. */
static int read_row(const struct mk_result_view *s, size_t policy, uint64_t *pulls, double *value, struct row *out,
                    struct mk_error *err)
{
    const size_t h = s->info->n_horizons - 1;
    struct mk_real_moments m = {0};
    size_t n = 0;
    for (size_t i = 0; i < s->info->n_instances; i++) {
        size_t best = mk_truth_best(s->info->truth, i, h);
        int code = mk_result_raw(s->result, policy, i, h, pulls, NULL, err);
        if (code) return code;
        for (size_t r = 0; r < s->info->own_replications[i]; r++) {
            value[n] = (double)pulls[r * s->info->n_arms + best];
            mk_real_moments_add(&m, value[n++]);
        }
    }
    mk_sort_values(value, n);
    *out = (struct row){mk_real_moments_mean(&m), mk_quantile_sorted(value, n, 0.25), mk_quantile_sorted(value, n, 0.5),
                        mk_quantile_sorted(value, n, 0.75), policy};
    return MK_OK;
}

static int add_rows(struct mk_plot *p, const struct row *row, size_t n, struct mk_error *err)
{
    struct mk_curve *median = mk_plot_add(p, "median and quartiles", n, 1);
    if (!median) return mk_fail_memory(err, "figure");
    for (size_t i = 0; i < n; i++) mk_curve_span(median, i, row[i].median, (double)i, row[i].low, row[i].high);
    median->style = MK_CURVE_ROWS;
    struct mk_curve *mean = mk_plot_add(p, "mean", n, 0);
    if (!mean) return mk_fail_memory(err, "figure");
    for (size_t i = 0; i < n; i++) mk_curve_point(mean, i, row[i].mean, (double)i);
    mean->style = MK_CURVE_ROWS;
    return MK_OK;
}

static int draw(const struct mk_result_view *s, struct mk_error *err)
{
    const size_t R = (size_t)s->info->replications;
    size_t n = 0;
    struct mk_plot p;
    char counted[2][MK_COUNTED_ROOM];
    struct row *row = malloc(s->info->n_policies * sizeof *row);
    const char **name = malloc(s->info->n_policies * sizeof *name);
    uint64_t *pulls = malloc((R * s->info->n_arms + 1) * sizeof *pulls);
    double *value = malloc((R * s->info->n_instances + 1) * sizeof *value);
    int code = row && name && pulls && value ? MK_OK : mk_fail_memory(err, "figure");
    mk_result_view_start(s, &p);
    snprintf(p.subtitle, sizeof p.subtitle, "T = %s, over %s and %s of each",
             mk_plot_amount(mk_result_amount(s->info, s->info->n_horizons - 1)).text,
             mk_counted(s->info->n_instances, "instance", NULL, counted[0]),
             mk_counted(R, "replication", NULL, counted[1]));
    for (size_t i = 0; i < s->info->n_policies && !code; i++) {
        if (mk_result_policy_has(s->info, i, MK_POLICY_ORACLE) || mk_result_policy_has(s->info, i, MK_POLICY_RECORDED))
            continue;
        code = read_row(s, i, pulls, value, &row[n++], err);
    }
    if (!code) qsort(row, n, sizeof *row, by_mean);
    for (size_t i = 0; i < n && !code; i++) name[i] = s->info->policy[row[i].policy];
    if (!code) code = add_rows(&p, row, n, err);
    p.row = name;
    p.n_rows = n;
    snprintf(p.x.label, sizeof p.x.label, "pulls of the best arm");
    if (code || (n && n <= MOST_ROWS))
        code = mk_result_view_finish(s, &p, "best_pulls", "", code, err);
    else
        mk_plot_clear(&p);
    free(row);
    free(name);
    free(pulls);
    free(value);
    return code;
}

const struct mk_result_figure mk_result_figure_best_pulls = {
    "best_pulls", "pulls of the best arm by every policy: median, quartiles, mean; several instances", applies, draw};
