/* Scaled rewards: bounds of the factor of the bonus (certificate.h, 7). Quantiles are results here: an inverse proposes
 * them, and the distribution function, rounded to the safe side, decides. */
#include "analysis/theory/certificates/certificate_parts.h"

#include <float.h>

enum { TRIALS = 32 };
enum { FIRST = 16 };                  /* rewards of a moving arm of which the hint is exact */
static const double rounding = 1e-12; /* exceeds the relative error of tail probabilities, and of a few operations */

/* P(X_k > x), or with `low` P(X_k < x), from above; not of moving arms. */
static double beyond(const struct mk_race *race, size_t k, bool low, double x)
{
    const struct mk_dist *d = race->arm[k].dist;
    const double shift = mk_dist_resolution(d);
    return (low ? mk_dist_below(d, x + shift) : mk_dist_above(d, x - shift)) * (1 + rounding);
}

/* log P(the first n rewards of arm k are all above x, or with `low` all below x), from above. */
static double log_beyond(const struct mk_race *race, size_t k, bool low, double n, double x)
{
    const struct mk_known_cdf *f = &race->arm[k];
    if (!f->moving) return n * log(fmin(1, beyond(race, k, low, x)));
    return -(low ? mk_cdf_rates : mk_above_rates)(f, x, 0, (uint64_t)n, MK_FROM_ABOVE);
}

/* The rewards of arm k that the scaling may have seen in the end: the first *n of what is returned. */
static struct mk_known_cdf seen_of(const struct mk_race *race, size_t k, uint64_t *n)
{
    struct mk_known_cdf f = race->arm[k];
    *n = race->horizon;
    if (race->before == 0) return f;
    *n += f.burnt;
    f.burnt = 0;
    return f;
}

/* Of all arms together. */
static double rewards_of(const struct mk_race *race)
{
    return (double)race->horizon + (double)race->before;
}

/* Whether a reward of arm k is above x, or with `low` below x, with probability at most p; of a moving arm, whether one
 * of those that the scaling may see is with probability at most p times the number of rewards of all arms. */
static bool is_rare(const struct mk_race *race, size_t k, bool low, double x, double p)
{
    uint64_t n;
    const struct mk_known_cdf f = seen_of(race, k, &n);
    if (!f.moving) return beyond(race, k, low, x) <= p;
    return (low ? mk_above_rates : mk_cdf_rates)(&f, x, 0, n, MK_FROM_BELOW) <= rewards_of(race) * p;
}

/* An x with that property; the end point if it is finite or p = 0. */
static double end_of(const struct mk_race *race, size_t k, bool low, double p)
{
    uint64_t n;
    const struct mk_known_cdf seen = seen_of(race, k, &n), *f = &seen;
    double lower, upper;
    mk_known_support(f, &lower, &upper); /* a band says nothing about the end points */
    const double end = low ? lower : upper;
    if (isfinite(end) || f->band > 0 || !(p > 0)) return end;
    for (double level = p * (1 - 1e-9); level > 0; level /= 2) {
        const double x = f->moving
                             ? mk_known_at_rates(f, low ? MK_UPPER_TAIL : MK_LOWER_TAIL, n, level * rewards_of(race))
                         : low ? f->dist->type->inverse(f->dist, 1 - level, level)
                               : f->dist->type->inverse(f->dist, level, 1 - level);
        if (is_rare(race, k, low, x, p)) return x;
    }
    return end;
}

bool mk_race_nonnegative(const struct mk_race *race)
{
    double lower, upper;
    if (race->scale != MK_RACE_BY_LARGEST) return false;
    for (size_t k = 0; k < race->arms; k++) {
        mk_known_support(&race->arm[k], &lower, &upper);
        if (lower < 0) return false;
    }
    return true;
}

bool mk_race_either_sign(const struct mk_race *race)
{
    return race->scale == MK_RACE_BY_LARGEST && !mk_race_nonnegative(race);
}

/* Whether the first reward, and with it the largest one so far, may be at most 0. */
static bool may_be_nonpositive(const struct mk_known_cdf *f)
{
    if (f->moving) return mk_cdf_rates(f, 0, 0, 1, MK_FROM_ABOVE) < INFINITY;
    return mk_dist_cdf(f->dist, 0) > 0 || f->band > 0;
}

bool mk_race_moves(const struct mk_race *race)
{
    for (size_t k = 0; k < race->arms; k++)
        if (race->arm[k].moving) return true;
    return false;
}

void mk_factor_limits(struct mk_factor_limits *out, const struct mk_race *race, double rare)
{
    const double each =
        rare / rewards_of(race) / (mk_race_moves(race) ? (double)race->arms : 1); /* as many of every moving arm */
    double lower, upper;
    bool ends = true, atoms = false, nonpositive = false;
    *out = (struct mk_factor_limits){.high = 1, .width = INFINITY, .min = 1};
    if (race->scale == MK_RACE_UNSCALED) return;
    double top = -INFINITY, bottom = INFINITY;
    for (size_t k = 0; k < race->arms; k++) {
        const struct mk_known_cdf *f = &race->arm[k];
        top = fmax(top, end_of(race, k, false, each));
        bottom = fmin(bottom, end_of(race, k, true, each));
        mk_known_support(f, &lower, &upper);
        ends &= f->band > 0 || (isfinite(lower) && isfinite(upper));
        atoms |= f->moving ? f->moving->atoms <= f->burnt + 1 : mk_dist_has_atoms(f->dist);
        nonpositive |= may_be_nonpositive(f);
    }
    const bool largest = race->scale == MK_RACE_BY_LARGEST;
    out->missed = ends ? 0 : 2 * rare;
    out->width = largest ? 1 : race->width;
    out->bottom = largest ? 0 : bottom;
    out->min = (largest ? nonpositive : atoms) ? 1 : 0;
    out->high = fmax(out->min, (top - out->bottom) / out->width);
    out->nonnegative = mk_race_nonnegative(race);
}

/* The factor where all rewards are at most `top`. */
double mk_factor_below(const struct mk_factor_limits *l, double top)
{
    return fmin(l->high, fmax(l->min, (top - l->bottom) / l->width * (1 + rounding)));
}

double mk_factor_high_at(const struct mk_factor_limits *l, const struct mk_race *race, double m, double x)
{
    const double room = l->width - mk_bonus(mk_round_of(race, (double)race->horizon), m);
    if (race->before > 0 || !isfinite(l->width) || !(room > 1e-3 * l->width)) return l->high;
    const double high = (x - l->bottom + 16 * DBL_EPSILON * fabs(x)) / room * (1 + rounding);
    return fmin(l->high, fmax(l->min, high));
}

/* P(the first rewards of all arms, and the first m of arm i, are above q), from above. */
static double all_above(const struct mk_race *race, size_t i, double m, double q)
{
    double log_p = 0;
    for (size_t k = 0; k < race->arms; k++)
        if (!(race->arm[k].band > 0)) log_p += log_beyond(race, k, false, k == i ? m : 1, q);
    return exp(log_p) * (1 + rounding);
}

/* Finds an x such that the first n rewards of arm k are all above it, or with `low` all below it, with probability at
 * most rare. For many rewards of a moving arm the hint is rough: if it fails, others that are further out are tried. */
static bool find_beyond(double *x, const struct mk_race *race, size_t k, bool low, double n, double rare)
{
    const struct mk_known_cdf *f = &race->arm[k];
    const double step = low ? -mk_race_step(race, k) : mk_race_step(race, k);
    double rate = -log(rare) / n * (1 + 1e-9);
    bool found = false;
    for (int trial = 0; !found && trial < (f->moving ? TRIALS : 1); trial++, rate *= 1.05) {
        *x = mk_known_at_rate(f, low ? MK_LOWER_TAIL : MK_UPPER_TAIL, (uint64_t)n, rate) + step;
        found = log_beyond(race, k, low, n, *x) <= log(rare);
    }
    return found;
}

double mk_factor_smallest(const struct mk_race *race, size_t arm, double m, double rare)
{
    double high = INFINITY, low = INFINITY, own;
    for (size_t k = 0; k < race->arms; k++) {
        const struct mk_known_cdf *f = &race->arm[k];
        if (f->band > 0) continue;
        find_beyond(&own, race, k, false, k == arm ? m : 1, rare);
        if (own < high && all_above(race, arm, m, own) <= rare) high = own;
        low = fmin(low, f->moving ? mk_known_quantile(f, 1, 1e-6) : f->dist->type->inverse(f->dist, 1 - 1e-6, 1e-6));
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
    double top, bottom, early;
    if (race->arm[k].band > 0 || !find_beyond(&top, race, k, true, n, rare)) return 0;
    if (race->scale == MK_RACE_BY_LARGEST) return fmax(0, top);
    if (!find_beyond(&bottom, race, k, false, n, rare)) bottom = INFINITY;
    /* The first rewards of an arm that gets better are the smallest ones. */
    if (race->arm[k].moving && find_beyond(&early, race, k, false, fmin(n, FIRST), rare)) bottom = fmin(bottom, early);
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
