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
    if (lock_out == 0) return isinf(divergence) ? 0 : room;
    if (!(lock_out > 0 && divergence < INFINITY)) return 0;
    while (high - low > accuracy * high) {
        const double n = low + (high - low) / 2;
        if (n * divergence < kl(1 - n / room, lock_out))
            low = n;
        else
            high = n;
    }
    return low * (1 - accuracy);
}

/* ---- alternatives of MaxUCB ---- */

static const double outwards = 1 + 1e-9; /* of probabilities and divergences, above their roundings */

static double bonus_constant(const struct mk_seldom_pulled *in, double t)
{
    const double root = in->alpha * pow(log(t + in->shift), in->power);
    return root * root;
}

/* The distribution function of the arm in the alternative with L (D + g) = weight, rounded up. */
static double alternative_cdf(const struct mk_seldom_pulled *in, double g, double weight, double x)
{
    const double at = x + 4 * DBL_EPSILON * fabs(x), share = (at - in->own_end) / (in->end + g - in->own_end);
    const double own = exp(-mk_cdf_rate(in->arm, at, MK_FROM_ABOVE));
    return fmin(1, outwards * (own + weight * fmin(fmax(share, 0), 1)) / (1 + weight));
}

/* An upper bound of the probability that some other arm has more than m pulls, where the arm is the best by g. 1 where
 * the sum would be too long, too. */
static double lock_outs(const struct mk_seldom_pulled *in, double g, double weight, double m)
{
    const double T = (double)in->horizon, K = (double)in->arms, last = T - m - K + 1;
    const double ever = alternative_cdf(in, g, weight, in->end + bonus_constant(in, T) / (m * m));
    double sum = 0;
    if (ever > 1 - 1e-5) return 1;
    for (double s = 1; s <= last && sum < 1; s++) {
        const double rest = pow(ever, s) / (1 - ever); /* of all terms from this one on */
        if (rest < 1e-9 * sum || rest < 1e-300) return outwards * (K - 1) * (sum + rest) + DBL_MIN;
        const double c = bonus_constant(in, s < m ? s + m + K - 1 : T), h = c / (m * m) - c / (s * s);
        sum += pow(alternative_cdf(in, g, weight, in->end + h + 1e-12 * fabs(h)), s);
    }
    return outwards * (K - 1) * sum + DBL_MIN;
}

double mk_every_policy_as_max_ucb(const struct mk_seldom_pulled *in)
{
    const uint64_t rarely = (in->horizon - 1) / 2;
    const double m = ceil((double)(in->horizon - rarely) / (double)(in->arms - 1)) - 1, gap = in->end - in->own_end;
    double highest = 0;
    if (!(m >= 1 && gap > 0 && isfinite(gap) && in->L > 0 && isfinite(in->L))) return 0;
    for (double g = gap / 16; g <= 16 * gap; g *= 2) {
        const double weight = in->L * (gap + g), q = lock_outs(in, g, weight, m);
        if (q < 1) highest = fmax(highest, mk_every_policy_pulls(outwards * log1p(weight), q, rarely));
    }
    return highest;
}
