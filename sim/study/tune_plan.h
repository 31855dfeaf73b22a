/* What the budget of a tune file cannot do, known before its first trial. */
#ifndef MAXK_SIM_STUDY_TUNE_PLAN_H
#define MAXK_SIM_STUDY_TUNE_PLAN_H

#include "sim/study/tune.h"

enum { MK_PLAN_NOTE_ROOM = 400 };

/* MK_EINPUT: no trial of the budget can be a whole evaluation, whichever arms the policy chooses. Otherwise `note` has
 * one line on what the budget is too small for (a first whole evaluation in every arm, the initial designs), or "". */
int mk_tune_check_plan(const struct mk_tune *t, char note[MK_PLAN_NOTE_ROOM], struct mk_error *err);

#endif
