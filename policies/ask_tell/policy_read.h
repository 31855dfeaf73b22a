/* One policy with its parameters, as in experiment files, from a line of text without libyaml. */
#ifndef MAXK_POLICIES_ASK_TELL_POLICY_READ_H
#define MAXK_POLICIES_ASK_TELL_POLICY_READ_H

#include "policies/policy.h"
#include "sim/base/yaml_tree.h"

/* The mapping must have only `name`, `label` and parameters of this type, and the required ones. MK_EINPUT. */
int mk_policy_check_keys(const struct mk_policy_type *type, const struct mk_node *mapping, struct mk_error *err);

/* "max_ucb" or "{name: max_ucb, alpha: 0.5}": its type, its parameters in par[MK_MAX_PARAMS], and all of them as text,
 * malloc'ed;
 * *candidates: its parameter of kind MK_PARTS, NULL without, also after an error the caller's to free. MK_EINPUT:
 * another form, no such policy or parameter, a value out of range, a sweep. */
int mk_policy_read(const char *text, const struct mk_policy_type **type, double *par, struct mk_candidates **candidates,
                   char **whole, struct mk_error *err);

#endif
