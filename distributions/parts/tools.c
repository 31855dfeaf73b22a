#include "distributions/parts/tools.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_sf_gamma.h>
#include <stdlib.h>

#include "distributions/parts/kernel.h"
#include "distributions/parts/quantiles.h"

void mk_sample_by_inverse(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out)
{
    mk_block_uniform(rng, n, out);
    if (d->quantiles) {
        mk_quantiles_apply(d->quantiles, d, n, out);
        return;
    }
    for (size_t i = 0; i < n; i++) out[i] = d->type->inverse(d, out[i], 1 - out[i]);
}

void mk_support_positive(const struct mk_dist *d, double *lo, double *hi)
{
    (void)d;
    *lo = 0;
    *hi = INFINITY;
}

void mk_support_all(const struct mk_dist *d, double *lo, double *hi)
{
    (void)d;
    *lo = -INFINITY;
    *hi = INFINITY;
}

double mk_no_density(const struct mk_dist *d, double x)
{
    (void)d;
    (void)x;
    return 0;
}

/* Stirling's series minus its leading terms: sum B_2k / (2k (2k-1) x^(2k-1)); omitted terms are below 1e-17 for x >=
 * 15. */
static double stirling_rest(double x)
{
    double y = 1 / (x * x);
    return (1.0 / 12 +
            y * (-1.0 / 360 + y * (1.0 / 1260 + y * (-1.0 / 1680 + y * (1.0 / 1188 - y * (691.0 / 360360)))))) /
           x;
}

double mk_log_gamma_ratio(double n, double d)
{
    /* gsl_sf_lnpoch subtracts two log-gammas once n is large; the difference of two Stirling series does not. */
    if (n < 20 || n + d < 20) return gsl_sf_lnpoch(n, d);
    return (n - 0.5) * log1p(d / n) + d * (log(n + d) - 1) + stirling_rest(n + d) - stirling_rest(n);
}

double *mk_legendre_nodes(size_t n)
{
    double *node = malloc(2 * n * sizeof *node);
    gsl_integration_glfixed_table *table = gsl_integration_glfixed_table_alloc(n);
    for (size_t i = 0; node && table && i < n; i++)
        gsl_integration_glfixed_point(0, 1, i, &node[2 * i], &node[2 * i + 1], table);
    if (!table) {
        free(node);
        return NULL;
    }
    gsl_integration_glfixed_table_free(table);
    return node;
}

double mk_normal_density(double z)
{
    return 0.39894228040143267794 * exp(-0.5 * z * z);
}

double mk_normal_upper(double z)
{
    return gsl_cdf_ugaussian_Q(z);
}

double mk_normal_inverse(double upper, double lower)
{
    if (upper <= 0) return INFINITY;
    if (lower <= 0) return -INFINITY;
    return upper < lower ? gsl_cdf_ugaussian_Qinv(upper) : -gsl_cdf_ugaussian_Qinv(lower);
}

double mk_solve(mk_function f, const void *context, double lo, double hi, double start)
{
    double x = start > lo && start < hi ? start : lo + (hi - lo) / 2;
    for (int i = 0; i < 400; i++) {
        double slope, value = f(context, x, &slope), step = value / slope;
        /* The error after this step is of the order of its square. */
        if (fabs(step) <= 1e-11 * fmax(fabs(x), 1e-3) || value == 0) return x - step;
        if (value > 0)
            hi = x;
        else
            lo = x;
        x = x - step > lo && x - step < hi ? x - step : lo + (hi - lo) / 2;
    }
    return x;
}
