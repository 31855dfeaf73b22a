/* The claims of an experiment file. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"

#include "sim/run/experiment/experiment_read.h"

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

static int read_formula(struct mk_loader *l, const struct mk_node *item, struct mk_user_claim *c, struct mk_node *to)
{
    const struct mk_node *most = mk_node_get(item, "at_most"), *least = mk_node_get(item, "at_least");
    const struct mk_node *node = most ? most : least;
    struct mk_error wrong = {0, ""};
    if (!node || (most && least))
        return mk_fail_at(l->err, item->where, "claims", "expected a formula in exactly one of at_most and at_least");
    c->at_least = !most;
    int code = MK_READ_KEY(item, MK_IN_CLAIM, most ? "at_most" : "at_least", &c->formula, to, l->err);
    if (code) return code;
    size_t known = c->of == MK_USER_CLAIM_PULLS ? MK_USER_CLAIM_QUANTITIES : MK_USER_CLAIM_U;
    code = mk_expression_new(&c->bound, c->formula, mk_claim_quantities, known, &wrong);
    if (code == MK_EINPUT) return mk_fail_at(l->err, node->where, node->key, "%s", wrong.text);
    return code ? mk_fail_memory(l->err, "claims") : MK_OK;
}

static int read_policy(struct mk_loader *l, const struct mk_node *item, struct mk_user_claim *c, struct mk_node *to)
{
    char clip[MK_CLIP_ROOM];
    int code = MK_READ_KEY(item, MK_IN_CLAIM, "policy", &c->policy, to, l->err);
    if (code || !c->policy || l->e->n_entries == 0) return code;
    if (mk_experiment_find_policy(l->e, c->policy) < l->e->n_entries) return MK_OK;
    return mk_fail_at(l->err, mk_node_get(item, "policy")->where, "policy",
                      "no policy of the experiment is labelled '%s'", mk_clip(c->policy, clip));
}

static int read_claim(void *reading, const struct mk_node *item, size_t at, struct mk_node *to)
{
    struct mk_loader *l = reading;
    struct mk_user_claim *claim = l->e->claim, *c = &claim[at];
    int code = mk_check_file_keys(item, MK_IN_CLAIM, l->err);
    if (!code) code = MK_READ_KEY(item, MK_IN_CLAIM, "name", &c->name, to, l->err);
    if (!code) code = MK_READ_KEY(item, MK_IN_CLAIM, "of", &c->of, to, l->err);
    if (!code) code = read_formula(l, item, c, to);
    if (!code) code = read_policy(l, item, c, to);
    for (size_t i = 0; !code && i < at; i++)
        if (strcmp(c->name, claim[i].name) == 0)
            code = mk_fail_at(l->err, item->where, "name", "two claims have the name '%s'; expected distinct names",
                              c->name);
    return code;
}

int mk_read_claims(struct mk_loader *l, const struct mk_node *claims)
{
    struct mk_experiment *e = l->e;
    if (!claims) return MK_OK;
    if (claims->n > MOST_CLAIMS)
        return mk_fail_at(l->err, claims->where, "claims", "expected at most %d claims, got %zu", MOST_CLAIMS,
                          claims->n);
    e->claim = calloc(claims->n + 1, sizeof *e->claim);
    if (!e->claim) return mk_fail_memory(l->err, "claims");
    e->n_claims = claims->n;
    return mk_read_items(claims, "claim", false, read_claim, l, l->resolved, l->err);
}
