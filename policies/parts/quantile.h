/* Quantile of a small array. */
#ifndef MAXK_POLICIES_PARTS_QUANTILE_H
#define MAXK_POLICIES_PARTS_QUANTILE_H

#include <gsl/gsl_sort.h>
#include <stddef.h>

/* The value a share w, 0 <= w < 1, of the way from lo to hi, with NumPy's roundings. */
static inline double mk_quantile_between(double lo, double hi, double w)
{
    double d = hi - lo;
    return w < 0.5 ? lo + d * w : hi - d * (1.0 - w);
}

/* The same as a reward and the rest of the way from it, what is added up there. */
static inline double mk_quantile_anchor(double lo, double hi, double w, double *rest)
{
    double d = hi - lo;
    *rest = w < 0.5 ? d * w : -(d * (1.0 - w));
    return w < 0.5 ? lo : hi;
}

/* q-quantile of a[0 … n-1], n >= 1, by linear interpolation (NumPy's default, R type 7); sorts a. */
static inline double mk_quantile_sorting(double *a, size_t n, double q)
{
    if (n > 32) {
        gsl_sort(a, 1, n);
    } else {
        for (size_t i = 1; i < n; i++) {
            double x = a[i];
            size_t j = i;
            for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
            a[j] = x;
        }
    }
    double position = q * (double)(n - 1);
    size_t below = (size_t)position;
    if (below + 1 >= n) return a[n - 1];
    return mk_quantile_between(a[below], a[below + 1], position - (double)below);
}

#endif
