/* Generic checks of a policy: what the engine relies on. */
#ifndef MAXK_SIM_RUN_CHECK_POLICY_H
#define MAXK_SIM_RUN_CHECK_POLICY_H

#include <stddef.h>

#include "policies/policy.h"
#include "sim/api/maxk/error.h"

/* Plays it with mk_usual_parameters for 1 to 40 arms
 * and up to 400 rounds on rewards without ties, with ties, constant, negative and rising. MK_EINPUT with one line: an
 * arm outside 0 … K-1, other arms in a second run, bytes outside of the state written, memory used that init has not
 * set, first rounds of an anytime policy that depend on the horizon. *plays: how many runs agreed. */
int mk_check_policy(const struct mk_policy_type *type, size_t *plays, struct mk_error *err);

/* The defaults; of required parameters the middle or 1 from the finite end of their range. */
void mk_usual_parameters(const struct mk_param *params, double *par);

#endif
