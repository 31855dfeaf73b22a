/* Sum of squared residuals of rewards about the hyperbolic tangent of a line, maintained while the line turns a little
 * with every reward and the map of the rewards stretches:
 *
 *     S(a, b, s) = sum_{j=1}^n (low + s v_j - tanh(a + b j))^2,   v_j = reward j - low under the map s = 1.
 *
 * Around a reference line, s = 1, with t = tanh(a0 + b0 j), r = low + v - t, x = (a - a0) + (b - b0) j and the Taylor
 * coefficients c_k of tanh, tanh(a + b j) = t + sum_k c_k x^k, so
 *
 *     S = sum_j (r + (s-1) v)^2 + sum_k [d_k - 2 (r + (s-1) v) c_k] x^k,   d_k = sum_{i=1}^{k-1} c_i c_{k-i},
 *
 * and x^k is a polynomial in j: two sums over j for every k and power of j give S at any line nearby. Terms up to
 * x^MK_LINE_ORDER are kept. The poles of tanh are at least pi/2 away, c_k < 1.3 (2/pi)^k: while |x| stays within
 * `reach`, at most 1/32, the truncation error is below 4e-15 per reward, against residuals of at least the size of
 * `reach` (their root mean square at the reference); below 2^-20 residuals are small without being known to all digits.
 * A reward costs O(1), about 200 multiplications; memory 1.4 kB. */
#ifndef MAXK_POLICIES_PARTS_LINE_RESIDUALS_H
#define MAXK_POLICIES_PARTS_LINE_RESIDUALS_H

#include <stdbool.h>
#include <stddef.h>

enum { MK_LINE_ORDER = 8 };

struct mk_line_residuals {
    double a, b;                        /* the reference line */
    double unit;                        /* j is counted in this many pulls */
    double reach;                       /* of |x| */
    double constant, linear, quadratic; /* coefficients of 1, s-1, (s-1)^2 where x = 0 */
    /* of x^k: sums over j of its coefficient times (j / unit)^m, for 1 and for s-1 */
    double own[MK_LINE_ORDER + 1][MK_LINE_ORDER + 1], map[MK_LINE_ORDER + 1][MK_LINE_ORDER + 1];
};

/* No rewards, around the line a + b j; about `pulls` >= 1 of them will follow. */
void mk_line_residuals_start(struct mk_line_residuals *r, double a, double b, double pulls);

/* Reward j, counted from 1: low + v under the map s = 1. */
void mk_line_residuals_add(struct mk_line_residuals *r, double j, double low, double v);

/* After the rewards by which the reference is to be judged. */
void mk_line_residuals_judge(struct mk_line_residuals *r, double n);

/* 1 and *sum = S for the n rewards added, or 0 if the line has left the reach. */
bool mk_line_residuals_at(const struct mk_line_residuals *r, double a, double b, double s, double n, double *sum);

#endif
