/* The outcome of the evaluation of a configuration. */
#ifndef MAXK_SIM_SEARCH_SPACE_TRIAL_STATUS_H
#define MAXK_SIM_SEARCH_SPACE_TRIAL_STATUS_H

#include <stdbool.h>

/* INFEASIBLE: it has a value, and violates a constraint. */
enum mk_trial_status { MK_TRIAL_OK, MK_TRIAL_CRASHED, MK_TRIAL_TIMED_OUT, MK_TRIAL_INFEASIBLE };

static inline bool mk_trial_failed(enum mk_trial_status status)
{
    return status == MK_TRIAL_CRASHED || status == MK_TRIAL_TIMED_OUT;
}

#endif
