#include "sim/run/durable/finish_result.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/run/engine/rare.h"

struct target {
    uint64_t plain_units;
    struct mk_writer *writer;
    struct mk_rare_sums *rare; /* NULL: no rare events */
};

static int feed(void *target, const struct mk_block *b, struct mk_error *err)
{
    const struct target *to = target;
    if (mk_run_stopped()) return mk_fail(err, MK_ESTOPPED, "stopped on request while the result was written");
    return b->first_unit >= to->plain_units ? mk_rare_sums_add(to->rare, b, err) : mk_writer_block(to->writer, b, err);
}

static int take_rows(void *problem, const struct mk_block *b, struct mk_error *err)
{
    struct mk_problem *p = problem;
    const uint64_t length = mk_problem_row(p);
    if (mk_run_stopped()) return mk_fail(err, MK_ESTOPPED, "stopped on request while the result was written");
    for (uint64_t at = 0, unit = b->first_unit; at < b->n_units; at++, unit++)
        mk_problem_put_row(p, (size_t)(unit / p->replications), unit % p->replications, b->row + at * length);
    return MK_OK;
}

/* E[M(T)], gaps and the best arms, which of searches are known only now. */
static int find_truth(struct mk_truth **out, const struct mk_experiment *e, struct mk_journal *const *part, size_t n,
                      int threads, struct mk_error *err)
{
    int code = mk_problem_make_room(e->problem, e->replications, err);
    for (size_t i = 0; !code && i < n; i++) code = mk_journal_replay(part[i], threads, take_rows, e->problem, err);
    return code ? code : mk_truth_new(out, e->problem, e->horizon, e->n_horizons, e->replications, err);
}

/* The rare-event estimates of every policy, if the experiment asks for them. */
static int write_rare(const struct target *to, size_t n_entries, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t i = 0; to->rare && i < n_entries && !code; i++) {
        struct mk_rare *rare = NULL;
        code = mk_rare_sums_get(to->rare, i, &rare, err);
        if (!code) code = mk_writer_rare(to->writer, i, rare, err);
        mk_rare_free(rare);
    }
    return code;
}

/* Gives the file at path a second name, so that the commit loses nothing. */
static int move_to_previous(const char *path, struct mk_error *err)
{
    char *previous = NULL;
    if (asprintf(&previous, "%s.previous", path) < 0) return mk_fail_memory(err, "a file name");
    int code = MK_OK;
    if ((unlink(previous) && errno != ENOENT) || link(path, previous))
        code = mk_fail(err, MK_EIO, "%s: cannot be created: %s", previous, strerror(errno));
    free(previous);
    return code;
}

int mk_finish_result(const char *path, const struct mk_run_context *c, struct mk_journal *const *part, size_t n,
                     int keep_previous, const struct mk_volatile *v, struct mk_error *err)
{
    const struct mk_experiment *e = c->experiment;
    const char **engine = calloc(e->n_entries, sizeof *engine);
    struct mk_rare_plan *plan = NULL;
    struct mk_truth *found = NULL;
    struct target to = {mk_run_units(e), NULL, NULL};
    int code = engine ? MK_OK : mk_fail_memory(err, "the result");
    for (size_t i = 0; !code && i < e->n_entries; i++) engine[i] = mk_run_engine_name(c, i);
    if (!code && mk_problem_searches(e->problem)) code = find_truth(&found, e, part, n, v->threads, err);
    const struct mk_truth *truth = found ? found : c->truth;
    if (!code && e->rare_events) code = mk_rare_plan_new(&plan, e, truth, err);
    if (!code && plan) code = mk_rare_sums_new(&to.rare, plan, err);
    if (!code) code = mk_writer_open(&to.writer, path, e, truth, engine, v->threads, err);
    for (size_t i = 0; !code && i < n; i++) code = mk_journal_replay(part[i], v->threads, feed, &to, err);
    if (!code) code = write_rare(&to, e->n_entries, err);
    if (!code && keep_previous) code = move_to_previous(path, err);
    if (!code) code = mk_writer_commit(to.writer, v, err);
    mk_writer_free(to.writer);
    mk_rare_sums_free(to.rare);
    mk_rare_plan_free(plan);
    mk_truth_free(found);
    free(engine);
    return code;
}

/* The identity of the file at path, a part or a result. */
static int identify(const char *path, struct mk_identity *id, struct mk_shard *shard, struct mk_error *err)
{
    struct mk_result *r = NULL;
    struct mk_journal *j = NULL;
    *shard = (struct mk_shard){0, 0};
    int code = mk_journal_is(path) ? mk_journal_read(&j, path, err) : mk_result_open(&r, path, err);
    if (!code && r) code = mk_identity_of_result(id, mk_result_info(r), err);
    if (!code && j) {
        const struct mk_journal_head *h = mk_journal_head(j);
        *shard = h->shard;
        code = mk_identity_copy(id, &h->identity, err);
    }
    mk_result_free(r);
    mk_journal_free(j);
    return code;
}

int mk_existing_output(const char *path, const struct mk_identity *want, struct mk_shard shard, enum mk_existing *way,
                       struct mk_error *err)
{
    struct mk_identity id = {0};
    struct mk_shard its;
    struct stat st;
    struct mk_error why = {0};
    char text[800];
    *way = MK_EXISTING_FREE;
    int code = mk_atomic_file_check(path, err);
    if (code || stat(path, &st)) return code;
    code = identify(path, &id, &its, &why);
    if (code == MK_EINPUT)
        code = mk_fail(err, code, "%s; choose another --output, or replace it with --force", why.text);
    else if (code)
        code = mk_fail(err, code, "%s", why.text);
    else if (its.of != shard.of || its.index != shard.index)
        code = mk_fail(err, MK_EINPUT, "%s: contains %s; choose another --output, or replace it with --force", path,
                       !its.of ? "a whole result" : "another shard");
    else if (mk_identity_same(&id, want, text, sizeof text))
        *way = MK_EXISTING_SAME;
    else if (!shard.of) {
        *way = MK_EXISTING_OTHER;
        mk_fail(err, MK_EINPUT, "%s: result of another run (%s)", path, text);
    } else
        code = mk_fail(err, MK_EINPUT,
                       "%s: part of another run (%s); choose another --output, or replace it with --force", path, text);
    mk_identity_clear(&id);
    return code;
}
