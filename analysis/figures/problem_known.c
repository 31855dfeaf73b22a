/* Figures C.2, C.3 and 3 (right) (Balef et al. 2025): arms with known distributions: survival functions, the ratio
 * G(b - eps) / eps with L and U, and the estimators of both side by side. */
#include <math.h>
#include <stdio.h>

#include "analysis/arms/arm_choice.h"
#include "analysis/arms/lu_arm.h"
#include "analysis/arms/pooled_rewards.h"
#include "analysis/figures/problem_view.h"
#include "analysis/theory/published_lu.h"
#include "analysis/theory/survival.h"
#include "sim/base/error.h"

enum { POINTS = 401, DRAWS = 1000, RUNS = 1000, WITH_LINES = 3 };

static const double nearest = 1e-4; /* smallest eps drawn, in units of b - a */

/* L and U require finite upper end points; other figures show unbounded arms. */
static bool is_bounded(const struct mk_problem_view *g, size_t k)
{
    double low, high;
    mk_dist_support(g->problem->dist[k], &low, &high);
    return isfinite(high) && isfinite(low) && low < high;
}

static bool applies(const struct mk_problem_view *g)
{
    if (!mk_problem_has(g->problem, MK_HAS_DISTRIBUTIONS) || g->problem->n_arms > MK_MANY_ARMS) return false;
    for (size_t k = 0; k < g->problem->n_arms; k++)
        if (is_bounded(g, k)) return true;
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
        if (!lines || !is_bounded(g, k)) continue;
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
    snprintf(p->title, sizeof p->title, lines ? "Survival functions; thin: L ε and U ε" : "Survival functions");
    mk_plot_axes(p, "reward x", "G(x) = P(X ≥ x)");
    p->y.lo = 0;
    p->y.hi = 1.02;
    return MK_OK;
}

/* The exact extrema as points; the limit eps -> 0 is placed at the left end. */
static int mark_extrema(const struct mk_problem_view *g, struct mk_plot *p, size_t k, double least,
                        struct mk_error *err)
{
    struct mk_lu lu;
    int code = mk_lu_exact(g->problem->dist[k], NAN, &lu, err);
    if (code) return code;
    struct mk_curve *c = mk_problem_view_curve(p, "", 2, (int)k, 1, 0);
    if (!c) return mk_fail_memory(err, "figure");
    c->style = MK_CURVE_POINTS;
    for (int side = 0; side < 2; side++) {
        double value = side ? lu.U : lu.L;
        c->x[side] = fmax(side ? lu.eps_U : lu.eps_L, least);
        c->y[side] = isfinite(value) && value > 0 ? value : NAN;
    }
    return MK_OK;
}

static int draw_ratio(const struct mk_problem_view *g, struct mk_plot *p, struct mk_error *err)
{
    for (size_t k = 0; k < g->problem->n_arms; k++) {
        const struct mk_dist *d = g->problem->dist[k];
        double low, high;
        if (!is_bounded(g, k)) continue;
        mk_dist_support(d, &low, &high);
        struct mk_curve *c = mk_problem_view_curve(p, "", POINTS, (int)k, 1.4, 0);
        if (!c) return mk_fail_memory(err, "figure");
        double least = nearest * (high - low);
        for (size_t i = 0; i < POINTS; i++) {
            double eps = i + 1 == POINTS ? high - low : least * pow(1 / nearest, (double)i / (POINTS - 1));
            double ratio = (i + 1 == POINTS ? 1 : mk_dist_survival(d, high - eps)) / eps;
            mk_curve_point(c, i, eps, ratio > 0 ? ratio : NAN);
        }
        int code = mark_extrema(g, p, k, least, err);
        if (code) return code;
    }
    snprintf(p->title, sizeof p->title, "Points: L and U over the whole range");
    mk_plot_axes(p, "ε", "G(b − ε) / ε");
    p->x.log = p->y.log = 1;
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
        if (!is_bounded(g, k)) continue;
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

static int draw(const struct mk_problem_view *g, struct mk_error *err)
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
    applies, draw};
