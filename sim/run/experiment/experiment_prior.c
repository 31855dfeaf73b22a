/* The key `prior` of experiment files and of tune files. */
#include <stdlib.h>

#include "sim/base/error.h"
#include "sim/run/experiment/experiment_read.h"

static int read_without(struct mk_loader *l, const struct mk_node *list, struct mk_prior *p)
{
    char *name = NULL;
    int code = mk_check_list(list, "without", "instance", l->err);
    for (size_t i = 0; !code && i < list->n; i++) {
        code = mk_read_text(list->child[i], "without", &name, l->err);
        if (!code) code = mk_fail_there(l->err, list->child[i]->where, "without", mk_prior_leave_out(p, name, l->err));
        free(name);
        name = NULL;
    }
    return code;
}

int mk_read_prior(struct mk_loader *l, const struct mk_node *from, struct mk_prior **out, struct mk_prior_settings *how)
{
    const struct mk_node *at = mk_node_get(from, "prior"), *file = at;
    const struct mk_node *without = mk_node_get(at, "without");
    char *path = NULL;
    *out = NULL;
    if (!at) return MK_OK;
    int code = at->kind == MK_NODE_MAPPING ? mk_check_file_keys(at, MK_IN_PRIOR, l->err) : MK_OK;
    if (!code && at->kind == MK_NODE_MAPPING) code = mk_need_file_key(at, MK_IN_PRIOR, "file", &file, l->err);
    if (!code) code = MK_READ_KEY(at, MK_IN_PRIOR, "portfolio", &how->portfolio, NULL, l->err);
    if (!code) code = MK_READ_KEY(at, MK_IN_PRIOR, "weight", &how->weight, NULL, l->err);
    if (!code) code = mk_find_file(l->directory, file, file == at ? "prior" : "file", &path, l->err);
    if (!code)
        code = mk_fail_there(l->err, file->where, file == at ? "prior" : "file", mk_prior_read(out, path, l->err));
    if (!code && without) code = read_without(l, without, *out);
    free(path);
    return code;
}

struct mk_node *mk_add_prior(struct mk_node *to, const struct mk_node *from, const char *file,
                             const struct mk_prior_settings *how)
{
    const struct mk_node *without = mk_node_get(mk_node_get(from, "prior"), "without");
    struct mk_node *prior = mk_node_add(to, "prior", mk_node_new(MK_NODE_MAPPING, 1));
    return prior && mk_add_text(prior, "file", file) && mk_add_real(prior, "portfolio", (double)how->portfolio) &&
                   mk_add_real(prior, "weight", how->weight) &&
                   (!without || mk_node_add(prior, "without", mk_node_copy(without)))
               ? prior
               : NULL;
}

int mk_check_prior_optimizer(struct mk_loader *l, const struct mk_node *from, const struct mk_optimizer_type *optimizer,
                             const char *label)
{
    if (!(optimizer->flags & MK_OPTIMIZER_FIDELITY)) return MK_OK;
    return mk_fail_at(l->err, mk_node_get(from, "prior")->where, "prior",
                      "expected optimisers without a schedule, got %s for arm %s", optimizer->name, label);
}

int mk_read_prior_arms(struct mk_loader *l, const struct mk_node *from, const struct mk_prior *p,
                       const struct mk_prior_settings *how, const char *instance, const char *const *label,
                       const struct mk_space *const *space, size_t n_arms, struct mk_prior_arm **out)
{
    return mk_fail_there(l->err, mk_node_get(from, "prior")->where, "prior",
                         mk_prior_arms(p, how, instance, label, space, n_arms, out, l->err));
}
