/* The arms of `problem: {searches: […]}`, an objective and an optimiser each, and combined searches. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/input_path.h"
#include "sim/base/string_table.h"
#include "sim/run/experiment/experiment_read.h"
#include "sim/search/space/space_read.h"

enum { MOST_TYPES = 64, LONGEST_NAME = 100 };

static int no_memory(struct mk_loader *l)
{
    return mk_fail_memory(l->err, "searches");
}

/* ---- a name and parameters: an objective or an optimiser ---- */

/* A registry: its names, and the parameters of the one that was chosen. */
struct registry {
    const char *key; /* "objective" */
    size_t n;
    const char *name[MOST_TYPES];
};

static struct registry objectives(void)
{
    struct registry r = {.key = "objective"};
    for (; r.n < mk_objective_type_count() && r.n < MOST_TYPES; r.n++) r.name[r.n] = mk_objective_type_at(r.n)->name;
    return r;
}

static struct registry optimizers(void)
{
    struct registry r = {.key = "optimizer"};
    for (; r.n < mk_optimizer_type_count() && r.n < MOST_TYPES; r.n++) r.name[r.n] = mk_optimizer_type_at(r.n)->name;
    return r;
}

/* The item's key is {name: NAME, parameters}, or NAME alone: then *mapping, with the parameters, is NULL. */
static int find_name(struct mk_loader *l, const struct mk_node *item, const struct registry *r,
                     const struct mk_node **mapping, const char **name)
{
    char clip[MK_CLIP_ROOM], all[700];
    const struct mk_node *at = mk_node_get(item, r->key);
    if (!at)
        return mk_fail_at(l->err, item->where, r->key, "missing; allowed: %s", mk_join(r->name, r->n, all, sizeof all));
    *mapping = at->kind == MK_NODE_MAPPING ? at : NULL;
    const struct mk_node *text = *mapping ? mk_node_get(at, "name") : at;
    if (!text)
        return mk_fail_at(l->err, at->where, "name", "missing; allowed: %s", mk_join(r->name, r->n, all, sizeof all));
    const char *word = text->kind == MK_NODE_SCALAR && text->length ? text->text : mk_node_describe(text, clip);
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->name[i], word) == 0) {
            *name = r->name[i];
            return MK_OK;
        }
    return mk_fail_name(l->err, text, *mapping ? "name" : r->key, r->key, r->name, r->n);
}

/* A number, or text (malloc'ed) of a parameter; `to` gets it. */
static int read_parameter(struct mk_loader *l, const struct mk_node *at, const struct mk_param *p, double *value,
                          char **text, struct mk_node *to)
{
    char written[64];
    int code = MK_OK;
    if (mk_param_is_number(p)) {
        if (at) code = mk_read_param(at, p, 0, value, l->err);
        if (code || isnan(*value)) return code;
        return mk_add_text(to, p->name, mk_param_format(p, *value, written, sizeof written)) ? MK_OK : no_memory(l);
    }
    if (!at) return MK_OK;
    assert(text); /* of objectives alone */
    code = p->kind == MK_FILE ? mk_find_file(l->directory, at, p->name, text, l->err)
                              : mk_read_text(at, p->name, text, l->err);
    return code ? code : mk_add_text(to, p->name, *text) ? MK_OK : no_memory(l);
}

/* ---- optimisers ---- */

int mk_read_optimizer(struct mk_loader *l, const struct mk_node *item, bool is_combined,
                      struct mk_optimizer_choice *out, struct mk_node *to)
{
    const struct registry r = optimizers();
    const struct mk_node *mapping = NULL;
    const char *name = NULL, *problem;
    int code = find_name(l, item, &r, &mapping, &name);
    if (code) return code;
    const struct mk_optimizer_type *type = out->type = mk_optimizer_type_find(name);
    if (mapping)
        code = mk_check_item_keys(mapping, type->name, MK_IN_OPTIMIZER, type->params, MK_FILE_MAPPINGS,
                                  MK_FILE_MAPPINGS, l->err);
    if (!code && is_combined)
        code = mk_check_item_keys(item, type->name, MK_IN_COMBINED, type->params, MK_FILE_MAPPINGS, MK_FILE_MAPPINGS,
                                  l->err);
    struct mk_node *resolved = mk_node_add(to, "optimizer", mk_node_new(MK_NODE_MAPPING, 1));
    if (!code && !(resolved && mk_add_text(resolved, "name", type->name))) code = no_memory(l);
    mk_param_defaults(type->params, out->par);
    for (size_t i = 0; !code && i < mk_param_count(type->params); i++) {
        const struct mk_param *p = &type->params[i];
        const struct mk_node *within = mk_node_get(mapping, p->name);
        const struct mk_node *outside = is_combined ? mk_node_get(item, p->name) : NULL;
        if (within && outside)
            code = mk_fail_at(l->err, outside->key_where, p->name, "given twice; the other one is in optimizer");
        else
            code = read_parameter(l, within ? within : outside, p, &out->par[i], NULL, resolved);
    }
    if (code || !type->check || !(problem = type->check(out->par))) return code;
    const struct mk_node *at = mk_node_get(item, "optimizer");
    return mk_fail_at(l->err, at->where, type->name, "%s", problem);
}

/* ---- objectives ---- */

/* An objective while it is read, for all instances. */
struct reading {
    struct mk_loader *l;
    const struct mk_node *item, *mapping; /* mapping: of the objective, or NULL */
    struct mk_objective_spec spec;
    char *text[MK_MAX_PARAMS];   /* owned */
    struct mk_tree *tree;        /* owned; of a file with the space */
    const struct mk_node *space; /* NULL: the objective's own */
};

/* The space of this name in a file of several. */
static int choose_space(const struct mk_node **space, const struct mk_node *at, const char *path, const char *name,
                        struct mk_error *err)
{
    char clip[MK_CLIP_ROOM], names[256];
    const struct mk_node *all = *space;
    *space = all->kind == MK_NODE_MAPPING ? mk_node_get(all, name) : NULL;
    if (*space) return MK_OK;
    size_t used = 0;
    *names = '\0';
    for (size_t i = 0; all->kind == MK_NODE_MAPPING && i < all->n && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", all->child[i]->key);
    return mk_fail_at(err, at->where, "space", "%s has no '%s'; it has %s", path, mk_clip(name, clip), names);
}

/* A file with a space, or FILE#NAME of a file with several. */
static int read_space_file(struct mk_loader *l, const struct mk_node *at, struct mk_tree **tree,
                           const struct mk_node **space)
{
    const char *mark = strrchr(at->text, '#');
    struct mk_node file = *at;
    char *text = strndup(at->text, mark ? (size_t)(mark - at->text) : strlen(at->text)), *path = NULL;
    if (!text) return no_memory(l);
    if (mark && mk_input_is_yaml(text))
        file.text = text;
    else
        mark = NULL;
    int code = mk_find_file(l->directory, &file, "space", &path, l->err);
    if (!code) code = mk_tree_read(tree, path, l->err);
    if (!code) *space = (*tree)->root;
    if (!code && mark) code = choose_space(space, at, path, mark + 1, l->err);
    free(text);
    free(path);
    return code;
}

int mk_read_space(struct mk_loader *l, const struct mk_node *item, struct mk_tree **tree, const struct mk_node **space,
                  struct mk_node *to)
{
    const struct mk_node *at = mk_node_get(item, "space");
    struct mk_space *s = NULL;
    *tree = NULL;
    *space = at;
    if (!at) return MK_OK;
    int code = at->kind == MK_NODE_SCALAR ? read_space_file(l, at, tree, space) : MK_OK;
    if (!code) code = mk_space_read(&s, *space, l->err);
    if (code) return code;
    struct mk_node *node = mk_space_node(s);
    mk_space_free(s);
    return mk_node_add(to, "space", node) ? MK_OK : no_memory(l);
}

static int read_objective(struct reading *r, struct mk_node *to)
{
    struct mk_loader *l = r->l;
    const struct registry all = objectives();
    const char *name = NULL;
    int code = find_name(l, r->item, &all, &r->mapping, &name);
    if (code) return code;
    const struct mk_objective_type *type = r->spec.type = mk_objective_type_find(name);
    if (r->mapping)
        code = mk_check_item_keys(r->mapping, type->name, MK_IN_OBJECTIVE, type->params, MK_FILE_MAPPINGS,
                                  MK_FILE_MAPPINGS, l->err);
    struct mk_node *resolved = mk_node_add(to, "objective", mk_node_new(MK_NODE_MAPPING, 1));
    if (!code && !(resolved && mk_add_text(resolved, "name", type->name))) code = no_memory(l);
    mk_param_defaults(type->params, r->spec.par);
    for (size_t i = 0; !code && i < mk_param_count(type->params); i++)
        code = read_parameter(l, mk_node_get(r->mapping, type->params[i].name), &type->params[i], &r->spec.par[i],
                              &r->text[i], resolved);
    return code ? code : MK_READ_KEY(r->mapping, MK_IN_OBJECTIVE, "noise", &r->spec.noise, resolved, l->err);
}

/* What was not given belongs to the instance. */
static void fill_in(struct mk_objective_spec *spec, char *const *text, size_t instance, const char *instance_name)
{
    const struct mk_objective_type *type = spec->type;
    const int seed = mk_param_find(type->params, "seed"), name = mk_param_find(type->params, "instance");
    for (size_t i = 0; i < MK_MAX_PARAMS; i++) spec->text[i] = text[i];
    if ((type->flags & MK_OBJECTIVE_SEEDED) && isnan(spec->par[seed])) spec->par[seed] = (double)instance;
    if ((type->flags & MK_OBJECTIVE_MEASURED) && !spec->text[name]) spec->text[name] = instance_name;
}

static int build(struct reading *r, size_t instance, struct mk_objective **out)
{
    struct mk_objective_spec spec = r->spec;
    int param = -1, code = MK_OK;
    fill_in(&spec, r->text, instance, r->l->instance_name[instance]);
    if (r->space) code = mk_space_read(&spec.space, r->space, r->l->err);
    if (code) return code;
    code = mk_objective_new(out, &spec, r->l->files, &param, r->l->err);
    if (!code) return MK_OK;
    mk_space_free(spec.space);
    const struct mk_node *at = mk_node_get(r->item, param == -2 ? "space" : "objective");
    const char *key = param >= 0 ? spec.type->params[param].name : param == -2 ? "space" : spec.type->name;
    const struct mk_node *exact = param >= 0 ? mk_node_get(r->mapping, key) : NULL;
    return mk_fail_there(r->l->err, (exact ? exact : at ? at : r->item)->where, key, code);
}

static int read_search(struct mk_loader *l, const struct mk_node *node, size_t arm, struct mk_node *to)
{
    struct mk_searches *s = l->e->problem->searches;
    struct reading r = {.l = l, .item = node};
    int code = mk_check_item_keys(node, mk_file_mappings[MK_IN_SEARCH].what, MK_IN_SEARCH, NULL, MK_IN_ARM,
                                  MK_FILE_MAPPINGS, l->err);
    if (!code) code = read_objective(&r, to);
    if (!code) code = mk_read_space(l, node, &r.tree, &r.space, to);
    if (!code) code = mk_read_optimizer(l, node, false, &s->optimizer[arm], to);
    for (size_t i = 0; !code && i < s->n_instances; i++) code = build(&r, i, mk_searches_objective(s, i, arm));
    for (size_t i = 0; i < MK_MAX_PARAMS; i++) free(r.text[i]);
    mk_tree_free(r.tree);
    return code;
}

/* ---- instances ---- */

/* Names of instances are those of groups and of random streams. */
static int read_instance_name(struct mk_loader *l, const struct mk_node *at, struct mk_string_table *seen, char **out)
{
    char clip[MK_CLIP_ROOM];
    int added = 0, code = mk_read_text(at, "instances", out, l->err);
    if (code) return code;
    const char *allowed = mk_label_problem(*out, 0);
    if (allowed) return mk_fail_at(l->err, at->where, "instances", "expected %s", allowed);
    if (mk_string_table_add(seen, *out, strlen(*out), &added) == SIZE_MAX) return no_memory(l);
    return added ? MK_OK : mk_fail_at(l->err, at->where, "instances", "duplicate instance %s", mk_clip(*out, clip));
}

/* The names of all instances (malloc'ed, as their list is): a number of them, or their names; NULL: one, named after
 * the experiment. */
static int read_instances(struct mk_loader *l, const struct mk_node *node, char ***out, size_t *n)
{
    struct mk_string_table seen = {0};
    const struct mk_param *instances = mk_file_key(MK_IN_PROBLEM, "instances");
    double count = instances->def;
    int code = MK_OK;
    if (node && node->kind == MK_NODE_LIST)
        code = mk_check_list(node, "instances", "name", l->err);
    else if (node)
        code = mk_read_param(node, instances, 0, &count, l->err);
    if (code) return code;
    const bool named = node && node->kind == MK_NODE_LIST;
    *n = named ? node->n : (size_t)count;
    char **name = *out = calloc(*n, sizeof *name);
    if (!name) return no_memory(l);
    for (size_t i = 0; i < *n && !code; i++) {
        if (named)
            code = read_instance_name(l, node->child[i], &seen, &name[i]);
        else if (node ? asprintf(&name[i], "%zu", i) < 0 : !(name[i] = strdup(l->e->name)))
            code = no_memory(l);
    }
    mk_string_table_free(&seen);
    return code;
}

/* The arms of every instance are those of the first. */
static int add_instances(struct mk_loader *l, char **name, size_t n)
{
    struct mk_problem *p = l->e->problem;
    struct mk_instance *grown = realloc(p->instance, n * sizeof *grown);
    if (!grown) return no_memory(l);
    memset(grown + 1, 0, (n - 1) * sizeof *grown);
    p->instance = grown;
    p->n_instances = n;
    for (size_t i = 0; i < n; i++) {
        struct mk_instance *in = &grown[i];
        free(in->name);
        in->name = name[i];
        name[i] = NULL;
        if (i == 0) continue;
        in->n_arms = p->n_arms;
        in->arm = malloc(p->n_arms * sizeof *in->arm);
        if (!in->arm) return no_memory(l);
        memcpy(in->arm, grown->arm, p->n_arms * sizeof *in->arm);
    }
    return MK_OK;
}

/* ---- arms ---- */

static int read_search_of(struct mk_loader *l, const struct mk_node *node, size_t arm, struct mk_node *to)
{
    char clip[MK_CLIP_ROOM];
    if (node->kind == MK_NODE_MAPPING) return read_search(l, node, arm, to);
    return mk_fail_at(l->err, node->where, "searches",
                      "expected a mapping {objective: …, space: …, optimizer: …}, got %s",
                      mk_node_describe(node, clip));
}

/* What the arms of every instance begin with. */
static int read_prior(struct mk_loader *l, const struct mk_node *problem, struct mk_node *to)
{
    struct mk_problem *p = l->e->problem;
    struct mk_searches *s = p->searches;
    const char *const *label = (const char *const *)p->arm_label;
    struct mk_prior_settings how;
    struct mk_prior *prior = NULL;
    int code = mk_read_prior(l, problem, &prior, &how);
    if (code || !prior) {
        mk_prior_free(prior);
        return code;
    }
    if (!mk_add_prior(to, problem, mk_prior_path(prior), &how)) code = no_memory(l);
    const struct mk_space **space = malloc(p->n_arms * sizeof *space);
    s->prior = calloc(p->n_instances, sizeof *s->prior);
    if (!code && !(space && s->prior)) code = no_memory(l);
    for (size_t k = 0; k < p->n_arms && !code; k++)
        code = mk_check_prior_optimizer(l, problem, s->optimizer[k].type, label[k]);
    for (size_t i = 0; i < p->n_instances && !code; i++) {
        for (size_t k = 0; k < p->n_arms; k++) space[k] = (*mk_searches_objective(s, i, k))->space;
        code = mk_read_prior_arms(l, problem, prior, &how, p->instance[i].name, label, space, p->n_arms, &s->prior[i]);
    }
    free(space);
    mk_prior_free(prior);
    return code;
}

int mk_read_searches(struct mk_loader *l, const struct mk_node *problem, struct mk_node *to)
{
    const struct mk_node *searches = mk_node_get(problem, "searches"), *given = mk_node_get(problem, "instances");
    struct mk_objective_files files = {0};
    char **name = NULL;
    size_t n = 0;
    int code = mk_check_file_keys(problem, MK_IN_SEARCHES, l->err);
    if (!code) code = read_instances(l, given, &name, &n);
    if (!code && given && !mk_node_add(to, "instances", mk_node_copy(given))) code = no_memory(l);
    struct mk_node *list = code ? NULL : mk_node_add(to, "searches", mk_node_new(MK_NODE_LIST, 0));
    if (!code && !list) code = no_memory(l);
    l->files = &files;
    l->instance_name = name;
    l->n_instances = n;
    if (!code) code = mk_read_arm_list(l, searches, &mk_source_searches, read_search_of, list);
    if (!code) code = add_instances(l, name, n);
    if (!code) code = read_prior(l, problem, to);
    mk_objective_files_free(&files);
    for (size_t i = 0; name && i < n; i++) free(name[i]);
    free(name);
    return code;
}

/* ---- combined searches ---- */

static int read_combined_item(void *reading, const struct mk_node *item, size_t at, struct mk_node *to)
{
    struct mk_loader *l = reading;
    struct mk_problem *p = l->e->problem;
    struct mk_optimizer_choice *optimizer = &p->searches->combined[at];
    const struct mk_node *label = mk_node_get(item, "label");
    char text[64], clip[MK_CLIP_ROOM];
    if (item->kind != MK_NODE_MAPPING)
        return mk_fail_at(l->err, item->where, "combined", "expected a mapping {optimizer: …, label: …}, got %s",
                          mk_node_describe(item, clip));
    int code = mk_read_optimizer(l, item, true, optimizer, to);
    if (!code) code = MK_READ_KEY(item, MK_IN_COMBINED, "label", &p->baseline_label[at], NULL, l->err);
    if (code) return code;
    snprintf(text, sizeof text, "combined %.50s", optimizer->type->name);
    if (!label && !(p->baseline_label[at] = strdup(text))) return no_memory(l);
    const char *allowed = mk_label_problem(p->baseline_label[at], 1);
    if (allowed) return mk_fail_at(l->err, label ? label->where : item->where, "label", "expected %s", allowed);
    for (size_t i = 0; i < at; i++)
        if (strcmp(p->baseline_label[i], p->baseline_label[at]) == 0)
            return mk_fail_at(l->err, label ? label->where : item->where, "label",
                              "two combined searches have the label '%s'; expected distinct labels",
                              mk_clip(p->baseline_label[at], clip));
    return mk_add_text(to, "label", p->baseline_label[at]) ? MK_OK : no_memory(l);
}

int mk_read_combined(struct mk_loader *l, const struct mk_node *combined)
{
    struct mk_problem *p = l->e->problem;
    if (!combined) return MK_OK;
    if (!p || !mk_problem_searches(p))
        return mk_fail_at(l->err, combined->key_where, "combined",
                          "expected a problem with searches, whose joint space is searched");
    p->searches->combined = calloc(combined->n + 1, sizeof *p->searches->combined);
    p->baseline_label = calloc(combined->n + 1, sizeof *p->baseline_label);
    if (!p->searches->combined || !p->baseline_label) return no_memory(l);
    p->searches->n_combined = p->n_baselines = combined->n;
    int code = mk_read_items(combined, "combined search", false, read_combined_item, l, l->resolved, l->err);
    if (code) return code;
    code = mk_searches_join(p->searches, (const char *const *)p->arm_label, l->err);
    return mk_fail_there(l->err, combined->where, "combined", code);
}

int mk_read_budget(struct mk_loader *l, const struct mk_node *root)
{
    const struct mk_experiment *e = l->e;
    const struct mk_problem *p = e->problem;
    size_t at;
    if (!mk_problem_searches(p)) return MK_OK;
    int code = mk_searches_set_budget(p->searches, e->horizon[e->n_horizons - 1], &at, l->err);
    if (code != MK_EINPUT) return code;
    const struct mk_node *searches = mk_node_get(mk_node_get(root, "problem"), "searches");
    const struct mk_node *item =
        at < p->n_arms ? mk_arm_item(l, searches, at) : mk_node_get(root, "combined")->child[at - p->n_arms];
    return mk_fail_there(l->err, mk_node_get(item, "optimizer")->where, "optimizer", code);
}
