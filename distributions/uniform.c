/* Uniform distribution on [lo, hi]: G(x) = (hi - x)/(hi - lo), E[M(n)] = hi - (hi - lo)/(n + 1). */
#include "distributions/parts/kernel.h"
#include "distributions/parts/tools.h"

enum { LO, HI, PARAMS };
enum { WIDTH };

static const struct mk_param params[] = {
    MK_FINITE("lo", MK_REQUIRED, 0, "lower end point"),
    MK_FINITE("hi", MK_REQUIRED, 0, "upper end point, > lo"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static const char *prepare(struct mk_dist *d, int *param)
{
    *param = HI;
    d->c[WIDTH] = d->v[HI] - d->v[LO];
    if (!(d->c[WIDTH] > 0)) return "expected a number > lo";
    return isfinite(d->c[WIDTH]) ? NULL : "expected a value for which hi - lo is a finite double";
}

static inline double within(const struct mk_dist *d, double x)
{
    return x < d->v[LO] ? d->v[LO] : x > d->v[HI] ? d->v[HI] : x;
}

static void sample(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out)
{
    for (size_t i = 0; i < n; i += MK_BLOCK) {
        size_t m = n - i < MK_BLOCK ? n - i : MK_BLOCK;
        mk_block_uniform(rng, m, out + i);
        mk_block_affine(m, out + i, d->v[LO], d->c[WIDTH]);
        for (size_t j = i; j < i + m; j++) out[j] = within(d, out[j]);
    }
}

static double survival(const struct mk_dist *d, double x)
{
    return (d->v[HI] - within(d, x)) / d->c[WIDTH];
}

static double cdf(const struct mk_dist *d, double x)
{
    return (within(d, x) - d->v[LO]) / d->c[WIDTH];
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    return within(d, upper < lower ? d->v[HI] - d->c[WIDTH] * upper : d->v[LO] + d->c[WIDTH] * lower);
}

static double density(const struct mk_dist *d, double x)
{
    return x < d->v[LO] || x > d->v[HI] ? 0 : 1 / d->c[WIDTH];
}

static void support(const struct mk_dist *d, double *lo, double *hi)
{
    *lo = d->v[LO];
    *hi = d->v[HI];
}

static double expected_max(const struct mk_dist *d, double n)
{
    return d->v[HI] - d->c[WIDTH] / (n + 1);
}

const struct mk_dist_type mk_dist_uniform = {
    .name = "uniform",
    .summary = "uniform distribution on an interval",
    .formula = "G(x) = (hi - x)/(hi - lo) on [lo, hi]",
    .reference = "Johnson, Kotz and Balakrishnan 1995, chapter 26",
    .params = params,
    .prepare = prepare,
    .sample = sample,
    .survival = survival,
    .cdf = cdf,
    .inverse = inverse,
    .density = density,
    .support = support,
    .expected_max = expected_max,
};
