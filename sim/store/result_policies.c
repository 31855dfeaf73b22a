/* The policies that a result names: their parameters and flags, and a choice among them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/experiment/combined_search.h"
#include "sim/store/result.h"

double mk_result_parameter(const struct mk_result_info *i, size_t policy, const char *name)
{
    const struct mk_policy_type *type = i->policy_type[policy];
    int at = type ? mk_param_find(type->params, name) : -1;
    return at < 0 ? NAN : i->policy_value[policy][at];
}

bool mk_result_policy_has(const struct mk_result_info *i, size_t policy, unsigned flag)
{
    if (flag == MK_POLICY_THEOREM_4_2 && mk_result_parameter(i, policy, "power") > 1) return false;
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
