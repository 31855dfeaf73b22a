/* Tables of quantile functions, for families with a slow inverse survival function: draws remain the inverse transform
 * of one uniform each, evaluated by piecewise polynomials.
 *
 * The variable is the smaller tail probability v, one table for each tail, over 2^-11 <= v < 1/2. Every octave of v has
 * two cells; a cell has the polynomial of degree 15 through 16 Chebyshev nodes, and is halved if that differs from the
 * exact inverse by more than 1e-14 relative at points in between (1e-13 if that is rounding in the inverse, which
 * halving does not reduce), or if a point at which G jumps or is not smooth lies within it: cells are divided at such
 * points, so that no component of a mixture is missed between the nodes. On a point mass the value is exactly its
 * location. Where halving does not help (a jump, a cusp) and outside the table, usually for one draw in a thousand, the
 * inverse itself is called. */
#ifndef MAXK_DISTRIBUTIONS_PARTS_QUANTILES_H
#define MAXK_DISTRIBUTIONS_PARTS_QUANTILES_H

#include <stddef.h>

struct mk_dist;
struct mk_quantiles;

/* The table of d, some thousand calls of its inverse; NULL when out of memory. Freed with mk_quantiles_free. */
struct mk_quantiles *mk_quantiles_new(const struct mk_dist *d);
void mk_quantiles_free(struct mk_quantiles *q);

/* x[i] <- d->type->inverse(d, x[i], 1 - x[i]) for uniforms x[i] in (0, 1), with the accuracy stated above. */
void mk_quantiles_apply(const struct mk_quantiles *q, const struct mk_dist *d, size_t n, double *x);

/* Share of the draws for which the inverse itself is called. */
double mk_quantiles_rest(const struct mk_quantiles *q);

#endif
