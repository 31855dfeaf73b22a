/* The journal of a run: finished blocks, appended to one file and never changed, from which the result file is written
 * when all are there. What was appended survives the end of the process at any moment; a record that was cut short is
 * recognised by its length or checksum and dropped.
 *
 * File, in the machine's byte order: a header (magic, sizes, shard, range of units, identity, CRC-32), then records
 * (first unit, number of units, lengths, CRC-32, deflated pulls and max_reward). A finished shard is its journal under
 * the name of the part. */
#ifndef MAXK_SIM_STORE_JOURNAL_H
#define MAXK_SIM_STORE_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/error.h"
#include "sim/run/run.h"
#include "sim/store/result.h"
#include "sim/store/run_identity.h"

enum { MK_MOST_SHARDS = 1000000 };

/* Shard `index` of `of`, from 1; {0, 0}: not a shard, the whole run. It has the units first … end-1. */
struct mk_shard {
    uint64_t index, of;
};
void mk_shard_units(struct mk_shard s, uint64_t all, uint64_t *first, uint64_t *end);

struct mk_journal_head {
    struct mk_shard shard;
    uint64_t first_unit, end_unit, all_units;
    uint64_t plain_units; /* units from here on have weights: rare-event replications; no block has both kinds */
    uint64_t cells, arms; /* of a unit: entries * horizons, arms of the problem */
    struct mk_identity identity;
};

/* 1 when units, cells and arms are those of the same run. */
bool mk_journal_same_sizes(const struct mk_journal_head *a, const struct mk_journal_head *b);

struct mk_journal;

enum mk_journal_mode {
    MK_JOURNAL_NEW,    /* MK_EINPUT where an interrupted run has left blocks */
    MK_JOURNAL_RESUME, /* go on behind its last block; MK_EINPUT, with the difference, where it is of another run */
    MK_JOURNAL_ANEW    /* drop what is there */
};

/* Opens `path` for appending and locks it: MK_EINPUT when another process has it open, or when it is no journal.
 * *want is copied. `result` is the file that the run is to make, for messages. */
int mk_journal_open(struct mk_journal **out, const char *path, const char *result, const struct mk_journal_head *want,
                    enum mk_journal_mode mode, struct mk_error *err);

/* Opens a journal or part for reading; MK_EINPUT when it is none or is damaged. */
int mk_journal_read(struct mk_journal **out, const char *path, struct mk_error *err);

/* 1 when the file begins like a journal. */
bool mk_journal_is(const char *path);

const struct mk_journal_head *mk_journal_head(const struct mk_journal *j);

/* First unit that is not there yet; head->end_unit when complete. */
uint64_t mk_journal_next(const struct mk_journal *j);

/* Appends the block of units that comes next, and syncs it unless that was done in the last second. On MK_EIO the file
 * is cut back to the blocks before. */
int mk_journal_append(struct mk_journal *j, const struct mk_block *b, struct mk_error *err);

/* Gives all blocks to `sink`, in order, in the calling thread; `threads` of them inflate at a time, 32 MiB or one
 * block. */
int mk_journal_replay(const struct mk_journal *j, int threads, mk_block_sink sink, void *to, struct mk_error *err);

/* How many blocks of so many bytes that are at a time. */
double mk_journal_replayed(double bytes, int threads);

int mk_journal_sync(struct mk_journal *j, struct mk_error *err);

/* Syncs it and gives it the name `path`: a part. */
int mk_journal_publish(struct mk_journal *j, const char *path, struct mk_error *err);

void mk_journal_remove(struct mk_journal *j);
void mk_journal_free(struct mk_journal *j);

#endif
