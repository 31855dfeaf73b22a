#include "analysis/theory/every_policy.h"

#include <float.h>
#include <math.h>

static const double accuracy = 1e-9; /* relative */

static double times_log(double p, double ratio)
{
    return p > 0 ? p * log(ratio) : 0;
}

/* Kullback-Leibler divergence of a probability p from q, 0 < q < 1, rounded down: its parts may cancel. */
static double kl(double p, double q)
{
    const double a = times_log(p, p / q), b = times_log(1 - p, (1 - p) / (1 - q));
    return fmax(0, a + b - 8 * DBL_EPSILON * (1 + fabs(a) + fabs(b)));
}

double mk_every_policy_pulls(double divergence, double lock_out, uint64_t rarely)
{
    const double room = (double)rarely + 1;
    double low = 0, high = room * (1 - lock_out);
    if (!(lock_out > 0)) return isinf(divergence) ? 0 : room;
    if (isinf(divergence)) return 0;
    while (high - low > accuracy * high) {
        const double n = low + (high - low) / 2;
        if (n * divergence < kl(1 - n / room, lock_out))
            low = n;
        else
            high = n;
    }
    return low * (1 - accuracy);
}
