/* Weibull distribution: G(x) = exp(-(x/scale)^shape) for x >= 0. */
#include "distributions/parts/tools.h"

enum { SHAPE, SCALE, PARAMS };

static const struct mk_param params[] = {
    MK_POSITIVE("shape", MK_REQUIRED, 0, "exponent of the tail"),
    MK_POSITIVE("scale", 0, 1, "scale"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static double survival(const struct mk_dist *d, double x)
{
    return x <= 0 ? 1 : exp(-pow(x / d->v[SCALE], d->v[SHAPE]));
}

static double cdf(const struct mk_dist *d, double x)
{
    return x <= 0 ? 0 : -expm1(-pow(x / d->v[SCALE], d->v[SHAPE]));
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    return d->v[SCALE] * pow(mk_minus_log(upper, lower), 1 / d->v[SHAPE]);
}

static double density(const struct mk_dist *d, double x)
{
    if (x < 0) return 0;
    double z = x / d->v[SCALE], k = d->v[SHAPE];
    double depth = pow(z, k);
    return depth > 1000 ? 0 : k / d->v[SCALE] * pow(z, k - 1) * exp(-depth);
}

const struct mk_dist_type mk_dist_weibull = {
    .name = "weibull",
    .summary = "Weibull distribution",
    .formula = "G(x) = exp(-(x/scale)^shape) for x >= 0",
    .reference = "Johnson, Kotz and Balakrishnan 1994, chapter 21",
    .params = params,
    .sample = mk_sample_by_inverse,
    .survival = survival,
    .cdf = cdf,
    .inverse = inverse,
    .density = density,
    .support = mk_support_positive,
};
