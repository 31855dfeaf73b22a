/* A policy of sim/api/maxk/policy.h as lines of text:
 *
 *     maxk policy 1
 *     {name: max_ucb, alpha: 0.5}
 *     arms 3
 *     horizon 0
 *     seed 7
 *     cost 1 2 1            (only where costs were given)
 *     rounds 2
 *     0 0.25                (arm and reward of every round)
 *     1 0.5 */
#ifndef MAXK_SIM_STUDY_POLICY_TEXT_H
#define MAXK_SIM_STUDY_POLICY_TEXT_H

#include "sim/api/maxk/policy.h"

struct mk_policy_round {
    size_t arm;
    double reward;
};

struct mk_policy_saved {
    const char *policy;
    size_t arms;
    struct mk_policy_options options;
    uint64_t n;
    struct mk_policy_round *round; /* [n] */
};

/* malloc'ed; NULL: out of memory. */
char *mk_policy_saved_write(const struct mk_policy_saved *s);

/* Checks the form, not whether there is such a policy. What the fields of *out point at is the caller's to free:
 * *policy, *cost, out->round. */
int mk_policy_saved_read(struct mk_policy_saved *out, const char *text, char **policy, double **cost,
                         struct mk_error *err);

#endif
