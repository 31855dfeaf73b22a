/* The distribution of CMA-ES, the evolution strategy with covariance matrix adaptation (Hansen, "The CMA Evolution
 * Strategy: A Tutorial", arXiv:1604.00772v2): normal with mean m and covariance sigma^2 C, from which lambda points are
 * drawn per generation. With y_i = (x_i - m) / sigma of the i-th best, and the weights and rates of its Table 1
 * (negative weights included):
 *     m       <- m + sigma <y>,  <y> = sum_{i <= mu} w_i y_i
 *     p_sigma <- (1 - c_sigma) p_sigma + sqrt(c_sigma (2 - c_sigma) mu_eff) C^{-1/2} <y>
 *     sigma   <- sigma exp(c_sigma / d_sigma (|p_sigma| / E|N(0, I)| - 1))
 *     p_c     <- (1 - c_c) p_c + h_sigma sqrt(c_c (2 - c_c) mu_eff) <y>
 *     C       <- (1 + c_1 delta(h_sigma) - c_1 - c_mu sum w_i) C + c_1 p_c p_c^T + c_mu sum w_i^o y_i y_i^T
 * Only the order of the points enters, not their rewards. C is decomposed in every generation, O(d^3). */
#ifndef MAXK_SIM_SEARCH_MODELS_CMA_H
#define MAXK_SIM_SEARCH_MODELS_CMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/base/pcg64.h"
#include "sim/base/pool.h"

/* Plain data. */
struct mk_cma {
    uint64_t n, lambda;  /* dimension, points of a generation */
    uint64_t generation; /* completed */
    double sigma;
    double condition; /* of C; infinity where it is not positive definite */
    double data[];    /* mean, p_sigma, p_c, square roots of the eigenvalues: [n] each; C, eigenvectors: [n][n] each,
                         the latter in columns */
};

size_t mk_cma_bytes(size_t n);

/* C = I. */
void mk_cma_start(struct mk_cma *c, size_t n, size_t lambda, const double *mean, double sigma);

/* 4 + floor(3 log n) */
size_t mk_cma_population(size_t n);

static inline const double *mk_cma_mean(const struct mk_cma *c)
{
    return c->data;
}

static inline const double *mk_cma_covariance(const struct mk_cma *c)
{
    return c->data + 4 * c->n;
}

/* A point of the distribution into x[n]. */
void mk_cma_sample(const struct mk_cma *c, struct mk_pcg64 *rng, double *x);

/* One generation: x[lambda], points from the best to the worst. Those of which foreign[i] holds were not drawn from
 * this distribution: their distance sqrt(y^T C^-1 y) is reduced to sqrt(n) + 2n / (n + 2) at most (Hansen,
 * arXiv:1110.4181). MK_ENOMEM. */
int mk_cma_update(struct mk_cma *c, const double *const *x, const bool *foreign, struct mk_pool *pool,
                  struct mk_error *err);

/* Whether sigma sqrt(C_ii) and sigma |p_c,i| are below `min` for all i. */
bool mk_cma_is_narrow(const struct mk_cma *c, double min);

#endif
