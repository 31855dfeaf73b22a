/* What recorded runs of other instances say before the first trial: configurations that the searches of the arms begin
 * with, and how far a policy believes in the first result of an arm.
 *
 * The portfolio of an arm (Wistuba, Schilling & Schmidt-Thieme 2015; Feurer, Eggensperger, Falkner, Lindauer & Hutter
 * 2022) is a greedy set: each configuration is the one with which the mean loss of the best of the set over the
 * recorded instances becomes smallest, and with none that makes it smaller the set ends. Losses are scaled in each
 * instance, over all its arms, to [0, 1]. Candidates are the best configuration of the arm in each instance, the first
 * of equal ones. The loss of one on an instance where it was not recorded is that of the nearest recorded ones
 * (mk_space_distance; several as near: their mean); the programs of the papers evaluate it instead.
 *
 * The prior of an arm is a number of results that a policy gets from it in addition, each equal to its first: it is
 * proportional to how far the arm's best recorded reward was behind that of the best arm, in shares of the distance
 * between the best and the worst arm of each instance, in the mean, above that of the arm with the smallest such mean.
 * So a policy gives an arm that used to be worse that many pulls less; whether it is best on this instance the rewards
 * decide. */
#ifndef MAXK_SIM_SEARCH_PRIOR_H
#define MAXK_SIM_SEARCH_PRIOR_H

#include <stdbool.h>

#include "sim/search/space/space.h"

/* A file of recorded runs: columns instance, arm, reward (or loss) and either configuration ({name: value, …}) or one
 * for every hyperparameter, empty where it is inactive (sim/search/recorded_runs.h). */
struct mk_prior;
int mk_prior_read(struct mk_prior **out, const char *path, struct mk_error *err);
void mk_prior_free(struct mk_prior *p);

/* Whether the file lacks what tells evaluations in part from whole ones (mk_recorded_runs.lacks_fidelity). */
bool mk_prior_lacks_fidelity(const struct mk_prior *p);
const char *mk_prior_path(const struct mk_prior *p);

/* Leaves this instance out. MK_EINPUT: there is no such instance. */
int mk_prior_leave_out(struct mk_prior *p, const char *instance, struct mk_error *err);

struct mk_prior_settings {
    size_t portfolio; /* most configurations of an arm */
    double weight;    /* additional results of an arm that was worst in every instance while another was always best */
};

/* The prior of an arm; v is owned. */
struct mk_prior_arm {
    size_t n;
    double *v;        /* [n][d] configurations in the arm's space */
    uint64_t repeats; /* additional results equal to the first */
};
void mk_prior_arms_free(struct mk_prior_arm *arm, size_t n);

/* Sum of their repeats: rounds of a policy in which nothing is pulled. */
uint64_t mk_prior_repeats(const struct mk_prior_arm *arm, size_t n);

/* Those of the arms with these labels and spaces in *out, without the rows of `instance` itself. Configurations that a
 * space does not have are left out; arms without rows begin as without a prior. MK_EINPUT: no arm has rows, or none of
 * an arm's configurations is in its space. */
int mk_prior_arms(const struct mk_prior *p, const struct mk_prior_settings *how, const char *instance,
                  const char *const *label, const struct mk_space *const *space, size_t n_arms,
                  struct mk_prior_arm **out, struct mk_error *err);

#endif
