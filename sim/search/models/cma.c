#include "sim/search/models/cma.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_eigen.h>

#include "sim/base/error.h"

/* Keeps the length of a point at the mean from dividing by 0, and c_1 + c_mu below 1 (cmaes 0.9). */
static const double tiny = 1e-8;

/* Table 1 of the tutorial. */
struct rates {
    size_t mu;
    double mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu;
    double expected; /* E|N(0, I)| */
};

static double raw_weight(size_t lambda, size_t i)
{
    return log((double)(lambda + 1) / 2) - log((double)(i + 1));
}

/* The effective number of the weights first … last-1. */
static double effective_number(size_t lambda, size_t first, size_t last, double *sum)
{
    double squares = 0;
    *sum = 0;
    for (size_t i = first; i < last; i++) {
        const double w = raw_weight(lambda, i);
        *sum += w;
        squares += w * w;
    }
    return squares > 0 ? *sum * *sum / squares : 0;
}

/* weight[lambda], of which the first mu sum to 1. */
static struct rates make_rates(size_t dimension, size_t lambda, double *weight)
{
    const double n = (double)dimension;
    struct rates r = {.mu = lambda / 2};
    double above, below;
    r.mu_eff = effective_number(lambda, 0, r.mu, &above);
    const double mu_eff_minus = effective_number(lambda, r.mu, lambda, &below);
    r.c_1 = 2 / ((n + 1.3) * (n + 1.3) + r.mu_eff);
    r.c_mu = fmin(1 - r.c_1 - tiny, 2 * (r.mu_eff - 2 + 1 / r.mu_eff) / ((n + 2) * (n + 2) + r.mu_eff));
    r.c_sigma = (r.mu_eff + 2) / (n + r.mu_eff + 5);
    r.d_sigma = 1 + 2 * fmax(0, sqrt((r.mu_eff - 1) / (n + 1)) - 1) + r.c_sigma;
    r.c_c = (4 + r.mu_eff / n) / (n + 4 + 2 * r.mu_eff / n);
    r.expected = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
    double min = 1 + 2 * mu_eff_minus / (r.mu_eff + 2);
    if (r.c_mu > 0) min = fmin(min, fmin(1 + r.c_1 / r.c_mu, (1 - r.c_1 - r.c_mu) / (n * r.c_mu)));
    for (size_t i = 0; i < lambda; i++) {
        const double w = raw_weight(lambda, i);
        weight[i] = w >= 0 ? w / above : min * w / -below;
    }
    return r;
}

/* ---- parts of the data ---- */

struct parts {
    double *mean, *p_sigma, *p_c, *root; /* [n] */
    double *cov, *vector;                /* [n][n] */
};

static struct parts parts_of(struct mk_cma *c)
{
    double *const at = c->data;
    const size_t n = c->n;
    return (struct parts){at, at + n, at + 2 * n, at + 3 * n, at + 4 * n, at + (4 + n) * n};
}

size_t mk_cma_bytes(size_t n)
{
    return sizeof(struct mk_cma) + (4 + 2 * n) * n * sizeof(double);
}

size_t mk_cma_population(size_t n)
{
    return 4 + (size_t)floor(3 * log((double)n));
}

void mk_cma_start(struct mk_cma *c, size_t n, size_t lambda, const double *mean, double sigma)
{
    memset(c, 0, mk_cma_bytes(n));
    c->n = n;
    c->lambda = lambda;
    c->sigma = sigma;
    c->condition = 1;
    const struct parts p = parts_of(c);
    memcpy(p.mean, mean, n * sizeof *mean);
    for (size_t i = 0; i < n; i++) p.root[i] = p.cov[i * n + i] = p.vector[i * n + i] = 1;
}

void mk_cma_sample(const struct mk_cma *c, struct mk_pcg64 *rng, double *x)
{
    const size_t n = c->n;
    const double *root = c->data + 3 * n, *vector = c->data + (4 + n) * n;
    memcpy(x, c->data, n * sizeof *x);
    for (size_t k = 0; k < n; k++) {
        const double z = c->sigma * root[k] * gsl_cdf_ugaussian_Pinv(mk_uniform(rng));
        for (size_t i = 0; i < n; i++) x[i] += vector[i * n + k] * z;
    }
}

/* ---- a generation ---- */

/* z = D^-1 B^T y; its length is that of C^-1/2 y. */
static double whiten(struct mk_cma *c, const double *y, double *z)
{
    const size_t n = c->n;
    const struct parts p = parts_of(c);
    double squares = 0;
    for (size_t k = 0; k < n; k++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) sum += p.vector[i * n + k] * y[i];
        z[k] = sum / p.root[k];
        squares += z[k] * z[k];
    }
    return squares;
}

/* C = B D^2 B^T, for the next generation; scratch[n][n]. */
static int decompose(struct mk_cma *c, double *scratch, struct mk_error *err)
{
    const size_t n = c->n;
    gsl_eigen_symmv_workspace *work = gsl_eigen_symmv_alloc(n);
    if (!work) return mk_fail_memory(err, "an eigen decomposition");
    const struct parts p = parts_of(c);
    double *root = p.root, min = INFINITY, max = 0;
    memcpy(scratch, p.cov, n * n * sizeof *scratch);
    gsl_matrix_view matrix = gsl_matrix_view_array(scratch, n, n), vectors = gsl_matrix_view_array(p.vector, n, n);
    gsl_vector_view values = gsl_vector_view_array(root, n);
    const int failed = gsl_eigen_symmv(&matrix.matrix, &values.vector, &vectors.matrix, work);
    gsl_eigen_symmv_free(work);
    for (size_t i = 0; i < n; i++) {
        min = fmin(min, root[i]);
        max = fmax(max, root[i]);
        root[i] = sqrt(root[i] > 0 ? root[i] : tiny);
    }
    c->condition = !failed && min > 0 && isfinite(max) ? max / min : INFINITY;
    return MK_OK;
}

/* y[lambda][n] from the points, w[i] <- w_i^o, and <y>. z: scratch. */
static void take_points(struct mk_cma *c, const double *const *x, const bool *foreign, const struct rates *r, double *w,
                        double *y, double *mean, double *z)
{
    const size_t n = c->n;
    const double max = sqrt((double)n) + 2 * (double)n / ((double)n + 2);
    memset(mean, 0, n * sizeof *mean);
    for (size_t k = 0; k < c->lambda; k++) {
        double *at = y + k * n;
        for (size_t i = 0; i < n; i++) at[i] = (x[k][i] - c->data[i]) / c->sigma;
        double squares = whiten(c, at, z);
        const double shorter = foreign[k] && squares > max * max ? max / sqrt(squares) : 1;
        for (size_t i = 0; i < n; i++) {
            at[i] *= shorter;
            if (k < r->mu) mean[i] += w[k] * at[i];
        }
        squares *= shorter * shorter;
        if (w[k] < 0) w[k] *= (double)n / (squares + tiny);
    }
}

/* p_sigma and sigma; returns h_sigma. */
static double adapt_step_size(struct mk_cma *c, const struct rates *r, const double *step, double *z)
{
    const size_t n = c->n;
    const double rate = sqrt(r->c_sigma * (2 - r->c_sigma) * r->mu_eff);
    const struct parts all = parts_of(c);
    double *p = all.p_sigma, squares = 0;
    whiten(c, step, z);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < n; k++) sum += all.vector[i * n + k] * z[k];
        p[i] = (1 - r->c_sigma) * p[i] + rate * sum;
        squares += p[i] * p[i];
    }
    const double length = sqrt(squares), age = 2 * ((double)c->generation + 1);
    c->sigma *= exp(r->c_sigma / r->d_sigma * (length / r->expected - 1));
    return length / sqrt(1 - pow(1 - r->c_sigma, age)) < (1.4 + 2 / ((double)n + 1)) * r->expected;
}

static void adapt_covariance(struct mk_cma *c, const struct rates *r, double kept, const double *w, const double *y)
{
    const size_t n = c->n;
    const double *p = parts_of(c).p_c;
    double *cov = parts_of(c).cov;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t k = 0; k < c->lambda; k++) sum += w[k] * y[k * n + i] * y[k * n + j];
            cov[i * n + j] = cov[j * n + i] = kept * cov[i * n + j] + r->c_1 * p[i] * p[j] + r->c_mu * sum;
        }
}

int mk_cma_update(struct mk_cma *c, const double *const *x, const bool *foreign, struct mk_pool *pool,
                  struct mk_error *err)
{
    const size_t n = c->n, lambda = c->lambda;
    double *w, *y, *step, *z, *scratch, *p = parts_of(c).p_c, weights = 0;
    const struct mk_pool_array arrays[] = {
        MK_POOL_ARRAY(w, lambda), MK_POOL_ARRAY(y, lambda * n),  MK_POOL_ARRAY(step, n),
        MK_POOL_ARRAY(z, n),      MK_POOL_ARRAY(scratch, n * n),
    };
    int code = mk_pool_lay_out(pool, arrays, sizeof arrays / sizeof *arrays, "the covariance matrix", err);
    if (code) return code;
    const struct rates r = make_rates(n, lambda, w);
    for (size_t k = 0; k < lambda; k++) weights += w[k];
    take_points(c, x, foreign, &r, w, y, step, z);
    for (size_t i = 0; i < n; i++) c->data[i] += c->sigma * step[i];
    c->generation++;
    const double h = adapt_step_size(c, &r, step, z), rate = h * sqrt(r.c_c * (2 - r.c_c) * r.mu_eff);
    for (size_t i = 0; i < n; i++) p[i] = (1 - r.c_c) * p[i] + rate * step[i];
    const double delta = (1 - h) * r.c_c * (2 - r.c_c);
    adapt_covariance(c, &r, 1 + r.c_1 * delta - r.c_1 - r.c_mu * weights, w, y);
    return decompose(c, scratch, err);
}

bool mk_cma_is_narrow(const struct mk_cma *c, double min)
{
    const double *p = c->data + 2 * c->n, *cov = mk_cma_covariance(c);
    for (size_t i = 0; i < c->n; i++)
        if (!(c->sigma * sqrt(cov[i * c->n + i]) < min && c->sigma * fabs(p[i]) < min)) return false;
    return true;
}
