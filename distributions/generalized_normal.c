/* Generalised normal distribution (exponential power): density beta / (2 scale Gamma(1/beta)) exp(-|z|^beta), z =
 * (x - mu)/scale.
 *
 *     G(mu + scale z) = Q(1/beta, z^beta)/2 for z >= 0, Q the upper regularised incomplete gamma function.
 *
 * beta = 1 is Laplace, 2 the normal distribution with sigma = scale/sqrt 2, infinity uniform. Sampled exactly as a
 * scale mixture of uniforms: z = Gamma(1 + 1/beta)^(1/beta) times a uniform on (-1, 1); a draw takes several
 * uniforms. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>

#include "distributions/parts/tools.h"

enum { BETA, MU, SCALE, PARAMS };
enum { K, LOG_GAMMA }; /* 1/beta; log Gamma(1 + 1/beta) */

static const struct mk_param params[] = {
    {"beta", MK_REAL, MK_REQUIRED, 0, 0.01, 1000, NULL, "exponent of the tails"},
    MK_FINITE("mu", 0, 0, "centre"),
    MK_POSITIVE("scale", 0, 1, "scale"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

/* NOLINTNEXTLINE(readability-non-const-parameter): the type is that of every prepare */
static const char *prepare(struct mk_dist *d, int *param)
{
    (void)param;
    d->c[K] = 1 / d->v[BETA];
    d->c[LOG_GAMMA] = mk_log_gamma_ratio(1, d->c[K]);
    return NULL;
}

static void sample(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out)
{
    const gsl_rng r = {mk_gsl_rng_pcg64, rng};
    for (size_t i = 0; i < n; i++) {
        double half_width = pow(gsl_ran_gamma_knuth(&r, 1 + d->c[K], 1), d->c[K]);
        out[i] = d->v[MU] + d->v[SCALE] * half_width * (2 * mk_uniform(rng) - 1);
    }
}

/* P(Z >= z), Z standard */
static double tail(const struct mk_dist *d, double z)
{
    double g = pow(fabs(z), d->v[BETA]);
    if (g > 1e4) return z < 0; /* beyond underflow for every allowed beta */
    if (z <= 0) return 0.5 + 0.5 * gsl_sf_gamma_inc_P(d->c[K], g);
    return 0.5 * gsl_sf_gamma_inc_Q(d->c[K], g);
}

static double survival(const struct mk_dist *d, double x)
{
    return tail(d, (x - d->v[MU]) / d->v[SCALE]);
}

static double cdf(const struct mk_dist *d, double x)
{
    return tail(d, (d->v[MU] - x) / d->v[SCALE]);
}

/* Solve for |z| given P(|Z| <= |z|) = inside, P(|Z| > |z|) = outside. */
struct target {
    double beta, k, log_gamma, inside, outside;
};

static double centre_residual(const void *context, double s, double *slope)
{
    const struct target *t = context;
    double g = exp(t->beta * s), p = gsl_sf_gamma_inc_P(t->k, g);
    *slope = exp(s - g - t->log_gamma) / p;
    return log(p / t->inside);
}

/* The variable is z for beta > 1 and z^beta for beta <= 1: the log of the tail is nearly linear or concave in it. */
static double tail_residual(const void *context, double r, double *slope)
{
    const struct target *t = context;
    double g = t->beta > 1 ? pow(r, t->beta) : r, q = gsl_sf_gamma_inc_Q(t->k, g);
    double jacobian = t->beta > 1 ? 0 : log(t->k) + (t->k - 1) * log(g);
    *slope = exp(jacobian - g - t->log_gamma) / q;
    return log(t->outside / q);
}

static double distance(const struct target *t)
{
    if (t->inside < 0.5) {
        double start = log(t->inside) + t->log_gamma; /* exact as z -> 0 */
        return exp(mk_solve(centre_residual, t, start - 1, t->k * log(50 + 2 * t->k), start));
    }
    double power = fmax(t->beta, 1), largest = 760 + 8 * t->k;
    double r = mk_solve(tail_residual, t, 0, pow(largest, 1 / power), pow(-log(t->outside), 1 / power));
    return t->beta > 1 ? r : pow(r, t->k);
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    double outside = 2 * fmin(upper, lower), inside = fabs(lower - upper);
    if (outside <= 0) return upper < lower ? INFINITY : -INFINITY;
    if (inside <= 0) return d->v[MU];
    double z = distance(&(struct target){d->v[BETA], d->c[K], d->c[LOG_GAMMA], inside, outside});
    return d->v[MU] + copysign(d->v[SCALE] * z, lower - upper);
}

static double density(const struct mk_dist *d, double x)
{
    double z = fabs((x - d->v[MU]) / d->v[SCALE]);
    return 0.5 * exp(-pow(z, d->v[BETA]) - d->c[LOG_GAMMA]) / d->v[SCALE];
}

/* The density has a kink or cusp at mu unless beta is an even whole number. */
static size_t breaks(const struct mk_dist *d, double *x)
{
    if (x) *x = d->v[MU];
    return 1;
}

const struct mk_dist_type mk_dist_generalized_normal = {
    .name = "generalized_normal",
    .summary = "generalised normal distribution (exponential power)",
    .formula = "density beta / (2 scale Gamma(1/beta)) exp(-|(x - mu)/scale|^beta)",
    .reference = "Nadarajah 2005, \"A generalized normal distribution\"; Baudry et al. 2022, experiment 8",
    .flags = MK_DIST_SLOW,
    .params = params,
    .prepare = prepare,
    .sample = sample,
    .survival = survival,
    .cdf = cdf,
    .inverse = inverse,
    .density = density,
    .support = mk_support_all,
    .breaks = breaks,
};
