/* runhistory.json of SMAC3. Version 1 (smac/runhistory/runhistory.py, save_json) lists pairs of lists,
 * [[configuration, instance, seed, budget], [cost, time, status, start, end, info]]; version 2.0 the same numbers in
 * one list; versions from 2.1 on mappings with these names. "configs" has the configurations by number. Costs are
 * minimised. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/search/records/importer.h"

enum { RUNNING, SUCCESS }; /* smac/runhistory/enumerations.py, StatusType; the others are failures */

struct run {
    json_object *configuration, *instance, *budget, *cost, *time, *status, *end;
};

static bool recognises(const struct mk_import_head *head)
{
    return head->text[strspn(head->text, " \t\r\n")] == '{' && strstr(head->text, "\"data\"") != NULL;
}

static struct run run_of(json_object *x)
{
    if (json_object_is_type(x, json_type_object))
        return (struct run){mk_import_member(x, "config_id"), mk_import_member(x, "instance"),
                            mk_import_member(x, "budget"),    mk_import_member(x, "cost"),
                            mk_import_member(x, "time"),      mk_import_member(x, "status"),
                            mk_import_member(x, "endtime")};
    json_object *key = mk_import_item(x, 0), *value = mk_import_item(x, 1);
    if (json_object_is_type(key, json_type_array))
        return (struct run){mk_import_item(key, 0),   mk_import_item(key, 1),   mk_import_item(key, 3),
                            mk_import_item(value, 0), mk_import_item(value, 1), mk_import_item(value, 2),
                            mk_import_item(value, 4)};
    return (struct run){key,
                        value,
                        mk_import_item(x, 3),
                        mk_import_item(x, 4),
                        mk_import_item(x, 5),
                        mk_import_item(x, 6),
                        mk_import_item(x, 8)};
}

/* As mk_import_status; of a number, or a word alone or as Python's enumerations are written. NULL: it is none. */
static const char *status_of(json_object *x)
{
    json_object *named = mk_import_member(x, "__enum__"), *word = named ? named : x;
    if (json_object_is_type(word, json_type_string))
        return mk_import_status(json_object_get_string(word), (size_t)json_object_get_string_len(word));
    if (!json_object_is_type(x, json_type_int)) return NULL;
    const int number = json_object_get_int(x);
    return number == RUNNING ? "open" : number == SUCCESS ? "missing" : "failed";
}

static int fail_run(const struct mk_import_job *job, size_t i, const char *what, json_object *got, struct mk_error *err)
{
    char *text = mk_import_text_of(got), clip[MK_CLIP_ROOM];
    if (!text) return mk_fail_memory(err, job->path);
    const int code = mk_fail(err, MK_EINPUT, "%s: data: item %zu: %s %s", job->path, i + 1, what, mk_clip(text, clip));
    free(text);
    return code;
}

/* The only cost. */
static int cost_of(const struct mk_import_job *job, size_t i, json_object *x, double *out, struct mk_error *err)
{
    const bool several = json_object_is_type(x, json_type_array);
    if (several && json_object_array_length(x) != 1)
        return mk_fail(err, MK_EINPUT, "%s: data: item %zu: cost: expected a number, got several objectives", job->path,
                       i + 1);
    if (several) x = mk_import_item(x, 0);
    *out = mk_import_real(x);
    return !x || json_object_is_type(x, json_type_double) || json_object_is_type(x, json_type_int)
               ? MK_OK
               : fail_run(job, i, "cost: expected a number, got", x, err);
}

/* *out <- the text of a name, which null is not; malloc'ed. */
static int name_of(json_object *x, char **out, struct mk_error *err)
{
    *out = x ? mk_import_text_of(x) : NULL;
    return x && !*out ? mk_fail_memory(err, "a name") : MK_OK;
}

static int add_evaluation(struct mk_import_job *job, size_t i, const struct run *r, json_object *configuration,
                          struct mk_import_row *e, struct mk_error *err)
{
    const double end = mk_import_real(r->end), budget = mk_import_real(r->budget);
    char *instance;
    int code = cost_of(job, i, r->cost, &e->value, err);
    if (code || (code = name_of(r->instance, &instance, err))) return code;
    if (strcmp(e->status, "missing") != 0) e->value = NAN;
    e->instance = instance;
    e->cost = mk_import_real(r->time);
    e->order = isnan(end) ? (double)i : end;
    e->budget = isnan(budget) ? 0 : budget;
    code = json_object_deep_copy(configuration, &e->parameters, NULL) ? mk_fail_memory(err, "a configuration")
                                                                      : mk_import_add(job, e, err);
    free(instance);
    return code;
}

static int add_run(struct mk_import_job *job, size_t i, const struct run *r, json_object *configurations,
                   struct mk_error *err)
{
    struct mk_import_row e = {.status = status_of(r->status)};
    char *id;
    if (!e.status) return fail_run(job, i, "status: expected one of SMAC3, got", r->status, err);
    int code = name_of(r->configuration, &id, err);
    if (code) return code;
    json_object *configuration = id ? mk_import_member(configurations, id) : NULL;
    if (json_object_is_type(configuration, json_type_object))
        code = add_evaluation(job, i, r, configuration, &e, err);
    else
        code = fail_run(job, i, "\"configs\" has no configuration", r->configuration, err);
    free(id);
    return code;
}

static int add_runs(struct mk_import_job *job, json_object *all, struct mk_error *err)
{
    json_object *data = mk_import_member(all, "data"), *configurations = mk_import_member(all, "configs");
    int code = MK_OK;
    if (!json_object_is_type(data, json_type_array) || !json_object_is_type(configurations, json_type_object))
        return mk_fail(err, MK_EINPUT, "%s: expected a list \"data\" and a mapping \"configs\"", job->path);
    const size_t n = json_object_array_length(data);
    for (size_t i = 0; !code && i < n; i++) {
        const struct run r = run_of(json_object_array_get_idx(data, i));
        code = add_run(job, i, &r, configurations, err);
    }
    return code ? code : mk_import_note(job->to, err, "iterations: by the time at which evaluations ended");
}

static int read(struct mk_import_job *job, struct mk_error *err)
{
    json_object *all = NULL;
    int code = mk_import_json(job->path, &all, err);
    if (!code) code = mk_import_no_columns(job, true, err);
    if (!code) code = mk_import_direction(job, false, "as SMAC3 does", err);
    if (!code) code = add_runs(job, all, err);
    json_object_put(all);
    return code;
}

const struct mk_importer mk_importer_smac = {
    .name = "smac", .about = "a run history of SMAC3 (runhistory.json)", .recognises = recognises, .read = read};
