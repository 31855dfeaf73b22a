/* Scaled rewards: bounds of the factor of the bonus (certificate.h, 7). */
#include "analysis/theory/certificate_parts.h"

/* The x that rewards of arm k exceed (with `low`: fall below) with probability at most p; the end point if p = 0. */
static double end_of(const struct mk_race *race, size_t k, bool low, double p)
{
    const struct mk_known_cdf *f = &race->arm[k];
    double lower, upper;
    mk_dist_support(f->dist, &lower, &upper);
    double end = low ? lower : upper;
    if (f->band > 0) return low ? -INFINITY : INFINITY; /* a band says nothing about the end points */
    if (isfinite(end) || !(p > 0)) return end;
    return low ? f->dist->type->inverse(f->dist, 1 - p, p) : f->dist->type->inverse(f->dist, p, 1 - p);
}

double mk_factor_high(const struct mk_race *race, double rare, double *missed)
{
    const double each = rare / ((double)race->horizon + (double)race->before);
    double top = -INFINITY, bottom = INFINITY, lower, upper;
    bool ends = true, atoms = false, nonpositive = false;
    if (race->scale == MK_RACE_UNSCALED) return 1;
    for (size_t k = 0; k < race->arms; k++) {
        top = fmax(top, end_of(race, k, false, each));
        bottom = fmin(bottom, end_of(race, k, true, each));
        mk_dist_support(race->arm[k].dist, &lower, &upper);
        ends &= isfinite(lower) && isfinite(upper);
        atoms |= mk_dist_has_atoms(race->arm[k].dist) != 0;
        nonpositive |= mk_dist_cdf(race->arm[k].dist, 0) > 0;
    }
    if (!ends) *missed += 2 * rare;
    if (race->scale == MK_RACE_BY_LARGEST) return nonpositive ? fmax(1, top) : top;
    return atoms ? fmax(1, (top - bottom) / race->width) : (top - bottom) / race->width;
}

/* For the first n rewards of arm k. */
static double low_of_arm(const struct mk_race *race, size_t k, double n, double rare)
{
    const struct mk_dist *d = race->arm[k].dist;
    const double rate = -log(rare) / n;
    if (race->arm[k].band > 0) return 0;
    double top = d->type->inverse(d, -expm1(-rate), exp(-rate));
    if (race->scale == MK_RACE_BY_LARGEST) return fmax(0, top);
    double bottom = d->type->inverse(d, exp(-rate), -expm1(-rate));
    return fmax(0, top - bottom) / race->width;
}

double mk_factor_low(const struct mk_race *race, size_t arm, double n, double rare, double *missed)
{
    double low = INFINITY;
    if (race->scale == MK_RACE_UNSCALED) return 1;
    if (arm < race->arms) {
        *missed += 2 * rare;
        return low_of_arm(race, arm, n, rare);
    }
    for (size_t k = 0; k < race->arms; k++) {
        *missed += 2 * rare;
        low = fmin(low, low_of_arm(race, k, fmax(1, floor(n / (double)race->arms)), rare));
    }
    return low;
}

bool mk_factor_follows_largest(const struct mk_race *race)
{
    double lower, upper;
    if (race->scale != MK_RACE_BY_LARGEST) return false;
    for (size_t k = 0; k < race->arms; k++) {
        mk_dist_support(race->arm[k].dist, &lower, &upper);
        if (lower < 0) return false;
    }
    return true;
}
