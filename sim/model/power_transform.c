#include "sim/model/power_transform.h"

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

static double variance_of(enum mk_transform t, const double *y, size_t n, double unit, double l)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) mean += mk_power_transform(t, y[i] / unit, l);
    mean /= (double)n;
    for (size_t i = 0; i < n; i++) {
        const double apart = mk_power_transform(t, y[i] / unit, l) - mean;
        squares += apart * apart;
    }
    return squares / (double)n;
}

/* The likelihood of y / unit. Box-Cox in units of the geometric mean, where the sum of the logarithms is 0. */
struct likelihood {
    enum mk_transform t;
    const double *y;
    size_t n;
    double unit, logs;
};

static double value_at(const struct likelihood *f, double l)
{
    const double value = -0.5 * (double)f->n * log(variance_of(f->t, f->y, f->n, f->unit, l)) + (l - 1) * f->logs;
    return isnan(value) ? -INFINITY : value;
}

double mk_power_of(enum mk_transform t, const double *y, size_t n)
{
    struct likelihood f = {t, y, n, 1, 0};
    if (t == MK_TRANSFORM_NONE || !(variance_of(MK_TRANSFORM_NONE, y, n, 1, 1) > 0)) return 1;
    for (size_t i = 0; i < n; i++) f.logs += t == MK_TRANSFORM_BOX_COX ? log(y[i]) : copysign(log1p(fabs(y[i])), y[i]);
    if (t == MK_TRANSFORM_BOX_COX) {
        f.unit = exp(f.logs / (double)n);
        f.logs = 0;
    }
    double best = 1, most = value_at(&f, 1);
    for (double l = -widest; l <= widest; l += grid_step) {
        const double value = value_at(&f, l);
        if (value <= most) continue;
        most = value;
        best = l;
    }
    /* golden section around it */
    const double share = (sqrt(5) - 1) / 2;
    double lo = fmax(best - grid_step, -widest), hi = fmin(best + grid_step, widest);
    double left = hi - share * (hi - lo), right = lo + share * (hi - lo);
    double of_left = value_at(&f, left), of_right = value_at(&f, right);
    while (hi - lo > precision) {
        if (of_left >= of_right) {
            hi = right;
            right = left;
            of_right = of_left;
            left = hi - share * (hi - lo);
            of_left = value_at(&f, left);
        } else {
            lo = left;
            left = right;
            of_left = of_right;
            right = lo + share * (hi - lo);
            of_right = value_at(&f, right);
        }
    }
    return 0.5 * (lo + hi);
}

void mk_power_transform_all(enum mk_transform t, double *y, size_t n)
{
    const double sd = sqrt(variance_of(MK_TRANSFORM_NONE, y, n, 1, 1));
    if (t == MK_TRANSFORM_NONE || !(sd > 0)) return;
    for (size_t i = 0; i < n; i++) {
        y[i] /= sd;
        if (!(y[i] > 0)) t = MK_TRANSFORM_YEO_JOHNSON;
    }
    const double l = mk_power_of(t, y, n);
    for (size_t i = 0; i < n; i++) y[i] = mk_power_transform(t, y[i], l);
}
