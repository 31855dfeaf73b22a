#include "policies/ask_tell/policy_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributions/candidates.h"
#include "sim/base/error.h"
#include "sim/base/yaml_values.h"

enum { MOST_POLICIES = 128, MOST_DEPTH = 32 };

/* Why a policy without per_cost has none. */
static int fail_per_cost(const struct mk_policy_type *type, const struct mk_node *at, struct mk_error *err)
{
    const char *names[MOST_POLICIES];
    char all[700];
    size_t n = 0;
    for (size_t i = 0; i < mk_policy_type_count() && n < MOST_POLICIES; i++)
        if (mk_param_find(mk_policy_type_at(i)->params, at->key) >= 0) names[n++] = mk_policy_type_at(i)->name;
    if (mk_param_find(type->params, "budget") >= 0)
        return mk_fail_at(err, at->key_where, at->key, "the rule of %s has costs in it; expected no per_cost",
                          type->name);
    return mk_fail_at(err, at->key_where, at->key,
                      "%s has no bonus in which costs could count (%s); expected one of %s, or no per_cost", type->name,
                      type->summary, mk_join(names, n, all, sizeof all));
}

int mk_policy_check_keys(const struct mk_policy_type *type, const struct mk_node *mapping, struct mk_error *err)
{
    const char *allowed[MK_MAX_PARAMS + 2] = {"name", "label"};
    const struct mk_param *params = type->params;
    const size_t n = mk_param_count(params);
    char what[64], range[256];
    const struct mk_node *per_cost = mapping->kind == MK_NODE_MAPPING ? mk_node_get(mapping, "per_cost") : NULL;
    if (per_cost && mk_param_find(params, "per_cost") < 0) return fail_per_cost(type, per_cost, err);
    for (size_t i = 0; i < n; i++) allowed[i + 2] = params[i].name;
    snprintf(what, sizeof what, "%.50s", type->name);
    int code = mapping->kind == MK_NODE_SCALAR ? MK_OK : mk_check_keys(mapping, what, allowed, n + 2, err);
    for (size_t i = 0; i < n && !code; i++)
        if ((params[i].flags & MK_REQUIRED) && !mk_node_get(mapping, params[i].name))
            code = mk_fail_at(err, mapping->where, params[i].name, "missing; expected %s",
                              mk_param_range(&params[i], range, sizeof range));
    return code;
}

/* ---- text to nodes ---- */

struct reader {
    const char *text, *at;
    struct mk_error *err;
};

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

static struct mk_where here(const struct reader *r)
{
    return mk_where_after((struct mk_where){"policy", 1, 1}, r->text, r->at);
}

static int fail(const struct reader *r, const char *key, const char *expected)
{
    char clip[MK_CLIP_ROOM];
    if (!*r->at) return mk_fail_at(r->err, here(r), key, "expected %s, got the end", expected);
    return mk_fail_at(r->err, here(r), key, "expected %s, got '%s'", expected, mk_clip(r->at, clip));
}

/* A word or a number, up to one of the characters `ends`, or in quotes. */
static int read_scalar(struct reader *r, const char *key, const char *ends, struct mk_node **out)
{
    skip_blanks(r);
    const struct mk_where where = here(r);
    const char quote[] = {*r->at, 0};
    const bool quoted = *quote == '"' || *quote == '\'';
    if (*quote == '[' || *quote == '{') return fail(r, key, "one value (a list of values is a sweep)");
    r->at += quoted;
    size_t n = strcspn(r->at, quoted ? quote : ends), used = n + quoted;
    if (quoted && !r->at[n]) return fail(r, key, "a closing quote");
    while (!quoted && n && strchr(" \t\r\n", r->at[n - 1])) n--;
    *out = mk_node_scalar(r->at, n);
    if (!*out) return mk_fail_memory(r->err, "a policy");
    (*out)->quoted = quoted;
    (*out)->where = where;
    r->at += used;
    skip_blanks(r);
    return MK_OK;
}

/* Whether some policy has a parameter of this name that is a list of arms. */
static bool is_list(const char *key)
{
    for (size_t i = 0; i < mk_policy_type_count(); i++) {
        const int at = mk_candidates_parameter(mk_policy_type_at(i)->params);
        if (at >= 0 && strcmp(mk_policy_type_at(i)->params[at].name, key) == 0) return true;
    }
    return false;
}

static int read_mapping(struct reader *r, bool nested, int depth, struct mk_node **out);

static int read_list(struct reader *r, const char *key, int depth, struct mk_node **out);

/* A value in a list of arms. */
static int read_nested(struct reader *r, const char *key, int depth, struct mk_node **out)
{
    skip_blanks(r);
    if (depth > MOST_DEPTH) return fail(r, key, "fewer levels of lists");
    if (*r->at == '[') return read_list(r, key, depth, out);
    return *r->at == '{' ? read_mapping(r, true, depth, out) : read_scalar(r, key, ",]}", out);
}

static int read_list(struct reader *r, const char *key, int depth, struct mk_node **out)
{
    int code = MK_OK;
    *out = mk_node_new(MK_NODE_LIST, 1);
    if (!*out) return mk_fail_memory(r->err, "a policy");
    (*out)->where = here(r);
    do {
        struct mk_node *item = NULL;
        r->at++;
        skip_blanks(r);
        if (*r->at == ']') break;
        code = read_nested(r, key, depth + 1, &item);
        if (code)
            mk_node_free(item);
        else if (!mk_node_add(*out, NULL, item))
            code = mk_fail_memory(r->err, "a policy");
    } while (!code && *r->at == ',');
    if (!code && *r->at != ']') return fail(r, key, "a comma or a closing bracket");
    r->at += !code;
    skip_blanks(r);
    return code;
}

/* One `key: value`. */
static int read_pair(struct reader *r, bool nested, int depth, struct mk_node *mapping)
{
    struct mk_node *key = NULL, *value = NULL;
    int code = read_scalar(r, NULL, ":,}", &key);
    if (!code && *r->at != ':') code = fail(r, NULL, "a colon after the name of a parameter");
    if (!code) {
        r->at++;
        code = nested || is_list(key->text) ? read_nested(r, key->text, depth + 1, &value)
                                            : read_scalar(r, key->text, ",}", &value);
    }
    if (!code && mk_node_get(mapping, key->text)) code = mk_fail_at(r->err, key->where, key->text, "given twice");
    if (!code) {
        value->key_where = key->where;
        if (!mk_node_add(mapping, key->text, value)) code = mk_fail_memory(r->err, "a policy");
    } else {
        mk_node_free(value);
    }
    mk_node_free(key);
    return code;
}

/* nested: in a list of arms. */
static int read_mapping(struct reader *r, bool nested, int depth, struct mk_node **out)
{
    int code = MK_OK;
    *out = mk_node_new(MK_NODE_MAPPING, 1);
    if (!*out) return mk_fail_memory(r->err, "a policy");
    (*out)->where = here(r);
    do {
        r->at++;
        skip_blanks(r);
        if (*r->at != '}') code = read_pair(r, nested, depth, *out);
    } while (!code && *r->at == ',');
    if (!code && *r->at != '}') return fail(r, NULL, "a comma or a closing brace");
    r->at += !code;
    skip_blanks(r);
    return code;
}

/* ---- nodes to values ---- */

static int find_type(const struct mk_node *policy, const struct mk_policy_type **type, struct mk_error *err)
{
    const char *names[MOST_POLICIES];
    char all[700];
    size_t n = 0;
    for (; n < mk_policy_type_count() && n < MOST_POLICIES; n++) names[n] = mk_policy_type_at(n)->name;
    const struct mk_node *name = policy->kind == MK_NODE_SCALAR ? policy : mk_node_get(policy, "name");
    if (!name)
        return mk_fail_at(err, policy->where, "name", "missing; allowed: %s", mk_join(names, n, all, sizeof all));
    *type = mk_policy_type_find(name->text);
    if (*type) return MK_OK;
    return mk_fail_name(err, name, "name", "policy", names, n);
}

static int read_values(const struct mk_node *policy, const struct mk_policy_type *type, double *par,
                       struct mk_candidates **candidates, struct mk_error *err)
{
    const struct mk_param *params = type->params;
    int code = mk_policy_check_keys(type, policy, err);
    mk_param_defaults(params, par);
    for (size_t i = 0; i < mk_param_count(params) && !code; i++) {
        const struct mk_node *value = mk_node_get(policy, params[i].name);
        if (value && params[i].kind == MK_PARTS)
            code = mk_candidates_read(candidates, value, NULL, err);
        else if (value)
            code = mk_read_param(value, &params[i], 0, &par[i], err);
    }
    const char *problem = code ? NULL : mk_policy_problem(type, par);
    return problem ? mk_fail_at(err, policy->where, type->name, "%s", problem) : code;
}

static char *write(const struct mk_policy_type *type, const double *par, const struct mk_candidates *candidates)
{
    const struct mk_param *params = type->params;
    char *text = NULL, value[64];
    size_t length;
    FILE *f = open_memstream(&text, &length);
    if (!f) return NULL;
    fprintf(f, "{name: %s", type->name);
    for (size_t i = 0; i < mk_param_count(params); i++)
        if (!isnan(par[i]))
            fprintf(f, ", %s: %s", params[i].name, mk_param_format(&params[i], par[i], value, sizeof value));
    char *arms = candidates ? mk_candidates_text(candidates) : NULL;
    if (arms) fprintf(f, ", %s: %s", params[mk_candidates_parameter(type->params)].name, arms);
    const bool good = !candidates == !arms;
    free(arms);
    fputc('}', f);
    if (fclose(f) == 0 && good) return text;
    free(text);
    return NULL;
}

int mk_policy_read(const char *text, const struct mk_policy_type **type, double *par, struct mk_candidates **candidates,
                   char **whole, struct mk_error *err)
{
    struct reader r = {text, text, err};
    struct mk_node *policy = NULL;
    *candidates = NULL;
    skip_blanks(&r);
    int code = *r.at == '{' ? read_mapping(&r, false, 0, &policy) : read_scalar(&r, "name", "\n", &policy);
    if (!code && *r.at) code = fail(&r, NULL, "one policy and the end");
    if (!code) code = find_type(policy, type, err);
    if (!code) code = read_values(policy, *type, par, candidates, err);
    if (!code && !(*whole = write(*type, par, *candidates))) code = mk_fail_memory(err, "a policy");
    mk_node_free(policy);
    return code;
}
