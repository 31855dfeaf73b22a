#include "analysis/plot/plot_boxes.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"
#include "sim/base/statistics.h"

static const double half_box = 0.3, reach = 1.5;

struct mk_box_group *mk_box_groups_new(size_t n_groups, size_t room)
{
    struct mk_box_group *g = calloc(n_groups + 1, sizeof *g);
    for (size_t i = 0; g && i < n_groups; i++)
        if (!(g[i].value = malloc((room + 1) * sizeof *g[i].value))) {
            mk_box_groups_free(g, n_groups);
            return NULL;
        }
    return g;
}

void mk_box_groups_free(struct mk_box_group *g, size_t n_groups)
{
    for (size_t i = 0; g && i < n_groups; i++) free(g[i].value);
    free(g);
}

void mk_box_group_add(struct mk_box_group *g, double x)
{
    if (isfinite(x)) g->value[g->n++] = x;
}

static void draw_box(const struct mk_box_group *g, double x, size_t i, struct mk_curve *box, struct mk_curve *lines,
                     struct mk_curve *medians, struct mk_curve *points)
{
    double q1 = mk_quantile_sorted(g->value, g->n, 0.25), median = mk_quantile_sorted(g->value, g->n, 0.5),
           q3 = mk_quantile_sorted(g->value, g->n, 0.75), far = reach * (q3 - q1), low = q1, high = q3;
    for (size_t k = 0; k < g->n; k++) {
        double v = g->value[k];
        if (v < q1 - far || v > q3 + far) {
            mk_curve_point(points, points->n++, x, v);
            continue;
        }
        low = fmin(low, v);
        high = fmax(high, v);
    }
    mk_curve_span(box, i, x - half_box, q1, x + half_box, q3);
    mk_curve_span(medians, i, x - half_box, median, x + half_box, median);
    mk_curve_span(lines, 2 * i, x, low, x, q1);
    mk_curve_span(lines, 2 * i + 1, x, q3, x, high);
}

int mk_plot_boxes(struct mk_plot *p, struct mk_box_group *group, size_t n_groups, int look, struct mk_error *err)
{
    size_t all = 0, first = p->n_curves;
    for (size_t i = 0; i < n_groups; i++) all += group[i].n;
    if (!mk_plot_add(p, "", n_groups, 1) || !mk_plot_add(p, "", 2 * n_groups, 1) || !mk_plot_add(p, "", n_groups, 1) ||
        !mk_plot_add(p, "", all, 0))
        return mk_fail_memory(err, "a box plot");
    struct mk_curve *box = &p->curve[first], *lines = box + 1, *medians = box + 2, *points = box + 3;
    for (int i = 0; i < 4; i++) box[i].look = look;
    box->style = MK_CURVE_BOXES;
    lines->style = medians->style = MK_CURVE_SEGMENTS;
    box->width = lines->width = 0.8;
    medians->width = 2;
    points->style = MK_CURVE_POINTS;
    points->faint = 0.5;
    points->n = 0;
    for (size_t i = 0; i < n_groups; i++) {
        if (group[i].n == 0) continue;
        mk_sort_values(group[i].value, group[i].n);
        draw_box(&group[i], (double)i + 1, i, box, lines, medians, points);
    }
    return MK_OK;
}

int mk_plot_log_histogram(struct mk_plot *p, const struct mk_box_group *group, double low, double high, size_t bins,
                          int look, struct mk_error *err)
{
    struct mk_curve *c = mk_plot_add(p, "", bins, 1);
    if (!c) return mk_fail_memory(err, "a histogram");
    c->style = MK_CURVE_BOXES;
    c->look = look;
    c->width = 0.6;
    double width = log(high / low) / (double)bins;
    for (size_t i = 0; i < bins; i++)
        mk_curve_span(c, i, low * exp(width * (double)i), 0, low * exp(width * (double)(i + 1)), 0);
    for (size_t k = 0; k < group->n; k++) {
        double at = floor(log(group->value[k] / low) / width);
        if (at >= 0 && at <= (double)bins) c->hi[at < (double)bins ? (size_t)at : bins - 1]++;
    }
    return MK_OK;
}
