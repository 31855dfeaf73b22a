/* Which hyperparameters of an arm matter: functional analysis of variance of a forest that is fitted to the trials of
 * the arm that succeeded, over its search space (numbers and words that have an order in the unit interval, on
 * their scale; of categories without an order all count the same; an inactive hyperparameter has its default). */
#ifndef MAXK_ANALYSIS_COMPARE_IMPORTANCE_H
#define MAXK_ANALYSIS_COMPARE_IMPORTANCE_H

#include "sim/search/models/forest.h"
#include "sim/search/space/space.h"
#include "sim/study/study_files.h"

enum {
    MK_IMPORTANCE_TRIALS = 8,          /* fewer say nothing */
    MK_IMPORTANCE_PAIR_TRIALS = 10000, /* of more, interactions would take minutes and gigabytes */
};

struct mk_importance_pair {
    size_t first, second; /* positions in the space, in its order */
    double share, deviation;
};

struct mk_importance {
    size_t n;                        /* hyperparameters with more than one value; 0: too few trials, or none */
    size_t *hyper;                   /* [n] their positions in the space, the most important first */
    double *share;                   /* [n] NaN: the forest is constant */
    double *deviation;               /* [n] over the trees */
    size_t n_pairs;                  /* n (n - 1) / 2; 0: not computed */
    struct mk_importance_pair *pair; /* the largest share first */
    double rest;                     /* what all shares lack of 1: interactions of three and more; NaN without pairs */
    size_t trials;
    double *x; /* [trials][space->n] unit cube, NaN: inactive */
    double *y; /* [trials] values of the metric */
    struct mk_forest forest;
    size_t *feature; /* [n] of the forest */
};

/* Whether the forest takes the hyperparameter for words without an order: features are their positions. */
static inline bool mk_importance_is_words(const struct mk_hyper *h)
{
    return !mk_hyper_is_ordered(h);
}

/* The importance of the hyperparameters of arm k. MK_EINPUT: a configuration is not one of the space. Clear it in any
 * case. */
int mk_importance_of(struct mk_importance *m, const struct mk_study_files *s, size_t k, struct mk_error *err);
void mk_importance_clear(struct mk_importance *m);

#endif
