#include "sim/study/study_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/search/optimizers/optimizer.h"
#include "sim/search/space/space_read.h"
#include "sim/search/space/trial_status.h"

static const struct mk_column columns[] = {MK_TRIALS_COLUMNS(MK_COLUMN_DESCRIPTOR)};
static const struct mk_column times_columns[] = {MK_TIMES_COLUMNS(MK_COLUMN_DESCRIPTOR)};
static const struct mk_column again_columns[] = {MK_AGAIN_COLUMNS(MK_COLUMN_DESCRIPTOR)};
const struct mk_table_schema mk_trials_schema = MK_TABLE_SCHEMA("trials of a study", columns, NULL);
const struct mk_table_schema mk_trials_file_schema = {
    .title = "trials of a study", .column = columns, .n_columns = MK_TRIALS_SECONDS};
const struct mk_table_schema mk_times_file_schema = MK_TABLE_SCHEMA("times of trials", times_columns, NULL);
const struct mk_table_schema mk_again_file_schema = MK_TABLE_SCHEMA("re-evaluations", again_columns, NULL);

const char *const mk_study_endings[MK_STUDY_FILES] = {
    ".h5", ".csv", ".times.csv", ".best.yaml", ".reevaluations.csv", ".tune.yaml"};

char *mk_trials_path(const char *result, const char *ending)
{
    const size_t n = strlen(result);
    const int stem = (int)(n > 3 && strcmp(result + n - 3, ".h5") == 0 ? n - 3 : n);
    char *path = NULL;
    return asprintf(&path, "%.*s%s", stem, result, ending) < 0 ? NULL : path;
}

/* ---- reading the files ---- */

static int set_cell(struct mk_table *t, size_t column, const struct mk_csv *csv, size_t at, struct mk_error *err)
{
    const struct mk_csv_cell *cell = &csv->cell[at];
    double number;
    if (mk_table_column(t, column)->type == MK_COLUMN_TEXT) {
        char *text = strndup(cell->text, cell->length);
        if (!text) return mk_fail_memory(err, "trials");
        mk_table_set_text(t, column, text);
        free(text);
        return MK_OK;
    }
    if (!cell->length) {
        mk_table_set_missing(t, column);
        return MK_OK;
    }
    int code = mk_csv_number(csv, at, &number, err);
    if (code) return code;
    if (mk_table_column(t, column)->type == MK_COLUMN_REAL)
        mk_table_set_real(t, column, number);
    else if (number >= 0 && number < 1e15 && number == floor(number))
        mk_table_set_count(t, column, (uint64_t)number);
    else
        code = mk_fail_at(err, mk_csv_where(csv, at), mk_table_column(t, column)->name,
                          "expected a whole number, got %g", number);
    return code;
}

/* The number of a trial, by which the times are found; 0: none. */
static uint64_t trial_of(const struct mk_csv *csv, int at)
{
    struct mk_error ignored;
    double number;
    return mk_csv_number(csv, (size_t)at, &number, &ignored) || !(number >= 1 && number < 1e15) ? 0 : (uint64_t)number;
}

/* Seconds and reason of a trial, from the times, which are in the order of the trials. */
static void set_time(struct mk_table *t, const struct mk_table *times, uint64_t trial)
{
    const uint64_t *number = mk_table_counts(times, MK_TIMES_TRIAL);
    size_t low = 0, high = mk_table_rows(times);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (number[middle] < trial)
            low = middle + 1;
        else
            high = middle;
    }
    const bool found = low < mk_table_rows(times) && number[low] == trial;
    mk_table_set_real(t, MK_TRIALS_SECONDS, found ? mk_table_reals(times, MK_TIMES_SECONDS)[low] : NAN);
    mk_table_set_text(t, MK_TRIALS_WHY, found ? mk_table_texts(times, MK_TIMES_WHY)[low] : NULL);
}

size_t mk_trials_add_further(struct mk_table *t, const char *name)
{
    if (strcmp(name, "value") == 0)
        return mk_table_add_column(t, name, MK_COLUMN_REAL, "of the metric",
                                   "value of the metric that was measured, also in part and of a trial that violates a "
                                   "constraint; of a pruned one that of its last step; none of one that failed");
    if (strcmp(name, "fidelity") == 0)
        return mk_table_add_column(
            t, name, MK_COLUMN_REAL, "",
            "how much of a whole evaluation it is, 1: a whole one; on instances the share of them "
            "that the configuration has run on, of instances of the tune file of those by which configurations are compared");
    if (strcmp(name, "race_instance") == 0)
        return mk_table_add_column(t, name, MK_COLUMN_COUNT, "",
                                   "number of the instance that it ran on, from 1, of an optimiser that races on "
                                   "instances; 0: none");
    if (strcmp(name, MK_INSTANCE_NAME) == 0)
        return mk_table_add_column(t, name, MK_COLUMN_TEXT, "", "the instance of the tune file that it ran on");
    if (strcmp(name, MK_IS_FIRST) == 0)
        return mk_table_add_column(t, name, MK_COLUMN_COUNT, "",
                                   "1: its configuration is one that was to be tried first");
    if (strcmp(name, MK_IS_TEST) == 0) return mk_table_add_column(t, name, MK_COLUMN_COUNT, "", "1: a test instance");
    if (strcmp(name, MK_LOSS_SEEN) == 0)
        return mk_table_add_column(
            t, name, MK_COLUMN_REAL, "of the metric",
            "loss that the policy saw: of an evaluation in part the best whole one of its arm so "
            "far, before the first the worst of the arm so far");
    if (strcmp(name, MK_LOSS_SHOWN) == 0)
        return mk_table_add_column(t, name, MK_COLUMN_REAL, "of the metric",
                                   "the same, but before the first whole evaluation of an arm the worst of its whole "
                                   "ones: what the runs of the result are made of");
    if (strcmp(name, MK_LAST_STEP) == 0)
        return mk_table_add_column(t, name, MK_COLUMN_COUNT, "",
                                   "last step that the trial reported while it ran, with which a pruned one was ended; "
                                   "0: none");
    if (strcmp(name, "cost") == 0)
        return mk_table_add_column(t, name, MK_COLUMN_REAL, "",
                                   "cost of the trial; of one whose cost is not known by the rule for these");
    if (!mk_trials_metric_of(name)) return SIZE_MAX;
    return mk_table_add_column(t, name, MK_COLUMN_REAL, "", "further metric of the tune file");
}

/* Appends the columns of the file that only some studies have: their places in from[], column of the table by column.
 */
static size_t add_further(struct mk_table *t, const struct mk_csv *csv, int from[MK_TRIALS_FURTHER], size_t *first)
{
    size_t n = 0;
    for (size_t i = 0; i < csv->n_columns && n < MK_TRIALS_FURTHER; i++) {
        const bool is_there = mk_table_find(t, csv->column[i]) != SIZE_MAX;
        const size_t column = is_there ? SIZE_MAX : mk_trials_add_further(t, csv->column[i]);
        if (column == SIZE_MAX) continue;
        if (!n) *first = column;
        from[n++] = (int)i;
    }
    return n;
}

/* The rows of a file that has the first n columns of t; times: where the others come from, NULL: there are none; more:
 * the file may have further columns. */
static int read_rows(struct mk_table *t, size_t n, const char *path, const struct mk_table *times, bool more,
                     struct mk_error *err)
{
    struct mk_csv *csv = NULL;
    int at[MK_TRIALS_WHY + 1], further[MK_TRIALS_FURTHER], code = mk_csv_open(&csv, path, err);
    size_t first = 0, n_further = code || !more ? 0 : add_further(t, csv, further, &first);
    for (size_t i = 0; i < n && !code; i++) {
        const char *name = mk_table_column(t, i)->name;
        at[i] = mk_csv_find(csv, name);
        if (at[i] < 0)
            code = mk_fail(err, MK_EINPUT, "%s:1: %s: expected a column of this name, as in the trials of maxk tune",
                           path, name);
    }
    while (!code && !(code = mk_csv_next(csv, err))) {
        for (size_t i = 0; i < n && !code; i++) code = set_cell(t, i, csv, (size_t)at[i], err);
        for (size_t i = 0; i < n_further && !code; i++) code = set_cell(t, first + i, csv, (size_t)further[i], err);
        if (!code && times) set_time(t, times, trial_of(csv, at[MK_TRIALS_TRIAL]));
        if (!code) mk_table_end_row(t);
    }
    mk_csv_close(csv);
    return code == MK_CSV_END ? MK_OK : code;
}

int mk_trials_read(struct mk_table **out, const char *result, struct mk_error *err)
{
    char *csv = mk_trials_path(result, ".csv"), *seconds = mk_trials_path(result, ".times.csv");
    struct mk_table *t = NULL, *times = NULL;
    int code = csv && seconds ? mk_table_new(&times, &mk_times_file_schema, err) : mk_fail_memory(err, "trials");
    if (!code && access(csv, F_OK))
        code = mk_fail(err, MK_EINPUT, "%s: expected a study of maxk tune; its trials, %s, are not there", result, csv);
    if (!code && !access(seconds, F_OK)) code = read_rows(times, MK_TIMES_WHY + 1, seconds, NULL, false, err);
    if (!code) code = mk_table_check(times, err);
    if (!code) code = mk_table_new(&t, &mk_trials_schema, err);
    if (!code) code = read_rows(t, MK_TRIALS_SECONDS, csv, times, true, err);
    mk_table_free(times);
    free(csv);
    free(seconds);
    *out = t;
    return code;
}

bool mk_trials_there(const char *result)
{
    char *path = mk_trials_path(result, ".csv");
    struct mk_csv *csv = NULL;
    struct mk_error ignored;
    const bool found = path && !access(path, R_OK) && !mk_csv_open(&csv, path, &ignored) &&
                       mk_csv_find(csv, "trial") >= 0 && mk_csv_find(csv, "configuration") >= 0;
    mk_csv_close(csv);
    free(path);
    return found;
}

/* ---- the study ---- */

const char mk_study_lacks_fidelity[] =
    "OUT.csv has no column fidelity (an earlier version of maxk wrote it): of evaluations in part it has the best whole "
    "value of their arm, and they cannot be told from whole evaluations; `maxk tune` with --resume writes the files again";

bool mk_study_files_there(const char *result)
{
    char *path = mk_trials_path(result, ".tune.yaml");
    const bool found = path && !access(path, R_OK) && mk_trials_there(result);
    free(path);
    return found;
}

static int read_tree(struct mk_tree **out, const char *result, const char *ending, struct mk_error *err)
{
    char *path = mk_trials_path(result, ending);
    int code = path ? mk_tree_read(out, path, err) : mk_fail_memory(err, "a study");
    free(path);
    return code;
}

static int read_again(struct mk_study_files *s, const char *result, struct mk_error *err)
{
    char *path = mk_trials_path(result, ".reevaluations.csv");
    int code = path ? mk_table_new(&s->again, &mk_again_file_schema, err) : mk_fail_memory(err, "a study");
    if (!code && !access(path, F_OK)) code = read_rows(s->again, MK_AGAIN_WHY + 1, path, NULL, true, err);
    if (!code) code = mk_table_check(s->again, err);
    free(path);
    return code;
}

static const char *text_of(const struct mk_node *mapping, const char *key)
{
    const struct mk_node *node = mk_node_get(mapping, key);
    return node && node->kind == MK_NODE_SCALAR ? node->text : "";
}

/* Programs of SMAC's and irace's kind print a cost; a path in JSON ends with the name. */
static void read_metric(struct mk_study_files *s)
{
    const struct mk_node *m = mk_node_get(s->tune->root, "metric");
    const char *path = text_of(m, "json"), *dot = strrchr(path, '.');
    s->metric = mk_node_get(m, "smac") || mk_node_get(m, "irace") ? "cost" : "metric";
    if (*path) s->metric = dot && dot[1] ? dot + 1 : path;
    s->maximize = strcmp(text_of(m, "maximize"), "true") == 0;
    const char *scale = text_of(m, "scale");
    if (!mk_parse_real(scale, strlen(scale), &s->scale) || !(s->scale > 0)) s->scale = 1;
}

static int read_arms(struct mk_study_files *s, struct mk_error *err)
{
    const struct mk_node *arms = mk_node_get(s->tune->root, "arms");
    if (!arms || !arms->n) return mk_fail_at(err, s->tune->root->where, "arms", "missing; expected a list");
    s->n_arms = arms->n;
    s->arm = calloc(arms->n, sizeof *s->arm);
    s->space = calloc(arms->n, sizeof *s->space);
    int code = s->arm && s->space ? MK_OK : mk_fail_memory(err, "a study");
    for (size_t k = 0; k < arms->n && !code; k++) {
        const struct mk_node *space = mk_node_get(arms->child[k], "space");
        s->arm[k] = text_of(arms->child[k], "label");
        if (space) code = mk_space_read(&s->space[k], space, err);
    }
    return code;
}

static int by_number(const void *a, const void *b)
{
    const struct mk_study_row *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* A column that not all files have; NULL: it is not there. */
static const double *reals_of(const struct mk_table *t, const char *name)
{
    const size_t at = mk_table_find(t, name);
    return at == SIZE_MAX ? NULL : mk_table_reals(t, at);
}

static bool asks_in_part(const char *optimizer)
{
    const struct mk_optimizer_type *type = mk_optimizer_type_find(optimizer);
    return type && type->flags & MK_OPTIMIZER_FIDELITY;
}

/* A race on the instances of the tune file may have eliminated the configuration with the best mean: the best is what
 * OUT.best.yaml says. */
static void find_survivor(struct mk_study_files *s)
{
    const uint64_t number = strtoull(text_of(s->best->root, "trial"), NULL, 10);
    for (size_t i = 0; i < s->n && mk_node_get(s->tune->root, "instances"); i++)
        if (s->trial[i].number == number && s->trial[i].whole) s->best_trial = i;
}

/* The rows of arms: those of a combined search are there a second time as its own. */
static int read_trials(struct mk_study_files *s, struct mk_error *err)
{
    const size_t rows = mk_table_rows(s->trials);
    const double *index = mk_table_reals(s->trials, MK_TRIALS_ARM_INDEX);
    const double *loss = mk_table_reals(s->trials, MK_TRIALS_LOSS);
    const double *value = reals_of(s->trials, "value"); /* of files of earlier versions with constraints alone */
    const double *fidelity = reals_of(s->trials, "fidelity");
    const char *const *word = mk_table_texts(s->trials, MK_TRIALS_STATUS);
    s->trial = calloc(rows ? rows : 1, sizeof *s->trial);
    s->best_trial = SIZE_MAX;
    if (!s->trial) return mk_fail_memory(err, "a study");
    for (size_t i = 0; i < rows; i++) {
        struct mk_study_row *t = &s->trial[s->n];
        if (index[i] < 0) continue;
        if (!(index[i] < (double)s->n_arms))
            return mk_fail(err, MK_EINPUT, "trials of the study: arm_index: expected a number below %zu, got %g",
                           s->n_arms, index[i]);
        t->number = mk_table_counts(s->trials, MK_TRIALS_TRIAL)[i];
        t->arm = (size_t)index[i];
        t->row = i;
        t->status = mk_trial_status_of(word[i], strlen(word[i]));
        const bool ok = t->status == MK_TRIAL_OK, failed = mk_trial_failed(t->status);
        t->value = ok ? (s->maximize ? -loss[i] : loss[i]) / s->scale : !failed && value ? value[i] : NAN;
        t->measured = value ? value[i] : t->value;
        t->whole = ok && (!fidelity || fidelity[i] == 1);
        s->in_part += ok && !t->whole;
        s->lacks_fidelity |= !fidelity && asks_in_part(mk_table_texts(s->trials, MK_TRIALS_OPTIMIZER)[i]);
        t->seconds = mk_table_reals(s->trials, MK_TRIALS_SECONDS)[i];
        s->failed += failed;
        s->pruned += t->status == MK_TRIAL_PRUNED;
        s->infeasible += t->status == MK_TRIAL_INFEASIBLE;
        s->n++;
    }
    qsort(s->trial, s->n, sizeof *s->trial, by_number);
    for (size_t i = 0; i < s->n; i++)
        if (s->trial[i].whole &&
            (s->best_trial == SIZE_MAX || mk_study_better(s, s->trial[i].value, s->trial[s->best_trial].value)))
            s->best_trial = i;
    find_survivor(s);
    return MK_OK;
}

int mk_study_files_read(struct mk_study_files *s, const char *result, struct mk_error *err)
{
    *s = (struct mk_study_files){0};
    int code = mk_trials_read(&s->trials, result, err);
    if (!code) code = mk_table_check(s->trials, err);
    if (!code) code = read_again(s, result, err);
    if (!code) code = read_tree(&s->tune, result, ".tune.yaml", err);
    if (!code) code = read_tree(&s->best, result, ".best.yaml", err);
    if (!code) {
        read_metric(s);
        code = read_arms(s, err);
    }
    if (!code) code = read_trials(s, err);
    if (code) mk_study_files_clear(s);
    return code;
}

void mk_study_files_clear(struct mk_study_files *s)
{
    mk_table_free(s->trials);
    mk_table_free(s->again);
    mk_tree_free(s->tune);
    mk_tree_free(s->best);
    for (size_t k = 0; s->space && k < s->n_arms; k++) mk_space_free(s->space[k]);
    free(s->arm);
    free(s->space);
    free(s->trial);
    *s = (struct mk_study_files){0};
}

struct mk_study_arm mk_study_arm(const struct mk_study_files *s, size_t arm)
{
    struct mk_study_arm of = {.best = NAN};
    for (size_t i = 0; i < s->n; i++) {
        const struct mk_study_row *t = &s->trial[i];
        if (t->arm != arm) continue;
        of.trials++;
        of.failed += mk_trial_failed(t->status);
        of.pruned += t->status == MK_TRIAL_PRUNED;
        of.infeasible += t->status == MK_TRIAL_INFEASIBLE;
        if (!isnan(t->seconds)) of.seconds += t->seconds;
        if (t->whole && (isnan(of.best) || mk_study_better(s, t->value, of.best))) of.best = t->value;
    }
    return of;
}

const char *mk_metric_column(const char *name, char out[MK_METRIC_COLUMN])
{
    snprintf(out, MK_METRIC_COLUMN, "%s%s", mk_trials_metric_prefix, name);
    return out;
}
