/* runhistory.json of SMAC3. Version 1 (smac/runhistory/runhistory.py, save_json) lists pairs of lists,
 * [[configuration, instance, seed, budget], [cost, time, status, start, end, info]]; version 2.0 the same numbers in
 * one list; versions from 2.1 on mappings with these names. "configs" has the configurations by number. Costs are
 * minimised. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/import/importer.h"

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

/* "missing" where it ended well and a value is expected, "failed", or NULL for what still runs. */
static const char *status_of(json_object *x)
{
    json_object *named = mk_import_member(x, "__enum__");
    if (named) {
        const char *word = json_object_get_string(named);
        if (strstr(word, "SUCCESS")) return "missing";
        return strstr(word, "RUNNING") || strstr(word, "STOP") || strstr(word, "DONOTADVANCE") ? NULL : "failed";
    }
    const int number = json_object_get_int(x);
    return number == RUNNING ? NULL : number == SUCCESS ? "missing" : "failed";
}

static int add_run(struct mk_import_job *job, size_t i, const struct run *r, json_object *configurations,
                   struct mk_error *err)
{
    const char *id = json_object_get_string(r->configuration), *status = status_of(r->status);
    json_object *configuration = id ? mk_import_member(configurations, id) : NULL, *copy = NULL;
    if (!status) return MK_OK;
    if (!json_object_is_type(configuration, json_type_object))
        return mk_fail(err, MK_EINPUT, "%s: data: item %zu: \"configs\" has no configuration %s", job->path, i + 1,
                       id ? id : "null");
    const bool several = json_object_is_type(r->cost, json_type_array);
    if (several && json_object_array_length(r->cost) != 1)
        return mk_fail(err, MK_EINPUT, "%s: data: item %zu: cost: expected a number, got several objectives", job->path,
                       i + 1);
    const double value = mk_import_real(several ? mk_import_item(r->cost, 0) : r->cost);
    const double end = mk_import_real(r->end), budget = mk_import_real(r->budget);
    const bool done = strcmp(status, "missing") == 0;
    if (json_object_deep_copy(configuration, &copy, NULL)) return mk_fail_memory(err, "a configuration");
    return mk_import_add(job,
                         &(struct mk_import_row){.instance = json_object_get_string(r->instance),
                                                 .value = done ? value : NAN,
                                                 .cost = mk_import_real(r->time),
                                                 .order = isnan(end) ? (double)i : end,
                                                 .budget = isnan(budget) ? 0 : budget,
                                                 .status = status,
                                                 .parameters = copy},
                         err);
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
    if (!code) code = mk_import_direction(job, false, "as SMAC3 does", err);
    if (!code) code = add_runs(job, all, err);
    json_object_put(all);
    return code;
}

const struct mk_importer mk_importer_smac = {
    .name = "smac", .about = "a run history of SMAC3 (runhistory.json)", .recognises = recognises, .read = read};
