#include "analysis/theory/survival.h"

#include <math.h>

#include "analysis/theory/lu.h"
#include "sim/base/order.h"

static const double far_tail = 0.001;

void mk_survival_spaced(double low, double high, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) x[i] = low + (high - low) * ((double)i / (double)(n - 1));
    x[n - 1] = high;
}

void mk_survival_points(const struct mk_dist *d, size_t n, double *x)
{
    double low, high;
    mk_dist_support(d, &low, &high);
    if (isinf(low)) low = mk_dist_inverse_survival(d, 1 - far_tail);
    if (isinf(high)) high = mk_dist_inverse_survival(d, far_tail);
    mk_survival_spaced(low, high, n, x);
}

double mk_survival_empirical(const double *sorted, size_t n, double x)
{
    return (double)(n - mk_count_below(sorted, n, x)) / (double)n;
}

void mk_survival_band(double empirical, size_t n, double confidence, double *low, double *high)
{
    double band = mk_dkw_band(n, confidence);
    *low = fmax(0, empirical - band);
    *high = fmin(1, empirical + band);
}
