#include "sim/experiment/tune_keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/number.h"
#include "sim/base/yaml_values.h"

enum { MOST_KEYS = 64 };

#define ROW(key, ...) {#key, __VA_ARGS__},

const struct mk_tune_keys mk_tune_keys[MK_TUNE_MAPPINGS] = {
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
};

int mk_tune_check_keys(const struct mk_node *node, enum mk_tune_mapping of, struct mk_error *err)
{
    const char *name[MOST_KEYS];
    size_t n = 0;
    for (const struct mk_param *key = mk_tune_keys[of].param; key->name && n < MOST_KEYS; key++) name[n++] = key->name;
    return mk_check_keys(node, mk_tune_keys[of].what, name, n, err);
}

const struct mk_param *mk_tune_key(enum mk_tune_mapping of, const char *key)
{
    return &mk_tune_keys[of].param[mk_param_find(mk_tune_keys[of].param, key)];
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

const char *mk_tune_key_text(const struct mk_param *key, char out[MK_TUNE_KEY_ROOM])
{
    char range[256], def[96];
    const bool one = key->kind == MK_CHOICE && !strchr(key->choices, '|');
    if (key->kind == MK_TEXT || key->kind == MK_PARTS || one)
        snprintf(out, MK_TUNE_KEY_ROOM, "%s%s", key->help, key->flags & MK_REQUIRED ? "; needed" : "");
    else
        snprintf(out, MK_TUNE_KEY_ROOM, "%s; %s%s%s", key->help, mk_param_range(key, range, sizeof range),
                 default_of(key, def, sizeof def), key->flags & MK_REQUIRED ? ", needed" : "");
    return out;
}
