/* Parzen estimators of the tree-structured Parzen estimator (TPE; Bergstra et al. 2011), by the rules of Optuna.
 *
 * A mixture of one kernel for every observation and one for the prior, each a product over axes:
 *   continuous  normal with mean mu, standard deviation sigma, truncated to [0, 1]
 *   cells       the probability of the cell around x under that distribution
 *   words       word c of C: (v + [c = observed]) / (1 + C v), v = 1 / kernels; the prior is uniform
 * The prior has mean 1/2 and sigma 1. Weights: 1 for the prior and the latest 25 observations, and rising linearly from
 * 1/n to 1 over the earlier ones. Bandwidths: `gap`: the larger distance to a neighbouring mean, for the smallest and
 * the largest mean the only one; `scott`: 0.2 n^(-1 / (d + 4)); at least 1 / min(100, 1 + kernels), at most 1.
 *
 * Optuna 3.0 to 3.4 omit the factor 1 / sigma of continuous kernels, so that wide ones weigh too much (its issue 5109):
 * so does `normalise` false. */
#ifndef MAXK_SIM_SEARCH_MODELS_PARZEN_H
#define MAXK_SIM_SEARCH_MODELS_PARZEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/base/pcg64.h"
#include "sim/base/pool.h"

enum mk_bandwidth { MK_BANDWIDTH_GAP, MK_BANDWIDTH_SCOTT };
#define MK_BANDWIDTH_CHOICES "gap|scott"

struct mk_parzen_axis {
    size_t words; /* > 0: words 0 … words - 1 */
    double cell;  /* > 0: cells of this width */
};

struct mk_parzen {
    size_t d, n;                       /* axes; kernels, the prior last */
    const struct mk_parzen_axis *axis; /* [d] borrowed */
    double *mu, *sigma, *inverse;      /* [d][n]; words: mu is the word; 1 / sigma */
    uint32_t *same;                    /* [d][n] of axes of cells: another kernel with this mu and sigma, or itself */
    double *cumulated;                 /* [n] cumulated weights */
    double *height;                    /* [n] log of the weight and of the factors that do not depend on x */
    double *term, *mass;               /* [n] scratch */
    uint32_t *order;                   /* [2 n] scratch */
    struct mk_pool pool;
};

/* Rebuilds p, which starts as a struct of zeros, from n observations in chronological order: u[i * stride + j] is axis
 * i of observation j. The memory is reused. MK_ENOMEM. */
int mk_parzen_build(struct mk_parzen *p, const struct mk_parzen_axis *axis, size_t d, const double *u, size_t stride,
                    size_t n, enum mk_bandwidth bandwidth, bool normalise, struct mk_error *err);
void mk_parzen_free(struct mk_parzen *p);

/* log density (of cells and words: log probability) at x[d]; words as numbers, cells by their middle. */
double mk_parzen_log_density(const struct mk_parzen *p, const double *x);

/* Where the normal distribution with mean mu in [0, 1] and standard deviation sigma, truncated to [0, 1], has
 * distribution function u. */
double mk_truncated_normal(double mu, double sigma, double u);

/* A draw. */
void mk_parzen_sample(const struct mk_parzen *p, struct mk_pcg64 *rng, double *x);

#endif
