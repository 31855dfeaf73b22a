#include "sim/study/tune_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/yaml_values.h"
#include "sim/run/store/run_identity.h"
#include "sim/study/tune.h"

/* ---- files that are read ---- */

static void drop(struct mk_node *mapping, const char *key)
{
    mk_node_free(mk_node_take(mapping, key));
}

/* A resolved file has 0 where there is no limit. */
static void drop_zero(struct mk_node *mapping, const char *key)
{
    const struct mk_node *child = mk_node_get(mapping, key);
    if (child && strcmp(child->text, "0") == 0) drop(mapping, key);
}

/* Puts a node in the place of the child `old`; false: out of memory. */
static bool replace(struct mk_node *mapping, const struct mk_node *old, const char *key, struct mk_node *node)
{
    if (!node || !mk_node_add(mapping, key, node)) return false;
    for (size_t i = 0; i < mapping->n; i++)
        if (mapping->child[i] == old) mapping->child[i] = node;
    mapping->n--;
    mk_node_free((struct mk_node *)old);
    return true;
}

/* The number of trials goes into the mapping `budget`, with at least as many as there are. */
static bool set_budget(struct mk_node *root, uint64_t trials, double cost)
{
    const struct mk_node *old = mk_node_get(root, "evaluations");
    const uint64_t evaluations = old ? strtoull(old->text, NULL, 10) : 0;
    struct mk_node *budget = mk_node_new(MK_NODE_MAPPING, 1);
    if (old && budget && mk_add_real(budget, "evaluations", (double)(evaluations > trials ? evaluations : trials)) &&
        (!isfinite(cost) || mk_add_real(budget, "cost", cost)))
        return replace(root, old, "budget", budget);
    mk_node_free(budget);
    return !old;
}

/* The policy is a text in a resolved file. */
static int set_policy(struct mk_node *root, struct mk_error *err)
{
    const struct mk_node *policy = mk_node_get(root, "policy");
    struct mk_tree *tree = NULL;
    if (!policy || policy->kind != MK_NODE_SCALAR) return MK_OK;
    int code = mk_tree_parse(&tree, "policy", policy->text, policy->length, err);
    struct mk_node *copy = code ? NULL : mk_node_copy(tree->root);
    mk_tree_free(tree);
    if (code) return code;
    if (copy) copy->flow = 1;
    return replace(root, policy, "policy", copy) ? MK_OK : mk_fail_memory(err, "a tune file");
}

static int readable(struct mk_tree **out, const char *resolved, uint64_t trials, double cost, struct mk_error *err)
{
    int code = mk_tree_parse(out, "tune file", resolved, strlen(resolved), err);
    if (code) return code;
    struct mk_node *root = (*out)->root, *limits = mk_node_get(root, "limits"), *arms = mk_node_get(root, "arms");
    root->flow = 0;
    if (arms) arms->flow = 0;
    drop_zero(root, "timeout");
    drop_zero(limits, "memory");
    drop_zero(limits, "cpu");
    code = set_policy(root, err);
    return code || set_budget(root, trials, cost) ? code : mk_fail_memory(err, "a tune file");
}

int mk_tune_file_text(char **out, const char *resolved, uint64_t trials, double cost, struct mk_error *err)
{
    struct mk_tree *tree = NULL;
    *out = NULL;
    int code = readable(&tree, resolved, trials, cost, err);
    if (!code && !(*out = mk_node_emit(tree->root))) code = mk_fail_memory(err, "a tune file");
    mk_tree_free(tree);
    return code;
}

/* ---- the same trials ---- */

/* In the file or in an arm. */
static bool has_program(const struct mk_node *mapping)
{
    return mk_node_get(mapping, "command") || mk_node_get(mapping, "shell") || mk_node_get(mapping, "worker");
}

static int is_of_program(const char *resolved, bool *is, struct mk_error *err)
{
    struct mk_tree *tree = NULL;
    int code = mk_tree_parse(&tree, "journal", resolved, strlen(resolved), err);
    const struct mk_node *root = code ? NULL : tree->root, *arms = root ? mk_node_get(root, "arms") : NULL;
    *is = root && has_program(root);
    for (size_t k = 0; arms && k < arms->n && !*is; k++) *is = has_program(arms->child[k]);
    mk_tree_free(tree);
    return code;
}

/* What trials do not depend on: names, and what belongs to programs. */
static void strip_mapping(struct mk_node *mapping, enum mk_file_mapping of)
{
    const struct mk_param *key;
    for (size_t i = 0; (key = mk_file_key_at(of, i)); i++)
        if (key->flags & MK_NO_TRIAL) drop(mapping, key->name);
}

static void strip(struct mk_node *root)
{
    struct mk_node *arms = mk_node_get(root, "arms"), *metrics = mk_node_get(root, "metrics");
    strip_mapping(root, MK_TUNE_FILE);
    strip_mapping(mk_node_get(root, "metric"), MK_TUNE_METRIC);
    for (size_t i = 0; metrics && i < metrics->n; i++) strip_mapping(metrics->child[i], MK_TUNE_MEASURE);
    for (size_t k = 0; arms && k < arms->n; k++) strip_mapping(arms->child[k], MK_TUNE_ARM);
}

static int parse(struct mk_tune **t, const struct mk_tree *tree, struct mk_error *err)
{
    char *text = mk_node_emit(tree->root);
    int code = text ? mk_tune_parse_study(t, "journal", text, err) : mk_fail_memory(err, "a tune file");
    free(text);
    return code;
}

/* A program is evaluated in part only if its command takes the fidelity. */
static int check_in_part(const char *path, const struct mk_tune *program, struct mk_error *err)
{
    for (size_t k = 0; k < program->n_arms; k++) {
        const struct mk_optimizer_choice *o = program->policy ? &program->arm[k].optimizer : &program->combined;
        if ((o->type->flags & MK_OPTIMIZER_FIDELITY) && !program->arm[k].in_part)
            return mk_fail(err, MK_EINPUT,
                           "%s: %s evaluates in part, for which the command of arm '%s' has no {fidelity}; expected a "
                           "command with it",
                           path, o->type->name, program->arm[k].label);
    }
    return MK_OK;
}

/* *out <- the tune file of a resolved text without what trials do not depend on. */
static int bare(struct mk_tune **out, bool is_of_program, const char *path, const char *resolved, struct mk_error *err)
{
    struct mk_tree *tree = NULL;
    struct mk_tune *whole = NULL;
    int code = readable(&tree, resolved, 0, INFINITY, err);
    if (!code && is_of_program) code = parse(&whole, tree, err);
    if (whole) code = check_in_part(path, whole, err);
    mk_tune_free(whole);
    if (!code) {
        strip(tree->root);
        code = parse(out, tree, err);
    }
    mk_tree_free(tree);
    return code;
}

/* The line of the budget in a resolved tune file, *n characters; the end of the text if there is none. */
static const char *budget_line(const char *text, size_t *n)
{
    static const char key[] = "evaluations:";
    while (*text && strncmp(text, key, sizeof key - 1) != 0) text += strcspn(text, "\n") + (strchr(text, '\n') != NULL);
    *n = strcspn(text, "\n");
    return text;
}

static bool are_same(const char *old, const char *now, bool *other_budget)
{
    size_t n, m;
    const char *a = budget_line(old, &n), *b = budget_line(now, &m);
    *other_budget = n != m || memcmp(a, b, n) != 0;
    return a - old == b - now && memcmp(old, now, (size_t)(a - old)) == 0 && strcmp(a + n, b + m) == 0;
}

static int differ(const char *path, const char *old, const char *now, struct mk_error *err)
{
    char text[400], empty[1] = "";
    const struct mk_identity was = {(char *)old, empty, empty, empty}, is = {(char *)now, empty, empty, empty};
    mk_identity_same(&was, &is, text, sizeof text);
    return mk_fail(err, MK_EINPUT,
                   "%s: belongs to another run (%s); choose another --output, or start over with --force", path, text);
}

/* A resolved text of before the key `defaults`, which then was `no`; malloc'ed. */
static char *with_defaults(const char *resolved)
{
    char *text = NULL;
    const char *end = *resolved && resolved[strlen(resolved) - 1] == '\n' ? "" : "\n";
    if (strstr(resolved, "\ndefaults: ")) return strdup(resolved);
    return asprintf(&text, "%s%sdefaults: no\n", resolved, end) < 0 ? NULL : text;
}

/* *out <- the tune file of a resolved text, whose own resolved text may have more words: an optimiser that is there by
 * default is written by its name, and when it is read again with its parameters. */
static int read_again(struct mk_tune **out, const char *resolved, struct mk_error *err)
{
    struct mk_tree *tree = NULL;
    int code = readable(&tree, resolved, 0, INFINITY, err);
    if (!code) code = parse(out, tree, err);
    mk_tree_free(tree);
    return code;
}

/* Of two texts that differ. */
static int compare_again(const char *path, const char *old, const char *now, bool *other_budget, struct mk_error *err)
{
    struct mk_tune *a = NULL, *b = NULL;
    struct mk_error ignored;
    const bool read = !read_again(&a, old, &ignored) && !read_again(&b, now, &ignored);
    const bool same = read && are_same(a->resolved, b->resolved, other_budget);
    const int code = same ? MK_OK : differ(path, read ? a->resolved : old, read ? b->resolved : now, err);
    mk_tune_free(a);
    mk_tune_free(b);
    return code;
}

static int compare(const char *path, const char *old, const char *now, bool *other_budget, struct mk_error *err)
{
    struct mk_tune *a = NULL, *b = NULL;
    bool of_program[2] = {false, false};
    if (are_same(old, now, other_budget)) return MK_OK;
    int code = is_of_program(old, &of_program[0], err);
    if (!code) code = is_of_program(now, &of_program[1], err);
    if (!code && of_program[0] == of_program[1]) return compare_again(path, old, now, other_budget, err);
    if (!code) code = bare(&a, of_program[0], path, old, err);
    if (!code) code = bare(&b, of_program[1], path, now, err);
    if (!code && !are_same(a->resolved, b->resolved, other_budget)) code = differ(path, a->resolved, b->resolved, err);
    mk_tune_free(a);
    mk_tune_free(b);
    return code;
}

int mk_tune_file_compare(const char *path, const char *old, const char *now, bool *other_budget, struct mk_error *err)
{
    char *text = with_defaults(old);
    int code = text ? compare(path, text, now, other_budget, err) : mk_fail_memory(err, "a tune file");
    free(text);
    return code;
}
