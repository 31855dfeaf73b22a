/* Log-normal distribution: log X ~ N(mu, sigma^2), G(x) = Q((log x - mu)/sigma) for x > 0. */
#include "distributions/parts/kernel.h"
#include "distributions/parts/tools.h"

enum { MU, SIGMA, PARAMS };

static const struct mk_param params[] = {
    MK_FINITE("mu", MK_REQUIRED, 0, "mean of log X"),
    MK_POSITIVE("sigma", MK_REQUIRED, 0, "standard deviation of log X"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static void sample(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out)
{
    for (size_t i = 0; i < n; i += MK_BLOCK) {
        size_t m = n - i < MK_BLOCK ? n - i : MK_BLOCK;
        mk_block_uniform(rng, m, out + i);
        mk_block_normal(m, out + i);
        mk_block_affine(m, out + i, d->v[MU], d->v[SIGMA]);
        mk_block_exp(m, out + i, 1, 1);
    }
}

static double survival(const struct mk_dist *d, double x)
{
    return x <= 0 ? 1 : mk_normal_upper((log(x) - d->v[MU]) / d->v[SIGMA]);
}

static double cdf(const struct mk_dist *d, double x)
{
    return x <= 0 ? 0 : mk_normal_upper((d->v[MU] - log(x)) / d->v[SIGMA]);
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    return exp(d->v[MU] + d->v[SIGMA] * mk_normal_inverse(upper, lower));
}

static double density(const struct mk_dist *d, double x)
{
    if (x <= 0) return 0;
    double z = (log(x) - d->v[MU]) / d->v[SIGMA];
    return mk_normal_density(z) / (x * d->v[SIGMA]);
}

const struct mk_dist_type mk_dist_lognormal = {
    .name = "lognormal",
    .summary = "log-normal distribution",
    .formula = "G(x) = Q((log x - mu)/sigma) for x > 0, Q(z) = erfc(z/sqrt 2)/2",
    .reference = "Baudry et al. 2022, experiment 7",
    .params = params,
    .sample = sample,
    .survival = survival,
    .cdf = cdf,
    .inverse = inverse,
    .density = density,
    .support = mk_support_positive,
};
