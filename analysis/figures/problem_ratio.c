/* Figures C.4 to C.7 and 4 (Balef et al. 2025): G(1 - eps) / eps of every instance over its trimmed range, with L and U
 * where they are attained, and the histograms of L and U, per rank. Rewards between 0 and 1, upper end 1. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/arms/pooled_rewards.h"
#include "analysis/figures/problem_view.h"
#include "analysis/plot/plot_boxes.h"
#include "analysis/theory/survival.h"
#include "sim/base/error.h"

enum { POINTS = 80, BINS = 24, BLUE = 0, RED = 1, ORANGE = 5 };

static const double nearest = 1e-4; /* smallest eps drawn */
static const double eps_tics[] = {1e-4, 1e-2, 1};

static bool applies(const struct mk_problem_view *g)
{
    return g->survey != NULL;
}

/* L and U per shown rank. */
struct tally {
    struct mk_box_group *L, *U; /* [n_ranks] finite ones */
    size_t n[MK_VIEW_RANKS], unlimited[MK_VIEW_RANKS];
};

static void add_curve(struct mk_plot *p, size_t instance, const double *sorted, size_t n, struct tally *t, size_t i)
{
    struct mk_curve *ratio = &p->curve[0], *L = &p->curve[1], *U = &p->curve[2];
    struct mk_eps_range range = mk_eps_range_sample(sorted, n, 1);
    struct mk_lu lu;
    mk_lu_plugin(sorted, n, 1, range, &lu);
    double from = fmax(range.lo, nearest), factor = log(fmax(range.hi, from) / from) / (POINTS - 1);
    for (size_t k = 0; k < POINTS; k++) {
        size_t at = instance * (POINTS + 1) + k;
        double eps = k + 1 == POINTS ? fmax(range.hi, from) : from * exp(factor * (double)k);
        mk_curve_point(ratio, at, eps, mk_survival_empirical(sorted, n, 1 - eps) / eps);
    }
    if (isfinite(lu.L) && lu.L > 0) mk_curve_point(L, instance, fmax(lu.eps_L, nearest), lu.L);
    if (isfinite(lu.U)) mk_curve_point(U, instance, fmax(lu.eps_U, nearest), lu.U);
    t->n[i]++;
    t->unlimited[i] += isinf(lu.U) != 0;
    mk_box_group_add(&t->L[i], lu.L);
    mk_box_group_add(&t->U[i], lu.U);
}

static int prepare(const struct mk_problem_view *g, struct mk_plot *p, struct mk_error *err)
{
    size_t n = g->problem->n_instances;
    struct mk_curve *ratio = mk_problem_view_curve(p, "", n * (POINTS + 1), ORANGE, 0.4, 0.55);
    struct mk_curve *L = mk_problem_view_curve(p, "L", n, BLUE, 1, 0), *U = mk_problem_view_curve(p, "U", n, RED, 1, 0);
    if (!ratio || !L || !U) return mk_fail_memory(err, "figure");
    p->curve[1].style = p->curve[2].style = MK_CURVE_POINTS;
    mk_plot_axes(p, "ε", "G(1 − ε) / ε");
    p->x.log = p->y.log = 1;
    p->x.tics = eps_tics;
    p->x.n_tics = sizeof eps_tics / sizeof *eps_tics;
    return MK_OK;
}

static int fill(const struct mk_problem_view *g, struct mk_plot *top, struct tally *t, struct mk_error *err)
{
    for (size_t i = 0; i < g->problem->n_instances; i++) {
        struct mk_pooled_rewards *pool = NULL;
        int code = mk_pooled_rewards_new(&pool, g->problem, i, 0, 0, "", err);
        if (code) return code;
        for (size_t r = 0; r < g->n_ranks; r++) {
            const struct mk_survey_arm *a = mk_survey_at(g->survey, i, g->rank[r]);
            if (a) add_curve(&top[r], i, pool->sorted[a->position], pool->n[a->position], t, r);
        }
        mk_pooled_rewards_free(pool);
    }
    return MK_OK;
}

/* One range for all ranks, so that their columns are comparable. */
static void share_range(const struct mk_problem_view *g, struct mk_plot *plot)
{
    struct mk_axis_range x = {1, INFINITY, 0}, y = x;
    for (size_t r = 0; r < g->n_ranks; r++) {
        struct mk_axis_range one = mk_plot_range_x(&plot[r]), other = mk_plot_range_y(&plot[r]);
        x.lo = fmin(x.lo, one.lo);
        x.hi = fmax(x.hi, one.hi);
        y.lo = fmin(y.lo, other.lo);
        y.hi = fmax(y.hi, other.hi);
    }
    for (size_t r = 0; r < g->n_ranks; r++) {
        plot[r].x.lo = x.lo;
        plot[r].x.hi = x.hi;
        plot[r].y.lo = y.lo;
        plot[r].y.hi = y.hi;
    }
}

/* Only powers of ten if there are at least two of them: columns are narrow. */
static void choose_tics(struct mk_axis *x)
{
    static const double power[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    const size_t n = sizeof power / sizeof *power;
    size_t first = 0, end = n;
    while (first < n && power[first] < x->lo) first++;
    while (end > first && power[end - 1] > x->hi) end--;
    x->tics = power + first;
    x->n_tics = end - first;
}

static int draw_histograms(const struct mk_problem_view *g, struct mk_plot *plot, const struct mk_box_group *group,
                           const char *what, int look, struct mk_error *err)
{
    double low = INFINITY, high = 0, most = 0;
    for (size_t r = 0; r < g->n_ranks; r++)
        for (size_t k = 0; k < group[r].n; k++) {
            if (group[r].value[k] > 0) low = fmin(low, group[r].value[k]);
            high = fmax(high, group[r].value[k]);
        }
    if (!(low <= high)) return MK_OK;
    if (high < 4 * low) {
        low /= 2;
        high *= 2;
    }
    for (size_t r = 0; r < g->n_ranks; r++) {
        int code = mk_plot_log_histogram(&plot[r], &group[r], low, high, BINS, look, err);
        if (code) return code;
        for (size_t k = 0; k < BINS; k++) most = fmax(most, plot[r].curve[0].hi[k]);
        snprintf(plot[r].x.label, sizeof plot[r].x.label, "%s", what);
        if (r == 0) snprintf(plot[r].y.label, sizeof plot[r].y.label, "instances");
        plot[r].x.log = 1;
        plot[r].x.lo = low;
        plot[r].x.hi = high;
        plot[r].y.lo = 0;
        plot[r].y.whole = 1;
        choose_tics(&plot[r].x);
    }
    for (size_t r = 0; r < g->n_ranks; r++) plot[r].y.hi = 1.05 * most;
    return MK_OK;
}

static void name_columns(const struct mk_problem_view *g, struct mk_plot *plot, const struct tally *t)
{
    for (size_t r = 0; r < g->n_ranks; r++) {
        snprintf(plot[r].title, sizeof plot[r].title, "rank %zu", g->rank[r] + 1);
        if (t->unlimited[r])
            snprintf(plot[2 * g->n_ranks + r].title, sizeof plot[r].title, "U = ∞: %zu of %zu", t->unlimited[r],
                     t->n[r]);
        if (r) plot[r].y.label[0] = '\0';
    }
}

static int draw(const struct mk_problem_view *g, struct mk_error *err)
{
    struct tally t = {mk_box_groups_new(g->n_ranks, g->problem->n_instances),
                      mk_box_groups_new(g->n_ranks, g->problem->n_instances),
                      {0},
                      {0}};
    struct mk_panels *panels =
        mk_problem_view_panels(g, 3, g->n_ranks, g->n_ranks > 3 ? 1.75 : 2.4, 1.2,
                               "G(1 − ε)/ε of every instance over its trimmed range; L and U; their histograms");
    int code = t.L && t.U && panels ? MK_OK : mk_fail_memory(err, "figure");
    for (size_t r = 0; r < g->n_ranks && !code; r++) code = prepare(g, &panels->plot[r], err);
    if (!code) code = fill(g, panels->plot, &t, err);
    if (!code) {
        share_range(g, panels->plot);
        code = draw_histograms(g, panels->plot + g->n_ranks, t.L, "L", BLUE, err);
    }
    if (!code) code = draw_histograms(g, panels->plot + 2 * g->n_ranks, t.U, "U", RED, err);
    if (!code) name_columns(g, panels->plot, &t);
    size_t finite = 0; /* none is if every arm is constant */
    for (size_t r = 0; r < g->n_ranks && !code; r++) finite += t.L[r].n + t.U[r].n;
    mk_box_groups_free(t.L, g->n_ranks);
    mk_box_groups_free(t.U, g->n_ranks);
    if (finite || code) return mk_figure_output_panels(&g->to, panels, "ratio", code, err);
    mk_panels_free(panels);
    return MK_OK;
}

const struct mk_problem_figure mk_problem_figure_ratio = {
    "ratio", "G(1 - eps) / eps per instance, histograms of L and U per rank; recorded runs", applies, draw};
