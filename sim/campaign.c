#include "sim/campaign.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/assemble.h"
#include "sim/estimate.h"
#include "sim/progress.h"

struct campaign {
    const struct mk_experiment *e;
    const struct mk_campaign *how;
    struct mk_facts *facts;
    struct mk_run_context context;
    struct mk_journal_head head;
    char *journal_path;
    int aside;                  /* the path holds another run's result, to be kept as PATH.previous */
    struct mk_error difference; /* in what that run differs */
    struct mk_journal *journal; /* rank 0 */
    struct mk_run_part part;
    struct mk_block other; /* rank 0: a block of another rank */
    struct mk_progress progress;
};

/* ---- before the first block ---- */

/* Removes PATH.tmp.<pid> of processes that are no more; the journal's lock keeps those of others safe. */
static void remove_leftovers(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *directory = slash ? strndup(path, (size_t)(slash - path + 1)) : strdup("./");
    size_t length = strlen(name);
    DIR *all = directory ? opendir(directory) : NULL;
    for (struct dirent *entry; all && (entry = readdir(all));) {
        const char *number = entry->d_name + length + 5;
        if (strncmp(entry->d_name, name, length) != 0 || strncmp(entry->d_name + length, ".tmp.", 5) != 0) continue;
        long pid = strtol(number, NULL, 10);
        if (pid <= 0 || number[strspn(number, "0123456789")] || kill((pid_t)pid, 0) == 0 || errno != ESRCH) continue;
        unlinkat(dirfd(all), entry->d_name, 0);
    }
    if (all) closedir(all);
    free(directory);
}

static int prepare(struct campaign *c, struct mk_error *err)
{
    const struct mk_experiment *e = c->e;
    int code = mk_facts_new(&c->facts, e->problem, e->horizon, e->n_horizons, e->replications, err);
    if (!code) code = mk_run_context_init(&c->context, e, c->facts, err);
    if (!code) code = mk_run_choose(&c->context, c->how->engine, err);
    if (!code) code = mk_estimate_check(&c->context, c->how->threads, err);
    if (!code) code = mk_identity_of_run(&c->head.identity, &c->context, err);
    c->head.shard = c->how->shard;
    c->head.all_units = e->replications * e->problem->n_instances;
    c->head.cells = e->n_entries * e->n_horizons;
    c->head.arms = e->problem->n_arms;
    mk_shard_units(c->head.shard, c->head.all_units, &c->head.first_unit, &c->head.end_unit);
    return code;
}

static int open_files(struct campaign *c, int *there, struct mk_error *err)
{
    const struct mk_campaign *how = c->how;
    enum mk_in_the_way way = MK_WAY_FREE;
    int code = how->force ? MK_OK : mk_assemble_check(how->path, &c->head.identity, how->shard, &way, err);
    if (code) return code;
    if (way == MK_WAY_OTHER) {
        c->aside = 1;
        c->difference = *err;
    }
    *there = way == MK_WAY_SAME;
    if (asprintf(&c->journal_path, "%s.journal", how->path) < 0) {
        c->journal_path = NULL;
        return mk_fail_memory(err, "a file name");
    }
    if (*there && how->resume && access(c->journal_path, F_OK)) return MK_OK;
    *there = 0;
    code = mk_journal_open(&c->journal, c->journal_path, how->path, &c->head,
                           how->resume  ? MK_JOURNAL_RESUME
                           : how->force ? MK_JOURNAL_ANEW
                                        : MK_JOURNAL_NEW,
                           err);
    if (!code) remove_leftovers(how->path);
    return code;
}

/* Blocks small enough that all ranks have several. */
static uint64_t block_units(const struct campaign *c)
{
    uint64_t units = mk_run_block_units(&c->context, c->how->threads), ranks = (uint64_t)c->how->ranks->count;
    uint64_t share = (c->part.end - c->part.first) / (4 * ranks) + 1;
    return ranks > 1 && units > share ? share : units;
}

/* Rank 0 opens the files; all learn where to begin. */
static int begin(struct campaign *c, struct mk_campaign_outcome *out, struct mk_error *err)
{
    struct mk_ranks *r = c->how->ranks;
    uint64_t shared[2] = {0, 0};
    int code = MK_OK;
    if (r->rank == 0) code = open_files(c, &out->there, err);
    code = mk_ranks_agree(r, code, err);
    if (code) return code;
    if (c->journal) shared[0] = mk_journal_next(c->journal);
    shared[1] = (uint64_t)out->there;
    mk_ranks_share(r, shared, 2);
    out->there = (int)shared[1];
    out->units = c->head.end_unit - c->head.first_unit;
    out->resumed = out->there ? out->units : shared[0] - c->head.first_unit;
    c->part = (struct mk_run_part){shared[0], c->head.end_unit, 0, (uint64_t)r->rank, (uint64_t)r->count};
    c->part.block_units = block_units(c);
    return MK_OK;
}

/* ---- blocks ---- */

/* Rank 0 has finished its block of a round: those of the other ranks follow it. */
static int take_round(void *campaign, const struct mk_block *b, struct mk_error *err)
{
    struct campaign *c = campaign;
    struct mk_ranks *r = c->how->ranks;
    int code = mk_journal_append(c->journal, b, err);
    for (int from = 1; !code && from < r->count && mk_journal_next(c->journal) < c->part.end; from++) {
        c->other.n_units = c->part.block_units;
        code = mk_ranks_receive(r, from, &c->other, c->head.cells, c->head.arms, err);
        if (!code) code = mk_journal_append(c->journal, &c->other, err);
        if (!code) atomic_fetch_add(&c->progress.done, c->other.n_units);
    }
    return code;
}

static int pass_on(void *campaign, const struct mk_block *b, struct mk_error *err)
{
    const struct campaign *c = campaign;
    (void)err;
    mk_ranks_send(c->how->ranks, b, c->head.cells, c->head.arms);
    return MK_OK;
}

static int simulate(struct campaign *c, struct mk_campaign_outcome *out, struct mk_error *err)
{
    const struct mk_campaign *how = c->how;
    size_t cells = (size_t)(c->part.block_units * c->head.cells);
    double per_unit = mk_run_pulls(c->e);
    int code = MK_OK;
    if (how->ranks->rank == 0 && how->ranks->count > 1) {
        c->other.pulls = malloc(cells * c->head.arms * sizeof *c->other.pulls);
        c->other.max_reward = malloc(cells * sizeof *c->other.max_reward);
        if (!c->other.pulls || !c->other.max_reward) code = mk_fail_memory(err, "a block of results");
    }
    uint64_t left = c->part.end - c->part.first;
    mk_progress_start(&c->progress, c->e->name, left, per_unit, how->quiet || how->ranks->rank > 0);
    if (!code && left)
        code = mk_run_part(&c->context, &c->part, how->threads, how->ranks->rank ? pass_on : take_round, c, &c->progress,
                           err);
    out->seconds = mk_progress_end(&c->progress);
    out->pulls = (double)left * per_unit;
    return code;
}

/* ---- the end ---- */

static int finish(struct campaign *c, const struct mk_campaign_outcome *out, struct mk_error *err)
{
    const struct mk_volatile v = {c->how->command_line, c->how->threads * c->how->ranks->count, out->seconds};
    if (c->how->shard.of) return mk_journal_publish(c->journal, c->how->path, err);
    int code = mk_assemble(c->how->path, &c->context, &c->journal, 1, c->aside, &v, err);
    if (code) return code;
    mk_journal_remove(c->journal);
    if (c->aside) fprintf(stderr, "%.700s: it is kept as %s.previous\n", c->difference.text, c->how->path);
    return MK_OK;
}

/* Adds to the message what is kept and how to go on; an empty journal is of no use. */
static int tell_kept(const struct campaign *c, int code, struct mk_error *err)
{
    struct mk_error why = *err;
    uint64_t kept = mk_journal_next(c->journal) - c->head.first_unit, all = c->head.end_unit - c->head.first_unit;
    if (!kept && all) {
        mk_journal_remove(c->journal);
        return code == MK_ESTOPPED ? mk_fail(err, code, "%.900s; nothing was changed", why.text) : code;
    }
    return mk_fail(err, code, "%.600s; %llu of %llu replications are kept in %s, the same command with --resume goes on",
                   why.text, (unsigned long long)kept,
                   (unsigned long long)all, c->journal_path);
}

int mk_campaign_run(const struct mk_experiment *e, const struct mk_campaign *how, struct mk_campaign_outcome *out,
                    struct mk_error *err)
{
    struct campaign c = {.e = e, .how = how};
    memset(out, 0, sizeof *out);
    int code = mk_ranks_agree(how->ranks, prepare(&c, err), err);
    if (!code) code = begin(&c, out, err);
    if (code || out->there) goto out;
    code = simulate(&c, out, err);
    if (!code && c.journal) code = finish(&c, out, err);
    if (code && c.journal) code = tell_kept(&c, code, err);
out:
    mk_journal_free(c.journal);
    free(c.journal_path);
    free(c.other.pulls);
    free(c.other.max_reward);
    mk_identity_clear(&c.head.identity);
    mk_run_context_clear(&c.context);
    mk_facts_free(c.facts);
    return code;
}
