/* A durable run: simulated block by block into a journal next to the result (PATH.journal), resumable after any
 * interruption, on one or several ranks, whole or as one shard; the result is written when every block is done. */
#ifndef MAXK_SIM_RUN_DURABLE_DURABLE_RUN_H
#define MAXK_SIM_RUN_DURABLE_DURABLE_RUN_H

#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/run/durable/mpi_ranks.h"
#include "sim/run/engine/run.h"
#include "sim/run/experiment/experiment.h"
#include "sim/run/store/journal.h"

struct mk_durable_options {
    const char *path; /* of the result, or of the part when shard.of > 0 */
    struct mk_shard shard;
    int resume; /* continue from the journal; without one start from the beginning, unless this run's result already
                   exists */
    int force;  /* replace the output and the journal, regardless of what they hold */
    enum mk_engine engine;
    int threads;
    mk_progress_report *progress; /* NULL: none; on rank 0 only */
    void *progress_context;
    void (*slow)(const char *text); /* of struct mk_progress, on every rank */
    void (*ready)(void); /* NULL, or called when all is computed that rounds need, before anything is written */
    const char *command_line;
    struct mk_mpi *ranks;
};

struct mk_run_report {
    uint64_t units, resumed;      /* of the run or shard; of these taken from the journal */
    double pulls, seconds;        /* of this process and its ranks */
    int already_complete;         /* there was nothing to do */
    char replaced[MK_ERROR_TEXT]; /* how the earlier result of another run, kept as path.previous, differs; or "" */
};

/* Errors say what is kept and how to resume. An earlier file at `path` is replaced only by the complete new one.
 * Without force the whole result of another run is kept as path.previous, and anything else that is not of this run is
 * MK_EINPUT. All ranks call it. */
int mk_durable_run(const struct mk_experiment *e, const struct mk_durable_options *how, struct mk_run_report *out,
                   struct mk_error *err);

#endif
