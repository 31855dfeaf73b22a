/* Arms with known distributions (Balef et al. 2025):
 *   known      Figures C.2, C.3 and 3 (right): survival functions, the ratio G(b - eps) / eps with L and U, and the
 *              estimators of both side by side
 *   many_arms  how survival functions, that ratio, and L and U (Lemma 3.3) are distributed over many arms */
#include <math.h>
#include <stdio.h>

#include "analysis/answers/figures/problem_view.h"
#include "analysis/compare/arms/arm_choice.h"
#include "analysis/compare/arms/lu_arm.h"
#include "analysis/compare/arms/pooled_rewards.h"
#include "analysis/theory/published_lu.h"
#include "analysis/theory/survival.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"

enum { POINTS = 401, SPREAD_POINTS = 101, WITH_CONSTANTS = 1000, DRAWS = 1000, RUNS = 1000, WITH_LINES = 3 };

static const double nearest = 1e-4; /* smallest eps drawn, in units of b - a, of many arms of the largest one */

/* L and U require finite upper end points; other figures show unbounded arms. */
static bool is_bounded(const struct mk_problem *p, size_t k)
{
    double low, high;
    mk_dist_support(p->dist[k], &low, &high);
    return isfinite(high) && isfinite(low) && low < high;
}

static void survival_axes(struct mk_plot *p, const char *title)
{
    snprintf(p->title, sizeof p->title, "%s", title);
    mk_plot_axes(p, "reward x", "G(x) = P(X ≥ x)");
    p->y.lo = 0;
    p->y.hi = 1.02;
}

static void ratio_axes(struct mk_plot *p, const char *title)
{
    snprintf(p->title, sizeof p->title, "%s", title);
    mk_plot_axes(p, "ε", "G(b − ε) / ε");
    p->x.log = p->y.log = 1;
}

/* ---- known ---- */

static bool known_applies(const struct mk_problem_view *g)
{
    if (!g->problem->source->known || g->problem->n_arms > MK_MANY_ARMS) return false;
    for (size_t k = 0; k < g->problem->n_arms; k++)
        if (is_bounded(g->problem, k)) return true;
    return false;
}

static int draw_survival(const struct mk_problem_view *g, struct mk_plot *p, struct mk_error *err)
{
    int lines = g->problem->n_arms <= WITH_LINES;
    for (size_t k = 0; k < g->problem->n_arms; k++) {
        const struct mk_dist *d = g->problem->dist[k];
        struct mk_curve *c = mk_problem_view_curve(p, g->problem->arm_label[k], POINTS, (int)k, 1.4, 0);
        if (!c) return mk_fail_memory(err, "figure");
        mk_survival_points(d, POINTS, c->x);
        for (size_t i = 0; i < POINTS; i++) c->y[i] = mk_dist_survival(d, c->x[i]);
        struct mk_lu lu;
        double low, high;
        mk_dist_support(d, &low, &high);
        if (!lines || !is_bounded(g->problem, k)) continue;
        int code = mk_lu_exact(d, NAN, &lu, err);
        if (code) return code;
        for (int side = 0; side < 2; side++) {
            double slope = side ? lu.U : lu.L;
            if (!isfinite(slope)) continue;
            struct mk_curve *line = mk_problem_view_curve(p, "", 2, (int)k, 0.6, 0.4);
            if (!line) return mk_fail_memory(err, "figure");
            double reach = fmin(high - low, slope > 0 ? 1 / slope : INFINITY);
            mk_curve_point(line, 0, high - reach, slope * reach);
            mk_curve_point(line, 1, high, 0);
        }
    }
    survival_axes(p, lines ? "Survival functions; thin: L ε and U ε" : "Survival functions");
    return MK_OK;
}

static int draw_ratio(const struct mk_problem_view *g, struct mk_plot *p, struct mk_error *err)
{
    for (size_t k = 0; k < g->problem->n_arms; k++) {
        const struct mk_dist *d = g->problem->dist[k];
        double low, high;
        if (!is_bounded(g->problem, k)) continue;
        mk_dist_support(d, &low, &high);
        struct mk_curve *c = mk_problem_view_curve(p, "", POINTS, (int)k, 1.4, 0);
        if (!c) return mk_fail_memory(err, "figure");
        double min = nearest * (high - low);
        for (size_t i = 0; i < POINTS; i++) {
            double eps = i + 1 == POINTS ? high - low : min * pow(1 / nearest, (double)i / (POINTS - 1));
            double ratio = (i + 1 == POINTS ? 1 : mk_dist_survival(d, high - eps)) / eps;
            mk_curve_point(c, i, eps, ratio > 0 ? ratio : NAN);
        }
        /* the limit eps -> 0 is placed at the left end */
        struct mk_lu lu;
        int code = mk_lu_exact(d, NAN, &lu, err);
        if (!code) code = mk_problem_view_mark_lu(p, &lu, (int)k, min, err);
        if (code) return code;
    }
    ratio_axes(p, "Points: L and U over the whole range");
    return MK_OK;
}

/* For the first arm with published values, which form the last series. */
static const struct mk_published_lu *published_row(const struct mk_problem_view *g)
{
    const struct mk_published_lu *row = NULL;
    for (size_t k = 0; k < g->problem->n_arms && !row; k++) row = mk_published_lu_find(g->problem->dist[k]);
    return row;
}

static void estimator_axes(const struct mk_problem_view *g, struct mk_plot *p, const char *what)
{
    snprintf(p->title, sizeof p->title, "%s: four estimators%s (%d draws)", what,
             published_row(g) ? " and as published" : "", DRAWS);
    mk_plot_axes(p, "arm, from 0 in the order of the legend", what);
    p->x.whole = 1;
    p->x.lo = -0.5;
    p->x.hi = (double)g->problem->n_arms - 0.5;
}

enum { SERIES = MK_LU_ESTIMATORS + 1, PUBLISHED = MK_LU_ESTIMATORS };

/* `series` empty series, side by side. */
static int add_series(const struct mk_problem_view *g, struct mk_plot *plot, int series, struct mk_error *err)
{
    static const char *const label[] = {"exact", "exact, trimmed range", "plugin, 95 % band",
                                        "as in Table C.3, mean ± sd of 1000 runs"};
    const struct mk_published_lu *row = published_row(g);
    char published[MK_PLOT_TEXT] = "";
    if (row) snprintf(published, sizeof published, "published, Table %s", row->table);
    for (int e = 0; e < series; e++)
        for (int side = 0; side < 2; side++) {
            int interval = e == PUBLISHED ? !isnan(row->was.sd_L) : e >= MK_LU_PLUGIN;
            const char *text = side ? "" : e == PUBLISHED ? published : label[e];
            struct mk_curve *c = mk_plot_add(&plot[side], text, g->problem->n_arms, interval);
            if (!c) return mk_fail_memory(err, "figure");
            c->style = MK_CURVE_POINTS;
            c->look = e;
            for (size_t k = 0; k < c->n; k++) c->x[k] = (double)k + 0.16 * (e - 0.5 * (series - 1));
        }
    return MK_OK;
}

static void set_point(struct mk_curve *c, size_t k, double value, double low, double high)
{
    c->y[k] = isfinite(value) ? value : NAN;
    if (!c->lo) return;
    c->lo[k] = low;
    c->hi[k] = isfinite(high) ? high : NAN;
}

static void set_published(struct mk_plot *plot, const struct mk_dist *d, size_t k)
{
    const struct mk_published_lu *row = mk_published_lu_find(d);
    if (!row) return;
    const struct mk_lu_runs *was = &row->was;
    set_point(&plot[0].curve[PUBLISHED], k, was->mean_L, was->mean_L - was->sd_L, was->mean_L + was->sd_L);
    set_point(&plot[1].curve[PUBLISHED], k, was->mean_U, was->mean_U - was->sd_U, was->mean_U + was->sd_U);
}

static int draw_estimators(const struct mk_problem_view *g, struct mk_plot *plot, struct mk_error *err)
{
    const struct mk_lu_options o = {
        .confidence = 0.95, .samples = DRAWS, .runs = RUNS, .resamples = 1, .seed = g->experiment->seed};
    const bool published = published_row(g) != NULL;
    struct mk_pooled_rewards *pool = NULL;
    int code = mk_pooled_rewards_new(&pool, g->problem, 0, DRAWS, o.seed, MK_LU_STREAM, err);
    if (!code) code = add_series(g, plot, published ? SERIES : MK_LU_ESTIMATORS, err);
    for (size_t k = 0; k < g->problem->n_arms && !code; k++) {
        if (!is_bounded(g->problem, k)) continue;
        for (int e = 0; e < MK_LU_ESTIMATORS && !code; e++) {
            struct mk_lu_row row;
            code = mk_lu_arm(g->problem, 0, k, pool, (enum mk_lu_estimator)e, &o, &row, err);
            if (code) break;
            set_point(&plot[0].curve[e], k, row.lu.L, row.interval.L_low, row.interval.L_high);
            set_point(&plot[1].curve[e], k, row.lu.U, row.interval.U_low, row.interval.U_high);
        }
        if (published) set_published(plot, g->problem->dist[k], k);
    }
    mk_pooled_rewards_free(pool);
    estimator_axes(g, &plot[0], "L");
    estimator_axes(g, &plot[1], "U");
    plot[1].y.log = 1;
    return code;
}

static int draw_known(const struct mk_problem_view *g, struct mk_error *err)
{
    struct mk_panels *panels = mk_problem_view_panels(g, 2, 2, 3.5, 1.75, "the constants L and U of known arms");
    if (!panels) return mk_fail_memory(err, "figure");
    int code = draw_survival(g, &panels->plot[0], err);
    if (!code) code = draw_ratio(g, &panels->plot[1], err);
    if (!code) code = draw_estimators(g, &panels->plot[2], err);
    return mk_figure_output_panels(&g->to, panels, "lu", code, err);
}

const struct mk_problem_figure mk_problem_figure_known = {
    "known", "survival functions, G(b - eps) / eps with L and U, and four estimators of L and U; up to 100 known arms",
    known_applies, draw_known};

/* ---- many_arms ---- */

static bool many_apply(const struct mk_problem_view *g)
{
    return g->problem->source->known && g->problem->n_arms > MK_MANY_ARMS;
}

static double survival(const struct mk_problem *p, size_t arm, double x)
{
    return mk_dist_survival(p->dist[arm], x);
}

/* NaN where an end is infinite. */
static double ratio(const struct mk_problem *p, size_t arm, double eps)
{
    double low, high;
    mk_dist_support(p->dist[arm], &low, &high);
    if (!is_bounded(p, arm)) return NAN;
    return (high - eps <= low ? 1 : mk_dist_survival(p->dist[arm], high - eps)) / eps;
}

/* Range of x over all arms, infinite ends replaced as in mk_survival_points, and the largest finite b - a (0: none). */
static void ranges_of(const struct mk_problem *p, double *from, double *to, double *widest)
{
    *from = INFINITY;
    *to = -INFINITY;
    *widest = 0;
    for (size_t k = 0; k < p->n_arms; k++) {
        double ends[2], low, high;
        mk_survival_points(p->dist[k], 2, ends);
        mk_dist_support(p->dist[k], &low, &high);
        *from = fmin(*from, ends[0]);
        *to = fmax(*to, ends[1]);
        if (isfinite(high - low)) *widest = fmax(*widest, high - low);
    }
}

static int spread_survival(const struct mk_problem *p, double from, double to, struct mk_plot *plot,
                           struct mk_error *err)
{
    double x[SPREAD_POINTS];
    mk_survival_spaced(from, to, SPREAD_POINTS, x);
    survival_axes(plot, "Survival functions");
    return mk_problem_view_spread(plot, p, x, SPREAD_POINTS, survival, err);
}

static int spread_ratio(const struct mk_problem *p, double widest, struct mk_plot *plot, struct mk_error *err)
{
    double x[SPREAD_POINTS];
    for (size_t i = 0; i < SPREAD_POINTS; i++) x[i] = widest * pow(nearest, 1 - (double)i / (SPREAD_POINTS - 1));
    ratio_axes(plot, "b: the upper end point of each arm");
    return mk_problem_view_spread(plot, p, x, SPREAD_POINTS, ratio, err);
}

/* The share of the n values that are at most x, against x; reorders them. */
static int add_shares(struct mk_plot *p, double *value, size_t n, struct mk_error *err)
{
    enum { SHARES = 201 };
    struct mk_curve *c = mk_plot_add(p, "", SHARES, 0);
    if (!c) return mk_fail_memory(err, "figure");
    c->width = 1.4;
    mk_sort_values(value, n);
    for (size_t k = 0; k < SHARES && n > 0; k++) {
        const double share = (double)k / (SHARES - 1);
        mk_curve_point(c, k, mk_quantile_sorted(value, n, share), share);
    }
    return MK_OK;
}

/* Exact L and U of every arm, or of every m-th one. */
static int share_constants(const struct mk_problem *p, struct mk_plot *plot, struct mk_error *err)
{
    const size_t step = (p->n_arms + WITH_CONSTANTS - 1) / WITH_CONSTANTS;
    double value[2][WITH_CONSTANTS];
    size_t n = 0;
    for (size_t k = 0; k < p->n_arms; k += step) {
        struct mk_lu lu;
        if (!is_bounded(p, k)) continue;
        int code = mk_lu_exact(p->dist[k], NAN, &lu, err);
        if (code) return code;
        value[0][n] = lu.L;
        value[1][n++] = lu.U;
    }
    for (int side = 0; side < 2; side++) {
        const char *what = side ? "U" : "L";
        snprintf(plot[side].title, sizeof plot[side].title, "%s, exact, of %zu arms", what, n);
        snprintf(plot[side].x.label, sizeof plot[side].x.label, "%s", what);
        snprintf(plot[side].y.label, sizeof plot[side].y.label, "share of arms with at most this %s", what);
        plot[side].x.log = side;
        plot[side].y.lo = 0;
        plot[side].y.hi = 1.02;
        int code = add_shares(&plot[side], value[side], n, err);
        if (code) return code;
    }
    return MK_OK;
}

static int draw_many(const struct mk_problem_view *g, struct mk_error *err)
{
    struct mk_panels *panels = mk_problem_view_panels(g, 2, 2, 3.5, 1.75, "distribution over the arms");
    double from, to, widest;
    if (!panels) return mk_fail_memory(err, "figure");
    ranges_of(g->problem, &from, &to, &widest);
    int code = spread_survival(g->problem, from, to, &panels->plot[0], err);
    if (!code && widest > 0) code = spread_ratio(g->problem, widest, &panels->plot[1], err);
    if (!code && widest > 0) code = share_constants(g->problem, &panels->plot[2], err);
    return mk_figure_output_panels(&g->to, panels, "many_arms", code, err);
}

const struct mk_problem_figure mk_problem_figure_many_arms = {
    "many_arms",
    "survival functions, G(b - eps) / eps, L and U: their distribution over the arms; more than 100 known arms",
    many_apply, draw_many};
