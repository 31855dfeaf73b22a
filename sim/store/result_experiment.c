/* The experiment stored in a result file, read again. */
#include <stdbool.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/yaml_tree.h"
#include "sim/store/result.h"

static bool same_texts(char *const *a, char *const *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(a[i], b[i]) != 0) return false;
    return true;
}

/* The difference between the experiment and the file, or NULL. */
static const char *difference(const struct mk_experiment *e, const struct mk_result_info *i)
{
    const struct mk_problem *p = e->problem;
    if (p->n_arms != i->n_arms || !same_texts(p->arm_label, i->arm_label, i->n_arms)) return "arms";
    if (p->n_instances != i->n_instances) return "instances";
    for (size_t n = 0; n < i->n_instances; n++)
        if (strcmp(p->instance[n].name, i->instance[n]) != 0) return "instances";
    if (e->n_entries != i->n_policies + i->n_left_out) return "policies";
    for (size_t n = 0, at = 0; n < i->n_policies; n++, at++) {
        while (i->n_left_out && at < e->n_entries && strcmp(e->entry[at].label, i->policy[n]) != 0) at++;
        if (at == e->n_entries || strcmp(e->entry[at].label, i->policy[n]) != 0) return "policies";
    }
    if (e->n_horizons != i->n_horizons || memcmp(e->horizon, i->horizon, i->n_horizons * sizeof *e->horizon) != 0)
        return "horizons";
    for (size_t n = 0; n < i->n_instances; n++)
        if (mk_problem_replications(p, n, e->replications) != i->own_replications[n]) return "replications";
    return e->replications != i->replications ? "replications" : NULL;
}

/* ---- plugins ---- */

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

int mk_result_check_plugins(const char *path, const char *stored, const struct mk_experiment *e, struct mk_error *err)
{
    struct mk_tree *old = NULL, *new = NULL;
    int code = mk_tree_parse(&old, path, stored, strlen(stored), err);
    if (!code) code = mk_tree_parse(&new, path, e->resolved, strlen(e->resolved), err);
    const struct mk_node *was = code ? NULL : mk_node_get(old->root, "plugins");
    const struct mk_node *given = code ? NULL : mk_node_get(new->root, "plugins");
    for (size_t i = 0; given && i < given->n && !code; i++) {
        const char *digest = text_of(given->child[i], "digest");
        const char *wanted = was && was->n == 1 ? text_of(was->child[0], "digest") : NULL;
        if (has_digest(was, digest)) continue;
        code = mk_fail(
            err, MK_EINPUT, "%s: --plugin: %s (digest %s) is not %s%s; run the experiment again with this one", path,
            text_of(given->child[i], "file"), digest,
            wanted ? "the plugin that made this result, whose digest is " : "among the plugins that made this result",
            wanted ? wanted : "");
    }
    mk_tree_free(old);
    mk_tree_free(new);
    return code;
}

int mk_result_experiment(struct mk_result *r, const struct mk_overrides *plugins, struct mk_experiment **out,
                         struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    struct mk_experiment *e = NULL;
    *out = NULL;
    const struct mk_overrides none = {NULL, 0};
    const unsigned need = MK_NEED_PROBLEM | MK_NEED_RUN | (plugins && plugins->n ? MK_LOAD_PLUGINS : 0);
    int code = mk_experiment_parse_with(&e, i->path, i->resolved, plugins ? plugins : &none, need, err);
    if (!code && plugins && plugins->n) code = mk_result_check_plugins(i->path, i->resolved, e, err);
    if (code) {
        mk_experiment_free(e);
        return code;
    }
    const char *what = difference(e, i);
    if (what) {
        mk_experiment_free(e);
        return mk_fail(err, MK_EINPUT, "%s: the stored experiment does not match the %s of the results", i->path, what);
    }
    *out = e;
    return MK_OK;
}
