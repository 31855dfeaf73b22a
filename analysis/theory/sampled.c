#include "analysis/theory/sampled.h"

#include <float.h>
#include <math.h>

#include "distributions/dist.h"

enum { FEWEST_DIGITS = 2, MOST_DIGITS = 14 }; /* tried as a and b of V: quantiles that are exceeded with 10^-digits */
static const double rounding = 16 * DBL_EPSILON;

struct mk_sampled_design mk_sampled_design(uint64_t samples, double quantities, double confidence)
{
    /* What a decimal number such as 0.999999 loses as a double is 5e-11 of what it leaves to 1. */
    const double delta = (1 - confidence - DBL_EPSILON) / quantities;
    return (struct mk_sampled_design){samples, log(3 / delta) * (1 + rounding) + rounding};
}

/* What a unit of the range adds to the width. */
static double price(const struct mk_sampled_design *d)
{
    return 7 * d->lambda / (3 * (double)(d->samples - 1));
}

/* ---- pulls ---- */

/* The sum of P(N > m) over m from m[k] on, from that of k + 1. */
static double sum_from(const struct mk_certified_arm *arm, size_t k, double later)
{
    const uint64_t end = k + 1 < arm->n && arm->m[k + 1] < arm->max ? arm->m[k + 1] : arm->max;
    if (arm->m[k] >= end) return later;
    return (later + (double)(end - arm->m[k]) * arm->tail[k]) * (1 + rounding);
}

struct mk_sampled_range mk_sampled_pulls(const struct mk_certified_arm *arm, const struct mk_sampled_design *d)
{
    const double low = (double)arm->min;
    struct mk_sampled_range best = {low, (double)arm->max, 0, 0};
    double cost = price(d) * (best.high - low), sum = 0;
    for (size_t k = arm->n; k-- > 0;) {
        sum = sum_from(arm, k, sum);
        if (arm->m[k] < arm->min || arm->m[k] >= arm->max) continue;
        const double own = price(d) * ((double)arm->m[k] - low) + sum;
        if (own >= cost) continue;
        cost = own;
        best.high = (double)arm->m[k];
        best.above = sum;
    }
    return best;
}

/* ---- the largest reward ---- */

/* E[(x - V)^+] or E[(V - x)^+] is at most this. */
static int excess(double *out, const struct mk_known_cdf *arm, size_t arms, uint64_t horizon, double x, bool above,
                  struct mk_error *err)
{
    int code = MK_OK;
    *out = above ? 0 : INFINITY;
    for (size_t k = 0; !code && k < arms; k++) {
        double own = 0;
        code = mk_dist_expected_excess(arm[k].dist, above ? (double)horizon : 1, x, above, &own, err);
        *out = above ? (*out + own) * (1 + rounding) : fmin(*out, own);
    }
    return code;
}

/* The largest of the arms' quantiles: of one reward from below, of T from above. */
static double quantile_of(const struct mk_known_cdf *arm, size_t arms, uint64_t horizon, int digits, bool above)
{
    const double rare = pow(10, -digits);
    double most = -INFINITY;
    for (size_t k = 0; k < arms; k++)
        most = fmax(most, above ? mk_known_quantile(&arm[k], horizon, 1 - rare) : mk_known_quantile(&arm[k], 1, rare));
    return most;
}

/* The end of the range with the smallest price; *out is the end point of the rewards or infinite before. */
static int choose_end(double *out, double *beyond, const struct mk_known_cdf *arm, size_t arms, uint64_t horizon,
                      bool above, double unit, struct mk_error *err)
{
    const double sign = above ? 1 : -1;
    double cost = isfinite(*out) ? sign * unit * *out : INFINITY;
    *beyond = 0;
    for (int digits = FEWEST_DIGITS; digits <= MOST_DIGITS; digits++) {
        const double x = quantile_of(arm, arms, horizon, digits, above);
        double rest;
        if (!isfinite(x) || (isfinite(*out) && sign * (x - *out) >= 0)) continue;
        const int code = excess(&rest, arm, arms, horizon, x, above, err);
        if (code) return code;
        if (!(sign * unit * x + rest < cost)) continue;
        cost = sign * unit * x + rest;
        *out = x;
        *beyond = rest;
    }
    if (isinf(cost)) *out = NAN;
    return MK_OK;
}

int mk_sampled_largest(struct mk_sampled_range *out, const struct mk_known_cdf *arm, size_t arms, uint64_t horizon,
                       const struct mk_sampled_design *d, struct mk_error *err)
{
    bool known = horizon >= arms;
    double least = INFINITY, low = -INFINITY, high = -INFINITY;
    *out = (struct mk_sampled_range){NAN, NAN, 0, 0};
    for (size_t k = 0; k < arms; k++) {
        double bottom, top;
        mk_known_support(&arm[k], &bottom, &top);
        least = fmin(least, bottom);
        low = fmax(low, bottom);
        high = fmax(high, top);
        known &= !arm[k].moving && arm[k].band == 0;
    }
    out->low = known ? low : least;
    out->high = high;
    if (!known) return MK_OK;
    int code = choose_end(&out->high, &out->above, arm, arms, horizon, true, price(d), err);
    if (!code) code = choose_end(&out->low, &out->below, arm, arms, horizon, false, price(d), err);
    return code;
}

/* ---- bounds ---- */

void mk_sampled_bounds(double *lower, double *upper, const struct mk_sampled_range *r,
                       const struct mk_sampled_design *d, double mean, const struct mk_spread *spread)
{
    const double n = (double)d->samples, width = r->high - r->low;
    *lower = *upper = NAN;
    if (!isfinite(width) || width < 0 || spread->n != d->samples || d->samples < 2) return;
    /* Welford's sum of squares has a relative error of at most about n sqrt(1 + n) units in the last place. */
    const double variance = spread->m2 / (n - 1) * (1 + 4 * n * sqrt(1 + n) * DBL_EPSILON);
    const double half = (sqrt(2 * variance * d->lambda / n) + price(d) * width) * (1 + rounding),
                 sums = n * DBL_EPSILON * n * DBL_EPSILON, /* of a compensated sum, relative to the largest |value| */
        slack = (rounding + sums) * (fabs(mean) + fabs(r->low) + fabs(r->high) + half);
    *lower = fmax(mean - half, r->low) - r->below - slack;
    *upper = fmin(mean + half, r->high) + r->above + slack;
}
