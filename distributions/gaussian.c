/* Normal distribution N(mu, sigma^2): G(x) = Q((x - mu)/sigma), Q(z) = erfc(z/sqrt 2)/2.
 *
 * Sampled by inversion (Wichura 1988, algorithm AS 241), vectorised; the smallest uniform, 2^-54, corresponds to mu +
 * 8.2 sigma. */
#include "distributions/parts/kernel.h"
#include "distributions/parts/tools.h"

enum { MU, SIGMA, PARAMS };

static const struct mk_param params[] = {
    MK_FINITE("mu", MK_REQUIRED, 0, "mean"),
    MK_POSITIVE("sigma", MK_REQUIRED, 0, "standard deviation"),
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
    }
}

static double survival(const struct mk_dist *d, double x)
{
    return mk_normal_upper((x - d->v[MU]) / d->v[SIGMA]);
}

static double cdf(const struct mk_dist *d, double x)
{
    return mk_normal_upper((d->v[MU] - x) / d->v[SIGMA]);
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    return d->v[MU] + d->v[SIGMA] * mk_normal_inverse(upper, lower);
}

static double density(const struct mk_dist *d, double x)
{
    return mk_normal_density((x - d->v[MU]) / d->v[SIGMA]) / d->v[SIGMA];
}

const struct mk_dist_type mk_dist_gaussian = {
    .name = "gaussian",
    .summary = "normal distribution",
    .formula = "G(x) = Q((x - mu)/sigma), Q(z) = erfc(z/sqrt 2)/2",
    .reference = "Balef et al. 2025, Appendix E.4 (3); Hu et al. 2019",
    .params = params,
    .sample = sample,
    .survival = survival,
    .cdf = cdf,
    .inverse = inverse,
    .density = density,
    .support = mk_support_all,
};
