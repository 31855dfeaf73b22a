#include "sim/run/durable/durable_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/progress.h"
#include "sim/run/durable/finish_result.h"
#include "sim/run/durable/memory_estimate.h"
#include "sim/run/engine/rare.h"

struct durable_run {
    const struct mk_experiment *e;
    const struct mk_durable_options *how;
    struct mk_truth *truth;
    struct mk_run_context context;
    struct mk_journal_head head;
    char *journal_path;
    int keep_previous;          /* the path holds another run's result, to be kept as PATH.previous */
    struct mk_error difference; /* how that run differs */
    struct mk_journal *journal; /* rank 0 */
    struct mk_rare_plan *rare;  /* NULL: no rare events */
    uint64_t block_units[2];    /* of replications, of rare-event replications */
    struct mk_run_part part;    /* in progress: replications, then rare-event replications */
    struct mk_block_size size;  /* of its blocks */
    struct mk_block other;      /* rank 0: a block of another rank */
    struct mk_progress progress;
};

/* ---- before the first block ---- */

static int prepare(struct durable_run *c, struct mk_error *err)
{
    const struct mk_experiment *e = c->e;
    int code = mk_truth_new(&c->truth, e->problem, e->horizon, e->n_horizons, e->replications, err);
    if (!code) code = mk_run_context_init(&c->context, e, c->truth, err);
    if (!code) code = mk_run_choose(&c->context, c->how->engine, err);
    if (!code) code = mk_memory_estimate_check(&c->context, c->how->threads, err);
    if (!code) code = mk_identity_of_run(&c->head.identity, &c->context, err);
    c->head.shard = c->how->shard;
    if (!code && e->rare_events) code = mk_rare_plan_new(&c->rare, e, c->truth, err);
    c->head.plain_units = mk_run_units(e);
    c->head.all_units = c->head.plain_units + e->rare_events;
    c->head.cells = e->n_entries * e->n_horizons;
    c->head.arms = e->problem->n_arms;
    c->head.row = mk_problem_row(e->problem);
    mk_shard_units(c->head.shard, c->head.all_units, &c->head.first_unit, &c->head.end_unit);
    return code;
}

static int open_files(struct durable_run *c, int *already_complete, struct mk_error *err)
{
    const struct mk_durable_options *how = c->how;
    enum mk_existing way = MK_EXISTING_FREE;
    int code = how->force ? MK_OK : mk_existing_output(how->path, &c->head.identity, how->shard, &way, err);
    if (code) return code;
    if (way == MK_EXISTING_OTHER) {
        c->keep_previous = 1;
        c->difference = *err;
    }
    *already_complete = way == MK_EXISTING_SAME;
    if (asprintf(&c->journal_path, "%s.journal", how->path) < 0) {
        c->journal_path = NULL;
        return mk_fail_memory(err, "a file name");
    }
    if (*already_complete && how->resume && access(c->journal_path, F_OK)) return MK_OK;
    *already_complete = 0;
    code = mk_journal_open(&c->journal, c->journal_path, how->path, &c->head,
                           how->resume  ? MK_JOURNAL_RESUME
                           : how->force ? MK_JOURNAL_ANEW
                                        : MK_JOURNAL_NEW,
                           err);
    if (!code) mk_atomic_file_collect(how->path);
    return code;
}

/* The units of one kind from `next` on. */
static struct mk_run_part part_of(const struct durable_run *c, uint64_t next, int rare)
{
    const uint64_t from = rare ? c->head.plain_units : 0, to = rare ? c->head.all_units : c->head.plain_units;
    return (struct mk_run_part){.first = next > from ? next : from,
                                .end = c->head.end_unit < to ? c->head.end_unit : to,
                                .block_units = c->block_units[rare],
                                .rank = (uint64_t)c->how->ranks->rank,
                                .ranks = (uint64_t)c->how->ranks->count};
}

/* Blocks small enough that all ranks have several. */
static uint64_t block_units(const struct durable_run *c, uint64_t next, int rare)
{
    const struct mk_run_part part = part_of(c, next, rare);
    if (part.first >= part.end) return 0;
    uint64_t units = rare ? mk_rare_block_units(c->rare, c->how->threads)
                          : mk_run_block_units(&c->context, c->head.plain_units, c->how->threads);
    uint64_t share = (part.end - part.first) / (4 * part.ranks) + 1;
    return part.ranks > 1 && units > share ? share : units;
}

/* Rank 0 opens the files; all ranks learn where to begin and in what blocks, regardless of their own numbers of
 * threads. */
static int begin(struct durable_run *c, struct mk_run_report *out, struct mk_error *err)
{
    struct mk_mpi *r = c->how->ranks;
    uint64_t shared[4] = {0};
    int code = MK_OK;
    if (r->rank == 0) code = open_files(c, &out->already_complete, err);
    code = mk_mpi_agree(r, code, err);
    if (code) return code;
    if (c->journal) {
        shared[0] = mk_journal_next(c->journal);
        for (int rare = 0; rare < 2; rare++) shared[2 + rare] = block_units(c, shared[0], rare);
    }
    shared[1] = (uint64_t)out->already_complete;
    mk_mpi_share(r, shared, 4);
    out->already_complete = (int)shared[1];
    memcpy(c->block_units, shared + 2, sizeof c->block_units);
    out->units = c->head.end_unit - c->head.first_unit;
    out->resumed = out->already_complete ? out->units : shared[0] - c->head.first_unit;
    return MK_OK;
}

/* ---- blocks ---- */

/* Rank 0 has finished its block of a round: those of the other ranks follow it. */
static int take_round(void *run, const struct mk_block *b, struct mk_error *err)
{
    struct durable_run *c = run;
    struct mk_mpi *r = c->how->ranks;
    int code = mk_journal_append(c->journal, b, err);
    for (int from = 1; !code && from < r->count && mk_journal_next(c->journal) < c->part.end; from++) {
        c->other.n_units = c->part.block_units;
        code = mk_mpi_receive(r, from, &c->other, &c->size, err);
        if (!code) code = mk_journal_append(c->journal, &c->other, err);
        if (!code) atomic_fetch_add(&c->progress.done, c->other.n_units * mk_run_steps(c->e));
    }
    return code;
}

static int pass_on(void *run, const struct mk_block *b, struct mk_error *err)
{
    const struct durable_run *c = run;
    (void)err;
    mk_mpi_send(c->how->ranks, b, &c->size);
    return MK_OK;
}

static int simulate_kind(struct durable_run *c, uint64_t next, int rare, struct mk_error *err)
{
    const struct mk_durable_options *how = c->how;
    const struct mk_mpi *r = how->ranks;
    mk_block_sink sink = r->rank ? pass_on : take_round;
    int code = MK_OK;
    c->part = part_of(c, next, rare);
    if (c->part.first >= c->part.end) return MK_OK;
    mk_block_clear(&c->other);
    c->size = mk_run_block_size(c->e, rare);
    if (r->rank == 0 && r->count > 1) code = mk_block_new(&c->other, &c->size, c->part.block_units, err);
    if (code) return code;
    return rare ? mk_rare_part(c->rare, &c->part, how->threads, sink, c, &c->progress, err)
                : mk_run_part(&c->context, &c->part, how->threads, sink, c, &c->progress, err);
}

static int simulate(struct durable_run *c, struct mk_run_report *out, struct mk_error *err)
{
    const struct mk_durable_options *how = c->how;
    uint64_t left = out->units - out->resumed, next = c->head.first_unit + out->resumed;
    if (how->ranks->rank == 0) {
        c->progress.report = how->progress;
        c->progress.context = how->progress_context;
    }
    c->progress.slow = how->slow;
    const uint64_t steps = mk_run_steps(c->e);
    mk_progress_start(&c->progress, out->resumed * steps, out->units * steps);
    int code = simulate_kind(c, next, 0, err);
    if (!code) code = simulate_kind(c, next, 1, err);
    out->seconds = mk_progress_end(&c->progress);
    out->pulls = (double)mk_run_played(c->e, next, next + left) * mk_run_pulls(c->e);
    return code;
}

/* ---- the end ---- */

static int finish(struct durable_run *c, struct mk_run_report *out, struct mk_error *err)
{
    const struct mk_volatile v = {c->how->command_line, c->how->threads * c->how->ranks->count, out->seconds};
    if (c->how->shard.of) return mk_journal_publish(c->journal, c->how->path, err);
    int code = mk_finish_result(c->how->path, &c->context, &c->journal, 1, c->keep_previous, &v, err);
    if (code) return code;
    mk_journal_remove(c->journal);
    if (c->keep_previous) memcpy(out->replaced, c->difference.text, sizeof out->replaced);
    return MK_OK;
}

/* Adds to the message what is kept and how to resume; an empty journal is of no use. */
static int tell_kept(const struct durable_run *c, int code, struct mk_error *err)
{
    uint64_t kept = mk_journal_next(c->journal) - c->head.first_unit, all = c->head.end_unit - c->head.first_unit;
    if (!kept && all) {
        mk_journal_remove(c->journal);
        return code == MK_ESTOPPED ? mk_fail(err, code, "%.900s; nothing was changed", err->text) : code;
    }
    return mk_fail(
        err, code,
        "%.600s; %llu of %llu replications are kept in %s; rerun with --resume to continue after the last one",
        err->text, (unsigned long long)kept, (unsigned long long)all, c->journal_path);
}

int mk_durable_run(const struct mk_experiment *e, const struct mk_durable_options *how, struct mk_run_report *out,
                   struct mk_error *err)
{
    struct durable_run c = {.e = e, .how = how};
    memset(out, 0, sizeof *out);
    int code = mk_mpi_agree(how->ranks, prepare(&c, err), err);
    if (!code && how->ready) how->ready();
    if (!code) code = begin(&c, out, err);
    if (code || out->already_complete) goto out;
    code = simulate(&c, out, err);
    if (!code && c.journal) code = finish(&c, out, err);
    if (code && c.journal) code = tell_kept(&c, code, err);
out:
    mk_journal_free(c.journal);
    free(c.journal_path);
    mk_block_clear(&c.other);
    mk_rare_plan_free(c.rare);
    mk_identity_clear(&c.head.identity);
    mk_run_context_clear(&c.context);
    mk_truth_free(c.truth);
    return code;
}
