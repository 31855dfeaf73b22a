#include <string.h>

#include "policies/policy.h"

#define POLICY(name) extern const struct mk_policy_type mk_policy_##name;
#include "policies/list.def"
#undef POLICY

static const struct mk_policy_type *const types[] = {
#define POLICY(name) &mk_policy_##name,
#include "policies/list.def"
#undef POLICY
};

size_t mk_policy_type_count(void)
{
    return sizeof types / sizeof *types;
}

const struct mk_policy_type *mk_policy_type_at(size_t i)
{
    return i < mk_policy_type_count() ? types[i] : NULL;
}

const struct mk_policy_type *mk_policy_type_find(const char *name)
{
    for (size_t i = 0; i < mk_policy_type_count(); i++)
        if (strcmp(types[i]->name, name) == 0) return types[i];
    return NULL;
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
