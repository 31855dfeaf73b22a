/* The metrics of a trial, in what its program has printed or written. */
#ifndef MAXK_SIM_TUNE_TRIAL_METRICS_H
#define MAXK_SIM_TUNE_TRIAL_METRICS_H

#include "sim/study/tune_state.h"

/* Removes files of metrics in the folder of a trial: of an earlier attempt, or of an earlier run. */
void mk_trial_metrics_drop(const struct mk_tune *t, const char *directory);

/* Sets value and further metrics of trial `number`, whose program has ended well: without its metric it has failed,
 * further metrics may be missing. MK_EIO, MK_ENOMEM: the machine failed, and the trial is still to be made. */
int mk_trial_metrics_read(const struct mk_tune *t, const char *directory, size_t number, struct mk_trial_outcome *o,
                          struct mk_error *err);

#endif
