/* Figures 2 and C.1 (Balef et al. 2025): the average survival function per rank with its five time segments, the best
 * and the worst arm of every instance, and the gaps per rank. Rewards between 0 and 1 per instance and repetition. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/arms/pooled_rewards.h"
#include "analysis/figures/problem_view.h"
#include "analysis/plot/plot_boxes.h"
#include "analysis/theory/survival.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

enum { POINTS = 301, THIN_POINTS = 101 };

static bool applies(const struct mk_problem_view *g)
{
    return g->survey != NULL;
}

static void survival_axes(struct mk_plot *p, const char *title, const char *y)
{
    snprintf(p->title, sizeof p->title, "%s", title);
    mk_plot_axes(p, "normalised reward x", y);
    p->x.lo = p->y.lo = 0;
    p->x.hi = p->y.hi = 1;
}

static void sample_average(const struct mk_average *a, size_t n, double *x, double *y)
{
    mk_survival_spaced(0, 1, n, x);
    for (size_t i = 0; i < n; i++) y[i] = mk_average_at(a, x[i]);
}

static int draw_rank(const struct mk_problem_view *g, struct mk_plot *p, size_t i, struct mk_error *err)
{
    char label[32];
    struct mk_average a;
    int code = MK_OK;
    snprintf(label, sizeof label, "rank %zu", g->rank[i] + 1);
    /* One curve for all segments: a NaN breaks the line. */
    struct mk_curve *thin =
        mk_problem_view_curve(p, "", (size_t)MK_SURVEY_SEGMENTS * (THIN_POINTS + 1), (int)i, 0.5, 0.45);
    if (!thin) return mk_fail_memory(err, "figure");
    for (int s = 0; s < MK_SURVEY_SEGMENTS && !code; s++) {
        size_t at = (size_t)s * (THIN_POINTS + 1);
        code = mk_survey_average(g->survey, g->rank[i], s, &a, err);
        if (code) return code;
        if (a.n) sample_average(&a, THIN_POINTS, thin->x + at, thin->y + at);
        mk_average_clear(&a);
    }
    struct mk_curve *bold = mk_problem_view_curve(p, label, POINTS, (int)i, 1.4, 0);
    if (!bold) return mk_fail_memory(err, "figure");
    code = mk_survey_average(g->survey, g->rank[i], -1, &a, err);
    if (code) return code;
    sample_average(&a, POINTS, bold->x, bold->y);
    mk_average_clear(&a);
    return MK_OK;
}

/* Curves: thin best, thin worst, mean best, mean worst. */
static void add_instance(struct mk_curve *thin, struct mk_curve *mean, size_t instance, size_t instances,
                         const struct mk_pooled_rewards *pool, size_t position)
{
    size_t at = instance * (THIN_POINTS + 1);
    mk_survival_spaced(0, 1, THIN_POINTS, thin->x + at);
    for (size_t i = 0; i < THIN_POINTS; i++)
        thin->y[at + i] = mk_survival_empirical(pool->sorted[position], pool->n[position], thin->x[at + i]);
    for (size_t i = 0; i < POINTS; i++)
        mean->y[i] += mk_survival_empirical(pool->sorted[position], pool->n[position], mean->x[i]) / (double)instances;
}

static int draw_extremes(const struct mk_problem_view *g, struct mk_plot *p, struct mk_error *err)
{
    static const char *const label[] = {"best arm", "worst arm"};
    size_t instances = g->problem->n_instances;
    for (int side = 0; side < 2; side++)
        if (!mk_problem_view_curve(p, "", instances * (THIN_POINTS + 1), 1 - side, 0.4, 0.75))
            return mk_fail_memory(err, "figure");
    for (int side = 0; side < 2; side++) {
        struct mk_curve *mean = mk_problem_view_curve(p, label[side], POINTS, 1 - side, 1.8, 0);
        if (!mean) return mk_fail_memory(err, "figure");
        mk_survival_spaced(0, 1, POINTS, mean->x);
        for (size_t i = 0; i < POINTS; i++) mean->y[i] = 0;
    }
    for (size_t i = 0; i < instances; i++) {
        struct mk_pooled_rewards *pool = NULL;
        int code = mk_pooled_rewards_new(&pool, g->problem, i, 0, 0, "", err);
        if (code) return code;
        for (int side = 0; side < 2; side++) {
            size_t rank = side ? g->problem->instance[i].n_arms - 1 : 0;
            add_instance(&p->curve[side], &p->curve[2 + side], i, instances, pool,
                         mk_survey_at(g->survey, i, rank)->position);
        }
        mk_pooled_rewards_free(pool);
    }
    return MK_OK;
}

static int draw_gaps(const struct mk_problem_view *g, struct mk_plot *p, struct mk_error *err)
{
    size_t ranks = g->survey->n_ranks;
    struct mk_box_group *group = mk_box_groups_new(ranks, g->problem->n_instances);
    if (!group) return mk_fail_memory(err, "figure");
    for (size_t i = 0; i < g->problem->n_instances; i++)
        for (size_t r = 0; r < g->problem->instance[i].n_arms; r++)
            mk_box_group_add(&group[r], mk_survey_at(g->survey, i, r)->gap);
    int code = mk_plot_boxes(p, group, ranks, 0, err);
    mk_box_groups_free(group, ranks);
    snprintf(p->title, sizeof p->title, "Gap to the best arm");
    snprintf(p->x.label, sizeof p->x.label, "rank");
    p->x.whole = 1;
    snprintf(p->y.label, sizeof p->y.label, "Δ (normalised)");
    p->x.lo = 0.5;
    p->x.hi = (double)ranks + 0.5;
    return code;
}

static int draw(const struct mk_problem_view *g, struct mk_error *err)
{
    char subtitle[MK_PLOT_TEXT], counted[MK_COUNTED_ROOM];
    snprintf(subtitle, sizeof subtitle, "%s, rewards normalised per instance and repetition; arms by rank",
             mk_counted(g->problem->n_instances, "instance", NULL, counted));
    struct mk_panels *panels = mk_problem_view_panels(g, 1, 3, 2.6, 1.75, subtitle);
    if (!panels) return mk_fail_memory(err, "figure");
    int code = MK_OK;
    survival_axes(&panels->plot[0], "Per rank; thin: five time segments", "G(x) = P(X ≥ x)");
    for (size_t i = 0; i < g->n_ranks && !code; i++) code = draw_rank(g, &panels->plot[0], i, err);
    survival_axes(&panels->plot[1], "Average; thin: every instance", "G(x)");
    if (!code) code = draw_extremes(g, &panels->plot[1], err);
    if (!code) code = draw_gaps(g, &panels->plot[2], err);
    return mk_figure_output_panels(&g->to, panels, "survey", code, err);
}

const struct mk_problem_figure mk_problem_figure_survey = {
    "survey", "average survival functions per rank with five time segments, best and worst arms, gaps; recorded runs",
    applies, draw};
