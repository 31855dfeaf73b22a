/* Figures 3 (left, middle) and 4 (Balef et al. 2025): L and U of the averaged survival functions per rank, and of every
 * instance. Rewards between 0 and 1, upper end 1, trimmed ranges. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analysis/arms/pooled_rewards.h"
#include "analysis/figures/problem_view.h"
#include "analysis/plot/plot_boxes.h"
#include "sim/base/error.h"

enum { POINTS = 201, BLUE = 0, RED = 1 };

static const double nearest = 1e-4; /* smallest eps drawn */

static bool applies(const struct mk_problem_view *g)
{
    return g->survey != NULL;
}

static void rank_axes(const struct mk_problem_view *g, struct mk_plot *p, const char *title, const char *y)
{
    snprintf(p->title, sizeof p->title, "%s", title);
    snprintf(p->x.label, sizeof p->x.label, "rank");
    p->x.whole = 1;
    snprintf(p->y.label, sizeof p->y.label, "%s", y);
    p->x.lo = 0.5;
    p->x.hi = (double)g->survey->n_ranks + 0.5;
    p->y.log = 1;
}

/* The ratio of one averaged curve with its L and U. */
static int draw_average(const struct mk_problem_view *g, struct mk_plot *p, size_t i, struct mk_error *err)
{
    char label[32];
    struct mk_average a;
    struct mk_lu lu;
    snprintf(label, sizeof label, "rank %zu", g->rank[i] + 1);
    struct mk_curve *ratio = mk_problem_view_curve(p, label, POINTS, (int)i, 1, 0);
    struct mk_curve *ends = ratio ? mk_problem_view_curve(p, "", 2, (int)i, 1, 0) : NULL;
    if (!ends) return mk_fail_memory(err, "figure");
    ratio = &p->curve[p->n_curves - 2];
    ends->style = MK_CURVE_POINTS;
    int code = mk_survey_average(g->survey, g->rank[i], -1, &a, err);
    if (code) return code;
    struct mk_eps_range range = mk_average_range(&a, 1);
    mk_average_lu(&a, 1, &lu);
    if (isinf(lu.U)) snprintf(ratio->label, sizeof ratio->label, "%s, U = ∞", label);
    double from = fmax(range.lo, nearest), factor = log(fmax(range.hi, from) / from) / (POINTS - 1);
    for (size_t k = 0; k < POINTS; k++) {
        ratio->x[k] = from * exp(factor * (double)k);
        ratio->y[k] = mk_average_at(&a, 1 - ratio->x[k]) / ratio->x[k];
    }
    mk_average_clear(&a);
    for (int side = 0; side < 2; side++) {
        double value = side ? lu.U : lu.L;
        ends->x[side] = fmax(side ? lu.eps_U : lu.eps_L, nearest);
        ends->y[side] = isfinite(value) && value > 0 ? value : NAN;
    }
    return MK_OK;
}

static int draw_averages(const struct mk_problem_view *g, struct mk_plot *p, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t i = 0; i < g->n_ranks && !code; i++) code = draw_average(g, p, i, err);
    snprintf(p->title, sizeof p->title, "Averaged curves; points: L and U");
    mk_plot_axes(p, "ε", "G(1 − ε) / ε");
    p->x.log = p->y.log = 1;
    return code;
}

static int draw_instances(const struct mk_problem_view *g, struct mk_plot *plot, struct mk_box_group *L,
                          struct mk_box_group *U, struct mk_error *err)
{
    size_t ranks = g->survey->n_ranks, unlimited[2] = {0, 0}, arms = 0;
    char title[2][MK_PLOT_TEXT];
    for (size_t i = 0; i < g->problem->n_instances; i++) {
        struct mk_pooled_rewards *pool = NULL;
        int code = mk_pooled_rewards_new(&pool, g->problem, i, 0, 0, "", err);
        if (code) return code;
        for (size_t r = 0; r < pool->n_arms; r++) {
            size_t k = mk_survey_at(g->survey, i, r)->position;
            struct mk_lu lu;
            mk_lu_plugin(pool->sorted[k], pool->n[k], 1, mk_eps_range_sample(pool->sorted[k], pool->n[k], 1), &lu);
            mk_box_group_add(&L[r], lu.L);
            mk_box_group_add(&U[r], lu.U);
            unlimited[0] += isinf(lu.L) != 0;
            unlimited[1] += isinf(lu.U) != 0;
            arms++;
        }
        mk_pooled_rewards_free(pool);
    }
    for (int side = 0; side < 2; side++) {
        snprintf(title[side], sizeof title[side], "%s of every instance", side ? "U" : "L");
        size_t n = strlen(title[side]);
        if (unlimited[side])
            snprintf(title[side] + n, sizeof title[side] - n, " (∞: %zu of %zu)", unlimited[side], arms);
        rank_axes(g, &plot[side], title[side], side ? "U" : "L");
        int code = mk_plot_boxes(&plot[side], side ? U : L, ranks, side ? RED : BLUE, err);
        if (code) return code;
    }
    return MK_OK;
}

static int draw(const struct mk_problem_view *g, struct mk_error *err)
{
    size_t ranks = g->survey->n_ranks;
    struct mk_box_group *L = mk_box_groups_new(ranks, g->problem->n_instances),
                        *U = mk_box_groups_new(ranks, g->problem->n_instances);
    struct mk_panels *panels = mk_problem_view_panels(g, 1, 3, 2.6, 1.75, "L and U with upper end 1, trimmed range");
    int code = L && U && panels ? MK_OK : mk_fail_memory(err, "figure");
    if (!code) code = draw_averages(g, &panels->plot[0], err);
    if (!code) code = draw_instances(g, &panels->plot[1], L, U, err);
    mk_box_groups_free(L, ranks);
    mk_box_groups_free(U, ranks);
    return mk_figure_output_panels(&g->to, panels, "lu", code, err);
}

const struct mk_problem_figure mk_problem_figure_lu = {
    "lu", "L and U of the averaged survival functions per rank and of every instance; recorded runs", applies, draw};
