/* What the budget of a tune file cannot do, known before its first trial. */
#ifndef MAXK_SIM_STUDY_TUNE_PLAN_H
#define MAXK_SIM_STUDY_TUNE_PLAN_H

#include "sim/study/tune.h"

enum { MK_PLAN_NOTE_ROOM = 400 };

/* exhausted: leave. MK_EINPUT with the reason, without a place, where arms cannot leave; otherwise the configurations
 * are counted, and the budget is at most the number of those of all arms, so that an arm with untried ones is always
 * left. */
int mk_tune_limit_to_configurations(struct mk_tune *t, struct mk_error *err);

/* MK_EINPUT: no trial of the budget can be a whole evaluation, whichever arms the policy chooses. Otherwise `note` has
 * one line, or "": on a hyperparameter that no command names, or on what the budget is too small for (a first whole
 * evaluation in every arm, the initial designs). */
int mk_tune_check_plan(const struct mk_tune *t, char note[MK_PLAN_NOTE_ROOM], struct mk_error *err);

#endif
