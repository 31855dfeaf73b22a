/* The journal of a run: finished blocks, appended to one file and never changed, from which the result file is written
 * when all are there. What was appended survives the end of the process at any moment; a truncated record is recognised
 * by its length or checksum and dropped.
 *
 * File, in the machine's byte order: a header (magic, sizes, shard, range of units, identity, CRC-32), then records
 * (first unit, number of units, lengths, CRC-32, deflated pulls, max_reward and rewards of searches). A finished shard
 * is its journal renamed to the name of the part. */
#ifndef MAXK_SIM_RUN_STORE_JOURNAL_H
#define MAXK_SIM_RUN_STORE_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/run/engine/run.h"
#include "sim/run/store/result.h"
#include "sim/run/store/run_identity.h"

enum { MK_MOST_SHARDS = 1000000 };

/* Shard `index` of `of`, from 1; {0, 0}: not a shard but the whole run. It has the units first … end-1. */
struct mk_shard {
    uint64_t index, of;
};
void mk_shard_units(struct mk_shard s, uint64_t all, uint64_t *first, uint64_t *end);

/* In the file as it stands here, apart from the identity. */
struct mk_journal_head {
    struct mk_shard shard;
    uint64_t first_unit, end_unit, all_units;
    uint64_t plain_units; /* units from here on have weights: rare-event replications; no block mixes the two kinds */
    uint64_t cells, arms; /* of a unit: entries * horizons, arms of the problem */
    uint64_t row;         /* numbers of all searches of a unit (mk_problem_row) */
    struct mk_identity identity;
};

/* 1 when units, cells and arms are those of the same run. */
bool mk_journal_same_sizes(const struct mk_journal_head *a, const struct mk_journal_head *b);

struct mk_journal;

enum mk_journal_mode {
    MK_JOURNAL_NEW,    /* MK_EINPUT if an interrupted run has left blocks */
    MK_JOURNAL_RESUME, /* continue after its last block; MK_EINPUT, with the difference, if it belongs to another run */
    MK_JOURNAL_ANEW    /* drop its contents */
};

/* Opens `path` for appending and locks it: MK_EINPUT when another process has it open, or when it is not a journal.
 * *want is copied. `result` is the file that the run will write, for messages. */
int mk_journal_open(struct mk_journal **out, const char *path, const char *result, const struct mk_journal_head *want,
                    enum mk_journal_mode mode, struct mk_error *err);

/* Opens a journal or part for reading; MK_EINPUT when it is something else or damaged. */
int mk_journal_read(struct mk_journal **out, const char *path, struct mk_error *err);

/* 1 when the file begins like a journal. */
bool mk_journal_is(const char *path);

const struct mk_journal_head *mk_journal_head(const struct mk_journal *j);

/* First missing unit; head->end_unit when complete. */
uint64_t mk_journal_next(const struct mk_journal *j);

/* Appends the next block of units, and syncs it unless that was done within the last second. On MK_EIO the file is
 * truncated to the blocks before. */
int mk_journal_append(struct mk_journal *j, const struct mk_block *b, struct mk_error *err);

/* Passes all blocks to `sink`, in order, in the calling thread; up to `threads` of them are inflated at a time, within
 * 32 MiB or one block. */
int mk_journal_replay(const struct mk_journal *j, int threads, mk_block_sink sink, void *to, struct mk_error *err);

/* How many blocks of that many bytes are inflated at a time. */
double mk_journal_replayed(double bytes, int threads);

/* Syncs it and renames it to `path`: a part. */
int mk_journal_publish(struct mk_journal *j, const char *path, struct mk_error *err);

void mk_journal_remove(struct mk_journal *j);
void mk_journal_free(struct mk_journal *j);

#endif
