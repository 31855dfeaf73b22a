#include "sim/study/programs/tune_record.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/atomic_file.h"
#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/base/yaml_tree.h"
#include "sim/study/instances.h"
#include "sim/study/programs/tune_run.h"
#include "sim/study/tune_file.h"
#include "sim/study/tune_journal.h"
#include "sim/study/tune_result.h"

enum { SET_ROOM = 64, NAME_ROOM = 200 };

/* All units and the file that they come from. */
struct recording {
    const struct mk_tune_recording *r;
    const struct mk_tune *base; /* the file as it is */
    char *const *instance;
    size_t n_instances;
    mk_rows_sink *sink;
    void *to;
    struct mk_tune_recorded *done;
};

/* One repetition on one instance; of the arms or of the combined search. */
struct unit {
    const char *instance;
    uint64_t repetition;
    bool combined;
};

/* ---- the tuning run of a unit ---- */

/* "instance=…" with the name quoted; malloc'ed, NULL: no memory. */
static char *set_instance(const char *name)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    fputs("instance=", to);
    mk_put_json_text(to, name);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

/* The tune file with overrides: those of the caller, then `own`. */
static int read_file(struct mk_tune **t, const struct mk_tune_recording *r, const char *const *own, size_t n,
                     struct mk_error *err)
{
    const char **sets = calloc(r->n_sets + n, sizeof *sets);
    if (!sets) return mk_fail_memory(err, "a recording");
    for (size_t i = 0; i < r->n_sets; i++) sets[i] = r->sets[i];
    for (size_t i = 0; i < n; i++) sets[r->n_sets + i] = own[i];
    int code = mk_tune_read(t, r->file, sets, r->n_sets + n, err);
    free(sets);
    return code;
}

static int read_unit(const struct recording *all, const struct unit *u, struct mk_tune **t, struct mk_error *err)
{
    const struct mk_tune *base = all->base;
    const uint64_t arms = base->n_arms < MK_TUNE_MOST_WORKERS ? base->n_arms : MK_TUNE_MOST_WORKERS;
    const uint64_t lag = u->combined ? 1 : arms;
    char seed[SET_ROOM], repetition[SET_ROOM], lags[SET_ROOM], workers[SET_ROOM];
    char *instance = set_instance(u->instance);
    snprintf(seed, sizeof seed, "seed=%" PRIu64, base->seed + u->repetition);
    snprintf(repetition, sizeof repetition, "repetition=%" PRIu64, base->repetition + u->repetition);
    snprintf(lags, sizeof lags, "lag=%" PRIu64, lag);
    snprintf(workers, sizeof workers, "workers=%" PRIu64, base->workers < lag ? base->workers : lag);
    const char *const own[] = {instance,
                               seed,
                               repetition,
                               lags,
                               workers,
                               "order=issue",
                               u->combined ? "policy=" : "policy=uniform",
                               u->combined ? "policy=" : "combined="};
    int code = instance ? read_file(t, all->r, own, sizeof own / sizeof *own, err) : mk_fail_memory(err, "a recording");
    free(instance);
    if (code) return code;
    (*t)->seconds = INFINITY;
    (*t)->reevaluate = 0; /* what is recorded are the trials */
    mk_instances_clear(&(*t)->test);
    if (!u->combined) (*t)->evaluations *= (*t)->n_arms;
    return MK_OK;
}

static void count_trial(void *context, const struct mk_tune_view *v, size_t number)
{
    (void)v;
    if (number != SIZE_MAX) mk_progress_step(context, 1);
}

/* FOLDER/INSTANCE-REPETITION and an ending; malloc'ed. */
static char *unit_path(const struct recording *all, const struct unit *u, const char *ending)
{
    char name[NAME_ROOM], *path = NULL;
    mk_file_name_part(u->instance, name, sizeof name);
    return asprintf(&path, "%s/%s-%" PRIu64 "%s%s", all->r->folder, name, all->base->repetition + u->repetition,
                    u->combined ? "-combined" : "", ending) < 0
               ? NULL
               : path;
}

/* Whether the rows of a unit are there, of this tune file. MK_EINPUT: of another one. */
static int is_recorded(const struct mk_tune *t, const char *folder, const char *rows, bool repair, bool *there,
                       struct mk_error *err)
{
    struct mk_tune_journal *j = NULL;
    char *path = NULL;
    bool other_budget = false;
    *there = false;
    if (access(rows, F_OK)) return MK_OK;
    if (asprintf(&path, "%s/journal", folder) < 0) return mk_fail_memory(err, "a file name");
    int code = mk_tune_journal_open(&j, path, MK_JOURNAL_READ, err);
    free(path);
    if (code == MK_EINPUT && repair) return MK_OK; /* a journal that is damaged is not complete */
    if (!code && j->n) code = mk_tune_file_compare(j->file.path, j->resolved, t->resolved, &other_budget, err);
    *there = !code && !other_budget && j->complete;
    mk_tune_journal_free(j);
    return code;
}

static int write_rows(const struct recording *all, const struct mk_tune_state *s, const char *path,
                      struct mk_error *err)
{
    const struct mk_trial_rows rows = {false, s->t->policy ? MK_ROWS_BY_ARM : MK_ROWS_IN_ORDER, all->r->digits};
    struct mk_atomic_file place;
    FILE *to = NULL;
    int code = mk_atomic_file_open(&place, &to, path, err);
    return code ? code : mk_atomic_file_close(&place, to, mk_tune_put_trials(s, &rows, to, err), err);
}

static int run_unit(const struct recording *all, const struct mk_tune *t, const char *folder, const char *rows,
                    struct mk_error *err)
{
    const struct mk_tune_recording *r = all->r;
    const struct mk_tune_options how = {
        {folder, r->resume, r->force, r->repair, NULL, NULL, NULL}, true, count_trial, r->progress};
    struct mk_tuning done;
    bool out_of_time;
    int code = mk_tune_run(&done, t, &how, &out_of_time, err);
    if (code) return code;
    r->progress->done += done.resumed;
    code = mk_tune_run_end(&done, write_rows(all, done.state, rows, err), err);
    mk_tune_state_free(done.state);
    return code;
}

static int record_unit(const struct recording *all, const struct unit *u, struct mk_error *err)
{
    char *folder = unit_path(all, u, ""), *rows = unit_path(all, u, ".csv");
    struct mk_tune *t = NULL;
    bool there = false;
    int code = folder && rows ? read_unit(all, u, &t, err) : mk_fail_memory(err, "a file name");
    if (!code) code = is_recorded(t, folder, rows, all->r->repair, &there, err);
    if (!code && there && !all->r->resume)
        code =
            mk_fail(err, MK_EINPUT,
                    "%s: contains results of an earlier recording; continue with --resume, or start over with --force",
                    all->r->folder);
    if (!code && there)
        all->r->progress->done += t->evaluations;
    else if (!code)
        code = run_unit(all, t, folder, rows, err);
    mk_tune_free(t);
    free(folder);
    free(rows);
    return code;
}

/* ---- all units ---- */

/* So that none are taken for those of a recording that starts over. */
static int drop_rows(const struct recording *all, const struct unit *u, struct mk_error *err)
{
    char *rows = unit_path(all, u, ".csv");
    if (!rows) return mk_fail_memory(err, "a file name");
    unlink(rows);
    free(rows);
    return MK_OK;
}

/* Counts the failed evaluations among the rows of a unit. */
static int count_failures(const struct recording *all, const char *path, struct mk_error *err)
{
    struct mk_csv *csv = NULL;
    int code = mk_csv_open(&csv, path, err);
    const int status = code ? -1 : mk_csv_find(csv, "status");
    while (!code && status >= 0 && !(code = mk_csv_next(csv, err)))
        all->done->failed += mk_trial_status_of(csv->cell[status].text, csv->cell[status].length) != MK_TRIAL_OK;
    mk_csv_close(csv);
    return code == MK_CSV_END ? MK_OK : code;
}

/* Copies the rows of a unit; the header is that of the first one. */
static int copy_rows(const struct recording *all, const struct unit *u, struct mk_error *err)
{
    char *path = unit_path(all, u, ".csv"), *line = NULL;
    size_t room = 0;
    FILE *from = path ? fopen(path, "re") : NULL;
    int code = path ? MK_OK : mk_fail_memory(err, "a file name");
    if (!code && !from) code = mk_fail(err, MK_EIO, "%s: %s", path, strerror(errno));
    bool header = true;
    for (ssize_t n; !code && (n = getline(&line, &room, from)) > 0; header = false) {
        if (header && all->done->headed) continue;
        all->done->headed = true;
        code = all->sink(all->to, line, (size_t)n, err);
    }
    if (!code && ferror(from)) code = mk_fail(err, MK_EIO, "%s: cannot be read", path);
    if (from) fclose(from);
    free(line);
    if (!code) code = count_failures(all, path, err);
    free(path);
    return code;
}

typedef int each_unit(const struct recording *all, const struct unit *u, struct mk_error *err);

/* The unit of the arms, then that of the combined search if there is one. */
static int with_combined(const struct recording *all, struct unit u, each_unit *act, struct mk_error *err)
{
    int code = act(all, &u, err);
    u.combined = true;
    return code || all->base->policy ? code : act(all, &u, err);
}

static int by_repetition(const struct recording *all, each_unit *act, struct mk_error *err)
{
    int code = MK_OK;
    for (uint64_t i = 0; i < all->r->repetitions && !code; i++)
        for (size_t k = 0; k < all->n_instances && !code; k++)
            code = with_combined(all, (struct unit){all->instance[k], i, false}, act, err);
    return code;
}

static int by_instance(const struct recording *all, each_unit *act, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t k = 0; k < all->n_instances && !code; k++)
        for (uint64_t i = 0; i < all->r->repetitions && !code; i++)
            code = with_combined(all, (struct unit){all->instance[k], i, false}, act, err);
    return code;
}

static int record_all(const struct recording *all, struct mk_error *err)
{
    int code = mk_make_folder(all->r->folder, err);
    if (!code && all->r->force) code = by_repetition(all, drop_rows, err);
    if (!code) code = by_repetition(all, record_unit, err);
    return code ? code : by_instance(all, copy_rows, err);
}

int mk_tune_record(const struct mk_tune_recording *r, mk_rows_sink *sink, void *to, struct mk_tune_recorded *done,
                   struct mk_error *err)
{
    static const char *const any_workers[] = {"lag=1024"}; /* lags are those of the units */
    struct mk_tune *base = NULL;
    int code = read_file(&base, r, any_workers, 1, err);
    if (code) return code;
    const size_t searches = base->n_arms + !base->policy, n = r->n_instances ? r->n_instances : 1;
    const struct recording all = {r, base, r->n_instances ? r->instance : &base->instance, n, sink, to, done};
    *done = (struct mk_tune_recorded){.searches = searches};
    if (base->evaluations * base->n_arms > MK_TUNE_MOST_EVALUATIONS)
        code = mk_fail(err, MK_EINPUT, "%s: budget: %zu arms of %" PRIu64 " evaluations are more than %d", r->file,
                       base->n_arms, base->evaluations, MK_TUNE_MOST_EVALUATIONS);
    if (!code && base->open_budget)
        code = mk_fail(err, MK_EINPUT, "%s: budget: evaluations: missing; expected the number of trials to record",
                       r->file);
    if (!code && base->pruning.on)
        code = mk_fail(err, MK_EINPUT,
                       "%s: pruning: of runs that are recorded every evaluation is a whole one; expected "
                       "none, such as with --set pruning=",
                       r->file);
    mk_progress_start(r->progress, 0, r->repetitions * n * searches * base->evaluations);
    if (!code) code = record_all(&all, err);
    mk_progress_end(r->progress);
    mk_tune_free(base);
    return code;
}

bool mk_is_tune_file(const char *path)
{
    struct mk_tree *tree = NULL;
    struct mk_error ignored;
    const bool found =
        !mk_tree_read(&tree, path, &ignored) && mk_node_get(tree->root, "arms") && !mk_node_get(tree->root, "problem");
    mk_tree_free(tree);
    return found;
}
