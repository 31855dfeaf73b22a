/* A shared object with user-written policies, for `maxk run --plugin`. It is compiled against the installed headers
 *
 *     gcc -O2 -shared -fPIC -I"$(pkg-config --variable=plugindir maxk)" my_policy.c -o my_policy.so
 *
 * and defines its policies (policies/policy.h; without play and play_records) and, with MK_PLUGIN, their list:
 *
 *     static const struct mk_policy_type my_policy = {.name = "my_policy", …};
 *     MK_PLUGIN(&my_policy)
 *
 * It calls nothing of maxk but the inline functions of these headers. `maxk check-plugin my_policy.so` checks it. */
#ifndef MAXK_POLICIES_PLUGIN_H
#define MAXK_POLICIES_PLUGIN_H

#include "policies/policy.h"

/* Changes with struct mk_policy_type, struct mk_setup and struct mk_param. */
enum { MK_PLUGIN_ABI = 1 };

struct mk_plugin {
    uint32_t abi;                               /* MK_PLUGIN_ABI */
    uint32_t type_size, setup_size, param_size; /* of the three structs */
    const struct mk_policy_type *const *policy; /* NULL ends the list */
};

#define MK_PLUGIN(...)                                                                                                 \
    extern const struct mk_plugin mk_plugin;                                                                           \
    const struct mk_plugin mk_plugin = {MK_PLUGIN_ABI, sizeof(struct mk_policy_type), sizeof(struct mk_setup),         \
                                        sizeof(struct mk_param),                                                       \
                                        (const struct mk_policy_type *const[]){__VA_ARGS__, NULL}};

#endif
