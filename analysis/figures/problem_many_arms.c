/* Many arms with known distributions: how their survival functions, the ratio G(b - eps) / eps, and the constants L
 * and U (Lemma 3.3 of Balef et al. 2025) are distributed over the arms. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/arms/arm_choice.h"
#include "analysis/figures/problem_view.h"
#include "analysis/plot/plot_spread.h"
#include "analysis/theory/lu.h"
#include "analysis/theory/survival.h"
#include "sim/base/error.h"

enum { POINTS = 101, WITH_CONSTANTS = 1000 };

static const double nearest = 1e-4; /* smallest eps drawn, in units of the largest b - a */

static bool applies(const struct mk_problem_view *g)
{
    return mk_problem_has(g->problem, MK_HAS_DISTRIBUTIONS) && g->problem->n_arms > MK_MANY_ARMS;
}

static double survival(const void *context, size_t arm, double x)
{
    const struct mk_problem *p = context;
    return mk_dist_survival(p->dist[arm], x);
}

/* NaN where an end is infinite. */
static double ratio(const void *context, size_t arm, double eps)
{
    const struct mk_problem *p = context;
    double low, high;
    mk_dist_support(p->dist[arm], &low, &high);
    if (!isfinite(low) || !isfinite(high) || !(low < high)) return NAN;
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

static int draw_survival(const struct mk_problem *p, double from, double to, struct mk_plot *plot, struct mk_error *err)
{
    double x[POINTS];
    mk_survival_spaced(from, to, POINTS, x);
    snprintf(plot->title, sizeof plot->title, "Survival functions");
    mk_plot_axes(plot, "reward x", "G(x) = P(X ≥ x)");
    plot->y.lo = 0;
    plot->y.hi = 1.02;
    return mk_plot_spread(plot, x, POINTS, "arms", p->n_arms, survival, p, err);
}

static int draw_ratio(const struct mk_problem *p, double widest, struct mk_plot *plot, struct mk_error *err)
{
    double x[POINTS];
    for (size_t i = 0; i < POINTS; i++) x[i] = widest * pow(nearest, 1 - (double)i / (POINTS - 1));
    snprintf(plot->title, sizeof plot->title, "b: the upper end point of each arm");
    mk_plot_axes(plot, "ε", "G(b − ε) / ε");
    plot->x.log = plot->y.log = 1;
    return mk_plot_spread(plot, x, POINTS, "arms", p->n_arms, ratio, p, err);
}

/* Exact L and U of every arm, or of every m-th one. */
static int draw_constants(const struct mk_problem *p, struct mk_plot *plot, struct mk_error *err)
{
    const size_t step = (p->n_arms + WITH_CONSTANTS - 1) / WITH_CONSTANTS;
    double value[2][WITH_CONSTANTS];
    size_t n = 0;
    for (size_t k = 0; k < p->n_arms; k += step) {
        struct mk_lu lu;
        double low, high;
        mk_dist_support(p->dist[k], &low, &high);
        if (!isfinite(low) || !isfinite(high) || !(low < high)) continue;
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
        int code = mk_plot_shares(&plot[side], value[side], n, err);
        if (code) return code;
    }
    return MK_OK;
}

static int draw(const struct mk_problem_view *g, struct mk_error *err)
{
    struct mk_panels *panels = mk_problem_view_panels(g, 2, 2, 3.5, 1.75, "distribution over the arms");
    double from, to, widest;
    if (!panels) return mk_fail_memory(err, "figure");
    ranges_of(g->problem, &from, &to, &widest);
    int code = draw_survival(g->problem, from, to, &panels->plot[0], err);
    if (!code && widest > 0) code = draw_ratio(g->problem, widest, &panels->plot[1], err);
    if (!code && widest > 0) code = draw_constants(g->problem, &panels->plot[2], err);
    return mk_figure_output_panels(&g->to, panels, "many_arms", code, err);
}

const struct mk_problem_figure mk_problem_figure_many_arms = {
    "many_arms",
    "survival functions, G(b - eps) / eps, L and U: their distribution over the arms; more than 100 known arms",
    applies, draw};
