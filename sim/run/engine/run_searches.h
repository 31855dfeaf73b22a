/* All searches of an experiment, run to the largest horizon without policies: what analyses of recorded runs need. */
#ifndef MAXK_SIM_RUN_ENGINE_RUN_SEARCHES_H
#define MAXK_SIM_RUN_ENGINE_RUN_SEARCHES_H

#include <stdio.h>

#include "sim/base/progress.h"
#include "sim/run/experiment/experiment.h"

/* Turns the experiment's searches into trajectories of its replications, the same bits for any number of threads; other
 * problems are left alone. progress may be NULL. MK_EINPUT without horizons, or where their rewards need more memory
 * than there is; MK_ESTOPPED after mk_run_stop. */
int mk_run_searches(struct mk_experiment *e, int threads, struct mk_progress *progress, struct mk_error *err);

/* Takes the rows of one (instance, replication) as CSV; in order, on the calling thread. */
typedef int mk_rows_sink(void *to, const char *text, size_t length, struct mk_error *err);

/* The same searches as rows of a CSV file, in the form of Balef et al. 2025 with the configurations (see
 * sim/problem/trajectory.h), with fidelities and what policies see (loss_seen) where evaluations are made in part: arms
 * by number, combined searches as arm_index -1, -2, …. digits: significant ones of losses, costs and real
 * hyperparameters, 17: exact. The first text is the header. */
int mk_record_searches(const struct mk_experiment *e, int threads, int digits, struct mk_progress *progress,
                       mk_rows_sink *sink, void *to, struct mk_error *err);

#endif
