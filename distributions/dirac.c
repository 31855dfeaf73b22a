/* Point mass: X = x. Uses no random numbers. */
#include "distributions/parts/tools.h"

enum { X, PARAMS };

static const struct mk_param params[] = {
    MK_FINITE("x", MK_REQUIRED, 0, "the only value"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static void sample(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out)
{
    (void)rng;
    for (size_t i = 0; i < n; i++) out[i] = d->v[X];
}

static double survival(const struct mk_dist *d, double x)
{
    return x <= d->v[X];
}

static double above(const struct mk_dist *d, double x)
{
    return x < d->v[X];
}

static double cdf(const struct mk_dist *d, double x)
{
    return x >= d->v[X];
}

static double below(const struct mk_dist *d, double x)
{
    return x > d->v[X];
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    (void)upper;
    (void)lower;
    return d->v[X];
}

static void support(const struct mk_dist *d, double *lo, double *hi)
{
    *lo = *hi = d->v[X];
}

static size_t breaks(const struct mk_dist *d, double *x)
{
    if (x) *x = d->v[X];
    return 1;
}

static double expected_max(const struct mk_dist *d, double n)
{
    (void)n;
    return d->v[X];
}

const struct mk_dist_type mk_dist_dirac = {
    .name = "dirac",
    .summary = "a constant reward",
    .formula = "P(X = x) = 1",
    .reference = "Baudry et al. 2022, experiment 2 (component of a mixture)",
    .flags = MK_DIST_ATOMS,
    .params = params,
    .sample = sample,
    .survival = survival,
    .above = above,
    .cdf = cdf,
    .below = below,
    .inverse = inverse,
    .density = mk_no_density,
    .support = support,
    .breaks = breaks,
    .expected_max = expected_max,
};
