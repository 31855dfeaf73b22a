/* Wrapper: X -> min(max(X, lo), hi), which leaves point masses at the bounds. */
#include "distributions/parts/tools.h"

enum { LO, HI, PARAMS };

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
    *param = d->v[LO] == INFINITY ? LO : HI;
    return d->v[LO] == INFINITY || d->v[HI] == -INFINITY ? "expected an interval that contains a finite number" : NULL;
}

static inline double clip(const struct mk_dist *d, double x)
{
    return x < d->v[LO] ? d->v[LO] : x > d->v[HI] ? d->v[HI] : x;
}

static void sample(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out)
{
    d->part[0]->type->sample(d->part[0], rng, n, out);
    for (size_t i = 0; i < n; i++) out[i] = clip(d, out[i]);
}

static double survival(const struct mk_dist *d, double x)
{
    return x <= d->v[LO] ? 1 : x > d->v[HI] ? 0 : mk_dist_survival(d->part[0], x);
}

static double above(const struct mk_dist *d, double x)
{
    return x < d->v[LO] ? 1 : x >= d->v[HI] ? 0 : mk_dist_above(d->part[0], x);
}

static double cdf(const struct mk_dist *d, double x)
{
    return x < d->v[LO] ? 0 : x >= d->v[HI] ? 1 : mk_dist_cdf(d->part[0], x);
}

static double below(const struct mk_dist *d, double x)
{
    return x <= d->v[LO] ? 0 : x > d->v[HI] ? 1 : mk_dist_below(d->part[0], x);
}

static double clipped_between(const struct mk_dist *d, double x, double y)
{
    if (x > d->v[HI] || y < d->v[LO]) return 0;
    return mk_dist_between(d->part[0], x <= d->v[LO] ? -INFINITY : x, y >= d->v[HI] ? INFINITY : y);
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    return clip(d, d->part[0]->type->inverse(d->part[0], upper, lower));
}

static double density(const struct mk_dist *d, double x)
{
    return x < d->v[LO] || x > d->v[HI] ? 0 : d->part[0]->type->density(d->part[0], x);
}

static void support(const struct mk_dist *d, double *lo, double *hi)
{
    mk_dist_support(d->part[0], lo, hi);
    *lo = clip(d, *lo);
    *hi = clip(d, *hi);
}

static void tails(const struct mk_dist *d, double *upper, double *lower)
{
    mk_dist_tails(d->part[0], upper, lower);
    if (isfinite(d->v[LO])) *lower = INFINITY;
    if (isfinite(d->v[HI])) *upper = INFINITY;
}

static size_t breaks(const struct mk_dist *d, double *x)
{
    size_t n = mk_dist_breaks(d->part[0], x);
    for (size_t i = 0; x && i < n; i++) x[i] = clip(d, x[i]);
    for (int i = LO; i <= HI; i++) {
        if (!isfinite(d->v[i])) continue;
        if (x) x[n] = d->v[i];
        n++;
    }
    return n;
}

const struct mk_dist_type mk_dist_clipped = {
    .name = "clipped",
    .summary = "arm cut off at two bounds (key clip: [lo, hi])",
    .formula = "min(max(X, lo), hi)",
    .reference = "Johnson, Kotz and Balakrishnan 1994, chapter 1 (censoring)",
    .flags = MK_DIST_WRAPPER | MK_DIST_ATOMS,
    .params = params,
    .prepare = prepare,
    .sample = sample,
    .survival = survival,
    .above = above,
    .cdf = cdf,
    .below = below,
    .between = clipped_between,
    .inverse = inverse,
    .density = density,
    .support = support,
    .tails = tails,
    .breaks = breaks,
};
