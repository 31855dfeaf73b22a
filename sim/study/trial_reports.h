/* What trials report while they run, what the rule of `pruning` makes of it, and how they end. */
#ifndef MAXK_SIM_STUDY_TRIAL_REPORTS_H
#define MAXK_SIM_STUDY_TRIAL_REPORTS_H

#include "sim/study/tune_state.h"

/* Trial `number`, which is running, reports a value of the metric: whether the report counts, which it does not after
 * the rule of `pruning` has ended the trial or at a step that is no later than those before; whether the rule ends the
 * trial with such a report; and that it was made, with what was decided. */
bool mk_tune_state_is_new(const struct mk_tune_state *s, size_t number, struct mk_report now);
bool mk_tune_state_decide(const struct mk_tune_state *s, size_t number, struct mk_report now);
int mk_tune_state_report(struct mk_tune_state *s, size_t number, struct mk_report now, bool stop, struct mk_error *err);

/* A trial has ended; one that the rule has ended is pruned, whatever came out (struct mk_trial_outcome *o is changed).
 */
void mk_trial_judge_stopped(const struct mk_trial *t, struct mk_trial_outcome *o);
int mk_tune_state_end(struct mk_tune_state *s, size_t number, const struct mk_trial_outcome *o, struct mk_error *err);

#endif
