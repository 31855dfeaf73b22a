/* The arms of an experiment file: lists of them with labels and costs, and items that stand for many of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/string_table.h"
#include "sim/base/text.h"
#include "sim/run/experiment/experiment_read.h"

static int no_memory(struct mk_loader *l)
{
    return mk_fail_memory(l->err, "arms");
}

/* ---- items of a list that describe many arms: {repeat: N, family: …, a: {uniform: [1, 6]}, …} ----
 *
 * Every arm is the item with its draws replaced by numbers, and is then read as if it had been written out. A draw is a
 * mapping with one key in place of a number:
 *     {FAMILY: [its numbers, in order]}, {FAMILY: {its parameters}}   a draw from that reward family
 *     {log_uniform: [lo, hi]}                                         the exponential of a uniform draw
 *     {values: [one for each arm]}                                    the numbers themselves, or as a text:
 *                                                                     {values: 1 2 3}
 * "{i}" in place of a number is that of the arm within the item, from 0. A number depends on the item's seed, its place
 * in the list, the number of the arm within the item and the keys that lead to it, not on N: the first arms of a longer
 * list are those of a shorter one. Resolved, an item has `values` for what differs between its arms. */

enum { MOST_DRAWS = 64, MOST_LABEL = 128 };

struct draw {
    const struct mk_node *at;     /* the mapping */
    const struct mk_node *values; /* the list of `values`, or NULL; */
    const char *next;             /* its text from the next arm's on, or NULL */
    struct mk_dist *dist;
    int exponential; /* log_uniform */
    struct mk_key key;
};

/* The texts of a number that differs between arms, from the first arm on. */
struct column {
    struct mk_node *at; /* in the resolved item */
    char *text;
    size_t length;
};

struct repeat {
    struct mk_loader *l;
    const struct mk_node *item;
    size_t times, n_draws, n_columns;
    uint64_t seed;
    struct draw draw[MOST_DRAWS];
    struct column column[MOST_DRAWS];
};

static int no_memory_repeated(struct mk_loader *l)
{
    return mk_fail_memory(l->err, "repeated arms");
}

static const struct mk_dist_type *prior_type(const char *name)
{
    const struct mk_dist_type *type = mk_dist_type_find(strcmp(name, "log_uniform") == 0 ? "uniform" : name);
    return type && !(type->flags & MK_DIST_WRAPPER) ? type : NULL;
}

static bool is_draw(const struct mk_node *node)
{
    return node->kind == MK_NODE_MAPPING && node->n == 1 &&
           (strcmp(node->child[0]->key, "values") == 0 || prior_type(node->child[0]->key));
}

/* The numbers of a list as the parameters of a family, in order. */
static int name_numbers(struct mk_loader *l, const struct mk_dist_type *type, const struct mk_node *list,
                        struct mk_node *to)
{
    size_t given = 0, most = 0;
    for (size_t i = 0; i < mk_param_count(type->params); i++) {
        if (!mk_param_is_number(&type->params[i])) continue;
        if (given < list->n && !mk_node_add(to, type->params[i].name, mk_node_copy(list->child[given++])))
            return no_memory_repeated(l);
        most++;
    }
    if (given == list->n) return MK_OK;
    return mk_fail_at(l->err, list->where, list->key, "expected at most %zu numbers, got %zu", most, list->n);
}

/* The prior as a mapping like that of an arm. */
static int prior_mapping(struct mk_loader *l, const struct mk_node *at, struct mk_node *to)
{
    const struct mk_node *given = at->child[0];
    const struct mk_dist_type *type = prior_type(given->key);
    char clip[MK_CLIP_ROOM];
    to->where = at->where;
    if (!mk_add_text(to, "family", type->name)) return no_memory_repeated(l);
    if (given->kind == MK_NODE_LIST) return name_numbers(l, type, given, to);
    if (given->kind == MK_NODE_SCALAR)
        return mk_fail_at(l->err, given->where, given->key, "expected a list of numbers, got %s",
                          mk_node_describe(given, clip));
    for (size_t i = 0; i < given->n; i++)
        if (!mk_node_add(to, given->child[i]->key, mk_node_copy(given->child[i]))) return no_memory_repeated(l);
    return MK_OK;
}

static int take_logarithms(struct mk_loader *l, struct draw *d)
{
    const struct mk_node *given = d->at->child[0];
    const double lo = d->dist->v[0], hi = d->dist->v[1];
    int param = -1;
    if (!(lo > 0)) return mk_fail_at(l->err, given->where, given->key, "expected lo > 0");
    mk_dist_free(d->dist);
    d->dist = NULL;
    d->exponential = 1;
    const struct mk_dist_spec spec = {.type = mk_dist_type_find("uniform"), .v = {log(lo), log(hi)}};
    return mk_dist_new(&d->dist, &spec, &param, l->err);
}

static int read_prior(struct mk_loader *l, struct draw *d)
{
    struct mk_node *mapping = mk_node_new(MK_NODE_MAPPING, 1), *resolved = mk_node_new(MK_NODE_MAPPING, 1);
    int code = mapping && resolved ? prior_mapping(l, d->at, mapping) : no_memory_repeated(l);
    if (!code) code = mk_read_distribution(l, mapping, 0, &d->dist, resolved);
    mk_node_free(mapping);
    mk_node_free(resolved);
    return !code && strcmp(d->at->child[0]->key, "log_uniform") == 0 ? take_logarithms(l, d) : code;
}

/* Numbers are given as a list, or as a text with blanks between them, as they are stored: one node instead of one per
 * arm. */
static int read_values(struct mk_loader *l, struct draw *d, size_t times)
{
    const struct mk_node *given = d->at->child[0];
    size_t n = 0;
    if (given->kind != MK_NODE_SCALAR) {
        int code = mk_check_list(given, "values", "number", l->err);
        if (code) return code;
        d->values = given;
        n = given->n;
    } else {
        d->next = given->text + strspn(given->text, " ");
        for (const char *c = d->next; *c; n++) c += strcspn(c, " "), c += strspn(c, " ");
    }
    if (n == times) return MK_OK;
    return mk_fail_at(l->err, given->where, "values", "expected %zu numbers, one for each arm, got %zu", times, n);
}

/* All draws at and below a node. */
static int find_draws(struct repeat *r, const struct mk_node *node, struct mk_key key)
{
    int code = MK_OK;
    if (is_draw(node)) {
        if (r->n_draws == MOST_DRAWS)
            return mk_fail_at(r->l->err, node->where, "repeat", "expected at most %d numbers to draw for each arm",
                              MOST_DRAWS);
        struct draw *d = &r->draw[r->n_draws++];
        *d = (struct draw){.at = node, .key = key};
        return strcmp(node->child[0]->key, "values") == 0 ? read_values(r->l, d, r->times) : read_prior(r->l, d);
    }
    for (size_t i = 0; i < node->n && !code; i++) {
        const char *name = node->child[i]->key;
        if (name && strcmp(name, "space") == 0) continue; /* of searches: its keys may be any words */
        code = find_draws(r, node->child[i], name ? mk_key_text(key, name) : mk_key_word(key, i));
    }
    return code;
}

/* The next word of the text. */
static const char *next_value(struct draw *d, char *out, size_t room)
{
    size_t n = strcspn(d->next, " ");
    snprintf(out, room, "%.*s", (int)(n < room ? n : room - 1), d->next);
    d->next += n;
    d->next += strspn(d->next, " ");
    return out;
}

static struct mk_node *text_at(const char *text, struct mk_where where)
{
    struct mk_node *node = mk_node_text(text);
    if (node) node->where = where;
    return node;
}

/* Arms are requested in order. */
static struct mk_node *drawn(struct draw *d, size_t number)
{
    char text[64];
    double x = 0;
    struct mk_pcg64 rng;
    if (d->values) return mk_node_copy(d->values->child[number]);
    if (d->next) return text_at(next_value(d, text, sizeof text), d->at->where);
    mk_pcg64_from_key(&rng, mk_key_word(d->key, number));
    d->dist->type->sample(d->dist, &rng, 1, &x);
    return text_at(mk_format_real(d->exponential ? exp(x) : x, text, sizeof text), d->at->where);
}

/* The label of an arm: {i} stands for its number. Without {i} the labels would not differ. */
static int add_label(const struct repeat *r, const struct mk_node *at, size_t number, struct mk_node *to)
{
    char text[MOST_LABEL], clip[MK_CLIP_ROOM];
    const char *mark = at->kind == MK_NODE_SCALAR ? strstr(at->text, "{i}") : NULL;
    if (!mark && r->times > 1)
        return mk_fail_at(r->l->err, at->where, "label",
                          "with repeat, expected a text that contains {i}, the number of the arm; got %s",
                          mk_node_describe(at, clip));
    int n = mark ? snprintf(text, sizeof text, "%.*s%zu%s", (int)(mark - at->text), at->text, number, mark + 3) : 0;
    if (n >= MOST_LABEL) return mk_fail_at(r->l->err, at->where, "label", "expected at most 100 bytes");
    struct mk_node *label = mk_node_add(to, "label", mark ? text_at(text, at->where) : mk_node_copy(at));
    return label ? MK_OK : no_memory_repeated(r->l);
}

/* How many arms an item of a list stands for: its `repeat`, or 1. */
static int repeat_times(struct mk_loader *l, const struct mk_node *item, size_t *times)
{
    return MK_READ_KEY(item, MK_IN_REPEAT, "repeat", times, NULL, l->err);
}

/* The item at this position of the list, borrowed. To be freed also after an error. */
static int repeat_new(struct repeat **out, struct mk_loader *l, const struct mk_node *item, size_t position)
{
    struct repeat *r = calloc(1, sizeof *r);
    if (!r) return no_memory_repeated(l);
    *out = r;
    r->l = l;
    r->item = item;
    int code = repeat_times(l, item, &r->times);
    if (!code) code = MK_READ_KEY(item, MK_IN_REPEAT, "seed", &r->seed, NULL, l->err);
    struct mk_key key = mk_key_word(mk_key_text(mk_key_start(), "repeated arms"), r->seed);
    if (!code) code = find_draws(r, item, mk_key_word(key, position));
    return code;
}

static void repeat_free(struct repeat *r)
{
    if (!r) return;
    for (size_t i = 0; i < r->n_draws; i++) mk_dist_free(r->draw[i].dist);
    for (size_t i = 0; i < r->n_columns; i++) free(r->column[i].text);
    free(r);
}

static struct mk_node *numbered(const struct mk_node *node, size_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", number);
    return text_at(text, node->where);
}

/* A copy of the node with the draws of one arm. */
static struct mk_node *copy_drawn(struct repeat *r, const struct mk_node *node, size_t number)
{
    for (size_t i = 0; i < r->n_draws; i++)
        if (r->draw[i].at == node) return drawn(&r->draw[i], number);
    if (node->kind == MK_NODE_SCALAR)
        return strcmp(node->text, "{i}") == 0 ? numbered(node, number) : mk_node_copy(node);
    struct mk_node *copy = mk_node_new(node->kind, node->flow);
    if (!copy) return NULL;
    copy->where = node->where;
    for (size_t i = 0; i < node->n; i++) {
        if (mk_node_add(copy, node->child[i]->key, copy_drawn(r, node->child[i], number))) continue;
        mk_node_free(copy);
        return NULL;
    }
    return copy;
}

/* The mapping of arm `number`, from 0 on, in order; the caller's, also after an error. */
static int repeat_arm(struct repeat *r, size_t number, struct mk_node **out)
{
    struct mk_node *arm = *out = mk_node_new(MK_NODE_MAPPING, 1);
    if (!arm) return no_memory_repeated(r->l);
    arm->where = r->item->where;
    for (size_t i = 0; i < r->item->n; i++) {
        const struct mk_node *at = r->item->child[i];
        int code = MK_OK;
        if (strcmp(at->key, "label") == 0)
            code = add_label(r, at, number, arm);
        else if (strcmp(at->key, "repeat") != 0 && strcmp(at->key, "seed") != 0 &&
                 !mk_node_add(arm, at->key, copy_drawn(r, at, number)))
            code = no_memory_repeated(r->l);
        if (code) return code;
        if (arm->n) arm->child[arm->n - 1]->key_where = at->key_where;
    }
    return MK_OK;
}

static struct column *column_of(struct repeat *r, const struct mk_node *at)
{
    for (size_t i = 0; i < r->n_columns; i++)
        if (r->column[i].at == at) return &r->column[i];
    return NULL;
}

static bool append(struct column *c, const char *text)
{
    const size_t n = strlen(text);
    if (!MK_GROW(c->text, c->length, n + 2)) return false;
    if (c->length) c->text[c->length++] = ' ';
    memcpy(c->text + c->length, text, n + 1);
    c->length += n;
    return true;
}

/* 0: out of memory. A number is drawn, or is the same for all arms. */
static int merge(struct repeat *r, struct mk_node *into, const struct mk_node *arm, size_t before)
{
    int good = 1;
    if (arm->kind == MK_NODE_SCALAR) {
        struct column *c = column_of(r, into);
        if (!c && strcmp(into->text, arm->text) == 0) return 1;
        if (!c) {
            if (r->n_columns == MOST_DRAWS) return 0;
            c = &r->column[r->n_columns++];
            *c = (struct column){.at = into};
            for (size_t i = 0; i < before && good; i++) good = append(c, into->text);
        }
        return good && append(c, arm->text);
    }
    for (size_t i = 0; good && i < arm->n && i < into->n; i++) good = merge(r, into->child[i], arm->child[i], before);
    return good;
}

/* The first arm, with the keys of the item. */
static bool start_item(const struct repeat *r, const struct mk_node *arm, struct mk_node *to)
{
    char text[32];
    const struct mk_node *label = mk_node_get(r->item, "label");
    snprintf(text, sizeof text, "%zu", r->times);
    int good = mk_add_text(to, "repeat", text);
    for (size_t i = 0; good && i < arm->n; i++)
        good = mk_node_add(to, arm->child[i]->key, mk_node_copy(arm->child[i])) != NULL;
    return good && (!label || mk_node_add(to, "label", mk_node_copy(label)));
}

/* Adds the arm, resolved, to the resolved item; its label is taken away: labels are those of the pattern, or default
 * ones. After the last arm the item is finished. */
static int repeat_resolve(struct repeat *r, size_t number, struct mk_node *arm, struct mk_node *to)
{
    mk_node_free(mk_node_take(arm, "label"));
    int good = number > 0 || start_item(r, arm, to);
    for (size_t i = 0; good && number > 0 && i < arm->n; i++) good = merge(r, to->child[i + 1], arm->child[i], number);
    return good ? MK_OK : no_memory_repeated(r->l);
}

static int repeat_finish(struct repeat *r)
{
    for (size_t i = 0; i < r->n_columns; i++) {
        const struct column *c = &r->column[i];
        struct mk_node *node = c->at;
        free(node->text);
        node->text = NULL;
        node->length = 0;
        node->kind = MK_NODE_MAPPING;
        node->flow = 1;
        if (!mk_node_add(node, "values", mk_node_scalar(c->text, c->length))) return no_memory_repeated(r->l);
    }
    return MK_OK;
}

/* ---- lists of arms ---- */

/* The name of an arm without a label. */
static int add_default_label(struct mk_loader *l, size_t arm, struct mk_node *to)
{
    char text[64];
    int length = snprintf(text, sizeof text, "arm %zu", arm);
    if (mk_string_table_find(l->given_labels, text, (size_t)length) != SIZE_MAX)
        snprintf(text + length, sizeof text - (size_t)length, " (unlabelled)");
    char *label = l->e->problem->arm_label[arm] = strdup(text);
    return label && mk_add_text(to, "label", label) ? MK_OK : no_memory(l);
}

static int read_synthetic_arm(struct mk_loader *l, const struct mk_node *node, size_t arm, struct mk_node *to)
{
    struct mk_dist **d = &l->e->problem->dist[arm];
    int code = mk_read_distribution(l, node, 1, d, to);
    if (!code) code = mk_check_rewards(l, node, *d);
    return code ? code : mk_dist_tabulate(*d, l->err);
}

static int read_arm(struct mk_loader *l, const struct mk_node *node, size_t arm, mk_read_rewards read,
                    struct mk_node *to)
{
    struct mk_problem *p = l->e->problem;
    int code = read(l, node, arm, to);
    if (!code) code = MK_READ_KEY(node, MK_IN_ARM, "label", &p->arm_label[arm], to, l->err);
    if (!code && !p->arm_label[arm]) code = add_default_label(l, arm, to);
    return code ? code : MK_READ_KEY(node, MK_IN_ARM, "cost", &p->cost[arm], to, l->err);
}

const struct mk_node *mk_arm_item(struct mk_loader *l, const struct mk_node *arms, size_t k)
{
    size_t times = 0;
    for (size_t i = 0, first = 0;; i++, first += times)
        if (repeat_times(l, arms->child[i], &times) || k < first + times) return arms->child[i];
}

static int check_distinct(struct mk_loader *l, const struct mk_node *arms, struct mk_string_table *labels)
{
    const struct mk_problem *p = l->e->problem;
    char clip[MK_CLIP_ROOM];
    for (size_t i = 0; i < p->n_arms; i++) {
        int added;
        size_t first = mk_string_table_add(labels, p->arm_label[i], strlen(p->arm_label[i]), &added);
        if (first == SIZE_MAX) return no_memory(l);
        if (added) continue;
        const struct mk_node *item = mk_arm_item(l, arms, i), *at = mk_node_get(item, "label");
        return mk_fail_at(l->err, at ? at->where : item->where, "label",
                          "arms %zu and %zu both have the label '%s'; expected distinct labels", first, i,
                          mk_clip(p->arm_label[i], clip));
    }
    return MK_OK;
}

static int new_problem(struct mk_loader *l, const struct mk_source_type *source, size_t n_arms)
{
    struct mk_problem *p = l->e->problem = calloc(1, sizeof *p);
    if (!p) return no_memory(l);
    p->source = source;
    p->replications = UINT64_MAX;
    p->n_instances = 1;
    p->n_arms = n_arms;
    p->instance = calloc(1, sizeof *p->instance);
    p->arm_label = calloc(n_arms, sizeof *p->arm_label);
    p->cost = calloc(n_arms, sizeof *p->cost);
    int code = source->make_room(p, l->n_instances, l->err);
    if (code) return code;
    if (!p->instance || !p->arm_label || !p->cost) return no_memory(l);
    struct mk_instance *in = p->instance;
    in->n_arms = n_arms;
    in->name = strdup(l->e->name);
    in->arm = calloc(n_arms, sizeof *in->arm);
    if (!in->name || !in->arm) return no_memory(l);
    for (size_t i = 0; i < n_arms; i++) in->arm[i] = i;
    return MK_OK;
}

/* The arms of an item with `repeat`, from number `first` of the problem on. */
static int read_repeated(struct mk_loader *l, const struct mk_node *item, size_t position, size_t first,
                         mk_read_rewards read, struct mk_node *to)
{
    struct repeat *r = NULL;
    int code = repeat_new(&r, l, item, position);
    for (size_t i = 0; !code && i < r->times; i++) {
        struct mk_node *arm = NULL, *resolved = mk_node_new(MK_NODE_MAPPING, 1);
        code = resolved ? repeat_arm(r, i, &arm) : no_memory(l);
        if (!code) code = read_arm(l, arm, first + i, read, resolved);
        if (!code) code = repeat_resolve(r, i, resolved, to);
        mk_node_free(arm);
        mk_node_free(resolved);
    }
    if (!code) code = repeat_finish(r);
    repeat_free(r);
    return code;
}

static int count_arms(struct mk_loader *l, const struct mk_node *arms, size_t *n)
{
    int code = mk_check_list(arms, arms->key, "arm", l->err);
    *n = 0;
    for (size_t i = 0; !code && i < arms->n; i++) {
        size_t times = 0;
        code = repeat_times(l, arms->child[i], &times);
        *n += times;
    }
    if (code || *n <= MK_MOST_ARMS) return code;
    return mk_fail_at(l->err, arms->where, arms->key, "expected 1 to %d arms, got %zu", MK_MOST_ARMS, *n);
}

/* The labels of the file, which no arm without one may be given: a file may well number its arms from 1. */
static int given_labels(struct mk_loader *l, const struct mk_node *arms, struct mk_string_table *labels)
{
    for (size_t i = 0; i < arms->n; i++) {
        const struct mk_node *at = mk_node_get(arms->child[i], "label");
        if (at && at->kind == MK_NODE_SCALAR && mk_string_table_add(labels, at->text, at->length, NULL) == SIZE_MAX)
            return no_memory(l);
    }
    return MK_OK;
}

static int read_items(struct mk_loader *l, const struct mk_node *arms, mk_read_rewards read, struct mk_node *to)
{
    int code = MK_OK;
    size_t arm = 0, times = 0;
    for (size_t i = 0; !code && i < arms->n; i++, arm += times) {
        const struct mk_node *item = arms->child[i];
        struct mk_node *resolved = mk_node_add(to, NULL, mk_node_new(MK_NODE_MAPPING, 1));
        code = resolved ? repeat_times(l, item, &times) : no_memory(l);
        if (code) break;
        code = mk_node_get(item, "repeat") ? read_repeated(l, item, i, arm, read, resolved)
                                           : read_arm(l, item, arm, read, resolved);
    }
    return code;
}

int mk_read_arm_list(struct mk_loader *l, const struct mk_node *arms, const struct mk_source_type *source,
                     mk_read_rewards read, struct mk_node *to)
{
    struct mk_string_table given = {0}, all = {0};
    size_t n_arms;
    int code = count_arms(l, arms, &n_arms);
    if (!code) code = new_problem(l, source, n_arms);
    if (!code) code = given_labels(l, arms, &given);
    l->given_labels = &given;
    if (!code) code = read_items(l, arms, read, to);
    if (!code) code = check_distinct(l, arms, &all);
    l->given_labels = NULL;
    mk_string_table_free(&given);
    mk_string_table_free(&all);
    return code;
}

int mk_read_arms(struct mk_loader *l, const struct mk_node *arms, struct mk_node *to)
{
    return mk_read_arm_list(l, arms, &mk_source_arms, read_synthetic_arm, to);
}
