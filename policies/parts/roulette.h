/* Drawing an arm with probability proportional to a weight. */
#ifndef MAXK_POLICIES_PARTS_ROULETTE_H
#define MAXK_POLICIES_PARTS_ROULETTE_H

#include <math.h>
#include <stddef.h>

#include "sim/base/pcg64.h"

/* exp is 0 below this; computing it would cost a trap of the processor for every underflow. */
#define MK_ROULETTE_NOTHING (-746.0)

/* Turns logarithms of weights into weights, the largest being 1 (even when it is infinite); returns their sum. */
static inline double mk_roulette_exp(double *weight, size_t n)
{
    double top = -INFINITY, total = 0;
    for (size_t i = 0; i < n; i++) top = weight[i] > top ? weight[i] : top;
    for (size_t i = 0; i < n; i++) {
        double below = weight[i] - top;
        weight[i] = weight[i] == top ? 1.0 : below < MK_ROULETTE_NOTHING ? 0.0 : exp(below);
        total += weight[i];
    }
    return total;
}

/* The first i with u * total < weight[0] + … + weight[i], u the next uniform number; n - 1 if rounding hides it. */
static inline size_t mk_roulette_spin(const double *weight, size_t n, double total, struct mk_pcg64 *rng)
{
    double left = mk_uniform(rng) * total;
    for (size_t i = 0; i + 1 < n; i++) {
        if (left < weight[i]) return i;
        left -= weight[i];
    }
    return n - 1;
}

#endif
