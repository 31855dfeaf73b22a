/* Reward families of the tests' own, and problems made of them, so that the engines are checked without
 * the registry. */
#ifndef MAXK_TESTS_SUPPORT_TOY_ARMS_H
#define MAXK_TESTS_SUPPORT_TOY_ARMS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/play/record_loop.h"
#include "sim/run/tape/record_tape.h"

enum { TOY_ARMS = 50 };

/* X = c0 + c1 U^c2: power arms for c2 > 0, Pareto tails for c2 < 0 (with c1 < 0 the lower tail is heavy). */
static inline double toy_curve(const struct mk_dist *d, double log_u)
{
    return d->c[0] + d->c[1] * exp(d->c[2] * log_u);
}

static inline void toy_curve_sample(const struct mk_dist *d, struct mk_pcg64 *g, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++) out[i] = toy_curve(d, log(mk_uniform(g)));
}

static inline void toy_curve_support(const struct mk_dist *d, double *lo, double *hi)
{
    double at_0 = toy_curve(d, -INFINITY), at_1 = d->c[0] + d->c[1];
    *lo = fmin(at_0, at_1);
    *hi = fmax(at_0, at_1);
}

static inline double toy_curve_survival(const struct mk_dist *d, double x)
{
    double lo, hi;
    toy_curve_support(d, &lo, &hi);
    if (x <= lo) return 1;
    if (x >= hi) return 0;
    double log_u = log((x - d->c[0]) / d->c[1]) / d->c[2]; /* U <= u raises x when c1 c2 < 0 */
    return d->c[1] * d->c[2] < 0 ? exp(log_u) : -expm1(log_u);
}

static inline double toy_curve_inverse(const struct mk_dist *d, double upper, double lower)
{
    double u = d->c[1] * d->c[2] < 0 ? upper : lower;
    return toy_curve(d, u > 0.5 ? log1p(-(u == upper ? lower : upper)) : log(u));
}

static const struct mk_dist_type toy_curve_type = {.name = "curve",
                                                   .sample = toy_curve_sample,
                                                   .survival = toy_curve_survival,
                                                   .inverse = toy_curve_inverse,
                                                   .support = toy_curve_support};

/* Point masses: values[0 … n-1] ascending, values[n …] their weights. */
static inline double toy_steps_tail(const struct mk_dist *d, double x, int strictly)
{
    size_t n = d->n_values / 2;
    double tail = 0;
    for (size_t i = n; i-- > 0;)
        if (strictly ? d->values[i] > x : d->values[i] >= x) tail += d->values[n + i];
    return fmin(tail, 1);
}

static inline double toy_steps_survival(const struct mk_dist *d, double x)
{
    return toy_steps_tail(d, x, 0);
}

static inline double toy_steps_above(const struct mk_dist *d, double x)
{
    return toy_steps_tail(d, x, 1);
}

static inline double toy_steps_inverse(const struct mk_dist *d, double upper, double lower)
{
    (void)lower;
    size_t n = d->n_values / 2, i = n - 1;
    for (double tail = d->values[n + i]; i > 0 && tail < upper; tail += d->values[n + i]) i--;
    return d->values[i];
}

static inline void toy_steps_sample(const struct mk_dist *d, struct mk_pcg64 *g, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++) {
        double u = mk_uniform(g);
        out[i] = toy_steps_inverse(d, u, 1 - u);
    }
}

static inline void toy_steps_support(const struct mk_dist *d, double *lo, double *hi)
{
    *lo = d->values[0];
    *hi = d->values[d->n_values / 2 - 1];
}

static const struct mk_dist_type toy_steps_type = {.name = "steps",
                                                   .flags = MK_DIST_ATOMS,
                                                   .sample = toy_steps_sample,
                                                   .survival = toy_steps_survival,
                                                   .above = toy_steps_above,
                                                   .inverse = toy_steps_inverse,
                                                   .support = toy_steps_support};

/* max(c3, min(c4, curve)): point masses at both ends of a continuous part. */
static inline double toy_clip(const struct mk_dist *d, double x)
{
    return fmax(d->c[3], fmin(d->c[4], x));
}

static inline void toy_clip_sample(const struct mk_dist *d, struct mk_pcg64 *g, size_t n, double *out)
{
    toy_curve_sample(d, g, n, out);
    for (size_t i = 0; i < n; i++) out[i] = toy_clip(d, out[i]);
}

static inline double toy_clip_survival(const struct mk_dist *d, double x)
{
    return x <= d->c[3] ? 1 : x <= d->c[4] ? toy_curve_survival(d, x) : 0;
}

static inline double toy_clip_above(const struct mk_dist *d, double x)
{
    return x < d->c[3] ? 1 : x < d->c[4] ? toy_curve_survival(d, x) : 0;
}

static inline double toy_clip_inverse(const struct mk_dist *d, double upper, double lower)
{
    return toy_clip(d, toy_curve_inverse(d, upper, lower));
}

static inline void toy_clip_support(const struct mk_dist *d, double *lo, double *hi)
{
    *lo = d->c[3];
    *hi = d->c[4];
}

static const struct mk_dist_type toy_clip_type = {.name = "clip",
                                                  .flags = MK_DIST_ATOMS,
                                                  .sample = toy_clip_sample,
                                                  .survival = toy_clip_survival,
                                                  .above = toy_clip_above,
                                                  .inverse = toy_clip_inverse,
                                                  .support = toy_clip_support};

/* A synthetic problem with the tapes of one replication at a time. */
struct toy {
    struct mk_problem problem;
    struct mk_instance instance;
    struct mk_dist dist[TOY_ARMS], *list[TOY_ARMS];
    double steps[TOY_ARMS][16];
    size_t arm[TOY_ARMS];
    char name[8];
    struct mk_reward_tape *tape;
    struct mk_record_tape *records;
};

static inline void toy_curve_arm(struct toy *w, size_t k, double shift, double factor, double power)
{
    w->dist[k] = (struct mk_dist){.type = &toy_curve_type, .c = {shift, factor, power}};
}

static inline void toy_clip_arm(struct toy *w, size_t k, double power, double lo, double hi)
{
    w->dist[k] = (struct mk_dist){.type = &toy_clip_type, .c = {0, 1, power, lo, hi}};
}

/* n <= 8 equally likely values; weight of the lowest raised to `low` when that is > 0. */
static inline void toy_steps_arm(struct toy *w, size_t k, size_t n, double from, double step, double low)
{
    for (size_t i = 0; i < n; i++) {
        w->steps[k][i] = from + step * (double)i;
        w->steps[k][n + i] = low > 0 ? (i ? (1 - low) / (double)(n - 1) : low) : 1.0 / (double)n;
    }
    w->dist[k] = (struct mk_dist){.type = &toy_steps_type, .n_values = 2 * n, .values = w->steps[k]};
}

/* After the arms are set; 1 on success. */
static inline int toy_open(struct toy *w, size_t arms, uint64_t seed)
{
    strcpy(w->name, "toy");
    for (size_t k = 0; k < arms; k++) {
        w->arm[k] = k;
        w->list[k] = &w->dist[k];
    }
    w->instance = (struct mk_instance){.name = w->name, .n_arms = arms, .arm = w->arm};
    w->problem = (struct mk_problem){.source = &mk_source_arms,
                                     .n_instances = 1,
                                     .instance = &w->instance,
                                     .n_arms = arms,
                                     .dist = w->list,
                                     .replications = UINT64_MAX};
    return mk_reward_tape_new(&w->tape, &w->problem, seed, NULL) == MK_OK &&
           mk_record_tape_new(&w->records, w->tape, NULL) == MK_OK;
}

static inline void toy_seek(struct toy *w, uint64_t replication)
{
    mk_reward_tape_seek(w->tape, 0, replication);
    mk_record_tape_seek(w->records);
}

static inline void toy_close(struct toy *w)
{
    mk_record_tape_free(w->records);
    mk_reward_tape_free(w->tape);
}

static inline int toy_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Two-sample Kolmogorov-Smirnov statistic times sqrt(n/2), for samples of equal size, which are sorted. For continuous
 * distributions P(> 2.23) = 1e-4 and P(> 2.43) = 1.5e-5 (2 exp(-2 x^2)); smaller with ties. */
static inline double toy_ks(double *a, double *b, size_t n)
{
    double largest = 0;
    qsort(a, n, sizeof *a, toy_compare);
    qsort(b, n, sizeof *b, toy_compare);
    for (size_t i = 0, j = 0; i < n && j < n;) {
        double x = fmin(a[i], b[j]);
        while (i < n && a[i] == x) i++;
        while (j < n && b[j] == x) j++;
        largest = fmax(largest, fabs((double)i - (double)j) / (double)n);
    }
    return largest * sqrt((double)n / 2);
}

#endif
