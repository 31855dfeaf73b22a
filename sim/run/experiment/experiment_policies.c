/* The policies of an experiment file: parameters from the registry, sweeps expanded, labels made unique. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributions/candidates.h"
#include "policies/ask_tell/policy_read.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/string_table.h"
#include "sim/base/text.h"
#include "sim/run/experiment/experiment_read.h"
#include "sim/run/experiment/plugins.h"

enum { MOST_POLICIES = 128, LABEL_ROOM = 512 };

/* One item of the list while it is expanded. Sweeps are in the order of the keys. */
struct item {
    struct mk_loader *l;
    const struct mk_node *node;
    const struct mk_node *label;
    const struct mk_policy_type *type;
    struct mk_candidates *candidates; /* NULL: not given */
    size_t n_given;
    struct {
        int param;
        struct mk_values values;
    } given[MK_MAX_PARAMS];
};

static int no_memory(struct mk_loader *l)
{
    return mk_fail_memory(l->err, "policies");
}

/* An item is {name: …, parameters, label} or, with only a name, the name itself. */
static int find_type(struct item *it)
{
    const char *names[MOST_POLICIES], *text;
    char clip[MK_CLIP_ROOM], all[700];
    size_t n = 0;
    const struct mk_plugins *plugins = it->l->e->plugins;
    const struct mk_policy_type *own;
    for (; n < mk_policy_type_count() && n < MOST_POLICIES; n++) names[n] = mk_policy_type_at(n)->name;
    for (size_t k = 0; n < MOST_POLICIES && (own = mk_plugins_at(plugins, k)); k++) names[n++] = own->name;
    if (it->node->kind == MK_NODE_LIST)
        return mk_fail_at(it->l->err, it->node->where, "policies",
                          "expected a mapping {name: …, parameters, label: …}, got a list");
    const struct mk_node *at = it->node->kind == MK_NODE_SCALAR ? it->node : mk_node_get(it->node, "name");
    if (!at)
        return mk_fail_at(it->l->err, it->node->where, "name", "missing; allowed: %s",
                          mk_join(names, n, all, sizeof all));
    text = at->kind == MK_NODE_SCALAR && at->length ? at->text : mk_node_describe(at, clip);
    it->type = mk_policy_type_find(text);
    if (!it->type) it->type = mk_plugins_find(plugins, text);
    if (!it->type && it->l->stand_ins) {
        it->type = mk_plugins_stand_in(&it->l->e->plugins, text, it->node);
        return it->type ? MK_OK : no_memory(it->l);
    }
    if (!it->type) return mk_fail_name(it->l->err, at, "name", "policy", names, n);
    if (!(it->type->flags & MK_POLICY_ORACLE) || !it->l->e->problem || !mk_problem_searches(it->l->e->problem))
        return MK_OK;
    return mk_fail_at(
        it->l->err, at->where, "name",
        "%s needs the best arm, which is known only after the searches; record them (maxk record) and run "
        "it on the recording",
        it->type->name);
}

static int read_given(struct item *it)
{
    const struct mk_param *params = it->type->params;
    for (size_t i = 0; i < it->node->n; i++) {
        int param = mk_param_find(params, it->node->child[i]->key);
        if (param < 0 || params[param].kind == MK_PARTS) continue;
        int code = mk_read_values(it->node->child[i], &params[param], &it->given[it->n_given].values, it->l->err);
        if (code) return code;
        it->given[it->n_given++].param = param;
    }
    return MK_OK;
}

static int read_candidates(struct item *it)
{
    const int at = mk_candidates_parameter(it->type->params);
    const struct mk_node *list = at >= 0 ? mk_node_get(it->node, it->type->params[at].name) : NULL;
    const struct mk_dist_reader reader = mk_distribution_reader(it->l);
    return list ? mk_candidates_read(&it->candidates, list, &reader, it->l->err) : MK_OK;
}

/* Appends as much as fits: far more than a label may have, so that a truncated one is rejected. */
static void append(char *label, const char *text, size_t n)
{
    size_t used = strlen(label), room = LABEL_ROOM - 1 - used;
    if (n > room) n = room;
    memcpy(label + used, text, n);
    label[used + n] = 0;
}

/* "a={alpha}" with the values of an entry. */
static int fill_template(const struct item *it, const char *template, const double *par, char *label)
{
    const struct mk_param *params = it->type->params;
    char name[64], value[64];
    label[0] = 0;
    while (*template) {
        size_t plain = strcspn(template, "{}");
        append(label, template, plain);
        template += plain;
        if (!*template) break;
        size_t n = strcspn(template, "}");
        snprintf(name, sizeof name, "%.*s", n > 1 ? (int)(n - 1) : 0, template + 1);
        int param = *template == '{' && template[n] ? mk_param_find(params, name) : -1;
        if (param < 0 || isnan(par[param])) {
            const char *names[MK_MAX_PARAMS];
            char all[400];
            size_t count = mk_param_count(params);
            for (size_t i = 0; i < count; i++) names[i] = params[i].name;
            return mk_fail_at(it->l->err, it->label->where, "label",
                              "expected a parameter of %s in braces; allowed: %s", it->type->name,
                              count ? mk_join(names, count, all, sizeof all) : "no braces, it has no parameters");
        }
        mk_param_format(&params[param], par[param], value, sizeof value);
        append(label, value, strlen(value));
        template += n + 1;
    }
    return MK_OK;
}

/* "max_ucb alpha=0.3": the name and the parameters that are swept. */
static void default_label(const struct item *it, const double *par, char *label)
{
    char text[160], value[64];
    snprintf(label, LABEL_ROOM, "%s", it->type->name);
    for (size_t i = 0; i < it->n_given; i++) {
        if (it->given[i].values.n < 2) continue;
        const struct mk_param *p = &it->type->params[it->given[i].param];
        snprintf(text, sizeof text, " %.80s=%s", p->name,
                 mk_param_format(p, par[it->given[i].param], value, sizeof value));
        append(label, text, strlen(text));
    }
}

static int make_label(const struct item *it, const double *par, char *label)
{
    char *template = NULL;
    char clip[MK_CLIP_ROOM];
    int code = MK_OK;
    if (it->label) {
        code = mk_read_text(it->label, "label", &template, it->l->err);
        if (!code) code = fill_template(it, template, par, label);
        free(template);
    } else {
        default_label(it, par, label);
    }
    const char *allowed = code ? NULL : mk_label_problem(label, 1);
    if (!allowed) return code;
    return mk_fail_at(it->l->err, it->label ? it->label->where : it->node->where, "label", "expected %s, got '%s'",
                      allowed, mk_clip(label, clip));
}

static int add_entry(struct item *it, const double *par, struct mk_string_table *labels)
{
    struct mk_experiment *e = it->l->e;
    char label[LABEL_ROOM], clip[MK_CLIP_ROOM];
    int added;
    const char *problem = mk_policy_problem(it->type, par);
    if (problem) return mk_fail_at(it->l->err, it->node->where, it->type->name, "%s", problem);
    int code = make_label(it, par, label);
    if (code) return code;
    if (mk_string_table_add(labels, label, strlen(label), &added) == SIZE_MAX) return no_memory(it->l);
    if (!added)
        return mk_fail_at(it->l->err, it->label ? it->label->where : it->node->where, "label",
                          "two policies have the label '%s'; expected distinct labels, such as label: \"%s {%s}\"",
                          mk_clip(label, clip), it->type->name,
                          mk_param_count(it->type->params) ? it->type->params[0].name : "…");
    struct mk_policy_entry *entry = &e->entry[e->n_entries];
    entry->candidates = mk_candidates_share(it->candidates);
    entry->type = it->type;
    memcpy(entry->par, par, sizeof entry->par);
    entry->label = strdup(label);
    if (!entry->label) {
        mk_candidates_free(entry->candidates);
        return no_memory(it->l);
    }
    e->n_entries++;
    return MK_OK;
}

/* All combinations, the last key varying fastest. */
static int expand(struct item *it, struct mk_string_table *labels)
{
    struct mk_experiment *e = it->l->e;
    double par[MK_MAX_PARAMS];
    size_t total = 1;
    for (size_t i = 0; i < it->n_given; i++) {
        total *= it->given[i].values.n; /* both below 10^4 and checked at every step: no overflow */
        if (total + e->n_entries > MK_MOST_VALUES)
            return mk_fail_at(it->l->err, it->node->where, "policies", "more than %d policies after sweeps",
                              MK_MOST_VALUES);
    }
    if (!MK_GROW(e->entry, e->n_entries, total)) return no_memory(it->l);
    mk_param_defaults(it->type->params, par);
    for (size_t c = 0; c < total; c++) {
        size_t rest = c;
        for (size_t i = it->n_given; i-- > 0;) {
            const struct mk_values *v = &it->given[i].values;
            par[it->given[i].param] = v->value[rest % v->n];
            rest /= v->n;
        }
        int code = add_entry(it, par, labels);
        if (code) return code;
    }
    return MK_OK;
}

static int read_policy(struct mk_loader *l, const struct mk_node *node, struct mk_string_table *labels)
{
    struct item it = {.l = l, .node = node, .label = mk_node_get(node, "label")};
    int code = find_type(&it);
    if (!code) code = mk_policy_check_keys(it.type, node, l->err);
    if (!code) code = read_given(&it);
    if (!code) code = read_candidates(&it);
    if (!code) code = expand(&it, labels);
    for (size_t i = 0; i < it.n_given; i++) free(it.given[i].values.value);
    mk_candidates_free(it.candidates);
    return code;
}

int mk_read_policies(struct mk_loader *l, const struct mk_node *policies)
{
    struct mk_string_table labels = {0};
    int code = mk_check_list(policies, "policies", "policy", l->err);
    if (!code && policies->n > MK_MOST_VALUES)
        code = mk_fail_at(l->err, policies->where, "policies", "more than %d policies", MK_MOST_VALUES);
    for (size_t i = 0; !code && i < policies->n; i++) code = read_policy(l, policies->child[i], &labels);
    mk_string_table_free(&labels);
    return code;
}

size_t mk_experiment_find_policy(const struct mk_experiment *e, const char *label)
{
    size_t at = 0;
    while (at < e->n_entries && strcmp(e->entry[at].label, label) != 0) at++;
    return at;
}

char *mk_policy_entry_parameters(const struct mk_policy_entry *entry)
{
    struct mk_node *mapping = mk_node_new(MK_NODE_MAPPING, 1);
    return mk_node_line(mapping, mapping && mk_add_policy_params(mapping, entry));
}

bool mk_add_policy_params(struct mk_node *mapping, const struct mk_policy_entry *entry)
{
    const struct mk_param *params = entry->type->params;
    const struct mk_node *list = entry->candidates ? entry->candidates->node : NULL;
    return mk_add_params(mapping, params, entry->par) &&
           (!list ||
            mk_node_add(mapping, params[mk_candidates_parameter(entry->type->params)].name, mk_node_copy(list)));
}

double mk_policy_entry_parameter(const struct mk_policy_entry *entry, const char *name)
{
    int at = mk_param_find(entry->type->params, name);
    return at < 0 ? NAN : entry->par[at];
}
