/* Swept parameters: those that differ among the policies of one name, as sweeps make them. */
#ifndef MAXK_SIM_RUN_STORE_SWEPT_H
#define MAXK_SIM_RUN_STORE_SWEPT_H

#include "sim/run/experiment/experiment.h"

struct mk_swept_parameter {
    char *name;
    double *value; /* [policy] NaN where the policy has no such parameter; NULL: not all values are numbers */
    char **word;   /* [policy] the value as text; NULL where the policy has no such parameter */
};

struct mk_swept {
    size_t n, n_policies;
    struct mk_swept_parameter *parameter; /* [n] in the order in which the policies name them */
};

/* The swept parameters of policies with these names and parameters, the latter YAML mappings; `path` is for messages.
 */
int mk_swept_read(struct mk_swept *out, const char *path, size_t n_policies, const char *const *name,
                  const char *const *parameters, struct mk_error *err);
int mk_swept_of(struct mk_swept *out, const struct mk_experiment *e, struct mk_error *err);
void mk_swept_clear(struct mk_swept *s);

#endif
