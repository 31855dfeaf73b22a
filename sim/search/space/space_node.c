/* Search spaces and configurations to and from YAML: the resolved form. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/yaml_values.h"
#include "sim/search/space/formula.h"
#include "sim/search/space/space_read.h"

/* In quotes: one that would be another value without them. */
static bool add_word(const struct mk_hyper *h, struct mk_node *parent, const char *key, size_t i)
{
    const char *word = h->word[i];
    struct mk_node *text = mk_node_text(word);
    if (text) text->quoted = !*word || (h->is_text && h->is_text[i] && !mk_reads_as_text(word));
    return mk_node_add(parent, key, text) != NULL;
}

bool mk_add_hyper(struct mk_node *parent, const char *key, const struct mk_hyper *h, double v)
{
    return mk_hyper_is_word(h) ? add_word(h, parent, key, (size_t)v) : mk_add_real(parent, key, v);
}

/* "> 2 and <= 5", or the list of values. */
static bool add_clause(const struct mk_space *s, struct mk_node *to, const struct mk_clause *c)
{
    const struct mk_hyper *of = &s->hyper[c->of];
    if (c->n_values) {
        struct mk_node *list = mk_node_add(to, of->name, mk_node_new(MK_NODE_LIST, 1));
        bool good = list != NULL;
        for (size_t i = 0; good && i < c->n_values; i++) good = mk_add_hyper(list, NULL, of, c->value[i]);
        return good;
    }
    char text[100] = "", end[32];
    size_t used = 0;
    if (isfinite(c->lo))
        used = (size_t)snprintf(text, sizeof text, "%s %s",
                                c->lo_open ? ">" : ">=", mk_format_real(c->lo, end, sizeof end));
    if (isfinite(c->hi))
        snprintf(text + used, sizeof text - used, "%s%s %s", used ? " and " : "",
                 c->hi_open ? "<" : "<=", mk_format_real(c->hi, end, sizeof end));
    struct mk_node *scalar = mk_node_text(text);
    if (scalar) scalar->quoted = 1;
    return mk_node_add(to, of->name, scalar) != NULL;
}

static bool add_clauses(const struct mk_space *s, struct mk_node *to, const struct mk_clause *clause, size_t n)
{
    bool good = to != NULL;
    for (size_t i = 0; good && i < n; i++) good = add_clause(s, to, &clause[i]);
    return good;
}

/* Whether there are relations, or a word is to differ from the only one that there is: a mapping has neither. */
static bool is_text(const struct mk_space *s, const struct mk_forbidden *f)
{
    bool text = f->n_relations > 0;
    for (size_t i = 0; i < f->n; i++) text |= !f->clause[i].n_values && mk_hyper_is_word(&s->hyper[f->clause[i].of]);
    return text;
}

/* A mapping, or a text. */
static bool add_forbidden(const struct mk_space *s, struct mk_node *list, const struct mk_forbidden *f)
{
    if (!is_text(s, f))
        return add_clauses(s, mk_node_add(list, NULL, mk_node_new(MK_NODE_MAPPING, 1)), f->clause, f->n);
    char *text = mk_forbidden_text(f, s);
    const bool good = text && mk_add_text(list, NULL, text);
    free(text);
    return good;
}

/* A list, or {svm: {}, tree: {}}: the hyperparameters of the algorithms follow separately, with their conditions. */
static bool add_words(const struct mk_hyper *h, struct mk_node *to, const char *form)
{
    struct mk_node *all = mk_node_add(to, form, mk_node_new(h->choice ? MK_NODE_MAPPING : MK_NODE_LIST, 1));
    bool good = all != NULL;
    for (size_t i = 0; good && i < h->n_words; i++)
        good = h->choice ? mk_node_add(all, h->word[i], mk_node_new(MK_NODE_MAPPING, 1)) != NULL
                         : add_word(h, all, NULL, i);
    return good;
}

/* An end of a range: a number, or the formula that it depends on. */
static bool add_end(const struct mk_space *s, struct mk_node *list, const struct mk_hyper *h, int end)
{
    char *text = NULL;
    size_t size = 0;
    if (!h->bound[end]) return mk_add_real(list, NULL, end ? h->hi : h->lo);
    FILE *to = open_memstream(&text, &size);
    if (!to) return false;
    mk_formula_put(to, h->bound[end], s);
    const bool good = !fclose(to) && mk_add_text(list, NULL, text);
    free(text);
    return good;
}

static bool add_range(const struct mk_space *s, const struct mk_hyper *h, struct mk_node *to, const char *form)
{
    struct mk_node *list = mk_node_add(to, form, mk_node_new(MK_NODE_LIST, 1));
    bool good = list && add_end(s, list, h, 0) && add_end(s, list, h, 1);
    if (good && h->log) good = mk_add_text(to, "log", "true");
    return good && h->step > (h->kind == MK_HYPER_INTEGER) ? mk_add_real(to, "step", h->step) : good;
}

static bool add_hyper(const struct mk_space *s, struct mk_node *to, const struct mk_hyper *h)
{
    static const char *const forms[] = {"real", "integer", "ordinal", "categorical", "constant"};
    const char *form = h->choice ? "choice" : forms[h->kind];
    bool good = h->kind == MK_HYPER_CONSTANT ? add_word(h, to, form, 0)
                : mk_hyper_is_word(h)        ? add_words(h, to, form)
                                             : add_range(s, h, to, form);
    if (good && h->kind != MK_HYPER_CONSTANT) good = mk_add_hyper(to, "default", h, h->def);
    if (good && h->n_when)
        good = add_clauses(s, mk_node_add(to, "when", mk_node_new(MK_NODE_MAPPING, 1)), h->when, h->n_when);
    return good;
}

struct mk_node *mk_space_node(const struct mk_space *s)
{
    struct mk_node *root = mk_node_new(MK_NODE_MAPPING, 0);
    bool good = root != NULL;
    for (size_t i = 0; good && i < s->n; i++) {
        struct mk_node *to = mk_node_add(root, s->hyper[i].name, mk_node_new(MK_NODE_MAPPING, 1));
        good = to && add_hyper(s, to, &s->hyper[i]);
    }
    struct mk_node *list = good && s->n_forbidden ? mk_node_add(root, "forbid", mk_node_new(MK_NODE_LIST, 0)) : NULL;
    if (s->n_forbidden && !list) good = false;
    for (size_t i = 0; good && i < s->n_forbidden; i++) good = add_forbidden(s, list, &s->forbidden[i]);
    if (good) return root;
    mk_node_free(root);
    return NULL;
}

/* ---- configurations ---- */

static int read_value(const struct mk_space *s, const struct mk_node *node, double *v, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM], range[256], key[MK_CLIP_ROOM];
    const size_t at = mk_space_find(s, node->key);
    if (at == SIZE_MAX) {
        const char *name[64];
        size_t n = 0;
        for (; n < s->n && n < sizeof name / sizeof *name; n++) name[n] = s->hyper[n].name;
        return mk_fail_word(err, node->key_where, node->key, node->key, "hyperparameter", "", name, n);
    }
    if (node->kind == MK_NODE_SCALAR && mk_hyper_parse(&s->hyper[at], node->text, node->length, &v[at])) return MK_OK;
    return mk_fail_at(err, node->where, mk_clip(node->key, key), "expected %s, got %s",
                      mk_hyper_range(&s->hyper[at], range, sizeof range), mk_node_describe(node, clip));
}

/* besides: as mk_space_take_configuration; whole: no active hyperparameter may be missing. */
static int read_configuration(const struct mk_space *s, const struct mk_node *node, const char *besides, bool whole,
                              double *v, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    if (node->kind != MK_NODE_MAPPING)
        return mk_fail_at(err, node->where, node->key, "expected a mapping of hyperparameters and values, got %s",
                          mk_node_describe(node, clip));
    for (size_t i = 0; i < s->n; i++) v[i] = NAN;
    int code = MK_OK;
    for (size_t i = 0; !code && i < node->n; i++)
        if (!besides || strcmp(node->child[i]->key, besides) != 0) code = read_value(s, node->child[i], v, err);
    for (size_t i = 0; !code && i < s->n; i++) {
        const size_t at = s->order[i];
        const struct mk_node *given = mk_node_get(node, s->hyper[at].name);
        const bool active = mk_space_active(s, v, at);
        mk_clip(s->hyper[at].name, clip);
        if (active && isnan(v[at]) && whole) code = mk_fail_at(err, node->where, clip, "missing");
        if (active && isnan(v[at])) v[at] = s->hyper[at].def;
        if (!active && !isnan(v[at])) code = mk_fail_at(err, given->where, clip, "is not active in this configuration");
    }
    if (!code && !mk_space_allows(s, v)) code = mk_fail_at(err, node->where, NULL, "this configuration is forbidden");
    return code;
}

int mk_space_read_configuration(const struct mk_space *s, const char *name, const char *text, size_t length, double *v,
                                struct mk_error *err)
{
    struct mk_tree *tree = NULL;
    int code = mk_tree_parse(&tree, name, text, length, err);
    if (!code) code = read_configuration(s, tree->root, NULL, true, v, err);
    mk_tree_free(tree);
    return code;
}

int mk_space_take_configuration(const struct mk_space *s, const struct mk_node *node, const char *besides, double *v,
                                struct mk_error *err)
{
    return read_configuration(s, node, besides, false, v, err);
}
