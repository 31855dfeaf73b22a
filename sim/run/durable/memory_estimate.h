/* The memory that a run needs, before it starts. */
#ifndef MAXK_SIM_RUN_DURABLE_MEMORY_ESTIMATE_H
#define MAXK_SIM_RUN_DURABLE_MEMORY_ESTIMATE_H

#include "sim/api/maxk/error.h"
#include "sim/run/engine/run.h"

/* Upper bound in bytes on what the run holds. Tapes and states are released before the result is written. Not counted:
 * what rare events add, blocks of other ranks, the arrays that mk_run_experiment returns, and pages of recorded
 * rewards, which lie in a file.
 *
 * Tapes are kept to a limit (mk_reward_tape_limit). Policies that keep rewards reserve memory for the worst case; with
 * ordinary rewards much of it is never touched (the heads of the policies' files give both). */
struct mk_memory_estimate {
    double base;   /* what the process holds already, and libraries once in use */
    double block;  /* blocks of results being filled and in transit */
    double tapes;  /* of all threads */
    double states; /* policies of all threads */
    double writer;
};
struct mk_memory_estimate mk_memory_estimate(const struct mk_run_context *c, int threads);
/* All together. */
double mk_memory_estimate_all(const struct mk_memory_estimate *m);

/* MK_EINPUT with the estimate when it exceeds the memory of the machine or the limit on the process (RLIMIT_AS). */
int mk_memory_estimate_check(const struct mk_run_context *c, int threads, struct mk_error *err);

#endif
