/* Left tails come from the continued fraction of Mills' ratio (Laplace 1805),
 *
 *     R(x) = (1 - Phi(x)) / phi(x) = 1 / (x + K(x)),   K(x) = 1 / (x + 2 / (x + 3 / (x + …))),
 *
 * for h(-x) = phi(x) (1 - x R(x)) = phi(x) K / (x + K): no difference of nearly equal numbers. */
#include "sim/search/models/acquisition.h"

#include <math.h>

static const double root_half = 0.70710678118654752440, log_root_two_pi = 0.91893853320467274178,
                    root_two_pi = 2.50662827463100050242;

/* The fraction is used from here on; below, the plain form loses less than two digits. */
static const double tail_begins = 2.5;

/* K(x), x >= tail_begins, to the last bits. The rest of the fraction from its term n on is about the t with
 * t = x + n / t. */
static double fraction(double x)
{
    const int n = x < 3.2 ? 44 : x < 6 ? 28 : x < 8 ? 16 : 12;
    double t = 0.5 * (x + sqrt(x * x + 4 * (n + 1)));
    for (int k = n; k > 1; k--) t = x + k / t;
    return 1 / t;
}

static double upper_tail(double x)
{
    return 0.5 * erfc(x * root_half);
}

double mk_mills_ratio(double x)
{
    if (x >= tail_begins) return 1 / (x + fraction(x));
    return upper_tail(x) * root_two_pi * exp(0.5 * x * x);
}

double mk_log_improvement(double z)
{
    if (z > -tail_begins) return log(exp(-0.5 * z * z) / root_two_pi + z * upper_tail(-z));
    const double k = fraction(-z);
    return log(k / (k - z)) - 0.5 * z * z - log_root_two_pi;
}

static double improvement(double z)
{
    const double density = exp(-0.5 * z * z) / root_two_pi;
    if (z > -tail_begins) return density + z * upper_tail(-z);
    const double k = fraction(-z);
    return density * (k / (k - z));
}

double mk_acquisition_value(enum mk_acquisition a, double mean, double sd, double best, double xi)
{
    const double gain = mean - best - xi;
    if (a == MK_ACQUISITION_UCB) return mean + xi * sd;
    if (!(sd > 0)) {
        if (a == MK_ACQUISITION_PI) return gain > 0 ? 1 : gain < 0 ? 0 : 0.5;
        const double sure = gain > 0 ? gain : 0;
        return a == MK_ACQUISITION_EI ? sure : log(sure);
    }
    const double z = gain / sd;
    if (a == MK_ACQUISITION_PI) return upper_tail(-z);
    return a == MK_ACQUISITION_EI ? sd * improvement(z) : log(sd) + mk_log_improvement(z);
}

double mk_acquisition_xi(enum mk_acquisition a, double given)
{
    if (!isnan(given)) return given;
    return a == MK_ACQUISITION_UCB ? 2 : 0;
}

void mk_acquisition_gradient(enum mk_acquisition a, double mean, double sd, double best, double xi, double *of_mean,
                             double *of_sd)
{
    const double z = (mean - best - xi) / sd, density = exp(-0.5 * z * z) / root_two_pi;
    switch (a) {
    case MK_ACQUISITION_EI:
        *of_mean = upper_tail(-z);
        *of_sd = density;
        break;
    case MK_ACQUISITION_LOG_EI: /* Phi / (sd h), phi / (sd h) */
        if (z > -tail_begins) {
            const double h = sd * improvement(z);
            *of_mean = upper_tail(-z) / h;
            *of_sd = density / h;
        } else {
            const double k = fraction(-z);
            *of_mean = 1 / (sd * k);
            *of_sd = (k - z) / (sd * k);
        }
        break;
    case MK_ACQUISITION_PI:
        *of_mean = density / sd;
        *of_sd = -z * density / sd;
        break;
    case MK_ACQUISITION_UCB:
        *of_mean = 1;
        *of_sd = xi;
        break;
    }
}

/* log E max(0, e^f - e^Y), Y normal: e^f Phi(v) - e^(m + s^2/2) Phi(v - s) with v = (f - m) / s, where the second
 * factor e^(m + s^2/2) phi(v - s) equals e^f phi(v): in the left tail the difference is e^f phi(v) (R(-v) - R(s - v)).
 */
static double log_cost_improvement(double m, double s, double f)
{
    if (!(s > 0)) return m < f ? f + log(-expm1(m - f)) : -INFINITY;
    const double v = (f - m) / s;
    if (v < 0) return f - 0.5 * v * v - log_root_two_pi + log(mk_mills_ratio(-v) - mk_mills_ratio(s - v));
    return f + log(upper_tail(-v) - exp(m - f + 0.5 * s * s) * upper_tail(s - v));
}

double mk_acquisition_log_cost(enum mk_acquisition a, double mean, double sd, double best, double xi)
{
    if (a == MK_ACQUISITION_PI || a == MK_ACQUISITION_UCB) return mk_acquisition_value(a, -mean, sd, -best, xi);
    const double logarithm = log_cost_improvement(mean, sd, best - xi);
    return a == MK_ACQUISITION_EI ? exp(logarithm) : logarithm;
}
