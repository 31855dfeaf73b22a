/* Bernoulli distribution: P(X = 1) = p, P(X = 0) = 1 - p; E[M(n)] = 1 - (1 - p)^n. */
#include "distributions/parts/tools.h"

enum { P, PARAMS };

static const struct mk_param params[] = {
    {"p", MK_REAL, MK_REQUIRED, 0, 0, 1, NULL, "probability of 1"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static void sample(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++) out[i] = mk_uniform(rng) < d->v[P];
}

static double survival(const struct mk_dist *d, double x)
{
    return x <= 0 ? 1 : x <= 1 ? d->v[P] : 0;
}

static double above(const struct mk_dist *d, double x)
{
    return x < 0 ? 1 : x < 1 ? d->v[P] : 0;
}

static double cdf(const struct mk_dist *d, double x)
{
    return x < 0 ? 0 : x < 1 ? 1 - d->v[P] : 1;
}

static double below(const struct mk_dist *d, double x)
{
    return x <= 0 ? 0 : x <= 1 ? 1 - d->v[P] : 1;
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    if (d->v[P] == 0 || lower <= 0) return d->v[P] == 1;
    return upper <= d->v[P];
}

static void support(const struct mk_dist *d, double *lo, double *hi)
{
    *lo = d->v[P] == 1;
    *hi = d->v[P] > 0;
}

static size_t breaks(const struct mk_dist *d, double *x)
{
    (void)d;
    if (x) {
        x[0] = 0;
        x[1] = 1;
    }
    return 2;
}

static double expected_max(const struct mk_dist *d, double n)
{
    return -expm1(n * log1p(-d->v[P]));
}

const struct mk_dist_type mk_dist_bernoulli = {
    .name = "bernoulli",
    .summary = "0 or 1",
    .formula = "P(X = 1) = p, P(X = 0) = 1 - p",
    .reference = "Johnson, Kemp and Kotz 2005, chapter 3",
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
