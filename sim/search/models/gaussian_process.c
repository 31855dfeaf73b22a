#include "sim/search/models/gaussian_process.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_multimin.h>

#include "distributions/parts/kernel.h"
#include "sim/base/clones.h"
#include "sim/base/error.h"
#include "sim/search/models/cholesky.h"

static const double half_log_two_pi = 0.91893853320467274178, least_noise = 1e-6;

enum { EIGHT = 8 };

/* BFGS: first step, accuracy of line searches, norm of the gradient at which it ends. */
static const double first_step = 0.5, line_accuracy = 0.1, flat = 1e-3;

int mk_gp_reserve(struct mk_gp_work *w, size_t n, struct mk_error *err)
{
    const size_t packed = mk_packed_size(n);
    const struct mk_pool_array arrays[] = {
        MK_POOL_ARRAY(w->k, packed),        MK_POOL_ARRAY(w->inverse, packed), MK_POOL_ARRAY(w->columns, packed),
        MK_POOL_ARRAY(w->alpha, n),         MK_POOL_ARRAY(w->r2, n),           MK_POOL_ARRAY(w->slope, n),
        MK_POOL_ARRAY(w->eight, EIGHT * n),
    };
    return mk_pool_lay_out(&w->pool, arrays, sizeof arrays / sizeof *arrays, "a Gaussian process", err);
}

void mk_gp_work_free(struct mk_gp_work *w)
{
    mk_pool_free(&w->pool);
}

/* ---- covariances ---- */

/* r2[j] = r^2 of x_j and the point with input i at p[i * step]. */
MK_CLONES static void distances(const struct mk_gp *g, const double *theta, const double *x, size_t stride, size_t n,
                                const double *p, size_t step, double *r2)
{
    memset(r2, 0, n * sizeof *r2);
    for (size_t i = 0; i < g->d; i++) {
        const double weight = exp(theta[g->weight_of[i]]), at = p[i * step], *column = x + i * stride;
        if (g->nominal[i])
            for (size_t j = 0; j < n; j++) r2[j] += column[j] != at ? weight : 0;
        else
            for (size_t j = 0; j < n; j++) r2[j] += weight * ((column[j] - at) * (column[j] - at));
    }
}

/* value[j] <- scale f(value[j]); slope[j], unless NULL, the derivative there. */
MK_CLONES static void shape_of(enum mk_gp_shape shape, double scale, size_t n, double *value, double *slope)
{
    double decay[MK_BLOCK], q[MK_BLOCK];
    for (size_t from = 0; from < n; from += MK_BLOCK, value += MK_BLOCK) {
        const size_t m = n - from < MK_BLOCK ? n - from : MK_BLOCK;
        for (size_t j = 0; j < m; j++) decay[j] = q[j] = shape == MK_GP_MATERN ? sqrt(5 * value[j]) : 0.5 * value[j];
        mk_block_exp(m, decay, -1, scale);
        if (shape == MK_GP_MATERN) {
            for (size_t j = 0; slope && j < m; j++) slope[from + j] = -(5.0 / 6) * (1 + q[j]) * decay[j];
            for (size_t j = 0; j < m; j++) value[j] = (1 + q[j] * (1 + q[j] / 3)) * decay[j];
        } else {
            for (size_t j = 0; slope && j < m; j++) slope[from + j] = -0.5 * decay[j];
            memcpy(value, decay, m * sizeof *value);
        }
    }
}

static void cross(const struct mk_gp *g, const double *theta, const double *x, size_t stride, size_t n, const double *p,
                  size_t step, double *out, double *slope)
{
    distances(g, theta, x, stride, n, p, step, out);
    shape_of(g->shape, exp(theta[g->n_weights]), n, out, slope);
}

void mk_gp_cross(const struct mk_gp *g, const double *theta, const double *x, size_t stride, size_t n, const double *p,
                 double *out, double *slope)
{
    cross(g, theta, x, stride, n, p, 1, out, slope);
}

double mk_gp_noise(const struct mk_gp *g, const double *theta)
{
    return exp(theta[g->n_weights + 1]) + least_noise;
}

void mk_gp_covariance(const struct mk_gp *g, const double *theta, const double *x, size_t stride, size_t first,
                      size_t n, double *k)
{
    for (size_t i = first; i < n; i++) {
        double *row = mk_packed_row(k, i);
        cross(g, theta, x, stride, i + 1, x + i, stride, row, NULL);
        row[i] += mk_gp_noise(g, theta);
    }
}

/* ---- likelihood ---- */

/* Sum of a[j] delta_j^2 over points 0 … n-1, delta the difference of input values to `at`. */
MK_CLONES static double weighted_squares(const double *a, const double *column, double at, bool nominal, size_t n)
{
    double s[4] = {0};
    size_t j = 0;
    if (nominal) {
        for (; j + 4 <= n; j += 4)
            for (size_t c = 0; c < 4; c++) s[c] += column[j + c] != at ? a[j + c] : 0;
        for (; j < n; j++) s[0] += column[j] != at ? a[j] : 0;
    } else {
        for (; j + 4 <= n; j += 4)
            for (size_t c = 0; c < 4; c++) s[c] += a[j + c] * ((column[j + c] - at) * (column[j + c] - at));
        for (; j < n; j++) s[0] += a[j] * ((column[j] - at) * (column[j] - at));
    }
    return (s[0] + s[2]) + (s[1] + s[3]);
}

/* Half the trace of (alpha alpha^T - K^-1) dK/dtheta, row by row of the lower triangle. */
static void add_traces(const struct mk_gp *g, const double *theta, const double *x, size_t stride, size_t n,
                       struct mk_gp_work *w, double *gradient)
{
    const double scale = exp(theta[g->n_weights]), noise = exp(theta[g->n_weights + 1]);
    double *const of_scale = &gradient[g->n_weights], *const of_noise = of_scale + 1;
    for (size_t i = 0; i < n; i++) {
        const double *inverse = mk_packed_row(w->inverse, i);
        cross(g, theta, x, stride, i, x + i, stride, w->r2, w->slope);
        for (size_t j = 0; j < i; j++) {
            const double trace = w->alpha[i] * w->alpha[j] - inverse[j];
            w->r2[j] *= trace;
            w->slope[j] *= trace;
        }
        for (size_t j = 0; j < i; j++) *of_scale += w->r2[j];
        for (size_t f = 0; f < g->d; f++) {
            const double *column = x + f * stride;
            gradient[g->weight_of[f]] +=
                exp(theta[g->weight_of[f]]) * weighted_squares(w->slope, column, column[i], g->nominal[f], i);
        }
        const double half = 0.5 * (w->alpha[i] * w->alpha[i] - inverse[i]);
        *of_scale += half * scale;
        *of_noise += half * noise;
    }
}

double mk_gp_log_likelihood(const struct mk_gp *g, const double *theta, const double *x, size_t stride, const double *y,
                            size_t n, double *gradient, struct mk_gp_work *w)
{
    double fit = 0;
    mk_gp_covariance(g, theta, x, stride, 0, n, w->k);
    for (size_t i = 0; gradient && i < mk_gp_parameters(g); i++) gradient[i] = 0;
    if (mk_cholesky_extend(w->k, 0, n) < n) return -INFINITY;
    memcpy(w->alpha, y, n * sizeof *y);
    mk_cholesky_forward(w->k, n, w->alpha);
    for (size_t i = 0; i < n; i++) fit += w->alpha[i] * w->alpha[i];
    if (gradient) {
        mk_cholesky_backward(w->k, n, w->alpha);
        mk_cholesky_inverse(w->k, n, w->inverse, w->columns);
        add_traces(g, theta, x, stride, n, w, gradient);
    }
    return -0.5 * fit - 0.5 * mk_cholesky_log_determinant(w->k, n) - (double)n * half_log_two_pi;
}

/* ---- prediction ---- */

void mk_gp_predict(const struct mk_gp *g, const double *theta, const double *x, size_t stride, size_t n,
                   const double *l, const double *alpha, const double *p, double *mean, double *variance,
                   double *gradient, struct mk_gp_work *w)
{
    double *k = w->r2, *slope = w->slope, *solved = w->alpha;
    mk_gp_cross(g, theta, x, stride, n, p, k, gradient ? slope : NULL);
    *mean = mk_inner_product(k, alpha, n);
    memcpy(solved, k, n * sizeof *k);
    mk_cholesky_forward(l, n, solved);
    const double left = exp(theta[g->n_weights]) - mk_inner_product(solved, solved, n);
    *variance = left > 0 ? left : 0;
    if (!gradient) return;
    mk_cholesky_backward(l, n, solved); /* d variance = -2 k^T K^-1 dk */
    for (size_t i = 0; i < g->d; i++) {
        const double *column = x + i * stride;
        double of_mean = 0, of_variance = 0;
        for (size_t j = 0; !g->nominal[i] && j < n; j++) {
            const double step = slope[j] * (p[i] - column[j]);
            of_mean += alpha[j] * step;
            of_variance += solved[j] * step;
        }
        const double weight = exp(theta[g->weight_of[i]]);
        gradient[i] = 2 * weight * of_mean;
        gradient[g->d + i] = -4 * weight * of_variance;
    }
}

void mk_gp_predict_eight(const struct mk_gp *g, const double *theta, const double *x, size_t stride, size_t n,
                         const double *l, const double *alpha, const double *p, double *mean, double *variance,
                         struct mk_gp_work *w)
{
    const double scale = exp(theta[g->n_weights]);
    for (size_t c = 0; c < EIGHT; c++) {
        mk_gp_cross(g, theta, x, stride, n, p + c * g->d, w->r2, NULL);
        mean[c] = mk_inner_product(w->r2, alpha, n);
        variance[c] = scale;
        for (size_t j = 0; j < n; j++) w->eight[j * EIGHT + c] = w->r2[j];
    }
    mk_cholesky_forward_columns(l, n, w->eight);
    for (size_t j = 0; j < n; j++)
        for (size_t c = 0; c < EIGHT; c++) variance[c] -= w->eight[j * EIGHT + c] * w->eight[j * EIGHT + c];
    for (size_t c = 0; c < EIGHT; c++) variance[c] = variance[c] > 0 ? variance[c] : 0;
}

/* ---- fitting ---- */

/* optuna/samplers/_gp/prior.py: weights -0.1 / w - 0.1 w; scale gamma(2, 1); noise gamma(1.1, 30), of the values and
 * not of their logarithms. */
double mk_gp_log_prior(const struct mk_gp *g, const double *theta, double *gradient)
{
    double sum = 0;
    for (size_t i = 0; i < g->n_weights; i++) {
        const double w = exp(theta[i]);
        sum -= 0.1 / w + 0.1 * w;
        if (gradient) gradient[i] += 0.1 / w - 0.1 * w;
    }
    const double scale = exp(theta[g->n_weights]), noise = mk_gp_noise(g, theta);
    if (gradient) {
        gradient[g->n_weights] += 1 - scale;
        gradient[g->n_weights + 1] += (0.1 / noise - 30) * (noise - least_noise);
    }
    return sum + log(scale) - scale + 0.1 * log(noise) - 30 * noise;
}

void mk_gp_default(const struct mk_gp *g, double *theta)
{
    for (size_t i = 0; i <= g->n_weights; i++) theta[i] = 0;
    theta[g->n_weights + 1] = log(0.01);
}

struct target {
    const struct mk_gp *g;
    const double *x, *y;
    size_t stride, n;
    struct mk_gp_work *w;
};

/* Minus the log posterior; a large number where it cannot be computed. */
static void evaluate(const gsl_vector *theta, void *with, double *value, gsl_vector *gradient)
{
    const struct target *t = with;
    double *slope = gradient ? gradient->data : NULL;
    *value = mk_gp_log_likelihood(t->g, theta->data, t->x, t->stride, t->y, t->n, slope, t->w);
    *value += mk_gp_log_prior(t->g, theta->data, slope);
    *value = isfinite(*value) ? -*value : 1e300;
    for (size_t i = 0; slope && i < mk_gp_parameters(t->g); i++) slope[i] = isfinite(slope[i]) ? -slope[i] : 0;
}

static double value_only(const gsl_vector *theta, void *with)
{
    double value;
    evaluate(theta, with, &value, NULL);
    return value;
}

static void gradient_only(const gsl_vector *theta, void *with, gsl_vector *gradient)
{
    double value;
    evaluate(theta, with, &value, gradient);
}

int mk_gp_fit(const struct mk_gp *g, double *theta, const double *x, size_t stride, const double *y, size_t n,
              size_t steps, struct mk_gp_work *w, struct mk_error *err)
{
    const size_t m = mk_gp_parameters(g);
    int code = mk_gp_reserve(w, n, err);
    if (code) return code;
    struct target t = {g, x, y, stride, n, w};
    gsl_multimin_function_fdf f = {value_only, gradient_only, evaluate, m, &t};
    gsl_vector_view start = gsl_vector_view_array(theta, m);
    gsl_multimin_fdfminimizer *bfgs = gsl_multimin_fdfminimizer_alloc(gsl_multimin_fdfminimizer_vector_bfgs2, m);
    if (!bfgs) return mk_fail_memory(err, "a Gaussian process");
    gsl_multimin_fdfminimizer_set(bfgs, &f, &start.vector, first_step, line_accuracy);
    for (size_t i = 0; i < steps; i++) {
        if (gsl_multimin_fdfminimizer_iterate(bfgs)) break;
        if (gsl_multimin_test_gradient(bfgs->gradient, flat) == GSL_SUCCESS) break;
    }
    for (size_t i = 0; i < m; i++) theta[i] = gsl_vector_get(bfgs->x, i);
    gsl_multimin_fdfminimizer_free(bfgs);
    return MK_OK;
}
