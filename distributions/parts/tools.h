/* Shared by the families: accurate elementary functions, the normal distribution, the default sampler. */
#ifndef MAXK_DISTRIBUTIONS_PARTS_TOOLS_H
#define MAXK_DISTRIBUTIONS_PARTS_TOOLS_H

#include <math.h>
#include <stddef.h>

#include "distributions/dist.h"

/* Parameters that may be any finite number, or any number > 0. */
#define MK_FINITE(name, flags, def, help)                                                                              \
    {                                                                                                                  \
        name, MK_REAL, (flags) | MK_OPEN_LO | MK_OPEN_HI, def, -INFINITY, INFINITY, NULL, help                         \
    }
#define MK_POSITIVE(name, flags, def, help)                                                                            \
    {                                                                                                                  \
        name, MK_REAL, (flags) | MK_OPEN_LO | MK_OPEN_HI, def, 0, INFINITY, NULL, help                                 \
    }

/* What prepare returns when it runs out of memory. */
extern const char mk_dist_no_memory[];

/* The default sampler: inverse(u, 1 - u) of one uniform per draw, from the table of d if it has one. */
void mk_sample_by_inverse(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out);

/* Hooks that several families share: the supports x >= 0 and all numbers, and the density of point masses alone, 0. */
void mk_support_positive(const struct mk_dist *d, double *lo, double *hi);
void mk_support_all(const struct mk_dist *d, double *lo, double *hi);
double mk_no_density(const struct mk_dist *d, double x);

/* log(Gamma(n + d) / Gamma(n)) for n > 0, n + d > 0: no cancellation for large n or small d. */
double mk_log_gamma_ratio(double n, double d);

/* The root of an increasing function on [lo, hi] by Newton's method, with bisection when a step leaves the bracket. f
 * returns the value and stores its derivative; start is any point. */
typedef double (*mk_function)(const void *context, double x, double *slope);
double mk_solve(mk_function f, const void *context, double lo, double hi, double start);

/* Gauss-Legendre nodes and weights on [0, 1], one after the other: malloc'ed, NULL when out of memory. */
double *mk_legendre_nodes(size_t n);

/* Standard normal distribution: density, both tails, and the z with P(Z >= z) = upper. */
double mk_normal_density(double z);
double mk_normal_upper(double z);
double mk_normal_inverse(double upper, double lower);

/* -log p, where p + q = 1 are both given accurately. */
static inline double mk_minus_log(double p, double q)
{
    return p < 0.5 ? -log(p) : -log1p(-q);
}

/* log(x / b) for x, b > 0, accurate near x = b. */
static inline double mk_log_quotient(double x, double b)
{
    return x > 0.5 * b && x < 2 * b ? log1p((x - b) / b) : log(x / b);
}

/* (e^{ky} - 1)/k and log(1 + kz)/k, continuous at k = 0. */
static inline double mk_exp_family(double k, double y)
{
    return k == 0 || fabs(k * y) < 1e-300 ? y : expm1(k * y) / k;
}

static inline double mk_log_family(double k, double z)
{
    return k == 0 || fabs(k * z) < 1e-300 ? z : log1p(k * z) / k;
}

#endif
