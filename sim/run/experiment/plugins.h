/* Policies and reward families from shared objects: the key `plugins` of experiment files.
 *
 * Loading a shared object runs its code. That happens only for experiments that the user runs (MK_LOAD_PLUGINS) and
 * for plugins that the user names; the policies of other plugins of a file have a stand-in that has a name and cannot
 * be played, and their families cannot be evaluated. */
#ifndef MAXK_SIM_RUN_EXPERIMENT_PLUGINS_H
#define MAXK_SIM_RUN_EXPERIMENT_PLUGINS_H

#include "policies/policy.h"
#include "sim/api/maxk/error.h"
#include "sim/base/where.h"
#include "sim/base/yaml_tree.h"

struct mk_plugins;

/* Loads a shared object and checks the form of its policies and families; it becomes the last of *plugins (NULL: the
 * first one). */
int mk_plugins_load(struct mk_plugins **plugins, const char *path, struct mk_where where, struct mk_error *err);

/* The k-th policy of all; NULL past the end. */
const struct mk_policy_type *mk_plugins_at(const struct mk_plugins *plugins, size_t k);
const struct mk_policy_type *mk_plugins_find(const struct mk_plugins *plugins, const char *name);

/* The same for families. */
const struct mk_dist_type *mk_plugins_family_at(const struct mk_plugins *plugins, size_t k);
const struct mk_dist_type *mk_plugins_find_family(const struct mk_plugins *plugins, const char *name);

/* A stand-in for the policy of this name, with parameters that allow what the entry says (resolved, without sweeps). It
 * lives as long as *plugins. NULL: out of memory. */
const struct mk_policy_type *mk_plugins_stand_in(struct mk_plugins **plugins, const char *name,
                                                 const struct mk_node *entry);

void mk_plugins_free(struct mk_plugins *plugins);

#endif
