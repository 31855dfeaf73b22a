#include "distributions/dist_read.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"
#include "sim/base/yaml_values.h"

enum { MOST_FAMILIES = 64, MOST_KEYS = MK_MAX_PARAMS + 5, MOST_DEPTH = 8 };

static const char *const wrapper_key[] = {"truncate", "clip", "factor", "shift"};

struct part {
    const struct mk_node *node;
    const char *key;
    int depth;
    struct mk_dist_spec spec;
    double *values; /* owned */
    struct mk_error *err;
};

static int read(struct mk_dist **out, const struct mk_node *node, const char *key, int depth, struct mk_error *err);

static int find_family(struct part *p)
{
    const char *name[MOST_FAMILIES];
    char clip[MK_CLIP_ROOM], all[700];
    size_t n = 0;
    for (size_t i = 0; i < mk_dist_type_count() && n < MOST_FAMILIES; i++)
        if (!(mk_dist_type_at(i)->flags & MK_DIST_WRAPPER)) name[n++] = mk_dist_type_at(i)->name;
    if (p->node->kind != MK_NODE_MAPPING)
        return mk_fail_at(p->err, p->node->where, p->key, "expected a mapping {family: …, parameters}, got %s",
                          mk_node_describe(p->node, clip));
    const struct mk_node *at = mk_node_get(p->node, "family");
    if (!at)
        return mk_fail_at(p->err, p->node->where, "family", "missing; allowed: %s", mk_join(name, n, all, sizeof all));
    p->spec.type = at->kind == MK_NODE_SCALAR ? mk_dist_type_find(at->text) : NULL;
    if (p->spec.type && !(p->spec.type->flags & MK_DIST_WRAPPER)) return MK_OK;
    return mk_fail_name(p->err, at, "family", "family", name, n);
}

static bool is_read(const struct mk_param *param)
{
    return mk_param_is_number(param) || param->kind == MK_LIST || param->kind == MK_PARTS;
}

static int check_keys(const struct part *p)
{
    const struct mk_param *params = p->spec.type->params;
    const char *allowed[MOST_KEYS] = {"family"};
    size_t n = 1;
    for (size_t i = 0; i < mk_param_count(params); i++)
        if (is_read(&params[i])) allowed[n++] = params[i].name;
    for (size_t i = 0; i < sizeof wrapper_key / sizeof *wrapper_key; i++) allowed[n++] = wrapper_key[i];
    return mk_check_keys(p->node, p->spec.type->name, allowed, n, p->err);
}

static int read_numbers(struct part *p, const struct mk_param *param, const struct mk_node *at)
{
    const struct mk_param number = {param->name, MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 0, -INFINITY, INFINITY, NULL, NULL};
    int code = mk_check_list(at, param->name, "number", p->err);
    if (code) return code;
    p->values = malloc(at->n * sizeof *p->values);
    if (!p->values) return mk_fail_memory(p->err, p->key);
    for (size_t i = 0; i < at->n && !code; i++) code = mk_read_param(at->child[i], &number, 0, &p->values[i], p->err);
    p->spec.values = p->values;
    p->spec.n_values = at->n;
    return code;
}

static int read_parts(struct part *p, const struct mk_param *param, const struct mk_node *at)
{
    int code = mk_check_list(at, param->name, "distribution", p->err);
    if (!code && p->depth == MOST_DEPTH)
        code = mk_fail_at(p->err, at->where, param->name, "expected at most %d levels of distributions", MOST_DEPTH);
    if (code) return code;
    p->spec.parts = calloc(at->n, sizeof *p->spec.parts);
    if (!p->spec.parts) return mk_fail_memory(p->err, p->key);
    for (; p->spec.n_parts < at->n && !code; p->spec.n_parts += !code)
        code = read(&p->spec.parts[p->spec.n_parts], at->child[p->spec.n_parts], param->name, p->depth + 1, p->err);
    return code;
}

static int read_parameters(struct part *p)
{
    const struct mk_param *params = p->spec.type->params;
    char range[256];
    int code = MK_OK;
    mk_param_defaults(params, p->spec.v);
    for (size_t i = 0; i < mk_param_count(params) && !code; i++) {
        const struct mk_node *at = mk_node_get(p->node, params[i].name);
        if (!at && params[i].flags & MK_REQUIRED)
            code = mk_fail_at(p->err, p->node->where, params[i].name, "missing; expected %s",
                              mk_param_range(&params[i], range, sizeof range));
        else if (at && params[i].kind == MK_LIST)
            code = read_numbers(p, &params[i], at);
        else if (at && params[i].kind == MK_PARTS)
            code = read_parts(p, &params[i], at);
        else if (at)
            code = mk_read_param(at, &params[i], 1, &p->spec.v[i], p->err);
    }
    return code;
}

/* An error without a place gets that of the node, or of the whole mapping. */
static int blame(const struct part *p, const struct mk_node *at, const char *key, int code)
{
    return code == MK_EINPUT ? mk_fail_at(p->err, (at ? at : p->node)->where, key, "%s", p->err->text) : code;
}

static int build(struct part *p, struct mk_dist **out)
{
    int param = -1;
    const int code = mk_dist_new(out, &p->spec, &param, p->err);
    if (!code) p->spec.n_parts = 0; /* they belong to the distribution now */
    const char *name = param >= 0 ? p->spec.type->params[param].name : p->spec.type->name;
    return blame(p, param >= 0 ? mk_node_get(p->node, name) : NULL, name, code);
}

static int wrap_range(const struct part *p, const char *key, const char *wrapper, struct mk_dist **d)
{
    static const struct mk_param end = {"end", MK_REAL, 0, 0, -INFINITY, INFINITY, NULL, NULL};
    const struct mk_node *at = mk_node_get(p->node, key);
    double end_of[2];
    char clip[MK_CLIP_ROOM];
    if (!at) return MK_OK;
    if (at->kind != MK_NODE_LIST || at->n != 2)
        return mk_fail_at(p->err, at->where, key, "expected [lo, hi], got %s", mk_node_describe(at, clip));
    int code = mk_read_param(at->child[0], &end, 1, &end_of[0], p->err);
    if (!code) code = mk_read_param(at->child[1], &end, 1, &end_of[1], p->err);
    return code ? code : blame(p, at, key, mk_dist_wrap(d, wrapper, end_of[0], end_of[1], NULL, p->err));
}

static int wrap_affine(const struct part *p, struct mk_dist **d)
{
    static const struct mk_param number[] = {
        {"factor", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 1, -INFINITY, INFINITY, NULL, NULL},
        {"shift", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 0, -INFINITY, INFINITY, NULL, NULL}};
    double value[2] = {1, 0};
    const struct mk_node *at[2] = {mk_node_get(p->node, "factor"), mk_node_get(p->node, "shift")};
    int code = MK_OK;
    for (int i = 0; i < 2 && !code; i++)
        if (at[i]) code = mk_read_param(at[i], &number[i], 0, &value[i], p->err);
    if (code || (!at[0] && !at[1])) return code;
    return blame(p, at[0] ? at[0] : at[1], at[0] ? "factor" : "shift",
                 mk_dist_wrap(d, "affine", value[1], value[0], NULL, p->err));
}

static int read(struct mk_dist **out, const struct mk_node *node, const char *key, int depth, struct mk_error *err)
{
    struct part p = {.node = node, .key = key, .depth = depth, .err = err};
    struct mk_dist *d = NULL;
    int code = find_family(&p);
    if (!code) code = check_keys(&p);
    if (!code) code = read_parameters(&p);
    if (!code) code = build(&p, &d);
    if (!code) code = wrap_range(&p, "truncate", "truncated", &d);
    if (!code) code = wrap_range(&p, "clip", "clipped", &d);
    if (!code) code = wrap_affine(&p, &d);
    for (size_t i = 0; i < p.spec.n_parts; i++) mk_dist_free(p.spec.parts[i]);
    free(p.spec.parts);
    free(p.values);
    if (code) {
        mk_dist_free(d);
        d = NULL;
    }
    *out = d;
    return code;
}

int mk_dist_read(struct mk_dist **out, const struct mk_node *node, const char *key, struct mk_error *err)
{
    return read(out, node, key, 0, err);
}
