#ifndef MAXK_TESTS_SUPPORT_BEST_TRIAL_H
#define MAXK_TESTS_SUPPORT_BEST_TRIAL_H

#include "sim/search/optimizers/trials.h"

/* The successful trial with the largest reward, the first of equal ones; SIZE_MAX without any. */
static inline size_t best_trial(const struct mk_trials *t)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < t->told; i++)
        if (t->status[i] == MK_TRIAL_OK && (best == SIZE_MAX || t->reward[i] > t->reward[best])) best = i;
    return best;
}

#endif
