/* The JSON of ConfigSpace 0.4 to 1.2: "hyperparameters", "conditions" and "forbiddens". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/base/yaml_values.h"
#include "sim/search/records/importer.h"
#include "sim/search/records/space_draft.h"
#include "sim/search/space/formula.h"

static const char *text_at(json_object *x, const char *key)
{
    json_object *found = mk_import_member(x, key);
    return json_object_is_type(found, json_type_string) ? json_object_get_string(found) : "";
}

/* A value as YAML, NULL: no memory. */
static struct mk_node *node_of(json_object *x)
{
    if (json_object_is_type(x, json_type_string)) return mk_node_text(json_object_get_string(x));
    const char *text = json_object_to_json_string_ext(x, JSON_C_TO_STRING_PLAIN);
    return mk_node_scalar(text, strlen(text));
}

static struct mk_node *list_of(json_object *items)
{
    struct mk_node *list = mk_node_new(MK_NODE_LIST, 1);
    const size_t n = json_object_is_type(items, json_type_array) ? json_object_array_length(items) : 0;
    bool good = list != NULL;
    for (size_t i = 0; i < n && good; i++)
        good = mk_node_add(list, NULL, node_of(json_object_array_get_idx(items, i))) != NULL;
    if (good) return list;
    mk_node_free(list);
    return NULL;
}

static struct mk_node *range_of(json_object *h)
{
    struct mk_node *list = mk_node_new(MK_NODE_LIST, 1);
    if (list && mk_node_add(list, NULL, node_of(mk_import_member(h, "lower"))) &&
        mk_node_add(list, NULL, node_of(mk_import_member(h, "upper"))))
        return list;
    mk_node_free(list);
    return NULL;
}

static int no_memory(const struct mk_space_draft *d)
{
    return mk_fail_memory(d->err, "a search space");
}

static int read_hyper(struct mk_space_draft *d, json_object *h)
{
    const char *name = text_at(h, "name"), *type = text_at(h, "type");
    const bool is_float = strstr(type, "float") != NULL, is_int = strstr(type, "int") != NULL;
    struct mk_node *to = NULL;
    int code = MK_OK;
    if (!*name || !*type) return mk_draft_fail(d, "hyperparameters: expected name and type");
    if (is_float || is_int) {
        if (!mk_import_member(h, "lower") || !mk_import_member(h, "upper"))
            return mk_draft_fail(d, "%s: expected lower and upper; a range without ends has no form here", name);
        to = mk_draft_hyper(d, name, is_float ? "real" : "integer", range_of(h));
        if (to && json_object_get_boolean(mk_import_member(h, "log")) && !mk_add_text(to, "log", "true")) to = NULL;
        if (to && strncmp(type, "uniform", 7) != 0) code = mk_draft_note(d, "%s: %s is taken as uniform", name, type);
    } else if (strcmp(type, "categorical") == 0) {
        to = mk_draft_hyper(d, name, "categorical", list_of(mk_import_member(h, "choices")));
        json_object *weights = mk_import_member(h, "weights");
        if (to && weights && !json_object_is_type(weights, json_type_null))
            code = mk_draft_note(d, "%s: weights are left out", name);
    } else if (strcmp(type, "ordinal") == 0) {
        to = mk_draft_hyper(d, name, "ordinal", list_of(mk_import_member(h, "sequence")));
    } else if (strcmp(type, "constant") == 0 || strcmp(type, "unparametrized") == 0) {
        to = mk_draft_hyper(d, name, "constant", node_of(mk_import_member(h, "value")));
    } else {
        return mk_draft_fail(d, "%s: the type %s has no form here", name, type);
    }
    json_object *initial = mk_import_member(h, "default_value");
    if (!initial) initial = mk_import_member(h, "default");
    if (to && initial && !mk_node_get(to, "constant") && !mk_node_add(to, "default", node_of(initial))) to = NULL;
    return to ? code : no_memory(d);
}

/* One comparison into a mapping; false: it has no form. */
static bool add_condition(const struct mk_space_draft *d, json_object *c, const char *name, struct mk_node *to)
{
    static const char *const types[] = {"GT", "LT"}, *const signs[] = {"> ", "< "};
    const char *type = text_at(c, "type");
    json_object *value = mk_import_member(c, "value"), *values = mk_import_member(c, "values");
    char text[100];
    if (!mk_node_get(d->space, name) || mk_node_get(to, name)) return false;
    if (strcmp(type, "EQ") == 0 || strcmp(type, "EQUALS") == 0) return mk_node_add(to, name, node_of(value));
    if (strcmp(type, "IN") == 0) return mk_node_add(to, name, list_of(values ? values : value));
    if (strcmp(type, "NEQ") == 0) {
        const struct mk_node *h = mk_node_get(d->space, name), *words = mk_node_get(h, "categorical");
        const char *but = json_object_is_type(value, json_type_string) ? json_object_get_string(value)
                                                                       : json_object_to_json_string(value);
        struct mk_node *list = words ? mk_node_copy(words) : NULL;
        if (!list) return false;
        for (size_t i = list->n; i-- > 0;)
            if (strcmp(list->child[i]->text, but) == 0) {
                mk_node_free(list->child[i]);
                memmove(&list->child[i], &list->child[i + 1], (--list->n - i) * sizeof *list->child);
            }
        return mk_node_add(to, name, list);
    }
    for (size_t i = 0; i < 2; i++)
        if (strcmp(type, types[i]) == 0) {
            snprintf(text, sizeof text, "%s%.60s", signs[i], json_object_to_json_string(value));
            return mk_node_add(to, name, mk_node_text(text));
        }
    return false;
}

/* A condition or a conjunction of some. */
static bool add_conditions(const struct mk_space_draft *d, json_object *c, struct mk_node *to)
{
    json_object *parts = mk_import_member(c, "conditions");
    if (strcmp(text_at(c, "type"), "AND") != 0) return add_condition(d, c, text_at(c, "parent"), to);
    bool good = json_object_is_type(parts, json_type_array);
    for (size_t i = 0; good && i < json_object_array_length(parts); i++)
        good = add_conditions(d, json_object_array_get_idx(parts, i), to);
    return good;
}

static int read_condition(struct mk_space_draft *d, json_object *c)
{
    const char *child = text_at(c, "child");
    json_object *parts = mk_import_member(c, "conditions");
    if (!*child && json_object_is_type(parts, json_type_array) && json_object_array_length(parts))
        child = text_at(json_object_array_get_idx(parts, 0), "child");
    struct mk_node *h = mk_node_get(d->space, child), *own = h ? mk_node_get(h, "when") : NULL;
    struct mk_node *when = own ? mk_node_copy(own) : mk_node_new(MK_NODE_MAPPING, 1);
    if (!h) {
        mk_node_free(when);
        return mk_draft_fail(d, "conditions: expected the name of a hyperparameter as child, got '%.80s'", child);
    }
    if (!when) return no_memory(d);
    if (!add_conditions(d, c, when)) {
        mk_node_free(when);
        return mk_draft_note(d, "%s: the condition %.200s has no form here; it is not part of it", child,
                             json_object_to_json_string(c));
    }
    mk_node_free(mk_node_take(h, "when"));
    return mk_node_add(h, "when", when) ? MK_OK : no_memory(d);
}

static bool add_forbidden(const struct mk_space_draft *d, json_object *f, struct mk_node *to)
{
    json_object *clauses = mk_import_member(f, "clauses");
    if (strcmp(text_at(f, "type"), "AND") != 0) return add_condition(d, f, text_at(f, "name"), to);
    bool good = json_object_is_type(clauses, json_type_array);
    for (size_t i = 0; good && i < json_object_array_length(clauses); i++)
        good = add_forbidden(d, json_object_array_get_idx(clauses, i), to);
    return good;
}

/* A clause, or a conjunction of some, as a text with relations of two hyperparameters; false: it has no form. */
static bool put_relations(FILE *to, json_object *f)
{
    static const char *const words[] = {"LESS", "EQUALS", "GREATER"}, *const signs[] = {"<", "==", ">"};
    json_object *clauses = mk_import_member(f, "clauses"), *value = mk_import_member(f, "value");
    const char *type = text_at(f, "type");
    if (strcmp(type, "AND") == 0) {
        bool good = json_object_is_type(clauses, json_type_array);
        for (size_t i = 0; good && i < json_object_array_length(clauses); i++) {
            fputs(i ? " & " : "", to);
            good = put_relations(to, json_object_array_get_idx(clauses, i));
        }
        return good;
    }
    size_t k = strcmp(type, "EQUALS") == 0 && value ? 1 : strcmp(type, "RELATION") == 0 ? 0 : 3;
    if (k == 0)
        while (k < 3 && strcmp(words[k], text_at(f, "lambda")) != 0) k++;
    if (k == 3) return false;
    mk_formula_put_name(to, value ? text_at(f, "name") : text_at(f, "left"));
    fprintf(to, " %s ", signs[k]);
    if (json_object_is_type(value, json_type_string))
        mk_formula_put_word(to, json_object_get_string(value));
    else if (value)
        fputs(json_object_to_json_string(value), to);
    else
        mk_formula_put_name(to, text_at(f, "right"));
    return true;
}

/* "": it has no form; malloc'ed, NULL: no memory. */
static char *relations_text(json_object *f)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    const bool good = put_relations(to, f);
    if (fclose(to)) {
        free(text);
        return NULL;
    }
    if (!good) *text = 0;
    return text;
}

static int read_forbidden(struct mk_space_draft *d, json_object *f)
{
    struct mk_node *mapping = mk_node_new(MK_NODE_MAPPING, 1);
    if (mapping && add_forbidden(d, f, mapping)) return mk_draft_forbid(d, mapping);
    mk_node_free(mapping);
    char *text = mapping ? relations_text(f) : NULL;
    bool good = text && *text;
    if (!text) return no_memory(d);
    int code = good ? mk_draft_forbid_relations(d, text, &good) : MK_OK;
    free(text);
    if (code || good) return code;
    return mk_draft_note(d, "the clause %.200s has no form here; it is not forbidden", json_object_to_json_string(f));
}

typedef int read_item(struct mk_space_draft *d, json_object *item);

static int read_all(struct mk_space_draft *d, json_object *root, const char *key, read_item *read)
{
    json_object *list = mk_import_member(root, key);
    const size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
    int code = MK_OK;
    for (size_t i = 0; i < n && !code; i++) code = read(d, json_object_array_get_idx(list, i));
    return code;
}

int mk_space_read_json(struct mk_space_draft *d, char *text, size_t length)
{
    json_tokener *tokener = json_tokener_new();
    json_object *root = tokener ? json_tokener_parse_ex(tokener, text, (int)length) : NULL;
    int code = root ? MK_OK : tokener ? mk_draft_fail(d, "not JSON") : no_memory(d);
    if (!code && !json_object_is_type(mk_import_member(root, "hyperparameters"), json_type_array))
        code = mk_draft_fail(d, "expected a configuration space of ConfigSpace with a list of \"hyperparameters\"");
    if (!code) code = read_all(d, root, "hyperparameters", read_hyper);
    if (!code) code = read_all(d, root, "conditions", read_condition);
    if (!code) code = read_all(d, root, "forbiddens", read_forbidden);
    json_object_put(root);
    json_tokener_free(tokener);
    return code;
}
