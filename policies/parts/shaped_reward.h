/* The rewards that Balef & Eggensperger 2025 give to posterior sampling (reward_shaper of their repository CASHPlus).
 */
#ifndef MAXK_POLICIES_PARTS_SHAPED_REWARD_H
#define MAXK_POLICIES_PARTS_SHAPED_REWARD_H

#include <math.h>

#include "policies/parts/moments.h"

/* 1 / (1 + exp(-(x - m) / (v + .01))), m and v the mean and the standard deviation (of the population) of `first`. */
static inline double mk_shaped_reward(const struct mk_moments *first, double reward)
{
    return 1 / (1 + exp(-mk_running_mean_below(&first->mean, reward) / (mk_moments_population_sd(first) + 0.01)));
}

#endif
