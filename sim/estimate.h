/* What a run needs, before it starts. */
#ifndef MAXK_SIM_ESTIMATE_H
#define MAXK_SIM_ESTIMATE_H

#include "sim/error.h"
#include "sim/run.h"

/* Bytes that the run needs at least: reward tapes (T rewards to a thread, on however many arms; an arm's tape keeps the
 * room of its longest replication, so that it may be more where arms lead in turn), states of policies, one block, and
 * what the writer keeps. */
struct mk_estimate {
    double tapes, states, block, writer;
};
struct mk_estimate mk_estimate(const struct mk_run_context *c, int threads);

/* MK_EINPUT with the estimate when that is more than the memory of the machine or the limit on the process
 * (RLIMIT_AS). */
int mk_estimate_check(const struct mk_run_context *c, int threads, struct mk_error *err);

#endif
