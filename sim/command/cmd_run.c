/* maxk run: simulate an experiment and write its result file. */
#include <ctype.h>
#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "sim/command/command.h"
#include "sim/command/options.h"
#include "sim/durable/durable_run.h"

/* timeout(1), mpirun and shells may send a signal more than once for one wish; asked again a second or more after the
 * first time, the program ends at once. */
static void on_signal(int number)
{
    static _Atomic int64_t first_ns;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    int64_t before_ns = 0;
    if (atomic_compare_exchange_strong(&first_ns, &before_ns, now_ns) || now_ns - before_ns < 1000000000) {
        mk_run_stop();
        return;
    }
    signal(number, SIG_DFL);
    raise(number); /* delivered when this handler returns */
}

/* `I/N`, 1 <= I <= N. */
static int parse_shard(const char *text, struct mk_shard *s, struct mk_error *err)
{
    char *end = NULL;
    if (!text) return MK_OK;
    errno = 0;
    s->index = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    s->of = end && *end == '/' && isdigit((unsigned char)end[1]) ? strtoull(end + 1, &end, 10) : 0;
    if (errno || !end || *end || s->index < 1 || s->index > s->of || s->of > MK_MOST_SHARDS)
        return mk_fail(err, MK_EINPUT, "--shard %.80s: wanted is I/N, shard I = 1 … N of N (at most %d)", text,
                       MK_MOST_SHARDS);
    return MK_OK;
}

/* Where the result goes; in the default place a shard has its number in the name. malloc'ed. */
static char *default_path(const char *out, const struct mk_experiment *e, struct mk_shard s, struct mk_error *err)
{
    char *path = NULL;
    int n;
    if (!out && mkdir("results", 0777) && errno != EEXIST) {
        mk_fail(err, MK_EINPUT, "results: cannot be made: %s", strerror(errno));
        return NULL;
    }
    if (out)
        n = asprintf(&path, "%s", out);
    else if (!s.of)
        n = asprintf(&path, "results/%s.h5", e->name);
    else
        n = asprintf(&path, "results/%s.%llu-of-%llu.part", e->name, (unsigned long long)s.index,
                     (unsigned long long)s.of);
    if (n >= 0) return path;
    mk_fail_memory(err, "a file name");
    return NULL;
}

static void report(const struct mk_experiment *e, const struct mk_durable_options *c, const struct mk_run_report *o)
{
    if (o->already_complete) {
        printf("%s: complete, nothing to do\n", c->path);
        return;
    }
    const uint64_t all = mk_run_units(e) + e->rare_events;
    printf("%s: %zu policies, %zu instances, ", c->path, e->n_entries, e->problem->n_instances);
    if (c->shard.of)
        printf("shard %llu of %llu: %llu of %llu replications, ", (unsigned long long)c->shard.index,
               (unsigned long long)c->shard.of, (unsigned long long)o->units, (unsigned long long)all);
    else
        printf("%llu replications, ", (unsigned long long)e->replications);
    if (e->rare_events && !c->shard.of) printf("%llu rare-event replications, ", (unsigned long long)e->rare_events);
    if (o->resumed) printf("%llu of them resumed, ", (unsigned long long)o->resumed);
    printf("%.3g pulls in %.2f s (%.1f M/s, ", o->pulls, o->seconds, 1e-6 * o->pulls / o->seconds);
    if (c->ranks->count > 1) printf("%d ranks, ", c->ranks->count);
    printf("%d threads)\n", c->threads * c->ranks->count);
}

static int run_file(const char *file, const struct mk_texts *sets, struct mk_durable_options *c, struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    struct mk_run_report outcome;
    struct sigaction action = {.sa_handler = on_signal};
    char *path = NULL;
    int code = mk_experiment_read(&e, file, sets->text, sets->n, MK_NEED_PROBLEM | MK_NEED_RUN, err);
    if (!code) {
        path = default_path(c->path, e, c->shard, err);
        if (!path) code = err->code;
    }
    code = mk_mpi_agree(c->ranks, code, err);
    if (code) goto out;
    c->path = path;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    code = mk_durable_run(e, c, &outcome, err);
    if (!code && !c->quiet) report(e, c, &outcome);
out:
    free(path);
    mk_experiment_free(e);
    return code;
}

static const char usage_text[] =
    "Simulates the policies of an experiment file on its problem and writes one result file (HDF5).\n"
    "The file appears complete or not at all; equal experiments give equal results for any number of threads,\n"
    "ranks or shards. An earlier file is replaced only where it holds the same run.\n\n"
    "Finished blocks are kept in OUT.h5.journal until the result is written: after a crash, a full disk or Ctrl-C the\n"
    "same command with --resume goes on behind the last of them.\n\n"
    "--shard I/N simulates one of N parts of the replications into a part file (default: results/<name>.I-of-N.part);\n"
    "maxk merge makes the result of all N. `make MPI=1` builds for mpirun: `mpirun -n 4 maxk run ...`.\n\n"
    "Engines: per-pull draws every reward; record draws only the rewards that raise an arm's maximum and jumps from "
    "one\n"
    "to the next, for policies that use nothing else, with the same law. auto (the default) takes record where the\n"
    "largest horizon is at least 100000 and the policy and problem allow it.";

int mk_cmd_run(int argc, char **argv, struct mk_error *err)
{
    struct mk_texts sets = {0, NULL};
    struct mk_mpi ranks;
    struct mk_durable_options c = {.ranks = &ranks};
    const char *shard = NULL;
    uint64_t threads = 0;
    int engine = 0;
    const struct mk_option options[] = {
        {"output", 'o', MK_OPT_TEXT, &c.path, "OUT.h5", NULL, 0, -1, "result file (default: results/<name>.h5)"},
        {"set", 's', MK_OPT_TEXTS, &sets, "KEY=VALUE", NULL, 0, -1,
         "override a key (dotted path, YAML value); may be repeated"},
        {"threads", 'j', MK_OPT_COUNT, &threads, "N", NULL, 1, 4096,
         "threads (default: all cores; of every rank, its share)"},
        {"engine", 0, MK_OPT_CHOICE, &engine, "NAME", MK_ENGINE_CHOICES, 0, -1, "which engine simulates"},
        {"resume", 0, MK_OPT_FLAG, &c.resume, NULL, NULL, 0, -1,
         "go on with an interrupted run; begin where there is none"},
        {"shard", 0, MK_OPT_TEXT, &shard, "I/N", NULL, 0, -1, "only part I of N, I = 1 ... N"},
        {"force", 0, MK_OPT_FLAG, &c.force, NULL, NULL, 0, -1, "replace whatever the output file and its journal hold"},
        {"quiet", 'q', MK_OPT_FLAG, &c.quiet, NULL, NULL, 0, -1, "print nothing but errors"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, -1, NULL},
    };
    const struct mk_usage usage = {"run", "EXPERIMENT.yaml", usage_text, 1, 1};
    char **operand = NULL, *line = mk_command_line(argc, argv);
    size_t n;
    int code = mk_mpi_start(&ranks, err);
    if (!code)
        code = line ? mk_options_parse(&usage, options, argc, argv, &operand, &n, err) : mk_fail_memory(err, "the run");
    if (!code) code = parse_shard(shard, &c.shard, err);
    if (!code && c.resume && c.force) code = mk_fail(err, MK_EINPUT, "--resume and --force exclude each other");
    int shown = code == MK_HELP_SHOWN;
    code = mk_mpi_agree(&ranks, shown ? MK_OK : code, err);
    if (code || shown || !operand) goto done;
    c.engine = (enum mk_engine)engine;
    c.command_line = line;
    c.threads = threads ? (int)threads : omp_get_max_threads() / ranks.here;
    if (c.threads < 1) c.threads = 1;
    code = run_file(operand[0], &sets, &c, err);
done:
    code = mk_mpi_end(&ranks, code, err);
    free(sets.text);
    free(line);
    return shown ? MK_HELP_SHOWN : code;
}
