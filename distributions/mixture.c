/* Finite mixture: component k with probability weights[k] / sum of the weights.
 *
 *     G(x) = sum_k w_k G_k(x).
 *
 * A draw takes one uniform for the component and then the component's own draw. The inverse survival function is
 * bracketed by those of the components and found by Newton's method on the log of the smaller tail, with bisection over
 * the ordered double numbers as the fall-back, which also settles on jumps. */
#include <stdlib.h>
#include <string.h>

#include "distributions/parts/tools.h"

enum { WEIGHTS, COMPONENTS };

static const struct mk_param params[] = {
    {"weights", MK_LIST, MK_REQUIRED, 0, 0, 0, NULL, "one weight > 0 for each component; scaled to sum to 1"},
    {"components", MK_PARTS, MK_REQUIRED, 0, 0, 0, NULL, "the components, a list of arms"},
    MK_PARAMS_END,
};

static const char *prepare(struct mk_dist *d, int *param)
{
    *param = WEIGHTS;
    if (d->n_values != d->n_parts) return "expected as many weights as there are components";
    double sum = 0;
    for (size_t k = 0; k < d->n_values; k++) {
        if (!(d->values[k] > 0)) return "expected weights > 0";
        sum += d->values[k];
    }
    if (!isfinite(sum)) return "expected weights with a finite sum";
    double *share = malloc(d->n_values * sizeof *share);
    if (!share) return mk_dist_no_memory;
    for (size_t k = 0; k < d->n_values; k++) share[k] = d->values[k] / sum;
    d->table = share;
    return NULL;
}

static void sample(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out)
{
    const double *share = d->table;
    for (size_t i = 0; i < n; i++) {
        double u = mk_uniform(rng);
        size_t k = 0;
        while (k + 1 < d->n_parts && u >= share[k]) u -= share[k++];
        d->part[k]->type->sample(d->part[k], rng, 1, out + i);
    }
}

static double average(const struct mk_dist *d, double (*f)(const struct mk_dist *, double), double x)
{
    const double *share = d->table;
    double sum = 0;
    for (size_t k = 0; k < d->n_parts; k++) sum += share[k] * f(d->part[k], x);
    return sum;
}

static double survival(const struct mk_dist *d, double x)
{
    return fmin(1, average(d, mk_dist_survival, x));
}

static double above(const struct mk_dist *d, double x)
{
    return fmin(1, average(d, mk_dist_above, x));
}

static double cdf(const struct mk_dist *d, double x)
{
    return fmin(1, average(d, mk_dist_cdf, x));
}

static double below(const struct mk_dist *d, double x)
{
    return fmin(1, average(d, mk_dist_below, x));
}

static double part_density(const struct mk_dist *d, double x)
{
    return d->type->density(d, x);
}

static double density(const struct mk_dist *d, double x)
{
    return average(d, part_density, x);
}

static void support(const struct mk_dist *d, double *lo, double *hi)
{
    mk_dist_support(d->part[0], lo, hi);
    for (size_t k = 1; k < d->n_parts; k++) {
        double a, b;
        mk_dist_support(d->part[k], &a, &b);
        *lo = fmin(*lo, a);
        *hi = fmax(*hi, b);
    }
}

/* Doubles in ascending order as whole numbers, and back. */
static int64_t rank_of(double x)
{
    int64_t r;
    memcpy(&r, &x, sizeof r);
    return r < 0 ? INT64_MIN - r : r;
}

static double of_rank(int64_t r)
{
    double x;
    r = r < 0 ? INT64_MIN - r : r;
    memcpy(&x, &r, sizeof x);
    return x;
}

static double between(double lo, double hi)
{
    int64_t a = rank_of(lo), b = rank_of(hi);
    return of_rank((a >> 1) + (b >> 1) + (a & b & 1));
}

/* log of how far the tail at x is on the near side of the wanted probability: >= 0 where G(x) >= upper. */
static double margin(const struct mk_dist *d, double x, double upper, double lower, double *slope)
{
    if (upper < lower) {
        double g = survival(d, x);
        *slope = -density(d, x) / g;
        return log(g / upper);
    }
    double f = below(d, x);
    *slope = -density(d, x) / f;
    return log(lower / f);
}

static double search(const struct mk_dist *d, double upper, double lower, double lo, double hi)
{
    const double rounding = 4e-15; /* of a sum of tail probabilities */
    double slope, x = hi, last = INFINITY;
    double value = margin(d, hi, upper, lower, &slope);
    if (value >= -rounding) return hi;
    while ((uint64_t)rank_of(hi) - (uint64_t)rank_of(lo) > 1) {
        double next = x - value / slope;
        /* Bisect when Newton's step leaves the bracket or the last one did not halve the margin. */
        if (!(next > lo && next < hi) || fabs(value) > 0.5 * last) next = between(lo, hi);
        last = fabs(value);
        double step = fabs(next - x);
        x = next;
        value = margin(d, x, upper, lower, &slope);
        if (value >= -rounding)
            lo = x;
        else
            hi = x;
        if (fabs(value) <= rounding && step <= 4e-16 * fabs(x)) return x;
        if (value == 0 && density(d, x) > 0) return x;
    }
    return lo;
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    double lo = INFINITY, hi = -INFINITY;
    for (size_t k = 0; k < d->n_parts; k++) {
        double x = d->part[k]->type->inverse(d->part[k], upper, lower);
        lo = fmin(lo, x);
        hi = fmax(hi, x);
    }
    if (upper <= 0) return hi;
    if (lower <= 0) return lo;
    return lo < hi ? search(d, upper, lower, lo, hi) : lo;
}

static void tails(const struct mk_dist *d, double *upper, double *lower)
{
    *upper = *lower = INFINITY;
    for (size_t k = 0; k < d->n_parts; k++) {
        double a, b;
        mk_dist_tails(d->part[k], &a, &b);
        *upper = fmin(*upper, a);
        *lower = fmin(*lower, b);
    }
}

static size_t breaks(const struct mk_dist *d, double *x)
{
    size_t n = 0;
    for (size_t k = 0; k < d->n_parts; k++) {
        double end[2];
        mk_dist_support(d->part[k], &end[0], &end[1]);
        for (int i = 0; i < 2; i++) {
            if (!isfinite(end[i])) continue;
            if (x) x[n] = end[i];
            n++;
        }
        n += mk_dist_breaks(d->part[k], x ? x + n : NULL);
    }
    return n;
}

const struct mk_dist_type mk_dist_mixture = {
    .name = "mixture",
    .summary = "finite mixture of arms",
    .formula = "G(x) = sum_k w_k G_k(x), w = weights / their sum",
    .reference = "Baudry et al. 2022, experiment 2",
    .flags = MK_DIST_SLOW,
    .params = params,
    .prepare = prepare,
    .sample = sample,
    .survival = survival,
    .above = above,
    .cdf = cdf,
    .below = below,
    .inverse = inverse,
    .density = density,
    .support = support,
    .tails = tails,
    .breaks = breaks,
};
