/* A running sum of products of two numbers of equal sign and about equal size (squares, in effect), without overflow or
 * underflow: kept in units of 4^exponent if the numbers are that far from 1, so that rewards of 10^-300 have a
 * variance. Memory 16 bytes; O(1). */
#ifndef MAXK_POLICIES_PARTS_SQUARE_SUM_H
#define MAXK_POLICIES_PARTS_SQUARE_SUM_H

#include <math.h>

/* All zero = empty. */
struct mk_square_sum {
    double sum;   /* in units of 4^exponent */
    int exponent; /* 0 unless terms are below 2^-800 or above 2^800 */
};

/* The terms that mk_square_sum_add does not handle: the unit follows the largest numbers so far, relative to which the
 * loss of smaller ones is negligible. */
static inline void mk_square_sum_rescale(struct mk_square_sum *s, double a, double b)
{
    enum { USUAL = 256, NEAR = 128 };
    int size;
    (void)frexp(fmax(fabs(a), fabs(b)), &size);
    int unit = size > -USUAL && size < USUAL ? 0 : size;
    if (s->sum == 0 || size > s->exponent + NEAR) {
        s->sum = ldexp(s->sum, 2 * (s->exponent - unit));
        s->exponent = unit;
    }
    s->sum += ldexp(a, -s->exponent) * ldexp(b, -s->exponent);
}

/* Adds a b >= 0. */
static inline void mk_square_sum_add(struct mk_square_sum *s, double a, double b)
{
    const double term = a * b;
    if (a == 0 || b == 0) return;
    if (s->exponent == 0 && term >= 0x1p-800 && term <= 0x1p800)
        s->sum += term;
    else
        mk_square_sum_rescale(s, a, b);
}

/* sqrt(sum / n) */
static inline double mk_square_sum_root(const struct mk_square_sum *s, double n)
{
    double root = sqrt(s->sum / n);
    return s->exponent ? ldexp(root, s->exponent) : root;
}

#endif
