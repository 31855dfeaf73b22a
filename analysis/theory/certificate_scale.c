/* Scaled rewards: bounds of the factor of the bonus (certificate.h, 7). Quantiles are results here: an inverse proposes
 * them, and the distribution function, rounded to the safe side, decides. */
#include "analysis/theory/certificate_parts.h"

#include <float.h>

static const double rounding = 1e-12; /* exceeds the relative error of tail probabilities, and of a few operations */

/* P(X_k > x), or with `low` P(X_k < x), from above. */
static double beyond(const struct mk_race *race, size_t k, bool low, double x)
{
    const struct mk_dist *d = race->arm[k].dist;
    const double shift = mk_dist_resolution(d);
    return (low ? mk_dist_below(d, x + shift) : mk_dist_above(d, x - shift)) * (1 + rounding);
}

/* An x that rewards of arm k exceed (with `low`: fall below) with probability at most p; the end point if p = 0. */
static double end_of(const struct mk_race *race, size_t k, bool low, double p)
{
    const struct mk_known_cdf *f = &race->arm[k];
    const struct mk_dist_type *type = f->dist->type;
    double lower, upper;
    mk_dist_support(f->dist, &lower, &upper);
    double end = low ? lower : upper;
    if (f->band > 0) return low ? -INFINITY : INFINITY; /* a band says nothing about the end points */
    if (isfinite(end) || !(p > 0)) return end;
    for (double level = p * (1 - 1e-9); level > 0; level /= 2) {
        double x = low ? type->inverse(f->dist, 1 - level, level) : type->inverse(f->dist, level, 1 - level);
        if (beyond(race, k, low, x) <= p) return x;
    }
    return end;
}

bool mk_race_nonnegative(const struct mk_race *race)
{
    double lower, upper;
    if (race->scale != MK_RACE_BY_LARGEST) return false;
    for (size_t k = 0; k < race->arms; k++) {
        mk_dist_support(race->arm[k].dist, &lower, &upper);
        if (lower < 0 || race->arm[k].band > 0) return false;
    }
    return true;
}

void mk_factor_limits(struct mk_factor_limits *out, const struct mk_race *race, double rare)
{
    const double each = rare / ((double)race->horizon + (double)race->before);
    double lower, upper;
    bool ends = true, atoms = false, nonpositive = false;
    *out = (struct mk_factor_limits){.high = 1, .width = INFINITY, .least = 1};
    if (race->scale == MK_RACE_UNSCALED) return;
    double top = -INFINITY, bottom = INFINITY;
    for (size_t k = 0; k < race->arms; k++) {
        top = fmax(top, end_of(race, k, false, each));
        bottom = fmin(bottom, end_of(race, k, true, each));
        mk_dist_support(race->arm[k].dist, &lower, &upper);
        ends &= isfinite(lower) && isfinite(upper);
        atoms |= mk_dist_has_atoms(race->arm[k].dist);
        nonpositive |= mk_dist_cdf(race->arm[k].dist, 0) > 0 || race->arm[k].band > 0;
    }
    const bool largest = race->scale == MK_RACE_BY_LARGEST;
    out->missed = ends ? 0 : 2 * rare;
    out->width = largest ? 1 : race->width;
    out->bottom = largest ? 0 : bottom;
    out->least = (largest ? nonpositive : atoms) ? 1 : 0;
    out->high = fmax(out->least, (top - out->bottom) / out->width);
    out->nonnegative = mk_race_nonnegative(race);
}

/* The factor where all rewards are at most `top`. */
double mk_factor_below(const struct mk_factor_limits *l, double top)
{
    return fmin(l->high, fmax(l->least, (top - l->bottom) / l->width * (1 + rounding)));
}

double mk_factor_high_at(const struct mk_factor_limits *l, const struct mk_race *race, double m, double x)
{
    const double room = l->width - mk_bonus(mk_round_of(race, (double)race->horizon), m);
    if (race->before > 0 || !isfinite(l->width) || !(room > 1e-3 * l->width)) return l->high;
    const double high = (x - l->bottom + 16 * DBL_EPSILON * fabs(x)) / room * (1 + rounding);
    return fmin(l->high, fmax(l->least, high));
}

/* P(the first rewards of all arms, and the first m of arm i, are above q), from above. */
static double all_above(const struct mk_race *race, size_t i, double m, double q)
{
    double log_p = 0;
    for (size_t k = 0; k < race->arms; k++)
        if (!(race->arm[k].band > 0)) log_p += (k == i ? m : 1) * log(fmin(1, beyond(race, k, false, q)));
    return exp(log_p) * (1 + rounding);
}

double mk_factor_smallest(const struct mk_race *race, size_t arm, double m, double rare)
{
    double high = INFINITY, low = INFINITY;
    for (size_t k = 0; k < race->arms; k++) {
        const struct mk_dist *d = race->arm[k].dist;
        const double rate = -log(rare) / (k == arm ? m : 1) * (1 + 1e-9);
        if (race->arm[k].band > 0) continue;
        const double own = d->type->inverse(d, exp(-rate), -expm1(-rate)) + mk_race_step(race, k);
        if (own < high && all_above(race, arm, m, own) <= rare) high = own;
        low = fmin(low, d->type->inverse(d, 1 - 1e-6, 1e-6));
    }
    for (int step = 0; step < 40 && high > low && isfinite(high); step++) {
        const double middle = low + (high - low) / 2;
        *(all_above(race, arm, m, middle) <= rare ? &high : &low) = middle;
    }
    return high;
}

/* For the first n rewards of arm k, except with probability 2 rare. */
static double low_of_arm(const struct mk_race *race, size_t k, double n, double rare)
{
    const struct mk_dist *d = race->arm[k].dist;
    const double rate = -log(rare) / n * (1 + 1e-9), log_rare = log(rare);
    if (race->arm[k].band > 0) return 0;
    const double step = mk_race_step(race, k);
    double top = d->type->inverse(d, -expm1(-rate), exp(-rate)) - step;
    if (n * log(fmin(1, beyond(race, k, true, top))) > log_rare) return 0;
    if (race->scale == MK_RACE_BY_LARGEST) return fmax(0, top);
    double bottom = d->type->inverse(d, exp(-rate), -expm1(-rate)) + step;
    if (n * log(fmin(1, beyond(race, k, false, bottom))) > log_rare) return 0;
    return fmax(0, top - bottom) / race->width;
}

double mk_factor_low(const struct mk_race *race, double n, double rare, double *missed)
{
    double low = INFINITY;
    if (race->scale == MK_RACE_UNSCALED) return 1;
    for (size_t k = 0; k < race->arms; k++) {
        *missed += 2 * rare;
        low = fmin(low, low_of_arm(race, k, fmax(1, ceil(n / (double)race->arms)), rare));
    }
    return low;
}
