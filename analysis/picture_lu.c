/* Figures 3 (left, middle) and 4 (Balef et al. 2025): L and U of the averaged survival functions per rank, and of every
 * instance. Rewards between 0 and 1, upper end 1, trimmed ranges. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/gallery.h"
#include "analysis/plot_boxes.h"
#include "analysis/pool.h"

enum { BLUE = 0, RED = 1 };

static int applies(const struct mk_gallery *g)
{
    return g->survey != NULL;
}

static void rank_axes(const struct mk_gallery *g, struct mk_plot *p, const char *title, const char *y)
{
    snprintf(p->title, sizeof p->title, "%s", title);
    snprintf(p->x.label, sizeof p->x.label, "rank");
    snprintf(p->y.label, sizeof p->y.label, "%s", y);
    p->x.lo = 0.5;
    p->x.hi = (double)g->survey->n_ranks + 0.5;
    p->y.log = 1;
}

static int draw_averages(const struct mk_gallery *g, struct mk_plot *p, struct mk_error *err)
{
    size_t ranks = g->survey->n_ranks, unlimited = 0;
    if (!mk_gallery_curve(p, "L", ranks, BLUE, 1, 0) || !mk_gallery_curve(p, "U", ranks, RED, 1, 0))
        return mk_fail_memory(err, "figure");
    p->curve[0].style = p->curve[1].style = MK_CURVE_LINE_POINTS;
    for (size_t r = 0; r < ranks; r++) {
        struct mk_average a;
        struct mk_lu lu;
        int code = mk_survey_average(g->survey, r, -1, &a, err);
        if (code) return code;
        mk_average_lu(&a, 1, &lu);
        mk_average_clear(&a);
        for (int side = 0; side < 2; side++) {
            double value = side ? lu.U : lu.L;
            p->curve[side].x[r] = (double)r + 1;
            p->curve[side].y[r] = isfinite(value) ? value : NAN;
        }
        unlimited += isinf(lu.U) != 0;
    }
    rank_axes(g, p, "Averaged curves", "L, U");
    if (unlimited) {
        size_t n = strlen(p->title);
        snprintf(p->title + n, sizeof p->title - n, " (U = ∞: %zu of %zu)", unlimited, ranks);
    }
    return MK_OK;
}

static int draw_instances(const struct mk_gallery *g, struct mk_plot *plot, struct mk_group *L, struct mk_group *U,
                          struct mk_error *err)
{
    size_t ranks = g->survey->n_ranks, unlimited[2] = {0, 0}, arms = 0;
    char title[2][MK_PLOT_TEXT];
    for (size_t i = 0; i < g->problem->n_instances; i++) {
        struct mk_pool *pool = NULL;
        int code = mk_pool_new(&pool, g->problem, i, 0, 0, "", err);
        if (code) return code;
        for (size_t r = 0; r < pool->n_arms; r++) {
            size_t k = mk_survey_at(g->survey, i, r)->position;
            struct mk_lu lu;
            mk_lu_plugin(pool->sorted[k], pool->n[k], 1, mk_eps_range_sample(pool->sorted[k], pool->n[k], 1), &lu);
            mk_group_add(&L[r], lu.L);
            mk_group_add(&U[r], lu.U);
            unlimited[0] += isinf(lu.L) != 0;
            unlimited[1] += isinf(lu.U) != 0;
            arms++;
        }
        mk_pool_free(pool);
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

static int draw(const struct mk_gallery *g, struct mk_error *err)
{
    size_t ranks = g->survey->n_ranks;
    struct mk_group *L = mk_groups_new(ranks, g->problem->n_instances),
                    *U = mk_groups_new(ranks, g->problem->n_instances);
    struct mk_panels *panels = mk_gallery_panels(g, 1, 3, 2.6, 1.75, "L and U with upper end 1, trimmed range");
    int code = L && U && panels ? MK_OK : mk_fail_memory(err, "figure");
    if (!code) code = draw_averages(g, &panels->plot[0], err);
    if (!code) code = draw_instances(g, &panels->plot[1], L, U, err);
    mk_groups_free(L, ranks);
    mk_groups_free(U, ranks);
    return panels ? mk_gallery_finish(g, panels, "lu", code, err) : code;
}

const struct mk_picture mk_picture_lu = {"lu", applies, draw};
