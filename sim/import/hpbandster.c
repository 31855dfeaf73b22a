/* results.json of HpBandSter, with configs.json next to it (hpbandster/core/result.py, json_result_logger): lines
 * [configuration, budget, times, result, exception] and [configuration, hyperparameters, …]. Losses are minimised. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/input_path.h"
#include "sim/base/text.h"
#include "sim/import/importer.h"

static bool recognises(const struct mk_import_head *head)
{
    return strncmp(head->text, "[[", 2) == 0 && isdigit((unsigned char)head->text[2]);
}

/* The lines of a file as one list, to be put. */
static int read_lines(const char *path, json_object **out, struct mk_error *err)
{
    FILE *from = fopen(mk_readable_path(path), "r");
    char *text = NULL;
    size_t room = 0, line = 0;
    ssize_t length;
    *out = NULL;
    if (!from) return mk_fail(err, MK_EINPUT, "%s: cannot be opened: %s", path, strerror(errno));
    *out = json_object_new_array();
    int code = *out ? MK_OK : mk_fail_memory(err, path);
    while (!code && (length = getline(&text, &room, from)) >= 0) {
        json_object *x = NULL;
        line++;
        while (length && strchr("\r\n", text[length - 1])) length--;
        if (strspn(text, " \t") >= (size_t)length) continue;
        code = mk_import_json_text(path, line, text, (size_t)length, &x, err);
        if (!code && (!json_object_is_type(x, json_type_array) || json_object_array_length(x) < 2))
            code = mk_fail_at(err, (struct mk_where){path, line, 1}, NULL,
                              "expected a list that begins with a configuration");
        if (!code && json_object_array_add(*out, x)) code = mk_fail_memory(err, path);
        if (code) json_object_put(x);
    }
    if (!code && ferror(from)) code = mk_fail(err, MK_EIO, "%s: cannot be read", path);
    free(text);
    fclose(from);
    return code;
}

/* The hyperparameters of configuration `id` in the list of configs.json; NULL: none. */
static json_object *configuration_of(json_object *by_id, json_object *id)
{
    json_object *x = NULL;
    return json_object_object_get_ex(by_id, json_object_to_json_string_ext(id, JSON_C_TO_STRING_PLAIN), &x) ? x : NULL;
}

/* *out <- configurations by the text of their numbers, to be put. */
static int read_configurations(const char *results, json_object **out, struct mk_error *err)
{
    const char *slash = strrchr(results, '/');
    json_object *lines = NULL;
    char *path = NULL;
    *out = json_object_new_object();
    if (!*out || asprintf(&path, "%.*sconfigs.json", slash ? (int)(slash + 1 - results) : 0, results) < 0)
        return mk_fail_memory(err, "configurations");
    int code = read_lines(path, &lines, err);
    const size_t n = code ? 0 : json_object_array_length(lines);
    for (size_t i = 0; !code && i < n; i++) {
        json_object *line = json_object_array_get_idx(lines, i), *x = json_object_array_get_idx(line, 1);
        const char *id = json_object_to_json_string_ext(json_object_array_get_idx(line, 0), JSON_C_TO_STRING_PLAIN);
        if (!json_object_is_type(x, json_type_object))
            code = mk_fail(err, MK_EINPUT, "%s: configuration %s: expected a mapping of hyperparameters", path, id);
        else if (json_object_object_add(*out, id, json_object_get(x)))
            code = mk_fail_memory(err, "configurations");
    }
    json_object_put(lines);
    free(path);
    return code;
}

static int add_line(struct mk_import_job *job, size_t i, json_object *line, json_object *configurations,
                    struct mk_error *err)
{
    json_object *id = mk_import_item(line, 0), *times = mk_import_item(line, 2), *copy = NULL;
    json_object *configuration = configuration_of(configurations, id);
    if (!configuration)
        return mk_fail(err, MK_EINPUT, "%s: configs.json has no configuration %s", job->path,
                       json_object_to_json_string_ext(id, JSON_C_TO_STRING_PLAIN));
    const double end = mk_import_real(mk_import_member(times, "finished"));
    if (json_object_deep_copy(configuration, &copy, NULL)) return mk_fail_memory(err, "a configuration");
    return mk_import_add(
        job,
        &(struct mk_import_row){.value = mk_import_real(mk_import_member(mk_import_item(line, 3), "loss")),
                                .cost = end - mk_import_real(mk_import_member(times, "started")),
                                .order = isnan(end) ? (double)i : end,
                                .budget = mk_import_real(mk_import_item(line, 1)),
                                .status = "failed",
                                .parameters = copy},
        err);
}

static int read(struct mk_import_job *job, struct mk_error *err)
{
    json_object *lines = NULL, *configurations = NULL;
    int code = read_lines(job->path, &lines, err);
    if (!code) code = read_configurations(job->path, &configurations, err);
    if (!code) code = mk_import_direction(job, false, "as HpBandSter does", err);
    const size_t n = code ? 0 : json_object_array_length(lines);
    for (size_t i = 0; !code && i < n; i++)
        code = add_line(job, i, json_object_array_get_idx(lines, i), configurations, err);
    if (!code) code = mk_import_note(job->to, err, "iterations: by the time at which evaluations ended");
    json_object_put(lines);
    json_object_put(configurations);
    return code;
}

const struct mk_importer mk_importer_hpbandster = {.name = "hpbandster",
                                                   .about = "results of HpBandSter (results.json next to configs.json)",
                                                   .recognises = recognises,
                                                   .read = read};
