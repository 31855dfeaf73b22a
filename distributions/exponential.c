/* Exponential distribution: G(x) = exp(-rate x) for x >= 0, rate = 1/mean.
 *
 *     E[M(n)] = mean (digamma(n+1) + Euler's gamma), the harmonic number H_n for whole n. */
#include <gsl/gsl_math.h>
#include <gsl/gsl_sf_psi.h>

#include "distributions/parts/exponential.h"
#include "distributions/parts/kernel.h"
#include "distributions/parts/tools.h"

enum { RATE, MEAN, PARAMS };

const struct mk_param mk_exponential_params[] = {
    MK_POSITIVE("rate", MK_OPTIONAL, 0, "rate; give rate or mean, not both"),
    MK_POSITIVE("mean", MK_OPTIONAL, 0, "mean of |X|, 1/rate"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(mk_exponential_params, PARAMS);

const char *mk_exponential_prepare(struct mk_dist *d, int *param)
{
    int rate = !isnan(d->v[RATE]), mean = !isnan(d->v[MEAN]);
    if (rate == mean) {
        *param = rate ? MEAN : -1;
        return rate ? "cannot be combined with rate" : "expected either rate or mean";
    }
    d->c[MK_EXPONENTIAL_MEAN] = mean ? d->v[MEAN] : 1 / d->v[RATE];
    *param = RATE;
    return isfinite(d->c[MK_EXPONENTIAL_MEAN]) ? NULL : "too small: the mean 1/rate overflows";
}

static void sample(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out)
{
    for (size_t i = 0; i < n; i += MK_BLOCK) {
        size_t m = n - i < MK_BLOCK ? n - i : MK_BLOCK;
        mk_block_uniform(rng, m, out + i);
        mk_block_log(m, out + i);
        mk_block_affine(m, out + i, 0, -d->c[MK_EXPONENTIAL_MEAN]);
    }
}

static double survival(const struct mk_dist *d, double x)
{
    return x <= 0 ? 1 : exp(-x / d->c[MK_EXPONENTIAL_MEAN]);
}

static double cdf(const struct mk_dist *d, double x)
{
    return x <= 0 ? 0 : -expm1(-x / d->c[MK_EXPONENTIAL_MEAN]);
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    return d->c[MK_EXPONENTIAL_MEAN] * mk_minus_log(upper, lower);
}

static double density(const struct mk_dist *d, double x)
{
    return x < 0 ? 0 : exp(-x / d->c[MK_EXPONENTIAL_MEAN]) / d->c[MK_EXPONENTIAL_MEAN];
}

static double expected_max(const struct mk_dist *d, double n)
{
    return d->c[MK_EXPONENTIAL_MEAN] * (gsl_sf_psi(n + 1) + M_EULER);
}

const struct mk_dist_type mk_dist_exponential = {
    .name = "exponential",
    .summary = "exponential distribution, by its rate or its mean",
    .formula = "G(x) = exp(-rate x) for x >= 0, rate = 1/mean",
    .reference = "Balef et al. 2025, Appendix E.4 (2)",
    .params = mk_exponential_params,
    .prepare = mk_exponential_prepare,
    .sample = sample,
    .survival = survival,
    .cdf = cdf,
    .inverse = inverse,
    .density = density,
    .support = mk_support_positive,
    .expected_max = expected_max,
};
