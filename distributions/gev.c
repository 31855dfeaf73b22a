/* Generalised extreme value distribution, z = (x - location)/scale:
 *
 *     F(x) = exp(-t), t = (1 + shape z)^(-1/shape), e^-z for shape = 0.
 *
 * shape > 0: Fréchet, lower end point location - scale/shape; shape < 0: reversed Weibull, upper end point there; 0:
 * Gumbel. Max-stable: M(n) has the same shape, scale n^shape and location + scale (n^shape - 1)/shape, so that
 *     E[M(n)] = location + scale (n^shape Gamma(1 - shape) - 1)/shape, infinite for shape >= 1. */
#include <gsl/gsl_math.h>

#include "distributions/parts/tools.h"

enum { SHAPE, LOCATION, SCALE, PARAMS };

static const struct mk_param params[] = {
    MK_FINITE("shape", MK_REQUIRED, 0, "tail index: > 0 heavy-tailed, < 0 with a finite upper end point"),
    MK_FINITE("location", 0, 0, "location"),
    MK_POSITIVE("scale", 0, 1, "scale"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

/* -log t, or +-inf beyond the ends of the support */
static double log_rank(const struct mk_dist *d, double x)
{
    double z = (x - d->v[LOCATION]) / d->v[SCALE], k = d->v[SHAPE];
    if (k * z <= -1) return k > 0 ? -INFINITY : INFINITY;
    return mk_log_family(k, z);
}

static double survival(const struct mk_dist *d, double x)
{
    return -expm1(-exp(-log_rank(d, x)));
}

static double cdf(const struct mk_dist *d, double x)
{
    return exp(-exp(-log_rank(d, x)));
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    double t = mk_minus_log(lower, upper);
    return d->v[LOCATION] + d->v[SCALE] * mk_exp_family(d->v[SHAPE], -log(t));
}

static void support(const struct mk_dist *d, double *lo, double *hi)
{
    double end = d->v[LOCATION] - d->v[SCALE] / d->v[SHAPE];
    *lo = d->v[SHAPE] > 0 ? end : -INFINITY;
    *hi = d->v[SHAPE] < 0 ? end : INFINITY;
}

static double density(const struct mk_dist *d, double x)
{
    double y = log_rank(d, x), lo, hi, k = d->v[SHAPE];
    if (isfinite(y)) return exp(-y * (1 + k) - exp(-y)) / d->v[SCALE];
    support(d, &lo, &hi);
    return x != hi || k > -1 ? 0 : k == -1 ? 1 / d->v[SCALE] : INFINITY;
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
    /* log Gamma(1 - k) / k tends to Euler's gamma */
    double mean = fabs(k) < 1e-300 ? M_EULER : mk_log_gamma_ratio(1, -k) / k;
    return d->v[LOCATION] + d->v[SCALE] * mk_exp_family(k, log(n) + mean);
}

const struct mk_dist_type mk_dist_gev = {
    .name = "gev",
    .summary = "generalised extreme value distribution (Frechet, Gumbel, reversed Weibull)",
    .formula = "G(x) = 1 - exp(-(1 + shape z)^(-1/shape)), z = (x - location)/scale; exp(-z) for shape 0",
    .reference = "Coles 2001, \"An Introduction to Statistical Modeling of Extreme Values\", equation 3.2",
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
