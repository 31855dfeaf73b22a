/* maxk merge: combines the parts of a run into its result. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/tables/table_input.h"
#include "sim/base/error.h"
#include "sim/base/progress.h"
#include "sim/base/text.h"
#include "sim/program/command/command.h"
#include "sim/program/command/options.h"
#include "sim/run/durable/finish_result.h"

enum { MOST_NAMED = 10 };

struct parts {
    size_t n;
    char **path;
    struct mk_texts plugins;
    struct mk_journal **journal; /* [n] in the order of the command line, later in that of the shards */
};

static int open_parts(struct parts *p, struct mk_error *err)
{
    p->journal = calloc(p->n, sizeof *p->journal);
    int code = p->journal ? MK_OK : mk_fail_memory(err, "the parts");
    for (size_t i = 0; !code && i < p->n; i++) code = mk_journal_read(&p->journal[i], p->path[i], err);
    return code;
}

/* All must belong to the run of the first one. */
static int check_same(const struct parts *p, struct mk_error *err)
{
    const struct mk_journal_head *first = mk_journal_head(p->journal[0]);
    char text[600];
    if (!first->shard.of)
        return mk_fail(err, MK_EINPUT,
                       "%s: is the journal of a whole run, not a part; `maxk run --resume` completes it", p->path[0]);
    for (size_t i = 1; i < p->n; i++) {
        const struct mk_journal_head *h = mk_journal_head(p->journal[i]);
        if (!mk_identity_same(&h->identity, &first->identity, text, sizeof text))
            return mk_fail(err, MK_EINPUT, "%.150s: belongs to another run than %.150s (%s)", p->path[i], p->path[0],
                           text);
        if (h->shard.of != first->shard.of || h->all_units != first->all_units)
            return mk_fail(err, MK_EINPUT, "%s: is shard %llu of %llu, but %s is one of %llu", p->path[i],
                           (unsigned long long)h->shard.index, (unsigned long long)h->shard.of, p->path[0],
                           (unsigned long long)first->shard.of);
        if (!mk_journal_same_sizes(first, h)) return mk_fail(err, MK_EINPUT, "%s: is damaged", p->path[i]);
    }
    return MK_OK;
}

/* Every shard exactly once and complete; puts the journals in order. */
static int check_all(struct parts *p, struct mk_error *err)
{
    uint64_t of = mk_journal_head(p->journal[0])->shard.of, missing = 0;
    struct mk_journal **ordered = calloc((size_t)of, sizeof *ordered);
    size_t *by = calloc((size_t)of, sizeof *by);
    char list[256] = "";
    int code = ordered && by ? MK_OK : mk_fail_memory(err, "the parts");
    for (size_t i = 0; !code && i < p->n; i++) {
        const struct mk_journal_head *h = mk_journal_head(p->journal[i]);
        size_t at = (size_t)h->shard.index - 1;
        if (ordered[at])
            code = mk_fail(err, MK_EINPUT, "%s: duplicate of shard %zu/%llu, which %s holds too", p->path[i], at + 1,
                           (unsigned long long)of, p->path[by[at]]);
        else if (mk_journal_next(p->journal[i]) < h->end_unit)
            code = mk_fail(
                err, MK_EINPUT,
                "%s: shard %zu/%llu is incomplete or damaged: %llu of %llu replications; rerun it with --resume",
                p->path[i], at + 1, (unsigned long long)of,
                (unsigned long long)(mk_journal_next(p->journal[i]) - h->first_unit),
                (unsigned long long)(h->end_unit - h->first_unit));
        else {
            ordered[at] = p->journal[i];
            by[at] = i;
        }
    }
    for (uint64_t s = 0; !code && s < of; s++) {
        size_t used = strlen(list);
        if (ordered[s]) continue;
        if (missing++ < MOST_NAMED)
            snprintf(list + used, sizeof list - used, " %llu/%llu", (unsigned long long)s + 1, (unsigned long long)of);
    }
    if (missing)
        code = mk_fail(err, MK_EINPUT, "maxk merge: missing shards:%s%s", list, missing > MOST_NAMED ? " …" : "");
    if (!code) {
        free(p->journal);
        p->journal = ordered;
        ordered = NULL;
    }
    free(ordered);
    free(by);
    return code;
}

/* The run as described by the parts: its engines are found by trying the choices that `run` offers. */
static int rebuild(struct mk_run_context *c, const struct mk_journal_head *h, const char *path, struct mk_identity *id,
                   struct mk_error *err)
{
    static const enum mk_engine choices[] = {MK_ENGINE_AUTO, MK_ENGINE_PER_PULL, MK_ENGINE_RECORD};
    char text[700];
    int same = 0, code = MK_OK;
    for (size_t i = 0; !code && !same && i < sizeof choices / sizeof *choices; i++) {
        struct mk_error why;
        if (mk_run_choose(c, choices[i], &why)) continue;
        mk_identity_clear(id);
        code = mk_identity_of_run(id, c, err);
        if (!code) same = mk_identity_same(&h->identity, id, text, sizeof text);
        if (!code && !same && strcmp(h->identity.engines, id->engines) == 0) break;
    }
    if (!code && !same)
        code =
            mk_fail(err, MK_EINPUT, "%s: made from other data or by another version of the program (%s)", path, text);
    return code;
}

static int merge(struct parts *p, const char *path, bool force, const char *line, struct mk_error *err)
{
    const struct mk_journal_head *h = mk_journal_head(p->journal[0]);
    struct mk_experiment *e = NULL;
    struct mk_truth *truth = NULL;
    struct mk_run_context context = {0};
    struct mk_identity id = {0};
    enum mk_existing way = MK_EXISTING_FREE;
    struct mk_texts sets = {0, NULL};
    char *loaded = NULL;
    int code = mk_plugins_add(&p->plugins, &sets, &loaded, err);
    if (!code)
        code =
            mk_experiment_parse_with(&e, p->path[0], h->identity.experiment, &(struct mk_overrides){sets.text, sets.n},
                                     MK_NEED_PROBLEM | MK_NEED_RUN | MK_STORED, err);
    free((void *)sets.text);
    free(loaded);
    if (!code) code = mk_truth_new(&truth, e->problem, e->horizon, e->n_horizons, e->replications, err);
    if (!code) code = mk_run_context_init(&context, e, truth, err);
    if (!code) code = rebuild(&context, h, p->path[0], &id, err);
    if (!code && (h->cells != e->n_entries * e->n_horizons || h->arms != e->problem->n_arms ||
                  h->row != mk_problem_row(e->problem) || h->plain_units != mk_run_units(e) ||
                  h->all_units != h->plain_units + e->rare_events))
        code = mk_fail(err, MK_EINPUT, "%s: is damaged", p->path[0]);
    if (!code && !force) code = mk_existing_output(path, &id, (struct mk_shard){0, 0}, &way, err);
    if (way == MK_EXISTING_OTHER)
        code = mk_fail(err, MK_EINPUT, "%.800s; choose another --output, or replace it with --force", err->text);
    double start = mk_seconds();
    if (!code) code = check_all(p, err);
    const struct mk_volatile v = {line, omp_get_max_threads(), mk_seconds() - start};
    if (!code) code = mk_finish_result(path, &context, p->journal, (size_t)h->shard.of, 0, &v, err);
    mk_identity_clear(&id);
    mk_run_context_clear(&context);
    mk_truth_free(truth);
    mk_experiment_free(e);
    return code;
}

int mk_cmd_merge(int argc, char **argv, struct mk_error *err)
{
    const char *path = NULL;
    int force = 0;
    struct parts p = {0};
    size_t opened;
    const struct mk_option options[] = {
        {"output", 'o', MK_OPT_TEXT, &path, "OUT.h5", NULL, 0, -1, "result file (required)"},
        {"force", 0, MK_OPT_FLAG, &force, NULL, NULL, 0, -1, "replace OUT.h5, whatever it contains"},
        MK_PLUGIN_OPTION(&p.plugins),
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, -1, NULL},
    };
    const struct mk_usage usage = {
        "merge", "PART…",
        "Combines the parts that `maxk run --shard 1/N` to `--shard N/N` have written into one result file. The result "
        "is the same, bit for bit, as that of a single run.\n\nThe parts may be given in any order. If a part is "
        "missing, duplicated, incomplete or from another run, the command names it and writes nothing. Files of "
        "recorded data must be where the runs found them.",
        1, SIZE_MAX};
    char *line = mk_command_line(argc, argv);
    int code =
        line ? mk_options_parse(&usage, options, argc, argv, &p.path, &p.n, err) : mk_fail_memory(err, "the parts");
    if (!code && !path)
        code = mk_fail(err, MK_EINPUT,
                       "maxk merge: --output: missing; expected the name of the result file (see maxk merge --help)");
    opened = code ? 0 : p.n;
    if (!code) code = open_parts(&p, err);
    if (!code) code = check_same(&p, err);
    if (!code) code = merge(&p, path, force != 0, line, err);
    if (!code) {
        char parts[MK_COUNTED_ROOM];
        printf("%s: merged from %s\n", path, mk_counted(p.n, "part", NULL, parts));
    }
    for (size_t i = 0; p.journal && i < opened; i++) mk_journal_free(p.journal[i]);
    free(p.journal);
    free((void *)p.plugins.text);
    free(line);
    return code;
}
