/* What a tune file says of metrics: `metric`, `metrics`, `cost` and `subject_to`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/study/metric.h"
#include "sim/study/read_tune.h"

/* The keys of which a metric has one, by source. */
static const char *const source_keys[] = {"last_number", "json", "regex", "smac", "irace", "seconds"};
enum { SOURCES = sizeof source_keys / sizeof *source_keys };
static const enum mk_metric_source sources[SOURCES] = {MK_METRIC_LAST_NUMBER, MK_METRIC_JSON,  MK_METRIC_REGEX,
                                                       MK_METRIC_SMAC,        MK_METRIC_IRACE, MK_METRIC_SECONDS};

/* The only source of a mapping; SOURCES: it has none. MK_EINPUT: it has several. */
static int find_source(struct mk_tune_reading *r, const struct mk_node *node, const char *key, size_t *which)
{
    *which = SOURCES;
    for (size_t i = 0; i < SOURCES; i++) {
        const struct mk_node *at = mk_node_get(node, source_keys[i]);
        if (at && *which < SOURCES)
            return mk_fail_at(r->err, at->where, key, "expected one of %s and %s", source_keys[*which], at->key);
        if (at) *which = i;
    }
    return MK_OK;
}

/* Where a number comes from. path: in the answers of a worker where the mapping does not say; keys: of the mapping. */
static int read_source(struct mk_tune_reading *r, const struct mk_node *node, const char *key, const char *path,
                       enum mk_file_mapping keys, struct mk_metric *m, struct mk_node *to)
{
    size_t which;
    bool is_true;
    int code = find_source(r, node, key, &which);
    if (code) return code;
    const struct mk_node *found = which < SOURCES ? mk_node_get(node, source_keys[which]) : NULL;
    if (!found && r->t->is_study) {
        m->source = MK_METRIC_REPORTED;
        return MK_OK;
    }
    if (!found && !r->t->worker.n)
        return mk_fail_at(r->err, node->where, key,
                          "missing; expected one of last_number: true, json: PATH, regex: PATTERN, smac: true, "
                          "irace: true%s",
                          keys == MK_TUNE_MEASURE ? ", seconds: true" : "");
    m->source = found ? sources[which] : MK_METRIC_JSON;
    if (!found) {
        m->pattern = strdup(path);
        code = m->pattern && mk_add_text(to, "json", path) ? MK_OK : mk_tune_no_memory(r);
    } else if (m->source == MK_METRIC_JSON || m->source == MK_METRIC_REGEX) {
        code = MK_READ_KEY(node, keys, found->key, &m->pattern, to, r->err);
    } else {
        code = MK_READ_KEY(node, keys, found->key, &is_true, to, r->err);
    }
    if (code) return code;
    return mk_fail_there(r->err, found ? found->where : node->where, "regex", mk_metric_check(m, r->err));
}

static int read_place(struct mk_tune_reading *r, const struct mk_node *node, enum mk_file_mapping keys,
                      struct mk_metric *m, struct mk_node *to)
{
    int code = MK_READ_KEY(node, keys, "file", &m->file, to, r->err);
    if (code || !m->file || (m->file[0] != '/' && !strstr(m->file, ".."))) return code;
    return mk_fail_at(r->err, mk_node_get(node, "file")->where, "file",
                      "expected a path within the folder of the trial");
}

/* ---- the metric ---- */

static int read_metric(struct mk_tune_reading *r)
{
    const struct mk_node *node;
    struct mk_metric *m = &r->t->metric;
    int code = mk_need_file_key(r->root, MK_TUNE_FILE, "metric", &node, r->err);
    if (!code) code = mk_check_file_keys(node, MK_TUNE_METRIC, r->err);
    struct mk_node *to = mk_node_add(r->to, "metric", mk_node_new(MK_NODE_MAPPING, 1));
    if (!code && !to) code = mk_tune_no_memory(r);
    if (!code) code = read_source(r, node, "metric", "value", MK_TUNE_METRIC, m, to);
    if (!code) code = read_place(r, node, MK_TUNE_METRIC, m, to);
    if (!code && !mk_node_get(node, "maximize") && m->source != MK_METRIC_SMAC && m->source != MK_METRIC_IRACE)
        code = mk_fail_at(r->err, node->where, "maximize",
                          "missing; expected true (such as an accuracy) or false (such as a loss)");
    if (!code) code = MK_READ_KEY(node, MK_TUNE_METRIC, "maximize", &m->maximize, to, r->err);
    return code ? code : MK_READ_KEY(node, MK_TUNE_METRIC, "scale", &m->scale, to, r->err);
}

/* ---- further metrics ---- */

static bool is_empty(const struct mk_node *node)
{
    return node->kind == MK_NODE_SCALAR && !node->length && !node->quoted;
}

/* Appends one, of the mapping `node`, which may be empty where there is a way to do without. */
static int read_further(struct mk_tune_reading *r, const struct mk_node *node, const char *name, struct mk_node *to)
{
    struct mk_tune *t = r->t;
    char clip[MK_CLIP_ROOM];
    if (t->n_metrics == MK_TUNE_MOST_METRICS)
        return mk_fail_at(r->err, node->where, "metrics", "expected at most %d, with the cost", MK_TUNE_MOST_METRICS);
    struct mk_further_metric *m = &t->further[t->n_metrics++];
    *m = (struct mk_further_metric){.name = strdup(name)};
    struct mk_node *own = mk_node_add(to, name, mk_node_new(MK_NODE_MAPPING, 1));
    if (!m->name || !own) return mk_tune_no_memory(r);
    const struct mk_node nothing = {.kind = MK_NODE_MAPPING, .where = node->where},
                         *at = is_empty(node) ? &nothing : node;
    mk_clip(name, clip);
    if (at->kind != MK_NODE_MAPPING)
        return mk_fail_at(r->err, at->where, clip, "expected a mapping such as {json: PATH} or {seconds: true}");
    int code = mk_check_file_keys(at, MK_TUNE_MEASURE, r->err);
    if (!code) code = read_source(r, at, clip, name, MK_TUNE_MEASURE, &m->from, own);
    return code ? code : read_place(r, at, MK_TUNE_MEASURE, &m->from, own);
}

static int read_all_further(struct mk_tune_reading *r)
{
    const struct mk_node *node = mk_node_get(r->root, "metrics");
    char clip[MK_CLIP_ROOM];
    int code = MK_OK;
    if (!node) return MK_OK;
    if (node->kind != MK_NODE_MAPPING)
        return mk_fail_at(r->err, node->where, "metrics", "expected a mapping such as {time: {json: seconds}}, got %s",
                          mk_node_describe(node, clip));
    struct mk_node *to = mk_node_add(r->to, "metrics", mk_node_new(MK_NODE_MAPPING, 1));
    if (!to) return mk_tune_no_memory(r);
    for (size_t i = 0; i < node->n && !code; i++) {
        const char *name = node->child[i]->key, *allowed = mk_label_problem(name, 0);
        code = allowed ? mk_fail_at(r->err, node->child[i]->key_where, "metrics", "expected %s as a name", allowed)
                       : read_further(r, node->child[i], name, to);
    }
    return code;
}

/* The named metric that a word stands for. */
static int find_further(struct mk_tune_reading *r, struct mk_where where, const char *key, const char *word, size_t *at)
{
    const struct mk_tune *t = r->t;
    const char *name[MK_TUNE_MOST_METRICS];
    for (*at = 0; *at < t->n_named; ++*at)
        if (strcmp(t->further[*at].name, word) == 0) return MK_OK;
    for (size_t i = 0; i < t->n_named; i++) name[i] = t->further[i].name;
    if (!t->n_named)
        return mk_fail_at(r->err, where, key, "there are no further metrics; expected `metrics` with the one named");
    return mk_fail_word(r->err, where, key, word, "metric", "", name, t->n_named);
}

static int read_cost(struct mk_tune_reading *r)
{
    const struct mk_node *node = mk_node_get(r->root, "cost");
    struct mk_tune *t = r->t;
    char clip[MK_CLIP_ROOM];
    t->cost = SIZE_MAX;
    if (!node) return MK_OK;
    if (node->kind == MK_NODE_MAPPING && (!t->is_study || mk_node_get(node, "seconds"))) {
        t->cost = t->n_metrics;
        return read_further(r, node, "cost", r->to);
    }
    if (node->kind != MK_NODE_SCALAR || !node->length)
        return mk_fail_at(r->err, node->where, "cost",
                          "expected the name of a further metric, or a mapping such as {seconds: true}, got %s",
                          mk_node_describe(node, clip));
    int code = find_further(r, node->where, "cost", node->text, &t->cost);
    return code || mk_add_text(r->to, "cost", node->text) ? code : mk_tune_no_memory(r);
}

/* ---- constraints ---- */

static int read_constraint(struct mk_tune_reading *r, const struct mk_node *node, struct mk_node *to)
{
    struct mk_tune *t = r->t;
    struct mk_constraint *c = &t->constraint[t->n_constraints];
    char clip[MK_CLIP_ROOM];
    int code = find_further(r, node->key_where, "subject_to", node->key, &c->metric);
    mk_clip(node->key, clip);
    for (size_t i = 0; i < t->n_constraints && !code; i++)
        if (t->constraint[i].metric == c->metric)
            code = mk_fail_at(r->err, node->key_where, "subject_to",
                              "two constraints on %s; expected one, with both "
                              "at_most and at_least",
                              clip);
    struct mk_node *own = code ? NULL : mk_node_add(to, node->key, mk_node_new(MK_NODE_MAPPING, 1));
    if (!code && !own) code = mk_tune_no_memory(r);
    if (!code && node->kind != MK_NODE_MAPPING)
        code = mk_fail_at(r->err, node->where, clip, "expected a mapping such as {at_most: 60}");
    if (!code) code = mk_check_file_keys(node, MK_TUNE_BOUND, r->err);
    if (!code) code = MK_READ_KEY(node, MK_TUNE_BOUND, "at_least", &c->at_least, own, r->err);
    if (!code) code = MK_READ_KEY(node, MK_TUNE_BOUND, "at_most", &c->at_most, own, r->err);
    if (!code && isinf(c->at_least) && isinf(c->at_most))
        code = mk_fail_at(r->err, node->where, clip, "missing; expected at_most, at_least or both");
    if (!code && c->at_least > c->at_most)
        code = mk_fail_at(r->err, node->where, clip, "no value is both at least %g and at most %g", c->at_least,
                          c->at_most);
    t->n_constraints++;
    return code;
}

/* A mapping of metrics and bounds, or a list of such. */
static int read_constraints(struct mk_tune_reading *r)
{
    const struct mk_node *node = mk_node_get(r->root, "subject_to");
    struct mk_node *child[1] = {(struct mk_node *)node};
    const struct mk_node alone = {.kind = MK_NODE_LIST, .n = 1, .child = child};
    char clip[MK_CLIP_ROOM];
    int code = MK_OK;
    if (!node) return MK_OK;
    const struct mk_node *list = node->kind == MK_NODE_LIST ? node : &alone;
    struct mk_node *to = mk_node_add(r->to, "subject_to", mk_node_new(MK_NODE_MAPPING, 1));
    size_t n = 1;
    for (size_t i = 0; i < list->n; i++) n += list->child[i]->n;
    r->t->constraint = calloc(n, sizeof *r->t->constraint);
    if (!to || !r->t->constraint) return mk_tune_no_memory(r);
    for (size_t i = 0; i < list->n && !code; i++) {
        const struct mk_node *item = list->child[i];
        if (item->kind != MK_NODE_MAPPING || !item->n)
            code = mk_fail_at(r->err, item->where, "subject_to",
                              "expected a mapping such as {time: {at_most: 60}}, got %s", mk_node_describe(item, clip));
        for (size_t k = 0; k < item->n && !code; k++) code = read_constraint(r, item->child[k], to);
    }
    return code;
}

int mk_tune_read_metrics(struct mk_tune_reading *r)
{
    r->t->further = calloc(MK_TUNE_MOST_METRICS, sizeof *r->t->further);
    int code = r->t->further ? read_metric(r) : mk_tune_no_memory(r);
    if (!code) code = read_all_further(r);
    r->t->n_named = r->t->n_metrics;
    if (!code) code = read_cost(r);
    return code ? code : read_constraints(r);
}
