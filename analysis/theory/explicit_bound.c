#include "analysis/theory/explicit_bound.h"

#include <math.h>

static const double grid_step = 1.02;

/* The integral of u^-q du from a to b. */
static double power_integral(double q, double a, double b)
{
    const double ratio = log(b / a), e = 1 - q;
    if (!(b > a)) return 0;
    return fabs(e) * ratio < 1e-12 ? pow(a, e) * ratio : pow(a, e) * expm1(e * ratio) / e;
}

/* The right-hand side for one n. */
static double at(double alpha, double L, double gap, double log_t, double T, double n)
{
    const double root = alpha * log_t / n, delta = gap - root * root, rate = L * delta;
    if (!(delta > 0)) return INFINITY;
    if (isinf(rate)) return n; /* arm j is constant: it never falls below its end point */
    const double q = 2 * L * alpha * sqrt(delta), survivors = -expm1(-rate);
    const double B = 1 + (1 + sqrt(M_PI_2 * q * log_t)) / rate;
    return n + B * power_integral(q, n + 1, T) + exp(-rate * n) / (survivors * survivors);
}

double mk_explicit_bound(double alpha, double L, double gap, uint64_t horizon)
{
    const double T = (double)horizon, log_t = log(T);
    double best = T;
    if (!(gap > 0)) return T;
    for (double n = floor(alpha * log_t / sqrt(gap)) + 1; n < best; n = fmax(n + 1, floor(n * grid_step)))
        best = fmin(best, at(alpha, L, gap, log_t, T, n));
    return best;
}
