#include "sim/experiment/file_keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/yaml_values.h"
#include "sim/experiment/experiment.h"
#include "sim/problem/trajectory.h"

enum { MOST_KEYS = 64 };

#define ROW(key, ...) {#key, __VA_ARGS__},

const struct mk_file_keys mk_file_keys[MK_FILE_MAPPINGS] = {
    {"tune file", "a tune file",
     (const struct mk_param[]){
#define FILE_KEY ROW
#include "sim/experiment/tune_keys.def"
         MK_PARAMS_END}},
    {"metric", "metric",
     (const struct mk_param[]){
#define METRIC_KEY ROW
#include "sim/experiment/tune_keys.def"
         MK_PARAMS_END}},
    {"metrics", "a further metric",
     (const struct mk_param[]){
#define MEASURE_KEY ROW
#include "sim/experiment/tune_keys.def"
         MK_PARAMS_END}},
    {"subject_to", "a constraint",
     (const struct mk_param[]){
#define BOUND_KEY ROW
#include "sim/experiment/tune_keys.def"
         MK_PARAMS_END}},
    {"limits", "limits",
     (const struct mk_param[]){
#define LIMIT_KEY ROW
#include "sim/experiment/tune_keys.def"
         MK_PARAMS_END}},
    {"crash", "crash",
     (const struct mk_param[]){
#define CRASH_KEY ROW
#include "sim/experiment/tune_keys.def"
         MK_PARAMS_END}},
    {"budget", "budget",
     (const struct mk_param[]){
#define BUDGET_KEY ROW
#include "sim/experiment/tune_keys.def"
         MK_PARAMS_END}},
    {"arm", "an arm",
     (const struct mk_param[]){
#define TUNE_ARM_KEY ROW
#include "sim/experiment/tune_keys.def"
         MK_PARAMS_END}},
    {"experiment", "an experiment",
     (const struct mk_param[]){
#define EXPERIMENT_KEY ROW
#include "sim/experiment/experiment_keys.def"
         MK_PARAMS_END}},
    {"problem", "problem",
     (const struct mk_param[]){
#define PROBLEM_KEY ROW
#define TRAJECTORY_KEY ROW
#include "sim/experiment/experiment_keys.def"
         MK_PARAMS_END}},
    {"arm", "an arm",
     (const struct mk_param[]){
#define WRAPPER_KEY ROW
#include "sim/experiment/experiment_keys.def"
         MK_PARAMS_END}},
    {"arm", "an arm",
     (const struct mk_param[]){
#define ARM_KEY ROW
#include "sim/experiment/experiment_keys.def"
         MK_PARAMS_END}},
    {"repeated arm", "an item that describes many arms or processes",
     (const struct mk_param[]){
#define REPEAT_KEY ROW
#include "sim/experiment/experiment_keys.def"
         MK_PARAMS_END}},
    {"curve", "a process with a curve",
     (const struct mk_param[]){
#define CURVE_KEY ROW
#include "sim/experiment/experiment_keys.def"
         MK_PARAMS_END}},
    {"break", "an item of breaks",
     (const struct mk_param[]){
#define BREAK_KEY ROW
#include "sim/experiment/experiment_keys.def"
         MK_PARAMS_END}},
    {"drift", "a drift",
     (const struct mk_param[]){
#define DRIFT_KEY ROW
#include "sim/experiment/experiment_keys.def"
         MK_PARAMS_END}},
    {"search", "a search",
     (const struct mk_param[]){
#define SEARCH_KEY ROW
#include "sim/experiment/experiment_keys.def"
         MK_PARAMS_END}},
    {"objective", "an objective",
     (const struct mk_param[]){
#define OBJECTIVE_KEY ROW
#include "sim/experiment/experiment_keys.def"
         MK_PARAMS_END}},
    {"prior", "prior",
     (const struct mk_param[]){
#define PRIOR_KEY ROW
#include "sim/experiment/experiment_keys.def"
         MK_PARAMS_END}},
    {"horizons", "horizons with per_decade",
     (const struct mk_param[]){
#define SPACED_KEY ROW
#include "sim/experiment/experiment_keys.def"
         MK_PARAMS_END}},
    {"claim", "a claim",
     (const struct mk_param[]){
#define CLAIM_KEY ROW
#include "sim/experiment/experiment_keys.def"
         MK_PARAMS_END}},
    {"plugin", "a plugin",
     (const struct mk_param[]){
#define PLUGIN_KEY ROW
#include "sim/experiment/experiment_keys.def"
         MK_PARAMS_END}},
    {"problem", "problem with trajectories",
     (const struct mk_param[]){
#define TRAJECTORY_KEY ROW
#include "sim/experiment/experiment_keys.def"
         MK_PARAMS_END}},
};

size_t mk_file_key_names(enum mk_file_mapping of, const char **name, size_t n)
{
    for (const struct mk_param *key = mk_file_keys[of].param; key->name; key++) name[n++] = key->name;
    return n;
}

int mk_check_file_keys(const struct mk_node *node, enum mk_file_mapping of, struct mk_error *err)
{
    const char *name[MOST_KEYS];
    return mk_check_keys(node, mk_file_keys[of].what, name, mk_file_key_names(of, name, 0), err);
}

const struct mk_param *mk_file_key(enum mk_file_mapping of, const char *key)
{
    return &mk_file_keys[of].param[mk_param_find(mk_file_keys[of].param, key)];
}

int mk_read_file_key(const struct mk_node *node, enum mk_file_mapping of, const char *key, double *out,
                     struct mk_node *to, struct mk_error *err)
{
    const struct mk_param *param = mk_file_key(of, key);
    const struct mk_node *at = mk_node_get(node, key);
    char text[256];
    *out = param->def;
    if (!at && param->flags & MK_REQUIRED)
        return mk_fail_at(err, node->where, key, "missing; expected %s", mk_param_range(param, text, sizeof text));
    int code = at ? mk_read_param(at, param, 0, out, err) : MK_OK;
    if (code || !to || !isfinite(*out) || mk_add_text(to, key, mk_param_format(param, *out, text, sizeof text)))
        return code;
    return mk_fail_memory(err, "the keys of a file");
}

int mk_read_file_word(const struct mk_node *node, enum mk_file_mapping of, const char *key, int *out,
                      struct mk_node *to, struct mk_error *err)
{
    double value = 0;
    int code = mk_read_file_key(node, of, key, &value, to, err);
    *out = (int)value;
    return code;
}

/* The default, where there is one; "" otherwise. */
static const char *default_of(const struct mk_param *key, char *out, size_t room)
{
    char value[64];
    *out = '\0';
    if (key->flags & (MK_REQUIRED | MK_OPTIONAL) || !mk_param_allows(key, key->def)) return out;
    snprintf(out, room, " (default: %s)", mk_param_format(key, key->def, value, sizeof value));
    return out;
}

const char *mk_file_key_text(const struct mk_param *key, char out[MK_FILE_KEY_ROOM])
{
    char range[256], def[96];
    const bool one = key->kind == MK_CHOICE && !strchr(key->choices, '|');
    if (!mk_param_is_number(key) || one)
        snprintf(out, MK_FILE_KEY_ROOM, "%s%s", key->help, key->flags & MK_REQUIRED ? "; needed" : "");
    else
        snprintf(out, MK_FILE_KEY_ROOM, "%s; %s%s%s", key->help, mk_param_range(key, range, sizeof range),
                 default_of(key, def, sizeof def), key->flags & MK_REQUIRED ? ", needed" : "");
    return out;
}
