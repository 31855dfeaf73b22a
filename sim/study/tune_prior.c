#include "sim/study/tune_prior.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/base/digest.h"
#include "sim/base/error.h"

static int no_memory(struct mk_loader *l)
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

static int make_arms(struct mk_tune *t, struct mk_loader *l, const struct mk_node *root, const struct mk_prior *p,
                     const struct mk_prior_settings *how)
{
    const struct mk_space **space = malloc(t->n_arms * sizeof *space);
    const char **label = malloc(t->n_arms * sizeof *label);
    const struct mk_optimizer_type **optimizer = malloc(t->n_arms * sizeof *optimizer);
    int code = space && label && optimizer ? MK_OK : no_memory(l);
    for (size_t k = 0; k < t->n_arms && !code; k++) {
        space[k] = t->arm[k].space;
        label[k] = t->arm[k].label;
        optimizer[k] = t->arm[k].optimizer.type;
    }
    if (!code) code = mk_read_prior_arms(l, root, p, how, t->instance, label, space, optimizer, t->n_arms, &t->prior);
    free(space);
    free(label);
    free(optimizer);
    return code;
}

int mk_tune_read_prior(struct mk_tune *t, struct mk_loader *l, const struct mk_node *root, struct mk_node *to)
{
    const struct mk_node *at = mk_node_get(root, "prior"), *file = mk_node_get(at, "file");
    struct mk_prior_settings how;
    struct mk_prior *p = NULL;
    if (!at) return MK_OK;
    if (!t->policy) return mk_fail_at(l->err, at->where, "prior", "expected a policy, got a combined search");
    int code = mk_read_prior(l, root, &p, &how);
    if (!code) code = make_arms(t, l, root, p, &how);
    mk_prior_free(p);
    if (code) return code;
    struct mk_node *resolved = mk_add_prior(to, root, file ? file->text : at->text, &how);
    return resolved && add_digest(t, resolved) ? MK_OK : no_memory(l);
}
