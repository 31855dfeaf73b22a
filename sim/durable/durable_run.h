/* A run that cannot be lost: simulated block by block into a journal beside the result (PATH.journal), gone on with
 * after any interruption, on one or several ranks, whole or as one shard; the result is written when every block is
 * there. */
#ifndef MAXK_SIM_DURABLE_DURABLE_RUN_H
#define MAXK_SIM_DURABLE_DURABLE_RUN_H

#include <stdint.h>

#include "sim/base/error.h"
#include "sim/durable/mpi_ranks.h"
#include "sim/experiment/experiment.h"
#include "sim/run/run.h"
#include "sim/store/journal.h"

struct mk_durable_options {
    const char *path; /* of the result, or of the part when shard.of > 0 */
    struct mk_shard shard;
    int resume; /* go on where the journal ends; without a journal begin, or be content with a result of this run */
    int force;  /* replace what is there, whatever it is */
    enum mk_engine engine;
    int threads;
    int quiet;
    const char *command_line;
    struct mk_mpi *ranks;
};

struct mk_run_report {
    uint64_t units, resumed; /* of the run or shard; of them taken from the journal */
    double pulls, seconds;   /* of this process and its ranks */
    int already_complete;    /* nothing was to be done */
};

/* Errors say what is kept and how to go on. An earlier file at `path` is replaced only by the complete new one, and
 * only where it holds the same run or with force; else MK_EINPUT. All ranks call it. */
int mk_durable_run(const struct mk_experiment *e, const struct mk_durable_options *how, struct mk_run_report *out,
                   struct mk_error *err);

#endif
