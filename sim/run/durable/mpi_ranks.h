/* Several processes working on one run (MPI, `make MPI=1`). Rank 0 keeps the files; the others send it their blocks.
 * Without MPI, or outside mpirun, there is one rank and every function is trivial. */
#ifndef MAXK_SIM_RUN_DURABLE_MPI_RANKS_H
#define MAXK_SIM_RUN_DURABLE_MPI_RANKS_H

#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/run/engine/block.h"

struct mk_mpi {
    int rank, count; /* 0, 1 without MPI */
    int here;        /* ranks on this machine */
    int over;        /* all ranks know of the failure */
};

/* Joins the others when started by mpirun or srun. On ranks other than 0 standard output is discarded from then on.
 * MK_EINPUT when started by mpirun without having been built for it. */
int mk_mpi_start(struct mk_mpi *r, struct mk_error *err);

/* All ranks call it: MK_OK when all give MK_OK, else the first failing rank's code everywhere, and on rank 0 its text
 * prefixed with the rank (its own text unchanged). */
int mk_mpi_agree(struct mk_mpi *r, int code, struct mk_error *err);

/* All ranks call it: value[n] of rank 0 everywhere. */
void mk_mpi_share(const struct mk_mpi *r, uint64_t *value, int n);

/* Blocks with weights are sent if both sides have memory for weights. Rank k > 0: sends a block to rank 0, which
 * takes it or ends this process. */
void mk_mpi_send(const struct mk_mpi *r, const struct mk_block *b, const struct mk_block_size *size);

/* Rank 0: receives the next block of rank `from`, into memory with room for b->n_units; MK_ESTOPPED when stopped
 * meanwhile; the code and text of a rank that failed instead. */
int mk_mpi_receive(const struct mk_mpi *r, int from, struct mk_block *b, const struct mk_block_size *size,
                   struct mk_error *err);

/* The last call. Rank 0 passes its code on; unless all ranks know of a failure it hands it to `say` and ends all
 * processes, including itself: the others may be in the middle of a block. Ranks k > 0 report a failure of theirs to
 * rank 0 and return MK_OK. */
int mk_mpi_end(const struct mk_mpi *r, int code, struct mk_error *err,
               void (*say)(int code, const struct mk_error *err));

#endif
