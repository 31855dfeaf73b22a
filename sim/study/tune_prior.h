/* The key `prior` of a tune file. */
#ifndef MAXK_SIM_STUDY_TUNE_PRIOR_H
#define MAXK_SIM_STUDY_TUNE_PRIOR_H

#include "sim/experiment/experiment_read.h"
#include "sim/study/tune.h"

/* What the arms of *t begin with, when all else of it has been read; into the resolved mapping `to` with a digest of
 * what was found in the file, since trials depend on it. */
int mk_tune_read_prior(struct mk_tune *t, struct mk_loader *l, const struct mk_node *root, struct mk_node *to);

#endif
