/* Pareto distribution: G(x) = (scale/x)^shape for x >= scale.
 *
 *     E[M(n)] = scale Gamma(n+1) Gamma(1 - 1/shape) / Gamma(n + 1 - 1/shape), infinite for shape <= 1. */
#include "distributions/parts/kernel.h"
#include "distributions/parts/tools.h"

enum { SHAPE, SCALE, PARAMS };

static const struct mk_param params[] = {
    MK_POSITIVE("shape", MK_REQUIRED, 0, "tail exponent"),
    MK_POSITIVE("scale", 0, 1, "lower end point"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static void sample(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out)
{
    for (size_t i = 0; i < n; i += MK_BLOCK) {
        size_t m = n - i < MK_BLOCK ? n - i : MK_BLOCK;
        mk_block_uniform(rng, m, out + i);
        mk_block_log(m, out + i);
        mk_block_exp(m, out + i, -1 / d->v[SHAPE], d->v[SCALE]);
    }
}

static double survival(const struct mk_dist *d, double x)
{
    return x <= d->v[SCALE] ? 1 : exp(-d->v[SHAPE] * mk_log_quotient(x, d->v[SCALE]));
}

static double cdf(const struct mk_dist *d, double x)
{
    return x <= d->v[SCALE] ? 0 : -expm1(-d->v[SHAPE] * mk_log_quotient(x, d->v[SCALE]));
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    return d->v[SCALE] * exp(mk_minus_log(upper, lower) / d->v[SHAPE]);
}

static double density(const struct mk_dist *d, double x)
{
    return x < d->v[SCALE] ? 0 : d->v[SHAPE] / x * survival(d, x);
}

static void support(const struct mk_dist *d, double *lo, double *hi)
{
    *lo = d->v[SCALE];
    *hi = INFINITY;
}

static void tails(const struct mk_dist *d, double *upper, double *lower)
{
    *upper = d->v[SHAPE];
    *lower = INFINITY;
}

static double expected_max(const struct mk_dist *d, double n)
{
    double k = 1 / d->v[SHAPE];
    if (k >= 1) return INFINITY;
    return d->v[SCALE] * exp(mk_log_gamma_ratio(1, -k) - mk_log_gamma_ratio(n + 1, -k));
}

const struct mk_dist_type mk_dist_pareto = {
    .name = "pareto",
    .summary = "Pareto distribution, heavy upper tail",
    .formula = "G(x) = (scale/x)^shape for x >= scale",
    .reference = "Balef et al. 2025, Appendix E.4 (1); Baudry et al. 2022",
    .params = params,
    .sample = sample,
    .survival = survival,
    .cdf = cdf,
    .inverse = inverse,
    .density = density,
    .support = support,
    .tails = tails,
    .expected_max = expected_max,
};
