/* argmax with the two tie rules, and the treatment of an index that is not a number. */
#ifndef MAXK_POLICIES_PARTS_ARGMAX_H
#define MAXK_POLICIES_PARTS_ARGMAX_H

#include <float.h>
#include <math.h>

#include "policies/policy.h"

/* Position 0: the lowest index wins; 1: one of the largest, uniformly. */
#define MK_TIES_PARAM MK_CHOICE_ROW("ties", 0, "lowest|random", "tie-breaking among arms with the largest index")

/* The arm i in 0 … n-1 with the largest index(context, i). A NaN never wins against a number above
 * -infinity. One number is drawn from rng, and only when random is set and several arms share the largest value. */
static inline __attribute__((always_inline)) size_t mk_argmax_of(const void *context, size_t n,
                                                                 double (*index)(const void *context, size_t i),
                                                                 int random, struct mk_pcg64 *rng)
{
    size_t best = 0;
    double top = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        double x = index(context, i);
        best = x > top ? i : best;
        top = x > top ? x : top;
    }
    if (!random) return best;
    uint64_t equal = 0;
    for (size_t i = best; i < n; i++) equal += index(context, i) == top;
    if (equal <= 1) return best;
    uint64_t skip = mk_uniform_below(rng, equal);
    for (size_t i = best;; i++)
        if (index(context, i) == top && skip-- == 0) return i;
}

static inline double mk_argmax_element(const void *index, size_t i)
{
    return ((const double *)index)[i];
}

/* The same for an array. */
static inline size_t mk_argmax(const double *index, size_t n, int random, struct mk_pcg64 *rng)
{
    return mk_argmax_of(index, n, mk_argmax_element, random, rng);
}

/* Relative difference up to which a value counts as equal to the largest: for an index, which has passed through a map
 * and functions, and for a mean of rewards. */
static const double mk_near_index = 1e-13, mk_near_mean = 0x1p-50;

/* The smallest value that counts as equal to the largest. */
static inline double mk_near(double top, double share)
{
    return isfinite(top) ? top - share * fabs(top) : top;
}

/* The lowest or a random one of the arms whose index is >= least; at least one exists, or every index is NaN. */
static inline __attribute__((always_inline)) size_t mk_argmax_tied(const void *context, size_t n,
                                                                   double (*index)(const void *context, size_t i),
                                                                   double least, int random, struct mk_pcg64 *rng)
{
    uint64_t equal = 0;
    size_t first = 0;
    for (size_t i = n; i-- > 0;) {
        int ties = index(context, i) >= least;
        equal += (uint64_t)ties;
        first = ties ? i : first;
    }
    if (!random || equal <= 1) return first;
    uint64_t skip = mk_uniform_below(rng, equal);
    for (size_t i = first;; i++)
        if (index(context, i) >= least && skip-- == 0) return i;
}

/* mk_argmax_of where values within that share of the largest count as equal to it. Means of decimal rewards often tie
 * in decimal arithmetic but not in binary, where the order of summation decides; the tie rule should decide instead.
 * The second largest is carried along, so that rounds without a tie need one pass. */
static inline __attribute__((always_inline)) size_t mk_argmax_near_of(const void *context, size_t n,
                                                                      double (*index)(const void *context, size_t i),
                                                                      double share, int random, struct mk_pcg64 *rng)
{
    size_t best = 0;
    double top = -INFINITY, second = -INFINITY;
#pragma GCC unroll 4
    for (size_t i = 0; i < n; i++) {
        double x = index(context, i), lower = x < top ? x : top;
        second = lower > second ? lower : second;
        best = x > top ? i : best;
        top = x > top ? x : top;
    }
    double least = mk_near(top, share);
    if (__builtin_expect(second < least, 1)) return best;
    return mk_argmax_tied(context, n, index, least, random, rng);
}

/* The same for an array of indices. */
static inline size_t mk_argmax_near(const double *index, size_t n, int random, struct mk_pcg64 *rng)
{
    return mk_argmax_near_of(index, n, mk_argmax_element, mk_near_index, random, rng);
}

/* The value of a NaN index (no variance: 0/0): 0, or more than any other, infinite ones included, as in an argmax that
 * takes the first NaN. Infinite indices become the largest double to leave room above. */
enum mk_nan_rule { MK_NAN_ZERO, MK_NAN_MAXIMUM };

#define MK_NAN_PARAM MK_CHOICE_ROW("nan", 0, "zero|maximum", "value of an index that is not a number (no variance yet)")

static inline double mk_nan_value(double index, enum mk_nan_rule rule)
{
    if (isnan(index)) return rule == MK_NAN_ZERO ? 0.0 : INFINITY;
    return index > DBL_MAX ? DBL_MAX : index;
}

#endif
