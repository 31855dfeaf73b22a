/* The keys `first` and `defaults` of tune files: configurations that are tried before policy and optimisers choose. */
#ifndef MAXK_SIM_STUDY_FIRST_TRIALS_H
#define MAXK_SIM_STUDY_FIRST_TRIALS_H

#include "sim/base/yaml_tree.h"
#include "sim/study/tune.h"

/* Reads them into t->first_trial, when all else of the tune file has been read; a file is sought in `directory` too.
 * `to`, the resolved text, gets whole configurations and `defaults: no`. MK_EINPUT with the place. */
int mk_read_first_trials(struct mk_tune *t, const struct mk_node *root, const char *directory, struct mk_node *to,
                         struct mk_error *err);
void mk_first_trials_free(struct mk_tune *t);

#endif
