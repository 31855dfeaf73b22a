/* Time to target: how long policies take until their largest reward reaches given values, as benchmarks of optimisers
 * report it (Hansen et al. 2021, "COCO"), and speed-ups as in Li et al. 2020, Table 3. Time is counted in pulls or in
 * their cost, and read at the horizons of the result: it is that of the first horizon at which the value is reached. */
#ifndef MAXK_ANALYSIS_COMPARE_TARGETS_H
#define MAXK_ANALYSIS_COMPARE_TARGETS_H

#include "analysis/compare/rank.h"

struct mk_targets {
    const struct mk_scores *scores; /* at all horizons of the file */
    size_t n_levels;
    size_t *instance, n_instances; /* those that count: on others some compared policy has no value */
    double *time;                  /* [instance][policy][horizon][replication] pulls or costs */
    double *value;                 /* [instance][level] the targets, ascending in the level */
    double *ert; /* [instance][level][policy] expected running time; INFINITY: no replication reached the target */
    double
        *reached; /* [instance][level][policy] share of the replications that reached the target by the last horizon */
};

/* n_levels targets for each instance: level l = 1 … n of them is low + (high - low) l / n, where low is the smallest
 * mean of a policy at the first horizon and high the largest mean of a policy at the last one. With a finite `target`
 * there is one level, this value. With `costs` time is the cost of the pulls, otherwise their number. *s are the scores
 * of `r` at all its horizons and outlives *out. The expected running time is (sum of the times of all replications,
 * those that did not reach the target with that of the last horizon) / (number of those that did). Errors: MK_ENOMEM,
 * MK_EIO, those of mk_scores_check_costs. */
int mk_targets_new(struct mk_targets **out, const struct mk_scores *s, struct mk_result *r, size_t n_levels,
                   double target, const struct mk_costs_of *costs, struct mk_error *err);
void mk_targets_free(struct mk_targets *t);

static inline size_t mk_target_at(const struct mk_targets *t, size_t instance, size_t level, size_t policy)
{
    return (instance * t->n_levels + level) * t->scores->n_policies + policy;
}

/* Share of the pairs of replication and level whose target is reached in `time` or less. */
double mk_targets_reached(const struct mk_targets *t, size_t instance, size_t policy, double time);

/* Time averaged over the replications, at a horizon. */
double mk_targets_time(const struct mk_targets *t, size_t instance, size_t policy, size_t horizon);

/* Li et al. 2020, Table 3: the smaller one of the two means at the last horizon, and the mean times of the first
 * horizons at which the mean of each policy reaches it. */
struct mk_speed_up {
    double value, time, baseline_time;
};
void mk_targets_speed_up(struct mk_speed_up *out, const struct mk_targets *t, size_t instance, size_t policy,
                         size_t baseline);

#endif
