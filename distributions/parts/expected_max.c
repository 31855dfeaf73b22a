/* E[M(n)], the expected maximum of n i.i.d. draws.
 *
 * M(n) = Qbar(1 - V^(1/n)) in distribution, V uniform; with V = e^-w the two tail probabilities upper = -expm1(-w/n)
 * and
 * lower = exp(-w/n) are both accurate for any n, and
 *
 *     E[M(n)] = m + integral over w > 0 of (Qbar(w) - m) e^-w dw,
 *
 * m = Qbar(log 2) the median of M(n): subtracting it makes rounding errors relative to the spread of M(n).
 * Jumps and kinks of G cut the range into pieces: jumps contribute (x - m) times their probability, smooth pieces go to
 * GSL's doubly-adaptive CQUAD in the variable y, w = exp(y - e^-y), which decays double exponentially at 0
 * (Takahasi and Mori 1974). The part beyond the probabilities that a double can represent is added from the power law
 * (upper end) or exponential (lower end) that the integrand follows there. */
#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdlib.h>

#include "distributions/dist.h"
#include "distributions/parts/tools.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"

struct integral {
    const struct mk_dist *d;
    double n, median; /* or another value that is subtracted */
    double unit;      /* the integrand is divided by its largest value on a grid: CQUAD squares it */
    double goal;      /* absolute error that suffices */
    int bad;          /* it was not finite somewhere */
    gsl_integration_cquad_workspace *workspace;
    double sum, size, error; /* the integral, the sum of the sizes of its pieces, their estimated errors */
};

enum { INTERVALS = 200 }; /* of CQUAD */

static const double excess_error = 1e-6; /* relative, on top of the estimated one */
static const double LEAST = 1e-300;      /* smallest tail probability that a family is evaluated at */

static double quantile(const struct integral *q, double w)
{
    double p = w / q->n;
    return q->d->type->inverse(q->d, -expm1(-p), exp(-p));
}

static double integrand(double y, void *context)
{
    struct integral *q = context;
    double s = exp(-y), w = exp(y - s), value = (quantile(q, w) - q->median) * exp(-w) * w * (1 + s) / q->unit;
    if (isfinite(value)) return value;
    q->bad = 1; /* CQUAD would not terminate with a NaN */
    return 0;
}

/* The y with exp(y - e^-y) = w: Newton's method on a concave function, from the left. */
static double y_of(double w)
{
    double target = log(w), y = target > 1 ? 1 : -log(2 - target);
    for (int i = 0; i < 60; i++) {
        double s = exp(-y), step = (target - y + s) / (1 + s);
        y += step;
        if (fabs(step) <= 1e-15 * (1 + fabs(y))) break;
    }
    return y;
}

/* w of the point where the tails have these probabilities */
static double w_of(double n, double upper, double lower)
{
    return upper <= 0 ? 0 : n * mk_minus_log(lower, upper);
}

/* Smallest w with a finite quantile and a probability that a double can represent. */
static double first_w(const struct integral *q)
{
    double w = fmax(LEAST * q->n, LEAST);
    while (w < 1e-3 && !(fabs(quantile(q, w)) < 1e290)) w *= 1e5;
    return w;
}

/* The same at the other end: exp(-690) is about LEAST. */
static double last_w(const struct integral *q)
{
    double w = 690;
    while (w > 60 && !(fabs(quantile(q, w)) < 1e290)) w -= 10;
    return w;
}

static void find_unit(struct integral *q, double w0, double w1)
{
    double start = y_of(fmax(w0, first_w(q))), end = y_of(fmin(w1, last_w(q))), largest = 0;
    q->unit = 1;
    for (int i = 0; i <= 40; i++) largest = fmax(largest, fabs(integrand(start + (end - start) * i / 40, q)));
    if (largest > 0) q->unit = largest;
}

/* Integral over (0, w) when Qbar ~ w^-k there: w Qbar(w) / (1 - k). Fails where the integrand does not follow the power
 * law yet. */
static int upper_rest(struct integral *q, double w, struct mk_error *err)
{
    double lo, hi;
    mk_dist_support(q->d, &lo, &hi);
    double at = quantile(q, w) - q->median, ten = quantile(q, 1e10 * w) - q->median;
    double far = quantile(q, 1e20 * w) - q->median;
    if (isfinite(hi) || !(far > 0)) return MK_OK;
    double k = log(at / ten) / log(1e10), before = log(ten / far) / log(1e10), rest = w * at / (1 - k);
    if (fabs(rest) <= 1e-15 * q->size) return MK_OK;
    if (!(k < 1) || fabs(k - before) > 1e-9 * (1 - k))
        return mk_fail(err, MK_ENUM,
                       "E[M(n)]: the upper tail beyond probability 1e-300 matters and is not a power law");
    q->sum += rest;
    return MK_OK;
}

/* Integral over (w, infinity) when Qbar e^-w falls exponentially there. */
static void lower_rest(struct integral *q, double w)
{
    double at = (quantile(q, w) - q->median) * exp(-w), before = (quantile(q, w - 10) - q->median) * exp(10 - w);
    double rate = log(before / at) / 10;
    if (rate > 0) q->sum += at / rate;
}

/* Smooth piece between w0 and w1 (infinity allowed). */
static int add_piece(struct integral *q, double w0, double w1, struct mk_error *err)
{
    double last = last_w(q), start = fmax(w0, first_w(q)), end = fmin(w1, last);
    if (!(end - start > 1e-14 * start)) return MK_OK;
    gsl_function f = {integrand, q};
    double value, error;
    int code =
        gsl_integration_cquad(&f, y_of(start), y_of(end), q->goal / q->unit, 1e-13, q->workspace, &value, &error, NULL);
    if ((code && code != GSL_EDIVERGE) || q->bad)
        return mk_fail(err, MK_ENUM, "E[M(n)]: quadrature failed: %s",
                       q->bad ? "numbers beyond the range of a double" : gsl_strerror(code));
    q->sum += value * q->unit;
    q->size += fabs(value) * q->unit;
    q->error += error * q->unit;
    if (w1 > last) lower_rest(q, last);
    return w0 == 0 ? upper_rest(q, start, err) : MK_OK;
}

/* All pieces and jumps from w down to `last`; x holds the break points, descending. */
static int add_all(struct integral *q, double w, double last, const double *x, size_t count, struct mk_error *err)
{
    const struct mk_dist *d = q->d;
    for (size_t i = 0; i < count; i++) {
        if (i && x[i] == x[i - 1]) continue;
        double above = fmin(last, w_of(q->n, mk_dist_above(d, x[i]), mk_dist_cdf(d, x[i])));
        double at = fmin(last, w_of(q->n, mk_dist_survival(d, x[i]), mk_dist_below(d, x[i])));
        int code = add_piece(q, w, above, err);
        if (code) return code;
        above = fmax(w, above);
        if (at > above) {
            double jump = (x[i] - q->median) * exp(-above) * -expm1(above - at);
            q->sum += jump;
            q->size += fabs(jump);
        }
        w = fmax(w, at);
    }
    return add_piece(q, w, last, err);
}

/* Whether an expectation is infinite follows from the tail exponents: M(n) has the upper tail of X and n times its
 * lower exponent. */
static int infinite(const struct mk_dist *d, double n, double *value, struct mk_error *err)
{
    double upper, lower;
    mk_dist_tails(d, &upper, &lower);
    int up = upper <= 1, down = n * lower <= 1;
    if (up && down)
        return mk_fail(err, MK_ENUM, "E[M(n)] does not exist: both tails are too heavy (exponents %g and %g)", upper,
                       n * lower);
    *value = up ? INFINITY : down ? -INFINITY : NAN;
    return MK_OK;
}

/* Relative to the arm's typical rewards: a maximum that is far smaller, such as that of 1 - X near 0, is no more
 * accurate. */
static double rounding(const struct mk_dist *d)
{
    double low = d->type->inverse(d, 0.75, 0.25), high = d->type->inverse(d, 0.25, 0.75);
    return 4 * DBL_EPSILON * fmax(fabs(low), fabs(high));
}

size_t mk_dist_breaks_down(const struct mk_dist *d, double *x)
{
    const size_t n = mk_dist_breaks(d, x);
    if (x && n) qsort(x, n, sizeof *x, mk_compare_reals_down);
    return n;
}

/* The break points, descending; *count of them, NULL: none. MK_ENOMEM. */
static int list_breaks(const struct mk_dist *d, double **x, size_t *count, struct mk_error *err)
{
    *count = mk_dist_breaks(d, NULL);
    *x = *count ? malloc(*count * sizeof **x) : NULL;
    if (*count && !*x) return mk_fail_memory(err, "the quadrature of E[M(n)]");
    if (*count) *count = mk_dist_breaks_down(d, *x);
    return MK_OK;
}

/* The integral of Qbar(w) - q->median from w0 to w1, with these break points; q has d, n, median and goal. Allocates
 * nothing: policies call it during a replication. */
static int integrate(struct integral *q, double w0, double w1, const double *x, size_t count, struct mk_error *err)
{
    gsl_integration_cquad_ival interval[INTERVALS];
    size_t heap[INTERVALS];
    gsl_integration_cquad_workspace workspace = {INTERVALS, interval, heap};
    struct integral its = *q;
    its.workspace = &workspace;
    const int code = add_all(&its, w0, w1, x, count, err);
    its.workspace = NULL; /* no pointer to it is left behind */
    *q = its;
    return code;
}

static int too_rough(const struct integral *q, double value, struct mk_error *err)
{
    return mk_fail(err, MK_ENUM, "E[M(n)]: quadrature reached only %g +- %g", value, q->error);
}

int mk_dist_expected_max_quadrature(const struct mk_dist *d, double n, double *value, struct mk_error *err)
{
    if (!(n >= 1) || !isfinite(n)) return mk_fail(err, MK_EINPUT, "E[M(n)]: expected a finite n >= 1, got %g", n);
    int code = infinite(d, n, value, err);
    if (code || !isnan(*value)) return code;
    struct integral q = {.d = d, .n = n};
    q.median = quantile(&q, 0.69314718055994530942);
    const double spread = quantile(&q, 0.3) - quantile(&q, 1.4);
    q.goal = 1e-14 * spread + 2e-16 * fabs(q.median);
    find_unit(&q, 0, INFINITY);
    double *x;
    size_t count;
    code = list_breaks(d, &x, &count, err);
    if (!code) code = integrate(&q, 0, INFINITY, x, count, err);
    free(x);
    if (code) return code;
    *value = q.median + q.sum;
    const bool rough = q.error > 1e-9 * (q.size + spread + fabs(*value)) + rounding(d);
    return rough ? too_rough(&q, *value, err) : MK_OK;
}

int mk_dist_expected_excess(const struct mk_dist *d, double n, double x, bool above, double *value,
                            struct mk_error *err)
{
    double *breaks;
    size_t count;
    int code = list_breaks(d, &breaks, &count, err);
    if (!code) code = mk_dist_expected_excess_at(d, breaks, count, n, x, above, value, err);
    free(breaks);
    return code;
}

int mk_dist_expected_excess_at(const struct mk_dist *d, const double *breaks, size_t count, double n, double x,
                               bool above, double *value, struct mk_error *err)
{
    double upper, lower;
    struct integral q = {.d = d, .n = n, .median = x};
    mk_dist_tails(d, &upper, &lower);
    *value = INFINITY;
    if ((above ? upper : n * lower) <= 1) return MK_OK;
    const double at = w_of(n, mk_dist_above(d, x), mk_dist_cdf(d, x)), w0 = above ? 0 : at, w1 = above ? at : INFINITY;
    *value = 0;
    if (!(w0 < w1)) return MK_OK;
    find_unit(&q, w0, w1);
    q.goal = 1e-12 * q.unit; /* the piece may be narrow */
    const int code = integrate(&q, w0, w1, breaks, count, err);
    if (code) return code;
    *value = fabs(q.sum) * (1 + excess_error) + q.error;
    return q.error > excess_error * q.size + 1e-9 * fabs(x) ? too_rough(&q, *value, err) : MK_OK;
}

int mk_dist_expected_max(const struct mk_dist *d, double n, double *value, struct mk_error *err)
{
    if (!(n >= 1) || !isfinite(n)) return mk_fail(err, MK_EINPUT, "E[M(n)]: expected a finite n >= 1, got %g", n);
    if (d->type->expected_max) {
        *value = d->type->expected_max(d, n);
        if (!isnan(*value)) return MK_OK;
    }
    return mk_dist_expected_max_quadrature(d, n, value, err);
}
