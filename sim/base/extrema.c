#include "sim/base/extrema.h"

enum { LANES = 8 };

#define EXTREME(name, beats)                                                                                           \
    double name(size_t n, const double *x)                                                                             \
    {                                                                                                                  \
        double lane[LANES], found = x[0];                                                                              \
        size_t i = 0;                                                                                                  \
        if (n >= 2 * LANES) {                                                                                          \
            for (; i < LANES; i++) lane[i] = x[i];                                                                     \
            for (; i + LANES <= n; i += LANES)                                                                         \
                for (size_t j = 0; j < LANES; j++) lane[j] = x[i + j] beats lane[j] ? x[i + j] : lane[j];              \
            for (size_t j = 0; j < LANES; j++) found = lane[j] beats found ? lane[j] : found;                          \
        }                                                                                                              \
        for (; i < n; i++) found = x[i] beats found ? x[i] : found;                                                    \
        return found;                                                                                                  \
    }
EXTREME(mk_largest, >)
EXTREME(mk_least, <)
