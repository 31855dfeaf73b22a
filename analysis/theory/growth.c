#include "analysis/theory/growth.h"

#include <math.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>

/* ---- claims ---- */

struct curve {
    const struct mk_dist *d;
    double end, alpha;
};

/* c at y = exp(u). */
static double curve_at(double u, void *context)
{
    const struct curve *c = context;
    double y = exp(u), level = c->end - y, below = mk_dist_below(c->d, level);
    double log_f = below < 0.5 ? log(below) : log1p(-mk_dist_survival(c->d, level));
    return log_f < 0 ? fmin(-c->alpha * log_f / sqrt(y), 1e300) : 0;
}

/* Brent's method between the two neighbours of the lowest grid point. */
static double refine(struct curve *c, double lo, double mid, double hi, double *u)
{
    gsl_function f = {curve_at, c};
    gsl_min_fminimizer *m = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
    double best = curve_at(mid, c);
    *u = mid;
    if (m && gsl_min_fminimizer_set(m, &f, mid, lo, hi) == GSL_SUCCESS)
        for (int i = 0; i < 100 && gsl_min_fminimizer_iterate(m) == GSL_SUCCESS; i++)
            if (gsl_min_fminimizer_x_upper(m) - gsl_min_fminimizer_x_lower(m) < 1e-9) break;
    if (m && gsl_min_fminimizer_f_minimum(m) < best) {
        best = gsl_min_fminimizer_f_minimum(m);
        *u = gsl_min_fminimizer_x_minimum(m);
    }
    gsl_min_fminimizer_free(m);
    return best;
}

/* Largest y that can matter: down to the lower end point, or to where F(end - y) vanishes. */
static double farthest(const struct mk_dist *d, double lo, double end)
{
    static const double nothing = 1e-300;
    if (isfinite(lo)) return end - lo;
    double y = 1;
    for (int i = 0; i < 1000 && mk_dist_below(d, end - y) > nothing; i++) y *= 2;
    return y;
}

double mk_growth_exponent(const struct mk_dist *d, double end, double alpha, double *y)
{
    enum { GRID = 2000 };
    struct curve c = {d, end, alpha};
    double lo, hi, min = INFINITY, u;
    mk_dist_support(d, &lo, &hi);
    if (y) *y = NAN;
    if (!(alpha > 0)) return 0;
    if (!(end > lo)) return INFINITY;
    const int gap =
        mk_dist_below(d, end) < 1; /* without a gap, y of the size of rounding errors would only show these */
    const double last = log(farthest(d, lo, end)), step = log(gap ? 1e15 : 1e10) / GRID;
    int at = 0;
    for (int i = 0; i < GRID; i++) {
        double value = curve_at(last - step * (GRID - i), &c);
        if (!(value < min)) continue;
        min = value;
        at = i;
    }
    u = last - step * (GRID - at);
    if (at == 0) { /* decreases down to y = 0: without a gap its limit there, 0 if -log F is below sqrt(y) */
        if (y) *y = 0;
        return gap ? min : 0;
    }
    min = refine(&c, u - step, u, u + step < last ? u + step : last, &u);
    if (y) *y = exp(u);
    return min;
}

struct mk_growth_claim mk_growth_claim(struct mk_dist *const *dist, size_t n, size_t best, size_t arm, double alpha)
{
    struct mk_growth_claim claim = {NAN, NAN, NAN, NAN};
    double lo, end, top, y;
    mk_dist_support(dist[arm], &lo, &end);
    mk_dist_support(dist[best], &lo, &top);
    if (!(top > end) || !isfinite(top)) return claim;
    claim.slope = alpha / sqrt(top - end);
    claim.c = mk_growth_exponent(dist[best], end, alpha, &y);
    claim.x = y + (top - end);
    claim.c_joint = 0;
    for (size_t j = 0; j < n; j++) {
        double other;
        mk_dist_support(dist[j], &lo, &other);
        if (other > end) claim.c_joint += mk_growth_exponent(dist[j], end, alpha, NULL);
    }
    return claim;
}

/* ---- fits ---- */

const char *mk_growth_model_name(enum mk_growth_model m, int per_pull)
{
    static const char *const name[2][MK_GROWTH_MODELS] = {{"a log T", "a sqrt(T) log T", "a T^c"},
                                                          {"a log T / T", "a log T / sqrt(T)", "a T^c"}};
    return name[per_pull != 0][m];
}

/* log y minus the model's terms in log T that have no constants. */
static double target(const struct mk_growth_points *p, enum mk_growth_model model, size_t i)
{
    double log_t = log((double)p->horizon[i]), value = log(p->y[i]);
    if (model == MK_GROWTH_POWER) return value;
    if (p->per_pull) value += log_t;
    return value - log(log_t) - (model == MK_GROWTH_SQRT_LOG ? log_t / 2 : 0);
}

static double weight(const struct mk_growth_points *p, size_t i)
{
    if (!(p->y[i] > 0) || !isfinite(p->y[i]) || p->horizon[i] < 2) return 0;
    double error = p->se[i] / p->y[i];
    if (!(error > MK_GROWTH_LEAST_ERROR)) error = MK_GROWTH_LEAST_ERROR;
    return 1 / (error * error);
}

void mk_growth_fit(const struct mk_growth_points *p, enum mk_growth_model model, struct mk_growth_fit *out)
{
    const int slope = model == MK_GROWTH_POWER;
    double w = 0, mean_x = 0, mean_y = 0, sxx = 0, sxy = 0, rest = 0;
    *out = (struct mk_growth_fit){0, NAN, NAN, NAN, NAN, NAN};
    for (size_t i = 0; i < p->n; i++) out->used += weight(p, i) > 0;
    if (out->used < MK_GROWTH_LEAST_POINTS) return;
    for (size_t i = 0; i < p->n; i++) {
        double wi = weight(p, i);
        if (!(wi > 0)) continue;
        w += wi;
        mean_x += wi * log((double)p->horizon[i]);
        mean_y += wi * target(p, model, i);
    }
    mean_x /= w;
    mean_y /= w;
    for (size_t i = 0; slope && i < p->n; i++) {
        double wi = weight(p, i), x = log((double)p->horizon[i]) - mean_x;
        if (!(wi > 0)) continue;
        sxx += wi * x * x;
        sxy += wi * x * (target(p, model, i) - mean_y);
    }
    double c = slope ? sxy / sxx : 0;
    for (size_t i = 0; i < p->n; i++) {
        double wi = weight(p, i);
        if (!(wi > 0)) continue;
        double r = target(p, model, i) - mean_y - c * (log((double)p->horizon[i]) - mean_x);
        rest += wi * r * r;
    }
    double n = (double)out->used, k = slope ? 3 : 2, scale = fmax(1, rest / (n - (k - 1)));
    out->a = exp(mean_y - c * mean_x);
    out->se_log_a = sqrt(scale * (1 / w + (slope ? mean_x * mean_x / sxx : 0)));
    if (slope) {
        out->c = c;
        out->se_c = sqrt(scale / sxx);
    }
    out->aicc = n * log(fmax(rest, 1e-300) / w) + 2 * k + 2 * k * (k + 1) / (n - k - 1);
}

enum mk_growth_model mk_growth_least_aicc(const double aicc[MK_GROWTH_MODELS])
{
    int best = 0;
    for (int m = 1; m < MK_GROWTH_MODELS; m++)
        if (aicc[m] < aicc[best]) best = m;
    return (enum mk_growth_model)best;
}
