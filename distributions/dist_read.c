#include "distributions/dist_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/yaml_values.h"

enum { MOST_FAMILIES = 64, MOST_KEYS = MK_MAX_PARAMS + 20 };

static const char *const wrapper_key[] = {"truncate", "clip", "shift", "factor"};

/* One distribution, or one component of a mixture, while it is read. */
struct part {
    const struct mk_dist_reader *by;
    int level;
    const struct mk_node *node;
    struct mk_dist_spec spec;
    double *values;     /* owned */
    struct mk_node *to; /* the resolved mapping; owned by its parent */
    struct mk_error *err;
};

static int read(struct part *p, struct mk_dist **out);

static int no_memory(const struct part *p)
{
    return mk_fail_memory(p->err, p->by->key);
}

/* ---- the family, and its keys ---- */

static const struct mk_dist_type *further_family(const struct part *p, size_t k)
{
    return p->by->family_at ? p->by->family_at(p->by->of, k) : NULL;
}

static const struct mk_dist_type *named(const struct part *p, const char *text)
{
    const struct mk_dist_type *type = mk_dist_type_find(text);
    for (size_t k = 0; !type && (type = further_family(p, k)) && strcmp(type->name, text) != 0; k++) type = NULL;
    return type;
}

static int find_family(struct part *p)
{
    const char *family[MOST_FAMILIES];
    const struct mk_dist_type *other;
    char clip[MK_CLIP_ROOM], all[700];
    size_t n = 0;
    for (size_t i = 0; i < mk_dist_type_count() && n < MOST_FAMILIES; i++)
        if (!(mk_dist_type_at(i)->flags & MK_DIST_WRAPPER)) family[n++] = mk_dist_type_at(i)->name;
    for (size_t k = 0; n < MOST_FAMILIES && (other = further_family(p, k)); k++) family[n++] = other->name;
    if (p->node->kind != MK_NODE_MAPPING)
        return mk_fail_at(p->err, p->node->where, p->by->key, "expected a mapping {family: …, parameters}, got %s",
                          mk_node_describe(p->node, clip));
    const struct mk_node *at = mk_node_get(p->node, "family");
    if (!at)
        return mk_fail_at(p->err, p->node->where, "family", "missing; allowed: %s",
                          mk_join(family, n, all, sizeof all));
    const struct mk_dist_type *type = at->kind == MK_NODE_SCALAR ? named(p, at->text) : NULL;
    const int code = !type && p->by->unknown ? p->by->unknown(p->by->of, at, p->err) : MK_OK;
    if (code) return code;
    if (!type || type->flags & MK_DIST_WRAPPER) return mk_fail_name(p->err, at, "family", "family", family, n);
    p->spec.type = type;
    return mk_add_text(p->to, "family", type->name) ? MK_OK : no_memory(p);
}

static bool is_of_file(const struct mk_param *param)
{
    return param->kind == MK_FILE || param->kind == MK_COLUMN;
}

static int check_keys(const struct part *p)
{
    const struct mk_param *params = p->spec.type->params;
    const char *allowed[MOST_KEYS] = {"family"};
    size_t n = 1;
    for (size_t i = 0; i < mk_param_count(params); i++)
        if (p->by->numbers_of || !is_of_file(&params[i])) allowed[n++] = params[i].name;
    for (size_t i = 0; i < sizeof wrapper_key / sizeof *wrapper_key; i++) allowed[n++] = wrapper_key[i];
    for (size_t i = 0; i < p->by->n_others && p->level == 1 && n < MOST_KEYS; i++) allowed[n++] = p->by->others[i];
    return mk_check_keys(p->node, p->spec.type->name, allowed, n, p->err);
}

/* ---- parameters ---- */

static int read_numbers(struct part *p, const struct mk_param *param, const struct mk_node *at)
{
    const struct mk_param number = {param->name, MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 0, -INFINITY, INFINITY, NULL, NULL};
    int code = mk_check_list(at, param->name, "number", p->err);
    if (code) return code;
    free(p->values); /* of a file that was also given: the family's own check rejects that */
    p->values = malloc(at->n * sizeof *p->values);
    struct mk_node *copy = mk_node_add(p->to, param->name, mk_node_copy(at));
    if (!p->values || !copy) return no_memory(p);
    copy->flow = 1;
    for (size_t i = 0; i < at->n && !code; i++) code = mk_read_param(at->child[i], &number, 0, &p->values[i], p->err);
    p->spec.values = p->values;
    p->spec.n_values = at->n;
    return code;
}

/* A column of a file in place of a list of numbers. */
static int read_file(struct part *p, const struct mk_param *param, const struct mk_node *at)
{
    const struct mk_param *params = p->spec.type->params;
    size_t i = 0;
    for (size_t j = 0; j < mk_param_count(params); j++) {
        const struct mk_node *values = params[j].kind == MK_LIST ? mk_node_get(p->node, params[j].name) : NULL;
        if (values) return mk_fail_at(p->err, values->where, params[j].name, "cannot be combined with %s", param->name);
    }
    while (params[i].name && params[i].kind != MK_COLUMN) i++;
    const char *key = params[i].name ? params[i].name : "column";
    const struct mk_node *column = mk_node_get(p->node, key);
    if (!column) return mk_fail_at(p->err, at->where, key, "missing; expected the name of a column of the file");
    const int code = p->by->numbers_of(p->by->of, at, column, &p->values, &p->spec.n_values, p->to, p->err);
    p->spec.values = p->values;
    return code;
}

static int read_component(void *reading, const struct mk_node *node, size_t at, struct mk_node *to)
{
    const struct part *p = reading;
    struct part its = {.by = p->by, .level = p->level + 1, .node = node, .to = to, .err = p->err};
    return read(&its, &p->spec.parts[at]);
}

static int read_parts(struct part *p, const struct mk_node *at)
{
    if (p->by->levels && p->level > p->by->levels)
        return mk_fail_at(p->err, at->where, at->key, "expected at most %d levels of distributions", p->by->levels);
    p->spec.parts = calloc(at->n + 1, sizeof *p->spec.parts);
    if (!p->spec.parts) return no_memory(p);
    p->spec.n_parts = at->n;
    return mk_read_items(at, "distribution", true, read_component, p, p->to, p->err);
}

static int read_scalar(struct part *p, size_t i, const struct mk_node *at)
{
    const struct mk_param *param = &p->spec.type->params[i];
    char text[64], range[256];
    if (!at && param->flags & MK_REQUIRED)
        return mk_fail_at(p->err, p->node->where, param->name, "missing; expected %s",
                          mk_param_range(param, range, sizeof range));
    const int code = at ? mk_read_param(at, param, 1, &p->spec.v[i], p->err) : MK_OK;
    if (code || isnan(p->spec.v[i])) return code;
    mk_param_format(param, p->spec.v[i], text, sizeof text);
    return mk_add_text(p->to, param->name, text) ? MK_OK : no_memory(p);
}

static int read_parameter(struct part *p, size_t i)
{
    const struct mk_param *param = &p->spec.type->params[i];
    const struct mk_node *at = mk_node_get(p->node, param->name);
    if (mk_param_is_number(param)) return read_scalar(p, i, at);
    if (!at) return MK_OK;
    switch (param->kind) {
    case MK_LIST: return read_numbers(p, param, at);
    case MK_PARTS: return read_parts(p, at);
    case MK_FILE: return read_file(p, param, at);
    default: return MK_OK;
    }
}

/* ---- the distribution ---- */

/* Gives an error without a place that of the node at fault, or of the whole mapping, and a key. */
static int blame(const struct part *p, const struct mk_node *at, const char *key, const char *prefix, int code)
{
    if (code != MK_EINPUT) return code;
    return mk_fail_at(p->err, at ? at->where : p->node->where, key, "%s%s", prefix, p->err->text);
}

static int build(struct part *p, struct mk_dist **out)
{
    const struct mk_dist_type *type = p->spec.type;
    int param = -1;
    const int code = mk_dist_new(out, &p->spec, &param, p->err);
    if (!code) p->spec.n_parts = 0; /* they belong to the distribution now */
    const char *name = param >= 0 ? type->params[param].name : type->name;
    return blame(p, param >= 0 ? mk_node_get(p->node, name) : NULL, name, "", code);
}

static int wrap_pair(const struct part *p, const char *key, const char *wrapper, struct mk_dist **d)
{
    double value[2];
    int param = -1;
    const struct mk_node *at = mk_node_get(p->node, key);
    if (!at) return MK_OK;
    int code = mk_read_pair(at, value, p->to, p->err);
    if (code) return code;
    code = mk_dist_wrap(d, wrapper, value[0], value[1], &param, p->err);
    if (param < 0) return blame(p, at, key, "", code);
    return blame(p, at->child[param], key, param ? "hi: " : "lo: ", code);
}

static int wrap_affine(const struct part *p, struct mk_dist **d)
{
    static const struct mk_param number[] = {
        {"shift", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 0, -INFINITY, INFINITY, NULL, NULL},
        {"factor", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 1, -INFINITY, INFINITY, NULL, NULL}};
    double value[2] = {0, 1};
    char text[64];
    int param = -1;
    const struct mk_node *at[2] = {mk_node_get(p->node, "shift"), mk_node_get(p->node, "factor")};
    if (!at[0] && !at[1]) return MK_OK;
    for (int i = 0; i < 2; i++) {
        const int code = at[i] ? mk_read_param(at[i], &number[i], 0, &value[i], p->err) : MK_OK;
        if (code) return code;
        mk_param_format(&number[i], value[i], text, sizeof text);
        if (!mk_add_text(p->to, number[i].name, text)) return no_memory(p);
    }
    const int code = mk_dist_wrap(d, "affine", value[0], value[1], &param, p->err);
    const int which = param == 0 || !at[1] ? 0 : 1;
    return blame(p, at[which], number[which].name, "", code);
}

static int read(struct part *p, struct mk_dist **out)
{
    struct mk_dist *d = NULL;
    int code = find_family(p);
    if (code) return code;
    const struct mk_param *params = p->spec.type->params;
    mk_param_defaults(params, p->spec.v);
    code = check_keys(p);
    for (size_t i = 0; i < mk_param_count(params) && !code; i++) code = read_parameter(p, i);
    if (!code) code = build(p, &d);
    if (!code) code = wrap_pair(p, "truncate", "truncated", &d);
    if (!code) code = wrap_pair(p, "clip", "clipped", &d);
    if (!code) code = wrap_affine(p, &d);
    for (size_t i = 0; i < p->spec.n_parts; i++) mk_dist_free(p->spec.parts[i]);
    free(p->spec.parts);
    free(p->values);
    if (code)
        mk_dist_free(d);
    else
        *out = d;
    return code;
}

int mk_dist_read(struct mk_dist **out, const struct mk_dist_reader *reader, const struct mk_node *node,
                 struct mk_node *to, struct mk_error *err)
{
    struct mk_node *none = to ? NULL : mk_node_new(MK_NODE_MAPPING, 1);
    struct part p = {.by = reader, .level = 1, .node = node, .to = to ? to : none, .err = err};
    const int code = p.to ? read(&p, out) : no_memory(&p);
    mk_node_free(none);
    return code;
}
