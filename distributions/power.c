/* Power-function distribution: X = U^(1/a) / s^a, the arms of the toy experiments of Balef et al. 2025, Appendix E.4.
 *
 *     F(x) = (x s^a)^a on [0, b], b = s^-a;   E[M(n)] = b n a / (n a + 1).
 *
 * One uniform, one vectorised log and exp per draw. */
#include <float.h>

#include "distributions/parts/kernel.h"
#include "distributions/parts/tools.h"

enum { A, S, PARAMS };
enum { END };

static const struct mk_param params[] = {
    MK_POSITIVE("a", MK_REQUIRED, 0, "exponent"),
    MK_POSITIVE("s", MK_REQUIRED, 0, "sets the upper end point s^-a"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static const char *prepare(struct mk_dist *d, int *param)
{
    d->c[END] = pow(d->v[S], -d->v[A]);
    if (d->c[END] > 0 && isfinite(d->c[END])) return NULL;
    *param = S;
    return "expected a value for which the upper end point s^-a is a finite double above 0";
}

static void sample(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out)
{
    for (size_t i = 0; i < n; i += MK_BLOCK) {
        size_t m = n - i < MK_BLOCK ? n - i : MK_BLOCK;
        mk_block_uniform(rng, m, out + i);
        mk_block_log(m, out + i);
        mk_block_exp(m, out + i, 1 / d->v[A], d->c[END]);
    }
}

static double survival(const struct mk_dist *d, double x)
{
    if (x <= 0) return 1;
    if (x >= d->c[END]) return 0;
    return -expm1(d->v[A] * mk_log_quotient(x, d->c[END]));
}

static double cdf(const struct mk_dist *d, double x)
{
    if (x <= 0) return 0;
    if (x >= d->c[END]) return 1;
    return exp(d->v[A] * mk_log_quotient(x, d->c[END]));
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    if (lower <= 0) return 0;
    return d->c[END] * exp(-mk_minus_log(lower, upper) / d->v[A]);
}

static double density(const struct mk_dist *d, double x)
{
    if (x < 0 || x > d->c[END]) return 0;
    return d->v[A] / d->c[END] * pow(x / d->c[END], d->v[A] - 1);
}

static void support(const struct mk_dist *d, double *lo, double *hi)
{
    *lo = 0;
    *hi = d->c[END];
}

/* That of the end point: pow errs by less than one unit in the last place, and s^-a is exact for s = 1. */
static double resolution(const struct mk_dist *d)
{
    return d->v[S] == 1 ? 0 : DBL_EPSILON * d->c[END];
}

static double expected_max(const struct mk_dist *d, double n)
{
    return d->c[END] / (1 + 1 / (n * d->v[A]));
}

const struct mk_dist_type mk_dist_power = {
    .name = "power",
    .summary = "power function, X = U^(1/a) / s^a",
    .formula = "G(x) = 1 - (x s^a)^a on [0, s^-a]",
    .reference = "Balef et al. 2025, Appendix E.4 (4)",
    .params = params,
    .prepare = prepare,
    .sample = sample,
    .survival = survival,
    .cdf = cdf,
    .inverse = inverse,
    .density = density,
    .support = support,
    .resolution = resolution,
    .expected_max = expected_max,
};
