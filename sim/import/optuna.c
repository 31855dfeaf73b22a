/* Studies of Optuna: its SQLite file (optuna/storages/_rdb/models.py, schema 12 of Optuna 3), of which each study is an
 * instance, and the CSV file of Study.trials_dataframe(). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "sim/base/error.h"
#include "sim/base/input_path.h"
#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/import/importer.h"

static bool is_database(const struct mk_import_head *head)
{
    static const char magic[] = "SQLite format 3";
    return head->length > sizeof magic && memcmp(head->text, magic, sizeof magic) == 0;
}

static bool recognises(const struct mk_import_head *head)
{
    return is_database(head) || (mk_import_has_column(head, "number") && mk_import_has_column(head, "state") &&
                                 mk_import_has_column(head, "datetime_start"));
}

/* ---- the SQLite file ---- */

static int failed(const char *path, sqlite3 *db, struct mk_error *err)
{
    const int code = db ? sqlite3_errcode(db) : SQLITE_NOMEM;
    if (code == SQLITE_NOMEM) return mk_fail_memory(err, path);
    return mk_fail(err, code == SQLITE_IOERR ? MK_EIO : MK_EINPUT, "%s: not a study of Optuna: %s", path,
                   sqlite3_errmsg(db));
}

static int prepare(const char *path, sqlite3 *db, const char *text, sqlite3_stmt **out, struct mk_error *err)
{
    return sqlite3_prepare_v2(db, text, -1, out, NULL) == SQLITE_OK ? MK_OK : failed(path, db, err);
}

static const char *text_of(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? text : "";
}

/* A value of a hyperparameter, which the file has as a number: of a categorical one the position among the choices;
 * NULL: no memory. */
static json_object *parameter_of(double value, const char *distribution)
{
    json_object *all = json_tokener_parse(distribution), *x = NULL;
    const char *name = json_object_get_string(mk_import_member(all, "name"));
    json_object *choices = mk_import_member(mk_import_member(all, "attributes"), "choices");
    if (choices && value >= 0 && value < (double)json_object_array_length(choices)) {
        json_object *choice = json_object_array_get_idx(choices, (size_t)value);
        x = choice ? json_object_get(choice) : json_object_new_string("null");
    } else if (name && strstr(name, "Int") && fabs(value) <= MK_EXACT_MAX) {
        x = json_object_new_int64((int64_t)value);
    } else {
        x = json_object_new_double(value);
    }
    json_object_put(all);
    return x;
}

static int parameters_of(const char *path, sqlite3 *db, sqlite3_stmt *query, sqlite3_int64 trial, json_object **out,
                         struct mk_error *err)
{
    int step = SQLITE_DONE, code = MK_OK;
    *out = json_object_new_object();
    if (!*out) return mk_fail_memory(err, "a configuration");
    sqlite3_reset(query);
    sqlite3_bind_int64(query, 1, trial);
    while (!code && (step = sqlite3_step(query)) == SQLITE_ROW) {
        json_object *x = parameter_of(sqlite3_column_double(query, 1), text_of(query, 2));
        if (!x || json_object_object_add(*out, text_of(query, 0), x)) code = mk_fail_memory(err, "a configuration");
    }
    if (!code && step != SQLITE_DONE) code = failed(path, db, err);
    if (code) json_object_put(*out);
    return code;
}

/* NULL: it has not ended. */
static const char *status_of(const char *state)
{
    if (strcmp(state, "COMPLETE") == 0) return "missing"; /* unless it has a value */
    if (strcmp(state, "PRUNED") == 0) return "pruned";
    return strcmp(state, "FAIL") == 0 ? "failed" : NULL;
}

/* One direction for all studies that are read, and one objective each. */
static int read_directions(struct mk_import_job *job, sqlite3 *db, struct mk_error *err)
{
    sqlite3_stmt *query = NULL;
    char clip[MK_CLIP_ROOM];
    int code = prepare(job->path, db,
                       "SELECT s.study_name, count(*), max(d.direction) FROM studies s "
                       "JOIN study_directions d ON d.study_id = s.study_id "
                       "WHERE ?1 IS NULL OR s.study_name = ?1 GROUP BY s.study_id ORDER BY s.study_id",
                       &query, err);
    int n = 0, step = SQLITE_DONE;
    bool maximize = false;
    if (!code && job->options->instance) sqlite3_bind_text(query, 1, job->options->instance, -1, SQLITE_STATIC);
    while (!code && (step = sqlite3_step(query)) == SQLITE_ROW) {
        const char *name = mk_clip(text_of(query, 0), clip);
        const bool up = strcmp(text_of(query, 2), "MAXIMIZE") == 0;
        if (sqlite3_column_int(query, 1) != 1)
            code = mk_fail(err, MK_EINPUT, "%s: study %s has %d objectives; expected one", job->path, name,
                           sqlite3_column_int(query, 1));
        else if (n++ && up != maximize)
            code =
                mk_fail(err, MK_EINPUT,
                        "%s: study %s has another direction than those before it; read them one by one with --instance",
                        job->path, name);
        maximize = up;
    }
    if (!code && step != SQLITE_DONE) code = failed(job->path, db, err);
    sqlite3_finalize(query);
    if (!code && !n)
        code = job->options->instance ? mk_fail(err, MK_EINPUT, "%s: --instance: no study '%s'", job->path,
                                                mk_clip(job->options->instance, clip))
                                      : mk_fail(err, MK_EINPUT, "%s: no studies", job->path);
    return code ? code : mk_import_direction(job, maximize, NULL, err);
}

static int add_trials(struct mk_import_job *job, sqlite3 *db, sqlite3_stmt *trials, sqlite3_stmt *parameters,
                      struct mk_error *err)
{
    int step = SQLITE_DONE, code = MK_OK;
    if (job->options->instance) sqlite3_bind_text(trials, 1, job->options->instance, -1, SQLITE_STATIC);
    while (!code && (step = sqlite3_step(trials)) == SQLITE_ROW) {
        const char *status = status_of(text_of(trials, 3));
        const bool has_value = strcmp(text_of(trials, 3), "COMPLETE") == 0 &&
                               sqlite3_column_type(trials, 4) != SQLITE_NULL &&
                               strncmp(text_of(trials, 5), "INF", 3) != 0;
        json_object *x = NULL;
        if (!status) continue;
        code = parameters_of(job->path, db, parameters, sqlite3_column_int64(trials, 0), &x, err);
        if (!code)
            code = mk_import_add(job,
                                 &(struct mk_import_row){.instance = text_of(trials, 1),
                                                         .value = has_value ? sqlite3_column_double(trials, 4) : NAN,
                                                         .cost = sqlite3_column_double(trials, 6),
                                                         .order = sqlite3_column_double(trials, 2),
                                                         .status = status,
                                                         .parameters = x},
                                 err);
    }
    return code || step == SQLITE_DONE ? code : failed(job->path, db, err);
}

static int read_database(struct mk_import_job *job, struct mk_error *err)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *trials = NULL, *parameters = NULL;
    int code = sqlite3_open_v2(mk_readable_path(job->path), &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK
                   ? MK_OK
                   : failed(job->path, db, err);
    if (!code) code = read_directions(job, db, err);
    if (!code)
        code = prepare(job->path, db,
                       "SELECT t.trial_id, s.study_name, t.number, t.state, v.value, v.value_type, "
                       "(julianday(t.datetime_complete) - julianday(t.datetime_start)) * 86400 "
                       "FROM trials t JOIN studies s ON s.study_id = t.study_id "
                       "LEFT JOIN trial_values v ON v.trial_id = t.trial_id "
                       "WHERE ?1 IS NULL OR s.study_name = ?1 ORDER BY s.study_id, t.number",
                       &trials, err);
    if (!code)
        code = prepare(job->path, db,
                       "SELECT param_name, param_value, distribution_json FROM trial_params WHERE trial_id = ?1 "
                       "ORDER BY param_id",
                       &parameters, err);
    if (!code) code = add_trials(job, db, trials, parameters, err);
    if (!code) code = mk_import_note(job->to, err, "instances: the studies; iterations: by the number of the trial");
    sqlite3_finalize(trials);
    sqlite3_finalize(parameters);
    sqlite3_close(db);
    return code;
}

/* ---- the CSV file ---- */

static const struct mk_table_preset preset = {.value = "value",
                                              .status = "state",
                                              .order = "number",
                                              .cost = "duration",
                                              .parameter_prefix = "params_",
                                              .done = "COMPLETE",
                                              .open = "RUNNING|WAITING",
                                              .pruned = "PRUNED",
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
