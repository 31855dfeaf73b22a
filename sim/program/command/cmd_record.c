/* maxk record: the searches of an experiment, or of a tune file, as a CSV file of recorded rewards. */
#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/program/command/command.h"
#include "sim/program/command/options.h"
#include "sim/program/command/program_signals.h"
#include "sim/program/command/progress_line.h"
#include "sim/run/engine/run_searches.h"
#include "sim/study/programs/tune_record.h"

/* One of the two is open. */
struct output {
    struct mk_atomic_file place;
    FILE *plain;
    gzFile packed;
};

/* Of a plain file mk_atomic_file_close adds the path. */
static int failed(const struct output *o, struct mk_error *err)
{
    return mk_fail(err, MK_EIO, "%s%swrite failed: %s", o->packed ? o->place.path : "", o->packed ? ": " : "",
                   errno ? strerror(errno) : "no space");
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

/* What was requested. */
struct request {
    const char *file, *path;
    struct mk_texts sets;
    uint64_t threads, digits;
    /* Of a tune file: */
    uint64_t repetitions;
    const char *instances; /* "a,b"; NULL: that of the file */
    int resume, repair, force;
};

/* ---- an experiment ---- */

static int record_searches(const struct request *q, struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    struct output to = {0};
    struct mk_progress progress = {.report = mk_progress_line()};
    char text[3][MK_COUNTED_ROOM];
    const char *option = q->repair      ? "--repair"
                         : q->resume    ? "--resume"
                         : q->force     ? "--force"
                         : q->instances ? "--instances"
                                        : "--repetitions";
    if (q->resume || q->repair || q->force || q->instances || q->repetitions)
        return mk_fail(err, MK_EINPUT, "maxk record: %s: expected a file of maxk tune; %s is an experiment", option,
                       q->file);
    int code = mk_experiment_read(&e, q->file, q->sets.text, q->sets.n, MK_NEED_PROBLEM, err);
    if (code) return code;
    const struct mk_problem *p = e->problem;
    struct mk_progress_line line = {e->name, 1, "evaluations"};
    progress.context = &line;
    code = begin(&to, q->path, err);
    if (!code)
        code = mk_record_searches(e, q->threads ? (int)q->threads : omp_get_max_threads(), (int)q->digits, &progress,
                                  write_rows, &to, err);
    if (progress.report) mk_progress_line_clear();
    code = end(&to, code, err);
    if (!code)
        printf("%s: %s, %s, %s\n", q->path, mk_counted(p->n_arms + p->n_baselines, "search", "searches", text[0]),
               mk_counted(p->n_instances, "instance", NULL, text[1]),
               mk_counted(e->replications, "replication", NULL, text[2]));
    mk_experiment_free(e);
    return code;
}

/* ---- a tune file ---- */

/* The words of "a,b,c": *n of them, into `list`, which is owned with its one text; NULL: no memory. */
static char **split(const char *words, size_t *n)
{
    char *copy = strdup(words), **list = calloc(strlen(words) + 2, sizeof *list), *save = NULL;
    *n = 0;
    if (copy && list) {
        list[0] = copy; /* where there is no word */
        for (char *at = strtok_r(copy, ",", &save); at; at = strtok_r(NULL, ",", &save)) list[++*n] = at;
        return list;
    }
    free(copy);
    free(list);
    return NULL;
}

/* OUT.runs of OUT.csv or OUT.csv.gz; malloc'ed. */
static char *runs_folder(const char *path)
{
    static const char *const endings[] = {".gz", ".csv"};
    size_t n = strlen(path);
    char *folder = NULL;
    for (size_t i = 0; i < 2; i++) {
        const size_t length = strlen(endings[i]);
        if (n > length && strncmp(path + n - length, endings[i], length) == 0) n -= length;
    }
    return asprintf(&folder, "%.*s.runs", (int)n, path) < 0 ? NULL : folder;
}

/* The file is begun with the first row: the programs may take hours. */
struct late_output {
    struct output to;
    const char *path;
};

static int write_late(void *late, const char *text, size_t length, struct mk_error *err)
{
    struct late_output *o = late;
    int code = o->to.place.path ? MK_OK : begin(&o->to, o->path, err);
    return code ? code : write_rows(&o->to, text, length, err);
}

static int record_programs(const struct request *q, struct mk_error *err)
{
    char *folder = runs_folder(q->path), stem[200], text[4][MK_COUNTED_ROOM];
    struct mk_progress_line line = {mk_file_stem(q->file, stem, sizeof stem), 1, "evaluations"};
    struct mk_progress progress = {.report = mk_progress_line(), .context = &line};
    struct mk_tune_recorded done;
    struct late_output late = {.path = q->path};
    size_t n = 0;
    char **instance = split(q->instances ? q->instances : "", &n);
    const struct mk_tune_recording r = {.file = q->file,
                                        .sets = q->sets.text,
                                        .n_sets = q->sets.n,
                                        .instance = instance ? instance + 1 : NULL,
                                        .n_instances = n,
                                        .repetitions = q->repetitions ? q->repetitions : 1,
                                        .digits = (int)q->digits,
                                        .folder = folder,
                                        .resume = q->resume || q->repair,
                                        .repair = q->repair,
                                        .force = q->force,
                                        .progress = &progress};
    mk_stop_programs_on_signals();
    int code = folder && instance ? mk_atomic_file_check(q->path, err) : mk_fail_memory(err, "a recording");
    if (!code) code = mk_tune_record(&r, write_late, &late, &done, err);
    if (progress.report) mk_progress_line_clear();
    if (late.to.place.path) code = end(&late.to, code, err);
    if (!code) {
        printf("%s: %s, %s, %s", q->path, mk_counted(done.searches, "search", "searches", text[0]),
               mk_counted(n ? n : 1, "instance", NULL, text[1]),
               mk_counted(r.repetitions, "repetition", NULL, text[2]));
        if (done.failed) printf(", %s", mk_counted(done.failed, "failed evaluation", NULL, text[3]));
        putchar('\n');
    }
    if (instance) free(instance[0]);
    free(instance);
    free(folder);
    return code;
}

int mk_cmd_record(int argc, char **argv, struct mk_error *err)
{
    struct request q = {.digits = 17};
    char **operand;
    size_t n;
    const struct mk_option options[] = {
        {"output", 'o', MK_OPT_TEXT, &q.path, "RUNS.csv.gz", NULL, 0, -1,
         "file to write, packed if it ends in .gz (required)"},
        {"set", 's', MK_OPT_TEXTS, &q.sets, "KEY=VALUE", NULL, 0, -1,
         "override a key (dotted path, YAML value); may be repeated"},
        {"threads", 'j', MK_OPT_COUNT, &q.threads, "N", NULL, 1, 4096, "number of threads (default: all cores)"},
        {"digits", 0, MK_OPT_COUNT, &q.digits, "N", NULL, 1, 17,
         "significant digits of losses and of real hyperparameters (default: all)"},
        {"repetitions", 0, MK_OPT_COUNT, &q.repetitions, "N", NULL, 1, 1e6,
         "for a tune file: number of repetitions; repetition r adds r to the seed, from r = 0 (default: 1)"},
        {"instances", 0, MK_OPT_TEXT, &q.instances, "A,B,…", NULL, 0, -1,
         "for a tune file: instances to record; each replaces {instance} in the command (default: its key `instance`)"},
        {"resume", 0, MK_OPT_FLAG, &q.resume, NULL, NULL, 0, -1,
         "for a tune file: continue an interrupted recording, or start one"},
        {"repair", 0, MK_OPT_FLAG, &q.repair, NULL, NULL, 0, -1,
         "for a tune file: like --resume, even if the journal is damaged: the results before the first damaged line "
         "count, and the damaged journal is kept as journal.damaged"},
        {"force", 0, MK_OPT_FLAG, &q.force, NULL, NULL, 0, -1,
         "for a tune file: start from the beginning and replace what an earlier recording has left"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, -1, NULL},
    };
    const struct mk_usage usage = {
        "record", "FILE.yaml",
        "Runs the searches of an experiment (problem: {searches: …}) or the programs of a tune file, and writes one "
        "row for every evaluation into a CSV file of recorded runs. Policies can then be compared on the recorded runs "
        "without evaluating anything again.\n\n  instance, arm_index, classifier, optimizer, repetition, iteration  "
        "the columns of published recordings; combined searches have the arm_index -1, -2, …\n  loss  the loss of the "
        "evaluation, which is minus its reward\n  fidelity  where searches evaluate in part: how much of a whole "
        "evaluation this one is\n  loss_seen  where searches evaluate in part: the loss that a policy sees, which "
        "after an evaluation in part is that of the best whole evaluation so far\n  loss_noise_free  the loss without "
        "noise, where an objective has noise\n  cost  the cost of the evaluation, where costs differ\n  metrics.NAME  "
        "further metrics of a tune file; those called test_reward or test_loss are test scores of recorded runs\n  "
        "arm  label of the arm that was evaluated\n  configuration  the hyperparameters and their values\n  status  of a tune file: "
        "the status of the evaluation\n\nEach arm of an experiment, and each combined search, is searched by itself up "
        "to the largest horizon. The file is the same for any number of threads. An experiment with `problem: "
        "{trajectories: RUNS.csv.gz, arm_order: file}`, the same policies and the same seed has the same pulls as the "
        "experiment with the searches. Where searches evaluate in part, add `columns: {loss: loss_seen}`; without it "
        "only whole evaluations are read.\n\nEach arm of a tune file (maxk tune), and its combined search if it has "
        "one, is given budget.evaluations evaluations in every repetition on every instance. The keys policy and "
        "budget.seconds have no effect. A search makes one evaluation after another, and workers evaluate for "
        "different arms at the same time. Results are kept in RUNS.runs while the recording runs. After Ctrl-C, a "
        "crash or a power cut, the same command with --resume continues; with a larger --repetitions it adds "
        "repetitions. When RUNS.csv.gz is complete and needs no more repetitions, RUNS.runs can be removed.",
        1, 1};
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (!code && !q.path)
        code = mk_fail(err, MK_EINPUT, "maxk record: --output: missing; expected the name of a CSV file");
    if (!code && (q.resume || q.repair) && q.force)
        code = mk_fail(err, MK_EINPUT, "maxk record: --%s: cannot be combined with --force",
                       q.repair ? "repair" : "resume");
    if (!code) {
        q.file = operand[0];
        code = mk_is_tune_file(q.file) ? record_programs(&q, err) : record_searches(&q, err);
    }
    free(q.sets.text);
    return code;
}
