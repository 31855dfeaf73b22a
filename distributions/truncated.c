/* Wrapper: the inner distribution conditioned on lo <= X <= hi.
 *
 *     G(x) = (G_0(x) - P_0(X > hi)) / P_0(lo <= X <= hi).
 *
 * The inverse maps both tail probabilities to those of the inner distribution, so that far tails keep their
 * accuracy. */
#include "distributions/parts/tools.h"

enum { LO, HI, PARAMS };
enum { MASS, BELOW, ABOVE };

static const struct mk_param params[] = {
    {"lo", MK_REAL, MK_REQUIRED, 0, -INFINITY, INFINITY, NULL, "lower bound"},
    {"hi", MK_REAL, MK_REQUIRED, 0, -INFINITY, INFINITY, NULL, "upper bound"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static const char *prepare(struct mk_dist *d, int *param)
{
    *param = HI;
    if (!(d->v[LO] <= d->v[HI])) return "expected a number >= lo";
    *param = -1;
    d->c[MASS] = mk_dist_between(d->part[0], d->v[LO], d->v[HI]);
    d->c[BELOW] = mk_dist_below(d->part[0], d->v[LO]);
    d->c[ABOVE] = mk_dist_above(d->part[0], d->v[HI]);
    return d->c[MASS] > 0
               ? NULL
               : "the probability between the bounds is too small for a double; expected bounds around the bulk of the arm";
}

static void sample(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out)
{
    if (d->c[BELOW] > 0 || d->c[ABOVE] > 0)
        mk_sample_by_inverse(d, rng, n, out);
    else
        d->part[0]->type->sample(d->part[0], rng, n, out);
}

static double survival(const struct mk_dist *d, double x)
{
    if (x <= d->v[LO]) return 1;
    return x > d->v[HI] ? 0 : fmin(1, mk_dist_between(d->part[0], x, d->v[HI]) / d->c[MASS]);
}

static double cdf(const struct mk_dist *d, double x)
{
    if (x < d->v[LO]) return 0;
    return x >= d->v[HI] ? 1 : fmin(1, mk_dist_between(d->part[0], d->v[LO], x) / d->c[MASS]);
}

static double above(const struct mk_dist *d, double x)
{
    if (x < d->v[LO]) return 1;
    return x >= d->v[HI] ? 0 : fmin(1, mk_dist_between(d->part[0], nextafter(x, INFINITY), d->v[HI]) / d->c[MASS]);
}

static double below(const struct mk_dist *d, double x)
{
    if (x <= d->v[LO]) return 0;
    return x > d->v[HI] ? 1 : fmin(1, mk_dist_between(d->part[0], d->v[LO], nextafter(x, -INFINITY)) / d->c[MASS]);
}

static double truncated_between(const struct mk_dist *d, double x, double y)
{
    x = fmax(x, d->v[LO]);
    y = fmin(y, d->v[HI]);
    return x <= y ? fmin(1, mk_dist_between(d->part[0], x, y) / d->c[MASS]) : 0;
}

static void support(const struct mk_dist *d, double *lo, double *hi)
{
    mk_dist_support(d->part[0], lo, hi);
    *lo = fmax(*lo, d->v[LO]);
    *hi = fmin(*hi, d->v[HI]);
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    double lo, hi;
    support(d, &lo, &hi);
    if (upper <= 0) return hi;
    if (lower <= 0) return lo;
    double x =
        d->part[0]->type->inverse(d->part[0], upper * d->c[MASS] + d->c[ABOVE], lower * d->c[MASS] + d->c[BELOW]);
    return x < lo ? lo : x > hi ? hi : x;
}

static double density(const struct mk_dist *d, double x)
{
    return x < d->v[LO] || x > d->v[HI] ? 0 : d->part[0]->type->density(d->part[0], x) / d->c[MASS];
}

static void tails(const struct mk_dist *d, double *upper, double *lower)
{
    mk_dist_tails(d->part[0], upper, lower);
    if (isfinite(d->v[LO])) *lower = INFINITY;
    if (isfinite(d->v[HI])) *upper = INFINITY;
}

/* Near hi G, and near lo F, are differences of two inner probabilities: their errors, converted to a distance by the
 * density there. Library functions err by up to 5e-13 of the smaller tail (the hypothesis of Proposition 10 for the
 * inner distribution), which is hundreds of times their rounding. */
static double error_near(const struct mk_dist *d, double end, double beyond)
{
    static const double accuracy = 5e-13;
    const double slope = density(d, end) * d->c[MASS], error = 2 * accuracy * fmin(beyond, 1 - beyond);
    return error > 0 && slope > 0 && isfinite(slope) ? error / slope : 0;
}

static double resolution(const struct mk_dist *d)
{
    const double near = fmax(error_near(d, d->v[LO], d->c[BELOW]), error_near(d, d->v[HI], d->c[ABOVE]));
    return fmax(mk_dist_resolution(d->part[0]), near);
}

static size_t breaks(const struct mk_dist *d, double *x)
{
    size_t n = mk_dist_breaks(d->part[0], x), kept = 0;
    if (!x) return n;
    for (size_t i = 0; i < n; i++)
        if (x[i] >= d->v[LO] && x[i] <= d->v[HI]) x[kept++] = x[i];
    return kept;
}

const struct mk_dist_type mk_dist_truncated = {
    .name = "truncated",
    .summary = "arm conditioned on an interval (key truncate: [lo, hi])",
    .formula = "P(X >= x | lo <= X <= hi)",
    .reference = "Johnson, Kotz and Balakrishnan 1994, chapter 1",
    .flags = MK_DIST_WRAPPER | MK_DIST_INVERTS,
    .params = params,
    .prepare = prepare,
    .sample = sample,
    .survival = survival,
    .above = above,
    .cdf = cdf,
    .below = below,
    .between = truncated_between,
    .inverse = inverse,
    .density = density,
    .support = support,
    .tails = tails,
    .resolution = resolution,
    .breaks = breaks,
};
