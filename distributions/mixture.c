/* Finite mixture: component k with probability weights[k] / sum of the weights.
 *
 *     G(x) = sum_k w_k G_k(x).
 *
 * A draw takes one uniform for the component and then the component's own draw. The inverse survival function is looked
 * up among the points where G jumps or is not smooth: on a point mass it is that point. Between two of them it is
 * bracketed by those of the components and found by Newton's method on the log of the smaller tail, with bisection over
 * the ordered doubles as the fallback. */
#include <stdbool.h>
#include <stdlib.h>

#include "distributions/parts/tools.h"
#include "sim/base/number.h"
#include "sim/base/statistics.h"

enum { WEIGHTS, COMPONENTS, PARAMS };

/* A point where G jumps or is not smooth: P(X >= x), P(X > x), P(X < x), P(X <= x). */
struct step {
    double x, at_least, above, below, at_most;
};

/* What prepare derives. */
struct table {
    size_t n;
    struct step *step; /* [n], x ascending, in the memory after share[] */
    double share[];    /* [n_parts] weights with sum 1 */
};

static const double *shares(const struct mk_dist *d)
{
    return ((const struct table *)d->table)->share;
}

static const struct mk_param params[] = {
    {"weights", MK_LIST, MK_REQUIRED, 0, 0, 0, NULL, "one weight > 0 for each component; scaled to sum to 1"},
    {"components", MK_PARTS, MK_REQUIRED, 0, 0, 0, NULL, "the components, a list of arms"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static void sample(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out)
{
    const double *share = shares(d);
    for (size_t i = 0; i < n; i++) {
        double u = mk_uniform(rng);
        size_t k = 0;
        while (k + 1 < d->n_parts && u >= share[k]) u -= share[k++];
        d->part[k]->type->sample(d->part[k], rng, 1, out + i);
    }
}

static double average(const struct mk_dist *d, double (*f)(const struct mk_dist *, double), double x)
{
    const double *share = shares(d);
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

static double mixture_between(const struct mk_dist *d, double x, double y)
{
    const double *share = shares(d);
    double sum = 0;
    for (size_t k = 0; k < d->n_parts; k++) sum += share[k] * mk_dist_between(d->part[k], x, y);
    return fmin(1, sum);
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

/* Doubles mapped to whole numbers in ascending order, and back. */
static int64_t rank_of(double x)
{
    const int64_t r = (int64_t)mk_bits_of(x);
    return r < 0 ? INT64_MIN - r : r;
}

static double of_rank(int64_t r)
{
    return mk_real_of((uint64_t)(r < 0 ? INT64_MIN - r : r));
}

static double middle_of(double lo, double hi)
{
    int64_t a = rank_of(lo), b = rank_of(hi);
    return of_rank((a >> 1) + (b >> 1) + (a & b & 1));
}

/* log of the ratio of the tail at x to the required probability: >= 0 where G(x) >= upper. */
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

static const double rounding = 4e-15; /* of a sum of tail probabilities */

/* lo has G >= upper, hi has not. */
static double search(const struct mk_dist *d, double upper, double lower, double lo, double hi)
{
    double slope, x = hi, last = INFINITY;
    double value = margin(d, hi, upper, lower, &slope);
    if (value >= -rounding) return hi;
    while ((uint64_t)rank_of(hi) - (uint64_t)rank_of(lo) > 1) {
        double next = x - value / slope;
        /* Bisects when Newton's step leaves the bracket or the last one did not halve the margin. */
        if (!(next > lo && next < hi) || fabs(value) > 0.5 * last) next = middle_of(lo, hi);
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

/* Whether G(x) >= upper, up to rounding; `strict`: whether P(X > x) is. */
static bool reaches(const struct step *s, double upper, double lower, bool strict)
{
    if (upper < lower) return upper <= (strict ? s->above : s->at_least) * (1 + rounding);
    return lower * (1 + rounding) >= (strict ? s->at_most : s->below);
}

/* How many steps have G >= upper: the first ones. */
static size_t steps_reached(const struct table *t, double upper, double lower)
{
    size_t lo = 0, hi = t->n;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (reaches(&t->step[middle], upper, lower, false))
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    double lo, hi, min = INFINITY, largest = -INFINITY;
    support(d, &lo, &hi);
    if (upper <= 0) return hi;
    if (lower <= 0) return lo;
    const struct table *t = d->table;
    const size_t reached = steps_reached(t, upper, lower);
    if (reached) {
        lo = t->step[reached - 1].x;
        if (!reaches(&t->step[reached - 1], upper, lower, true)) return lo;
    }
    if (reached < t->n) hi = t->step[reached].x;
    for (size_t k = 0; k < d->n_parts; k++) {
        double x = d->part[k]->type->inverse(d->part[k], upper, lower);
        min = fmin(min, x);
        largest = fmax(largest, x);
    }
    lo = fmax(lo, min);
    hi = fmin(hi, largest);
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

static void set_steps(const struct mk_dist *d, struct table *t, size_t n)
{
    double *x = (double *)(t->step + n);
    breaks(d, x);
    qsort(x, n, sizeof *x, mk_compare_reals);
    for (size_t i = 0; i < n; i++)
        if (t->n == 0 || x[i] > t->step[t->n - 1].x)
            t->step[t->n++] = (struct step){x[i], survival(d, x[i]), above(d, x[i]), below(d, x[i]), cdf(d, x[i])};
}

static const char *prepare(struct mk_dist *d, int *param)
{
    *param = WEIGHTS;
    if (d->n_values != d->n_parts) return "expected one weight for each component";
    double sum = 0;
    for (size_t k = 0; k < d->n_values; k++) {
        if (!(d->values[k] > 0)) return "expected weights > 0";
        sum += d->values[k];
    }
    if (!isfinite(sum)) return "expected weights with a finite sum";
    const size_t n = breaks(d, NULL);
    struct table *t = malloc(sizeof *t + d->n_values * sizeof(double) + n * (sizeof(struct step) + sizeof(double)));
    if (!t) return mk_dist_no_memory;
    t->n = 0;
    t->step = (struct step *)(t->share + d->n_values);
    for (size_t k = 0; k < d->n_values; k++) t->share[k] = d->values[k] / sum;
    d->table = t;
    set_steps(d, t, n);
    return NULL;
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
    .between = mixture_between,
    .inverse = inverse,
    .density = density,
    .support = support,
    .tails = tails,
    .breaks = breaks,
};
