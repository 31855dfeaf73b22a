/* Skew-normal distribution (Azzalini 1985): z = (x - location)/scale has the density 2 phi(z) Phi(shape z).
 *
 * The negative of a skew-normal number has the opposite shape, so that a = |shape| is enough. For z >= 0
 *
 *     P(Z < -z) = L(z),   P(Z > z) = 2 Q(z) - L(z),   P(-inf < Z <= z) = erf(z / sqrt 2) + L(z),
 *
 * L(h) = int_h^inf 2 phi(t) Q(a t) dt <= Q(h): no sum here loses digits. L is computed by Gauss-Legendre in two panels,
 * up to where the exponent has fallen by 40. */
#include <gsl/gsl_math.h>

#include "distributions/parts/tools.h"

enum { SHAPE, LOCATION, SCALE, PARAMS };

static const struct mk_param params[] = {
    {"shape", MK_REAL, MK_REQUIRED, 0, -1e6, 1e6, NULL, "> 0: long upper tail, < 0: long lower tail, 0: normal"},
    MK_FINITE("location", 0, 0, "location; for a large |shape| nearly an end point"),
    MK_POSITIVE("scale", 0, 1, "scale"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

enum { NODES = 20 };

static const char *prepare(struct mk_dist *d, int *param)
{
    *param = -1;
    d->table = mk_legendre_nodes(NODES);
    return d->table ? NULL : mk_dist_no_memory;
}

/* L(h), h >= 0 */
static double light_tail(const struct mk_dist *d, double h)
{
    const double a = fabs(d->v[SHAPE]), *node = d->table, fall = 80 / (1 + a * a);
    const double width = fall / (h + sqrt(h * h + fall)) / 2;
    double sum = 0;
    if (h > 40) return 0;
    for (int panel = 0; panel < 2; panel++)
        for (size_t i = 0; i < NODES; i++) {
            const double t = h + width * (panel + node[2 * i]);
            sum += node[2 * i + 1] * 2 * mk_normal_density(t) * mk_normal_upper(a * t);
        }
    return width * sum;
}

/* P(Z > z) (upper) or P(Z <= z) for the shape a >= 0. */
static double probability(const struct mk_dist *d, double z, bool upper)
{
    const double light = light_tail(d, fabs(z));
    if (z < 0) return upper ? 1 - light : light;
    return upper ? 2 * mk_normal_upper(z) - light : erf(z * M_SQRT1_2) + light;
}

static double standard(const struct mk_dist *d, double x)
{
    const double z = (x - d->v[LOCATION]) / d->v[SCALE];
    return d->v[SHAPE] < 0 ? -z : z;
}

static double survival(const struct mk_dist *d, double x)
{
    return probability(d, standard(d, x), d->v[SHAPE] >= 0);
}

static double cdf(const struct mk_dist *d, double x)
{
    return probability(d, standard(d, x), d->v[SHAPE] < 0);
}

static double standard_density(double a, double z)
{
    return isinf(z) ? 0 : 2 * mk_normal_density(z) * mk_normal_upper(-a * z);
}

struct target {
    const struct mk_dist *d;
    double log_p;
    bool upper;
};

static double residual(const void *context, double z, double *slope)
{
    const struct target *t = context;
    const double p = probability(t->d, z, t->upper), off = log(p) - t->log_p;
    *slope = standard_density(fabs(t->d->v[SHAPE]), z) / p;
    return t->upper ? -off : off;
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    const bool mirrored = d->v[SHAPE] < 0;
    const double above = mirrored ? lower : upper, below = mirrored ? upper : lower;
    const double a = fabs(d->v[SHAPE]), least = -37.5 / sqrt(1 + a * a);
    const struct target target = {d, log(fmin(above, below)), above < below};
    double z = above <= 0 ? INFINITY : -INFINITY;
    if (above > 0 && below > 0)
        z = mk_solve(residual, &target, least, 39, mk_normal_inverse(above / 2, below + above / 2));
    return d->v[LOCATION] + d->v[SCALE] * (mirrored ? -z : z);
}

static double density(const struct mk_dist *d, double x)
{
    return standard_density(fabs(d->v[SHAPE]), standard(d, x)) / d->v[SCALE];
}

/* For a large |shape| the density falls to nearly 0 within scale / |shape|. */
static size_t breaks(const struct mk_dist *d, double *x)
{
    if (x) x[0] = d->v[LOCATION];
    return 1;
}

const struct mk_dist_type mk_dist_skew_normal = {
    .name = "skew_normal",
    .summary = "skew-normal distribution",
    .formula = "density 2 phi(z) Phi(shape z) / scale, z = (x - location)/scale",
    .reference = "Azzalini 1985, \"A class of distributions which includes the normal ones\"; the rewards of the flat, "
                 "semi-flat and curved priors of Balef & Eggensperger 2025 (arXiv 2508.13657), truncated to [0, 1]",
    .flags = MK_DIST_SLOW | MK_DIST_INVERTS,
    .params = params,
    .prepare = prepare,
    .sample = mk_sample_by_inverse,
    .survival = survival,
    .cdf = cdf,
    .inverse = inverse,
    .density = density,
    .support = mk_support_all,
    .breaks = breaks,
};
