/* A shared object with user-written policies or reward families, for `maxk run --plugin`. It is compiled against the
 * installed headers
 *
 *     gcc -O2 -shared -fPIC -I"$(pkg-config --variable=plugindir maxk)" my_policy.c -o my_policy.so
 *
 * and defines its policies (policies/policy.h; without play and play_records) and, with MK_PLUGIN, their list:
 *
 *     static const struct mk_policy_type my_policy = {.name = "my_policy", …};
 *     MK_PLUGIN(&my_policy)
 *
 * or its families (distributions/dist.h; numbers as parameters, the flag MK_DIST_ATOMS at most):
 *
 *     static const struct mk_dist_type my_family = {.name = "my_family", …};
 *     MK_PLUGIN_FAMILIES(&my_family)
 *
 * It calls nothing of maxk but the inline functions of these headers. Its exp, log and pow are those of the system,
 * whose last bits may depend on the processor. `maxk check_plugin my_policy.so` checks it. */
#ifndef MAXK_POLICIES_PLUGIN_H
#define MAXK_POLICIES_PLUGIN_H

#include "distributions/dist.h"
#include "policies/policy.h"

/* Changes with the structs whose sizes it holds. */
enum { MK_PLUGIN_ABI = 5 };

struct mk_plugin {
    uint32_t abi;                               /* MK_PLUGIN_ABI */
    uint32_t type_size, setup_size, param_size; /* of mk_policy_type, mk_setup, mk_param */
    uint32_t family_size, dist_size;            /* of mk_dist_type, mk_dist */
    const struct mk_policy_type *const *policy; /* NULL ends the list */
    const struct mk_dist_type *const *family;   /* the same */
};

/* policies and families: pointers to such lists. */
#define MK_PLUGIN_LISTS(policies, families)                                                                            \
    extern const struct mk_plugin mk_plugin;                                                                           \
    const struct mk_plugin mk_plugin = {MK_PLUGIN_ABI,                                                                 \
                                        sizeof(struct mk_policy_type),                                                 \
                                        sizeof(struct mk_setup),                                                       \
                                        sizeof(struct mk_param),                                                       \
                                        sizeof(struct mk_dist_type),                                                   \
                                        sizeof(struct mk_dist),                                                        \
                                        policies,                                                                      \
                                        families};
#define MK_PLUGIN(...)                                                                                                 \
    static const struct mk_policy_type *const mk_plugin_policies[] = {__VA_ARGS__, NULL};                              \
    static const struct mk_dist_type *const mk_plugin_families[] = {NULL};                                             \
    MK_PLUGIN_LISTS(mk_plugin_policies, mk_plugin_families)
#define MK_PLUGIN_FAMILIES(...)                                                                                        \
    static const struct mk_policy_type *const mk_plugin_policies[] = {NULL};                                           \
    static const struct mk_dist_type *const mk_plugin_families[] = {__VA_ARGS__, NULL};                                \
    MK_PLUGIN_LISTS(mk_plugin_policies, mk_plugin_families)

#endif
