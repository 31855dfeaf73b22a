#include "analysis/tables/recommend_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/arms/recorded_spaces.h"
#include "policies/optimizers/optimizer.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/base/yaml_tree.h"

char *mk_recommend_policy(const struct mk_policy_entry *entry)
{
    char *parameters = mk_policy_entry_parameters(entry), *text = NULL;
    const bool some = parameters && strcmp(parameters, "{}") != 0;
    const int length = !parameters ? -1
                       : some      ? asprintf(&text, "{name: %s, %s", entry->type->name, parameters + 1)
                                   : asprintf(&text, "{name: %s}", entry->type->name);
    free(parameters);
    return length < 0 ? NULL : text;
}

/* What the tune file of recorded trials says. */
static const char *const kept_keys[] = {"command", "shell", "worker", "args", "metric"};
static const char *const kept_arm_keys[] = {"space", "command", "shell", "args"};

struct writing {
    FILE *to;
    const struct mk_experiment *e;
    const struct mk_candidate *use;
    struct mk_tree *tune;   /* OUT.tune.yaml of OUT.csv; NULL: there is none */
    struct mk_node **space; /* [n_arms] as mk_recorded_spaces */
    char *left_out;
};

static bool put_node(FILE *to, const char *before, const struct mk_node *node)
{
    char *text = mk_node_emit(node);
    if (text) fprintf(to, "%s%s", before, text);
    free(text);
    return text != NULL;
}

/* The arm of this label in the tune file of the trials; NULL: there is none. */
static const struct mk_node *arm_of_tune(const struct writing *w, const char *label)
{
    const struct mk_node *arms = w->tune ? mk_node_get(w->tune->root, "arms") : NULL;
    for (size_t i = 0; arms && i < arms->n; i++) {
        const struct mk_node *at = mk_node_get(arms->child[i], "label");
        if (at && at->kind == MK_NODE_SCALAR && strcmp(at->text, label) == 0) return arms->child[i];
    }
    return NULL;
}

static bool copy_keys(struct mk_node *to, const struct mk_node *from, const char *const *key, size_t n)
{
    bool good = true;
    for (size_t i = 0; i < n && good; i++) {
        const struct mk_node *at = mk_node_get(from, key[i]);
        good = !at || mk_node_add(to, key[i], mk_node_copy(at));
    }
    return good;
}

/* {YOUR-HYPERPARAMETER: {real: [0, 1]}} */
static struct mk_node *unknown_space(void)
{
    struct mk_node *space = mk_node_new(MK_NODE_MAPPING, 1);
    struct mk_node *own = space ? mk_node_add(space, "YOUR-HYPERPARAMETER", mk_node_new(MK_NODE_MAPPING, 1)) : NULL;
    struct mk_node *range = own ? mk_node_add(own, "real", mk_node_new(MK_NODE_LIST, 1)) : NULL;
    if (range && mk_node_add(range, NULL, mk_node_text("0")) && mk_node_add(range, NULL, mk_node_text("1")))
        return space;
    mk_node_free(space);
    return NULL;
}

/* "  - {label: knn, space: {…}}". */
static bool write_arm(struct writing *w, size_t k)
{
    const char *label = w->e->problem->arm_label[k];
    const struct mk_node *known = arm_of_tune(w, label);
    struct mk_node *arm = mk_node_new(MK_NODE_MAPPING, 1);
    struct mk_node *name = arm ? mk_node_add(arm, "label", mk_node_text(label)) : NULL;
    if (name) name->quoted = 1;
    const bool good =
        name && (known ? copy_keys(arm, known, kept_arm_keys, sizeof kept_arm_keys / sizeof *kept_arm_keys)
                       : mk_node_add(arm, "space", w->space[k] ? mk_node_copy(w->space[k]) : unknown_space()) != NULL);
    const bool written = good && put_node(w->to, "  - ", arm);
    mk_node_free(arm);
    return written;
}

/* Losses that are all negative are the negatives of a metric that is large when it is good, as maxk tune and record
 * write them. */
static bool maximizes(const struct mk_problem *p)
{
    bool negative = true;
    for (size_t i = 0; i < p->n_instances && p->losses; i++)
        for (size_t s = 0; s < p->instance[i].n_arms * (size_t)p->replications; s++)
            for (size_t n = 0; n < p->instance[i].series[s].length; n++)
                negative &= p->instance[i].series[s].reward[n] > 0;
    return !p->losses || negative;
}

/* The program and its metric: those of the tune file of the trials, or what recorded runs say. */
static bool write_program(const struct writing *w)
{
    const struct mk_problem *p = w->e->problem;
    char clip[MK_CLIP_ROOM];
    if (w->tune) {
        struct mk_node *root = mk_node_new(MK_NODE_MAPPING, 0);
        bool good = root && copy_keys(root, w->tune->root, kept_keys, sizeof kept_keys / sizeof *kept_keys);
        fprintf(w->to, "# Program, metric and spaces are those of the trials in %s.\nname: recommended\n",
                mk_clip(p->file, clip));
        good = good && put_node(w->to, "", root);
        mk_node_free(root);
        return good;
    }
    const bool maximize = maximizes(p);
    fputs("# In capital letters: what recorded runs do not say.\n", w->to);
    for (size_t k = 0; k < p->n_arms; k++)
        if (w->space[k]) {
            fputs("# Spaces are inferred from the configurations: they are what was tried.\n", w->to);
            break;
        }
    if (*w->left_out)
        fprintf(w->to, "# Left out: %s (no other hyperparameter tells when it is there, or a space cannot have it).\n",
                w->left_out);
    fprintf(w->to,
            "# %s\nname: recommended\ncommand: [YOUR-PROGRAM, \"--arm={arm}\", \"{args}\"]\n"
            "metric: {last_number: true, maximize: %s}\n",
            !p->losses ? "The file has rewards: maximize: true."
            : maximize ? "The file has losses, all of them negative, as maxk writes a metric that is maximised."
                       : "The file has losses: maximize: false, unless they are the negatives of the metric.",
            maximize ? "true" : "false");
    return true;
}

/* The optimiser that a combined search "smac (-1)" is named after, or tpe. */
static void write_combined(FILE *to, const char *label)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(label, " "), label);
    const bool known = mk_optimizer_type_find(name) != NULL;
    fprintf(to, "combined: {optimizer: %s}%s%s\n", known ? name : "tpe", known ? "" : "  # in place of ",
            known ? "" : label);
}

static int write_choice(FILE *to, const struct mk_experiment *e, const struct mk_candidate *use, struct mk_error *err)
{
    char *policy = NULL;
    if (use->kind == MK_CANDIDATE_COMBINED) {
        write_combined(to, use->label);
        return MK_OK;
    }
    if (use->kind == MK_CANDIDATE_POLICY) {
        policy = mk_recommend_policy(&e->entry[use->at]);
        if (!policy) return mk_fail_memory(err, "the tune file");
    }
    fprintf(to, "policy: %s\n", policy ? policy : "{name: uniform}");
    free(policy);
    return MK_OK;
}

static int write_all(struct writing *w, uint64_t trials, const char *const *head, size_t n_head, struct mk_error *err)
{
    const struct mk_problem *p = w->e->problem;
    for (size_t i = 0; i < n_head; i++) fprintf(w->to, "# %s\n", head[i]);
    bool good = write_program(w);
    fputs("arms:\n", w->to);
    for (size_t k = 0; k < p->n_arms && good; k++)
        if (w->use->kind != MK_CANDIDATE_ARM || k == w->use->at) good = write_arm(w, k);
    if (!good) return mk_fail_memory(err, "the tune file");
    const int code = write_choice(w->to, w->e, w->use, err);
    fprintf(w->to, "budget: {evaluations: %" PRIu64 "}\n", trials);
    return code;
}

/* OUT.tune.yaml, where the recorded runs are OUT.csv and it has all of their arms. */
static int read_tune(struct writing *w, struct mk_error *err)
{
    const struct mk_problem *p = w->e->problem;
    const size_t n = strlen(p->file);
    char *path = NULL;
    if (n < 4 || strcmp(p->file + n - 4, ".csv") != 0) return MK_OK;
    if (asprintf(&path, "%.*s.tune.yaml", (int)(n - 4), p->file) < 0) return mk_fail_memory(err, "the tune file");
    int code = access(path, R_OK) ? MK_OK : mk_tree_read(&w->tune, path, err);
    free(path);
    for (size_t k = 0; w->tune && k < p->n_arms; k++)
        if (!arm_of_tune(w, p->arm_label[k])) {
            mk_tree_free(w->tune);
            w->tune = NULL;
        }
    return code;
}

int mk_recommend_write(const char *path, const struct mk_experiment *e, const struct mk_candidate *use, uint64_t trials,
                       const char *const *head, size_t n_head, struct mk_error *err)
{
    struct writing w = {.e = e, .use = use, .space = calloc(e->problem->n_arms, sizeof *w.space)};
    struct mk_atomic_file place;
    int code = w.space ? read_tune(&w, err) : mk_fail_memory(err, "the tune file");
    if (!code) code = mk_recorded_spaces(e, w.space, &w.left_out, err);
    if (!code) code = mk_atomic_file_open(&place, &w.to, path, err);
    if (!code) code = mk_atomic_file_close(&place, w.to, write_all(&w, trials, head, n_head, err), err);
    for (size_t k = 0; w.space && k < e->problem->n_arms; k++) mk_node_free(w.space[k]);
    mk_tree_free(w.tune);
    free(w.space);
    free(w.left_out);
    return code;
}
