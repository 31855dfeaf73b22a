/* The record engine: plays a policy that uses only counts and running maxima from the record tape. Nothing random
 * happens between two records, so a stretch in which one arm stays chosen is one step. On the same record tape it takes
 * the same decisions as the per-pull loop, bit for bit: policies evaluate exactly the expressions of their select. */
#ifndef MAXK_POLICIES_PLAY_RECORD_LOOP_H
#define MAXK_POLICIES_PLAY_RECORD_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MK_RECORD_NEVER UINT64_MAX

struct mk_record {
    uint64_t n; /* which pull of the arm, from 1; MK_RECORD_NEVER ends the list */
    double x;   /* the reward */
    double s;   /* high: P(X > x); low: P(X < x); NaN where rewards were recorded */
};

/* Where the loop gets records, and single rewards. */
struct mk_records {
    /* Record i (from 0) of an arm, high or low; past the end of the list, the end. The pointer is valid until the next
     * call. */
    const struct mk_record *(*high)(struct mk_records *records, size_t arm, size_t i);
    const struct mk_record *(*low)(struct mk_records *records, size_t arm, size_t i);
    uint64_t (*length)(const struct mk_records *records, size_t arm);     /* pulls that there are */
    void (*skip)(struct mk_records *records, uint64_t n);                 /* records are those after n pulls */
    double (*reward)(struct mk_records *records, size_t arm, uint64_t n); /* that of pull n (from 0) */
    uint64_t skipped;                                                     /* as skip said */
    int failed; /* out of memory, or past the end of recorded rewards */
};

struct mk_record_cursor {
    uint64_t next; /* the arm's next pull that is a record of either kind */
    uint64_t next_high, next_low;
    size_t high, low; /* positions of the cursor in the two lists */
    double max;       /* -inf before the first pull */
};

/* One policy's run through one replication. */
struct mk_record_play {
    struct mk_records *records;
    uint64_t *pulls;             /* [K] N_i so far */
    struct mk_record_cursor *at; /* [K] */
    double best;                 /* largest reward so far, -inf at the start */
    bool (*stopped)(void);       /* 1: the run should stop; NULL: never */
    /* NULL, or called now and then by policies that step through the rounds in which the arm changes: round t is next.
     */
    void (*look)(void *looker, uint64_t t);
    void *looker;
};

/* Whether to stop at this step of a loop, which plays round t. */
static inline bool mk_record_play_stops(const struct mk_record_play *play, uint64_t step, uint64_t t)
{
    enum { LOOK = 1 << 10 }; /* some microseconds, with 10^5 arms a second */
    if (step % LOOK != 0) return false;
    if (play->look) play->look(play->looker, t);
    return play->stopped && play->stopped();
}

/* Start of a replication: no pulls yet; only high records count, from the first pull on. */
void mk_record_play_start(struct mk_record_play *play, size_t arms);

/* The first n pulls of every arm will be taken by mk_record_one; running maxima start after them. Before the first
 * round. */
void mk_record_play_skip(struct mk_record_play *play, size_t arms, uint64_t n);

/* One of the arm's first pulls: its reward on the reward tape. */
double mk_record_one(struct mk_record_play *play, size_t arm);

/* From now on low records count too; before the first round. */
void mk_record_play_watch_low(struct mk_record_play *play, size_t arms);

/* What mk_record_pull does at a record, or past the end of the data. */
double mk_record_meet(struct mk_record_play *play, size_t arm);

/* Pulls of the arm up to and including its next record, >= 1. */
static inline uint64_t mk_record_before(const struct mk_record_play *play, size_t arm)
{
    return play->at[arm].next - play->pulls[arm];
}

/* `count` pulls of the arm, 1 <= count <= mk_record_before. Returns the reward of the last of them: the record, or, if
 * it was not one, the running maximum, which leaves every running maximum and minimum unchanged. */
static inline double mk_record_pull(struct mk_record_play *play, size_t arm, uint64_t count)
{
    play->pulls[arm] += count;
    return play->pulls[arm] < play->at[arm].next ? play->at[arm].max : mk_record_meet(play, arm);
}

/* Any number of pulls of the arm, with any rewards; its maximum is play->at[arm].max afterwards. */
void mk_record_pull_all(struct mk_record_play *play, size_t arm, uint64_t count);

/* `rounds` pulls shared by n arms in round-robin order: arm[0 … n-1] (NULL: 0 … n-1), the first of them to position
 * `from` < n. */
void mk_record_pull_turns(struct mk_record_play *play, const size_t *arm, size_t n, size_t from, uint64_t rounds);

#endif
