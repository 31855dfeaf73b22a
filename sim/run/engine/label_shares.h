/* How often the label of an arm was the best one on other recorded instances, for `label_prior` of max_ucb.
 *
 * On an instance, a label's part is the share of repetitions in which its arm had the largest of all recorded rewards,
 * arms that tie sharing the repetition; c_i is the sum of the parts of label i over the N other instances. With K arms
 * the label has the share s_i = (c_i + 2 / K) / (N + 2), the mean of a Dirichlet distribution that counts 2 instances
 * beforehand, and K s_i is above 1 for labels that were the best one more often than one in K times. */
#ifndef MAXK_SIM_RUN_ENGINE_LABEL_SHARES_H
#define MAXK_SIM_RUN_ENGINE_LABEL_SHARES_H

#include "sim/api/maxk/error.h"
#include "sim/problem/problem.h"

/* *out <- [instance][arm of the problem] K s_i, of arms that the instance has; otherwise 0. The caller frees it. Reads
 * all recorded rewards once. */
int mk_label_shares_new(double **out, const struct mk_problem *p, struct mk_error *err);

#endif
