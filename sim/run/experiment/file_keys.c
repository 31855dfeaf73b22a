#include "sim/run/experiment/file_keys.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/yaml_values.h"
#include "sim/problem/trajectory.h"

enum { MOST_KEYS = 64 };

const struct mk_file_mapping_name mk_file_mappings[MK_FILE_MAPPINGS] = {
    [MK_TUNE_FILE] = {"tune file", "a tune file"},
    [MK_TUNE_METRIC] = {"metric", "metric"},
    [MK_TUNE_MEASURE] = {"metrics", "a further metric"},
    [MK_TUNE_BOUND] = {"subject_to", "a constraint"},
    [MK_TUNE_LIMITS] = {"limits", "limits"},
    [MK_TUNE_CRASH] = {"crash", "crash"},
    [MK_TUNE_BUDGET] = {"budget", "budget"},
    [MK_TUNE_INSTANCES] = {"instances", "instances"},
    [MK_TUNE_PRUNING] = {"pruning", "pruning"},
    [MK_TUNE_ARM] = {"arm", "an arm"},
    [MK_IN_EXPERIMENT] = {"experiment", "an experiment"},
    [MK_IN_PROBLEM] = {"problem", "problem"},
    [MK_IN_FAMILY] = {"arm", "an arm"},
    [MK_IN_DISTRIBUTION] = {"arm", "an arm"},
    [MK_IN_ARM] = {"arm", "an arm"},
    [MK_IN_REPEAT] = {"repeated arm", "an item that describes many arms or processes"},
    [MK_IN_PIECE] = {"curve", "a process with a curve"},
    [MK_IN_CURVE] = {"curve", "a process with a curve"},
    [MK_IN_BREAK] = {"break", "an item of breaks"},
    [MK_IN_DRIFT] = {"drift", "a drift"},
    [MK_IN_SEARCH] = {"search", "a search"},
    [MK_IN_OBJECTIVE] = {"objective", "an objective"},
    [MK_IN_OPTIMIZER] = {"optimizer", "an optimiser"},
    [MK_IN_COMBINED] = {"combined", "a combined search"},
    [MK_IN_POLICY] = {"policy", "a policy"},
    [MK_IN_PRIOR] = {"prior", "prior"},
    [MK_IN_HORIZONS] = {"horizons", "horizons with per_decade"},
    [MK_IN_CLAIM] = {"claim", "a claim"},
    [MK_IN_PLUGIN] = {"plugin", "a plugin"},
    [MK_IN_TRAJECTORIES] = {"problem", "problem with trajectories"},
    [MK_IN_SEARCHES] = {"problem", "problem with searches"},
};

#define IN(of) (UINT64_C(1) << (of))
#define SHARED_KEY(of, key, ...) {of, {#key, __VA_ARGS__}},
#define KEY(of, ...) SHARED_KEY(IN(of), __VA_ARGS__)
static const struct {
    uint64_t of; /* mappings, IN(…) */
    struct mk_param key;
} rows[] = {
#include "sim/run/experiment/experiment_keys.def"
#include "sim/run/experiment/tune_keys.def"
};
_Static_assert(MK_FILE_MAPPINGS < 64, "a bit for every mapping");
enum { ROWS = sizeof rows / sizeof *rows };

const struct mk_param *mk_file_key_at(enum mk_file_mapping of, size_t i)
{
    for (size_t row = 0; row < ROWS; row++)
        if (rows[row].of & IN(of) && !i--) return &rows[row].key;
    return NULL;
}

int mk_check_item_keys(const struct mk_node *node, const char *what, enum mk_file_mapping first,
                       const struct mk_param *params, enum mk_file_mapping second, enum mk_file_mapping third,
                       struct mk_error *err)
{
    const char *name[MOST_KEYS];
    const struct mk_param *key;
    size_t n = 0;
    for (size_t i = 0; (key = mk_file_key_at(first, i)); i++) name[n++] = key->name;
    for (; params && params->name; params++) name[n++] = params->name;
    for (size_t i = 0; (key = mk_file_key_at(second, i)); i++) name[n++] = key->name;
    for (size_t i = 0; (key = mk_file_key_at(third, i)); i++) name[n++] = key->name;
    return mk_check_keys(node, what, name, n, err);
}

int mk_check_file_keys(const struct mk_node *node, enum mk_file_mapping of, struct mk_error *err)
{
    return mk_check_item_keys(node, mk_file_mappings[of].what, of, NULL, MK_FILE_MAPPINGS, MK_FILE_MAPPINGS, err);
}

const struct mk_param *mk_file_key(enum mk_file_mapping of, const char *key)
{
    size_t row = 0;
    while (row < ROWS && !(rows[row].of & IN(of) && strcmp(rows[row].key.name, key) == 0)) row++;
    assert(row < ROWS);
    return &rows[row].key;
}

int mk_fail_missing(const struct mk_node *node, enum mk_file_mapping of, const char *key, struct mk_error *err)
{
    const struct mk_param *param = mk_file_key(of, key);
    char range[256];
    const char *expected = param->kind != MK_CHOICE ? param->choices : NULL;
    return mk_fail_at(err, node->where, key, "missing; expected %s",
                      expected ? expected : mk_param_range(param, range, sizeof range));
}

int mk_need_file_key(const struct mk_node *node, enum mk_file_mapping of, const char *key, const struct mk_node **out,
                     struct mk_error *err)
{
    const bool needed = mk_file_key(of, key)->flags & MK_REQUIRED;
    *out = mk_node_get(node, key);
    return *out || !needed ? MK_OK : mk_fail_missing(node, of, key, err);
}

static int read_text(const struct mk_node *at, const struct mk_param *key, char **out, struct mk_error *err)
{
    if (key->flags & MK_MAY_BE_EMPTY && (!at || (at->kind == MK_NODE_SCALAR && !at->length)))
        return (*out = strdup("")) ? MK_OK : mk_fail_memory(err, "the keys of a file");
    int code = at ? mk_read_text(at, key->name, out, err) : MK_OK;
    if (code || !at || !(key->flags & (MK_LABEL | MK_FILE_LABEL))) return code;
    const char *allowed = mk_label_problem(*out, (key->flags & MK_FILE_LABEL) != 0);
    return allowed ? mk_fail_at(err, at->where, key->name, "expected %s", allowed) : MK_OK;
}

static void store(double x, enum mk_key_type as, void *out)
{
    switch (as) {
    case MK_AS_REAL: *(double *)out = x; return;
    case MK_AS_COUNT: *(uint64_t *)out = (uint64_t)x; return;
    case MK_AS_TRUTH: *(bool *)out = x != 0; return;
    case MK_AS_WORD: *(int *)out = (int)x; return;
    case MK_AS_TEXT: return;
    }
}

int mk_read_file_key(const struct mk_node *node, enum mk_file_mapping of, const char *key, enum mk_key_type as,
                     void *out, struct mk_node *to, struct mk_error *err)
{
    const struct mk_param *param = mk_file_key(of, key);
    const struct mk_node *at;
    char room[256];
    const char *text = NULL;
    double x = param->def;
    assert((as == MK_AS_TEXT) == !mk_param_is_number(param));
    int code = mk_need_file_key(node, of, key, &at, err);
    if (as == MK_AS_TEXT) {
        if (!code) code = read_text(at, param, out, err);
        if (!code) text = *(char **)out;
    } else {
        if (!code && at) code = mk_read_param(at, param, 0, &x, err);
        store(x, as, out);
        if (isfinite(x)) text = mk_param_format(param, x, room, sizeof room);
    }
    if (code || !to || !text || param->flags & MK_UNRESOLVED) return code;
    return mk_add_text(to, key, text) ? MK_OK : mk_fail_memory(err, "the keys of a file");
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
