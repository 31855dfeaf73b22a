/* The critical-distance diagram of Demšar 2006 (Figure 1): average ranks on an axis at the top, the best on the left,
 * names at both sides, bars that join policies without a significant difference. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/figures/result_rank.h"
#include "analysis/plot/plot_text.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

enum { MOST_POLICIES = 60, NAME_LIMIT = 24 };

/* Inches; letters of 8 points. */
static const double narrow = 5.5, widest = 7, axis_width = 2.8, tick_room = 0.2, letter = 0.068, row_height = 0.17,
                    head = 0.75;

struct diagram {
    struct mk_plot *p;
    const char **name;  /* [n] in the order of the ranks */
    const double *rank; /* [n] ascending */
    size_t n;
    double low, high;   /* ends of the axis */
    double left, right; /* where names end and begin */
    double per_inch;    /* ranks */
};

static bool line(struct diagram *d, double x0, double y0, double x1, double y1, int look, double width)
{
    struct mk_curve *c = mk_plot_add(d->p, "", 1, 1);
    if (!c) return false;
    c->style = MK_CURVE_SEGMENTS;
    c->look = look;
    c->width = width;
    *c->x = x0;
    *c->y = y0;
    *c->lo = x1;
    *c->hi = y1;
    return true;
}

enum { BLACK = 4, VERMILION = 1 };

static bool draw_axis(struct diagram *d, double critical)
{
    char text[48];
    const double least = tick_room * d->per_inch, step = least <= 1 ? 1 : least <= 2 ? 2 : least <= 5 ? 5 : 10;
    bool good = line(d, d->low, 0, d->high, 0, BLACK, 0.8);
    for (double x = d->low; good && x <= d->high; x += step) {
        snprintf(text, sizeof text, "%g", x);
        good = line(d, x, 0, x, 0.3, BLACK, 0.8) && mk_plot_note(d->p, x, 0.85, 0, text);
    }
    if (!good || !(critical > 0) || !isfinite(critical)) return good;
    /* longer than the axis it is drawn as far as there is room, without its right end */
    const double end = fmin(d->low + critical, d->high + (d->right - d->high) * 0.9);
    snprintf(text, sizeof text, "CD = %.3f", critical);
    good = line(d, d->low, 2, end, 2, VERMILION, 1.6) && line(d, d->low, 1.7, d->low, 2.3, VERMILION, 1.6);
    if (good && end == d->low + critical) good = line(d, end, 1.7, end, 2.3, VERMILION, 1.6);
    return good && mk_plot_note(d->p, 0.5 * (d->low + end), 2.75, 0, text);
}

/* Bars over maximal runs within the distance; a run within an earlier one has no bar of its own. Returns how many
 * levels they need, SIZE_MAX: out of memory. */
static size_t draw_bars(struct diagram *d, double critical)
{
    size_t covered = 0, bars = 0;
    for (size_t first = 0; first < d->n; first++) {
        size_t last = first;
        while (last + 1 < d->n && d->rank[last + 1] - d->rank[first] < critical) last++;
        if (last == first || (bars && last <= covered)) continue;
        const double y = -0.45 - 0.45 * (double)bars++, beyond = 0.03 * d->per_inch;
        if (!line(d, d->rank[first] - beyond, y, d->rank[last] + beyond, y, BLACK, 3)) return SIZE_MAX;
        covered = last;
    }
    return bars;
}

static bool draw_names(struct diagram *d, double top)
{
    const size_t half = (d->n + 1) / 2;
    char text[MK_PLOT_TEXT + 32];
    bool good = true;
    for (size_t i = 0; i < d->n && good; i++) {
        const bool left = i < half;
        const double y = top - (double)(left ? i : d->n - 1 - i), end = left ? d->left : d->right;
        char name[MK_PLOT_TEXT];
        mk_text_clean(d->name[i], NAME_LIMIT, name, sizeof name);
        if (left)
            snprintf(text, sizeof text, "%s  %.2f", name, d->rank[i]);
        else
            snprintf(text, sizeof text, "%.2f  %s", d->rank[i], name);
        good = line(d, d->rank[i], 0, d->rank[i], y, BLACK, 0.6) && line(d, d->rank[i], y, end, y, BLACK, 0.6) &&
               mk_plot_note(d->p, end + (left ? -0.05 : 0.05) * d->per_inch, y, left ? -1 : 1, text);
    }
    return good;
}

static bool compose(struct diagram *d, double critical)
{
    size_t longest = 4, bars;
    char text[MK_PLOT_TEXT];
    for (size_t i = 0; i < d->n; i++) {
        const size_t wide = mk_text_clean(d->name[i], NAME_LIMIT, text, sizeof text);
        if (wide > longest) longest = wide;
    }
    const double side = letter * (double)(longest + 7) + 0.15;
    const double picture = fmin(widest, fmax(narrow, 2 * side + 0.3 + axis_width));
    d->low = floor(d->rank[0]);
    d->high = fmax(ceil(d->rank[d->n - 1]), d->low + 1);
    d->per_inch = (d->high - d->low) / (0.96 * picture - 2 * side - 0.3);
    d->left = d->low - 0.15 * d->per_inch;
    d->right = d->high + 0.15 * d->per_inch;
    d->p->x.lo = d->left - (side - 0.05) * d->per_inch;
    d->p->x.hi = d->right + (side - 0.05) * d->per_inch;
    if (!draw_axis(d, critical)) return false;
    bars = draw_bars(d, critical);
    if (bars == SIZE_MAX) return false;
    const double top = -0.45 * (double)bars - 1.2;
    if (!draw_names(d, top)) return false;
    d->p->y.hi = 3.4;
    const size_t rows = (d->n + 1) / 2;
    d->p->y.lo = top - (double)rows + 0.3;
    d->p->top_axis = true;
    d->p->width = picture;
    d->p->height = head + row_height * (d->p->y.hi - d->p->y.lo);
    return true;
}

int mk_policy_group_draw_distance(const struct mk_policy_group *g, struct mk_error *err)
{
    const struct mk_comparison *c = mk_policy_group_last(g);
    const size_t n = c->n_policies;
    size_t *order = malloc(n * sizeof *order);
    double *rank = malloc(n * sizeof *rank);
    const char **name = malloc(n * sizeof *name);
    struct mk_plot p;
    char counted[MK_COUNTED_ROOM];
    int code = order && rank && name ? MK_OK : mk_fail_memory(err, "figure");
    if (code || n > MOST_POLICIES) goto out;
    mk_comparison_order(c, order);
    for (size_t i = 0; i < n; i++) {
        rank[i] = c->standing[order[i]].rank;
        name[i] = mk_policy_group_label(g, order[i]);
    }
    mk_result_view_plot(g->view, &p, "");
    snprintf(p.subtitle, sizeof p.subtitle,
             "average ranks, T = %s, %s; bars: no significant difference (Nemenyi, α = %.2g)",
             mk_plot_horizon(c->horizon).text, mk_counted(c->n_instances, "instance", NULL, counted),
             mk_rank_defaults.alpha);
    mk_policy_group_tell(g, &p);
    if (compose(&(struct diagram){.p = &p, .name = name, .rank = rank, .n = n}, c->distance)) {
        code = mk_result_view_finish(g->view, &p, "distance", g->detail, err);
    } else {
        mk_plot_clear(&p);
        code = mk_fail_memory(err, "figure");
    }
out:
    free(order);
    free(rank);
    free(name);
    return code;
}
