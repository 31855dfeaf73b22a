/* Which hyperparameters of an arm matter: functional analysis of variance of a forest that is fitted to the trials of
 * the arm that succeeded, over its search space in the unit cube (numbers on their scale, words as cells of equal
 * width; an inactive hyperparameter has its default). */
#ifndef MAXK_ANALYSIS_RESULTS_IMPORTANCE_H
#define MAXK_ANALYSIS_RESULTS_IMPORTANCE_H

#include "analysis/results/study_files.h"
#include "sim/model/forest.h"

enum { MK_IMPORTANCE_TRIALS = 8 /* fewer say nothing */ };

struct mk_importance {
    size_t n;          /* hyperparameters with more than one value; 0: too few trials, or none */
    size_t *hyper;     /* [n] their positions in the space, the most important first */
    double *share;     /* [n] NaN: the forest is constant */
    double *deviation; /* [n] over the trees */
    size_t trials;
    double *x; /* [trials][space->n] unit cube, NaN: inactive */
    double *y; /* [trials] values of the metric */
    struct mk_forest forest;
    size_t *feature; /* [n] of the forest */
};

/* The importance of the hyperparameters of arm k. MK_EINPUT: a configuration is not one of the space. Clear it in any
 * case. */
int mk_importance_of(struct mk_importance *m, const struct mk_study_files *s, size_t k, struct mk_error *err);
void mk_importance_clear(struct mk_importance *m);

#endif
