#include "sim/search/models/power_transform.h"

#include <math.h>

static const double widest = 20, grid_step = 0.5, precision = 1e-9;

/* ((1 + x)^l - 1) / l from log(1 + x). */
static double power(double log_of, double l)
{
    return l == 0 ? log_of : expm1(l * log_of) / l;
}

double mk_power_transform(enum mk_transform t, double y, double l)
{
    if (t == MK_TRANSFORM_NONE) return y;
    if (t == MK_TRANSFORM_BOX_COX) return power(log(y), l);
    return y >= 0 ? power(log1p(y), l) : -power(log1p(-y), 2 - l);
}

/* Rewards of one sign are transformed in units of the geometric mean of y, or of 1 + |y|, which changes the result by a
 * map a + b x alone: far from 0 and at large powers, all values would otherwise be the same number up to rounding. */
enum way { LIKE_BOX_COX, LIKE_BOX_COX_OF_LOSSES, LIKE_ABOVE, LIKE_BELOW, LIKE_BOTH };

struct likelihood {
    enum way way;
    const double *y;
    size_t n;
    double centre; /* mean logarithm; of both signs 0 */
    double logs;   /* what l - 1 is multiplied by */
};

static double log_of(enum way way, double y)
{
    return way == LIKE_BOX_COX ? log(y) : way == LIKE_BOX_COX_OF_LOSSES ? log(-y) : log1p(fabs(y));
}

/* y transformed with power l, up to a map a + b x, b > 0. */
static double transformed(const struct likelihood *f, double y, double l)
{
    switch (f->way) {
    case LIKE_BOX_COX:
    case LIKE_ABOVE: return power(log_of(f->way, y) - f->centre, l);
    case LIKE_BOX_COX_OF_LOSSES: return -power(log_of(f->way, y) - f->centre, l);
    case LIKE_BELOW: return -power(log_of(f->way, y) - f->centre, 2 - l);
    default: return mk_power_transform(MK_TRANSFORM_YEO_JOHNSON, y, l);
    }
}

static double variance_of(const struct likelihood *f, double l)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < f->n; i++) mean += transformed(f, f->y[i], l);
    mean /= (double)f->n;
    for (size_t i = 0; i < f->n; i++) {
        const double apart = transformed(f, f->y[i], l) - mean;
        squares += apart * apart;
    }
    return squares / (double)f->n;
}

static double sd_of(const double *y, size_t n)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++) squares += (y[i] - mean) * (y[i] - mean);
    return sqrt(squares / (double)n);
}

static struct likelihood likelihood_of(enum mk_transform t, const double *y, size_t n)
{
    struct likelihood f = {LIKE_BOTH, y, n, 0, 0};
    size_t above = 0, below = 0;
    for (size_t i = 0; i < n; i++) {
        above += y[i] > 0;
        below += y[i] < 0;
    }
    if (t == MK_TRANSFORM_BOX_COX && (above == n || below == n))
        f.way = above == n ? LIKE_BOX_COX : LIKE_BOX_COX_OF_LOSSES;
    else if (below == 0 || above == 0)
        f.way = below == 0 ? LIKE_ABOVE : LIKE_BELOW;
    for (size_t i = 0; i < n; i++) {
        f.centre += log_of(f.way, y[i]) / (double)n;
        f.logs += copysign(log1p(fabs(y[i])), y[i]);
    }
    if (f.way == LIKE_BOTH) f.centre = 0;
    if (f.way != LIKE_BOTH) f.logs = 0;
    return f;
}

/* Without a constant. */
static double value_at(const struct likelihood *f, double l)
{
    const double value = -0.5 * (double)f->n * log(variance_of(f, l)) + (l - 1) * f->logs;
    return isnan(value) ? -INFINITY : value;
}

/* The power of largest likelihood. */
static double likeliest(const struct likelihood *f)
{
    double best = 1, max = value_at(f, 1);
    for (double l = -widest; l <= widest; l += grid_step) {
        const double value = value_at(f, l);
        if (value <= max) continue;
        max = value;
        best = l;
    }
    /* golden section around it */
    const double share = (sqrt(5) - 1) / 2;
    double lo = fmax(best - grid_step, -widest), hi = fmin(best + grid_step, widest);
    double left = hi - share * (hi - lo), right = lo + share * (hi - lo);
    double of_left = value_at(f, left), of_right = value_at(f, right);
    while (hi - lo > precision) {
        if (of_left >= of_right) {
            hi = right;
            right = left;
            of_right = of_left;
            left = hi - share * (hi - lo);
            of_left = value_at(f, left);
        } else {
            lo = left;
            left = right;
            of_left = of_right;
            right = lo + share * (hi - lo);
            of_right = value_at(f, right);
        }
    }
    return 0.5 * (lo + hi);
}

double mk_power_of(enum mk_transform t, const double *y, size_t n)
{
    const struct likelihood f = likelihood_of(t, y, n);
    return t != MK_TRANSFORM_NONE && sd_of(y, n) > 0 ? likeliest(&f) : 1;
}

void mk_power_transform_all(enum mk_transform t, double *y, size_t n)
{
    const double sd = sd_of(y, n);
    if (t == MK_TRANSFORM_NONE || !(sd > 0)) return;
    for (size_t i = 0; i < n; i++) y[i] /= sd;
    const struct likelihood f = likelihood_of(t, y, n);
    const double l = likeliest(&f);
    for (size_t i = 0; i < n; i++) y[i] = transformed(&f, y[i], l);
}
