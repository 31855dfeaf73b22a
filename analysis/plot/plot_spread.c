#include "analysis/plot/plot_spread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/base/error.h"
#include "sim/base/statistics.h"

enum { MEDIAN, LOWER, UPPER, LARGEST, CURVES };
enum { SHARES = 201 };

static int add_curves(struct mk_plot *p, const double *x, size_t points, const char *things, size_t n,
                      struct mk_curve **first, struct mk_error *err)
{
    char median[MK_PLOT_TEXT];
    snprintf(median, sizeof median, "median of %zu %s, 5 to 95 %%", n, things);
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

int mk_plot_spread(struct mk_plot *p, const double *x, size_t points, const char *things, size_t n,
                   double (*value)(const void *context, size_t i, double x), const void *context, struct mk_error *err)
{
    struct mk_curve *c = NULL;
    double *at = malloc((n + 1) * sizeof *at);
    int code = at ? add_curves(p, x, points, things, n, &c, err) : mk_fail_memory(err, "figure");
    for (size_t k = 0; k < points && !code; k++) {
        size_t known = 0;
        for (size_t i = 0; i < n; i++) {
            at[known] = value(context, i, x[k]);
            if (!isnan(at[known])) known++;
        }
        set_point(c, k, at, known);
    }
    free(at);
    return code;
}

int mk_plot_shares(struct mk_plot *p, double *value, size_t n, struct mk_error *err)
{
    struct mk_curve *c = mk_plot_add(p, "", SHARES, 0);
    if (!c) return mk_fail_memory(err, "figure");
    c->width = 1.4;
    mk_sort_values(value, n);
    for (size_t k = 0; k < SHARES && n > 0; k++) {
        c->y[k] = (double)k / (SHARES - 1);
        c->x[k] = mk_quantile_sorted(value, n, c->y[k]);
    }
    return MK_OK;
}
