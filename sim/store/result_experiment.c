/* The experiment stored in a result file, read again. */
#include <stdbool.h>
#include <string.h>

#include "sim/base/error.h"
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

int mk_result_experiment(struct mk_result *r, const struct mk_overrides *plugins, struct mk_experiment **out,
                         struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    struct mk_experiment *e = NULL;
    *out = NULL;
    const struct mk_overrides none = {NULL, 0};
    const unsigned need = MK_NEED_PROBLEM | MK_NEED_RUN | MK_STORED;
    int code = mk_experiment_parse_with(&e, i->path, i->resolved, plugins ? plugins : &none, need, err);
    if (code) return code;
    const char *what = difference(e, i);
    if (what) {
        mk_experiment_free(e);
        return mk_fail(err, MK_EINPUT, "%s: the stored experiment does not match the %s of the results", i->path, what);
    }
    *out = e;
    return MK_OK;
}
