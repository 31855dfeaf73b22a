#include "analysis/answers/figures/problem_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/figures/plot/plot_text.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/base/text.h"
#include "sim/run/store/problem_input.h"

int mk_problem_view_open(struct mk_problem_view *g, const char *path, const char *const *sets, size_t n_sets,
                         struct mk_error *err)
{
    memset(g, 0, sizeof *g);
    int code = mk_problem_input_open(&g->experiment, path, sets, n_sets, MK_NEED_PROBLEM, err);
    if (code) return code;
    g->problem = g->experiment->problem;
    mk_file_name_part(g->experiment->name, g->to.prefix, sizeof g->to.prefix);
    if (!g->problem->source->recorded) return MK_OK;
    mk_problem_normalise(g->experiment->problem);
    code = mk_survey_new(&g->survey, g->problem, err);
    if (code) {
        mk_problem_view_close(g);
        return code;
    }
    g->n_ranks = g->survey->n_ranks < MK_VIEW_RANKS ? g->survey->n_ranks : MK_VIEW_RANKS;
    for (size_t i = 0; i < g->n_ranks; i++) g->rank[i] = i + 1 < g->n_ranks ? i : g->survey->n_ranks - 1;
    return MK_OK;
}

void mk_problem_view_close(struct mk_problem_view *g)
{
    mk_survey_free(g->survey);
    mk_experiment_free(g->experiment);
    memset(g, 0, sizeof *g);
}

struct mk_panels *mk_problem_view_panels(const struct mk_problem_view *g, size_t rows, size_t columns, double width,
                                         double height, const char *subtitle)
{
    struct mk_panels *panels = mk_panels_new(rows, columns, width, height);
    if (!panels) return NULL;
    const struct mk_experiment *e = g->experiment;
    mk_text_clean(e->title[0] ? e->title : e->name, 0, panels->title, sizeof panels->title);
    mk_text_clean(subtitle, 0, panels->subtitle, sizeof panels->subtitle);
    return panels;
}

struct mk_curve *mk_problem_view_curve(struct mk_plot *p, const char *label, size_t n, int look, double width,
                                       double faint)
{
    struct mk_curve *c = mk_plot_add(p, label, n, 0);
    if (!c) return NULL;
    c->look = look;
    c->width = width;
    c->faint = faint;
    return c;
}

int mk_problem_view_mark_lu(struct mk_plot *p, const struct mk_lu *lu, int look, double smallest, struct mk_error *err)
{
    const double value[] = {lu->L, lu->U}, eps[] = {lu->eps_L, lu->eps_U};
    struct mk_curve *c = mk_problem_view_curve(p, "", 2, look, 1, 0);
    if (!c) return mk_fail_memory(err, "figure");
    c->style = MK_CURVE_POINTS;
    for (size_t i = 0; i < 2; i++)
        mk_curve_point(c, i, fmax(eps[i], smallest), isfinite(value[i]) && value[i] > 0 ? value[i] : NAN);
    return MK_OK;
}

/* ---- how a quantity is distributed over the arms ---- */

enum { MEDIAN, LOWER, UPPER, LARGEST, CURVES };

static int add_curves(struct mk_plot *p, const double *x, size_t points, size_t n, struct mk_curve **first,
                      struct mk_error *err)
{
    char median[MK_PLOT_TEXT];
    snprintf(median, sizeof median, "median of %zu arms, 5 to 95 %%", n);
    const char *const label[CURVES] = {median, "quartiles", "", "largest"};
    static const double width[CURVES] = {1.6, 0.7, 0.7, 1.1};
    static const int look[CURVES] = {0, 0, 0, 1};
    const size_t start = p->n_curves;
    for (int i = 0; i < CURVES; i++) {
        struct mk_curve *c = mk_plot_add(p, label[i], points, i == MEDIAN);
        if (!c) return mk_fail_memory(err, "figure");
        c->width = width[i];
        c->look = look[i];
        for (size_t k = 0; k < points; k++) c->x[k] = x[k];
    }
    *first = &p->curve[start];
    return MK_OK;
}

static void set_point(struct mk_curve *c, size_t k, double *value, size_t n)
{
    if (n == 0) return;
    mk_sort_values(value, n);
    c[MEDIAN].y[k] = mk_quantile_sorted(value, n, 0.5);
    c[MEDIAN].lo[k] = mk_quantile_sorted(value, n, 0.05);
    c[MEDIAN].hi[k] = mk_quantile_sorted(value, n, 0.95);
    c[LOWER].y[k] = mk_quantile_sorted(value, n, 0.25);
    c[UPPER].y[k] = mk_quantile_sorted(value, n, 0.75);
    c[LARGEST].y[k] = value[n - 1];
}

int mk_problem_view_spread(struct mk_plot *plot, const struct mk_problem *p, const double *x, size_t points,
                           double (*value)(const struct mk_problem *p, size_t arm, double x), struct mk_error *err)
{
    struct mk_curve *c = NULL;
    double *at = malloc((p->n_arms + 1) * sizeof *at);
    int code = at ? add_curves(plot, x, points, p->n_arms, &c, err) : mk_fail_memory(err, "figure");
    for (size_t k = 0; k < points && !code; k++) {
        size_t known = 0;
        for (size_t i = 0; i < p->n_arms; i++) {
            at[known] = value(p, i, x[k]);
            if (!isnan(at[known])) known++;
        }
        set_point(c, k, at, known);
    }
    free(at);
    return code;
}
