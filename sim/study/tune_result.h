/* What a tuning run leaves: for a result file OUT.h5
 *
 *     OUT.csv        a row for every trial, in the layout of maxk record, with configurations and status, the value
 * that was measured, its fidelity and the loss that the policy saw, and where the tune file has them costs, further
 * metrics, instances of a race, last steps, and loss_shown OUT.times.csv  measured seconds and the reasons of failures
 *     OUT.tune.yaml  the tune file with its defaults filled in: all that the trials depend on
 *     OUT.best.yaml  the best trial: value, arm, configuration, command; with `reevaluate` the mean value of its
 *                    configuration in further evaluations, with its standard error
 *     OUT.reevaluations.csv  these evaluations (with `reevaluate`)
 *     OUT.h5         a result of recorded runs, whose one policy is that of the run, or the combined search, and the
 *                    trials
 *
 * All but the times are the same for any number of workers, apart from /provenance/volatile. */
#ifndef MAXK_SIM_STUDY_TUNE_RESULT_H
#define MAXK_SIM_STUDY_TUNE_RESULT_H

#include "sim/base/table/table.h"
#include "sim/run/store/result.h"
#include "sim/study/tune_state.h"

/* How trials are written as CSV: in the order of their issue, or those of the first arm, then those of the next. Those
 * of a combined search have arm_index -1, and by arm they follow once more as those of the arms. */
enum mk_trial_order { MK_ROWS_IN_ORDER, MK_ROWS_BY_ARM };
struct mk_trial_rows {
    bool numbered; /* with the column trial */
    enum mk_trial_order order;
    int digits; /* significant ones of losses and real hyperparameters; 17: exact */
};
int mk_tune_put_trials(const struct mk_tune_state *s, const struct mk_trial_rows *rows, FILE *to, struct mk_error *err);

/* The table of trials of results (mk_tune_state_results), as that of the files. */
int mk_tune_trials_table(struct mk_table **out, const struct mk_tune_state *s, struct mk_error *err);

/* Writes them. of: the result that commands are those of; it is another one when results are written while a run lasts.
 */
int mk_tune_write(const struct mk_tune_state *s, const char *of, const char *result, const struct mk_volatile *v,
                  struct mk_error *err);

#endif
