/* What is known of an open result: its policies with their parameters and flags, a choice among them, and its
 * experiment, read again. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/problem/problem.h"
#include "sim/problem/trajectory.h"
#include "sim/run/experiment/combined_search.h"
#include "sim/run/store/result.h"

double mk_result_parameter(const struct mk_result_info *i, size_t policy, const char *name)
{
    const struct mk_policy_type *type = i->policy_type[policy];
    int at = type ? mk_param_find(type->params, name) : -1;
    return at < 0 ? NAN : i->policy_value[policy][at];
}

double mk_result_amount(const struct mk_result_info *i, size_t horizon)
{
    return mk_horizon_amount(i->cost_parts, i->horizon[horizon]);
}

double mk_cell_rounds(const struct mk_result_info *i, size_t horizon, const struct mk_cell *c)
{
    double sum = 0;
    if (!i->by_cost) return (double)i->horizon[horizon];
    for (size_t k = 0; k < i->n_arms; k++) sum += isnan(c->mean_pulls[k]) ? 0 : c->mean_pulls[k];
    return sum;
}

bool mk_result_policy_has(const struct mk_result_info *i, size_t policy, unsigned flag)
{
    const unsigned of_bonus = MK_POLICY_THEOREM_4_2 | MK_POLICY_RISING_BONUS | MK_POLICY_FALLING_BONUS;
    if (flag == MK_POLICY_THEOREM_4_2 && mk_result_parameter(i, policy, "power") > 1) return false;
    if ((flag & of_bonus) &&
        (mk_result_parameter(i, policy, "per_cost") > 0 || mk_result_parameter(i, policy, "label_prior") > 0))
        return false;
    return mk_policy_has(i->policy_name[policy], flag);
}

int mk_result_find_policy(const struct mk_result_info *i, const char *option, const char *label, size_t *at,
                          struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    for (*at = 0; *at < i->n_policies; ++*at)
        if (strcmp(i->policy[*at], label) == 0) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s%s%s: no policy '%s' (maxk info lists them)", option ? option : "",
                   option ? ": " : "", i->path, mk_clip(label, clip));
}

static int mark(const struct mk_result_info *i, const char *command, const char *option, const char *const *label,
                size_t n, char value, char *keep, struct mk_error *err)
{
    char name[64];
    snprintf(name, sizeof name, "maxk %s: --%s", command, option);
    for (size_t k = 0; k < n; k++) {
        size_t p;
        int code = mk_result_find_policy(i, name, label[k], &p, err);
        if (code) return code;
        keep[p] = value;
    }
    return MK_OK;
}

int mk_policy_selection_apply(const struct mk_policy_selection *s, const struct mk_result_info *i, char *keep,
                              struct mk_error *err)
{
    size_t among = 0, left = 0;
    char clip[MK_CLIP_ROOM];
    memset(keep, !s->n_policies, i->n_policies);
    int code = mark(i, s->command, "policy", s->policy, s->n_policies, 1, keep, err);
    for (size_t p = 0; p < i->n_policies && !code && s->among; p++) {
        const bool meant = strcmp(i->policy_name[p], s->among) == 0;
        among += meant;
        keep[p] = (char)(keep[p] && meant);
    }
    if (!code && s->among && !among)
        code = mk_fail(err, MK_EINPUT, "maxk %s: --among: %s: no policy named '%s' (maxk info lists the names)",
                       s->command, i->path, mk_clip(s->among, clip));
    if (!code) code = mark(i, s->command, "without", s->without, s->n_without, 0, keep, err);
    for (size_t p = 0; p < i->n_policies; p++) left += keep[p] != 0;
    if (!code && !left) code = mk_fail(err, MK_EINPUT, "maxk %s: %s: no policy is left", s->command, i->path);
    return code;
}

int mk_result_check_choosing(const struct mk_result_info *i, struct mk_error *err)
{
    for (size_t p = 0; p < i->n_policies; p++)
        if (!mk_result_policy_has(i, p, MK_POLICY_COMBINED)) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s: only combined searches; expected a result with a policy that chooses arms",
                   i->path);
}

/* ---- the experiment ---- */

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
    if (fmax(p->cost_parts, 1) != fmax(i->cost_parts, 1) || e->n_horizons != i->n_horizons ||
        memcmp(e->horizon, i->horizon, i->n_horizons * sizeof *e->horizon) != 0)
        return "horizons";
    for (size_t n = 0; n < i->n_instances; n++)
        if (mk_problem_replications(p, n, e->replications) != i->own_replications[n]) return "replications";
    return e->replications != i->replications ? "replications" : NULL;
}

int mk_result_digest_text(const struct mk_problem *p, char text[MK_DIGEST_ROOM])
{
    uint64_t digest = 0;
    *text = '\0';
    if (!p->source->recorded || !p->source->fingerprint) return MK_OK;
    const int code = p->source->fingerprint(p, &digest);
    if (!code) snprintf(text, MK_DIGEST_ROOM, "%016" PRIx64, digest);
    return code;
}

/* Copies the value of MK_RECORDED_KEY. */
static void keep_digest(void *context, const char *key, const char *value)
{
    if (strcmp(key, MK_RECORDED_KEY) == 0) snprintf(context, MK_DIGEST_ROOM, "%s", value);
}

static int check_recorded(struct mk_result *r, const struct mk_problem *p, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    char then[MK_DIGEST_ROOM] = "", now[MK_DIGEST_ROOM];
    int code = mk_result_provenance(r, keep_digest, then, err);
    if (code || !*then) return code;
    if (mk_result_digest_text(p, now)) return mk_fail_memory(err, "recorded runs");
    if (strcmp(then, now) == 0) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s: the recorded runs have changed since %s was written; run the experiment again",
                   p->file ? p->file : "recorded runs", i->path);
}

int mk_result_parse(struct mk_result *r, const struct mk_overrides *overrides, unsigned need,
                    struct mk_experiment **out, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    struct mk_experiment *e = NULL;
    int code = mk_experiment_parse_with(&e, i->path, i->resolved, overrides, need | MK_STORED, err);
    const bool other = need & MK_WHOLE && strstr(i->resolved, "loss: " MK_LOSS_SHOWN);
    if (!code && e->problem && !other) code = check_recorded(r, e->problem, err);
    if (code) mk_experiment_free(e);
    *out = code ? NULL : e;
    return code;
}

int mk_result_experiment(struct mk_result *r, const struct mk_overrides *plugins, struct mk_experiment **out,
                         struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    struct mk_experiment *e = NULL;
    *out = NULL;
    const struct mk_overrides none = {NULL, 0};
    int code = mk_result_parse(r, plugins ? plugins : &none, MK_NEED_PROBLEM | MK_NEED_RUN, &e, err);
    if (code) return code;
    const char *what = difference(e, i);
    if (what) {
        mk_experiment_free(e);
        return mk_fail(err, MK_EINPUT, "%s: the stored experiment does not match the %s of the results", i->path, what);
    }
    *out = e;
    return MK_OK;
}
