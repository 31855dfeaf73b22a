#include "analysis/compare/components.h"

#include <math.h>

#include <gsl/gsl_cdf.h>

#include "sim/base/statistics.h"

/* Moments of the differences on one instance, over the repetitions that both policies have. */
static struct mk_real_moments differences(const struct mk_scores *s, size_t h, size_t instance, size_t policy,
                                          size_t baseline)
{
    const double *a = mk_scores_at(s, h, instance, policy), *b = mk_scores_at(s, h, instance, baseline);
    struct mk_real_moments m = {0};
    for (size_t r = 0; r < s->replications; r++)
        if (!isnan(a[r]) && !isnan(b[r])) mk_real_moments_add(&m, a[r] - b[r]);
    return m;
}

void mk_components_of(struct mk_components *out, const struct mk_scores *s, size_t h, size_t policy, size_t baseline)
{
    struct mk_real_moments means = {0};
    double squares = 0, freedom = 0, inverse = 0;
    for (size_t i = 0; i < s->n_instances; i++) {
        const struct mk_real_moments m = differences(s, h, i, policy, baseline);
        if (!m.spread.n) continue;
        mk_real_moments_add(&means, mk_real_moments_mean(&m));
        squares += m.spread.m2;
        freedom += (double)(m.spread.n - 1);
        inverse += 1 / (double)m.spread.n;
    }
    const double n = (double)means.spread.n, within = squares / freedom;
    const double between = means.spread.m2 / (n - 1) - within * inverse / n;
    *out = (struct mk_components){.instances = means.spread.n,
                                  .repetitions = n / inverse,
                                  .difference = mk_real_moments_mean(&means),
                                  .error = mk_spread_error(&means.spread),
                                  .between = n > 1 && freedom > 0 ? sqrt(fmax(0, between)) : NAN,
                                  .within = freedom > 0 ? sqrt(within) : NAN};
}

/* Instances for a standard deviation of the means of each. */
static double needed(double deviation, double effect, double alpha, double power)
{
    const double z = gsl_cdf_ugaussian_Qinv(alpha / 2), sum = z + gsl_cdf_ugaussian_Pinv(power);
    return fmax(2, ceil(sum * sum * deviation * deviation / (effect * effect) + z * z / 2));
}

double mk_components_instances(const struct mk_components *c, double effect, double alpha, double power,
                               double repetitions)
{
    return needed(sqrt(c->between * c->between + c->within * c->within / repetitions), effect, alpha, power);
}

double mk_components_repetitions(const struct mk_components *c, double effect, double alpha, double power)
{
    if (isnan(c->between)) return NAN;
    const double most = 1e9;
    double low = 0, high = 1; /* the number needed decreases with the repetitions */
    while (mk_components_instances(c, effect, alpha, power, high) > (double)c->instances) {
        if (high >= most) return INFINITY;
        low = high, high *= 2;
    }
    while (high - low > 1) {
        const double middle = floor((low + high) / 2);
        if (mk_components_instances(c, effect, alpha, power, middle) > (double)c->instances)
            low = middle;
        else
            high = middle;
    }
    return high;
}
