/* What a run needs, before it starts. */
#ifndef MAXK_SIM_DURABLE_MEMORY_ESTIMATE_H
#define MAXK_SIM_DURABLE_MEMORY_ESTIMATE_H

#include "sim/base/error.h"
#include "sim/run/run.h"

/* Bytes that the run holds at most. Tapes and states are given back before the result is written. Not counted: what
 * rare events add, blocks of other ranks, the arrays that mk_experiment_run returns, and pages of recorded rewards,
 * which lie in a file.
 *
 * Tapes are kept to a limit (mk_reward_tape_limit). Some policies have room for the worst rewards: for ordinary ones
 * r_sr and r_ucbe touch next to nothing of 128 bytes a pull, qomax_sda of 64, max_median a third of 64, extreme_etc a
 * tenth of 32. */
struct mk_memory_estimate {
    double base;   /* what the process holds already, and libraries as they are used */
    double block;  /* blocks of results at work and on their way */
    double tapes;  /* of all threads */
    double states; /* policies of all threads */
    double writer;
};
struct mk_memory_estimate mk_memory_estimate(const struct mk_run_context *c, int threads);
/* All together. */
double mk_memory_estimate_all(const struct mk_memory_estimate *m);

/* MK_EINPUT with the estimate when that is more than the memory of the machine or the limit on the process
 * (RLIMIT_AS). */
int mk_memory_estimate_check(const struct mk_run_context *c, int threads, struct mk_error *err);

#endif
