#include "sim/base/registry.h"
#include "policies/policy.h"

#define POLICY(name) extern const struct mk_policy_type mk_policy_##name;
#include "policies/list.def"
#undef POLICY

static const struct mk_policy_type *const types[] = {
#define POLICY(name) &mk_policy_##name,
#include "policies/list.def"
#undef POLICY
};

MK_REGISTRY_BY_NAME(mk_policy_type, mk_policy_type, types, types[i])

const char *mk_policy_problem(const struct mk_policy_type *p, const double *par)
{
    const int lo = mk_param_find(p->params, "scale_lo"), hi = mk_param_find(p->params, "scale_hi");
    if (lo >= 0 && hi >= 0 && p->params[hi].kind == MK_REAL && par[hi] <= par[lo])
        return "scale_hi must be above scale_lo";
    return p->check ? p->check(par) : NULL;
}

static bool is_on(const struct mk_policy_type *p, const double *par, const char *name)
{
    const int at = mk_param_find(p->params, name);
    return at >= 0 && par[at] > 0;
}

bool mk_policy_per_cost(const struct mk_policy_type *p, const double *par)
{
    return is_on(p, par, "per_cost");
}

bool mk_policy_by_label(const struct mk_policy_type *p, const double *par)
{
    return is_on(p, par, "label_prior");
}

bool mk_policy_by_runs(const struct mk_policy_type *p, const double *par)
{
    return is_on(p, par, "recorded");
}

const char *mk_policy_needs_others(const struct mk_policy_type *p, const double *par)
{
    return mk_policy_by_label(p, par) ? "label_prior" : mk_policy_by_runs(p, par) ? "recorded" : NULL;
}

unsigned mk_policy_bonus_flags(const struct mk_policy_type *p, const double *par)
{
    if (mk_policy_per_cost(p, par) || mk_policy_by_label(p, par)) return 0;
    return p->flags & (MK_POLICY_THEOREM_4_2 | MK_POLICY_RISING_BONUS | MK_POLICY_FALLING_BONUS);
}

bool mk_policy_needs_horizon(const struct mk_policy_type *p, const double *par)
{
    return (p->flags & MK_POLICY_NEEDS_HORIZON) || (p->needs_horizon && p->needs_horizon(par));
}

const char *mk_policy_kind_name(enum mk_policy_kind kind)
{
    static const char *const names[] = {"extreme", "CASH", "classic"};
    return names[kind];
}

const char *mk_policy_randomness(const struct mk_policy_type *p)
{
    return p->flags & MK_POLICY_RANDOMISED    ? "randomised"
           : p->flags & MK_POLICY_RANDOM_TIES ? "ties=random"
                                              : "deterministic";
}
