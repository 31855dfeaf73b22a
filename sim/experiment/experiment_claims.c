/* The claims of an experiment file. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"

#include "sim/experiment/experiment_read.h"

const char *const mk_claim_quantities[MK_USER_CLAIM_QUANTITIES] = {
    "T", "K", "alpha", "L", "min_gap", "b_max", "best_max", "U", "gap", "gap_endpoint", "certified_upper"};

enum { MOST_CLAIMS = 100 };

void mk_user_claims_free(struct mk_user_claim *claim, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(claim[i].name);
        free(claim[i].formula);
        free(claim[i].policy);
        mk_expression_free(claim[i].bound);
    }
    free(claim);
}

bool mk_user_claim_covers(const struct mk_user_claim *c, const char *label)
{
    return !c->policy || strcmp(c->policy, label) == 0;
}

static int read_formula(struct mk_loader *l, const struct mk_node *item, struct mk_user_claim *c)
{
    const struct mk_node *most = mk_node_get(item, "at_most"), *least = mk_node_get(item, "at_least");
    const struct mk_node *node = most ? most : least;
    struct mk_error wrong = {0, ""};
    if (!node || (most && least))
        return mk_fail_at(l->err, item->where, "claims", "expected a formula in exactly one of at_most and at_least");
    c->at_least = !most;
    int code = mk_read_text(node, most ? "at_most" : "at_least", &c->formula, l->err);
    if (code) return code;
    size_t known = c->of == MK_USER_CLAIM_PULLS ? MK_USER_CLAIM_QUANTITIES : MK_USER_CLAIM_U;
    code = mk_expression_new(&c->bound, c->formula, mk_claim_quantities, known, &wrong);
    if (code == MK_EINPUT) return mk_fail_at(l->err, node->where, node->key, "%s", wrong.text);
    return code ? mk_fail_memory(l->err, "claims") : MK_OK;
}

static int read_policy(struct mk_loader *l, const struct mk_node *item, struct mk_user_claim *c)
{
    const struct mk_node *node = mk_node_get(item, "policy");
    char clip[MK_CLIP_ROOM];
    if (!node) return MK_OK;
    int code = mk_read_text(node, "policy", &c->policy, l->err);
    if (code || l->e->n_entries == 0) return code;
    if (mk_experiment_find_policy(l->e, c->policy) < l->e->n_entries) return MK_OK;
    return mk_fail_at(l->err, node->where, "policy", "no policy of the experiment is labelled '%s'",
                      mk_clip(c->policy, clip));
}

static int read_claim(struct mk_loader *l, const struct mk_node *item, struct mk_user_claim *c)
{
    const struct mk_node *name = mk_node_get(item, "name");
    double chosen = 0;
    int code = mk_check_file_keys(item, MK_IN_CLAIM, l->err);
    if (!code && !name) code = mk_fail_at(l->err, item->where, "name", "missing; expected a text");
    if (!code) code = mk_read_text(name, "name", &c->name, l->err);
    const char *problem = code ? NULL : mk_label_problem(c->name, 0);
    if (problem) code = mk_fail_at(l->err, name->where, "name", "expected %s", problem);
    if (!code) code = mk_read_file_key(item, MK_IN_CLAIM, "of", &chosen, NULL, l->err);
    c->of = (enum mk_user_claim_of)chosen;
    if (!code) code = read_formula(l, item, c);
    return code ? code : read_policy(l, item, c);
}

static int resolve(struct mk_loader *l)
{
    struct mk_node *list = mk_node_add(l->resolved, "claims", mk_node_new(MK_NODE_LIST, 0));
    bool good = list != NULL;
    for (size_t i = 0; good && i < l->e->n_claims; i++) {
        const struct mk_user_claim *c = &l->e->claim[i];
        struct mk_node *to = mk_node_add(list, NULL, mk_node_new(MK_NODE_MAPPING, 1));
        good = to && mk_add_text(to, "name", c->name) &&
               mk_add_text(to, "of", c->of == MK_USER_CLAIM_PULLS ? "pulls" : "regret") &&
               mk_add_text(to, c->at_least ? "at_least" : "at_most", c->formula) &&
               (!c->policy || mk_add_text(to, "policy", c->policy));
    }
    return good ? MK_OK : mk_fail_memory(l->err, "claims");
}

int mk_read_claims(struct mk_loader *l, const struct mk_node *claims)
{
    struct mk_experiment *e = l->e;
    if (!claims) return MK_OK;
    int code = mk_check_list(claims, "claims", "claim", l->err);
    if (code) return code;
    if (claims->n > MOST_CLAIMS)
        return mk_fail_at(l->err, claims->where, "claims", "expected at most %d claims, got %zu", MOST_CLAIMS,
                          claims->n);
    e->claim = calloc(claims->n, sizeof *e->claim);
    if (!e->claim) return mk_fail_memory(l->err, "claims");
    e->n_claims = claims->n;
    for (size_t i = 0; !code && i < claims->n; i++) {
        code = read_claim(l, claims->child[i], &e->claim[i]);
        for (size_t j = 0; !code && j < i; j++)
            if (strcmp(e->claim[i].name, e->claim[j].name) == 0)
                code = mk_fail_at(l->err, claims->child[i]->where, "name", "duplicate name of a claim");
    }
    return code ? code : resolve(l);
}
