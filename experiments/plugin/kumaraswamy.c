/* A worked example of a user-written reward family: the Kumaraswamy distribution, G(x) = (1 - x^a)^b on [0, 1].
 *
 *     gcc -O2 -shared -fPIC -I"$(pkg-config --variable=plugindir maxk)" kumaraswamy.c -o kumaraswamy.so -lm
 *     maxk check_plugin ./kumaraswamy.so
 *     maxk run kumaraswamy.yaml --plugin ./kumaraswamy.so
 *
 * In the checkout, -I. takes the place of -I"…". Needs libgsl-dev for its headers. */
#include <math.h>

#include "policies/plugin.h"

enum { A, B, PARAMS };

static const struct mk_param params[] = {
    {"a", MK_REAL, MK_REQUIRED | MK_OPEN_LO | MK_OPEN_HI, 0, 0, INFINITY, NULL, "exponent of x"},
    {"b", MK_REAL, MK_REQUIRED | MK_OPEN_LO | MK_OPEN_HI, 0, 0, INFINITY, NULL, "exponent of 1 - x^a"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

/* log G(x), accurate in both tails. */
static double log_survival(const struct mk_dist *d, double x)
{
    return d->v[B] * log1p(-pow(x, d->v[A]));
}

static double survival(const struct mk_dist *d, double x)
{
    return x <= 0 ? 1 : x >= 1 ? 0 : exp(log_survival(d, x));
}

static double cdf(const struct mk_dist *d, double x)
{
    return x <= 0 ? 0 : x >= 1 ? 1 : -expm1(log_survival(d, x));
}

/* The smaller of the two probabilities is the accurate one. */
static double inverse(const struct mk_dist *d, double upper, double lower)
{
    if (upper <= 0) return 1;
    if (lower <= 0) return 0;
    const double log_upper = lower < 0.5 ? log1p(-lower) : log(upper);
    return pow(-expm1(log_upper / d->v[B]), 1 / d->v[A]);
}

/* One uniform per draw: the same draws however they are split into calls. */
static void sample(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++) {
        const double u = mk_uniform(rng);
        out[i] = inverse(d, u, 1 - u);
    }
}

static double density(const struct mk_dist *d, double x)
{
    const double a = d->v[A], b = d->v[B];
    return x < 0 || x > 1 ? 0 : a * b * pow(x, a - 1) * pow(1 - pow(x, a), b - 1);
}

static void support(const struct mk_dist *d, double *lo, double *hi)
{
    (void)d;
    *lo = 0;
    *hi = 1;
}

static const struct mk_dist_type kumaraswamy = {
    .name = "kumaraswamy",
    .summary = "Kumaraswamy distribution on [0, 1]",
    .formula = "G(x) = (1 - x^a)^b on [0, 1]",
    .reference = "Kumaraswamy 1980, Journal of Hydrology 46",
    .params = params,
    .sample = sample,
    .survival = survival,
    .cdf = cdf,
    .inverse = inverse,
    .density = density,
    .support = support,
};

MK_PLUGIN_FAMILIES(&kumaraswamy)
