/* Skewness per rank (Section 3 of Balef et al. 2025: left-skewed rewards) and the drift of the best arm per instance
 * (Appendix E.3, top of Figure E.6), sorted, next to what an arm without drift would show. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/figures/problem_view.h"
#include "analysis/plot/plot_boxes.h"
#include "sim/base/error.h"

static bool applies(const struct mk_problem_view *g)
{
    return g->survey != NULL;
}

static int draw_skewness(const struct mk_problem_view *g, struct mk_plot *p, struct mk_error *err)
{
    size_t ranks = g->survey->n_ranks, left = 0, arms = 0;
    struct mk_box_group *group = mk_box_groups_new(ranks, g->problem->n_instances);
    if (!group) return mk_fail_memory(err, "figure");
    for (size_t i = 0; i < g->problem->n_instances; i++)
        for (size_t r = 0; r < g->problem->instance[i].n_arms; r++) {
            double skewness = mk_survey_at(g->survey, i, r)->skewness;
            mk_box_group_add(&group[r], skewness);
            arms++;
            left += skewness < 0;
        }
    int code = mk_plot_boxes(p, group, ranks, 0, err);
    mk_box_groups_free(group, ranks);
    if (code) return code;
    struct mk_curve *zero = mk_problem_view_curve(p, "", 2, 4, 0.6, 0.5);
    if (!zero) return mk_fail_memory(err, "figure");
    p->x.lo = zero->x[0] = 0.5;
    p->x.hi = zero->x[1] = (double)ranks + 0.5;
    zero->y[0] = zero->y[1] = 0;
    snprintf(p->title, sizeof p->title, "Skewness: %zu of %zu arms left-skewed", left, arms);
    snprintf(p->x.label, sizeof p->x.label, "rank");
    p->x.whole = 1;
    snprintf(p->y.label, sizeof p->y.label, "skewness");
    return MK_OK;
}

static int by_shift(const void *left, const void *right)
{
    const struct mk_survey_arm *a = *(const struct mk_survey_arm *const *)left,
                               *b = *(const struct mk_survey_arm *const *)right;
    return (a->shift > b->shift) - (a->shift < b->shift);
}

static int draw_drift(const struct mk_problem_view *g, struct mk_plot *p, struct mk_error *err)
{
    size_t n = 0;
    const struct mk_survey_arm **best = malloc((g->problem->n_instances + 1) * sizeof *best);
    if (!best) return mk_fail_memory(err, "figure");
    for (size_t i = 0; i < g->problem->n_instances; i++) {
        const struct mk_survey_arm *a = mk_survey_at(g->survey, i, 0);
        if (!isnan(a->shift)) best[n++] = a;
    }
    qsort(best, n, sizeof *best, by_shift);
    struct mk_curve *noise = mk_problem_view_curve(p, "standard error without drift", n, 4, 1, 0);
    struct mk_curve *shift = noise ? mk_problem_view_curve(p, "largest change of the mean", n, 1, 1, 0) : NULL;
    if (shift) {
        noise = &p->curve[0];
        noise->style = shift->style = MK_CURVE_POINTS;
        noise->faint = 0.5;
        for (size_t i = 0; i < n; i++) {
            mk_curve_point(noise, i, (double)i + 1, best[i]->shift_noise);
            mk_curve_point(shift, i, (double)i + 1, best[i]->shift);
        }
    }
    free(best);
    snprintf(p->title, sizeof p->title, "Drift of the best arm per %d pulls", MK_SURVEY_BLOCK);
    mk_plot_axes(p, "instance, by drift", "change of the mean");
    p->x.whole = 1;
    p->y.lo = 0;
    return shift ? MK_OK : mk_fail_memory(err, "figure");
}

static int draw(const struct mk_problem_view *g, struct mk_error *err)
{
    struct mk_panels *panels =
        mk_problem_view_panels(g, 1, 2, 3.5, 1.75, "rewards normalised per instance and repetition; arms by rank");
    if (!panels) return mk_fail_memory(err, "figure");
    int code = draw_skewness(g, &panels->plot[0], err);
    if (!code) code = draw_drift(g, &panels->plot[1], err);
    return mk_figure_output_panels(&g->to, panels, "shape", code, err);
}

const struct mk_problem_figure mk_problem_figure_shape = {
    "shape", "skewness per rank, drift of the best arm; recorded runs", applies, draw};
