/* A distribution of an experiment file, as an arm, a part of another one or a draw: family, parameters and wrappers. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/run/experiment/experiment_read.h"
#include "sim/run/experiment/plugins.h"

enum { MOST_FAMILIES = 64 };

static const struct mk_param any_number = {"values", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 0, -INFINITY, INFINITY,
                                           NULL,     NULL};

/* One arm, or one component of a mixture, while it is read. */
struct part {
    struct mk_loader *l;
    const struct mk_node *node;
    struct mk_dist_spec spec;
    double *values;     /* owned */
    struct mk_node *to; /* the resolved mapping; owned by its parent */
};

static int no_memory(struct mk_loader *l)
{
    return mk_fail_memory(l->err, "arms");
}

static int find_family(struct mk_loader *l, const struct mk_node *node, const struct mk_dist_type **out)
{
    const char *family[MOST_FAMILIES], *text = NULL;
    const struct mk_dist_type *own;
    char clip[MK_CLIP_ROOM], all[700];
    size_t n = 0;
    for (size_t i = 0; i < mk_dist_type_count() && n < MOST_FAMILIES; i++)
        if (!(mk_dist_type_at(i)->flags & MK_DIST_WRAPPER)) family[n++] = mk_dist_type_at(i)->name;
    for (size_t k = 0; n < MOST_FAMILIES && (own = mk_plugins_family_at(l->e->plugins, k)); k++)
        family[n++] = own->name;
    if (node->kind != MK_NODE_MAPPING)
        return mk_fail_at(l->err, node->where, "arms", "expected a mapping {family: …, parameters}, got %s",
                          mk_node_describe(node, clip));
    const struct mk_node *at = mk_node_get(node, "family");
    if (!at)
        return mk_fail_at(l->err, node->where, "family", "missing; allowed: %s", mk_join(family, n, all, sizeof all));
    text = at->kind == MK_NODE_SCALAR ? at->text : mk_node_describe(at, clip);
    const struct mk_dist_type *type = mk_dist_type_find(text);
    if (!type) type = mk_plugins_find_family(l->e->plugins, text);
    if (!type && l->stand_ins)
        return mk_fail_at(
            l->err, at->where, "family",
            "%s is of a plugin that is not loaded; gap, lu, survival, certify, bounds, rate and merge take --plugin FILE.so",
            mk_clip(text, clip));
    if (!type || (type->flags & MK_DIST_WRAPPER)) return mk_fail_name(l->err, at, "family", "family", family, n);
    *out = type;
    return MK_OK;
}

static int read_numbers(struct part *p, const struct mk_param *param, const struct mk_node *at)
{
    struct mk_param number = any_number;
    number.name = param->name;
    int code = mk_check_list(at, param->name, "number", p->l->err);
    if (code) return code;
    free(p->values); /* of a file that was also given: the family's own check rejects that */
    p->values = malloc(at->n * sizeof *p->values);
    struct mk_node *copy = mk_node_add(p->to, param->name, mk_node_copy(at));
    if (!p->values || !copy) return no_memory(p->l);
    copy->flow = 1;
    for (size_t i = 0; i < at->n; i++) {
        code = mk_read_param(at->child[i], &number, 0, &p->values[i], p->l->err);
        if (code) return code;
    }
    p->spec.values = p->values;
    p->spec.n_values = at->n;
    return MK_OK;
}

/* A column of a CSV file in place of a list of numbers. */
static int read_file(struct part *p, const struct mk_param *param, const struct mk_node *at)
{
    const struct mk_param *params = p->spec.type->params;
    char *path = NULL, *column = NULL;
    size_t i = 0;
    for (size_t j = 0; j < mk_param_count(params); j++) {
        const struct mk_node *values = params[j].kind == MK_LIST ? mk_node_get(p->node, params[j].name) : NULL;
        if (values)
            return mk_fail_at(p->l->err, values->where, params[j].name, "cannot be combined with %s", param->name);
    }
    while (params[i].name && params[i].kind != MK_COLUMN) i++;
    const char *key = params[i].name ? params[i].name : "column";
    const struct mk_node *column_node = mk_node_get(p->node, key);
    int code = mk_find_file(p->l->directory, at, param->name, &path, p->l->err);
    if (!code && !column_node)
        code = mk_fail_at(p->l->err, at->where, key, "missing; expected the name of a column of the file");
    if (!code) code = mk_read_text(column_node, key, &column, p->l->err);
    if (!code) code = mk_csv_column(path, column, &p->values, &p->spec.n_values, p->l->err);
    if (!code) {
        p->spec.values = p->values;
        if (!mk_add_text(p->to, param->name, path) || !mk_add_text(p->to, key, column)) code = no_memory(p->l);
    }
    free(path);
    free(column);
    return code;
}

static int read_component(void *reading, const struct mk_node *node, size_t at, struct mk_node *to)
{
    const struct part *p = reading;
    return mk_read_distribution(p->l, node, 0, &p->spec.parts[at], to);
}

static int read_parts(struct part *p, const struct mk_node *at)
{
    p->spec.parts = calloc(at->n + 1, sizeof *p->spec.parts);
    if (!p->spec.parts) return no_memory(p->l);
    p->spec.n_parts = at->n;
    return mk_read_items(at, "distribution", true, read_component, p, p->to, p->l->err);
}

static int read_scalar(struct part *p, size_t i, const struct mk_node *at)
{
    const struct mk_param *param = &p->spec.type->params[i];
    char text[64], range[256];
    if (at) {
        int code = mk_read_param(at, param, 1, &p->spec.v[i], p->l->err);
        if (code) return code;
    } else if (param->flags & MK_REQUIRED) {
        return mk_fail_at(p->l->err, p->node->where, param->name, "missing; expected %s",
                          mk_param_range(param, range, sizeof range));
    }
    if (isnan(p->spec.v[i])) return MK_OK;
    return mk_add_text(p->to, param->name, mk_param_format(param, p->spec.v[i], text, sizeof text)) ? MK_OK
                                                                                                    : no_memory(p->l);
}

static int read_family_parameters(struct part *p)
{
    const struct mk_param *params = p->spec.type->params;
    for (size_t i = 0; i < mk_param_count(params); i++) {
        const struct mk_node *at = mk_node_get(p->node, params[i].name);
        int code = MK_OK;
        switch (params[i].kind) {
        case MK_REAL:
        case MK_INTEGER:
        case MK_CHOICE: code = read_scalar(p, i, at); break;
        case MK_LIST: code = at ? read_numbers(p, &params[i], at) : MK_OK; break;
        case MK_PARTS: code = at ? read_parts(p, at) : MK_OK; break;
        case MK_FILE: code = at ? read_file(p, &params[i], at) : MK_OK; break;
        case MK_COLUMN:
        case MK_TEXT: break;
        }
        if (code) return code;
    }
    return MK_OK;
}

/* Gives an error without a place the place of the node at fault, or of the whole arm, and a key. */
static int blame(const struct part *p, const struct mk_node *at, const char *key, const char *prefix, int code)
{
    if (code != MK_EINPUT) return code;
    return mk_fail_at(p->l->err, at ? at->where : p->node->where, key, "%s%s", prefix, p->l->err->text);
}

static int build(struct part *p, struct mk_dist **out)
{
    const struct mk_dist_type *type = p->spec.type;
    int param = -1;
    int code = mk_dist_new(out, &p->spec, &param, p->l->err);
    if (code) {
        const char *name = param >= 0 ? type->params[param].name : type->name;
        return blame(p, param >= 0 ? mk_node_get(p->node, name) : NULL, name, "", code);
    }
    p->spec.n_parts = 0; /* they belong to the distribution now */
    return MK_OK;
}

static int wrap_pair(const struct part *p, const char *key, const char *wrapper, struct mk_dist **d)
{
    double value[2];
    int param = -1;
    const struct mk_node *at = mk_node_get(p->node, key);
    if (!at) return MK_OK;
    int code = mk_read_pair(at, value, p->to, p->l->err);
    if (code) return code;
    code = mk_dist_wrap(d, wrapper, value[0], value[1], &param, p->l->err);
    if (param < 0) return blame(p, at, key, "", code);
    return blame(p, at->child[param], key, param ? "hi: " : "lo: ", code);
}

static int wrap_affine(const struct part *p, struct mk_dist **d)
{
    static const char *const key[] = {"shift", "factor"};
    double value[2];
    int param = -1;
    const struct mk_node *at[2] = {mk_node_get(p->node, "shift"), mk_node_get(p->node, "factor")};
    if (!at[0] && !at[1]) return MK_OK;
    for (int i = 0; i < 2; i++) {
        int code = MK_READ_KEY(p->node, MK_IN_DISTRIBUTION, key[i], &value[i], p->to, p->l->err);
        if (code) return code;
    }
    int code = mk_dist_wrap(d, "affine", value[0], value[1], &param, p->l->err);
    int which = param == 0 || !at[1] ? 0 : 1;
    return blame(p, at[which], key[which], "", code);
}

int mk_read_distribution(struct mk_loader *l, const struct mk_node *node, int is_arm, struct mk_dist **out,
                         struct mk_node *to)
{
    struct part p = {.l = l, .node = node, .to = to};
    struct mk_dist *d = NULL;
    int code = find_family(l, node, &p.spec.type);
    if (code) return code;
    assert(p.spec.type);
    mk_param_defaults(p.spec.type->params, p.spec.v);
    code = mk_check_item_keys(node, p.spec.type->name, MK_IN_FAMILY, p.spec.type->params, MK_IN_DISTRIBUTION,
                              is_arm ? MK_IN_ARM : MK_FILE_MAPPINGS, l->err);
    if (!code && !mk_add_text(to, "family", p.spec.type->name)) code = no_memory(l);
    if (!code) code = read_family_parameters(&p);
    if (!code) code = build(&p, &d);
    if (!code) code = wrap_pair(&p, "truncate", "truncated", &d);
    if (!code) code = wrap_pair(&p, "clip", "clipped", &d);
    if (!code) code = wrap_affine(&p, &d);
    for (size_t i = 0; i < p.spec.n_parts; i++) mk_dist_free(p.spec.parts[i]);
    free(p.spec.parts);
    free(p.values);
    if (code)
        mk_dist_free(d);
    else
        *out = d;
    return code;
}

/* The reward of an end: of the support, or of the draws, which are positions of 2^-54 and more apart from 0 and 1. */
static double extreme(const struct mk_loader *l, const struct mk_dist *d, int upper)
{
    double lo, hi;
    mk_dist_support(d, &lo, &hi);
    double end = upper ? hi : lo;
    if (isfinite(end)) return end;
    return l->need & MK_NEED_RUN ? mk_dist_inverse_survival(d, upper ? 0x1p-54 : 1 - 0x1p-53) : 0;
}

int mk_check_rewards(struct mk_loader *l, const struct mk_node *node, const struct mk_dist *d)
{
    for (int upper = 0; upper < 2; upper++) {
        double end = extreme(l, d, upper);
        if (fabs(end) <= MK_MOST_REWARD) continue;
        return mk_fail_at(l->err, node->where, d->type->name,
                          "expected rewards from " MK_REWARD_RANGE ", but they reach %g", end);
    }
    return MK_OK;
}
