/* What trials report while they run, what the rule of `pruning` makes of it, and how they end. */
#ifndef MAXK_SIM_STUDY_TRIAL_REPORTS_H
#define MAXK_SIM_STUDY_TRIAL_REPORTS_H

#include "sim/study/tune_state.h"

/* Trial `number`, which is running, reports a value of the metric: whether the rule of `pruning` ends it, and that it
 * has reported it, with what was decided. *is_new: its step is later than those before; another one changes nothing. */
bool mk_tune_state_decide(const struct mk_tune_state *s, size_t number, struct mk_report now, bool *is_new);
int mk_tune_state_report(struct mk_tune_state *s, size_t number, struct mk_report now, bool stop, struct mk_error *err);

/* A trial has ended; one that the rule has ended is pruned, whatever came out (struct mk_trial_outcome *o is changed).
 */
void mk_trial_judge_stopped(const struct mk_trial *t, struct mk_trial_outcome *o);
int mk_tune_state_end(struct mk_tune_state *s, size_t number, const struct mk_trial_outcome *o, struct mk_error *err);

#endif
