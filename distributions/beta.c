/* Beta distribution on [0, 1]: density x^(a-1) (1-x)^(b-1) / B(a, b).
 *
 * Quantiles solve for log x or log(1 - x), whichever end is nearer, by Newton's method on the log of the smaller tail
 * probability: gsl_cdf_beta_Pinv and _Qinv stop early in the far tails. E[M(n)] has a closed form for a = 1 or b =
 * 1. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>

#include "distributions/parts/tools.h"

enum { A, B, PARAMS };
enum { LOG_BETA, HALF, ABOVE_HALF };

static const struct mk_param params[] = {
    MK_POSITIVE("a", MK_REQUIRED, 0, "exponent at 0"),
    MK_POSITIVE("b", MK_REQUIRED, 0, "exponent at 1"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static const char *prepare(struct mk_dist *d, int *param)
{
    *param = -1;
    d->c[LOG_BETA] = gsl_sf_lnbeta(d->v[A], d->v[B]);
    d->c[HALF] = gsl_cdf_beta_P(0.5, d->v[A], d->v[B]);
    d->c[ABOVE_HALF] = gsl_cdf_beta_Q(0.5, d->v[A], d->v[B]);
    return isfinite(d->c[LOG_BETA]) && isfinite(d->c[HALF])
               ? NULL
               : "a and b are too large or too small: the distribution function overflows";
}

static double survival(const struct mk_dist *d, double x)
{
    return gsl_cdf_beta_Q(x, d->v[A], d->v[B]);
}

static double cdf(const struct mk_dist *d, double x)
{
    return gsl_cdf_beta_P(x, d->v[A], d->v[B]);
}

/* Finds x in (0, 1/2] with P(X <= x) = near for the distribution with exponents a at 0 and b at 1. */
struct end {
    double a, b, log_beta, near, far;
};

static double residual(const void *context, double s, double *slope)
{
    const struct end *e = context;
    double x = exp(s), flow = exp(e->a * s + (e->b - 1) * log1p(-x) - e->log_beta); /* x times the density */
    if (e->near < e->far) {
        double p = gsl_cdf_beta_P(x, e->a, e->b);
        *slope = flow / p;
        return log(p / e->near);
    }
    double q = gsl_cdf_beta_Q(x, e->a, e->b);
    *slope = flow / q;
    return log(e->far / q);
}

static double from_end(const struct end *e)
{
    double start = (log(e->near) + log(e->a) + e->log_beta) / e->a; /* exact as x -> 0 */
    if (start < -700) return exp(start);
    return exp(mk_solve(residual, e, -720, -0.69, start));
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    if (lower <= 0) return 0;
    if (upper <= 0) return 1;
    /* By the smaller probability: where nearly all is on one side of 1/2, the other one rounds to 1. */
    const bool near_0 = upper < lower ? upper >= d->c[ABOVE_HALF] : lower <= d->c[HALF];
    if (near_0) return from_end(&(struct end){d->v[A], d->v[B], d->c[LOG_BETA], lower, upper});
    return 1 - from_end(&(struct end){d->v[B], d->v[A], d->c[LOG_BETA], upper, lower});
}

static double density(const struct mk_dist *d, double x)
{
    if (x < 0 || x > 1) return 0;
    double left = d->v[A] == 1 ? 0 : (d->v[A] - 1) * log(x), right = d->v[B] == 1 ? 0 : (d->v[B] - 1) * log1p(-x);
    return exp(left + right - d->c[LOG_BETA]);
}

static void support(const struct mk_dist *d, double *lo, double *hi)
{
    (void)d;
    *lo = 0;
    *hi = 1;
}

static double expected_max(const struct mk_dist *d, double n)
{
    if (d->v[B] == 1) return 1 / (1 + 1 / (n * d->v[A]));
    if (d->v[A] != 1) return NAN;
    double k = 1 / d->v[B];
    return 1 - exp(mk_log_gamma_ratio(1, k) - mk_log_gamma_ratio(n + 1, k));
}

const struct mk_dist_type mk_dist_beta = {
    .name = "beta",
    .summary = "beta distribution on [0, 1]",
    .formula = "density x^(a-1) (1-x)^(b-1) / B(a, b) on [0, 1]",
    .reference = "Johnson, Kotz and Balakrishnan 1995, chapter 25",
    .flags = MK_DIST_SLOW | MK_DIST_INVERTS,
    .params = params,
    .prepare = prepare,
    .sample = mk_sample_by_inverse,
    .survival = survival,
    .cdf = cdf,
    .inverse = inverse,
    .density = density,
    .support = support,
    .expected_max = expected_max,
};
