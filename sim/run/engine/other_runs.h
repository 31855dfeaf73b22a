/* The recorded rewards of all instances as candidates, for `recorded` of bayes_max. */
#ifndef MAXK_SIM_RUN_ENGINE_OTHER_RUNS_H
#define MAXK_SIM_RUN_ENGINE_OTHER_RUNS_H

#include "sim/api/maxk/error.h"
#include "sim/problem/problem.h"

struct mk_candidates;

/* Candidate i K + k is how the rewards of arm k of instance i are distributed, all repetitions and pulls together but
 * for what ends_early repeats. Reads all recorded rewards once. Free with mk_candidates_free. MK_EINPUT:
 * there is a single instance, or one lacks an arm. */
int mk_other_runs_new(struct mk_candidates **out, const struct mk_problem *p, struct mk_error *err);

#endif
