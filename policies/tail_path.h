/* Quantiles of Student's t and of chi-square at a tail probability that falls slowly while the degrees of freedom stay.
 *
 * For nu degrees of freedom and the tail probability p = exp(-L) / 2 this gives
 *     t(L):   P(T_nu > t) = p,      x(L):   P(X^2_nu < x) = p.
 * Both solve q'' = -q' (1 + g(q) q'), g = f'/f of their density f, in L. So one exact solution gives a Taylor
 * polynomial that serves a stretch of L, and a look-up costs a few multiplications instead of microseconds: relative
 * error below 1e-11 against the exact solution. */
#ifndef MAXK_POLICIES_TAIL_PATH_H
#define MAXK_POLICIES_TAIL_PATH_H

#include <math.h>

enum { MK_TAIL_ORDER = 7 };

struct mk_tail_path {
    double from; /* L of the expansion, NaN: none yet */
    double nu;
    double t[MK_TAIL_ORDER + 1]; /* Taylor coefficients in L - from */
    double x[MK_TAIL_ORDER + 1];
};

/* Half the width of the stretch of L >= 0 that one expansion serves: a small part of the distance to the nearest
 * singularity, which is no closer than p = 1, L = -log 2. */
static inline double mk_tail_stretch(double from)
{
    return fmin(0.05, 0.03 * (from + 0.69));
}

/* Expand around L >= 0 for nu >= 1 degrees of freedom. What the path held before serves as a first guess. */
void mk_tail_path_expand(struct mk_tail_path *p, double nu, double L);

static inline double mk_tail_polynomial(const double *c, double h)
{
    double q = c[MK_TAIL_ORDER];
    for (int i = MK_TAIL_ORDER - 1; i >= 0; i--) q = q * h + c[i];
    return q;
}

/* *t and *x at L for nu degrees of freedom. */
static inline void mk_tail_path_at(struct mk_tail_path *p, double nu, double L, double *t, double *x)
{
    if (!(fabs(L - p->from) <= mk_tail_stretch(p->from)) || nu != p->nu) mk_tail_path_expand(p, nu, L);
    *t = mk_tail_polynomial(p->t, L - p->from);
    *x = mk_tail_polynomial(p->x, L - p->from);
}

#endif
