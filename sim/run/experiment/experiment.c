/* The experiment file: its top level with plugins, recorded runs, horizons and what else is no list of its own, and the
 * resolved text. */
#include "sim/run/experiment/experiment.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "distributions/candidates.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/hash.h"
#include "sim/base/input_path.h"
#include "sim/base/statistics.h"
#include "sim/base/string_table.h"
#include "sim/base/text.h"
#include "sim/problem/trajectory.h"
#include "sim/run/experiment/combined_search.h"
#include "sim/run/experiment/experiment_read.h"
#include "sim/run/experiment/plugins.h"
#include "sim/run/tape/record_tape.h"
#include "sim/search/records/import.h"

enum { LONGEST_NAME = 100 }; /* as MK_EXPERIMENT_NAME says */

static const char name_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

void mk_experiment_free(struct mk_experiment *e)
{
    if (!e) return;
    for (size_t i = 0; i < e->n_entries; i++) {
        free(e->entry[i].label);
        mk_candidates_free(e->entry[i].candidates);
    }
    free(e->entry);
    free(e->horizon);
    mk_user_claims_free(e->claim, e->n_claims);
    mk_problem_free(e->problem);
    mk_plugins_free(e->plugins); /* whose families the problem may have */
    free(e->file);
    free(e->name);
    free(e->title);
    free(e->source);
    free(e->resolved);
    free(e);
}

static int no_memory(struct mk_loader *l)
{
    return mk_fail_memory(l->err, "the experiment");
}

/* ---- names ---- */

char *mk_experiment_name_for(const char *text)
{
    char *name = strndup(text, LONGEST_NAME);
    for (char *c = name; c && *c; c++)
        if (!strchr(name_letters, *c)) *c = '_';
    return name;
}

/* A name for an experiment without one: its file's. */
static char *name_of_file(const char *path)
{
    char name[4 * LONGEST_NAME];
    return mk_experiment_name_for(
        mk_file_stem(mk_is_standard_input(path) ? "standard_input" : path, name, sizeof name));
}

static int read_name(struct mk_loader *l, const struct mk_node *node)
{
    struct mk_experiment *e = l->e;
    char clip[MK_CLIP_ROOM];
    size_t n = node && node->kind == MK_NODE_SCALAR ? strspn(node->text, name_letters) : 0;
    if (node && (!n || n != node->length || n > LONGEST_NAME))
        return mk_fail_at(l->err, node->where, "name", "expected " MK_EXPERIMENT_NAME ", got %s",
                          mk_node_describe(node, clip));
    e->name = node ? strdup(node->text) : name_of_file(e->file);
    return e->name && mk_add_text(l->resolved, "name", e->name) ? MK_OK : no_memory(l);
}

/* ---- plugins ---- */

enum { DIGEST_ROOM = 17 };

/* "0123456789abcdef": FNV-1a of the bytes of a file; out[0] = 0 when it cannot be read. */
static void file_digest(const char *path, char out[DIGEST_ROOM])
{
    uint64_t hash = MK_HASH_START;
    const char *why;
    size_t size;
    const int fd = mk_open_regular(path, SIZE_MAX, &size, &why);
    FILE *f = fd >= 0 ? fdopen(fd, "rb") : NULL;
    int byte = EOF;
    out[0] = '\0';
    if (!f && fd >= 0) close(fd);
    if (!f) return;
    while ((byte = getc(f)) != EOF) hash = mk_hash_add(hash, (uint64_t)byte);
    if (!ferror(f)) snprintf(out, DIGEST_ROOM, "%016" PRIx64, hash);
    fclose(f);
}

/* FILE, or {file: FILE, digest: DIGEST}. */
static int read_plugin(void *reading, const struct mk_node *node, size_t at, struct mk_node *to)
{
    struct mk_loader *l = reading;
    const bool mapping = node->kind == MK_NODE_MAPPING;
    const struct mk_node *file = node;
    char digest[DIGEST_ROOM] = "", clip[MK_CLIP_ROOM], *found = NULL, *whole = NULL, *wanted = NULL;
    (void)at;
    int code = mapping ? mk_check_file_keys(node, MK_IN_PLUGIN, l->err) : MK_OK;
    if (!code && mapping) code = mk_need_file_key(node, MK_IN_PLUGIN, "file", &file, l->err);
    if (!code) code = MK_READ_KEY(node, MK_IN_PLUGIN, "digest", &wanted, NULL, l->err);
    if (!code && l->stand_ins) { /* as it was */
        code = mk_read_text(file, "plugins", &whole, l->err);
    } else if (!code) {
        code = mk_find_file(l->directory, file, "plugins", &found, l->err);
        if (!code && !(whole = realpath(found, NULL))) code = mk_fail_memory(l->err, "plugins");
        if (!code) file_digest(whole, digest);
        if (!code && *wanted && strcmp(wanted, digest) != 0)
            code = mk_fail_at(l->err, mk_node_get(node, "digest")->where, "digest",
                              "expected %s, that of the file, got %s", digest, mk_clip(wanted, clip));
        if (!code) code = mk_plugins_load(&l->e->plugins, whole, file->where, l->err);
    }
    if (!code && !(mk_add_text(to, "file", whole) && mk_add_text(to, "digest", *wanted ? wanted : digest)))
        code = mk_fail_memory(l->err, "plugins");
    free(found);
    free(whole);
    free(wanted);
    return code;
}

static const char *text_of(const struct mk_node *plugin, const char *key)
{
    const struct mk_node *node = mk_node_get(plugin, key);
    return node && node->text ? node->text : "";
}

static bool has_digest(const struct mk_node *plugins, const char *digest)
{
    for (size_t i = 0; plugins && i < plugins->n; i++)
        if (strcmp(text_of(plugins->child[i], "digest"), digest) == 0) return true;
    return false;
}

/* Whether the plugins that are loaded made the result whose experiment is read. */
static int check_digests(const struct mk_loader *l, const struct mk_node *loaded)
{
    const char *wanted = l->kept && l->kept->n == 1 ? text_of(l->kept->child[0], "digest") : NULL;
    for (size_t i = 0; loaded && i < loaded->n; i++) {
        const char *digest = text_of(loaded->child[i], "digest");
        if (!has_digest(l->kept, digest))
            return mk_fail(l->err, MK_EINPUT,
                           "%s: --plugin: %s (digest %s) is not %s%s; run the experiment again with this one",
                           l->e->file, text_of(loaded->child[i], "file"), digest,
                           wanted ? "the plugin that made this result, whose digest is "
                                  : "among the plugins that made this result",
                           wanted ? wanted : "");
    }
    return MK_OK;
}

/* Loads plugins (NULL: none) and resolves them, or those that are kept, with paths and digests. */
static int read_plugins(struct mk_loader *l, const struct mk_node *plugins)
{
    struct mk_node *loaded = mk_node_new(MK_NODE_MAPPING, 0), *to = l->kept ? loaded : l->resolved;
    int code = loaded ? MK_OK : no_memory(l);
    if (!code && plugins) code = mk_read_items(plugins, "shared object", false, read_plugin, l, to, l->err);
    if (!code && l->need & MK_STORED) code = check_digests(l, mk_node_get(to, "plugins"));
    l->stand_ins = l->kept;
    if (!code && l->kept) code = mk_read_items(l->kept, "shared object", false, read_plugin, l, l->resolved, l->err);
    mk_node_free(loaded);
    return code;
}

/* ---- problem ---- */

static int read_selection(struct mk_loader *l, const struct mk_node *node, struct mk_trajectory_options *o)
{
    char clip[MK_CLIP_ROOM];
    int code = mk_check_list(node, "instances", "name", l->err);
    if (code) return code;
    const char **name = calloc(node->n, sizeof *name);
    if (!name) return no_memory(l);
    o->instance = name;
    o->n_instances = node->n;
    struct mk_string_table seen = {0};
    for (size_t i = 0; !code && i < node->n; i++) {
        int added = 0;
        const struct mk_node *at = node->child[i];
        if (at->kind != MK_NODE_SCALAR) {
            code = mk_fail_at(l->err, at->where, "instances", "expected a name, got %s", mk_node_describe(at, clip));
        } else if (mk_string_table_add(&seen, at->text, at->length, &added) == SIZE_MAX) {
            code = no_memory(l);
        } else if (!added) {
            code = mk_fail_at(l->err, at->where, "instances", "duplicate instance %s", mk_clip(at->text, clip));
        }
        name[i] = at->text;
    }
    mk_string_table_free(&seen);
    return code;
}

static int read_columns(struct mk_loader *l, const struct mk_node *node, struct mk_trajectory_options *o,
                        struct mk_node *to)
{
    char clip[MK_CLIP_ROOM];
    if (!node) return MK_OK;
    int code = mk_check_keys(node, "columns", mk_column_names, MK_COLUMNS, l->err);
    struct mk_node *list = code ? NULL : mk_node_add(to, "columns", mk_node_new(MK_NODE_MAPPING, 1));
    if (!code && !list) code = no_memory(l);
    for (size_t i = 0; i < MK_COLUMNS && !code; i++) {
        const struct mk_node *at = mk_node_get(node, mk_column_names[i]);
        if (!at) continue;
        if (at->kind != MK_NODE_SCALAR || !at->length)
            return mk_fail_at(l->err, at->where, at->key, "expected the name of a column of the file, got %s",
                              mk_node_describe(at, clip));
        o->column[i] = at->text;
        code = mk_add_text(list, mk_column_names[i], at->text) ? MK_OK : no_memory(l);
    }
    return code;
}

static int add_selection(struct mk_loader *l, struct mk_node *to, const struct mk_trajectory_options *o)
{
    if (!o->instance) return MK_OK;
    struct mk_node *list = mk_node_add(to, "instances", mk_node_new(MK_NODE_LIST, 1));
    bool good = list != NULL;
    for (size_t i = 0; good && i < o->n_instances; i++) good = mk_add_text(list, NULL, o->instance[i]);
    return good ? MK_OK : no_memory(l);
}

static int read_trajectories(struct mk_loader *l, const struct mk_node *node, struct mk_node *to)
{
    struct mk_trajectory_options o = {.order = MK_ARMS_SORTED};
    const struct mk_node *selection = mk_node_get(node, "instances");
    char *path = NULL;
    size_t unknown = SIZE_MAX;
    int code = mk_check_file_keys(node, MK_IN_TRAJECTORIES, l->err);
    if (!code) code = mk_find_file(l->directory, mk_node_get(node, "trajectories"), "trajectories", &path, l->err);
    if (!code && !mk_add_text(to, "trajectories", path)) code = no_memory(l);
    if (!code) code = MK_READ_KEY(node, MK_IN_TRAJECTORIES, "arm_order", &o.order, to, l->err);
    if (!code) code = MK_READ_KEY(node, MK_IN_TRAJECTORIES, "baselines", &o.baselines, to, l->err);
    if (!code) code = MK_READ_KEY(node, MK_IN_TRAJECTORIES, "ends_early", &l->ends_early, to, l->err);
    if (!code) code = MK_READ_KEY(node, MK_IN_TRAJECTORIES, "missing", &o.missing, to, l->err);
    if (!code) code = MK_READ_KEY(node, MK_IN_TRAJECTORIES, "holes", &o.holes, to, l->err);
    if (!code) code = read_columns(l, mk_node_get(node, "columns"), &o, to);
    const char **loss = &o.column[MK_COLUMN_LOSS];
    if (l->need & MK_WHOLE && l->need & MK_STORED && *loss && strcmp(*loss, MK_LOSS_SHOWN) == 0) *loss = NULL;
    if (!code && selection) code = read_selection(l, selection, &o);
    if (!code) code = mk_trajectory_read(&l->e->problem, path, &o, &unknown, l->err);
    if (selection && unknown != SIZE_MAX)
        code = mk_fail_there(l->err, selection->child[unknown]->where, "instances", code);
    if (!code) code = add_selection(l, to, &o);
    free((void *)o.instance);
    free(path);
    return code;
}

static int read_problem(struct mk_loader *l, const struct mk_node *node)
{
    struct mk_node *to = mk_node_add(l->resolved, "problem", mk_node_new(MK_NODE_MAPPING, 0));
    if (!to) return no_memory(l);
    int code = mk_check_file_keys(node, MK_IN_PROBLEM, l->err);
    if (code) return code;
    const struct mk_node *form = NULL;
    for (size_t i = 0; i < mk_source_type_count(); i++) {
        const struct mk_node *at = mk_node_get(node, mk_source_type_at(i)->key);
        if (at && form) return mk_fail_at(l->err, at->key_where, at->key, "cannot be combined with %s", form->key);
        if (at) form = at;
    }
    if (!form)
        return mk_fail_at(l->err, node->where, "problem", "expected one of arms, trajectories, processes, searches");
    if (strcmp(form->key, "trajectories") == 0) return read_trajectories(l, node, to);
    if (strcmp(form->key, "searches") == 0) return mk_read_searches(l, node, to);
    const char *const only[] = {form->key};
    char what[48];
    snprintf(what, sizeof what, "problem with %s", form->key);
    code = mk_check_keys(node, what, only, 1, l->err);
    if (code) return code;
    struct mk_node *list = mk_node_add(to, form->key, mk_node_new(MK_NODE_LIST, 0));
    if (!list) return no_memory(l);
    return strcmp(form->key, "arms") == 0 ? mk_read_arms(l, form, list) : mk_read_processes(l, form, list);
}

/* ---- the run ---- */

/* In digits, where mk_add_real writes 1e+15. */
static bool add_count(struct mk_node *to, const char *key, uint64_t count)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, count);
    return mk_add_text(to, key, text);
}

static int read_replications(struct mk_loader *l, const struct mk_node *root)
{
    const struct mk_node *node = mk_node_get(root, "replications");
    struct mk_experiment *e = l->e;
    const struct mk_problem *p = e->problem;
    const uint64_t own = p ? p->replications : UINT64_MAX;
    int code = MK_READ_KEY(root, MK_IN_EXPERIMENT, "replications", &e->replications, NULL, l->err);
    if (code) return code;
    if (own < UINT64_MAX && !node) e->replications = own;
    if (e->replications <= own) return add_count(l->resolved, "replications", e->replications) ? MK_OK : no_memory(l);
    return mk_fail_at(l->err, node->where, "replications",
                      "expected 1 to %" PRIu64 " (the repetitions of %s%s), got %s", p->replications, p->file,
                      mk_problem_even(p) ? "" : ", the most of any instance", node->text);
}

/* The key, which of costs may be a fraction. */
static struct mk_param horizon_key(enum mk_file_mapping mapping, const char *name, bool by_cost)
{
    struct mk_param key = *mk_file_key(mapping, name);
    if (!by_cost) return key;
    key.kind = MK_REAL;
    key.lo = 1e-6;
    return key;
}

/* from 10^(i / per_decade) up to `to`, rounded to whole numbers, which are merged later where they are equal; costs
 * from a fraction are rounded to three digits. */
static int log_spaced(const struct mk_node *node, bool by_cost, struct mk_values *out, struct mk_error *err)
{
    static const char *const keys[] = {"from", "to", "per_decade"};
    double x[3] = {0, 0, 0};
    int code = mk_check_file_keys(node, MK_IN_HORIZONS, err);
    for (int i = 0; !code && i < 3; i++) {
        const struct mk_param key = horizon_key(MK_IN_HORIZONS, keys[i], by_cost && i < 2);
        const struct mk_node *value = mk_node_get(node, keys[i]);
        code = value ? mk_read_param(value, &key, 0, &x[i], err)
                     : mk_fail_at(err, node->where, "horizons", "missing %s; expected {from: …, to: …, per_decade: …}",
                                  keys[i]);
    }
    if (code) return code;
    if (x[1] < x[0]) return mk_fail_at(err, node->where, "horizons", "to is below from; expected from <= to");
    out->n = (size_t)floor(x[2] * log10(x[1] / x[0]) + 1e-9) + 1;
    out->value = malloc(out->n * sizeof *out->value);
    if (!out->value) return mk_fail_memory(err, "horizons");
    for (size_t i = 0; i < out->n; i++) {
        const double at = x[0] * pow(10, (double)i / x[2]);
        out->value[i] = fmin(x[0] == round(x[0]) ? round(at) : mk_round_digits(at, 3), x[1]);
    }
    return MK_OK;
}

/* horizons into e->horizon: a list, {from, to, per_decade} or {from, to, step}. */
static int read_horizons(struct mk_loader *l, const struct mk_node *node, bool by_cost)
{
    struct mk_experiment *e = l->e;
    const struct mk_param key = horizon_key(MK_IN_EXPERIMENT, "horizons", by_cost);
    double parts = 1;
    struct mk_values values = {0, NULL};
    int code = mk_node_get(node, "per_decade") ? log_spaced(node, by_cost, &values, l->err)
                                               : mk_read_values(node, &key, &values, l->err);
    if (!code && values.n > MK_MOST_VALUES)
        code = mk_fail_at(l->err, node->where, "horizons", "more than %d horizons", MK_MOST_VALUES);
    if (!code && by_cost && !(parts = mk_decimal_parts(values.value, values.n)))
        code = mk_fail_at(l->err, node->where, "horizons", "expected costs with at most six decimals");
    if (e->problem) e->problem->cost_parts = parts;
    if (!code && !(e->horizon = malloc(values.n * sizeof *e->horizon))) code = mk_fail_memory(l->err, "horizons");
    for (size_t i = 0; !code && i < values.n; i++) e->horizon[i] = (uint64_t)round(values.value[i] * parts);
    free(values.value);
    if (code) return code;
    qsort(e->horizon, values.n, sizeof *e->horizon, mk_compare_counts);
    for (size_t i = 0; i < values.n; i++)
        if (!i || e->horizon[i] != e->horizon[e->n_horizons - 1]) e->horizon[e->n_horizons++] = e->horizon[i];
    struct mk_node *list = mk_node_add(l->resolved, "horizons", mk_node_new(MK_NODE_LIST, 1));
    for (size_t i = 0; list && i < e->n_horizons; i++)
        if (!(parts > 1 ? mk_add_real(list, NULL, mk_horizon_amount(parts, e->horizon[i]))
                        : add_count(list, NULL, e->horizon[i])))
            return no_memory(l);
    return list ? MK_OK : no_memory(l);
}

/* Of all recorded pulls, or of as many of every arm. */
static double mean_cost(const struct mk_problem *p, uint64_t replications)
{
    double sum = 0, n = 0;
    for (size_t k = 0; !p->source->recorded && k < p->n_arms; k++) sum += p->cost[k];
    if (!p->source->recorded) return sum / (double)p->n_arms;
    for (size_t i = 0; i < p->n_instances; i++) {
        for (size_t k = 0; k < p->instance[i].n_arms; k++)
            for (uint64_t r = 0; r < mk_problem_replications(p, i, replications); r++) {
                const struct mk_series *s = mk_problem_series(p, i, k, r);
                double own = 0;
                for (size_t t = 0; t < s->length; t++) own += s->cost[t];
                sum += own;
                n += (double)s->length;
            }
        mk_problem_release(p, i);
    }
    return sum / n;
}

bool mk_experiment_plans(const struct mk_experiment *e, const struct mk_policy_entry *entry)
{
    if (!mk_policy_needs_horizon(entry->type, entry->par) || entry->type->flags & MK_POLICY_ORACLE) return false;
    return !e->problem->by_cost || mk_param_find(entry->type->params, "budget") < 0;
}

uint64_t mk_experiment_planned(const struct mk_experiment *e, size_t horizon)
{
    const double T = mk_horizon_amount(e->problem->cost_parts, e->horizon[horizon]);
    const double planned = fmax(1, mk_pulls_for(T, e->mean_cost));
    return e->problem->by_cost ? (uint64_t)fmin(planned, (double)e->cost_rounds) : e->horizon[horizon];
}

/* horizon_unit: cost. */
static int check_cost_horizons(struct mk_loader *l, const struct mk_node *unit)
{
    struct mk_experiment *e = l->e;
    struct mk_problem *p = e->problem;
    size_t most_arms = 1;
    if (p->source->evaluated)
        return mk_fail_at(
            l->err, unit->where, "horizon_unit",
            "cost: expected arms, processes or trajectories, got searches (maxk record makes recorded runs "
            "of them)");
    if (p->source->recorded && !mk_problem_series(p, 0, 0, 0)->cost)
        return mk_fail_at(l->err, unit->where, "horizon_unit", "cost: %s has no column cost", p->file);
    if (l->ends_early == MK_ENDS_HOLD || l->ends_early == MK_ENDS_RESTART)
        return mk_fail_at(l->err, unit->where, "horizon_unit", "cost: expected ends_early: error or leave");
    e->mean_cost = mean_cost(p, e->replications);
    e->cost_rounds = mk_problem_rounds(p, e->horizon[e->n_horizons - 1]);
    for (size_t i = 0; i < p->n_instances; i++)
        if (p->instance[i].n_arms > most_arms) most_arms = p->instance[i].n_arms;
    for (size_t i = 0; i < e->n_entries; i++) {
        const struct mk_policy_entry *entry = &e->entry[i];
        if (mk_policy_needs_horizon(entry->type, entry->par) && !isnan(mk_policy_entry_parameter(entry, "budget")))
            return mk_fail_at(l->err, unit->where, "horizon_unit",
                              "cost: expected policies without a budget of their own, got %s", entry->label);
        if (mk_experiment_plans(e, entry) && mk_experiment_planned(e, 0) < most_arms)
            return mk_fail_at(
                l->err, unit->where, "horizon_unit",
                "cost: %s plans for the first horizon over the mean cost of a pull, %.4g, and needs a pull "
                "of every arm; expected horizons of at least %.6g",
                entry->label, e->mean_cost, mk_digits_above((double)most_arms * e->mean_cost, 6));
    }
    p->leaves = l->ends_early == MK_ENDS_LEAVE;
    return mk_problem_check_costs(p, e->horizon[0], e->horizon[e->n_horizons - 1], e->replications, l->err);
}

static int check_horizon_unit(struct mk_loader *l, const struct mk_node *root)
{
    const struct mk_node *node = mk_node_get(root, "horizon_unit");
    if (!mk_add_text(l->resolved, "horizon_unit", "cost")) return no_memory(l);
    if (mk_node_get(root, "claims"))
        return mk_fail_at(l->err, node->where, "horizon_unit", "cost: cannot be combined with claims");
    return l->e->problem && l->e->n_horizons ? check_cost_horizons(l, node) : MK_OK;
}

/* Every arm can be pulled once, and recorded rewards reach the largest horizon. */
static int check_horizons(struct mk_loader *l, const struct mk_node *node)
{
    const struct mk_experiment *e = l->e;
    const struct mk_problem *p = e->problem;
    char clip[MK_CLIP_ROOM];
    for (size_t i = 0; !p->by_cost && i < p->n_instances; i++) {
        const struct mk_instance *in = &p->instance[i];
        if (e->horizon[0] < in->n_arms)
            return mk_fail_at(l->err, node->where, "horizons",
                              "expected horizons >= %zu, the number of arms of instance %s, got %" PRIu64, in->n_arms,
                              mk_clip(in->name, clip), e->horizon[0]);
    }
    if (!p->source->recorded || p->by_cost) return MK_OK;
    uint64_t longest = e->horizon[e->n_horizons - 1];
    for (size_t i = 0; l->ends_early == MK_ENDS_LEAVE && i < e->n_entries; i++)
        if (!isnan(mk_policy_entry_parameter(&e->entry[i], "budget")) &&
            !mk_policy_per_cost(e->entry[i].type, e->entry[i].par))
            return mk_fail_at(l->err, node->where, "ends_early",
                              "leave: expected policies without a budget of their own, got %s", e->entry[i].label);
    if (l->ends_early != MK_ENDS_ERROR)
        return mk_trajectory_extend(e->problem, longest, (enum mk_ends_early)l->ends_early, l->err);
    return mk_trajectory_check(p, longest, e->replications, l->err);
}

static int need(const struct mk_loader *l, const struct mk_node *root, const char *key, unsigned flag)
{
    return !(l->need & flag) || mk_node_get(root, key) ? MK_OK : mk_fail_missing(root, MK_IN_EXPERIMENT, key, l->err);
}

static int resolve_policies(struct mk_loader *l)
{
    struct mk_node *list = mk_node_add(l->resolved, "policies", mk_node_new(MK_NODE_LIST, 0));
    bool good = list != NULL;
    for (size_t i = 0; good && i < l->e->n_entries; i++) {
        const struct mk_policy_entry *entry = &l->e->entry[i];
        struct mk_node *to = mk_node_add(list, NULL, mk_node_new(MK_NODE_MAPPING, 1));
        good = to && mk_add_text(to, "name", entry->type->name) && mk_add_policy_params(to, entry) &&
               mk_add_text(to, "label", entry->label);
    }
    return good ? MK_OK : no_memory(l);
}

/* NULL, or why the experiment cannot have rare-event estimates (sim/run/engine/rare.h), written to `text`. */
static const char *rare_refusal(const struct mk_experiment *e, char *text, size_t room)
{
    const struct mk_problem *p = e->problem;
    if (p->by_cost) return "expected horizons in pulls, got horizon_unit: cost";
    if (!p->source->known) return "expected arms whose rewards are drawn from known distributions";
    for (size_t k = 0; k < p->n_arms; k++) {
        double lo, hi;
        mk_dist_support(p->dist[k], &lo, &hi);
        if (isfinite(hi) && !mk_dist_has_atoms(p->dist[k])) continue;
        snprintf(text, room, "expected arms with a finite upper end point and without point masses, but arm %zu %s", k,
                 isfinite(hi) ? "has point masses" : "has no finite upper end point");
        return text;
    }
    for (size_t i = 0; i < e->n_entries; i++) {
        const struct mk_policy_entry *entry = &e->entry[i];
        if ((mk_policy_bonus_flags(entry->type, entry->par) & MK_POLICY_THEOREM_4_2) &&
            mk_policy_entry_parameter(entry, "scale") == 0)
            continue;
        snprintf(text, room, "expected only max_ucb with scale: none, got policy %s", entry->label);
        return text;
    }
    if (e->n_horizons && e->horizon[e->n_horizons - 1] > MK_RECORD_LAST) return "expected horizons up to 2^53";
    return NULL;
}

static int read_rare_events(struct mk_loader *l, const struct mk_node *root)
{
    const struct mk_node *node = mk_node_get(root, "rare_events");
    char text[MK_ERROR_TEXT / 2];
    int code = MK_READ_KEY(root, MK_IN_EXPERIMENT, "rare_events", &l->e->rare_events, NULL, l->err);
    if (code || !l->e->rare_events) return code;
    const char *refusal = l->e->problem ? rare_refusal(l->e, text, sizeof text) : NULL;
    if (refusal) return mk_fail_at(l->err, node->where, "rare_events", "%s", refusal);
    return add_count(l->resolved, "rare_events", l->e->rare_events) ? MK_OK : no_memory(l);
}

/* Whether the policies can play with the problem's prior. */
static int check_prior(struct mk_loader *l, const struct mk_node *problem)
{
    const struct mk_node *at = mk_node_get(problem, "prior");
    for (size_t i = 0; at && i < l->e->n_entries; i++)
        if (!isnan(mk_policy_entry_parameter(&l->e->entry[i], "budget")) ||
            mk_policy_per_cost(l->e->entry[i].type, l->e->entry[i].par))
            return mk_fail_at(l->err, at->where, "prior",
                              "expected policies without a budget of their own and per_cost, got %s",
                              l->e->entry[i].label);
    return MK_OK;
}

/* Candidates that are not given are the arms of the problem, where these are known. */
static int complete_candidates(struct mk_loader *l, struct mk_policy_entry *entry, const struct mk_node *policies)
{
    const struct mk_problem *p = l->e->problem;
    if (mk_candidates_parameter(entry->type->params) >= 0 && !entry->candidates && p->source->known &&
        p->n_arms <= MK_CANDIDATES && !mk_policy_by_runs(entry->type, entry->par)) {
        const int code = mk_candidates_borrow(&entry->candidates, p->dist, p->n_arms, l->err);
        if (code) return code;
    }
    const struct mk_setup setup = {.arms = p->n_arms, .par = entry->par, .candidates = entry->candidates};
    const char *refusal = entry->type->refuses ? entry->type->refuses(&setup) : NULL;
    return refusal ? mk_fail_at(l->err, policies->where, entry->label, "%s", refusal) : MK_OK;
}

/* Whether the problem has what options of policies ask for. */
static int check_options(struct mk_loader *l, const struct mk_node *policies)
{
    const struct mk_problem *p = l->e->problem;
    const bool recorded = p && p->source->recorded;
    for (size_t i = 0; p && policies && i < l->e->n_entries; i++) {
        struct mk_policy_entry *entry = &l->e->entry[i];
        const int code = complete_candidates(l, entry, policies);
        if (code) return code;
        const char *others = mk_policy_needs_others(entry->type, entry->par);
        if (!recorded && others)
            return mk_fail_at(l->err, policies->where, others,
                              "needs recorded runs of other instances; expected trajectories, got %s", p->source->key);
        if (recorded && mk_policy_per_cost(entry->type, entry->par) && !mk_problem_series(p, 0, 0, 0)->cost)
            return mk_fail_at(l->err, policies->where, "per_cost", "%s has no column cost", p->file);
    }
    return MK_OK;
}

/* A policy has the label of a combined search, which is an item of `combined`, or recorded. */
static int fail_label(const struct mk_loader *l, const struct mk_node *combined, size_t search)
{
    const struct mk_problem *p = l->e->problem;
    char clip[MK_CLIP_ROOM];
    mk_clip(p->baseline_label[search], clip);
    if (!combined)
        return mk_fail(l->err, MK_EINPUT, "%s: label: a policy has the label '%s' of a combined search in %s",
                       l->e->file, clip, p->file);
    const struct mk_node *item = combined->child[search], *at = mk_node_get(item, "label");
    return mk_fail_at(l->err, at ? at->where : item->where, "label", "a policy has the label '%s' too", clip);
}

/* Appends an entry for every baseline of the problem, named after its label. MK_EINPUT when a policy has that label. */
static int add_combined_searches(struct mk_loader *l, const struct mk_node *combined)
{
    struct mk_experiment *e = l->e;
    const struct mk_problem *p = e->problem;
    if (!MK_GROW(e->entry, e->n_entries, p->n_baselines)) return no_memory(l);
    for (size_t b = 0; b < p->n_baselines; b++) {
        if (mk_experiment_find_policy(e, p->baseline_label[b]) < e->n_entries) return fail_label(l, combined, b);
        struct mk_policy_entry *entry = &e->entry[e->n_entries];
        *entry = (struct mk_policy_entry){.label = strdup(p->baseline_label[b]),
                                          .type = p->searches ? &mk_combined_search_live : &mk_combined_search,
                                          .par = {(double)b}};
        if (!entry->label) return no_memory(l);
        e->n_entries++;
    }
    return MK_OK;
}

/* The policies, and the combined searches next to them. */
static int read_entries(struct mk_loader *l, const struct mk_node *root)
{
    const struct mk_node *policies = mk_node_get(root, "policies"), *combined = mk_node_get(root, "combined");
    int code = mk_read_combined(l, combined);
    const bool searches = l->e->problem && l->e->problem->n_baselines;
    /* An empty list is enough where there are combined searches. */
    const bool none = policies && policies->kind == MK_NODE_LIST && !policies->n && searches;
    if (!code && policies && !none) code = mk_read_policies(l, policies);
    if (!code) code = check_options(l, policies);
    if (!code && policies) code = resolve_policies(l);
    if (!code && policies && searches) code = add_combined_searches(l, combined);
    return code ? code : check_prior(l, mk_node_get(root, "problem"));
}

/* Rewards of other instances are candidates for runs of a number of pulls that all arms have. */
static int check_other_runs(struct mk_loader *l, const struct mk_node *policies)
{
    const struct mk_problem *p = l->e->problem;
    for (size_t i = 0; p && (p->by_cost || p->leaves) && i < l->e->n_entries; i++)
        if (mk_policy_by_runs(l->e->entry[i].type, l->e->entry[i].par))
            return mk_fail_at(l->err, policies->where, "recorded", "cannot be combined with %s",
                              p->by_cost ? "horizon_unit: cost" : "ends_early: leave");
    return MK_OK;
}

static int read_run(struct mk_loader *l, const struct mk_node *root)
{
    struct mk_experiment *e = l->e;
    const struct mk_node *horizons = mk_node_get(root, "horizons");
    enum mk_horizon_unit unit = MK_HORIZON_PULLS;
    int code = need(l, root, "policies", MK_NEED_RUN);
    if (!code) code = need(l, root, "horizons", MK_NEED_RUN);
    if (!code) code = read_entries(l, root);
    if (!code) code = MK_READ_KEY(root, MK_IN_EXPERIMENT, "horizon_unit", &unit, NULL, l->err);
    const bool by_cost = unit == MK_HORIZON_COST;
    if (e->problem) e->problem->by_cost = by_cost;
    if (!code && horizons) code = read_horizons(l, horizons, by_cost);
    if (!code) code = read_replications(l, root);
    if (!code) code = MK_READ_KEY(root, MK_IN_EXPERIMENT, "seed", &e->seed, NULL, l->err);
    if (!code && !add_count(l->resolved, "seed", e->seed)) code = no_memory(l);
    if (!code) code = MK_READ_KEY(root, MK_IN_EXPERIMENT, "keep", &e->keep, l->resolved, l->err);
    if (!code && by_cost) code = check_horizon_unit(l, root);
    if (!code && horizons && e->problem) code = check_horizons(l, horizons);
    if (!code) code = check_other_runs(l, mk_node_get(root, "policies"));
    if (!code && horizons && e->problem) code = mk_read_budget(l, root);
    if (!code) code = read_rare_events(l, root);
    return code ? code : mk_read_claims(l, mk_node_get(root, "claims"));
}

static int read_root(struct mk_loader *l, const struct mk_node *root)
{
    struct mk_experiment *e = l->e;
    const struct mk_node *metric = mk_node_get(root, "metric");
    if (metric)
        return mk_fail_at(l->err, metric->key_where, "metric",
                          "is a key of tune files (maxk tune); expected an experiment file");
    int code = mk_check_file_keys(root, MK_IN_EXPERIMENT, l->err);
    if (!code) code = read_name(l, mk_node_get(root, "name"));
    if (!code) code = MK_READ_KEY(root, MK_IN_EXPERIMENT, "title", &e->title, l->resolved, l->err);
    if (!code) code = MK_READ_KEY(root, MK_IN_EXPERIMENT, "source", &e->source, l->resolved, l->err);
    if (!code) code = need(l, root, "problem", MK_NEED_PROBLEM);
    const struct mk_node *problem = mk_node_get(root, "problem");
    if (!code) code = read_plugins(l, mk_node_get(root, "plugins"));
    if (!code && problem) code = read_problem(l, problem);
    return code ? code : read_run(l, root);
}

/* ---- entry points ---- */

static int read_tree(struct mk_experiment **out, const char *path, const struct mk_tree *tree,
                     const struct mk_node *kept, unsigned needs, struct mk_error *err)
{
    struct mk_loader l = {.need = needs, .kept = kept, .err = err};
    const char *slash = strrchr(path, '/');
    char *directory = strndup(path, slash ? (size_t)(slash - path) + 1 : 0);
    l.directory = directory;
    l.e = calloc(1, sizeof *l.e);
    l.resolved = mk_node_new(MK_NODE_MAPPING, 0);
    int code = directory && l.e && l.resolved && (l.e->file = strdup(path)) ? MK_OK : no_memory(&l);
    if (!code) code = read_root(&l, tree->root);
    if (!code && !(l.e->resolved = mk_node_emit(l.resolved))) code = no_memory(&l);
    free(directory);
    mk_node_free(l.resolved);
    if (code)
        mk_experiment_free(l.e);
    else
        *out = l.e;
    return code;
}

/* The tree, if it could be read, with overrides. */
static int read_with(struct mk_experiment **out, const char *path, struct mk_tree *tree, int code,
                     const struct mk_overrides *sets, unsigned needs, struct mk_error *err)
{
    struct mk_node *kept = code || needs & MK_LOAD_PLUGINS ? NULL : mk_node_take(tree->root, "plugins");
    for (size_t i = 0; !code && i < sets->n; i++) code = mk_tree_set(tree, sets->text[i], err);
    if (!code) code = read_tree(out, path, tree, kept, needs, err);
    mk_node_free(kept);
    mk_tree_free(tree);
    return code;
}

int mk_experiment_read(struct mk_experiment **out, const char *path, const char *const *sets, size_t n_sets,
                       unsigned needs, struct mk_error *err)
{
    struct mk_tree *tree = NULL;
    int code = mk_tree_read(&tree, path, err);
    code = read_with(out, path, tree, code, &(struct mk_overrides){sets, n_sets}, needs, err);
    return mk_import_instead(code, path, err);
}

int mk_experiment_parse(struct mk_experiment **out, const char *name, const char *text, size_t length, unsigned needs,
                        struct mk_error *err)
{
    struct mk_tree *tree = NULL;
    int code = mk_tree_parse(&tree, name, text, length, err);
    return read_with(out, name, tree, code, &(struct mk_overrides){NULL, 0}, needs, err);
}

int mk_experiment_parse_with(struct mk_experiment **out, const char *name, const char *text,
                             const struct mk_overrides *sets, unsigned needs, struct mk_error *err)
{
    struct mk_tree *tree = NULL;
    int code = mk_tree_parse(&tree, name, text, strlen(text), err);
    return read_with(out, name, tree, code, sets, needs, err);
}

int mk_experiment_from_csv(struct mk_experiment **out, const char *path, const char *const *sets, size_t n_sets,
                           struct mk_error *err)
{
    struct mk_tree *tree = calloc(1, sizeof *tree);
    struct mk_node *root = tree ? tree->root = mk_node_new(MK_NODE_MAPPING, 0) : NULL;
    struct mk_node *problem = mk_node_add(root, "problem", mk_node_new(MK_NODE_MAPPING, 0));
    int code = problem && mk_add_text(problem, "trajectories", path) ? MK_OK : mk_fail_memory(err, "the experiment");
    if (!code) problem->child[0]->where.file = path;
    return read_with(out, path, tree, code, &(struct mk_overrides){sets, n_sets}, MK_NEED_PROBLEM, err);
}
