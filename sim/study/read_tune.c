/* Tune files: reading them, and the memory of what was read. */
#include "sim/study/tune.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/digest.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/run/experiment/experiment_read.h"
#include "sim/search/records/import.h"
#include "sim/search/space/space_read.h"
#include "sim/study/command_words.h"
#include "sim/study/first_trials.h"
#include "sim/study/instances.h"
#include "sim/study/metric.h"
#include "sim/study/pruning.h"
#include "sim/study/tune_plan.h"

static void free_command(struct mk_command_words *c)
{
    mk_free_texts(c->word, c->n);
    mk_free_texts(c->arg, c->n_args);
}

static void free_metric(struct mk_metric *m)
{
    free(m->pattern);
    free(m->file);
}

void mk_tune_free(struct mk_tune *t)
{
    if (!t) return;
    for (size_t k = 0; k < t->n_arms; k++) {
        free(t->arm[k].label);
        free(t->arm[k].own_optimizer);
        mk_space_free(t->arm[k].space);
        free_command(&t->arm[k].own);
    }
    mk_prior_arms_free(t->prior, t->n_arms);
    mk_first_trials_free(t);
    mk_instances_clear(&t->on);
    mk_instances_clear(&t->test);
    free(t->sequence);
    free(t->arm);
    mk_string_table_free(&t->labels);
    free_command(&t->command);
    free_command(&t->worker);
    mk_free_texts(t->launcher, t->n_launcher);
    free_metric(&t->metric);
    for (size_t i = 0; i < t->n_metrics; i++) {
        free(t->further[i].name);
        free_metric(&t->further[i].from);
    }
    free(t->further);
    free(t->constraint);
    free(t->file);
    free(t->name);
    free(t->instance);
    free(t->title);
    free(t->source);
    free(t->here);
    free(t->policy);
    free(t->own_policy);
    free(t->combined_label);
    mk_space_free(t->joint);
    free(t->first);
    free(t->resolved);
    free(t);
}

/* The reading of one tune file. */
struct reading {
    struct mk_tune *t;
    const struct mk_node *root;
    struct mk_loader l; /* for what experiment files have too: policies, optimisers, spaces */
    struct mk_node *to; /* resolved */
    struct mk_error *err;
};

static int no_memory(struct reading *r)
{
    return mk_fail_memory(r->err, "a tune file");
}

/* ---- `metric`, `metrics`, `cost` and `subject_to` ---- */

/* The keys of which a metric has one, by source. */
enum { SOURCES = MK_METRIC_REPORTED };
static const char *const source_keys[SOURCES] = {[MK_METRIC_LAST_NUMBER] = "last_number",
                                                 [MK_METRIC_JSON] = "json",
                                                 [MK_METRIC_REGEX] = "regex",
                                                 [MK_METRIC_SMAC] = "smac",
                                                 [MK_METRIC_IRACE] = "irace",
                                                 [MK_METRIC_SECONDS] = "seconds"};

/* The only source of a mapping; SOURCES: it has none. MK_EINPUT: it has several. */
static int find_source(struct reading *r, const struct mk_node *node, const char *key, size_t *which)
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
static int read_source(struct reading *r, const struct mk_node *node, const char *key, const char *path,
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
    m->source = found ? (enum mk_metric_source)which : MK_METRIC_JSON;
    if (!found) {
        m->pattern = strdup(path);
        code = m->pattern && mk_add_text(to, "json", path) ? MK_OK : no_memory(r);
    } else if (m->source == MK_METRIC_JSON || m->source == MK_METRIC_REGEX) {
        code = MK_READ_KEY(node, keys, found->key, &m->pattern, to, r->err);
    } else {
        code = MK_READ_KEY(node, keys, found->key, &is_true, to, r->err);
    }
    if (code) return code;
    return mk_fail_there(r->err, found ? found->where : node->where, "regex", mk_metric_check(m, r->err));
}

static int read_place(struct reading *r, const struct mk_node *node, enum mk_file_mapping keys, struct mk_metric *m,
                      struct mk_node *to)
{
    int code = MK_READ_KEY(node, keys, "file", &m->file, to, r->err);
    if (code || !m->file || (m->file[0] != '/' && !strstr(m->file, ".."))) return code;
    return mk_fail_at(r->err, mk_node_get(node, "file")->where, "file",
                      "expected a path within the folder of the trial");
}

/* ---- the metric ---- */

static int read_metric(struct reading *r)
{
    const struct mk_node *node;
    struct mk_metric *m = &r->t->metric;
    int code = mk_need_file_key(r->root, MK_TUNE_FILE, "metric", &node, r->err);
    if (!code) code = mk_check_file_keys(node, MK_TUNE_METRIC, r->err);
    struct mk_node *to = mk_node_add(r->to, "metric", mk_node_new(MK_NODE_MAPPING, 1));
    if (!code && !to) code = no_memory(r);
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
static int read_further(struct reading *r, const struct mk_node *node, const char *name, struct mk_node *to)
{
    struct mk_tune *t = r->t;
    char clip[MK_CLIP_ROOM];
    if (t->n_metrics == MK_TUNE_MOST_METRICS)
        return mk_fail_at(r->err, node->where, "metrics", "expected at most %d, with the cost", MK_TUNE_MOST_METRICS);
    struct mk_further_metric *m = &t->further[t->n_metrics++];
    *m = (struct mk_further_metric){.name = strdup(name)};
    struct mk_node *own = mk_node_add(to, name, mk_node_new(MK_NODE_MAPPING, 1));
    if (!m->name || !own) return no_memory(r);
    const struct mk_node nothing = {.kind = MK_NODE_MAPPING, .where = node->where},
                         *at = is_empty(node) ? &nothing : node;
    mk_clip(name, clip);
    if (at->kind != MK_NODE_MAPPING)
        return mk_fail_at(r->err, at->where, clip, "expected a mapping such as {json: PATH} or {seconds: true}");
    int code = mk_check_file_keys(at, MK_TUNE_MEASURE, r->err);
    if (!code) code = read_source(r, at, clip, name, MK_TUNE_MEASURE, &m->from, own);
    return code ? code : read_place(r, at, MK_TUNE_MEASURE, &m->from, own);
}

static int read_all_further(struct reading *r)
{
    const struct mk_node *node = mk_node_get(r->root, "metrics");
    char clip[MK_CLIP_ROOM];
    int code = MK_OK;
    if (!node) return MK_OK;
    if (node->kind != MK_NODE_MAPPING)
        return mk_fail_at(r->err, node->where, "metrics", "expected a mapping such as {time: {json: seconds}}, got %s",
                          mk_node_describe(node, clip));
    struct mk_node *to = mk_node_add(r->to, "metrics", mk_node_new(MK_NODE_MAPPING, 1));
    if (!to) return no_memory(r);
    for (size_t i = 0; i < node->n && !code; i++) {
        const char *name = node->child[i]->key, *allowed = mk_label_problem(name, 0);
        code = allowed ? mk_fail_at(r->err, node->child[i]->key_where, "metrics", "expected %s as a name", allowed)
                       : read_further(r, node->child[i], name, to);
    }
    return code;
}

/* The named metric that a word stands for. */
static int find_further(struct reading *r, struct mk_where where, const char *key, const char *word, size_t *at)
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

static int read_cost(struct reading *r)
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
    return code || mk_add_text(r->to, "cost", node->text) ? code : no_memory(r);
}

/* ---- constraints ---- */

static int read_constraint(struct reading *r, const struct mk_node *node, struct mk_node *to)
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
    if (!code && !own) code = no_memory(r);
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
static int read_constraints(struct reading *r)
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
    if (!to || !r->t->constraint) return no_memory(r);
    for (size_t i = 0; i < list->n && !code; i++) {
        const struct mk_node *item = list->child[i];
        if (item->kind != MK_NODE_MAPPING || !item->n)
            code = mk_fail_at(r->err, item->where, "subject_to",
                              "expected a mapping such as {time: {at_most: 60}}, got %s", mk_node_describe(item, clip));
        for (size_t k = 0; k < item->n && !code; k++) code = read_constraint(r, item->child[k], to);
    }
    return code;
}

static int read_all_metrics(struct reading *r)
{
    r->t->further = calloc(MK_TUNE_MOST_METRICS, sizeof *r->t->further);
    int code = r->t->further ? read_metric(r) : no_memory(r);
    if (!code) code = read_all_further(r);
    r->t->n_named = r->t->n_metrics;
    if (!code) code = read_cost(r);
    return code ? code : read_constraints(r);
}

/* ---- commands ---- */

/* A list of words, each any text; `to`: of the resolved text, NULL: nowhere. */
static int read_words(struct reading *r, const struct mk_node *list, const char *key, char ***out, size_t *n,
                      struct mk_node *to)
{
    char clip[MK_CLIP_ROOM];
    int code = mk_check_list(list, key, "word", r->err);
    if (code) return code;
    char **word = *out = calloc(list->n, sizeof *word);
    if ((to && !mk_node_add(to, key, mk_node_copy(list))) || !word) return no_memory(r);
    for (*n = 0; *n < list->n; ++*n) {
        const struct mk_node *at = list->child[*n];
        if (at->kind != MK_NODE_SCALAR)
            return mk_fail_at(r->err, at->where, key, "expected a word, got %s", mk_node_describe(at, clip));
        word[*n] = strdup(at->text);
        if (!word[*n]) return no_memory(r);
    }
    return MK_OK;
}

/* Exit codes that mean success: 0 unless given. */
static int read_success_codes(struct reading *r)
{
    struct mk_param code_of = *mk_file_key(MK_TUNE_FILE, "success_codes"); /* of every item */
    const struct mk_node *list = mk_node_get(r->root, "success_codes");
    int code = MK_OK;
    code_of.kind = MK_INTEGER;
    r->t->success[0] = !list;
    if (!list) return MK_OK;
    code = mk_check_list(list, "success_codes", "exit code", r->err);
    for (size_t i = 0; i < list->n && !code; i++) {
        double x = 0;
        code = mk_read_param(list->child[i], &code_of, 0, &x, r->err);
        if (!code) r->t->success[(size_t)x] = true;
    }
    return code || mk_node_add(r->to, "success_codes", mk_node_copy(list)) ? code : no_memory(r);
}

/* A program in the folder of the tune file, when there is none of that name here. */
static int find_program(struct reading *r, const struct mk_node *at, char **word)
{
    struct mk_error ignored;
    char *path = NULL;
    if (!strchr(*word, '/') || strchr(*word, '{')) return MK_OK;
    if (mk_find_file(r->l.directory, at, "command", &path, &ignored)) return MK_OK; /* the trial says so */
    free(*word);
    *word = path;
    return MK_OK;
}

static int read_args(struct reading *r, const struct mk_node *from, struct mk_command_words *c, struct mk_node *to)
{
    const struct mk_node *args = mk_node_get(from, "args");
    if (!args) args = mk_node_get(r->root, "args");
    if (!args) {
        c->arg = calloc(1, sizeof *c->arg);
        if (!c->arg || !(c->arg[0] = strdup("--{name}={value}"))) return no_memory(r);
        c->n_args = 1;
        return MK_OK;
    }
    int code = read_words(r, args, "args", &c->arg, &c->n_args, to);
    bool has_place = false; /* for the hyperparameter */
    for (size_t i = 0; i < c->n_args && !code; i++) {
        code = mk_command_check_arg(c->arg[i], args->child[i]->where, r->err);
        has_place |= strchr(c->arg[i], '{') != NULL;
    }
    if (!code && !has_place)
        code = mk_fail_at(r->err, args->where, "args", "expected a word with {name}, {last} or {value}, got none");
    return code;
}

/* `command` or `shell` of a mapping; c->n stays 0 where it has none. */
static int read_command(struct reading *r, const struct mk_node *from, const char *key, struct mk_command_words *c,
                        struct mk_node *to)
{
    const struct mk_node *command = mk_node_get(from, key), *shell = mk_node_get(from, "shell");
    const bool is_worker = strcmp(key, "worker") == 0;
    if (!is_worker && command && shell)
        return mk_fail_at(r->err, shell->where, "shell", "expected either command or shell");
    if (is_worker || !shell) {
        int code = command ? read_words(r, command, key, &c->word, &c->n, to) : MK_OK;
        if (!code && command) code = find_program(r, command->child[0], &c->word[0]);
        return code || !command || is_worker ? code : read_args(r, from, c, to);
    }
    char *text = NULL;
    int code = mk_read_text(shell, "shell", &text, r->err);
    if (code) return code;
    free(text);
    text = strdup(shell->text); /* with its lines */
    c->shell = true;
    c->word = calloc(1, sizeof *c->word);
    if (!text || !c->word || !mk_add_text(to, "shell", text)) {
        free(text);
        return no_memory(r);
    }
    c->word[0] = text;
    c->n = 1;
    return read_args(r, from, c, to);
}

/* ---- limits, crashes, the budget ---- */

static int read_limits(struct reading *r)
{
    struct mk_child_limits *l = &r->t->limits;
    const struct mk_node *limits = mk_node_get(r->root, "limits");
    struct mk_node *to = mk_node_add(r->to, "limits", mk_node_new(MK_NODE_MAPPING, 1));
    int code = to ? MK_OK : no_memory(r);
    if (!code && limits) code = mk_check_file_keys(limits, MK_TUNE_LIMITS, r->err);
    if (!code) code = MK_READ_KEY(r->root, MK_TUNE_FILE, "timeout", &l->timeout, r->to, r->err);
    if (!code) code = MK_READ_KEY(r->root, MK_TUNE_FILE, "grace", &l->grace, r->to, r->err);
    if (!code && mk_node_get(r->root, "bound"))
        code = MK_READ_KEY(r->root, MK_TUNE_FILE, "bound", &r->t->bound, r->to, r->err);
    if (!code && r->t->bound > 0 && r->t->metric.maximize)
        code = mk_fail_at(r->err, mk_node_get(r->root, "bound")->where, "bound",
                          "expected a metric that is minimised, the time of a run");
    if (!code) code = MK_READ_KEY(limits, MK_TUNE_LIMITS, "memory", &l->memory, to, r->err);
    if (!code) code = MK_READ_KEY(limits, MK_TUNE_LIMITS, "cpu", &l->cpu, to, r->err);
    if (!code) code = MK_READ_KEY(limits, MK_TUNE_LIMITS, "file_size", &l->file, to, r->err);
    if (!code) code = MK_READ_KEY(r->root, MK_TUNE_FILE, "reevaluate", &r->t->reevaluate, r->to, r->err);
    return code ? code : MK_READ_KEY(r->root, MK_TUNE_FILE, "retries", &r->t->retries, r->to, r->err);
}

static int read_crash(struct reading *r)
{
    const struct mk_node *node = mk_node_get(r->root, "crash");
    if (!node || node->kind != MK_NODE_MAPPING) {
        bool ignore = false;
        int code = MK_READ_KEY(r->root, MK_TUNE_FILE, "crash", &ignore, r->to, r->err);
        r->t->crash = ignore ? MK_CRASH_IGNORE : MK_CRASH_WORST;
        return code;
    }
    r->t->crash = MK_CRASH_VALUE;
    int code = mk_check_file_keys(node, MK_TUNE_CRASH, r->err);
    struct mk_node *to = mk_node_add(r->to, "crash", mk_node_new(MK_NODE_MAPPING, 1));
    if (!code && !to) code = no_memory(r);
    return code ? code : MK_READ_KEY(node, MK_TUNE_CRASH, "value", &r->t->crash_value, to, r->err);
}

static int read_budget(struct reading *r)
{
    const struct mk_node *node = mk_node_get(r->root, "budget");
    r->t->evaluations = r->t->horizon = MK_STUDY_TRIALS;
    if (!node && !r->t->is_study) return mk_fail_missing(r->root, MK_TUNE_FILE, "budget", r->err);
    int code = node ? mk_check_file_keys(node, MK_TUNE_BUDGET, r->err) : MK_OK;
    if (!code) code = MK_READ_KEY(node, MK_TUNE_BUDGET, "seconds", &r->t->seconds, r->to, r->err);
    if (!code) code = MK_READ_KEY(node, MK_TUNE_BUDGET, "cost", &r->t->budget_cost, r->to, r->err);
    if (code) return code;
    const bool counted = node && mk_node_get(node, "evaluations");
    if (isfinite(r->t->budget_cost) && !(counted && r->t->cost != SIZE_MAX))
        return mk_fail_at(r->err, node->where, "cost", "needs evaluations, and `cost` of the tune file");
    if (node && !counted && !isfinite(r->t->seconds))
        return mk_fail_at(r->err, node->where, "evaluations", "missing; expected a number of trials, seconds, or both");
    r->t->open_budget = !counted;
    if (!counted) return mk_add_real(r->to, "evaluations", (double)r->t->evaluations) ? MK_OK : no_memory(r);
    code = MK_READ_KEY(node, MK_TUNE_BUDGET, "evaluations", &r->t->evaluations, r->to, r->err);
    r->t->horizon = r->t->evaluations;
    return code;
}

static int read_workers(struct reading *r)
{
    struct mk_tune *t = r->t;
    int code = MK_READ_KEY(r->root, MK_TUNE_FILE, "workers", &t->workers, r->to, r->err);
    if (!code) code = MK_READ_KEY(r->root, MK_TUNE_FILE, "lag", &t->lag, r->to, r->err);
    if (!code) code = MK_READ_KEY(r->root, MK_TUNE_FILE, "order", &t->order, r->to, r->err);
    if (!code && t->order == MK_ORDER_ISSUE && t->workers > t->lag) {
        const struct mk_node *node = mk_node_get(r->root, "workers");
        code = mk_fail_at(r->err, node ? node->where : r->root->where, "workers",
                          "expected at most as many as lag (%llu); results depend on lag, not on workers",
                          (unsigned long long)t->lag);
    }
    return code ? code : MK_READ_KEY(r->root, MK_TUNE_FILE, "seed", &t->seed, r->to, r->err);
}

/* ---- instances ---- */

/* An optimiser on the instances of the file: one that races goes through all of them, unless it says how many runs a
 * whole evaluation has. from: where its mapping is, and to: where it was resolved. */
static int adapt_optimizer(struct reading *r, const struct mk_node *from, struct mk_optimizer_choice *o,
                           struct mk_node *to)
{
    const struct mk_node *own = mk_node_get(from, "optimizer");
    const int at = mk_param_find(o->type->params, "instances");
    if (!r->t->on.n) return MK_OK;
    if (!(o->type->flags & MK_OPTIMIZER_INSTANCES)) {
        if (!(o->type->flags & MK_OPTIMIZER_FIDELITY)) return MK_OK;
        return mk_fail_at(r->err, own ? own->where : from->where, "optimizer",
                          "%s evaluates in part; expected irace, or one that does not, with `instances`",
                          o->type->name);
    }
    if (own && own->kind == MK_NODE_MAPPING && mk_node_get(own, "instances")) return MK_OK;
    if (from != r->root && mk_node_get(from, "instances"))
        return MK_OK; /* next to the optimiser of a combined search */
    const double most = o->type->params[at].hi, n = (double)r->t->on.n;
    o->par[at] = n < most ? n : most;
    struct mk_node *resolved = (struct mk_node *)mk_node_get(to, "optimizer");
    mk_node_free(mk_node_take(resolved, "instances"));
    return mk_add_real(resolved, "instances", o->par[at]) ? MK_OK : no_memory(r);
}

/* ---- arms ---- */

/* An arm without hyperparameters has a constant, as in Python. */
static int make_no_space(struct reading *r, struct mk_tree **tree, const struct mk_node **space, struct mk_node *to)
{
    static const char constant[] = "default: {constant: true}";
    int code = mk_tree_parse(tree, r->t->file, constant, strlen(constant), r->err);
    if (code) return code;
    *space = (*tree)->root;
    return mk_node_add(to, "space", mk_node_copy(*space)) ? MK_OK : no_memory(r);
}

static int read_arm_space(struct reading *r, const struct mk_node *item, struct mk_tune_arm *arm, struct mk_node *to)
{
    struct mk_tree *tree = NULL;
    const struct mk_node *space = NULL;
    int code = mk_need_file_key(item, MK_TUNE_ARM, "space", &space, r->err);
    const bool none = !code && space->kind == MK_NODE_MAPPING && space->n == 0;
    if (!code) code = none ? make_no_space(r, &tree, &space, to) : mk_read_space(&r->l, item, &tree, &space, to);
    if (!code) code = mk_space_read(&arm->space, space, r->err);
    mk_tree_free(tree);
    return code;
}

static int read_arm_label(struct reading *r, const struct mk_node *item, size_t at, struct mk_node *to)
{
    struct mk_tune_arm *arm = &r->t->arm[at];
    char clip[MK_CLIP_ROOM];
    int code = MK_READ_KEY(item, MK_TUNE_ARM, "label", &arm->label, to, r->err);
    if (code) return code;
    const size_t number = mk_string_table_add(&r->t->labels, arm->label, strlen(arm->label), NULL);
    if (number == SIZE_MAX) return no_memory(r);
    return number == at
               ? MK_OK
               : mk_fail_at(r->err, mk_node_get(item, "label")->where, "label",
                            "two arms have the label '%s'; expected distinct labels", mk_clip(arm->label, clip));
}

/* The program of an arm, and whether its placeholders are hyperparameters of the arm. */
static int read_arm_command(struct reading *r, const struct mk_node *item, struct mk_tune_arm *arm, struct mk_node *to)
{
    const char *key = mk_node_get(item, "shell") ? "shell" : "command";
    const struct mk_node *from = item, *own = mk_node_get(item, key);
    int code = read_command(r, item, "command", &arm->own, to);
    if (code) return code;
    if (arm->own.n)
        arm->command = &arm->own;
    else if (r->t->command.n) {
        arm->command = &r->t->command;
        key = mk_node_get(r->root, "shell") ? "shell" : "command";
        from = r->root;
        own = mk_node_get(from, key);
    } else if (!r->t->worker.n && !r->t->is_study)
        return mk_fail_at(r->err, item->where, "command",
                          "missing; expected the command of the arm here, or that of all arms at the top");
    arm->in_part = !arm->command || mk_command_has(arm->command, "{fidelity}");
    return arm->command ? mk_command_check(arm->command, arm->space, own->where, key, r->err) : MK_OK;
}

/* A policy or an optimiser that counts costs where there are none. */
static int check_cost(struct reading *r, const struct mk_param *params, const double *par, struct mk_where where)
{
    const int at = mk_param_find(params, "per_cost");
    if (at < 0 || par[at] == 0 || r->t->cost != SIZE_MAX) return MK_OK;
    return mk_fail_at(r->err, where, "per_cost",
                      "all trials cost the same; expected `cost` of the tune file, such as cost: {seconds: true}");
}

static int read_arm(void *reading, const struct mk_node *item, size_t at, struct mk_node *to)
{
    struct reading *r = reading;
    struct mk_tune_arm *arm = &r->t->arm[at];
    int code = mk_check_file_keys(item, MK_TUNE_ARM, r->err);
    if (!code) code = read_arm_label(r, item, at, to);
    if (!code) code = read_arm_space(r, item, arm, to);
    const struct mk_node *from = mk_node_get(item, "optimizer") ? item : r->root; /* its own or that of all */
    if (!code && mk_node_get(from, "optimizer")) {
        code = mk_read_optimizer(&r->l, from, false, &arm->optimizer, to);
        if (!code && r->t->policy) code = adapt_optimizer(r, from, &arm->optimizer, to);
    } else if (!code) {
        arm->optimizer.type = mk_optimizer_type_find("tpe");
        mk_param_defaults(arm->optimizer.type->params, arm->optimizer.par);
        if (!mk_add_text(to, "optimizer", arm->optimizer.type->name)) code = no_memory(r);
    }
    if (!code) code = MK_READ_KEY(item, MK_TUNE_ARM, "own_optimizer", &arm->own_optimizer, to, r->err);
    if (!code && r->t->policy) code = check_cost(r, arm->optimizer.type->params, arm->optimizer.par, item->where);
    if (!code && r->t->policy && arm->optimizer.type->fits)
        code = mk_fail_there(r->err, item->where, "optimizer",
                             arm->optimizer.type->fits(arm->optimizer.par, arm->space, r->t->evaluations, r->err));
    return code ? code : read_arm_command(r, item, arm, to);
}

static int read_arms(struct reading *r)
{
    const struct mk_node *list;
    int code = mk_need_file_key(r->root, MK_TUNE_FILE, "arms", &list, r->err);
    if (code) return code;
    r->t->arm = calloc(list->n + 1, sizeof *r->t->arm);
    if (!r->t->arm) return no_memory(r);
    r->t->n_arms = list->n;
    return mk_read_items(list, "arm", false, read_arm, r, r->to, r->err);
}

/* ---- who chooses ---- */

static int read_policy(struct reading *r, const struct mk_node *policy)
{
    struct mk_node *child[1] = {(struct mk_node *)policy};
    const struct mk_node list = {.kind = MK_NODE_LIST, .where = policy->where, .n = 1, .child = child};
    struct mk_experiment *e = calloc(1, sizeof *e);
    char *parameters = NULL;
    if (!e) return no_memory(r);
    r->l.e = e;
    int code = mk_read_policies(&r->l, &list);
    if (!code && e->n_entries != 1)
        code = mk_fail_at(r->err, policy->where, "policy", "expected one policy, got %zu (a list of values is a sweep)",
                          e->n_entries);
    if (!code && (e->entry[0].type->flags & MK_POLICY_ORACLE))
        code =
            mk_fail_at(r->err, policy->where, "policy",
                       "%s must know the best arm in advance; expected a policy that does not", e->entry[0].type->name);
    const char *others = code ? NULL : mk_policy_needs_others(e->entry[0].type, e->entry[0].par);
    if (others) code = mk_fail_at(r->err, policy->where, "policy", "%s is of recorded runs alone", others);
    if (!code) code = check_cost(r, e->entry[0].type->params, e->entry[0].par, policy->where);
    r->t->per_cost = !code && mk_policy_per_cost(e->entry[0].type, e->entry[0].par);
    if (r->t->per_cost && (mk_node_get(r->root, "prior") || r->t->crash == MK_CRASH_VALUE))
        code = mk_fail_at(r->err, policy->where, "policy",
                          "per_cost cannot be combined with prior or a value for `crash`");
    if (!code) parameters = mk_policy_entry_parameters(&e->entry[0]);
    r->t->needs_horizon = !code && mk_policy_needs_horizon(e->entry[0].type, e->entry[0].par);
    if (r->t->needs_horizon && r->t->open_budget && !r->t->is_study)
        code = mk_fail_at(r->err, policy->where, "policy",
                          "%s plans for the number of trials; expected budget: evaluations:, or a policy that does not",
                          e->entry[0].type->name);
    const bool has = parameters && parameters[1] != '}';
    if (!code && (!parameters || asprintf(&r->t->policy, "{name: %s%s%s", e->entry[0].type->name, has ? ", " : "",
                                          has ? parameters + 1 : "}") < 0))
        code = no_memory(r);
    free(parameters);
    mk_experiment_free(e);
    r->l.e = NULL;
    return code || mk_add_text(r->to, "policy", r->t->policy) ? code : no_memory(r);
}

static int read_combined(struct reading *r, const struct mk_node *combined)
{
    struct mk_tune *t = r->t;
    char text[64];
    struct mk_node *to = mk_node_add(r->to, "combined", mk_node_new(MK_NODE_MAPPING, 1));
    if (!to) return no_memory(r);
    if (combined->kind != MK_NODE_MAPPING)
        return mk_fail_at(r->err, combined->where, "combined", "expected a mapping {optimizer: …}");
    int code = mk_read_optimizer(&r->l, combined, true, &t->combined, to);
    if (!code) code = adapt_optimizer(r, combined, &t->combined, to);
    if (!code) code = check_cost(r, t->combined.type->params, t->combined.par, combined->where);
    if (!code) code = MK_READ_KEY(combined, MK_IN_COMBINED, "label", &t->combined_label, NULL, r->err);
    if (code) return code;
    snprintf(text, sizeof text, "combined %.50s", t->combined.type->name);
    if (!t->combined_label && !(t->combined_label = strdup(text))) return no_memory(r);
    return MK_OK;
}

/* The labels and the spaces of the arms, as arrays to be freed also after an error; false: out of memory. */
static bool list_arms(const struct mk_tune *t, const char ***label, const struct mk_space ***space)
{
    *label = malloc(t->n_arms * sizeof **label);
    *space = malloc(t->n_arms * sizeof **space);
    for (size_t k = 0; *label && *space && k < t->n_arms; k++) {
        (*label)[k] = t->arm[k].label;
        (*space)[k] = t->arm[k].space;
    }
    return *label && *space;
}

static int join_arms(struct reading *r, const struct mk_node *combined)
{
    struct mk_tune *t = r->t;
    const struct mk_space **space;
    const char **label;
    t->first = calloc(t->n_arms, sizeof *t->first);
    int code = list_arms(t, &label, &space) && t->first ? MK_OK : no_memory(r);
    if (!code) code = mk_space_join(&t->joint, space, label, t->n_arms, t->first, r->err);
    if (!code && t->combined.type->fits)
        code = t->combined.type->fits(t->combined.par, t->joint, t->evaluations, r->err);
    code = mk_fail_there(r->err, combined->where, "combined", code);
    free(space);
    free(label);
    return code;
}

static int read_chooser(struct reading *r)
{
    const struct mk_node *policy = mk_node_get(r->root, "policy"), *combined = mk_node_get(r->root, "combined");
    if (policy && policy->kind == MK_NODE_SCALAR && !policy->length) policy = NULL; /* --set policy= */
    if (combined && combined->kind == MK_NODE_SCALAR && !combined->length) combined = NULL;
    if (policy && combined)
        return mk_fail_at(r->err, combined->where, "combined", "expected either policy or combined");
    if (combined) return read_combined(r, combined);
    if (policy) return read_policy(r, policy);
    return mk_fail_at(r->err, r->root->where, "policy",
                      "missing; expected a policy such as {name: max_ucb, alpha: 0.5}, or combined: {optimizer: tpe}");
}

/* ---- what the arms begin with: the key `prior` ---- */

static int no_memory_of_prior(struct mk_loader *l)
{
    return mk_fail_memory(l->err, "a prior");
}

static bool add_digest(const struct mk_tune *t, struct mk_node *to)
{
    struct mk_digest d = MK_DIGEST_START;
    char text[40];
    for (size_t k = 0; k < t->n_arms; k++) {
        const struct mk_prior_arm *arm = &t->prior[k];
        const struct mk_space *space = t->arm[k].space;
        mk_digest_add(&d, arm->repeats);
        mk_digest_add(&d, arm->n);
        for (size_t i = 0; i < arm->n; i++)
            mk_digest_add(&d, mk_space_configuration_digest(space, arm->v + i * space->n));
    }
    snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, d.lane[0], d.lane[1]);
    return mk_add_text(to, "digest", text);
}

static int make_prior_arms(struct mk_tune *t, struct mk_loader *l, const struct mk_node *root, const struct mk_prior *p,
                           const struct mk_prior_settings *how)
{
    const struct mk_space **space;
    const char **label;
    int code = list_arms(t, &label, &space) ? MK_OK : no_memory_of_prior(l);
    for (size_t k = 0; k < t->n_arms && !code; k++)
        code = mk_check_prior_optimizer(l, root, t->arm[k].optimizer.type, label[k]);
    if (!code) code = mk_read_prior_arms(l, root, p, how, t->instance, label, space, t->n_arms, &t->prior);
    free(space);
    free(label);
    return code;
}

/* What the arms of *t begin with, when all else of it has been read; into the resolved mapping `to` with a digest of
 * what was found in the file, since trials depend on it. */
static int read_prior(struct mk_tune *t, struct mk_loader *l, const struct mk_node *root, struct mk_node *to)
{
    const struct mk_node *at = mk_node_get(root, "prior"), *file = mk_node_get(at, "file");
    struct mk_prior_settings how;
    struct mk_prior *p = NULL;
    if (!at) return MK_OK;
    if (!t->policy) return mk_fail_at(l->err, at->where, "prior", "expected a policy, got a combined search");
    int code = mk_read_prior(l, root, &p, &how);
    if (!code) code = make_prior_arms(t, l, root, p, &how);
    t->prior_lacks_fidelity = p && mk_prior_lacks_fidelity(p);
    mk_prior_free(p);
    if (code) return code;
    struct mk_node *resolved = mk_add_prior(to, root, file ? file->text : at->text, &how);
    return resolved && add_digest(t, resolved) ? MK_OK : no_memory_of_prior(l);
}

/* ---- the whole ---- */

/* A name, and what it is without the key. */
static int read_name(struct reading *r, const char *key, const char *otherwise, char **out)
{
    int code = MK_READ_KEY(r->root, MK_TUNE_FILE, key, out, r->to, r->err);
    if (code || *out) return code;
    const char *allowed = mk_label_problem(otherwise, 1);
    if (allowed) return mk_fail_at(r->err, r->root->where, key, "expected %s", allowed);
    *out = strdup(otherwise);
    return *out && mk_add_text(r->to, key, *out) ? MK_OK : no_memory(r);
}

static int read_names(struct reading *r, const char *path)
{
    struct mk_tune *t = r->t;
    char stem[200];
    int code = MK_READ_KEY(r->root, MK_TUNE_FILE, "title", &t->title, r->to, r->err);
    if (!code) code = MK_READ_KEY(r->root, MK_TUNE_FILE, "source", &t->source, r->to, r->err);
    if (!code) code = read_name(r, "name", mk_file_stem(path, stem, sizeof stem), &t->name);
    if (!code) code = read_name(r, "instance", t->name, &t->instance);
    return code ? code : MK_READ_KEY(r->root, MK_TUNE_FILE, "repetition", &t->repetition, r->to, r->err);
}

/* The worker of all arms, and what its answers are. */
static int read_worker(struct reading *r)
{
    struct mk_tune *t = r->t;
    const struct mk_node *worker = mk_node_get(r->root, "worker"), *answers = mk_node_get(r->root, "answers");
    int code = MK_OK;
    if (worker && t->command.n)
        code = mk_fail_at(r->err, worker->where, "worker", "expected either worker or the command of all arms");
    if (!code) code = read_command(r, r->root, "worker", &t->worker, r->to);
    if (!code && worker) code = mk_command_check(&t->worker, NULL, worker->where, "worker", r->err);
    if (!code && answers && !worker)
        code = mk_fail_at(r->err, answers->where, "answers", "only of a worker, which is missing");
    return code ? code : MK_READ_KEY(r->root, MK_TUNE_FILE, "answers", &t->metric.unnamed, r->to, r->err);
}

static int read_root(struct reading *r, const char *path)
{
    struct mk_tune *t = r->t;
    const struct mk_node *problem = mk_node_get(r->root, "problem"), *launcher = mk_node_get(r->root, "launcher");
    if (problem)
        return mk_fail_at(r->err, problem->key_where, "problem",
                          "a key of experiments, which maxk run takes; expected a file for maxk tune");
    int code = mk_check_file_keys(r->root, MK_TUNE_FILE, r->err);
    if (!code) code = read_names(r, path);
    if (!code) code = read_command(r, r->root, "command", &t->command, r->to);
    if (!code) code = read_worker(r);
    if (!code && launcher) code = read_words(r, launcher, "launcher", &t->launcher, &t->n_launcher, NULL);
    if (!code) code = read_all_metrics(r);
    if (!code) code = read_limits(r);
    if (!code) code = read_success_codes(r);
    if (!code) code = read_crash(r);
    if (!code) code = read_budget(r);
    if (!code) code = read_workers(r);
    if (!code) code = mk_instances_read_all(t, r->root, r->l.directory, r->to, r->err);
    if (!code) code = read_chooser(r);
    if (!code) code = MK_READ_KEY(r->root, MK_TUNE_FILE, "own_policy", &t->own_policy, r->to, r->err);
    if (!code) code = read_arms(r);
    if (!code) code = mk_pruning_read(t, r->root, r->to, r->err);
    if (!code) code = read_prior(t, &r->l, r->root, r->to);
    if (!code) code = MK_READ_KEY(r->root, MK_TUNE_FILE, "exhausted", &t->exhausted, r->to, r->err);
    if (!code && t->exhausted == MK_EXHAUSTED_LEAVE)
        code = mk_fail_there(r->err, mk_node_get(r->root, "exhausted")->where, "exhausted",
                             mk_tune_limit_to_configurations(t, r->err));
    if (!code && !t->policy) code = join_arms(r, mk_node_get(r->root, "combined"));
    return code ? code : mk_read_first_trials(t, r->root, r->l.directory, r->to, r->err);
}

/* The folder of a file with a slash at the end, "" for the working directory; malloc'ed. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strndup(path, slash ? (size_t)(slash - path) + 1 : 0);
}

/* Reads `tree`, which is NULL after the error `code`; is_study: as struct mk_tune. */
static int read_tree(struct mk_tune **out, const struct mk_tree *tree, const char *path, bool is_study, int code,
                     struct mk_error *err)
{
    struct mk_tune *t = *out = calloc(1, sizeof *t);
    char *folder = folder_of(path);
    struct reading r = {
        .t = t, .err = err, .to = mk_node_new(MK_NODE_MAPPING, 0), .l = {.directory = folder, .err = err}};
    if (!code && !(t && r.to && folder)) code = no_memory(&r);
    if (!code) {
        t->is_study = is_study;
        t->file = strdup(path);
        t->here = *folder ? strndup(folder, strlen(folder) > 1 ? strlen(folder) - 1 : 1) : strdup(".");
        r.root = tree->root;
        code = t->file && t->here ? read_root(&r, path) : no_memory(&r);
    }
    if (!code && !(t->resolved = mk_node_emit(r.to))) code = no_memory(&r);
    mk_node_free(r.to);
    free(folder);
    if (code) {
        mk_tune_free(t);
        *out = NULL;
    }
    return code;
}

int mk_tune_read(struct mk_tune **out, const char *path, const char *const *sets, size_t n_sets, struct mk_error *err)
{
    struct mk_tree *tree = NULL;
    int code = mk_tree_read(&tree, path, err);
    for (size_t i = 0; i < n_sets && !code; i++) code = mk_tree_set(tree, sets[i], err);
    code = read_tree(out, tree, path, false, code, err);
    mk_tree_free(tree);
    return mk_import_instead(code, path, err);
}

int mk_tune_parse_study(struct mk_tune **out, const char *name, const char *text, struct mk_error *err)
{
    struct mk_tree *tree = NULL;
    int code = mk_tree_parse(&tree, name, text, strlen(text), err);
    code = read_tree(out, tree, name, true, code, err);
    mk_tree_free(tree);
    return code;
}
