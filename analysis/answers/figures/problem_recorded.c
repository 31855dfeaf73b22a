/* Recorded runs (Balef et al. 2025), with rewards between 0 and 1 per instance and repetition, upper end 1, and arms by
 * their rank:
 *   survey  Figures 2 and C.1: the average survival function per rank with its five time segments, the best and the
 *           worst arm of every instance, and the gaps per rank
 *   ratio   Figures C.4 to C.7 and 4: G(1 - eps) / eps of every instance over its trimmed range, with L and U where
 *           they are attained, and the histograms of L and U, per rank
 *   lu      Figures 3 (left, middle) and 4: L and U of the averaged survival functions per rank, and of every instance
 *   shape   skewness per rank (Section 3: left-skewed rewards) and the drift of the best arm per instance (Appendix
 *           E.3, top of Figure E.6), sorted, next to what an arm without drift would show */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/answers/figures/problem_view.h"
#include "analysis/compare/arms/pooled_rewards.h"
#include "analysis/theory/survival.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/base/text.h"

enum { BLUE = 0, RED = 1, ORANGE = 5 };

static const double nearest = 1e-4; /* smallest eps drawn */

static bool applies(const struct mk_problem_view *g)
{
    return g->survey != NULL;
}

/* ---- box plots and histograms ---- */

struct group {
    double *value; /* [n], owned; sorted by draw_boxes */
    size_t n;
};

enum { BINS = 24 }; /* of histograms */

static const double half_box = 0.3, reach = 1.5;

static void free_groups(struct group *g, size_t n_groups)
{
    for (size_t i = 0; g && i < n_groups; i++) free(g[i].value);
    free(g);
}

/* n_groups empty groups with room for `room` values each, NULL when out of memory. */
static struct group *new_groups(size_t n_groups, size_t room)
{
    struct group *g = calloc(n_groups + 1, sizeof *g);
    for (size_t i = 0; g && i < n_groups; i++)
        if (!(g[i].value = malloc((room + 1) * sizeof *g[i].value))) {
            free_groups(g, n_groups);
            return NULL;
        }
    return g;
}

/* Adds x when it is finite. */
static void add_value(struct group *g, double x)
{
    if (isfinite(x)) g->value[g->n++] = x;
}

static void draw_box(const struct group *g, double x, size_t i, struct mk_curve *box, struct mk_curve *lines,
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

/* group[rank] at x = 1, 2, …: box from the first to the third quartile (type 7), median, whiskers to the farthest
 * values within 1.5 box heights (Tukey), all others as points; and the axes. */
static int draw_boxes(const struct mk_problem_view *g, struct mk_plot *p, struct group *group, int look,
                      const char *what, struct mk_error *err)
{
    const size_t n_groups = g->survey->n_ranks, first = p->n_curves;
    size_t all = 0;
    mk_plot_axes(p, "rank", what);
    p->x.whole = 1;
    p->x.lo = 0.5;
    p->x.hi = (double)n_groups + 0.5;
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

/* Bars of equal width on a log axis from low to high (0 < low < high). */
static int add_log_histogram(struct mk_plot *p, const struct group *group, double low, double high, int look,
                             struct mk_error *err)
{
    struct mk_curve *c = mk_plot_add(p, "", BINS, 1);
    if (!c) return mk_fail_memory(err, "a histogram");
    c->style = MK_CURVE_BOXES;
    c->look = look;
    c->width = 0.6;
    double width = log(high / low) / BINS;
    for (size_t i = 0; i < BINS; i++)
        mk_curve_span(c, i, low * exp(width * (double)i), 0, low * exp(width * (double)(i + 1)), 0);
    for (size_t k = 0; k < group->n; k++) {
        double at = floor(log(group->value[k] / low) / width);
        if (at >= 0 && at <= BINS) c->hi[at < BINS ? (size_t)at : BINS - 1]++;
    }
    return MK_OK;
}

static int draw_ranks(const struct mk_problem_view *g, struct mk_plot *p, double (*value)(const struct mk_survey_arm *),
                      const char *what, struct mk_error *err)
{
    const size_t ranks = g->survey->n_ranks;
    struct group *group = new_groups(ranks, g->problem->n_instances);
    if (!group) return mk_fail_memory(err, "figure");
    for (size_t i = 0; i < g->problem->n_instances; i++)
        for (size_t r = 0; r < g->problem->instance[i].n_arms; r++)
            add_value(&group[r], value(mk_survey_at(g->survey, i, r)));
    int code = draw_boxes(g, p, group, 0, what, err);
    free_groups(group, ranks);
    return code;
}

/* L and U of one arm of an instance over its trimmed range. */
static struct mk_lu lu_of(const struct mk_pooled_rewards *pool, size_t position, struct mk_eps_range *range)
{
    struct mk_lu lu;
    *range = mk_eps_range_sample(pool->sorted[position], pool->n[position], 1);
    mk_lu_plugin(pool->sorted[position], pool->n[position], 1, *range, &lu);
    return lu;
}

/* ---- survey ---- */

enum { SURVIVAL_POINTS = 301, THIN_POINTS = 101 };

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
    struct mk_curve *bold = mk_problem_view_curve(p, label, SURVIVAL_POINTS, (int)i, 1.4, 0);
    if (!bold) return mk_fail_memory(err, "figure");
    code = mk_survey_average(g->survey, g->rank[i], -1, &a, err);
    if (code) return code;
    sample_average(&a, SURVIVAL_POINTS, bold->x, bold->y);
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
    for (size_t i = 0; i < SURVIVAL_POINTS; i++)
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
        struct mk_curve *mean = mk_problem_view_curve(p, label[side], SURVIVAL_POINTS, 1 - side, 1.8, 0);
        if (!mean) return mk_fail_memory(err, "figure");
        mk_survival_spaced(0, 1, SURVIVAL_POINTS, mean->x);
        for (size_t i = 0; i < SURVIVAL_POINTS; i++) mean->y[i] = 0;
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

static double gap_of(const struct mk_survey_arm *a)
{
    return a->gap;
}

static int draw_survey(const struct mk_problem_view *g, struct mk_error *err)
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
    snprintf(panels->plot[2].title, sizeof panels->plot[2].title, "Gap to the best arm");
    if (!code) code = draw_ranks(g, &panels->plot[2], gap_of, "Δ (normalised)", err);
    return mk_figure_output_panels(&g->to, panels, "survey", code, err);
}

const struct mk_problem_figure mk_problem_figure_survey = {
    "survey", "average survival functions per rank with five time segments, best and worst arms, gaps; recorded runs",
    applies, draw_survey};

/* ---- ratio ---- */

enum { RATIO_POINTS = 80 };

static const double eps_tics[] = {1e-4, 1e-2, 1};

/* L and U per shown rank. */
struct tally {
    struct group *L, *U; /* [n_ranks] finite ones */
    size_t n[MK_VIEW_RANKS], unlimited[MK_VIEW_RANKS];
};

static void add_curve(struct mk_plot *p, size_t instance, const struct mk_pooled_rewards *pool, size_t position,
                      struct tally *t, size_t i)
{
    struct mk_curve *ratio = &p->curve[0], *L = &p->curve[1], *U = &p->curve[2];
    struct mk_eps_range range;
    const struct mk_lu lu = lu_of(pool, position, &range);
    double from = fmax(range.lo, nearest), factor = log(fmax(range.hi, from) / from) / (RATIO_POINTS - 1);
    for (size_t k = 0; k < RATIO_POINTS; k++) {
        size_t at = instance * (RATIO_POINTS + 1) + k;
        double eps = k + 1 == RATIO_POINTS ? fmax(range.hi, from) : from * exp(factor * (double)k);
        mk_curve_point(ratio, at, eps, mk_survival_empirical(pool->sorted[position], pool->n[position], 1 - eps) / eps);
    }
    if (isfinite(lu.L) && lu.L > 0) mk_curve_point(L, instance, fmax(lu.eps_L, nearest), lu.L);
    if (isfinite(lu.U)) mk_curve_point(U, instance, fmax(lu.eps_U, nearest), lu.U);
    t->n[i]++;
    t->unlimited[i] += isinf(lu.U) != 0;
    add_value(&t->L[i], lu.L);
    add_value(&t->U[i], lu.U);
}

static int prepare(const struct mk_problem_view *g, struct mk_plot *p, struct mk_error *err)
{
    size_t n = g->problem->n_instances;
    struct mk_curve *ratio = mk_problem_view_curve(p, "", n * (RATIO_POINTS + 1), ORANGE, 0.4, 0.55);
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
            if (a) add_curve(&top[r], i, pool, a->position, t, r);
        }
        mk_pooled_rewards_free(pool);
    }
    return MK_OK;
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

static int draw_histograms(const struct mk_problem_view *g, struct mk_plot *plot, const struct group *group,
                           const char *what, int look, struct mk_error *err)
{
    double low = INFINITY, high = 0, max = 0;
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
        int code = add_log_histogram(&plot[r], &group[r], low, high, look, err);
        if (code) return code;
        for (size_t k = 0; k < BINS; k++) max = fmax(max, plot[r].curve[0].hi[k]);
        snprintf(plot[r].x.label, sizeof plot[r].x.label, "%s", what);
        if (r == 0) snprintf(plot[r].y.label, sizeof plot[r].y.label, "instances");
        plot[r].x.log = 1;
        plot[r].x.lo = low;
        plot[r].x.hi = high;
        plot[r].y.lo = 0;
        plot[r].y.whole = 1;
        choose_tics(&plot[r].x);
    }
    for (size_t r = 0; r < g->n_ranks; r++) plot[r].y.hi = 1.05 * max;
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

static int draw_ratio(const struct mk_problem_view *g, struct mk_error *err)
{
    struct tally t = {
        new_groups(g->n_ranks, g->problem->n_instances), new_groups(g->n_ranks, g->problem->n_instances), {0}, {0}};
    struct mk_panels *panels =
        mk_problem_view_panels(g, 3, g->n_ranks, g->n_ranks > 3 ? 1.75 : 2.4, 1.2,
                               "G(1 − ε)/ε of every instance over its trimmed range; L and U; their histograms");
    int code = t.L && t.U && panels ? MK_OK : mk_fail_memory(err, "figure");
    for (size_t r = 0; r < g->n_ranks && !code; r++) code = prepare(g, &panels->plot[r], err);
    if (!code) code = fill(g, panels->plot, &t, err);
    if (!code) {
        mk_plots_share_y(panels->plot, g->n_ranks);
        mk_plots_share_x(panels->plot, g->n_ranks);
        code = draw_histograms(g, panels->plot + g->n_ranks, t.L, "L", BLUE, err);
    }
    if (!code) code = draw_histograms(g, panels->plot + 2 * g->n_ranks, t.U, "U", RED, err);
    if (!code) name_columns(g, panels->plot, &t);
    size_t finite = 0; /* none is if every arm is constant */
    for (size_t r = 0; r < g->n_ranks && !code; r++) finite += t.L[r].n + t.U[r].n;
    free_groups(t.L, g->n_ranks);
    free_groups(t.U, g->n_ranks);
    if (finite || code) return mk_figure_output_panels(&g->to, panels, "ratio", code, err);
    mk_panels_free(panels);
    return MK_OK;
}

const struct mk_problem_figure mk_problem_figure_ratio = {
    "ratio", "G(1 - eps) / eps per instance, histograms of L and U per rank; recorded runs", applies, draw_ratio};

/* ---- lu ---- */

enum { AVERAGE_POINTS = 201 };

/* The ratio of one averaged curve with its L and U. */
static int draw_average(const struct mk_problem_view *g, struct mk_plot *p, size_t i, struct mk_error *err)
{
    char label[32];
    struct mk_average a;
    struct mk_lu lu;
    snprintf(label, sizeof label, "rank %zu", g->rank[i] + 1);
    struct mk_curve *ratio = mk_problem_view_curve(p, label, AVERAGE_POINTS, (int)i, 1, 0);
    if (!ratio) return mk_fail_memory(err, "figure");
    int code = mk_survey_average(g->survey, g->rank[i], -1, &a, err);
    if (code) return code;
    struct mk_eps_range range = mk_average_range(&a, 1);
    mk_average_lu(&a, 1, &lu);
    if (isinf(lu.U)) snprintf(ratio->label, sizeof ratio->label, "%s, U = ∞", label);
    double from = fmax(range.lo, nearest), factor = log(fmax(range.hi, from) / from) / (AVERAGE_POINTS - 1);
    for (size_t k = 0; k < AVERAGE_POINTS; k++) {
        const double eps = from * exp(factor * (double)k);
        mk_curve_point(ratio, k, eps, mk_average_at(&a, 1 - eps) / eps);
    }
    mk_average_clear(&a);
    return mk_problem_view_mark_lu(p, &lu, (int)i, nearest, err);
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

static int draw_instances(const struct mk_problem_view *g, struct mk_plot *plot, struct group *L, struct group *U,
                          struct mk_error *err)
{
    size_t unlimited[2] = {0, 0}, arms = 0;
    for (size_t i = 0; i < g->problem->n_instances; i++) {
        struct mk_pooled_rewards *pool = NULL;
        int code = mk_pooled_rewards_new(&pool, g->problem, i, 0, 0, "", err);
        if (code) return code;
        for (size_t r = 0; r < pool->n_arms; r++) {
            struct mk_eps_range range;
            const struct mk_lu lu = lu_of(pool, mk_survey_at(g->survey, i, r)->position, &range);
            add_value(&L[r], lu.L);
            add_value(&U[r], lu.U);
            unlimited[0] += isinf(lu.L) != 0;
            unlimited[1] += isinf(lu.U) != 0;
            arms++;
        }
        mk_pooled_rewards_free(pool);
    }
    for (int side = 0; side < 2; side++) {
        struct mk_plot *p = &plot[side];
        const char *what = side ? "U" : "L";
        const int n = snprintf(p->title, sizeof p->title, "%s of every instance", what);
        if (unlimited[side])
            snprintf(p->title + n, sizeof p->title - (size_t)n, " (∞: %zu of %zu)", unlimited[side], arms);
        p->y.log = 1;
        int code = draw_boxes(g, p, side ? U : L, side ? RED : BLUE, what, err);
        if (code) return code;
    }
    return MK_OK;
}

static int draw_lu(const struct mk_problem_view *g, struct mk_error *err)
{
    size_t ranks = g->survey->n_ranks;
    struct group *L = new_groups(ranks, g->problem->n_instances), *U = new_groups(ranks, g->problem->n_instances);
    struct mk_panels *panels = mk_problem_view_panels(g, 1, 3, 2.6, 1.75, "L and U with upper end 1, trimmed range");
    int code = L && U && panels ? MK_OK : mk_fail_memory(err, "figure");
    if (!code) code = draw_averages(g, &panels->plot[0], err);
    if (!code) code = draw_instances(g, &panels->plot[1], L, U, err);
    free_groups(L, ranks);
    free_groups(U, ranks);
    return mk_figure_output_panels(&g->to, panels, "lu", code, err);
}

const struct mk_problem_figure mk_problem_figure_lu = {
    "lu", "L and U of the averaged survival functions per rank and of every instance; recorded runs", applies, draw_lu};

/* ---- shape ---- */

static double skewness_of(const struct mk_survey_arm *a)
{
    return a->skewness;
}

static int draw_skewness(const struct mk_problem_view *g, struct mk_plot *p, struct mk_error *err)
{
    size_t left = 0, arms = 0;
    int code = draw_ranks(g, p, skewness_of, "skewness", err);
    if (code) return code;
    for (size_t i = 0; i < g->problem->n_instances; i++)
        for (size_t r = 0; r < g->problem->instance[i].n_arms; r++, arms++)
            left += mk_survey_at(g->survey, i, r)->skewness < 0;
    struct mk_curve *zero = mk_problem_view_curve(p, "", 2, 4, 0.6, 0.5);
    if (!zero) return mk_fail_memory(err, "figure");
    mk_curve_point(zero, 0, p->x.lo, 0);
    mk_curve_point(zero, 1, p->x.hi, 0);
    snprintf(p->title, sizeof p->title, "Skewness: %zu of %zu arms left-skewed", left, arms);
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

static int draw_shape(const struct mk_problem_view *g, struct mk_error *err)
{
    struct mk_panels *panels =
        mk_problem_view_panels(g, 1, 2, 3.5, 1.75, "rewards normalised per instance and repetition; arms by rank");
    if (!panels) return mk_fail_memory(err, "figure");
    int code = draw_skewness(g, &panels->plot[0], err);
    if (!code) code = draw_drift(g, &panels->plot[1], err);
    return mk_figure_output_panels(&g->to, panels, "shape", code, err);
}

const struct mk_problem_figure mk_problem_figure_shape = {
    "shape", "skewness per rank, drift of the best arm; recorded runs", applies, draw_shape};
