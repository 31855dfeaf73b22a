#include "analysis/tables/recommend_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/optimizers/optimizer.h"
#include "sim/base/atomic_file.h"
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

/* "  - {label: knn, space: {…}}". */
static bool write_arm(FILE *to, const char *label)
{
    struct mk_node *arm = mk_node_new(MK_NODE_MAPPING, 1);
    struct mk_node *name = arm ? mk_node_add(arm, "label", mk_node_text(label)) : NULL;
    struct mk_node *space = name ? mk_node_add(arm, "space", mk_node_new(MK_NODE_MAPPING, 1)) : NULL;
    struct mk_node *own = space ? mk_node_add(space, "YOUR-HYPERPARAMETER", mk_node_new(MK_NODE_MAPPING, 1)) : NULL;
    struct mk_node *range = own ? mk_node_add(own, "real", mk_node_new(MK_NODE_LIST, 1)) : NULL;
    if (name) name->quoted = 1;
    const bool good =
        range && mk_node_add(range, NULL, mk_node_text("0")) && mk_node_add(range, NULL, mk_node_text("1"));
    char *text = good ? mk_node_emit(arm) : NULL;
    if (text) fprintf(to, "  - %s", text);
    mk_node_free(arm);
    free(text);
    return text != NULL;
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

static int write(FILE *to, const struct mk_experiment *e, const struct mk_candidate *use, uint64_t trials,
                 const char *const *head, size_t n_head, struct mk_error *err)
{
    const struct mk_problem *p = e->problem;
    bool good = true;
    for (size_t i = 0; i < n_head; i++) fprintf(to, "# %s\n", head[i]);
    fputs(
        "# In capital letters: what recorded runs do not say. The program, its metric (maximize: false if small values\n"
        "# are good), and for every arm its hyperparameters.\n"
        "name: recommended\n"
        "command: [YOUR-PROGRAM, \"--arm={arm}\", \"{args}\"]\n"
        "metric: {last_number: true, maximize: true}\n"
        "arms:\n",
        to);
    for (size_t k = 0; k < p->n_arms && good; k++)
        if (use->kind != MK_CANDIDATE_ARM || k == use->at) good = write_arm(to, p->arm_label[k]);
    if (!good) return mk_fail_memory(err, "the tune file");
    const int code = write_choice(to, e, use, err);
    fprintf(to, "budget: {evaluations: %" PRIu64 "}\n", trials);
    return code;
}

int mk_recommend_write(const char *path, const struct mk_experiment *e, const struct mk_candidate *use, uint64_t trials,
                       const char *const *head, size_t n_head, struct mk_error *err)
{
    struct mk_atomic_file place;
    FILE *to = NULL;
    int code = mk_atomic_file_open(&place, &to, path, err);
    if (code) return code;
    code = write(to, e, use, trials, head, n_head, err);
    return mk_atomic_file_close(&place, to, code, err);
}
