#include "analysis/answers/figures/across_arms.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/figures/result_view.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"

/* All results; the first one stays open. */
struct across {
    struct mk_result_view first;
    size_t n, n_policies;
    size_t *arms;            /* [n] */
    struct mk_mean *regret;  /* [n][policy] at the largest horizon */
    size_t n_counts, *count; /* the numbers of arms, ascending */
};

static int read_regret(struct across *a, size_t i, const char *path, const struct mk_result_view *s,
                       struct mk_error *err)
{
    const struct mk_result_info *info = s->info, *first = a->first.info;
    const size_t last = info->n_horizons - 1;
    if (!mk_result_view_has(s, MK_MEASURE_REGRET))
        return mk_fail(err, MK_EINPUT, "%s: --across: expected a result with known regret", path);
    if (info->n_policies != a->n_policies || info->by_cost != first->by_cost ||
        mk_result_amount(info, last) != mk_result_amount(first, first->n_horizons - 1))
        return mk_fail(err, MK_EINPUT, "%s: --across: expected the policies and the largest horizon of the first file",
                       path);
    for (size_t p = 0; p < a->n_policies; p++) {
        if (strcmp(info->policy[p], first->policy[p]) != 0)
            return mk_fail(err, MK_EINPUT, "%s: --across: policy %zu is '%s', in the first file '%s'", path, p,
                           info->policy[p], first->policy[p]);
        a->regret[i * a->n_policies + p] = mk_result_view_mean(s, MK_MEASURE_REGRET, p, last);
    }
    a->arms[i] = info->n_arms;
    return MK_OK;
}

static void add_count(struct across *a, size_t arms)
{
    size_t at = 0;
    while (at < a->n_counts && a->count[at] < arms) at++;
    if (at < a->n_counts && a->count[at] == arms) return;
    memmove(a->count + at + 1, a->count + at, (a->n_counts - at) * sizeof *a->count);
    a->count[at] = arms;
    a->n_counts++;
}

static int read_all(struct across *a, char *const *path, struct mk_error *err)
{
    int code = mk_result_view_open(&a->first, path[0], NULL, err);
    if (code) return code;
    a->n_policies = a->first.info->n_policies;
    a->arms = malloc(a->n * sizeof *a->arms);
    a->count = malloc((a->n + 1) * sizeof *a->count);
    a->regret = malloc((a->n * a->n_policies + 1) * sizeof *a->regret);
    if (!a->arms || !a->count || !a->regret) return mk_fail_memory(err, "figures");
    code = read_regret(a, 0, path[0], &a->first, err);
    for (size_t i = 1; i < a->n && !code; i++) {
        struct mk_result_view s;
        code = mk_result_view_open(&s, path[i], NULL, err);
        if (code) return code;
        code = read_regret(a, i, path[i], &s, err);
        mk_result_view_close(&s);
    }
    for (size_t i = 0; i < a->n && !code; i++) add_count(a, a->arms[i]);
    return code;
}

/* The mean of a policy over the results with so many arms. */
static struct mk_mean mean_of(const struct across *a, size_t policy, size_t arms)
{
    struct mk_mean one = {NAN, NAN};
    struct mk_real_moments all = {0};
    size_t n = 0;
    for (size_t i = 0; i < a->n; i++) {
        if (a->arms[i] != arms) continue;
        one = a->regret[i * a->n_policies + policy];
        mk_real_moments_add(&all, one.mean);
        n++;
    }
    if (n < 2) return one;
    /* Intervals are drawn with the normal quantile: few results need Student's. */
    const double wider = gsl_cdf_tdist_Pinv(0.975, (double)(n - 1)) / MK_NORMAL_95;
    return (struct mk_mean){mk_real_moments_mean(&all), wider * mk_spread_error(&all.spread)};
}

static void start_plot(const struct across *a, struct mk_plot *p, const char *x)
{
    mk_result_view_start(&a->first, p);
    snprintf(p->subtitle, sizeof p->subtitle, "T = %s, mean of %zu results, 95 %% interval",
             mk_plot_amount(mk_result_amount(a->first.info, a->first.info->n_horizons - 1)).text, a->n);
    mk_plot_axes(p, x, mk_measure_label(MK_MEASURE_REGRET));
}

static int add_policy(const struct across *a, struct mk_plot *p, size_t policy, struct mk_error *err)
{
    struct mk_curve *c = mk_plot_add(p, a->first.info->policy[policy], a->n_counts, 1);
    if (!c) return mk_fail_memory(err, "figure");
    c->style = MK_CURVE_LINE_POINTS;
    for (size_t k = 0; k < a->n_counts; k++)
        mk_curve_set(c, k, (double)a->count[k], mean_of(a, policy, a->count[k]), MK_MEASURE_REGRET);
    return MK_OK;
}

/* Over the numbers of arms. */
static double largest_regret(const struct across *a, size_t policy)
{
    double largest = -INFINITY;
    for (size_t k = 0; k < a->n_counts; k++) largest = fmax(largest, mean_of(a, policy, a->count[k]).mean);
    return largest;
}

/* Whether a policy is drawn: of a sweep only the one whose largest regret is smallest; the other figure shows them all.
 */
static bool is_drawn(const struct across *a, size_t policy)
{
    if (mk_result_policy_has(a->first.info, policy, MK_POLICY_ORACLE)) return false;
    for (size_t k = 0; k < a->first.n_sweeps; k++) {
        const struct mk_sweep *w = &a->first.sweep[k];
        size_t best = w->policy[0];
        bool member = false;
        for (size_t i = 0; i < w->n; i++) {
            member |= w->policy[i] == policy;
            if (largest_regret(a, w->policy[i]) < largest_regret(a, best)) best = w->policy[i];
        }
        if (member) return policy == best;
    }
    return true;
}

static int draw_arms(struct across *a, struct mk_error *err)
{
    struct mk_plot p;
    int code = MK_OK;
    start_plot(a, &p, "number of arms K");
    p.x.log = 1;
    for (size_t i = 0; i < a->n_policies && !code; i++)
        if (is_drawn(a, i)) code = add_policy(a, &p, i, err);
    mk_plot_choose_log(&p, MK_MEASURE_REGRET);
    return mk_result_view_finish(&a->first, &p, "across_arms", "", code, err);
}

static int draw_sweep(struct across *a, struct mk_error *err)
{
    const struct mk_sweep *w = &a->first.sweep[0];
    struct mk_plot p;
    int code = MK_OK;
    char x[MK_PLOT_TEXT];
    snprintf(x, sizeof x, "%s of %s", w->type->params[w->param].name, w->type->name);
    start_plot(a, &p, x);
    p.x.log = w->value[0] > 0;
    for (size_t k = 0; k < a->n_counts && !code; k++) {
        char label[32];
        snprintf(label, sizeof label, "K = %s", mk_plot_horizon(a->count[k]).text);
        struct mk_curve *c = mk_plot_add(&p, label, w->n, 1);
        if (!c) code = mk_fail_memory(err, "figure");
        for (size_t i = 0; c && i < w->n; i++)
            mk_curve_set(c, i, w->value[i], mean_of(a, w->policy[i], a->count[k]), MK_MEASURE_REGRET);
        if (c) c->style = MK_CURVE_LINE_POINTS;
    }
    return mk_result_view_finish(&a->first, &p, "across_sweep", "", code, err);
}

int mk_across_arms_draw(char *const *path, size_t n, struct mk_figure_output *to, struct mk_error *err)
{
    struct across a = {.n = n};
    int code = read_all(&a, path, err);
    if (!code) {
        if (!to->prefix[0]) snprintf(to->prefix, sizeof to->prefix, "%s", a.first.to.prefix);
        a.first.to = *to;
        code = draw_arms(&a, err);
    }
    if (!code && a.first.n_sweeps) code = draw_sweep(&a, err);
    mk_result_view_close(&a.first);
    free(a.arms);
    free(a.count);
    free(a.regret);
    return code;
}
