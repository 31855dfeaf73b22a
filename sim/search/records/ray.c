/* Results of Ray Tune. The folder of a trial has result.json, a line of JSON for each report, with "trial_id",
 * "training_iteration", "time_total_s" and the hyperparameters in "config"; progress.csv, the same reports without the
 * hyperparameters, where a nested metric is the column a/b; and params.json, the hyperparameters. error.txt is there if
 * the trial has failed, though it may have succeeded later, which its last report then says ("done"). The folder of an
 * experiment has those of its trials. A report of fewer iterations than the last one is an evaluation in part, so the
 * last report of a trial counts, with the metric that the option names. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/text.h"
#include "sim/search/records/importer.h"

static const char key_trial[] = "trial_id", key_iteration[] = "training_iteration";

static bool is_json(const struct mk_import_head *head)
{
    return head->text[strspn(head->text, " \t\r\n")] == '{';
}

static bool recognises(const struct mk_import_head *head)
{
    if (head->is_folder) return true;
    if (!is_json(head)) return mk_import_has_column(head, key_trial) && mk_import_has_column(head, key_iteration);
    return strstr(head->text, "\"trial_id\"") && strstr(head->text, "\"training_iteration\"");
}

/* Whether the report has the metric, which need not be a number: "a/b" is b of a, as Ray Tune writes nested names. */
static bool find_metric(json_object *report, const char *name, double *value)
{
    json_object *flat = NULL;
    const char *slash = strchr(name, '/');
    char outer[200];
    const bool found = json_object_is_type(report, json_type_object) && json_object_object_get_ex(report, name, &flat);
    *value = mk_import_real(flat);
    if (found || !slash || (size_t)(slash - name) >= sizeof outer) return found;
    memcpy(outer, name, (size_t)(slash - name));
    outer[slash - name] = 0;
    return find_metric(mk_import_member(report, outer), slash + 1, value);
}

/* The names of metrics that the report may have as numbers, for a message. */
static const char *names_of(json_object *report, char *out, size_t room)
{
    static const char *const own[] = {
        "training_iteration", "time_this_iter_s",        "time_total_s", "timestamp", "pid",
        "time_since_restore", "iterations_since_restore"};
    const char *name[12];
    size_t n = 0;
    json_object_object_foreach(report, key, x)
    {
        bool is_own = !json_object_is_type(x, json_type_double) && !json_object_is_type(x, json_type_int);
        for (size_t i = 0; i < sizeof own / sizeof *own; i++) is_own |= strcmp(own[i], key) == 0;
        if (!is_own && n < sizeof name / sizeof *name) name[n++] = key;
    }
    return mk_join(name, n, out, room);
}

/* ---- the files of a trial ---- */

/* What is known of the trials of a file, or of the trial of a folder. */
struct log {
    json_object **report; /* [n] in their order */
    size_t n;
    json_object *parameters; /* of params.json; NULL: it is not there */
    bool error;              /* error.txt is there */
};

static void free_log(struct log *log)
{
    for (size_t i = 0; i < log->n; i++) json_object_put(log->report[i]);
    free(log->report);
    json_object_put(log->parameters);
}

static int read_lines(struct log *log, const char *path, struct mk_error *err)
{
    char *text = NULL;
    size_t length, line = 0;
    int code = mk_import_whole(path, &text, &length, err);
    for (char *at = text; !code && *at;) {
        const size_t n = strcspn(at, "\n");
        line++;
        if (strspn(at, " \t\r") < n) {
            if (!MK_GROW(log->report, log->n, 1)) code = mk_fail_memory(err, "reports");
            if (!code) code = mk_import_json_text(path, line, at, n, &log->report[log->n], err);
            log->n += !code;
        }
        at += n + (at[n] == '\n');
    }
    free(text);
    return code;
}

/* The row as the report that it is of. */
static int add_csv_row(struct log *log, const struct mk_csv *csv, struct mk_error *err)
{
    json_object *report = json_object_new_object();
    bool good = report && MK_GROW(log->report, log->n, 1);
    for (size_t i = 0; good && i < csv->n_columns; i++) {
        const struct mk_csv_cell *cell = &csv->cell[i];
        char *text = strndup(cell->text, cell->length);
        const bool number = text && strcmp(csv->column[i], key_trial) != 0 && mk_import_is_number(text, cell->length);
        json_object *x = !text    ? NULL
                         : number ? mk_import_new_number(text, cell->length)
                                  : json_object_new_string_len(text, (int)cell->length);
        good = x && !json_object_object_add(report, csv->column[i], x);
        if (!good) json_object_put(x);
        free(text);
    }
    if (good)
        log->report[log->n++] = report;
    else
        json_object_put(report);
    return good ? MK_OK : mk_fail_memory(err, "reports");
}

static int read_rows(struct log *log, const char *path, struct mk_error *err)
{
    struct mk_csv *csv = NULL;
    int code = mk_csv_open(&csv, path, err);
    while (!code && !(code = mk_csv_next(csv, err))) code = add_csv_row(log, csv, err);
    mk_csv_close(csv);
    return code == MK_CSV_END ? MK_OK : code;
}

/* The path of a file in a folder, or in that of another file if `next`; malloc'ed. */
static char *path_in(const char *folder, const char *name, bool next)
{
    const char *slash = strrchr(folder, '/');
    char *path = NULL;
    const int n = next ? asprintf(&path, "%.*s%s", slash ? (int)(slash + 1 - folder) : 0, folder, name)
                       : asprintf(&path, "%s/%s", folder, name);
    return n < 0 ? NULL : path;
}

/* *size <- that of a file, -1 where there is none. */
static int find_size(const char *folder, const char *name, bool next, char **path, int64_t *size, struct mk_error *err)
{
    struct stat s;
    *path = path_in(folder, name, next);
    if (!*path) return mk_fail_memory(err, "a file name");
    *size = stat(*path, &s) == 0 && S_ISREG(s.st_mode) ? (int64_t)s.st_size : -1;
    return MK_OK;
}

/* What is in the folder, or next to the file, but for the reports. */
static int read_beside(struct log *log, const char *path, bool is_file, struct mk_error *err)
{
    char *parameters = NULL, *error = NULL;
    int64_t n = -1, wrong = -1;
    int code = find_size(path, "params.json", is_file, &parameters, &n, err);
    if (!code) code = find_size(path, "error.txt", is_file, &error, &wrong, err);
    if (!code && n > 0) code = mk_import_json(parameters, &log->parameters, err);
    log->error = wrong >= 0;
    free(parameters);
    free(error);
    return code;
}

/* ---- evaluations ---- */

static bool is_done(json_object *report)
{
    json_object *done = mk_import_member(report, "done");
    return json_object_is_type(done, json_type_boolean)
               ? json_object_get_boolean(done)
               : json_object_is_type(done, json_type_string) && !strcmp(json_object_get_string(done), "True");
}

static int add_report(struct mk_import_job *job, const struct log *log, json_object *report, const char *path,
                      struct mk_error *err)
{
    json_object *config = mk_import_member(report, "config"), *id = mk_import_member(report, key_trial), *copy = NULL;
    const double at = mk_import_real(mk_import_member(report, "timestamp"));
    const bool failed = log->error && !is_done(report);
    double value;
    int added;
    if (!json_object_is_type(config, json_type_object)) config = log->parameters;
    if (!json_object_is_type(id, json_type_string) || !json_object_is_type(config, json_type_object))
        return mk_fail(err, MK_EINPUT, "%s: a report without \"trial_id\" or \"config\", and no params.json next to it",
                       path);
    if (mk_string_table_add(&job->trials, json_object_get_string(id), (size_t)json_object_get_string_len(id), &added) ==
        SIZE_MAX)
        return mk_fail_memory(err, "trials");
    if (!added) {
        job->again++;
        return MK_OK;
    }
    if (json_object_deep_copy(config, &copy, NULL)) return mk_fail_memory(err, "a configuration");
    find_metric(report, job->options->value, &value);
    const struct mk_import_row row = {.value = failed ? NAN : value,
                                      .cost = mk_import_real(mk_import_member(report, "time_total_s")),
                                      .status = failed ? "failed" : "missing",
                                      .order = isnan(at) ? INFINITY : at,
                                      .parameters = copy};
    return mk_import_add(job, &row, err);
}

/* The reports of a file, of which the last one of each trial counts. */
static int add_reports(struct mk_import_job *job, const struct log *log, const char *path, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t i = 0; i < log->n && !code; i++) {
        json_object *id = mk_import_member(log->report[i], key_trial);
        bool last = true;
        for (size_t k = i + 1; k < log->n && last; k++)
            last = !json_object_equal(id, mk_import_member(log->report[k], key_trial));
        if (last)
            code = add_report(job, log, log->report[i], path, err);
        else
            job->earlier++;
    }
    return code;
}

/* A trial without a report: it has failed, or not ended. */
static int add_silent(struct mk_import_job *job, const struct log *log, struct mk_error *err)
{
    json_object *copy = NULL;
    if (log->parameters && json_object_deep_copy(log->parameters, &copy, NULL))
        return mk_fail_memory(err, "a configuration");
    const struct mk_import_row row = {
        .value = NAN, .cost = NAN, .status = log->error ? "failed" : "open", .order = INFINITY, .parameters = copy};
    return mk_import_add(job, &row, err);
}

static int check_metric(const struct mk_import_job *job, const struct log *log, const char *path, struct mk_error *err)
{
    char all[300];
    double value;
    const char *name = job->options->value;
    for (size_t i = 0; name && i < log->n; i++)
        if (find_metric(log->report[i], name, &value)) return MK_OK;
    if (name && (!log->n || log->error)) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s: --value: %s; expected the metric, such as one of: %s", path,
                   name ? "not in any report" : "missing",
                   log->n ? names_of(log->report[log->n - 1], all, sizeof all) : "");
}

/* A file of reports, or what a trial has in its folder. */
static int add_file(struct mk_import_job *job, const char *path, bool is_csv, struct mk_error *err)
{
    struct log log = {0};
    int code = is_csv ? read_rows(&log, path, err) : read_lines(&log, path, err);
    if (!code) code = read_beside(&log, path, true, err);
    if (!code) code = check_metric(job, &log, path, err);
    if (!code && !job->options->maximize)
        code = mk_fail(err, MK_EINPUT,
                       "%s: --direction: missing; expected maximize or minimize, which reports do not say", path);
    if (!code) code = mk_import_direction(job, true, NULL, err);
    if (!code) code = add_reports(job, &log, path, err);
    free_log(&log);
    return code;
}

/* *is_trial <- whether the folder is that of a trial, which is added. */
static int add_trial(struct mk_import_job *job, const char *folder, bool *is_trial, struct mk_error *err)
{
    struct log log = {0};
    char *json = NULL, *csv = NULL;
    int64_t size[2] = {-1, -1};
    int code = find_size(folder, "result.json", false, &json, &size[0], err);
    if (!code) code = find_size(folder, "progress.csv", false, &csv, &size[1], err);
    if (!code) code = read_beside(&log, folder, false, err);
    *is_trial = size[0] >= 0 || size[1] >= 0 || log.parameters;
    if (!code && (size[0] > 0 || size[1] > 0))
        code = add_file(job, size[0] > 0 ? json : csv, size[0] <= 0, err);
    else if (!code && *is_trial)
        code = add_silent(job, &log, err);
    free_log(&log);
    free(json);
    free(csv);
    return code;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* The folder of a trial, or of an experiment. */
static int add_folder(struct mk_import_job *job, struct mk_error *err)
{
    struct dirent **entry = NULL;
    size_t trials = 0;
    bool is_trial = false;
    int code = add_trial(job, job->path, &is_trial, err);
    if (code || is_trial) return code;
    const int n = scandir(job->path, &entry, NULL, by_name);
    if (n < 0) return mk_fail(err, MK_EINPUT, "%s: cannot be read: %s", job->path, strerror(errno));
    for (int i = 0; i < n; i++) {
        const bool skipped = code || *entry[i]->d_name == '.';
        char *path = skipped ? NULL : path_in(job->path, entry[i]->d_name, false);
        struct stat s;
        if (!skipped && !path) code = mk_fail_memory(err, "a file name");
        if (path && !stat(path, &s) && S_ISDIR(s.st_mode)) code = add_trial(job, path, &is_trial, err);
        trials += is_trial;
        is_trial = false;
        free(path);
        free(entry[i]);
    }
    free(entry);
    return code || trials ? code
                          : mk_fail(err, MK_EINPUT,
                                    "%s: expected the folder of a trial or of an experiment of Ray Tune, with files "
                                    "result.json or progress.csv",
                                    job->path);
}

/* The file may be the instance or the repetition; a report has no columns. */
static int take_files(struct mk_import_job *job, struct mk_error *err)
{
    const struct mk_import_options *o = job->options;
    const char *const given[] = {o->instance, o->repetition, o->iteration, o->cost};
    static const char *const name[] = {"instance", "repetition", "iteration", "cost"};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        const bool by_file = i < 2, is_file = by_file && given[i] && strcmp(given[i], "file") == 0;
        if (by_file) job->by_file[i] = is_file;
        if (given[i] && !is_file)
            return mk_fail(err, MK_EINPUT, "%s: --%s: names a column, and this file is no table", job->path, name[i]);
    }
    return MK_OK;
}

static int read(struct mk_import_job *job, struct mk_error *err)
{
    int code = take_files(job, err);
    if (code) return code;
    if (job->head->is_folder) return add_folder(job, err);
    return add_file(job, job->path, !is_json(job->head), err);
}

const struct mk_importer mk_importer_ray = {
    .name = "ray",
    .about = "trials of Ray Tune (folder of an experiment or a trial, result.json, progress.csv)",
    .recognises = recognises,
    .read = read};
