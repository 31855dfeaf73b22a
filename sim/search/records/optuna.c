/* Studies of Optuna: its SQLite file (optuna/storages/_rdb/models.py, schema 12 of Optuna 3), of which each study is an
 * instance, and the CSV file of Study.trials_dataframe(). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <sqlite3.h>

#include "sim/base/error.h"
#include "sim/base/input_path.h"
#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/search/records/importer.h"

static bool is_database(const struct mk_import_head *head)
{
    static const char magic[] = "SQLite format 3";
    return head->length > sizeof magic && memcmp(head->text, magic, sizeof magic) == 0;
}

static bool recognises(const struct mk_import_head *head)
{
    return is_database(head) ||
           (mk_import_has_column(head, "number") && mk_import_has_column(head, "state") &&
            (mk_import_has_column(head, "datetime_start") || mk_import_has_column_like(head, "params_")));
}

/* ---- the SQLite file ---- */

enum { BUSY_MS = 2000, STEPS_AT_A_TIME = 1 << 16 };
/* What a query may take of SQLite's machine: a file without end is no file of Optuna. */
static const double steps_at_least = 2e8, steps_per_byte = 2e3;

struct database {
    struct mk_import_job *job;
    sqlite3 *sqlite;
    double steps, most_steps;
    struct mk_error *err;
};

static int failed(const struct database *d)
{
    const char *path = d->job->path;
    switch (d->sqlite ? sqlite3_errcode(d->sqlite) & 0xff : SQLITE_NOMEM) {
    case SQLITE_NOMEM: return mk_fail_memory(d->err, path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return mk_fail(d->err, MK_EINPUT, "%s: locked by a program that writes it; try again when it has finished",
                       path);
    case SQLITE_INTERRUPT:
        return mk_fail(d->err, MK_EINPUT, "%s: reading takes more steps than a file of Optuna of its size needs", path);
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
        return mk_fail(d->err, MK_EINPUT,
                       "%s: cannot be opened (%s); a database with a write-ahead log, a file of the same name with "
                       "-wal, needs a folder that can be written: copy both",
                       path, sqlite3_errmsg(d->sqlite));
    case SQLITE_IOERR: return mk_fail(d->err, MK_EIO, "%s: cannot be read: %s", path, sqlite3_errmsg(d->sqlite));
    default: return mk_fail(d->err, MK_EINPUT, "%s: not a study of Optuna: %s", path, sqlite3_errmsg(d->sqlite));
    }
}

static int count_steps(void *context)
{
    struct database *d = context;
    d->steps += STEPS_AT_A_TIME;
    return d->steps > d->most_steps;
}

/* A query, of which `first` is the parameter; NULL: that is NULL. */
static int prepare(const struct database *d, const char *text, const char *first, sqlite3_stmt **out)
{
    if (sqlite3_prepare_v2(d->sqlite, text, -1, out, NULL) != SQLITE_OK) return failed(d);
    return !first || sqlite3_bind_text(*out, 1, first, -1, SQLITE_STATIC) == SQLITE_OK ? MK_OK : failed(d);
}

/* *out <- the text of a column, "" for NULL, valid until the next row. */
static int text_of(const struct database *d, sqlite3_stmt *row, int column, const char **out)
{
    *out = (const char *)sqlite3_column_text(row, column);
    if (!*out && sqlite3_column_type(row, column) != SQLITE_NULL) return mk_fail_memory(d->err, d->job->path);
    if (!*out) *out = "";
    return MK_OK;
}

/* *out <- a number; of another type is an error. */
static int number_of(const struct database *d, sqlite3_stmt *row, int column, const char *what, sqlite3_int64 trial,
                     double *out)
{
    const int type = sqlite3_column_type(row, column);
    char clip[MK_CLIP_ROOM];
    const char *text;
    *out = sqlite3_column_double(row, column);
    if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) return MK_OK;
    const int code = text_of(d, row, column, &text);
    return code ? code
                : mk_fail(d->err, MK_EINPUT, "%s: trial_id %lld: %s: expected a number, got '%s'", d->job->path,
                          (long long)trial, what, mk_clip(text, clip));
}

/* A value of a hyperparameter, which the file has as a number: of a categorical one the position among the choices. */
static int parameter_of(const struct database *d, sqlite3_int64 trial, const char *name, double value,
                        const char *distribution, json_object **out)
{
    json_object *all = NULL;
    char place[400], clip[MK_CLIP_ROOM];
    snprintf(place, sizeof place, "%.200s: trial_id %lld: %s: distribution_json", d->job->path, (long long)trial,
             mk_clip(name, clip));
    int code = mk_import_json_text(place, 0, distribution, strlen(distribution), &all, d->err);
    json_object *kind = mk_import_member(all, "name");
    json_object *choices = mk_import_member(mk_import_member(all, "attributes"), "choices");
    const char *text = json_object_is_type(kind, json_type_string) ? json_object_get_string(kind) : "";
    const bool categorical = strstr(text, "Categorical") != NULL;
    *out = NULL;
    if (!code && (!*text || (categorical && !json_object_is_type(choices, json_type_array))))
        code = mk_fail(d->err, MK_EINPUT, "%s: expected a name and, of a categorical one, a list of choices", place);
    if (!code && categorical) {
        if (!(value >= 0 && value < (double)json_object_array_length(choices) && value == floor(value))) {
            code = mk_fail(d->err, MK_EINPUT, "%s: %g is not the place of a choice", place, value);
        } else {
            json_object *choice = json_object_array_get_idx(choices, (size_t)value);
            *out = choice ? json_object_get(choice) : json_object_new_string("null");
        }
    } else if (!code) {
        const bool whole = strstr(text, "Int") && fabs(value) <= MK_EXACT_MAX && value == floor(value);
        *out = whole ? json_object_new_int64((int64_t)value) : json_object_new_double(value);
    }
    json_object_put(all);
    return code || *out ? code : mk_fail_memory(d->err, "a configuration");
}

/* Adds the hyperparameter of the current row. */
static int add_parameter(const struct database *d, sqlite3_stmt *row, sqlite3_int64 trial, json_object *to)
{
    const char *name, *distribution;
    json_object *x = NULL;
    double value;
    int code = text_of(d, row, 1, &name);
    if (!code) code = number_of(d, row, 2, name, trial, &value);
    if (!code) code = text_of(d, row, 3, &distribution);
    if (!code) code = parameter_of(d, trial, name, value, distribution, &x);
    if (!code && json_object_object_add(to, name, x)) {
        json_object_put(x);
        code = mk_fail_memory(d->err, "a configuration");
    }
    return code;
}

/* A query of the hyperparameters, which is read along with that of the trials: both have the same order. */
struct parameters {
    sqlite3_stmt *query;
    int step;
};

static int parameters_of(const struct database *d, struct parameters *p, sqlite3_int64 trial, json_object **out)
{
    int code = MK_OK;
    *out = json_object_new_object();
    if (!*out) return mk_fail_memory(d->err, "a configuration");
    while (!code && p->step == SQLITE_ROW && sqlite3_column_int64(p->query, 0) == trial) {
        if (sqlite3_column_type(p->query, 4) != SQLITE_NULL) code = add_parameter(d, p->query, trial, *out);
        p->step = sqlite3_step(p->query);
    }
    if (!code && p->step != SQLITE_ROW && p->step != SQLITE_DONE) code = failed(d);
    if (!code) return MK_OK;
    json_object_put(*out);
    *out = NULL;
    return code;
}

/* One direction for all studies that are read, and one objective each. */
static int read_directions(const struct database *d)
{
    struct mk_import_job *job = d->job;
    sqlite3_stmt *query = NULL;
    char clip[MK_CLIP_ROOM];
    const int objective = job->options->objective;
    char sql[400];
    snprintf(sql, sizeof sql,
             "SELECT s.study_name, count(*), max(CASE WHEN %d OR d.objective = %d THEN d.direction END) FROM studies s "
             "JOIN study_directions d ON d.study_id = s.study_id "
             "WHERE ?1 IS NULL OR s.study_name = ?1 GROUP BY s.study_id ORDER BY s.study_id",
             !objective, objective - 1);
    int code = prepare(d, sql, job->options->instance, &query);
    int n = 0, step = SQLITE_DONE;
    bool maximize = false;
    while (!code && (step = sqlite3_step(query)) == SQLITE_ROW) {
        const char *name, *direction;
        code = text_of(d, query, 0, &name);
        if (!code && objective > sqlite3_column_int(query, 1))
            code = mk_fail(d->err, MK_EINPUT, "%s: --objective: expected 1 to %d, got %d", job->path,
                           sqlite3_column_int(query, 1), objective);
        if (!code) code = text_of(d, query, 2, &direction);
        if (code) break;
        const bool up = strcmp(direction, "MAXIMIZE") == 0;
        mk_clip(name, clip);
        if (sqlite3_column_int(query, 1) != 1 && !objective)
            code = mk_fail(d->err, MK_EINPUT, "%s: study %s has %d objectives; expected one, or --objective N",
                           job->path, clip, sqlite3_column_int(query, 1));
        else if (!up && strcmp(direction, "MINIMIZE") != 0)
            code = mk_fail(d->err, MK_EINPUT, "%s: study %s: expected the direction MAXIMIZE or MINIMIZE", job->path,
                           clip);
        else if (n++ && up != maximize)
            code =
                mk_fail(d->err, MK_EINPUT,
                        "%s: study %s has another direction than those before it; read them one by one with --instance",
                        job->path, clip);
        maximize = up;
    }
    if (!code && step != SQLITE_DONE) code = failed(d);
    sqlite3_finalize(query);
    if (!code && !n)
        code = job->options->instance ? mk_fail(d->err, MK_EINPUT, "%s: --instance: no study '%s'", job->path,
                                                mk_clip(job->options->instance, clip))
                                      : mk_fail(d->err, MK_EINPUT, "%s: no studies", job->path);
    return code ? code : mk_import_direction(job, maximize, NULL, d->err);
}

/* The value of a trial that is complete, NaN: it has none. */
static int value_of(const struct database *d, sqlite3_stmt *row, sqlite3_int64 trial, double *out)
{
    const char *type;
    const int code = text_of(d, row, 5, &type);
    *out = NAN;
    if (code || sqlite3_column_type(row, 4) == SQLITE_NULL || strncmp(type, "INF", 3) == 0) return code;
    return number_of(d, row, 4, "value", trial, out);
}

static int add_trial(const struct database *d, sqlite3_stmt *row, struct parameters *p)
{
    const sqlite3_int64 trial = sqlite3_column_int64(row, 0);
    struct mk_import_row e = {.value = NAN, .cost = sqlite3_column_double(row, 6)};
    const char *state;
    char clip[MK_CLIP_ROOM];
    int code = text_of(d, row, 3, &state);
    const bool complete = !code && strcmp(state, "COMPLETE") == 0;
    if (!code && !(e.status = mk_import_status(state, strlen(state))))
        code = mk_fail(d->err, MK_EINPUT, "%s: trial_id %lld: state: expected one of Optuna, got '%s'", d->job->path,
                       (long long)trial, mk_clip(state, clip));
    if (!code) code = number_of(d, row, 2, "number", trial, &e.order);
    if (!code && complete) code = value_of(d, row, trial, &e.value);
    if (!code) code = parameters_of(d, p, trial, &e.parameters);
    if (!code) code = text_of(d, row, 1, &e.instance);
    if (!code) return mk_import_add(d->job, &e, d->err);
    json_object_put(e.parameters);
    return code;
}

static int add_trials(const struct database *d, sqlite3_stmt *trials, struct parameters *p)
{
    int step = SQLITE_DONE, code = MK_OK;
    sqlite3_int64 before = 0;
    p->step = sqlite3_step(p->query);
    for (size_t i = 0; !code && (step = sqlite3_step(trials)) == SQLITE_ROW; i++) {
        const sqlite3_int64 trial = sqlite3_column_int64(trials, 0);
        if (i && trial == before)
            code = mk_fail(d->err, MK_EINPUT, "%s: trial_id %lld has several values; expected one", d->job->path,
                           (long long)trial);
        else
            code = add_trial(d, trials, p);
        before = trial;
    }
    return code || step == SQLITE_DONE ? code : failed(d);
}

/* Whole seconds, and what follows the point, which SQLite's functions round to milliseconds. */
#define SECONDS(column) "strftime('%s', substr(t." column ", 1, 19)) + CAST('0' || substr(t." column ", 20) AS REAL)"
#define OF_STUDIES "FROM trials t JOIN studies s ON s.study_id = t.study_id "
#define IN_ORDER "WHERE ?1 IS NULL OR s.study_name = ?1 ORDER BY s.study_id, t.number, t.trial_id"

static int read_trials(const struct database *d)
{
    sqlite3_stmt *trials = NULL;
    struct parameters p = {NULL, SQLITE_DONE};
    const int objective = d->job->options->objective;
    char sql[1000];
    snprintf(sql, sizeof sql,
             "SELECT t.trial_id, s.study_name, t.number, t.state, v.value, v.value_type, %s - (%s) " OF_STUDIES
             "LEFT JOIN trial_values v ON v.trial_id = t.trial_id AND (%d OR v.objective = %d) " IN_ORDER,
             SECONDS("datetime_complete"), SECONDS("datetime_start"), !objective, objective - 1);
    int code = prepare(d, sql, d->job->options->instance, &trials);
    if (!code)
        code = prepare(d,
                       "SELECT t.trial_id, p.param_name, p.param_value, p.distribution_json, p.param_id " OF_STUDIES
                       "LEFT JOIN trial_params p ON p.trial_id = t.trial_id " IN_ORDER ", p.param_id",
                       d->job->options->instance, &p.query);
    if (!code) code = add_trials(d, trials, &p);
    sqlite3_finalize(trials);
    sqlite3_finalize(p.query);
    return code;
}

/* Everything that is read is a table of its own: a view or a virtual table may do anything. */
static int check_tables(const struct database *d)
{
    static const char *const needed[] = {"studies", "study_directions", "trials", "trial_values", "trial_params"};
    int code = MK_OK;
    for (size_t i = 0; !code && i < sizeof needed / sizeof *needed; i++) {
        sqlite3_stmt *query = NULL;
        code = prepare(d, "SELECT rootpage FROM sqlite_master WHERE lower(name) = ?1", needed[i], &query);
        const int step = code ? SQLITE_DONE : sqlite3_step(query);
        if (!code && step != SQLITE_ROW && step != SQLITE_DONE) code = failed(d);
        if (!code && step == SQLITE_DONE)
            code = mk_fail(d->err, MK_EINPUT, "%s: not a study of Optuna: no such table: %s", d->job->path, needed[i]);
        else if (!code && !sqlite3_column_int64(query, 0))
            code = mk_fail(d->err, MK_EINPUT, "%s: not a study of Optuna: %s is no table but a view or virtual",
                           d->job->path, needed[i]);
        sqlite3_finalize(query);
    }
    return code;
}

/* A file that cannot be found by its name, such as a pipe that was kept, or one with a write-ahead log that is empty in
 * a folder that cannot be written, is read from memory. */
static int open_in_memory(struct database *d)
{
    enum { WRITE_VERSION = 18, READ_VERSION = 19, HEADER = 100 };
    char *content = NULL;
    size_t n = 0;
    int code = mk_import_whole(d->job->path, &content, &n, d->err);
    if (code) return code;
    if (n > HEADER) content[WRITE_VERSION] = content[READ_VERSION] = 1; /* no write-ahead log */
    sqlite3_close(d->sqlite);
    d->sqlite = NULL;
    const int opened = sqlite3_open_v2(":memory:", &d->sqlite, SQLITE_OPEN_READWRITE, NULL);
    unsigned char *own = opened == SQLITE_OK ? sqlite3_malloc64(n) : NULL;
    if (own) memcpy(own, content, n);
    free(content);
    if (!own) return mk_fail_memory(d->err, d->job->path);
    return sqlite3_deserialize(d->sqlite, "main", own, (sqlite3_int64)n, (sqlite3_int64)n,
                               SQLITE_DESERIALIZE_READONLY | SQLITE_DESERIALIZE_FREEONCLOSE) == SQLITE_OK
               ? MK_OK
               : failed(d);
}

/* Whether there is a write-ahead log with something in it. */
static bool has_log(const char *path)
{
    char name[MK_PATH_ROOM];
    struct stat s;
    return snprintf(name, sizeof name, "%s-wal", path) < (int)sizeof name && stat(name, &s) == 0 && s.st_size > 0;
}

/* Whether something can be read, which SQLite only tries when it has to. */
static bool works(sqlite3 *sqlite)
{
    return sqlite3_exec(sqlite, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL) == SQLITE_OK;
}

static int open_database(struct database *d)
{
    char name[MK_PATH_ROOM];
    const char *path = mk_readable_path(d->job->path);
    struct stat s;
    const bool real = realpath(path, name) && stat(name, &s) == 0;
    int opened = SQLITE_CANTOPEN;
    if (real) opened = sqlite3_open_v2(name, &d->sqlite, SQLITE_OPEN_READONLY, NULL);
    if (opened == SQLITE_NOMEM) return mk_fail_memory(d->err, path);
    if (opened == SQLITE_OK) {
        sqlite3_busy_timeout(d->sqlite, BUSY_MS);
        if (works(d->sqlite)) return MK_OK;
        const int why = sqlite3_errcode(d->sqlite) & 0xff; /* not a database: it is gzip */
        if ((why != SQLITE_CANTOPEN && why != SQLITE_READONLY && why != SQLITE_NOTADB) || has_log(name))
            return failed(d);
    }
    return open_in_memory(d);
}

static int read_database(struct mk_import_job *job, struct mk_error *err)
{
    struct database d = {.job = job, .err = err};
    struct stat s;
    int code = mk_import_no_columns(job, false, err);
    if (!code) code = open_database(&d);
    if (!code) {
        static const int off[] = {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_VIEW,
                                  SQLITE_DBCONFIG_ENABLE_TRIGGER};
        for (size_t i = 0; i < sizeof off / sizeof *off; i++) sqlite3_db_config(d.sqlite, off[i], 0, NULL);
        const double size = stat(mk_readable_path(job->path), &s) == 0 ? (double)s.st_size : 0;
        d.most_steps = steps_at_least + steps_per_byte * size;
        sqlite3_progress_handler(d.sqlite, STEPS_AT_A_TIME, count_steps, &d);
        code = check_tables(&d);
    }
    if (!code) code = read_directions(&d);
    if (!code) code = read_trials(&d);
    job->to->has_studies = true;
    if (!code) code = mk_import_note(job->to, err, "iterations: by the number of the trial");
    sqlite3_close(d.sqlite);
    return code;
}

/* ---- the CSV file ---- */

static const struct mk_table_preset preset = {.value = "value",
                                              .status = "state",
                                              .order = "number",
                                              .cost = "duration",
                                              .parameter_prefix = "params_",
                                              .direction = -1,
                                              .direction_why = "which is Optuna's default; the file does not say it"};

static int read(struct mk_import_job *job, struct mk_error *err)
{
    return is_database(job->head) ? read_database(job, err) : mk_import_table(job, &preset, err);
}

const struct mk_importer mk_importer_optuna = {.name = "optuna",
                                               .about = "studies of Optuna (SQLite file, or CSV of trials_dataframe)",
                                               .recognises = recognises,
                                               .read = read};
