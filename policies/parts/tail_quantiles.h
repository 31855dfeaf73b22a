/* Quantiles of Student's t and of chi-square at a tail probability that falls slowly, for degrees of freedom that stay
 * the same or rise one by one.
 *
 * For nu degrees of freedom and the tail probability p = exp(-L) / 2 this gives
 *     t(L):   P(T_nu > t) = p,      x(L):   P(X^2_nu < x) = p.
 * Both solve q'' = -q' (1 + g(q) q'), g = f'/f of their density f, in L. So one exact solution gives a Taylor
 * polynomial that serves a stretch of L, and a look-up costs a few multiplications instead of microseconds.
 * In nu they are smooth as well: from MK_TAIL_SMOOTH degrees of freedom on, the polynomials of MK_TAIL_NODES values of
 * nu (Chebyshev points in log nu) serve values up to a fifth larger by barycentric interpolation (Berrut & Trefethen
 * 2004). The relative error of both together stays below 1e-11 against the exact solution. */
#ifndef MAXK_POLICIES_PARTS_TAIL_QUANTILES_H
#define MAXK_POLICIES_PARTS_TAIL_QUANTILES_H

#include <math.h>

enum { MK_TAIL_ORDER = 7, MK_TAIL_NODES = 7, MK_TAIL_SMOOTH = 64 };

/* Taylor coefficients in L - from. */
struct mk_tail_series {
    double t[MK_TAIL_ORDER + 1];
    double x[MK_TAIL_ORDER + 1];
};

struct mk_tail_quantiles {
    double from;  /* L of the expansion, NaN: no expansion yet */
    double reach; /* of L - from */
    double nu;
    struct mk_tail_series now;
    struct {
        double from;         /* L of the expansions */
        double middle, half; /* of the values of log nu that it serves; half 0: none */
        struct mk_tail_series series[MK_TAIL_NODES];
    } node;
};

/* Half the width of the stretch of L >= 0 that one expansion serves, at most `most`: a small part of the distance to
 * the nearest singularity, which is no closer than p = 1, L = -log 2. */
static inline double mk_tail_stretch(double from, double most)
{
    return fmin(most, 0.03 * (from + 0.69));
}

/* No expansion yet. */
static inline void mk_tail_quantiles_clear(struct mk_tail_quantiles *p)
{
    p->from = NAN;
    p->reach = 0;
    p->nu = 0;
    p->node.half = 0;
}

/* Makes the path serve L >= 0 for nu >= 1 degrees of freedom. Its previous contents serve as a first guess. */
void mk_tail_quantiles_renew(struct mk_tail_quantiles *p, double nu, double L);

static inline double mk_tail_polynomial(const double *c, double h)
{
    double q = c[MK_TAIL_ORDER];
    for (int i = MK_TAIL_ORDER - 1; i >= 0; i--) q = q * h + c[i];
    return q;
}

/* *t and *x at L for nu degrees of freedom. */
static inline void mk_tail_quantiles_at(struct mk_tail_quantiles *p, double nu, double L, double *t, double *x)
{
    if (!(fabs(L - p->from) <= p->reach) || nu != p->nu) mk_tail_quantiles_renew(p, nu, L);
    *t = mk_tail_polynomial(p->now.t, L - p->from);
    *x = mk_tail_polynomial(p->now.x, L - p->from);
}

#endif
