#include "analysis/answers/figures/plot/plot_map.h"

#include <math.h>

#include "sim/base/error.h"

/* Lower edge of cell i of n; for i = n the upper edge of the last one. Outer edges mirror the inner ones. */
static double edge(const double *at, size_t n, size_t i)
{
    if (i == 0) return at[0] * sqrt(at[0] / at[1]);
    if (i == n) return at[n - 1] * sqrt(at[n - 1] / at[n - 2]);
    return sqrt(at[i - 1] * at[i]);
}

static void set_axis(struct mk_axis *axis, const double *at, size_t n)
{
    axis->log = 1;
    axis->lo = edge(at, n, 0);
    axis->hi = edge(at, n, n);
}

int mk_plot_map(struct mk_plot *p, const double *x, size_t nx, const double *y, size_t ny, const double *colour,
                struct mk_error *err)
{
    for (size_t cell = 0; cell < nx * ny; cell++) {
        const size_t i = cell / ny, k = cell % ny;
        if (isnan(colour[cell])) continue;
        struct mk_curve *c = mk_plot_add(p, "", 1, 1);
        if (!c) return mk_fail_memory(err, "figure");
        c->style = MK_CURVE_BOXES;
        c->width = 0.1;
        mk_curve_span(c, 0, edge(x, nx, i), edge(y, ny, k), edge(x, nx, i + 1), edge(y, ny, k + 1));
        c->colour = colour[cell];
    }
    set_axis(&p->x, x, nx);
    set_axis(&p->y, y, ny);
    return MK_OK;
}

int mk_plot_map_line(struct mk_plot *p, const char *label, const double *x, size_t nx, const double *y, size_t ny,
                     const double *value, double level, struct mk_error *err)
{
    struct mk_curve *c = mk_plot_add(p, label, nx, 0);
    if (!c) return mk_fail_memory(err, "figure");
    c->width = 2;
    c->look = 1;
    for (size_t i = 0; i < nx; i++) {
        const double *v = value + i * ny;
        c->x[i] = x[i];
        for (size_t k = 0; k + 1 < ny; k++) {
            double a = log(v[k] / level), b = log(v[k + 1] / level);
            if (!isfinite(a) || !isfinite(b) || (a < 0) == (b < 0)) continue;
            c->y[i] = y[k] * pow(y[k + 1] / y[k], a / (a - b));
        }
    }
    return MK_OK;
}
