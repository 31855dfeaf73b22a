/* Empirical distribution: each of the given values with probability 1/m, drawn with replacement.
 *
 *     E[M(n)] = x_(m) - sum_{i<m} (x_(i+1) - x_(i)) (i/m)^n over the sorted values. */
#include <stdlib.h>

#include "distributions/parts/tools.h"
#include "sim/base/order.h"
#include "sim/base/statistics.h"

enum { VALUES, FILE_NAME, COLUMN, PARAMS };

static const struct mk_param params[] = {
    {"values", MK_LIST, MK_OPTIONAL, 0, 0, 0, NULL, "the values; give values, or file and column"},
    {"file", MK_FILE, MK_OPTIONAL, 0, 0, 0, NULL, "CSV file with the values"},
    {"column", MK_COLUMN, MK_OPTIONAL, 0, 0, 0, NULL, "its column"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static const char *prepare(struct mk_dist *d, int *param)
{
    *param = VALUES;
    if (d->n_values == 0) return "expected at least one value";
    qsort(d->values, d->n_values, sizeof *d->values, mk_compare_reals);
    return NULL;
}

static void sample(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++) {
        size_t k = (size_t)(mk_uniform(rng) * (double)d->n_values);
        out[i] = d->values[k < d->n_values ? k : d->n_values - 1];
    }
}

static double share(const struct mk_dist *d, size_t count)
{
    return (double)count / (double)d->n_values;
}

static double survival(const struct mk_dist *d, double x)
{
    return share(d, d->n_values - mk_count_below(d->values, d->n_values, x));
}

static double above(const struct mk_dist *d, double x)
{
    return share(d, d->n_values - mk_count_at_most(d->values, d->n_values, x));
}

static double cdf(const struct mk_dist *d, double x)
{
    return share(d, mk_count_at_most(d->values, d->n_values, x));
}

static double below(const struct mk_dist *d, double x)
{
    return share(d, mk_count_below(d->values, d->n_values, x));
}

static double empirical_between(const struct mk_dist *d, double x, double y)
{
    return share(d, mk_count_at_most(d->values, d->n_values, y) - mk_count_below(d->values, d->n_values, x));
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    /* The largest value with at least upper * m values at or above it; rounding of k/m must not move it. */
    double m = (double)d->n_values, at_least = ceil(upper * m * (1 - 1e-15)), before = floor(lower * m * (1 + 1e-15));
    double k = upper < lower ? m - at_least : before;
    return d->values[k < 0 ? 0 : k < m - 1 ? (size_t)k : d->n_values - 1];
}

static void support(const struct mk_dist *d, double *lo, double *hi)
{
    *lo = d->values[0];
    *hi = d->values[d->n_values - 1];
}

static size_t breaks(const struct mk_dist *d, double *x)
{
    for (size_t i = 0; x && i < d->n_values; i++) x[i] = d->values[i];
    return d->n_values;
}

static double expected_max(const struct mk_dist *d, double n)
{
    size_t m = d->n_values;
    double below_top = 0;
    for (size_t i = m - 1; i > 0; i--) {
        double power = exp(n * log1p(-(double)(m - i) / (double)m));
        if (power == 0) break;
        below_top += (d->values[i] - d->values[i - 1]) * power;
    }
    return d->values[m - 1] - below_top;
}

const struct mk_dist_type mk_dist_empirical = {
    .name = "empirical",
    .summary = "resampling of given values",
    .formula = "G(x) = share of the values >= x",
    .reference = "Efron 1979, \"Bootstrap methods: another look at the jackknife\"",
    .flags = MK_DIST_ATOMS,
    .params = params,
    .prepare = prepare,
    .sample = sample,
    .survival = survival,
    .above = above,
    .cdf = cdf,
    .below = below,
    .between = empirical_between,
    .inverse = inverse,
    .density = mk_no_density,
    .support = support,
    .breaks = breaks,
    .expected_max = expected_max,
};
