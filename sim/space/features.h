/* Configurations as the inputs of regression trees. */
#ifndef MAXK_SIM_SPACE_FEATURES_H
#define MAXK_SIM_SPACE_FEATURES_H

#include <math.h>

#include "sim/space/space.h"

/* x[s->n]: numbers by their position in the unit interval, -1 if inactive; words by their position from 0, the number
 * of words if inactive (SMAC3). */
static inline void mk_tree_features(const struct mk_space *s, const double *v, double *x)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct mk_hyper *h = &s->hyper[i];
        if (mk_hyper_is_word(h))
            x[i] = isnan(v[i]) ? (double)h->n_words : v[i];
        else
            x[i] = isnan(v[i]) ? -1 : mk_hyper_unit(h, v[i]);
    }
}

#endif
