/* The trials of a study, from the files that maxk tune leaves next to its result. */
#include "analysis/tables/trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/tables/table_type.h"
#include "sim/base/csv.h"

static const struct mk_column columns[] = {MK_TRIALS_COLUMNS(MK_COLUMN_DESCRIPTOR)};
static const struct mk_column times_columns[] = {MK_TIMES_COLUMNS(MK_COLUMN_DESCRIPTOR)};
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("trials of a study", columns, NULL);
const struct mk_table_schema mk_trials_file_schema = {
    .title = "trials of a study", .column = columns, .n_columns = MK_TRIALS_SECONDS};
const struct mk_table_schema mk_times_file_schema = MK_TABLE_SCHEMA("times of trials", times_columns, NULL);

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

/* The rows of a file that has the first n columns of t; times: where the others come from, NULL: there are none. */
static int read_rows(struct mk_table *t, size_t n, const char *path, const struct mk_table *times, struct mk_error *err)
{
    struct mk_csv *csv = NULL;
    int at[MK_TRIALS_WHY + 1], code = mk_csv_open(&csv, path, err);
    for (size_t i = 0; i < n && !code; i++) {
        const char *name = mk_table_column(t, i)->name;
        at[i] = mk_csv_find(csv, name);
        if (at[i] < 0)
            code = mk_fail(err, MK_EINPUT, "%s:1: %s: expected a column of this name, as in the trials of maxk tune",
                           path, name);
    }
    while (!code && !(code = mk_csv_next(csv, err))) {
        for (size_t i = 0; i < n && !code; i++) code = set_cell(t, i, csv, (size_t)at[i], err);
        if (!code && times) set_time(t, times, trial_of(csv, at[MK_TRIALS_TRIAL]));
        if (!code) mk_table_end_row(t);
    }
    mk_csv_close(csv);
    return code == MK_CSV_END ? MK_OK : code;
}

/* ---- the table ---- */

static int make(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    char *csv = mk_trials_path(call->input[0], ".csv"), *seconds = mk_trials_path(call->input[0], ".times.csv");
    struct mk_table *t = NULL, *times = NULL;
    int code = csv && seconds ? mk_table_new(&times, &mk_times_file_schema, err) : mk_fail_memory(err, "trials");
    if (!code && !access(seconds, F_OK)) code = read_rows(times, MK_TIMES_WHY + 1, seconds, NULL, err);
    if (!code) code = mk_table_check(times, err);
    if (!code) code = mk_table_new(&t, &schema, err);
    if (!code) code = read_rows(t, MK_TRIALS_SECONDS, csv, times, err);
    mk_table_free(times);
    free(csv);
    free(seconds);
    return mk_table_made(out, t, code, err);
}

static const char *inapplicable(struct mk_result *r)
{
    char *path = mk_trials_path(mk_result_info(r)->path, ".csv");
    struct mk_csv *csv = NULL;
    struct mk_error ignored;
    const bool found = path && !access(path, R_OK) && !mk_csv_open(&csv, path, &ignored) &&
                       mk_csv_find(csv, "trial") >= 0 && mk_csv_find(csv, "configuration") >= 0;
    mk_csv_close(csv);
    free(path);
    return found ? NULL : "it is not a study of maxk tune, or its trials are not next to it";
}

static const struct mk_table_schema *const schemas[] = {&schema, NULL};

const struct mk_table_type mk_table_trials = {
    .usage = {"trials", "OUT.h5", "The trials of a study, from the files that maxk tune leaves next to its result.", 1,
              1},
    .summary = "trials of a study: configurations, losses, seconds, failures",
    .schema = schemas,
    .inapplicable = inapplicable,
    .make = make};
