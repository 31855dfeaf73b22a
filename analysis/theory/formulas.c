#include "analysis/theory/formulas.h"

#include <math.h>
#include <stdbool.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>

#include "sim/base/error.h"

double mk_corollary_alpha(double L, double least_gap, double horizon)
{
    double log_t = log(horizon);
    return (1 - 2 * log(log_t) / log_t) / (4 * L * sqrt(least_gap));
}

double mk_corollary_rate(size_t arms, double largest, double horizon)
{
    return (double)arms * log(horizon) / sqrt(horizon) * largest;
}

double mk_quantile_variance(const struct mk_dist *d, double tau, double n)
{
    double f = d->type->density(d, mk_dist_inverse_survival(d, 1 - tau));
    return f > 0 && isfinite(f) ? tau * (1 - tau) / (n * f * f) : NAN;
}

/* ---- extreme region ---- */

struct square {
    const struct mk_dist *d;
    double beta;
};

/* (Q(v) - beta)^2: its integral over v in (0, 1) is E[(X - beta)^2]. */
static double squared(double v, void *context)
{
    const struct square *s = context;
    double y = mk_dist_inverse_survival(s->d, v) - s->beta;
    return y * y;
}

int mk_extreme_region(const struct mk_dist *d, double beta, double theta, double *value, struct mk_error *err)
{
    enum { INTERVALS = 1000 };
    struct square s = {d, beta};
    gsl_function f = {squared, &s};
    double mean, square, error;
    int code = mk_dist_expected_max(d, 1, &mean, err);
    if (code) return code;
    gsl_integration_workspace *w = gsl_integration_workspace_alloc(INTERVALS);
    if (!w) return mk_fail_memory(err, "quadrature");
    int status = gsl_integration_qags(&f, 0, 1, 0, 1e-11, INTERVALS, w, &square, &error);
    gsl_integration_workspace_free(w);
    /* Rounding keeps it from reaching 1e-11 where the integrand is steep; the estimated error shows what was
     * reached. */
    if (status && !(error < 1e-8 * square))
        return mk_fail(err, MK_ENUM, "second moment of %s: %s", d->type->name, gsl_strerror(status));
    *value = mean - beta + sqrt(square / theta);
    return MK_OK;
}

double mk_extreme_region_pulls(double alpha, double theta, double gap, double n, int as_printed)
{
    double region = as_printed ? 1 - 1 / theta : 1 + 1 / theta;
    double x = gap * gap / (4 * region * region);
    return alpha * log(n) / (2 * x * x) + (alpha + 2) / (alpha - 2);
}

/* ---- rising bandits ---- */

double mk_rising_upper_bound(const double *r, uint64_t t, uint64_t C, uint64_t horizon)
{
    if (t <= C) return 1;
    double rate = (r[t - 1] - r[t - 1 - C]) / (double)C;
    return fmin(1, r[t - 1] + rate * (double)(horizon - t));
}

uint64_t mk_rising_gamma(const double *const *r, size_t arms, size_t best, uint64_t C, uint64_t horizon)
{
    uint64_t largest = 0;
    for (size_t k = 0; k < arms; k++) {
        uint64_t t = 1;
        if (k == best) continue;
        while (t < horizon && !(mk_rising_upper_bound(r[k], t, C, horizon) <= r[best][t - 1])) t++;
        if (t > largest) largest = t;
    }
    return largest;
}

double mk_rising_regret(const double *r, size_t arms, uint64_t gamma, uint64_t horizon)
{
    uint64_t lost = (uint64_t)(arms - 1) * gamma;
    return r[horizon - 1] - (lost < horizon ? r[horizon - lost - 1] : 0);
}

double mk_rising_uniform_regret(const double *const *r, size_t arms, size_t best, uint64_t horizon)
{
    uint64_t each = horizon / arms;
    double max = 0;
    for (size_t k = 0; k < arms; k++)
        for (uint64_t n = 0; n < each; n++) max = fmax(max, r[k][n]);
    return r[best][horizon - 1] - max;
}

bool mk_rising_is_loose(const double *r, const double *y, uint64_t C, uint64_t horizon)
{
    const double slack = 1e-12; /* equality is allowed and subject to rounding */
    for (uint64_t t = 1; t <= horizon; t++) {
        double now = r[t - 1] - y[t - 1];
        if (now < -slack) return false;
        if (t <= C) continue;
        double before = r[t - 1 - C] - y[t - 1 - C], left = (double)(horizon - t);
        if (now * (left + (double)C) > before * left + slack) return false;
    }
    return true;
}

/* ---- successive halving ---- */

double mk_halving_complexity(const double *mean, size_t arms)
{
    double best = -INFINITY, largest = 0;
    size_t ties = 0;
    for (size_t k = 0; k < arms; k++) best = fmax(best, mean[k]);
    for (size_t k = 0; k < arms; k++) {
        size_t rank = 0; /* 1-based rank of k; equal means share the last rank, as the maximum requires */
        for (size_t j = 0; j < arms; j++) rank += mean[j] >= mean[k];
        ties += mean[k] == best;
        if (mean[k] < best) largest = fmax(largest, (double)rank / ((best - mean[k]) * (best - mean[k])));
    }
    return ties > 1 ? INFINITY : largest;
}

double mk_halving_error(const double *mean, size_t arms, double budget)
{
    double phases = log2((double)arms);
    return 3 * phases * exp(-budget / (8 * mk_halving_complexity(mean, arms) * phases));
}
