#include "analysis/theory/tail_fit.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_math.h>
#include <gsl/gsl_sf_gamma.h>

#include "sim/base/error.h"
#include "sim/base/statistics.h"

struct l_moments {
    double first, second, ratio; /* ratio: of Pareto fits second / first, otherwise third / second */
};

/* Sample L-moments of ascending values less `location` by unbiased probability-weighted moments (Hosking 1990). */
static struct l_moments l_moments_of(enum mk_tail_family family, const double *value, size_t n, double location)
{
    double b0 = 0, b1 = 0, b2 = 0;
    const double m = (double)n;
    for (size_t j = 0; j < n; j++) {
        const double x = value[j] - location, i = (double)j;
        b0 += x;
        b1 += x * (i / (m - 1));
        b2 += x * (i * (i - 1) / ((m - 1) * (m - 2)));
    }
    b0 /= m, b1 /= m, b2 /= m;
    const double second = 2 * b1 - b0, third = 6 * b2 - 6 * b1 + b0;
    return (struct l_moments){b0, second, family == MK_TAIL_PARETO ? second / b0 : third / second};
}

/* (e^(xi x) - 1) / xi, x at xi = 0. */
static double stretched(double x, double xi)
{
    return xi == 0 ? x : expm1(xi * x) / xi;
}

/* L-skewness of the extreme-value distribution, ascending in the shape: 2 (1 - 3^xi) / (1 - 2^xi) - 3. */
static double extreme_value_ratio(double xi)
{
    return 2 * stretched(log(3), xi) / stretched(log(2), xi) - 3;
}

/* The shape in ±MK_TAIL_MAX_SHAPE at which an ascending function is `target`, by bisection. */
static double shape_at(double (*ratio)(double xi), double target)
{
    double low = -MK_TAIL_MAX_SHAPE, high = 1;
    while (high - low > 1e-12) {
        const double middle = (low + high) / 2;
        if (ratio(middle) < target)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

static void fit_moments(struct mk_tail_fit *f, enum mk_tail_family family, struct l_moments l, double location)
{
    if (family == MK_TAIL_PARETO) {
        f->shape = fmax(2 - 1 / l.ratio, -MK_TAIL_MAX_SHAPE);
        f->scale = l.first * (1 - f->shape);
        f->location = location;
        return;
    }
    f->shape = shape_at(extreme_value_ratio, l.ratio);
    const double gamma = f->shape < 1 ? gsl_sf_gamma(1 - f->shape) : INFINITY;
    f->scale = l.second / (stretched(log(2), f->shape) * gamma);
    f->location = l.first - f->scale * (fabs(f->shape) < 1e-8 ? M_EULER : (gamma - 1) / f->shape);
}

/* Cramér-von Mises statistic of ascending values under a fit. */
static double misfit(const struct mk_tail_fit *f, enum mk_tail_family family, const double *value, size_t n)
{
    double sum = 1 / (12 * (double)n);
    for (size_t j = 0; j < n; j++) {
        const double z = (value[j] - f->location) / f->scale;
        double up = f->shape == 0 ? z : log1p(fmax(f->shape * z, -1)) / f->shape; /* of the exponential scale */
        if (f->shape > 0 && f->shape * z <= -1) up = -INFINITY;
        const double F = family == MK_TAIL_PARETO ? -expm1(-up) : exp(-exp(-up));
        const double away = F - ((double)j + 0.5) / (double)n;
        sum += away * away;
    }
    return sum;
}

/* ---- draws ---- */

/* Samples of the standard distribution, those of every shape from the same exponential values. */
struct draws {
    enum mk_tail_family family;
    size_t n, draws;
    double *exponent;               /* [draws][n], ascending: values of the shape 0 */
    double *value, *ratio, *beyond; /* [n]; [draws]; [draws] */
};

static void draws_free(struct draws *d)
{
    free(d->exponent);
    free(d->value);
    free(d->ratio);
    free(d->beyond);
}

/* Ascending exponential values by their spacings (Rényi 1953); of extreme values -log of them, ascending too. */
static void draw_exponents(const struct draws *d, struct mk_pcg64 *rng, double *to)
{
    double sum = 0;
    for (size_t j = 0; j < d->n; j++) {
        sum -= log(mk_uniform(rng)) / (double)(d->n - j);
        if (d->family == MK_TAIL_PARETO)
            to[j] = sum;
        else
            to[d->n - 1 - j] = -log(sum);
    }
}

static int draws_new(struct draws *d, enum mk_tail_family family, size_t n, size_t draws, struct mk_key key,
                     struct mk_error *err)
{
    *d = (struct draws){.family = family, .n = n, .draws = draws};
    d->exponent = malloc(n * draws * sizeof *d->exponent);
    d->value = malloc(n * sizeof *d->value);
    d->ratio = malloc(draws * sizeof *d->ratio);
    d->beyond = malloc(draws * sizeof *d->beyond);
    if (!d->exponent || !d->value || !d->ratio || !d->beyond) {
        draws_free(d);
        return mk_fail_memory(err, "draws of a tail");
    }
    struct mk_pcg64 rng;
    mk_pcg64_from_key(&rng, key);
    for (size_t i = 0; i < draws; i++) draw_exponents(d, &rng, d->exponent + i * n);
    return MK_OK;
}

/* Draw i under the standard distribution of this shape, ascending, in d->value. */
static void draw_values(struct draws *d, size_t i, double shape)
{
    for (size_t j = 0; j < d->n; j++) d->value[j] = stretched(d->exponent[i * d->n + j], shape);
}

/* Fills d->ratio and, of a shape below 0, d->beyond: (end point - largest value) / second L-moment; sorts both. */
static void draw_ratios(struct draws *d, double shape)
{
    for (size_t i = 0; i < d->draws; i++) {
        draw_values(d, i, shape);
        const struct l_moments l = l_moments_of(d->family, d->value, d->n, 0);
        d->ratio[i] = l.ratio;
        d->beyond[i] = shape < 0 ? (-1 / shape - d->value[d->n - 1]) / l.second : INFINITY;
    }
    mk_sort_values(d->ratio, d->draws);
    mk_sort_values(d->beyond, d->draws);
}

static double ratio_quantile(struct draws *d, double shape, double level)
{
    draw_ratios(d, shape);
    return mk_quantile_sorted(d->ratio, d->draws, level);
}

/* The shape under which the observed ratio is the quantile `level` of those drawn, which ascends in the shape;
 * ±INFINITY beyond the limits. By the Illinois form of regula falsi from an interval that grows around `near`. */
static double shape_of_quantile(struct draws *d, double observed, double level, double near)
{
    const double close_enough = 1e-4;
    double low = near, high = near, at_low = ratio_quantile(d, near, level) - observed, at_high = at_low;
    for (double step = 0.25; at_low > 0; step *= 2) {
        if (low <= -MK_TAIL_MAX_SHAPE) return -INFINITY;
        high = low, at_high = at_low;
        low = fmax(low - step, -MK_TAIL_MAX_SHAPE);
        at_low = ratio_quantile(d, low, level) - observed;
    }
    for (double step = 0.25; at_high <= 0; step *= 2) {
        if (high >= MK_TAIL_MAX_SHAPE) return INFINITY;
        low = high, at_low = at_high;
        high = fmin(high + step, MK_TAIL_MAX_SHAPE);
        at_high = ratio_quantile(d, high, level) - observed;
    }
    for (int side = 0; high - low > close_enough;) {
        double middle = low - at_low * (high - low) / (at_high - at_low);
        middle = fmin(fmax(middle, low + close_enough / 2), high - close_enough / 2);
        const double at = ratio_quantile(d, middle, level) - observed;
        if (at <= 0) {
            low = middle, at_low = at;
            if (side < 0) at_high /= 2;
            side = -1;
        } else {
            high = middle, at_high = at;
            if (side > 0) at_low /= 2;
            side = 1;
        }
    }
    return (low + high) / 2;
}

/* How far the end point is beyond the largest value, in second L-moments: the quantile `level` under this shape. */
static double beyond_largest(struct draws *d, double shape, double level)
{
    if (!(shape < 0)) return INFINITY;
    if (isinf(shape)) return 0;
    draw_ratios(d, shape);
    return mk_quantile_sorted(d->beyond, d->draws, level);
}

/* Each end point lies within the limits with at least `confidence`: half of the rest is left to the shape. */
static void fit_end(struct mk_tail_fit *f, struct draws *d, struct l_moments l, double largest, double confidence)
{
    const double rest = (1 - confidence) / 4;
    const double low = shape_of_quantile(d, l.ratio, 1 - rest, f->shape);
    const double high = shape_of_quantile(d, l.ratio, rest, f->shape);
    f->end = largest + l.second * beyond_largest(d, f->shape, 0.5);
    f->end_low = largest + l.second * beyond_largest(d, low, rest);
    f->end_high = largest + l.second * beyond_largest(d, high, 1 - rest);
}

static double exponential_test(struct draws *d, double observed)
{
    draw_ratios(d, 0);
    size_t below = 1, above = 1;
    for (size_t i = 0; i < d->draws; i++) {
        below += d->ratio[i] <= observed;
        above += d->ratio[i] >= observed;
    }
    return fmin(1, 2 * (double)(below < above ? below : above) / (double)(d->draws + 1));
}

static double fit_test(const struct mk_tail_fit *f, struct draws *d, double observed)
{
    size_t worse = 1;
    for (size_t i = 0; i < d->draws; i++) {
        struct mk_tail_fit drawn;
        draw_values(d, i, f->shape);
        fit_moments(&drawn, d->family, l_moments_of(d->family, d->value, d->n, 0), 0);
        worse += misfit(&drawn, d->family, d->value, d->n) >= observed;
    }
    return (double)worse / (double)(d->draws + 1);
}

int mk_tail_fit(struct mk_tail_fit *out, enum mk_tail_family family, const double *value, size_t n, double location,
                double confidence, size_t draws, struct mk_key key, struct mk_error *err)
{
    struct draws d;
    int code = draws_new(&d, family, n, draws, key, err);
    if (code) return code;
    const struct l_moments l = l_moments_of(family, value, n, family == MK_TAIL_PARETO ? location : 0);
    fit_moments(out, family, l, location);
    out->shape_low = shape_of_quantile(&d, l.ratio, 1 - (1 - confidence) / 2, out->shape);
    out->shape_high = shape_of_quantile(&d, l.ratio, (1 - confidence) / 2, out->shape);
    fit_end(out, &d, l, value[n - 1], confidence);
    out->p_exponential = exponential_test(&d, l.ratio);
    out->p_fit = fit_test(out, &d, misfit(out, family, value, n));
    draws_free(&d);
    return MK_OK;
}
