#include "sim/study/tuning.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/input_path.h"
#include "sim/base/progress.h"
#include "sim/base/text.h"
#include "sim/run/engine/run.h"
#include "sim/search/recorded_runs.h"
#include "sim/search/space/space_read.h"
#include "sim/study/own_choices.h"
#include "sim/study/study_files.h"
#include "sim/study/trial_reports.h"
#include "sim/study/tune_file.h"

double mk_tuning_elapsed(const struct mk_tuning *r)
{
    return r->before + mk_seconds() - r->start;
}

/* ---- telling ---- */

/* Tells trial i; ten failures and no success are the end. */
static int tell_trial(struct mk_tuning *r, size_t i, struct mk_error *err)
{
    int code = mk_tune_state_tell(r->state, i, err);
    if (code || r->state->failures < MK_TUNE_FAILURES || r->state->failures < r->state->told) return code;
    return mk_fail(err, MK_EFAIL, "%s: the first %d trials failed, the last one: %s", r->t->file, MK_TUNE_FAILURES,
                   r->state->trial[i].outcome.why);
}

/* Tells the first n trials, all of which are done. */
static int tell_first(struct mk_tuning *r, size_t n, struct mk_error *err)
{
    int code = MK_OK;
    for (; r->told < n && !code; r->told++)
        if (!r->state->trial[r->told].told) code = tell_trial(r, r->told, err);
    return code;
}

/* With `order: finish`: tells every result that its optimiser can take. */
static int tell_ready(struct mk_tuning *r, struct mk_error *err)
{
    const size_t n = r->state->n;
    int code = MK_OK;
    for (bool more = true; more && !code;) {
        more = false;
        for (size_t i = r->told; i < n && !code; i++) {
            const struct mk_trial *t = &r->state->trial[i];
            if (t->told && i == r->told) r->told++;
            if (t->told || !t->done || !mk_tune_state_is_next(r->state, i)) continue;
            code = tell_trial(r, i, err);
            more = true;
        }
    }
    return code;
}

static void note_complete(struct mk_tuning *r)
{
    while (r->complete < r->state->n && r->state->trial[r->complete].done) r->complete++;
}

/* How many trials must be reported before the next is requested. */
static size_t needed(const struct mk_tuning *r)
{
    const size_t n = r->state->n;
    if (mk_tune_state_waits(r->state)) return n;
    if (r->t->order == MK_ORDER_FINISH || n + 1 < r->t->lag) return 0;
    return n + 1 - (size_t)r->t->lag;
}

/* exhausted: leave: no more trials than configurations, which earlier results may have tried. */
static void note_exhausted(struct mk_tuning *r)
{
    if (r->state->n_exhausted < r->t->n_arms || r->state->n >= r->all) return;
    r->evaluations -= r->all - r->state->n;
    r->all = r->state->n;
}

/* budget: cost: no more trials than have been asked for. */
static void note_spent(struct mk_tuning *r)
{
    double spent = 0;
    if (!isfinite(r->t->budget_cost)) return;
    for (size_t i = 0; i < r->state->n; i++) {
        const struct mk_trial *t = &r->state->trial[i];
        if (t->told && !t->added && t->cost > 0) spent += t->cost;
    }
    if (spent < r->t->budget_cost) return;
    r->evaluations -= r->all - r->state->n;
    r->all = r->state->n;
}

static bool can_ask(struct mk_tuning *r)
{
    if (r->state->n >= r->all) return false;
    note_complete(r);
    return r->complete >= needed(r);
}

int mk_tuning_tell(struct mk_tuning *r, struct mk_error *err)
{
    note_complete(r);
    return r->complete >= needed(r) ? tell_first(r, needed(r), err) : MK_OK;
}

/* known: the configuration of the trial of arm k that is repeated; NULL: it is new, or not known. */
static int ask(struct mk_tuning *r, size_t k, const double *known, size_t *number, struct mk_error *err)
{
    int code = tell_first(r, needed(r), err);
    return code ? code : mk_tune_state_ask_again(r->state, k, known, number, err);
}

static int take_outcome(struct mk_tuning *r, size_t number, const struct mk_trial_outcome *o, struct mk_error *err)
{
    int code = mk_tune_state_end(r->state, number, o, err);
    if (code) return code;
    r->ended++;
    r->failed += mk_trial_failed(o->status);
    r->infeasible += o->status == MK_TRIAL_INFEASIBLE;
    r->pruned += o->status == MK_TRIAL_PRUNED;
    return r->t->order == MK_ORDER_FINISH ? tell_ready(r, err) : MK_OK;
}

/* ---- earlier results ---- */

struct added {
    size_t n;
    struct mk_added_trial *trial;
};

static void free_added(struct added *a)
{
    for (size_t i = 0; i < a->n; i++) free(a->trial[i].v);
    free(a->trial);
}

/* The further metrics of the current row, at these columns (-1: none); one that lacks a metric is taken as it is. */
static int read_further(struct mk_trial_outcome *o, const struct mk_tune *t, const struct mk_csv *csv,
                        const int *column, struct mk_error *err)
{
    int code = MK_OK;
    for (; o->n_metrics < t->n_metrics && !code; o->n_metrics++) {
        const int at = column[o->n_metrics];
        o->metric[o->n_metrics] = NAN;
        if (at >= 0 && !mk_csv_is_missing(csv, (size_t)at))
            code = mk_csv_number(csv, (size_t)at, &o->metric[o->n_metrics], err);
    }
    return code;
}

static int find_further(int *column, const struct mk_tune *t, const struct mk_recorded_runs *r, struct mk_error *err)
{
    char name[MK_METRIC_COLUMN];
    int code = MK_OK;
    for (size_t i = 0; i < t->n_metrics && !code; i++)
        code = mk_recorded_find(r, i < t->n_named ? mk_metric_column(t->further[i].name, name) : "cost", false,
                                &column[i], err);
    return code;
}

/* The row with its reward; further[]: columns of the further metrics. */
static int add_tuning_row(struct added *a, const struct mk_tune *t, const struct mk_recorded_runs *r, double reward,
                          const int *further, struct mk_error *err)
{
    const struct mk_csv_cell *label = mk_recorded_cell(r, MK_RUNS_ARM);
    const struct mk_csv_cell *text = mk_recorded_cell(r, MK_RUNS_CONFIGURATION);
    struct mk_error why;
    struct mk_trial_outcome outcome = {.value = mk_tune_value(t, reward)};
    char clip[MK_CLIP_ROOM];
    const size_t k = mk_tune_find_arm(t, label->text, label->length);
    if (k == t->n_arms)
        return mk_fail_at(err, mk_csv_where(r->csv, (size_t)r->column[MK_RUNS_ARM]), "arm",
                          "expected the label of an arm, got '%s'", mk_clip_bytes(label->text, label->length, clip));
    int code = read_further(&outcome, t, r->csv, further, err);
    if (code || mk_outcome_is_infeasible(t, &outcome)) return code;
    if (!MK_GROW(a->trial, a->n, 1)) return mk_fail_memory(err, "earlier results");
    struct mk_added_trial *one = &a->trial[a->n];
    *one = (struct mk_added_trial){k, malloc((t->arm[k].space->n + 1) * sizeof *one->v), outcome,
                                   mk_csv_where(r->csv, (size_t)r->column[MK_RUNS_CONFIGURATION])};
    if (!one->v) return mk_fail_memory(err, "earlier results");
    a->n++;
    code = mk_space_read_configuration(t->arm[k].space, "configuration", text->text, text->length, one->v, &why);
    if (code == MK_EINPUT) return mk_fail_at(err, one->where, "configuration", "%s", why.text);
    return code ? mk_fail(err, code, "%s", why.text) : MK_OK;
}

static bool is_text(const struct mk_csv_cell *cell, const char *text)
{
    return cell->length == strlen(text) && memcmp(cell->text, text, cell->length) == 0;
}

/* Results of several instances are of several tasks: those of the tune file's count. *only: NULL, or the one that
 * counts. */
static int choose_instance(const char **only, const struct mk_tune *t, const char *path, struct mk_error *err)
{
    struct mk_recorded_runs r;
    char *first = NULL, clip[3][MK_CLIP_ROOM];
    bool several = false, has_own = false;
    int code = mk_recorded_open(&r, path, false, err);
    while (!code && r.column[MK_RUNS_INSTANCE] >= 0 && !(code = mk_csv_next(r.csv, err))) {
        const struct mk_csv_cell *cell = mk_recorded_cell(&r, MK_RUNS_INSTANCE);
        has_own |= is_text(cell, t->instance);
        if (first && !several && !is_text(cell, first)) {
            several = true;
            mk_clip_bytes(cell->text, cell->length, clip[1]);
        }
        if (!first && !(first = strndup(cell->text, cell->length))) code = mk_fail_memory(err, "earlier results");
    }
    mk_recorded_close(&r);
    if (code == MK_CSV_END) code = MK_OK;
    *only = several && has_own ? t->instance : NULL;
    if (!code && several && !has_own)
        code =
            mk_fail(err, MK_EINPUT,
                    "%s: instance: results of several, such as '%s' and '%s', are of several tasks; expected those of "
                    "one, or `instance` of the tune file ('%s') to name the one that counts",
                    path, mk_clip(first, clip[0]), clip[1], mk_clip(t->instance, clip[2]));
    free(first);
    return code;
}

/* The rows of a file of earlier results. */
static int read_added(struct added *a, struct mk_tuning *to, const char *path, struct mk_error *err)
{
    const struct mk_tune *t = to->t;
    struct mk_recorded_runs r = {.csv = NULL};
    const char *only = NULL;
    int further[MK_TUNE_MOST_METRICS];
    double reward;
    int code = mk_standard_input_keep(path, err);
    if (!code) code = choose_instance(&only, t, path, err);
    if (!code) code = mk_recorded_open(&r, path, false, err);
    if (!code) code = find_further(further, t, &r, err);
    r.only = only;
    while (!code && !(code = mk_recorded_next(&r, &reward, err))) code = add_tuning_row(a, t, &r, reward, further, err);
    for (size_t i = 0; i < a->n; i++) a->trial[i].where.file = path; /* which outlives the reader */
    mk_recorded_close(&r);
    to->left_out = r.in_part;
    to->lacks_fidelity = r.lacks_fidelity;
    return code == MK_CSV_END ? MK_OK : code;
}

/* Whether the optimisers can take them. */
static int check_added(const struct mk_tuning *r, const struct mk_added_trial *added, size_t n, struct mk_error *err)
{
    struct mk_error why;
    for (size_t i = 0; i < n; i++)
        if (mk_tune_state_can_add(r->state, added[i].arm, &why))
            return mk_fail_at(err, added[i].where, "configuration", "%s", why.text);
    return MK_OK;
}

static int add_all(struct mk_tuning *r, const struct mk_added_trial *added, size_t n, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t i = 0; i < n && !code; i++) {
        code = mk_tune_state_add(r->state, added[i].arm, added[i].v, &added[i].outcome, err);
        if (!code) code = mk_tune_journal_add(r->journal, &r->state->trial[r->ended], err);
        r->ended += !code;
        r->journalled += !code;
    }
    return code;
}

/* ---- the lock of a folder ----
 *
 * One tuner at a time for a folder of trials: a lock on the file FOLDER.lock next to it, since the folder itself is
 * moved when a complete run makes way for another. It is held until it is given back or the process ends. */

/* A guard that was just being forked when maxk was killed holds the lock until it has closed what it does not need. */
static const double lock_patience = 1; /* seconds */

/* MK_EINPUT: another process has the lock, or the file cannot be made. *lock is to be given to unlock_folder in either
 * case. */
static int lock_folder(struct mk_folder_lock *lock, const char *folder, struct mk_error *err)
{
    *lock = (struct mk_folder_lock){-1, NULL};
    if (asprintf(&lock->path, "%s.lock", folder) < 0) {
        lock->path = NULL;
        return mk_fail_memory(err, "a file name");
    }
    lock->fd = mk_open_locked(lock->path, O_NOFOLLOW, lock_patience);
    if (lock->fd >= 0) return MK_OK;
    if (errno == EWOULDBLOCK) return mk_fail(err, MK_EINPUT, "%s: in use by another process", folder);
    return mk_fail(err, MK_EINPUT, "%s: cannot be written: %s", lock->path, strerror(errno));
}

static void unlock_folder(struct mk_folder_lock *lock)
{
    if (lock->fd >= 0) {
        unlink(lock->path);
        flock(lock->fd, LOCK_UN); /* processes that were forked may have it open still */
        mk_close_locked(lock->fd);
    }
    free(lock->path);
    *lock = (struct mk_folder_lock){-1, NULL};
}

/* ---- what an earlier run has left, kept when another one takes its place ---- */

/* What can be kept: the files, and the folder at MK_STUDY_FILES; NULL: none. */
enum { KEPT = MK_STUDY_FILES + 1 };

static bool exists(const char *path, const char *ending, struct stat *st)
{
    char *whole = NULL;
    if (!path || asprintf(&whole, "%s%s", path, ending) < 0) return false;
    const bool found = lstat(whole, st) == 0;
    free(whole);
    return found;
}

static bool is_free(char *const path[KEPT], const char *ending)
{
    struct stat st;
    for (size_t i = 0; i < KEPT; i++)
        if (exists(path[i], ending, &st)) return false;
    return true;
}

/* Gives path i its second name; a folder its only one. */
static int keep_file(const char *path, const char *ending, bool is_folder, struct mk_error *err)
{
    char *previous = NULL;
    if (asprintf(&previous, "%s%s", path, ending) < 0) return mk_fail_memory(err, "a file name");
    int code = MK_OK;
    if (is_folder ? rename(path, previous) : link(path, previous))
        code = mk_fail(err, MK_EINPUT, "%s: cannot be kept as %s: %s", path, previous, strerror(errno));
    free(previous);
    return code;
}

/* Gives the files of `result` (mk_study_endings; NULL: none) second names with the first ending .previous, .previous.2,
 * … that is free, so that they are there until others replace them, and moves the folder to this ending. Files that
 * have a second name already, of a run that was interrupted, are kept. *ending: "" if there was nothing to keep. */
static int keep_previous(const char *result, const char *folder, bool move_folder, char ending[MK_PREVIOUS_ROOM],
                         struct mk_error *err)
{
    char *path[KEPT] = {NULL};
    struct stat st;
    bool any = move_folder, keep[KEPT] = {false};
    int code = (path[MK_STUDY_FILES] = strdup(folder)) ? MK_OK : mk_fail_memory(err, "a file name");
    for (size_t i = 0; i < MK_STUDY_FILES && result && !code; i++) {
        path[i] = mk_trials_path(result, mk_study_endings[i]);
        if (!path[i]) code = mk_fail_memory(err, "a file name");
        if (path[i]) mk_atomic_file_collect(path[i]); /* a second name that counts for nothing */
        keep[i] = exists(path[i], "", &st) && S_ISREG(st.st_mode) && st.st_nlink == 1;
        any |= keep[i];
    }
    keep[MK_STUDY_FILES] = move_folder;
    *ending = 0;
    if (any && !code) {
        snprintf(ending, MK_PREVIOUS_ROOM, ".previous");
        for (unsigned n = 2; !is_free(path, ending); n++) snprintf(ending, MK_PREVIOUS_ROOM, ".previous.%u", n);
    }
    for (size_t i = 0; i < KEPT && !code; i++)
        if (keep[i]) code = keep_file(path[i], ending, i == MK_STUDY_FILES, err);
    for (size_t i = 0; i < KEPT; i++) free(path[i]);
    return code;
}

/* ---- resuming ---- */

static int differs(const struct mk_tuning *r, size_t number, struct mk_error *err)
{
    if (r->extended)
        return mk_fail(err, MK_EINPUT,
                       "%s: with this budget trial %zu is another one, as the policy or an optimiser plans for the "
                       "budget; expected the budget of the run, or --force to start over",
                       r->journal->file.path, number + 1);
    return mk_fail(err, MK_EINPUT,
                   "%s: trial %zu was of another arm or configuration than this version of maxk chooses; start "
                   "over with --force",
                   r->journal->file.path, number + 1);
}

/* A re-evaluation that was made; there may be more of them than are wanted now. */
static int repeat_again(struct mk_tuning *r, const struct mk_tune_event *e, struct mk_error *err)
{
    if (e->trial >= r->state->n || e->index >= MK_TUNE_MOST_EVALUATIONS) return differs(r, e->trial, err);
    int code = mk_tune_state_reevaluate(r->state, e->trial, e->index + 1, err);
    if (code) return code;
    struct mk_reevaluation *again = &r->state->again[e->index];
    r->before = e->elapsed;
    again->done = true;
    again->outcome = e->outcome;
    return MK_OK;
}

/* A result or report in the journal of a trial that was not requested, or can have no more: as version 1.0 wrote it
 * when the disk was full for a moment. */
static int impossible_event(struct mk_tuning *r, const struct mk_tune_event *e, struct mk_error *err)
{
    const bool is_report = e->kind == MK_EVENT_REPORT;
    const char *problem = is_report ? "has ended or reported a later step" : "has one";
    char what[100];
    snprintf(what, sizeof what, "%s of trial %zu, which %s", is_report ? "report" : "result", e->trial + 1,
             e->trial < r->state->n ? problem : "was not asked for");
    r->impossible = true;
    return mk_tune_journal_impossible(r->journal, (size_t)(e - r->journal->event), what, err);
}

static int repeat_first(struct mk_tuning *r, const struct mk_tune_event *e, struct mk_error *err)
{
    double v[MK_SPACE_MOST];
    bool added = false;
    int code = mk_space_read_configuration(r->t->arm[e->arm].space, "journal", e->configuration,
                                           strlen(e->configuration), v, err);
    if (!code) code = mk_tune_state_enqueue(r->state, e->arm, v, &added, err);
    return code || added ? code : differs(r, r->state->n, err);
}

/* A report, with what was decided then. */
static int repeat_report(struct mk_tuning *r, const struct mk_tune_event *e, struct mk_error *err)
{
    if (!r->t->pruning.on || e->trial >= r->state->n || r->state->trial[e->trial].done ||
        !mk_tune_state_is_new(r->state, e->trial, e->report))
        return impossible_event(r, e, err);
    return mk_tune_state_report(r->state, e->trial, e->report, e->stop, err);
}

/* v <- the configuration of the trial, if it is there and the one of its digest; otherwise NULL is returned. */
static const double *known_of(const struct mk_tuning *r, const struct mk_tune_event *e, double *v)
{
    const struct mk_space *space = r->t->arm[e->arm].space;
    struct mk_error ignored;
    if (!e->configuration ||
        mk_space_read_configuration(space, "journal", e->configuration, strlen(e->configuration), v, &ignored))
        return NULL;
    return mk_space_configuration_digest(space, v) == e->digest ? v : NULL;
}

static int repeat(struct mk_tuning *r, const struct mk_tune_event *e, struct mk_error *err)
{
    size_t number = r->state->n;
    double v[MK_SPACE_MOST];
    if (e->kind == MK_EVENT_END) {
        if (e->trial >= number || r->state->trial[e->trial].done) return impossible_event(r, e, err);
        r->before = e->elapsed;
        return take_outcome(r, e->trial, &e->outcome, err);
    }
    if (e->kind == MK_EVENT_REPORT) return repeat_report(r, e, err);
    if (e->kind == MK_EVENT_AGAIN) return repeat_again(r, e, err);
    if (e->arm >= r->t->n_arms) return differs(r, number, err);
    int code;
    if (e->kind == MK_EVENT_FIRST) return repeat_first(r, e, err);
    if (e->kind == MK_EVENT_ADD) {
        code = mk_space_read_configuration(r->t->arm[e->arm].space, "journal", e->configuration,
                                           strlen(e->configuration), v, err);
        if (!code) code = mk_tune_state_add(r->state, e->arm, v, &e->outcome, err);
        if (!code) r->ended++;
    } else {
        code = can_ask(r) ? ask(r, e->arm, known_of(r, e, v), &number, err) : differs(r, number, err);
    }
    if (code) return code;
    const struct mk_trial *t = &r->state->trial[number];
    return t->arm == e->arm && t->digest == e->digest ? MK_OK : differs(r, number, err);
}

/* Keeps what an earlier run has left; is_complete: its folder too, in whose place a new one is opened. */
static int set_aside(struct mk_tuning *r, const char *path, bool is_complete, struct mk_error *err)
{
    if (is_complete) {
        mk_tune_journal_free(r->journal);
        r->journal = NULL;
    }
    int code = keep_previous(r->how->result, r->how->folder, is_complete, r->previous, err);
    if (code || !is_complete) return code;
    code = mk_make_folder_synced(r->how->folder, err);
    return code ? code : mk_tune_journal_open(&r->journal, path, MK_JOURNAL_READ, err);
}

static size_t count_events(const struct mk_tune_journal *j, enum mk_tune_event_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < j->n; i++) n += j->event[i].kind == kind;
    return n;
}

/* Whether so many trials are within the budget, which may be another than theirs was. */
static int check_budget(const struct mk_tuning *r, uint64_t trials, uint64_t budget, struct mk_error *err)
{
    if (trials <= budget) return MK_OK;
    return mk_fail(err, MK_EINPUT,
                   "%s: contains %" PRIu64 " trials; expected budget: evaluations: of at least as many, or "
                   "--force to start over",
                   r->journal->file.path, trials);
}

/* The budget of a run that is resumed; one that grows becomes large enough. */
static int resume_budget(struct mk_tuning *r, struct mk_error *err)
{
    const uint64_t trials = count_events(r->journal, MK_EVENT_ASK);
    if (trials > r->evaluations && (r->t->open_budget || r->t->is_study)) {
        r->evaluations = trials;
        r->extended = true;
    }
    return check_budget(r, trials, r->evaluations, err);
}

/* Whether the journal, without a result, has what would not come again: reports, configurations that were enqueued, and
 * earlier results unless they are read from a file, of which the journal may have a part. */
static bool was_given(const struct mk_tuning *r)
{
    return count_events(r->journal, MK_EVENT_REPORT) || count_events(r->journal, MK_EVENT_FIRST) ||
           (!r->how->add && count_events(r->journal, MK_EVENT_ADD));
}

/* Opens the journal in the folder, and restarts it unless the run is to be resumed. */
static int open_folder(struct mk_tuning *r, struct mk_error *err)
{
    char *path = NULL;
    int code = mk_make_folder_synced(r->how->folder, err); /* with those that it is in */
    if (!code) code = lock_folder(&r->lock, r->how->folder, err);
    if (!code) code = mk_make_folder_synced(r->how->folder, err); /* another tuner may have moved it before */
    if (code) return code;
    if (asprintf(&path, "%s/journal", r->how->folder) < 0) return mk_fail_memory(err, "a file name");
    code = mk_tune_journal_open(&r->journal, path,
                                r->how->force    ? MK_JOURNAL_RESTART
                                : r->how->repair ? MK_JOURNAL_REPAIR
                                                 : MK_JOURNAL_READ,
                                err);
    const size_t kept = code ? 0 : r->journal->successes;
    const size_t results = code ? 0 : r->journal->results;
    const bool is_complete = results && r->journal->complete;
    const bool begun = results || (!code && was_given(r));
    if (begun && r->how->resume && (kept || !is_complete)) { /* nothing follows from failures alone */
        free(path);
        code = mk_tune_file_compare(r->journal->file.path, r->journal->resolved, r->t->resolved, &r->extended, err);
        return code ? code : resume_budget(r, err);
    }
    if (!code && !r->how->force) {
        if (!kept || is_complete)
            code = set_aside(r, path, is_complete, err);
        else
            code = mk_fail(err, MK_EINPUT,
                           "%s: contains %zu results (%zu of them failures) of an interrupted run; continue with "
                           "--resume, or start over with --force",
                           path, results, results - kept);
    }
    free(path);
    return code ? code : mk_tune_journal_restart(r->journal, r->t->resolved, err);
}

static int open_journal(struct mk_tuning *r, struct mk_error *err)
{
    if (r->how->folder) return open_folder(r, err);
    int code = mk_tune_journal_open(&r->journal, NULL, MK_JOURNAL_READ, err);
    return code ? code : mk_tune_journal_restart(r->journal, r->t->resolved, err);
}

/* Begins with nothing, for as many trials and earlier results and with memory for `room` trials, and repeats what the
 * journal says; what is running goes on. A trial that the journal could not take is asked for again. */
static int begin_again(struct mk_tuning *r, uint64_t evaluations, uint64_t room, size_t added, struct mk_error *err)
{
    const struct mk_tune_state *before = r->state;
    r->evaluations = evaluations;
    r->all = (size_t)evaluations + added;
    r->ended = r->failed = r->infeasible = r->pruned = r->complete = r->told = r->journalled = 0;
    int code = mk_tune_state_new(&r->state, r->t, room + added - r->t->evaluations, err);
    if (!code) r->state->own = r->how->own;
    if (!code) code = mk_own_restart(r->how->own, err);
    for (size_t i = 0; i < r->journal->n && !code; i++) {
        code = repeat(r, &r->journal->event[i], err);
        if (!code && !before && mk_run_stopped()) /* an optimiser may take minutes to choose all trials again */
            code =
                mk_fail(err, mk_run_end_stopped(err), "stopped on request before the first trial; nothing was changed");
    }
    if (code) return code;
    note_exhausted(r);
    r->journalled = r->state->n;
    for (size_t i = 0; before && i < before->n && i < r->state->n; i++)
        r->state->trial[i].running = before->trial[i].running;
    return MK_OK;
}

/* After `begin_again`: frees the state that is not needed. After an error the run is as it was before. */
static int settle(struct mk_tuning *r, const struct mk_tuning *old, int code)
{
    mk_tune_state_free(code ? r->state : old->state);
    if (code) *r = *old;
    return code;
}

static int replay(struct mk_tuning *r, uint64_t evaluations, uint64_t room, size_t added, struct mk_error *err)
{
    const struct mk_tuning old = *r;
    return settle(r, &old, begin_again(r, evaluations, room, added, err));
}

/* The state when the run is opened. */
static int first_state(struct mk_tuning *r, size_t added, struct mk_error *err)
{
    const struct mk_tuning old = *r;
    int code = begin_again(r, r->evaluations, r->evaluations, added, err);
    if (code && r->impossible && r->how->repair) {
        mk_tune_state_free(r->state);
        *r = old;
        code = mk_tune_journal_repair(r->journal, err);
        if (!code) code = begin_again(r, r->evaluations, r->evaluations, added, err);
    }
    return settle(r, &old, code);
}

int mk_tuning_open(struct mk_tuning *r, const struct mk_tune *t, const struct mk_tuning_options *how,
                   struct mk_error *err)
{
    struct added a = {0};
    *r = (struct mk_tuning){
        .t = t, .how = how, .evaluations = t->evaluations, .start = mk_seconds(), .lock = {-1, NULL}};
    int code = mk_own_check(how->own, t, err);
    if (!code) code = open_journal(r, err);
    const size_t events = code ? 0 : r->journal->n;
    if (!code && !events && how->add) code = read_added(&a, r, how->add, err);
    if (!code) code = first_state(r, events ? count_events(r->journal, MK_EVENT_ADD) : a.n, err);
    r->resumed = events ? r->ended : 0;
    if (!code) code = check_added(r, a.trial, a.n, err);
    if (!code) code = add_all(r, a.trial, a.n, err);
    if (!code) note_exhausted(r);
    r->matched = a.n;
    free_added(&a);
    r->start = mk_seconds();
    return code;
}

int mk_tuning_extend(struct mk_tuning *r, uint64_t evaluations, struct mk_error *err)
{
    const size_t added = r->all - (size_t)r->evaluations;
    const double elapsed = mk_tuning_elapsed(r);
    const bool extended = r->extended;
    if (r->t->exhausted == MK_EXHAUSTED_LEAVE) { /* as mk_tune_limit_to_configurations says */
        evaluations = (uint64_t)fmin((double)evaluations, r->t->configurations);
        if (evaluations <= r->evaluations || r->state->n_exhausted == r->t->n_arms) return MK_OK;
    }
    r->extended = true;
    int code = check_budget(r, r->state->n - added, evaluations, err);
    if (!code && mk_tune_state_extend(r->state, evaluations + added)) {
        r->evaluations = evaluations;
        r->all = (size_t)evaluations + added;
        return MK_OK;
    }
    if (!code) code = mk_tune_journal_reread(r->journal, err);
    /* Where the budget means memory alone there is as much again, so that small steps do not add up. */
    bool roomy = !code && !mk_tune_state_plans(r->state);
    if (roomy) roomy = !replay(r, evaluations, 2 * evaluations, added, err);
    if (!code && !roomy) code = replay(r, evaluations, evaluations, added, err);
    if (code) r->extended = extended;
    r->before = elapsed;
    r->start = mk_seconds();
    return code;
}

/* Whether the next earlier results of the journal are these. */
static bool are_next(const struct mk_tuning *r, const struct mk_added_trial *added, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct mk_trial *t = &r->state->trial[r->matched + i];
        if (t->arm != added[i].arm || t->outcome.value != added[i].outcome.value ||
            t->digest != mk_space_configuration_digest(t->space, added[i].v))
            return false;
    }
    return true;
}

int mk_tuning_add(struct mk_tuning *r, const struct mk_added_trial *added, size_t n, struct mk_error *err)
{
    const size_t before = r->all - (size_t)r->evaluations;
    const size_t left = before - r->matched, again = n < left ? n : left;
    if (are_next(r, added, again)) { /* what interrupted the study may have left a part of them */
        r->matched += again;
        added += again;
        n -= again;
        if (!n) return MK_OK;
    }
    if (r->matched < before)
        return mk_fail(err, MK_EINPUT, "%s: has other earlier results; expected the same ones again, or none",
                       r->journal->file.path);
    if (r->state->n > before)
        return mk_fail(err, MK_EINPUT, "%s: has trials; expected earlier results before the first one",
                       r->journal->file.path);
    const struct mk_tuning old = *r;
    const off_t end = r->journal->file.end;
    int code = check_added(r, added, n, err);
    if (!code) code = mk_tune_journal_reread(r->journal, err);
    if (code) return code;
    code = begin_again(r, r->evaluations, r->evaluations, before + n, err);
    if (!code) code = add_all(r, added, n, err);
    if (!code) note_exhausted(r);
    if (code) mk_tune_journal_undo(r->journal, end);
    code = settle(r, &old, code);
    r->matched = r->all - (size_t)r->evaluations;
    return code;
}

/* ---- a trial ---- */

static bool is_waiting(const struct mk_tuning *r, size_t number)
{
    const struct mk_trial *t = &r->state->trial[number];
    return !t->done && !t->running;
}

/* A trial that the journal could not take when it was asked for goes there before anything that comes after it, since
 * the next one is chosen from what is known by then. */
static int journal_asked(struct mk_tuning *r, struct mk_error *err)
{
    int code = MK_OK;
    for (; r->journalled < r->state->n && !code; r->journalled += !code)
        code = mk_tune_journal_ask(r->journal, &r->state->trial[r->journalled], err);
    return code;
}

int mk_tuning_enqueue(struct mk_tuning *r, size_t k, const double *v, bool *added, struct mk_error *err)
{
    *added = false;
    if (mk_tune_state_knows(r->state, k, v)) return MK_OK;
    int code = journal_asked(r, err); /* trials from here on depend on it */
    const off_t end = r->journal->file.end;
    if (!code) code = mk_tune_journal_first(r->journal, r->t->arm[k].space, k, v, err);
    if (code) return code;
    code = mk_tune_state_enqueue(r->state, k, v, added, err);
    if (code) mk_tune_journal_undo(r->journal, end);
    return code;
}

/* A trial that was ended by the rule just before its session ended: there is nothing left to run. */
static int end_stopped(struct mk_tuning *r, size_t number, struct mk_error *err)
{
    const struct mk_trial_outcome o = {.status = MK_TRIAL_PRUNED, .value = NAN};
    return mk_tuning_end(r, number, &o, err);
}

int mk_tuning_report(struct mk_tuning *r, size_t number, uint64_t step, double value, bool *stop, struct mk_error *err)
{
    const struct mk_report now = {step, value};
    *stop = r->state->trial[number].stopped;
    if (!r->t->pruning.on || !mk_tune_state_is_new(r->state, number, now)) return MK_OK;
    int code = journal_asked(r, err);
    if (code) return code;
    *stop = mk_tune_state_decide(r->state, number, now);
    code = mk_tune_journal_report(r->journal, number, now, *stop, err);
    return code ? code : mk_tune_state_report(r->state, number, now, *stop, err);
}

int mk_tuning_next(struct mk_tuning *r, size_t *number, struct mk_error *err)
{
    int code = journal_asked(r, err);
    *number = SIZE_MAX;
    if (code) return code;
    for (size_t i = r->complete; i < r->state->n && !code; i++)
        if (is_waiting(r, i) && r->state->trial[i].stopped) code = end_stopped(r, i, err);
    if (code) return code;
    note_complete(r);
    for (size_t i = r->complete; i < r->state->n && *number == SIZE_MAX; i++)
        if (is_waiting(r, i)) *number = i;
    if (*number == SIZE_MAX) {
        if (!can_ask(r)) return MK_OK;
        code = tell_first(r, needed(r), err);
        if (!code) note_spent(r);
        if (code || r->state->n >= r->all) return code;
        code = ask(r, 0, NULL, number, err);
        if (!code) r->state->trial[*number].fresh = true;
        if (!code) note_exhausted(r);
        if (!code) code = journal_asked(r, err);
    } else {
        r->state->trial[*number].fresh = false;
    }
    if (!code) r->state->trial[*number].running = true;
    return code;
}

size_t mk_tuning_waiting(const struct mk_tuning *r)
{
    size_t n = 0;
    for (size_t i = r->complete; i < r->state->n; i++) n += is_waiting(r, i);
    return n;
}

void mk_tuning_give_up(struct mk_tuning *r, size_t number)
{
    if (number < r->state->n) r->state->trial[number].running = false;
}

void mk_tuning_give_up_all(struct mk_tuning *r)
{
    for (size_t i = r->complete; i < r->state->n; i++) mk_tuning_give_up(r, i);
}

int mk_tuning_end(struct mk_tuning *r, size_t number, const struct mk_trial_outcome *o, struct mk_error *err)
{
    struct mk_trial_outcome judged = *o;
    mk_trial_judge_stopped(&r->state->trial[number], &judged);
    mk_outcome_judge(r->t, &judged);
    int code = journal_asked(r, err);
    if (!code) code = mk_tune_journal_end(r->journal, number, &judged, mk_tuning_elapsed(r), err);
    return code ? code : take_outcome(r, number, &judged, err);
}

int mk_tuning_again(struct mk_tuning *r, size_t index, const struct mk_trial_outcome *o, struct mk_error *err)
{
    struct mk_reevaluation *again = &r->state->again[index];
    int code = mk_tune_journal_again(r->journal, r->state->again_of, index, o, mk_tuning_elapsed(r), err);
    again->done = !code;
    again->outcome = *o;
    return code;
}

int mk_tuning_tell_all(struct mk_tuning *r, struct mk_error *err)
{
    const char *why = "";
    int code = MK_OK;
    for (size_t i = 0; i < r->state->n && !code; i++) {
        const struct mk_trial *t = &r->state->trial[i];
        if (t->done) why = t->outcome.why;
        if (!t->told) code = t->done ? tell_trial(r, i, err) : mk_tune_state_drop(r->state, i, err);
    }
    if (!code) mk_tune_state_refresh(r->state, r->ended);
    if (code || r->state->best != SIZE_MAX) return code;
    if (r->infeasible && r->infeasible + r->failed == r->state->told) {
        if (r->ended == r->all) code = mk_tune_journal_done(r->journal, err);
        return code ? code
                    : mk_fail(err, MK_EFAIL, "%s: no trial satisfies subject_to (%zu violate it, %zu failed)",
                              r->t->file, r->infeasible, r->failed);
    }
    if (r->state->failures < r->state->told)
        return mk_fail(err, MK_EFAIL, "%s: no whole evaluation was made: continue with --resume and a larger budget",
                       r->t->file);
    if (r->ended == r->all) code = mk_tune_journal_done(r->journal, err);
    if (code) return code;
    return mk_fail(err, MK_EFAIL, "%s: no trial succeeded%s%s", r->t->file, *why ? ", the last one: " : "", why);
}

void mk_tuning_close(struct mk_tuning *r, int code)
{
    struct mk_error ignored;
    if (code == MK_EFAIL && !r->journal->successes && !r->journal->complete)
        mk_tune_journal_restart(r->journal, r->t->resolved, &ignored);
    mk_tune_journal_free(r->journal);
    r->journal = NULL;
    unlock_folder(&r->lock);
}
