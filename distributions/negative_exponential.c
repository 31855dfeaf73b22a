/* Negated exponential law: X = -E, E exponential, with upper end point 0 approached at a positive density.
 *
 *     F(x) = exp(rate x) for x <= 0, rate = 1/mean, mean = E[-X];   E[M(n)] = -mean/n. */
#include "distributions/parts/exponential.h"
#include "distributions/parts/kernel.h"
#include "distributions/parts/tools.h"

static void sample(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out)
{
    for (size_t i = 0; i < n; i += MK_BLOCK) {
        size_t m = n - i < MK_BLOCK ? n - i : MK_BLOCK;
        mk_block_uniform(rng, m, out + i);
        mk_block_log(m, out + i);
        mk_block_affine(m, out + i, 0, d->c[MK_EXPONENTIAL_MEAN]);
    }
}

static double survival(const struct mk_dist *d, double x)
{
    return x >= 0 ? 0 : -expm1(x / d->c[MK_EXPONENTIAL_MEAN]);
}

static double cdf(const struct mk_dist *d, double x)
{
    return x >= 0 ? 1 : exp(x / d->c[MK_EXPONENTIAL_MEAN]);
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    return -d->c[MK_EXPONENTIAL_MEAN] * mk_minus_log(lower, upper);
}

static double density(const struct mk_dist *d, double x)
{
    return x > 0 ? 0 : exp(x / d->c[MK_EXPONENTIAL_MEAN]) / d->c[MK_EXPONENTIAL_MEAN];
}

static void support(const struct mk_dist *d, double *lo, double *hi)
{
    (void)d;
    *lo = -INFINITY;
    *hi = 0;
}

static double expected_max(const struct mk_dist *d, double n)
{
    return -d->c[MK_EXPONENTIAL_MEAN] / n;
}

const struct mk_dist_type mk_dist_negative_exponential = {
    .name = "negative_exponential",
    .summary = "negated exponential distribution, upper end point 0",
    .formula = "G(x) = 1 - exp(rate x) for x <= 0, rate = 1/mean, mean = E[-X]",
    .reference = "Johnson, Kotz and Balakrishnan 1994, chapter 19, negated",
    .params = mk_exponential_params,
    .prepare = mk_exponential_prepare,
    .sample = sample,
    .survival = survival,
    .cdf = cdf,
    .inverse = inverse,
    .density = density,
    .support = support,
    .expected_max = expected_max,
};
