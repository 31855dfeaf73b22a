/* Running an experiment: OpenMP over units (instance, replication), in blocks. Every unit writes its own slots, so
 * results are the same bit for bit for any number of threads. */
#ifndef MAXK_SIM_RUN_ENGINE_RUN_H
#define MAXK_SIM_RUN_ENGINE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/base/progress.h"
#include "sim/run/engine/block.h"
#include "sim/run/experiment/experiment.h"
#include "sim/run/tape/record_tape.h"
#include "sim/run/tape/reward_tape.h"

/* per-pull: policies/play/per_pull_loop.h, any policy; record: policies/play/record_loop.h, policies that need only
 * counts and running maxima. */
enum mk_engine { MK_ENGINE_AUTO, MK_ENGINE_PER_PULL, MK_ENGINE_RECORD };
#define MK_ENGINE_CHOICES "auto|per-pull|record"

/* What all threads share and none changes. */
struct mk_run_context {
    const struct mk_experiment *experiment;
    const struct mk_truth *truth;
    double *log; /* log[0 … log_len-1], log[0] = 0 */
    uint64_t log_len;
    enum mk_engine *engine;     /* [entry] MK_ENGINE_PER_PULL (as initialised) or MK_ENGINE_RECORD */
    size_t tournament_from;     /* of every setup; 0 as initialised */
    double *label_share;        /* [instance][arm] (sim/run/engine/label_shares.h); NULL: no entry asks for it */
    struct mk_candidates *runs; /* all recorded instances (sim/run/engine/other_runs.h); the same */
};

int mk_run_context_init(struct mk_run_context *c, const struct mk_experiment *e, const struct mk_truth *f,
                        struct mk_error *err);
void mk_run_context_clear(struct mk_run_context *c);

/* Chooses the engine of every entry, from the experiment alone. auto uses the record engine for entries that allow it
 * if rewards are drawn from distributions and the largest horizon is at least MK_RECORD_PAYS; below that the per-pull
 * engine is quick, and all policies share one reward tape. record is MK_EINPUT, with the reason, if an entry or the
 * problem does not allow it. Entries on the same engine share their random numbers; entries on different ones are
 * independent. */
#define MK_RECORD_PAYS 100000
int mk_run_choose(struct mk_run_context *c, enum mk_engine choice, struct mk_error *err);

/* 1 when the record engine can play the entry. */
bool mk_run_has_records(const struct mk_policy_entry *entry);

/* "per-pull" or "record", as stored in results. */
const char *mk_run_engine_name(const struct mk_run_context *c, size_t entry);

/* What a policy gets as mk_setup.candidates. */
const struct mk_candidates *mk_run_candidates(const struct mk_run_context *c, const struct mk_policy_entry *entry);

/* One thread's workplace: the tapes and the state of one policy at a time. */
struct mk_worker;
int mk_worker_new(struct mk_worker **out, const struct mk_run_context *c, struct mk_error *err);
void mk_worker_free(struct mk_worker *w);
struct mk_reward_tape *mk_worker_tape(struct mk_worker *w);
/* NULL where nothing is played from records. */
struct mk_record_tape *mk_worker_records(struct mk_worker *w);

/* Moves to a unit; then entries are played on it. */
void mk_worker_seek(struct mk_worker *w, size_t instance, uint64_t replication);

/* Where the numbers of an entry go. Row h of several horizons is pulls[h * pulls_stride …], one number for every arm of
 * the problem, and max_reward[h * max_stride]. */
struct mk_play_rows {
    uint64_t *pulls;
    size_t pulls_stride;
    double *max_reward;
    size_t max_stride;
};

/* Numbers of the experiment's blocks; of rare-event replications they have weights. */
struct mk_block_size mk_run_block_size(const struct mk_experiment *e, bool weights);

/* Those of an entry on unit `at` of a block, from the first horizon on. */
struct mk_play_rows mk_block_rows(const struct mk_block *b, const struct mk_experiment *e, size_t entry, uint64_t at);

/* Plays one entry on the current unit at horizons [first, last] (positions, inclusive), of which `first` is row 0.
 * pulls receives N_i(T), 0 for arms that the instance lacks, and max_reward the largest reward. sequence: NULL, or [T]
 * positions within the instance of the arm of every round (then first == last, and the per-pull engine plays). MK_EFAIL
 * when the tape ran out. A combined search has no sequence and, of a file, 0 pulls. */
int mk_worker_play(struct mk_worker *w, size_t entry, size_t first, size_t last, const struct mk_play_rows *rows,
                   uint32_t *sequence);

/* Pulls of one unit over all entries. */
double mk_run_pulls(const struct mk_experiment *e);

/* Arms of the largest instance. */
size_t mk_run_largest_instance(const struct mk_problem *p);

/* Most rewards that a thread's tape keeps (mk_reward_tape_limit). */
uint64_t mk_run_tape_most(const struct mk_experiment *e);

/* Units of the experiment without rare-event replications. */
uint64_t mk_run_units(const struct mk_experiment *e);

/* Steps of its progress that a unit counts for: 1, or the evaluations of all searches. */
uint64_t mk_run_steps(const struct mk_experiment *e);

/* Those of the units first … end-1 that are played: all but repetitions that an instance of recorded runs lacks. */
uint64_t mk_run_played(const struct mk_experiment *e, uint64_t first, uint64_t end);

/* Units per block, at most `all`: a function of the experiment, its engines and the threads. Results do not depend on
 * it. */
uint64_t mk_run_block_units(const struct mk_run_context *c, uint64_t all, int threads);

/* Plays unit `at` of a block into its slots. */
typedef int mk_unit_play(void *with, int thread, struct mk_worker *w, const struct mk_block *b, uint64_t at);

/* A part of a run: the units first … end-1, cut into blocks of block_units, every ranks-th block starting with number
 * `rank`. play NULL: the replications of the experiment; otherwise blocks have weights. */
struct mk_run_part {
    uint64_t first, end, block_units;
    uint64_t rank, ranks;
    mk_unit_play *play;
    void *with;
};

/* Simulates a part. threads >= 1. progress may be NULL. Returns MK_ESTOPPED after mk_run_stop. */
int mk_run_part(const struct mk_run_context *c, const struct mk_run_part *part, int threads, mk_block_sink sink,
                void *to, struct mk_progress *progress, struct mk_error *err);

/* The same for all units of the experiment. */
int mk_run_all(const struct mk_run_context *c, int threads, mk_block_sink sink, void *to, struct mk_progress *progress,
               struct mk_error *err);

/* Asks for all runs of this process to stop at the end of the current units, or soon within long ones; safe in a signal
 * handler. Of one rank a block that is then complete is still handed over. It stays asked, for runs that start later
 * too, until mk_run_stop_reset, which is for when no run is going on. */
void mk_run_stop(void);
void mk_run_stop_reset(void);
bool mk_run_stopped(void);
/* For who ends what it does because of that: MK_ESTOPPED, "stopped on request". Who waits for the end can see that it
 * has begun (mk_run_stop_seen): no thread is within a step any more. */
int mk_run_end_stopped(struct mk_error *err);
bool mk_run_stop_seen(void);

#endif
