/* Results of Ray Tune: the file result.json of a trial, a line of JSON for each report, with "trial_id",
 * "training_iteration", "time_total_s" and the hyperparameters in "config". A report of fewer iterations than the last
 * one is an evaluation in part, so the last report of a trial counts: as its value, or, where the option says so, the
 * value of another metric. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/text.h"
#include "sim/search/records/importer.h"

static bool recognises(const struct mk_import_head *head)
{
    return head->text[strspn(head->text, " \t\r\n")] == '{' && strstr(head->text, "\"trial_id\"") &&
           strstr(head->text, "\"training_iteration\"") && strstr(head->text, "\"config\"");
}

/* The metric: "a/b" is b of a, as Ray Tune writes names of nested ones. */
static double metric_of(json_object *report, const char *name)
{
    json_object *flat = mk_import_member(report, name);
    const char *slash = strchr(name, '/');
    char outer[200];
    if (flat || !slash || (size_t)(slash - name) >= sizeof outer) return flat ? mk_import_real(flat) : NAN;
    memcpy(outer, name, (size_t)(slash - name));
    outer[slash - name] = 0;
    return metric_of(mk_import_member(report, outer), slash + 1);
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

static int add_report(struct mk_import_job *job, json_object *report, struct mk_error *err)
{
    json_object *config = mk_import_member(report, "config"), *id = mk_import_member(report, "trial_id");
    const char *trial = json_object_is_type(id, json_type_string) ? json_object_get_string(id) : NULL;
    const struct mk_import_row row = {.value = metric_of(report, job->options->value),
                                      .cost = mk_import_real(mk_import_member(report, "time_total_s")),
                                      .status = "missing",
                                      .order = mk_import_real(mk_import_member(report, "timestamp")),
                                      .parameters = json_object_get(config)};
    if (trial && json_object_is_type(config, json_type_object)) return mk_import_add(job, &row, err);
    json_object_put(row.parameters);
    return mk_fail(err, MK_EINPUT, "%s: a report without \"trial_id\" or \"config\"", job->path);
}

/* The reports of a file, of which the last one of each trial counts. */
static int add_reports(struct mk_import_job *job, json_object *const *report, size_t n, size_t *dropped,
                       struct mk_error *err)
{
    int code = MK_OK;
    for (size_t i = 0; i < n && !code; i++) {
        json_object *id = mk_import_member(report[i], "trial_id");
        bool last = true;
        for (size_t k = i + 1; k < n && last; k++)
            last = !json_object_equal(id, mk_import_member(report[k], "trial_id"));
        if (last)
            code = add_report(job, report[i], err);
        else
            ++*dropped;
    }
    return code;
}

static int read_lines(struct mk_import_job *job, char *text, json_object ***report, size_t *n, struct mk_error *err)
{
    int code = MK_OK;
    size_t line = 0;
    for (char *at = text; *at && !code;) {
        const size_t length = strcspn(at, "\n");
        line++;
        if (strspn(at, " \t\r") < length) {
            if (!MK_GROW(*report, *n, 1)) return mk_fail_memory(err, "reports");
            code = mk_import_json_text(job->path, line, at, length, &(*report)[*n], err);
            *n += !code;
        }
        at += length + (at[length] == '\n');
    }
    return code;
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
    char *text = NULL, all[300];
    json_object **report = NULL;
    size_t length, n = 0, dropped = 0;
    char counted[MK_COUNTED_ROOM];
    int code = take_files(job, err);
    if (!code) code = mk_import_whole(job->path, &text, &length, err);
    if (!code) code = read_lines(job, text, &report, &n, err);
    if (!code && (!job->options->value || (n && isnan(metric_of(report[n - 1], job->options->value)))))
        code = mk_fail(err, MK_EINPUT, "%s: --value: %s; expected the metric, such as one of: %s", job->path,
                       job->options->value ? "not in the last report" : "missing",
                       n ? names_of(report[n - 1], all, sizeof all) : "");
    if (!code && !job->options->maximize)
        code = mk_fail(err, MK_EINPUT,
                       "%s: --direction: missing; expected maximize or minimize, which reports do not say", job->path);
    if (!code) code = mk_import_direction(job, true, NULL, err);
    if (!code) code = add_reports(job, report, n, &dropped, err);
    if (!code && dropped)
        code = mk_import_note(job->to, err, "left out: %s of a trial before its last one",
                              mk_counted(dropped, "report", NULL, counted));
    for (size_t i = 0; i < n; i++) json_object_put(report[i]);
    free(report);
    free(text);
    return code;
}

const struct mk_importer mk_importer_ray = {
    .name = "ray", .about = "reports of Ray Tune (result.json of trials)", .recognises = recognises, .read = read};
