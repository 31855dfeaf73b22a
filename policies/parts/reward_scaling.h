/* A policy's view of the rewards: an affine map x -> low + (x - shift) / range with range > 0, the same for all arms in
 * a round, fitted to everything observed so far.
 *   none        x
 *   global_max  x / g, g the largest reward so far; x while g <= 0, where dividing would reverse the order
 *   minmax      [smallest, largest] so far -> [scale_lo, scale_hi]; a constant history is mapped to scale_lo
 * Statistics that follow affine maps (maxima, means, quantiles, standard deviations) are kept on raw rewards and mapped
 * when they are used: O(1) per round, no rescan. Comparisons and ties must not depend on the location of raw rewards:
 * comparisons are of scaled numbers, or of raw ones measured from the origin of the map. */
#ifndef MAXK_POLICIES_PARTS_REWARD_SCALING_H
#define MAXK_POLICIES_PARTS_REWARD_SCALING_H

#include <float.h>
#include <math.h>

#include "sim/base/param.h"

enum mk_scale { MK_SCALE_NONE, MK_SCALE_GLOBAL_MAX, MK_SCALE_MINMAX };

/* Three parameters in a row, in this order, scale_hi above scale_lo (mk_policy_problem); where a policy counts them by
 * one enumerator, the next one is that + MK_SCALING_NEXT. */
enum { MK_SCALING_HOW, MK_SCALING_LO, MK_SCALING_HI, MK_SCALING_NEXT };

/* scale, scale_lo, scale_hi; `how` (an enum mk_scale), lo and hi are the defaults. */
#define MK_SCALING_PARAMS_FROM(how, lo, hi)                                                                            \
    MK_CHOICE_ROW("scale", how, "none|global_max|minmax",                                                              \
                  "scaling by the rewards seen so far; global_max divides by the largest one once that is > 0"),       \
        MK_SCALING_END("scale_lo", lo, "scale minmax: image of the smallest reward"),                                  \
        MK_SCALING_END("scale_hi", hi, "scale minmax: image of the largest reward")
#define MK_SCALING_END(name, def, help)                                                                                \
    {                                                                                                                  \
        name, MK_REAL, MK_OPEN_LO | MK_OPEN_HI, def, -INFINITY, INFINITY, NULL, help                                   \
    }

/* The same with scale none by default. */
#define MK_SCALING_PARAMS(lo, hi) MK_SCALING_PARAMS_FROM(MK_SCALE_NONE, lo, hi)

struct mk_scaling {
    enum mk_scale scale;
    double lo, width; /* scale_lo, scale_hi - scale_lo */
    double largest, smallest;
    double range; /* 1 / slope of the map, > 0 */
};

/* par: the values of MK_SCALING_PARAMS. */
static inline void mk_scaling_init(struct mk_scaling *s, const double *par)
{
    s->scale = (enum mk_scale)par[MK_SCALING_HOW];
    s->lo = par[MK_SCALING_LO];
    s->width = par[MK_SCALING_HI] - par[MK_SCALING_LO];
    s->largest = -INFINITY;
    s->smallest = INFINITY;
    s->range = 1;
}

static inline void mk_scaling_see(struct mk_scaling *s, double reward)
{
    if (s->scale == MK_SCALE_NONE) return;
    if (reward > s->largest) s->largest = reward;
    if (reward < s->smallest) s->smallest = reward;
    double range = s->scale == MK_SCALE_GLOBAL_MAX ? s->largest : (s->largest - s->smallest) / s->width;
    s->range = range > 0 ? range : 1.0;
}

/* The raw reward from which the map measures; its image, scale_lo, is the same for all arms. */
static inline double mk_scaling_origin(const struct mk_scaling *s)
{
    return s->scale == MK_SCALE_MINMAX ? s->smallest : 0;
}

/* Whether a reward would move that origin, or change the map. */
static inline bool mk_scaling_moves(const struct mk_scaling *s, double reward)
{
    return s->scale == MK_SCALE_MINMAX && reward < s->smallest;
}

static inline bool mk_scaling_changes(const struct mk_scaling *s, double reward)
{
    return s->scale != MK_SCALE_NONE && (reward < s->smallest || reward > s->largest);
}

/* Whether the map has changed. */
static inline bool mk_scaling_moved(const struct mk_scaling *before, const struct mk_scaling *now)
{
    return before->range != now->range || before->smallest != now->smallest;
}

/* The current map: of a reward, a mean, a quantile or a maximum. */
static inline double mk_scaling_value(const struct mk_scaling *s, double x)
{
    if (s->scale == MK_SCALE_MINMAX) return s->lo + (x - s->smallest) / s->range;
    return x / s->range;
}

/* y = x * slope + shift */
struct mk_affine {
    double slope, shift;
};

static inline double mk_affine_value(const struct mk_affine *map, double x)
{
    return x * map->slope + map->shift;
}

/* The current map as the published programs apply it (scikit-learn's MinMaxScaler, which treats ranges below ten
 * rounding units as constant); equal to mk_scaling_value up to rounding. */
static inline struct mk_affine mk_scaling_affine(const struct mk_scaling *s)
{
    struct mk_affine map = {1.0 / s->range, 0};
    if (s->scale == MK_SCALE_MINMAX) {
        double range = s->largest - s->smallest;
        map.slope = s->width / (range < 10 * DBL_EPSILON ? 1.0 : range);
        map.shift = s->lo - s->smallest * map.slope;
    }
    return map;
}

/* mk_scaling_value of high + low, an unevaluated sum such as a mean (policies/parts/running_mean.h). */
static inline double mk_scaling_sum(const struct mk_scaling *s, double high, double low)
{
    if (s->scale == MK_SCALE_MINMAX) return s->lo + ((high - s->smallest) + low) / s->range;
    return (high + low) / s->range;
}

/* mk_scaling_value for a standard deviation or a difference of rewards (shift free). */
static inline double mk_scaling_length(const struct mk_scaling *s, double x)
{
    return x / s->range;
}

#endif
