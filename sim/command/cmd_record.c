/* maxk record: the searches of an experiment as a CSV file of recorded rewards. */
#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "sim/base/atomic_file.h"
#include "sim/base/text.h"
#include "sim/command/command.h"
#include "sim/command/options.h"
#include "sim/command/progress_line.h"
#include "sim/run/run.h"
#include "sim/run/run_searches.h"

/* One of the two is open. */
struct output {
    struct mk_atomic_file place;
    FILE *plain;
    gzFile packed;
};

static int failed(const struct output *o, struct mk_error *err)
{
    return mk_fail(err, MK_EIO, "%s: write failed: %s", o->place.path, errno ? strerror(errno) : "no space");
}

static int begin(struct output *o, const char *path, struct mk_error *err)
{
    const size_t n = strlen(path);
    *o = (struct output){0};
    if (n < 3 || strcmp(path + n - 3, ".gz") != 0) return mk_atomic_file_open(&o->place, &o->plain, path, err);
    int code = mk_atomic_file_begin(&o->place, path, err);
    if (code) return code;
    o->packed = gzopen(o->place.temp, "wb6");
    if (o->packed) return MK_OK;
    mk_atomic_file_drop(&o->place);
    return mk_fail_memory(err, "the file");
}

static int write_rows(void *to, const char *text, size_t length, struct mk_error *err)
{
    struct output *o = to;
    errno = 0;
    const size_t done = o->packed ? gzfwrite(text, 1, length, o->packed) : fwrite(text, 1, length, o->plain);
    return done == length ? MK_OK : failed(o, err);
}

static int end(struct output *o, int code, struct mk_error *err)
{
    if (o->plain) return mk_atomic_file_close(&o->place, o->plain, code, err);
    errno = 0;
    if (o->packed && gzclose(o->packed) != Z_OK && !code) code = failed(o, err);
    if (!code) code = mk_atomic_file_commit(&o->place, err);
    mk_atomic_file_drop(&o->place);
    return code;
}

static int record(const char *file, const char *path, const struct mk_texts *sets, int threads, struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    struct output to = {0};
    struct mk_progress progress = {.report = mk_progress_line()};
    char text[3][MK_COUNTED_ROOM];
    int code = mk_experiment_read(&e, file, sets->text, sets->n, MK_NEED_PROBLEM, err);
    if (code) return code;
    const struct mk_problem *p = e->problem;
    struct mk_progress_line line = {e->name, 1, "evaluations"};
    progress.context = &line;
    code = begin(&to, path, err);
    if (!code) code = mk_record_searches(e, threads, &progress, write_rows, &to, err);
    if (progress.report) mk_progress_line_clear();
    code = end(&to, code, err);
    if (!code)
        printf("%s: %s, %s, %s\n", path, mk_counted(p->n_arms + p->n_baselines, "search", "searches", text[0]),
               mk_counted(p->n_instances, "instance", NULL, text[1]),
               mk_counted(e->replications, "replication", NULL, text[2]));
    mk_experiment_free(e);
    return code;
}

int mk_cmd_record(int argc, char **argv, struct mk_error *err)
{
    struct mk_texts sets = {0, NULL};
    const char *path = NULL;
    uint64_t threads = 0;
    char **operand;
    size_t n;
    const struct mk_option options[] = {
        {"output", 'o', MK_OPT_TEXT, &path, "RUNS.csv.gz", NULL, 0, -1,
         "file to write, packed if it ends in .gz (required)"},
        {"set", 's', MK_OPT_TEXTS, &sets, "KEY=VALUE", NULL, 0, -1,
         "override a key (dotted path, YAML value); may be repeated"},
        {"threads", 'j', MK_OPT_COUNT, &threads, "N", NULL, 1, 4096, "number of threads (default: all cores)"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, -1, NULL},
    };
    const struct mk_usage usage = {
        "record", "EXPERIMENT.yaml",
        "Runs the searches of an experiment (problem: {searches: …}), every arm and every combined search for itself, "
        "to "
        "the largest horizon, and writes one row for every evaluation: the columns of the published recordings "
        "(instance, arm_index, classifier, optimizer, repetition, iteration, loss = -reward; combined searches have "
        "arm_index -1, -2, …), the label of the arm that was evaluated, and the configuration.\n\nThe file is the same "
        "for any number of threads. Read as `problem: {trajectories: RUNS.csv.gz, arm_order: file}`, with the same "
        "policies and seed, it gives the same pulls as the searches.",
        1, 1};
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (!code && !path)
        code = mk_fail(err, MK_EINPUT, "maxk record: --output: missing; expected the name of a CSV file");
    if (!code) code = record(operand[0], path, &sets, threads ? (int)threads : omp_get_max_threads(), err);
    free(sets.text);
    return code;
}
