/* Gaussian-process regression with one weight for every input (automatic relevance determination).
 *
 *     cov(f(x), f(x')) = scale f(r^2),   r^2 = sum_i w_i delta_i^2,   y = f + noise
 *
 * delta_i = x_i - x'_i, or whether the two differ for nominal inputs (Hamming distance); w_i is the inverse square of a
 * length scale. f(r^2) = (1 + q + q^2 / 3) exp(-q), q = sqrt(5) r (Matérn 5/2), or exp(-r^2 / 2) (squared exponential,
 * Nguyen 2024, eq. 3.1). Several inputs may share a weight. Rasmussen & Williams 2006, eqs 2.25, 2.26, 2.30, 5.9.
 *
 * Parameters are given by their logarithms, theta = (log w_0 …, log scale, log noise variance).
 * Points are stored by columns: input i of point j at x[i * stride + j]. Covariances are packed rows (cholesky.h). */
#ifndef MAXK_SIM_SEARCH_MODELS_GAUSSIAN_PROCESS_H
#define MAXK_SIM_SEARCH_MODELS_GAUSSIAN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/api/maxk/error.h"
#include "sim/base/pool.h"

enum mk_gp_shape { MK_GP_MATERN, MK_GP_SQUARED_EXPONENTIAL };
#define MK_GP_SHAPE_CHOICES "matern|se"

struct mk_gp {
    enum mk_gp_shape shape;
    size_t d;                /* inputs */
    const bool *nominal;     /* [d] */
    const size_t *weight_of; /* [d] */
    size_t n_weights;
};

static inline size_t mk_gp_parameters(const struct mk_gp *g)
{
    return g->n_weights + 2;
}

/* Scratch memory; start with a struct of zeros, one per thread. */
struct mk_gp_work {
    struct mk_pool pool;
    double *k, *inverse, *columns; /* packed */
    double *alpha, *r2, *slope;    /* [n] */
    double *eight;                 /* [8 n] */
};
/* Room for n points; what was there is gone. */
int mk_gp_reserve(struct mk_gp_work *w, size_t n, struct mk_error *err);
void mk_gp_work_free(struct mk_gp_work *w);

/* The variance of the noise. */
double mk_gp_noise(const struct mk_gp *g, const double *theta);

/* Rows first … n-1 of the covariance of y. */
void mk_gp_covariance(const struct mk_gp *g, const double *theta, const double *x, size_t stride, size_t first,
                      size_t n, double *k);

/* out[j] = cov(f(p), f(x_j)); slope[j], unless NULL, its derivative with respect to r^2. */
void mk_gp_cross(const struct mk_gp *g, const double *theta, const double *x, size_t stride, size_t n, const double *p,
                 double *out, double *slope);

/* log p(y | x, theta) and, unless NULL, its gradient; -INFINITY if the covariance is numerically singular. */
double mk_gp_log_likelihood(const struct mk_gp *g, const double *theta, const double *x, size_t stride, const double *y,
                            size_t n, double *gradient, struct mk_gp_work *w);

/* Mean and variance of f(p) given y, from the factor l of the covariance of y and alpha = K^-1 y. gradient, unless
 * NULL: [2][d] their derivatives with respect to p (0 for nominal inputs). */
void mk_gp_predict(const struct mk_gp *g, const double *theta, const double *x, size_t stride, size_t n,
                   const double *l, const double *alpha, const double *p, double *mean, double *variance,
                   double *gradient, struct mk_gp_work *w);

/* Mean and variance of f at eight points p[c * d + i]. */
void mk_gp_predict_eight(const struct mk_gp *g, const double *theta, const double *x, size_t stride, size_t n,
                         const double *l, const double *alpha, const double *p, double *mean, double *variance,
                         struct mk_gp_work *w);

/* The prior of Optuna's GPSampler: log density up to a constant, its gradient with respect to theta is added. */
double mk_gp_log_prior(const struct mk_gp *g, const double *theta, double *gradient);

/* Moves theta to a (local) maximum of likelihood times prior, by at most `steps` steps of BFGS. MK_ENOMEM. */
int mk_gp_fit(const struct mk_gp *g, double *theta, const double *x, size_t stride, const double *y, size_t n,
              size_t steps, struct mk_gp_work *w, struct mk_error *err);

/* The default: unit weights and scale, noise variance 0.01. */
void mk_gp_default(const struct mk_gp *g, double *theta);

#endif
