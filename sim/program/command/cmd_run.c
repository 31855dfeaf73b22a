/* maxk run: simulate an experiment and write its result file. */
#include <ctype.h>
#include <errno.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/tables/table_input.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/program/command/command.h"
#include "sim/program/command/options.h"
#include "sim/program/command/program_signals.h"
#include "sim/program/command/progress_line.h"
#include "sim/run/durable/durable_run.h"
#include "sim/run/store/cells.h"

/* `I/N`, 1 <= I <= N. */
static int parse_shard(const char *text, struct mk_shard *s, struct mk_error *err)
{
    char *end = NULL;
    if (!text) return MK_OK;
    errno = 0;
    s->index = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    s->of = end && *end == '/' && isdigit((unsigned char)end[1]) ? strtoull(end + 1, &end, 10) : 0;
    if (errno || !end || *end || s->index < 1 || s->index > s->of || s->of > MK_MOST_SHARDS)
        return mk_fail(err, MK_EINPUT, "maxk run: --shard: expected I/N with 1 <= I <= N <= %d, got '%.80s'",
                       MK_MOST_SHARDS, text);
    return MK_OK;
}

/* Path of the result; the default path of a shard contains its number. malloc'ed. */
static char *default_path(const char *out, const struct mk_experiment *e, struct mk_shard s, struct mk_error *err)
{
    char *path = NULL;
    int n;
    if (!out && mk_make_folder("results", err)) return NULL;
    if (out) {
        path = mk_follow_links(out); /* the journal and earlier results are next to where it leads */
        n = path ? 0 : -1;
    } else if (!s.of)
        n = asprintf(&path, "results/%s.h5", e->name);
    else
        n = asprintf(&path, "results/%s.%llu-of-%llu.part", e->name, (unsigned long long)s.index,
                     (unsigned long long)s.of);
    if (n >= 0) return path;
    mk_fail_memory(err, "a file name");
    return NULL;
}

static void print_replications(const struct mk_experiment *e)
{
    const struct mk_problem *p = e->problem;
    char text[MK_COUNTED_ROOM];
    uint64_t least = e->replications;
    for (size_t i = 0; i < p->n_instances; i++) least = mk_problem_replications(p, i, least);
    if (least < e->replications) printf("%llu to ", (unsigned long long)least);
    printf("%s%s, ", mk_counted(e->replications, "replication", NULL, text), least < e->replications ? " of each" : "");
}

static void report(const struct mk_experiment *e, const struct mk_durable_options *c, const struct mk_run_report *o)
{
    if (o->already_complete) {
        printf("%s: complete, nothing to do\n", c->path);
        return;
    }
    const uint64_t all = mk_run_units(e) + e->rare_events;
    char text[2][MK_COUNTED_ROOM];
    printf("%s: %s, %s, ", c->path, mk_counted(e->n_entries, "policy", "policies", text[0]),
           mk_counted(e->problem->n_instances, "instance", NULL, text[1]));
    if (c->shard.of)
        printf("shard %llu of %llu: %llu of %llu replications, ", (unsigned long long)c->shard.index,
               (unsigned long long)c->shard.of, (unsigned long long)o->units, (unsigned long long)all);
    else
        print_replications(e);
    if (e->rare_events && !c->shard.of)
        printf("%s, ", mk_counted(e->rare_events, "rare-event replication", NULL, text[0]));
    if (o->resumed) printf("%llu of them resumed, ", (unsigned long long)o->resumed);
    printf("%.3g pulls in %.2f s (%.1f M/s, ", o->pulls, o->seconds, 1e-6 * o->pulls / o->seconds);
    if (c->ranks->count > 1) printf("%d ranks, ", c->ranks->count);
    printf("%s)\n", mk_counted((uint64_t)c->threads * (uint64_t)c->ranks->count, "thread", NULL, text[0]));
}

/* Prints which share of the pulls of the result lie past the recorded ends at its largest horizon; nothing where none
 * do. */
static int tell_repeated(FILE *to, const char *result, struct mk_error *err)
{
    struct mk_result *r = NULL;
    char text[MK_REPEATED_ROOM];
    double share = 0;
    int code = mk_result_open(&r, result, err);
    const struct mk_result_info *i = code ? NULL : mk_result_info(r);
    if (!code) code = mk_result_repeated_share(r, NULL, i->n_horizons - 1, &share, err);
    if (!code && share > 0) fprintf(to, "%s\n", mk_repeated_text(i->horizon[i->n_horizons - 1], share, text));
    mk_result_free(r);
    return code;
}

static void tell_slow(const char *text)
{
    mk_progress_line_clear();
    fprintf(stderr, "%s\n", text);
}

static int run_file(const char *file, const struct mk_texts *sets, int quiet, struct mk_durable_options *c,
                    struct mk_error *err)
{
    struct mk_progress_line line;
    struct mk_experiment *e = NULL;
    struct mk_run_report done;
    char *path = NULL;
    int code = mk_experiment_read(&e, file, sets->text, sets->n, MK_NEED_PROBLEM | MK_NEED_RUN | MK_LOAD_PLUGINS, err);
    if (!code) {
        path = default_path(c->path, e, c->shard, err);
        if (!path) code = err->code;
    }
    code = mk_mpi_agree(c->ranks, code, err);
    if (code) goto out;
    c->path = path;
    c->ready = mk_stop_on_signals; /* until then nothing is lost by ending at once */
    const bool searches = mk_problem_searches(e->problem);
    line = (struct mk_progress_line){e->name, searches ? 1 : mk_run_pulls(e), searches ? "evaluations" : "pulls"};
    c->slow = quiet ? NULL : tell_slow;
    c->progress = quiet || c->ranks->rank ? NULL : mk_progress_line();
    c->progress_context = &line;
    code = mk_durable_run(e, c, &done, err);
    if (c->progress) mk_progress_line_clear();
    if (!code && done.replaced[0]) fprintf(stderr, "%s; moved to %s.previous\n", done.replaced, c->path);
    if (!code && !c->ranks->rank) mk_input_print_gaps(quiet ? stderr : stdout, e->problem);
    if (!code && !quiet) report(e, c, &done);
    if (!code && !c->ranks->rank && !c->shard.of && mk_problem_repeats(e->problem))
        code = tell_repeated(quiet ? stderr : stdout, c->path, err);
out:
    free(path);
    mk_experiment_free(e);
    return code;
}

static const char usage_text[] =
    "Simulates the policies of an experiment file on its arms and writes one result file (HDF5), which other "
    "commands read. Published experiments (maxk list experiments) are found by name: `maxk run e4_power`.\n\nThe "
    "result is the same for any number of threads, ranks and shards. The file is written completely or not at all. "
    "If a result of a different experiment has its name, that result is kept as OUT.h5.previous.\n\nA run can be "
    "interrupted, by Ctrl-C, a crash or a full disk. Its finished blocks are in OUT.h5.journal; the same command "
    "with --resume continues after the last one.\n\nA run can be divided among machines. --shard I/N simulates part "
    "I of N of the replications into a part file (default: results/<name>.I-of-N.part), and maxk merge combines all "
    "parts into the result. A program built by `make MPI=1` runs under mpirun: `mpirun -n 4 maxk run …`.\n\nThere "
    "are two engines, whose results have the same distribution. The per-pull engine draws every reward. The record "
    "engine draws only the rewards that raise the maximum of an arm and jumps from one to the next; it serves "
    "policies that use nothing else. The default, auto, takes the record engine where the largest horizon is at "
    "least 100000 and the policy and the problem allow it.";

int mk_cmd_run(int argc, char **argv, struct mk_error *err)
{
    struct mk_texts sets = {0, NULL}, plugins = {0, NULL};
    char *loaded = NULL;
    struct mk_mpi ranks;
    struct mk_durable_options c = {.ranks = &ranks};
    const char *shard = NULL;
    uint64_t threads = 0;
    int engine = 0, quiet = 0;
    const struct mk_option options[] = {
        {"output", 'o', MK_OPT_TEXT, &c.path, "OUT.h5", NULL, 0, -1, "result file (default: results/<name>.h5)"},
        {"set", 's', MK_OPT_TEXTS, &sets, "KEY=VALUE", NULL, 0, -1,
         "override a key (dotted path, YAML value); may be repeated"},
        MK_PLUGIN_OPTION(&plugins),
        {"threads", 'j', MK_OPT_COUNT, &threads, "N", NULL, 1, 4096,
         "number of threads (default: all cores; with mpirun the share of each rank)"},
        {"engine", 0, MK_OPT_CHOICE, &engine, "NAME", MK_ENGINE_CHOICES, 0, -1, "simulation engine (default: auto)"},
        {"resume", 0, MK_OPT_FLAG, &c.resume, NULL, NULL, 0, -1, "resume an interrupted run, or start one"},
        {"shard", 0, MK_OPT_TEXT, &shard, "I/N", NULL, 0, -1, "simulate only part I of N, I = 1 … N"},
        {"force", 0, MK_OPT_FLAG, &c.force, NULL, NULL, 0, -1,
         "replace the output file and its journal, regardless of what they contain"},
        {"quiet", 'q', MK_OPT_FLAG, &quiet, NULL, NULL, 0, -1, "print nothing but errors"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, -1, NULL},
    };
    const struct mk_usage usage = {"run", "EXPERIMENT.yaml", usage_text, 1, 1};
    char **operand = NULL, *line = mk_command_line(argc, argv);
    size_t n;
    int code = mk_mpi_start(&ranks, err);
    if (!code)
        code = line ? mk_options_parse(&usage, options, argc, argv, &operand, &n, err) : mk_fail_memory(err, "the run");
    if (!code) code = parse_shard(shard, &c.shard, err);
    if (!code && c.resume && c.force)
        code = mk_fail(err, MK_EINPUT, "maxk run: --resume: cannot be combined with --force");
    if (!code) code = mk_plugins_add(&plugins, &sets, &loaded, err);
    int shown = code == MK_HELP_SHOWN;
    code = mk_mpi_agree(&ranks, shown ? MK_OK : code, err);
    if (code || shown || !operand) goto done;
    c.engine = (enum mk_engine)engine;
    c.command_line = line;
    c.threads = threads ? (int)threads : omp_get_max_threads() / ranks.here;
    if (c.threads < 1) c.threads = 1;
    code = run_file(operand[0], &sets, quiet, &c, err);
done:
    code = mk_mpi_end(&ranks, code, err, mk_command_fail);
    free(sets.text);
    free(plugins.text);
    free(loaded);
    free(line);
    return shown ? MK_HELP_SHOWN : code;
}
