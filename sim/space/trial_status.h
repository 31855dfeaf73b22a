/* The outcome of the evaluation of a configuration. */
#ifndef MAXK_SIM_SPACE_TRIAL_STATUS_H
#define MAXK_SIM_SPACE_TRIAL_STATUS_H

enum mk_trial_status { MK_TRIAL_OK, MK_TRIAL_CRASHED, MK_TRIAL_TIMED_OUT };

#endif
