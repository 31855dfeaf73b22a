/* Configurations that have not been proposed: optimisers that learn have no use for a second result of the same one
 * while there are others. */
#ifndef MAXK_SIM_SEARCH_OPTIMIZERS_PARTS_UNTRIED_H
#define MAXK_SIM_SEARCH_OPTIMIZERS_PARTS_UNTRIED_H

#include "sim/search/optimizers/trials.h"

/* A configuration at random that has not been proposed; one that has when all have been. Where MK_UNTRIED_DRAWS draws
 * find none, it is the next in the order of the space (the last hyperparameter varies fastest) from the last draw on.
 * Of measured configurations each that is open is equally probable. */
enum { MK_UNTRIED_DRAWS = 100 };
int mk_draw_untried(struct mk_ask *a, double *v, struct mk_error *err);

/* Replaces v by mk_draw_untried if it has been proposed. */
int mk_keep_untried(struct mk_ask *a, double *v, struct mk_error *err);

/* Replaces v by the row nearest to it that has not been proposed (the first of equally near ones), by the squares of
 * distances in the unit cube, 2 for another word; hyperparameters that either lacks do not count. */
int mk_take_nearest_row(struct mk_ask *a, double *v, struct mk_error *err);

#endif
