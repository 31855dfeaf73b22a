/* results.json of HpBandSter, with configs.json next to it (hpbandster/core/result.py, json_result_logger): lines
 * [configuration, budget, times, result, exception] and [configuration, hyperparameters, …]. Losses are minimised. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/search/records/importer.h"

static bool recognises(const struct mk_import_head *head)
{
    return strncmp(head->text, "[[", 2) == 0 && isdigit((unsigned char)head->text[2]);
}

/* The lines of a file as one list, to be put. *cut: the last one ends too early and has no line end, as where the
 * program was killed while it wrote it; it is left out. */
static int read_lines(const char *path, json_object **out, bool *cut, struct mk_error *err)
{
    char *text = NULL;
    size_t length = 0, number = 0;
    int code = mk_import_whole(path, &text, &length, err);
    *cut = false;
    *out = code ? NULL : json_object_new_array();
    if (!code && !*out) code = mk_fail_memory(err, path);
    for (const char *at = text, *end; !code && at < text + length; at = end + 1) {
        end = memchr(at, '\n', (size_t)(text + length - at));
        const bool ended = end != NULL;
        if (!ended) end = text + length;
        const size_t n = (size_t)(end - at);
        json_object *x = NULL;
        number++;
        if (strspn(at, " \t\r") >= n) continue;
        code = mk_import_json_text(path, number, at, n, &x, err);
        if (code == MK_EINPUT && !ended && json_object_array_length(*out)) {
            *cut = true;
            code = MK_OK;
            break;
        }
        if (!code && (!json_object_is_type(x, json_type_array) || json_object_array_length(x) < 2))
            code = mk_fail_at(err, (struct mk_where){path, number, 1}, NULL,
                              "expected a list that begins with a configuration");
        if (!code && json_object_array_add(*out, x)) code = mk_fail_memory(err, path);
        if (code) json_object_put(x);
    }
    free(text);
    return code;
}

/* What a log holds: lines, configurations by the text of their numbers, and what was left out. */
struct log {
    json_object *lines, *configurations;
    bool cut[2]; /* the last lines of results.json and configs.json */
};

static int add_configuration(const char *path, json_object *line, json_object *to, struct mk_error *err)
{
    json_object *x = mk_import_item(line, 1);
    char *id = mk_import_json_write(mk_import_item(line, 0));
    int code = id ? MK_OK : mk_fail_memory(err, "configurations");
    if (!code && !json_object_is_type(x, json_type_object))
        code = mk_fail(err, MK_EINPUT, "%s: configuration %s: expected a mapping of hyperparameters", path, id);
    else if (!code && json_object_object_add(to, id, json_object_get(x))) {
        json_object_put(x);
        code = mk_fail_memory(err, "configurations");
    }
    free(id);
    return code;
}

static int read_configurations(const char *results, struct log *log, struct mk_error *err)
{
    const char *slash = strrchr(results, '/');
    json_object *lines = NULL;
    char *path = NULL;
    log->configurations = json_object_new_object();
    if (!log->configurations ||
        asprintf(&path, "%.*sconfigs.json", slash ? (int)(slash + 1 - results) : 0, results) < 0)
        return mk_fail_memory(err, "configurations");
    int code = read_lines(path, &lines, &log->cut[1], err);
    const size_t n = code ? 0 : json_object_array_length(lines);
    for (size_t i = 0; !code && i < n; i++)
        code = add_configuration(path, json_object_array_get_idx(lines, i), log->configurations, err);
    json_object_put(lines);
    free(path);
    return code;
}

static int add_line(struct mk_import_job *job, size_t i, struct log *log, struct mk_error *err)
{
    json_object *line = json_object_array_get_idx(log->lines, i), *times = mk_import_item(line, 2), *copy = NULL;
    char *id = mk_import_json_write(mk_import_item(line, 0));
    if (!id) return mk_fail_memory(err, "a configuration");
    json_object *configuration = mk_import_member(log->configurations, id);
    free(id);
    if (!configuration) {
        job->strange++;
        return MK_OK;
    }
    json_object *loss = mk_import_member(mk_import_item(line, 3), "loss");
    const double end = mk_import_real(mk_import_member(times, "finished"));
    if (loss && !json_object_is_type(loss, json_type_double) && !json_object_is_type(loss, json_type_int))
        return mk_fail(err, MK_EINPUT, "%s: result %zu: loss: expected a number", job->path, i + 1);
    if (json_object_deep_copy(configuration, &copy, NULL)) return mk_fail_memory(err, "a configuration");
    return mk_import_add(job,
                         &(struct mk_import_row){.value = mk_import_real(loss),
                                                 .cost = end - mk_import_real(mk_import_member(times, "started")),
                                                 .order = isnan(end) ? (double)i : end,
                                                 .budget = mk_import_real(mk_import_item(line, 1)),
                                                 .status = "failed",
                                                 .parameters = copy},
                         err);
}

static int say_left_out(struct mk_import_job *job, const struct log *log, struct mk_error *err)
{
    static const char *const file[] = {"results.json", "configs.json"};
    int code = MK_OK;
    for (size_t i = 0; i < 2 && !code; i++)
        if (log->cut[i])
            code = mk_import_note(job->to, err, "left out: the last line of %s, which ends too early", file[i]);
    return code;
}

static int read(struct mk_import_job *job, struct mk_error *err)
{
    struct log log = {NULL};
    int code = mk_import_no_columns(job, true, err);
    if (!code) code = read_lines(job->path, &log.lines, &log.cut[0], err);
    if (!code) code = read_configurations(job->path, &log, err);
    if (!code) code = mk_import_direction(job, false, "as HpBandSter does", err);
    const size_t n = code ? 0 : json_object_array_length(log.lines);
    for (size_t i = 0; !code && i < n; i++) code = add_line(job, i, &log, err);
    if (!code) code = say_left_out(job, &log, err);
    if (!code) code = mk_import_note(job->to, err, "iterations: by the time at which evaluations ended");
    json_object_put(log.lines);
    json_object_put(log.configurations);
    return code;
}

const struct mk_importer mk_importer_hpbandster = {.name = "hpbandster",
                                                   .about = "results of HpBandSter (results.json next to configs.json)",
                                                   .recognises = recognises,
                                                   .read = read};
