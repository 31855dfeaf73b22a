#include "sim/search/models/gp_warp.h"

#include <math.h>

static const double prior_variance = 0.75;
static const double step[] = {0.8, 0.4, 0.2};

double mk_warp(double u, const double warp[2])
{
    return -expm1(exp(warp[1]) * log1p(-pow(u, exp(warp[0]))));
}

double mk_unwarp(double w, const double warp[2])
{
    return pow(-expm1(log1p(-w) / exp(warp[1])), 1 / exp(warp[0]));
}

/* Data of a fit. */
struct target {
    const struct mk_gp *g;
    const double *theta, *x, *y;
    double *warp, *warped;
    size_t n;
    struct mk_gp_work *w;
};

static void warp_input(const struct target *t, size_t i)
{
    for (size_t j = i * t->n; j < (i + 1) * t->n; j++)
        t->warped[j] = t->g->nominal[i] ? t->x[j] : mk_warp(t->x[j], t->warp + 2 * i);
}

static double posterior(const struct target *t)
{
    double squares = 0;
    for (size_t i = 0; i < 2 * t->g->d; i++) squares += t->warp[i] * t->warp[i];
    return mk_gp_log_likelihood(t->g, t->theta, t->warped, t->n, t->y, t->n, NULL, t->w) -
           squares / (2 * prior_variance);
}

/* One parameter of input i, up and down. */
static void improve(const struct target *t, size_t i, double *parameter, double *max)
{
    for (size_t k = 0; k < 2 * sizeof step / sizeof *step; k++) {
        const double before = *parameter;
        *parameter += k % 2 ? -step[k / 2] : step[k / 2];
        warp_input(t, i);
        const double value = posterior(t);
        if (value > *max)
            *max = value;
        else
            *parameter = before;
    }
    warp_input(t, i);
}

int mk_gp_warp_fit(const struct mk_gp *g, double *theta, double *warp, const double *x, double *warped, const double *y,
                   size_t n, size_t steps, struct mk_gp_work *w, struct mk_error *err)
{
    const struct target t = {g, theta, x, y, warp, warped, n, w};
    for (size_t i = 0; i < g->d; i++) warp_input(&t, i);
    int code = mk_gp_fit(g, theta, warped, n, y, n, steps, w, err);
    if (code) return code;
    double max = posterior(&t);
    for (size_t i = 0; i < 2 * g->d; i++)
        if (!g->nominal[i / 2]) improve(&t, i / 2, warp + i, &max);
    return mk_gp_fit(g, theta, warped, n, y, n, steps, w, err);
}
