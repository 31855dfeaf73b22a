#include "sim/study/first_trials.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/yaml_values.h"
#include "sim/search/space/space_read.h"

static const char key_arm[] = "arm", key_configuration[] = "configuration";

static int no_memory(struct mk_error *err)
{
    return mk_fail_memory(err, "configurations to be tried first");
}

void mk_first_trials_free(struct mk_tune *t)
{
    for (size_t i = 0; i < t->n_first; i++) free(t->first_trial[i].v);
    free(t->first_trial);
}

/* Whether the configuration is there already. */
static bool has_first(const struct mk_tune *t, size_t arm, uint64_t digest)
{
    for (size_t i = 0; i < t->n_first; i++)
        if (t->first_trial[i].arm == arm &&
            mk_space_configuration_digest(t->arm[arm].space, t->first_trial[i].v) == digest)
            return true;
    return false;
}

/* Appends a copy, unless it is there. */
static int append_first(struct mk_tune *t, size_t arm, const double *v, struct mk_error *err)
{
    const struct mk_space *s = t->arm[arm].space;
    if (has_first(t, arm, mk_space_configuration_digest(s, v))) return MK_OK;
    if (!MK_GROW(t->first_trial, t->n_first, 1)) return no_memory(err);
    struct mk_first_trial *to = &t->first_trial[t->n_first];
    to->arm = arm;
    to->v = malloc((s->n + 1) * sizeof *to->v);
    if (!to->v) return no_memory(err);
    memcpy(to->v, v, s->n * sizeof *v);
    t->n_first++;
    return MK_OK;
}

/* ---- a list ---- */

static int find_arm(const struct mk_tune *t, const struct mk_node *item, size_t *arm, struct mk_error *err)
{
    const struct mk_node *label = mk_node_get(item, key_arm);
    char clip[MK_CLIP_ROOM];
    *arm = 0;
    if (!label && t->n_arms == 1) return MK_OK;
    if (!label) return mk_fail_at(err, item->where, key_arm, "missing; expected the label of an arm");
    if (label->kind == MK_NODE_SCALAR) *arm = mk_tune_find_arm(t, label->text, label->length);
    if (label->kind == MK_NODE_SCALAR && *arm < t->n_arms) return MK_OK;
    return mk_fail_at(err, label->where, key_arm, "expected the label of an arm, got %s",
                      mk_node_describe(label, clip));
}

/* {arm: LABEL, NAME: value, …}, or {arm: LABEL, configuration: {NAME: value, …}}. */
static int read_item(struct mk_tune *t, const struct mk_node *item, struct mk_error *err)
{
    double v[MK_SPACE_MOST];
    char clip[MK_CLIP_ROOM];
    size_t arm;
    if (item->kind != MK_NODE_MAPPING)
        return mk_fail_at(err, item->where, "first", "expected a mapping such as {arm: LABEL, NAME: value}, got %s",
                          mk_node_describe(item, clip));
    int code = find_arm(t, item, &arm, err);
    if (code) return code;
    const struct mk_node *whole = mk_node_get(item, key_configuration);
    const bool is_whole = whole && whole->kind == MK_NODE_MAPPING;
    code = mk_space_take_configuration(t->arm[arm].space, is_whole ? whole : item, is_whole ? NULL : key_arm, v, err);
    return code ? code : append_first(t, arm, v, err);
}

static int read_list(struct mk_tune *t, const struct mk_node *list, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t i = 0; i < list->n && !code; i++) code = read_item(t, list->child[i], err);
    return code;
}

/* ---- a file ---- */

static int add_cell(struct mk_node *to, const struct mk_csv *csv, size_t at)
{
    struct mk_node *cell = mk_node_scalar(csv->cell[at].text, csv->cell[at].length);
    if (!mk_node_add(to, csv->column[at], cell)) return MK_ENOMEM;
    cell->where = cell->key_where = mk_csv_where(csv, at);
    return MK_OK;
}

/* The row as an item of a list: the arm, and the cells of hyperparameters that are not empty. */
static int read_wide_row(struct mk_tune *t, const struct mk_csv *csv, struct mk_error *err)
{
    struct mk_node *item = mk_node_new(MK_NODE_MAPPING, 1);
    int code = item ? MK_OK : no_memory(err);
    if (item) item->where = mk_csv_where(csv, 0);
    for (size_t i = 0; i < csv->n_columns && !code; i++)
        if (csv->cell[i].length && add_cell(item, csv, i)) code = no_memory(err);
    if (!code) code = read_item(t, item, err);
    mk_node_free(item);
    return code;
}

/* The row with its columns arm and configuration. */
static int read_long_row(struct mk_tune *t, const struct mk_csv *csv, int arm, int configuration, struct mk_error *err)
{
    const struct mk_csv_cell *text = &csv->cell[configuration];
    const struct mk_where where = mk_csv_where(csv, (size_t)configuration);
    struct mk_node *item = mk_node_new(MK_NODE_MAPPING, 1);
    struct mk_tree *tree = NULL;
    struct mk_error why;
    double v[MK_SPACE_MOST];
    size_t k = 0;
    int code = item && (arm < 0 || !add_cell(item, csv, (size_t)arm)) ? MK_OK : no_memory(err);
    if (!code) {
        item->where = where;
        code = find_arm(t, item, &k, err);
    }
    mk_node_free(item);
    if (code) return code;
    code = mk_tree_parse(&tree, key_configuration, text->text, text->length, &why);
    if (!code) code = mk_space_take_configuration(t->arm[k].space, tree->root, NULL, v, &why);
    mk_tree_free(tree);
    if (code == MK_EINPUT) return mk_fail_at(err, where, key_configuration, "%s", why.text);
    return code ? mk_fail(err, code, "%s", why.text) : append_first(t, k, v, err);
}

/* Columns of a file without a column `configuration` are hyperparameters, and the arm. */
static int check_columns(const struct mk_tune *t, const struct mk_csv *csv, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    for (size_t i = 0; i < csv->n_columns; i++) {
        bool known = strcmp(csv->column[i], key_arm) == 0;
        for (size_t k = 0; k < t->n_arms && !known; k++)
            known = mk_space_find(t->arm[k].space, csv->column[i]) != SIZE_MAX;
        if (!known)
            return mk_fail_at(err, (struct mk_where){csv->path, 1, 0}, mk_clip(csv->column[i], clip),
                              "is no hyperparameter of any arm; expected the columns arm and configuration, or arm "
                              "and hyperparameters");
    }
    return MK_OK;
}

static int read_file(struct mk_tune *t, const struct mk_node *node, const char *directory, struct mk_error *err)
{
    struct mk_csv *csv = NULL;
    char *path = NULL;
    int code = mk_find_file(directory, node, "first", &path, err);
    if (!code) code = mk_csv_open(&csv, path, err);
    const int configuration = code ? -1 : mk_csv_find(csv, key_configuration);
    const int arm = code ? -1 : mk_csv_find(csv, key_arm);
    if (!code && configuration < 0) code = check_columns(t, csv, err);
    while (!code && !(code = mk_csv_next(csv, err)))
        code = configuration < 0 ? read_wide_row(t, csv, err) : read_long_row(t, csv, arm, configuration, err);
    mk_csv_close(csv);
    free(path);
    return code == MK_CSV_END ? MK_OK : code;
}

/* ---- defaults ---- */

static bool has_stated_default(const struct mk_space *s)
{
    bool any = false;
    for (size_t i = 0; i < s->n; i++) any |= s->hyper[i].stated;
    return any;
}

static int add_defaults(struct mk_tune *t, enum mk_tune_defaults which, struct mk_error *err)
{
    double v[MK_SPACE_MOST];
    int code = MK_OK;
    for (size_t k = 0; k < t->n_arms && !code; k++) {
        if (which == MK_DEFAULTS_NO || (which == MK_DEFAULTS_STATED && !has_stated_default(t->arm[k].space))) continue;
        mk_space_default(t->arm[k].space, v);
        code = append_first(t, k, v, err);
    }
    return code;
}

/* ---- the whole ---- */

static bool resolve_one(const struct mk_tune *t, const struct mk_first_trial *first, struct mk_node *list)
{
    const struct mk_space *s = t->arm[first->arm].space;
    struct mk_node *item = mk_node_add(list, NULL, mk_node_new(MK_NODE_MAPPING, 1)), *to = NULL;
    bool good = item && mk_add_text(item, key_arm, t->arm[first->arm].label) &&
                (to = mk_node_add(item, key_configuration, mk_node_new(MK_NODE_MAPPING, 1)));
    for (size_t i = 0; good && i < s->n; i++)
        if (first->v[i] == first->v[i]) good = mk_add_hyper(to, s->hyper[i].name, &s->hyper[i], first->v[i]);
    return good;
}

static int resolve_all(const struct mk_tune *t, struct mk_node *to, struct mk_error *err)
{
    struct mk_node *list = t->n_first ? mk_node_add(to, "first", mk_node_new(MK_NODE_LIST, 0)) : NULL;
    bool good = list || !t->n_first;
    for (size_t i = 0; good && i < t->n_first; i++) good = resolve_one(t, &t->first_trial[i], list);
    return good && mk_add_text(to, "defaults", "no") ? MK_OK : no_memory(err);
}

/* The trials of all of them must be within the budget. */
static int check_budget(const struct mk_tune *t, struct mk_where where, struct mk_error *err)
{
    uint64_t trials = 0;
    for (size_t i = 0; i < t->n_first; i++) {
        const size_t k = t->first_trial[i].arm;
        trials += t->on.n && !mk_tune_races(t, k) ? t->runs : 1;
    }
    if (trials <= t->evaluations || t->is_study || t->open_budget) return MK_OK;
    return mk_fail_at(err, where, "first",
                      "%zu configurations take at least %" PRIu64 " trials; expected budget: evaluations: of as many, "
                      "got %" PRIu64,
                      t->n_first, trials, t->evaluations);
}

int mk_read_first_trials(struct mk_tune *t, const struct mk_node *root, const char *directory, struct mk_node *to,
                         struct mk_error *err)
{
    const struct mk_node *first = mk_node_get(root, "first");
    enum mk_tune_defaults defaults = MK_DEFAULTS_STATED;
    char clip[MK_CLIP_ROOM];
    int code = MK_READ_KEY(root, MK_TUNE_FILE, "defaults", &defaults, NULL, err);
    if (!code && first && first->kind == MK_NODE_LIST)
        code = read_list(t, first, err);
    else if (!code && first && first->kind == MK_NODE_SCALAR && first->length)
        code = read_file(t, first, directory, err);
    else if (!code && first)
        code =
            mk_fail_at(err, first->where, "first",
                       "expected a list of configurations such as [{arm: LABEL, NAME: value}], or a CSV file, got %s",
                       mk_node_describe(first, clip));
    if (!code) code = add_defaults(t, defaults, err);
    if (!code) code = check_budget(t, first ? first->where : root->where, err);
    return code ? code : resolve_all(t, to, err);
}

int mk_tune_complete_configuration(const struct mk_tune *t, size_t k, const char *name, const char *text, double *v,
                                   struct mk_error *err)
{
    struct mk_tree *tree = NULL;
    int code = mk_tree_parse(&tree, name, text, strlen(text), err);
    if (!code) code = mk_space_take_configuration(t->arm[k].space, tree->root, NULL, v, err);
    mk_tree_free(tree);
    return code;
}
