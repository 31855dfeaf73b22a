#include "sim/base/extrema.h"

#include <stdbool.h>

enum { LANES = 8 };

static inline bool beats(double x, double y, bool least)
{
    return least ? x < y : x > y;
}

/* Compiled for either value of `least`. */
static inline __attribute__((always_inline)) double extreme(size_t n, const double *x, bool least)
{
    double lane[LANES], found = x[0];
    size_t i = 0;
    if (n >= 2 * LANES) {
        for (; i < LANES; i++) lane[i] = x[i];
        for (; i + LANES <= n; i += LANES)
            for (size_t j = 0; j < LANES; j++) lane[j] = beats(x[i + j], lane[j], least) ? x[i + j] : lane[j];
        for (size_t j = 0; j < LANES; j++) found = beats(lane[j], found, least) ? lane[j] : found;
    }
    for (; i < n; i++) found = beats(x[i], found, least) ? x[i] : found;
    return found;
}

double mk_largest(size_t n, const double *x)
{
    return extreme(n, x, false);
}

double mk_least(size_t n, const double *x)
{
    return extreme(n, x, true);
}
