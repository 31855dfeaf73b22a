/* Wrapper: X -> shift + factor X; a negative factor reflects the distribution, so that maxima become minima. */
#include <float.h>

#include "distributions/parts/tools.h"

enum { SHIFT, FACTOR, PARAMS };

static const struct mk_param params[] = {
    MK_FINITE("shift", 0, 0, "added to the reward"),
    MK_FINITE("factor", 0, 1, "multiplies the reward, before shift is added; not 0"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static const char *prepare(struct mk_dist *d, int *param)
{
    *param = FACTOR;
    return d->v[FACTOR] == 0 ? "expected a number other than 0" : NULL;
}

static inline double outer(const struct mk_dist *d, double y)
{
    return d->v[SHIFT] + d->v[FACTOR] * y;
}

/* y is what x came from, up to rounding. Where a point mass of the part lies that near, G at x hangs on which side of
 * its image x is: the mass itself where x is its image, else a number on that side of it. */
static double preimage(const struct mk_dist *d, double x, double y)
{
    const struct mk_dist *part = d->part[0];
    double slack = 2 * DBL_EPSILON * (fabs(y) + fabs(d->v[SHIFT] / d->v[FACTOR]));
    double before = mk_dist_survival(part, y - slack), after = mk_dist_above(part, y + slack);
    if (!(before - after > 1e-13 * before)) return y;
    double middle = after + (before - after) / 2, atom = part->type->inverse(part, middle, 1 - middle);
    if (!(fabs(atom - y) <= slack && mk_dist_survival(part, atom) > mk_dist_above(part, atom))) return y;
    const double image = outer(d, atom);
    if (image == x) return atom;
    if ((image < x) == (d->v[FACTOR] > 0)) return fmax(y, nextafter(atom, INFINITY));
    return fmin(y, nextafter(atom, -INFINITY));
}

/* The y that maps to x. Rounding must not move an end point or a point mass, nor carry a point from outside the support
 * into it. */
static double inner(const struct mk_dist *d, double x)
{
    double y = (x - d->v[SHIFT]) / d->v[FACTOR], a, b;
    mk_dist_support(d->part[0], &a, &b);
    if (x == outer(d, a)) return a;
    if (x == outer(d, b)) return b;
    int sign = d->v[FACTOR] > 0 ? 1 : -1;
    if (sign * x < sign * outer(d, a)) return y < a ? y : nextafter(a, -INFINITY);
    if (sign * x > sign * outer(d, b)) return y > b ? y : nextafter(b, INFINITY);
    y = y < a ? a : y > b ? b : y;
    return mk_dist_has_atoms(d->part[0]) ? preimage(d, x, y) : y;
}

static void sample(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out)
{
    d->part[0]->type->sample(d->part[0], rng, n, out);
    for (size_t i = 0; i < n; i++) out[i] = outer(d, out[i]);
}

static double survival(const struct mk_dist *d, double x)
{
    return d->v[FACTOR] > 0 ? mk_dist_survival(d->part[0], inner(d, x)) : mk_dist_cdf(d->part[0], inner(d, x));
}

static double above(const struct mk_dist *d, double x)
{
    return d->v[FACTOR] > 0 ? mk_dist_above(d->part[0], inner(d, x)) : mk_dist_below(d->part[0], inner(d, x));
}

static double cdf(const struct mk_dist *d, double x)
{
    return d->v[FACTOR] > 0 ? mk_dist_cdf(d->part[0], inner(d, x)) : mk_dist_survival(d->part[0], inner(d, x));
}

static double below(const struct mk_dist *d, double x)
{
    return d->v[FACTOR] > 0 ? mk_dist_below(d->part[0], inner(d, x)) : mk_dist_above(d->part[0], inner(d, x));
}

static double affine_between(const struct mk_dist *d, double x, double y)
{
    const double from = inner(d, x), to = inner(d, y);
    return d->v[FACTOR] > 0 ? mk_dist_between(d->part[0], from, to) : mk_dist_between(d->part[0], to, from);
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    if (d->v[FACTOR] > 0) return outer(d, d->part[0]->type->inverse(d->part[0], upper, lower));
    /* At a jump that `lower` hits exactly, the largest x corresponds to the smallest y: step just past the jump. */
    double nudge = mk_dist_has_atoms(d->part[0]) ? 2e-14 : 0;
    return outer(d, d->part[0]->type->inverse(d->part[0], fmin(1, lower * (1 + nudge)), upper * (1 - nudge)));
}

static double density(const struct mk_dist *d, double x)
{
    return d->part[0]->type->density(d->part[0], inner(d, x)) / fabs(d->v[FACTOR]);
}

static void support(const struct mk_dist *d, double *lo, double *hi)
{
    double a, b;
    mk_dist_support(d->part[0], &a, &b);
    *lo = outer(d, d->v[FACTOR] > 0 ? a : b);
    *hi = outer(d, d->v[FACTOR] > 0 ? b : a);
}

static double resolution(const struct mk_dist *d)
{
    double a, b, largest = 0;
    mk_dist_support(d->part[0], &a, &b);
    if (isfinite(a)) largest = fabs(a);
    if (isfinite(b)) largest = fmax(largest, fabs(b));
    return DBL_EPSILON * fabs(d->v[SHIFT]) +
           fabs(d->v[FACTOR]) * (DBL_EPSILON * largest + mk_dist_resolution(d->part[0]));
}

static void tails(const struct mk_dist *d, double *upper, double *lower)
{
    if (d->v[FACTOR] > 0)
        mk_dist_tails(d->part[0], upper, lower);
    else
        mk_dist_tails(d->part[0], lower, upper);
}

static size_t breaks(const struct mk_dist *d, double *x)
{
    size_t n = mk_dist_breaks(d->part[0], x);
    for (size_t i = 0; x && i < n; i++) x[i] = outer(d, x[i]);
    return n;
}

static double expected_max(const struct mk_dist *d, double n)
{
    const struct mk_dist *part = d->part[0];
    if (d->v[FACTOR] < 0 || !part->type->expected_max) return NAN;
    return outer(d, part->type->expected_max(part, n));
}

const struct mk_dist_type mk_dist_affine = {
    .name = "affine",
    .summary = "arm scaled and shifted (keys factor and shift)",
    .formula = "shift + factor X",
    .reference = "Johnson, Kotz and Balakrishnan 1994, chapter 12",
    .flags = MK_DIST_WRAPPER,
    .params = params,
    .prepare = prepare,
    .sample = sample,
    .survival = survival,
    .above = above,
    .cdf = cdf,
    .below = below,
    .between = affine_between,
    .inverse = inverse,
    .density = density,
    .support = support,
    .tails = tails,
    .breaks = breaks,
    .resolution = resolution,
    .expected_max = expected_max,
};
