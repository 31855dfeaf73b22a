/* Generalised Pareto distribution, z = (x - location)/scale >= 0:
 *
 *     G(x) = (1 + shape z)^(-1/shape), e^-z for shape = 0; upper end point location - scale/shape for shape < 0.
 *     E[M(n)] = location + scale (Gamma(n+1) Gamma(1 - shape) / Gamma(n + 1 - shape) - 1)/shape, infinite for
 *     shape >= 1. */
#include <gsl/gsl_math.h>
#include <gsl/gsl_sf_psi.h>

#include "distributions/parts/tools.h"

enum { SHAPE, LOCATION, SCALE, PARAMS };

static const struct mk_param params[] = {
    MK_FINITE("shape", MK_REQUIRED, 0, "tail index: > 0 heavy-tailed, < 0 with a finite upper end point"),
    MK_FINITE("location", 0, 0, "lower end point"),
    MK_POSITIVE("scale", 0, 1, "scale"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

/* -log G(x) */
static double depth(const struct mk_dist *d, double x)
{
    double z = (x - d->v[LOCATION]) / d->v[SCALE], k = d->v[SHAPE];
    if (z <= 0) return 0;
    return k * z <= -1 ? INFINITY : mk_log_family(k, z);
}

static double survival(const struct mk_dist *d, double x)
{
    return exp(-depth(d, x));
}

static double cdf(const struct mk_dist *d, double x)
{
    return -expm1(-depth(d, x));
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    return d->v[LOCATION] + d->v[SCALE] * mk_exp_family(d->v[SHAPE], mk_minus_log(upper, lower));
}

static void support(const struct mk_dist *d, double *lo, double *hi)
{
    *lo = d->v[LOCATION];
    *hi = d->v[SHAPE] < 0 ? d->v[LOCATION] - d->v[SCALE] / d->v[SHAPE] : INFINITY;
}

static double density(const struct mk_dist *d, double x)
{
    double lo, hi;
    support(d, &lo, &hi);
    if (x < lo || x > hi) return 0;
    if (d->v[SHAPE] == -1) return 1 / d->v[SCALE];
    return exp(-depth(d, x) * (1 + d->v[SHAPE])) / d->v[SCALE];
}

static void tails(const struct mk_dist *d, double *upper, double *lower)
{
    *upper = d->v[SHAPE] > 0 ? 1 / d->v[SHAPE] : INFINITY;
    *lower = INFINITY;
}

static double expected_max(const struct mk_dist *d, double n)
{
    double k = d->v[SHAPE];
    if (k >= 1) return INFINITY;
    /* (log Gamma(1 - k) - log(Gamma(n + 1 - k)/Gamma(n + 1)))/k tends to the harmonic number */
    double mean = fabs(k) < 1e-300 ? gsl_sf_psi(n + 1) + M_EULER
                                   : (mk_log_gamma_ratio(1, -k) - mk_log_gamma_ratio(n + 1, -k)) / k;
    return d->v[LOCATION] + d->v[SCALE] * mk_exp_family(k, mean);
}

const struct mk_dist_type mk_dist_generalized_pareto = {
    .name = "generalized_pareto",
    .summary = "generalised Pareto distribution (Pareto, exponential, or with a finite upper end point)",
    .formula = "G(x) = (1 + shape z)^(-1/shape), z = (x - location)/scale >= 0; exp(-z) for shape 0",
    .reference = "Coles 2001, \"An Introduction to Statistical Modeling of Extreme Values\", equation 4.2",
    .params = params,
    .sample = mk_sample_by_inverse,
    .survival = survival,
    .cdf = cdf,
    .inverse = inverse,
    .density = density,
    .support = support,
    .tails = tails,
    .expected_max = expected_max,
};
