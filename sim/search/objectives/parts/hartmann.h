/* Hartmann's functions: sums of four peaks, reward = sum_k height_k exp(-sum_i width_ki (x_i - centre_ki)^2) on [0,
 * 1]^n (Hartman 1973; constants of Dixon & Szegö 1978). */
#ifndef MAXK_SIM_SEARCH_OBJECTIVES_PARTS_HARTMANN_H
#define MAXK_SIM_SEARCH_OBJECTIVES_PARTS_HARTMANN_H

#include <math.h>

#include "sim/search/objectives/objective.h"

enum { MK_HARTMANN_PEAKS = 4 };

/* width and centre by peaks, n numbers each; centres in units of 10^-4. */
static inline void mk_hartmann(const struct mk_objective *o, const double *v, size_t n, const double *width,
                               const double *centre, struct mk_evaluation *out)
{
    static const double height[MK_HARTMANN_PEAKS] = {1, 1.2, 3, 3.2};
    out->value = 0;
    for (size_t peak = 0; peak < MK_HARTMANN_PEAKS; peak++) {
        double distance = 0;
        for (size_t i = 0; i < n; i++) {
            const double off = mk_objective_input(o, v, i) - 1e-4 * centre[peak * n + i];
            distance += width[peak * n + i] * off * off;
        }
        out->value += height[peak] * exp(-distance);
    }
}

#endif
