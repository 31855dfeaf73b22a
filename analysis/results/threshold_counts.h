/* How many of the rewards that a policy drew lie above a threshold: the events X > 1.0 of Hu, Qian & Yu 2019, Figure 1
 * (b).
 *
 * None of this is stored in results, nor needs to be: rewards are a function of (seed, instance, replication, arm, n)
 * alone, so the first N_i(T) rewards of every arm are drawn again from the stored pulls. */
#ifndef MAXK_ANALYSIS_RESULTS_THRESHOLD_COUNTS_H
#define MAXK_ANALYSIS_RESULTS_THRESHOLD_COUNTS_H

#include "sim/api/maxk/error.h"
#include "sim/base/statistics.h"
#include "sim/experiment/experiment.h"
#include "sim/store/result.h"

/* `count[horizon]` receives the moments over replications of the number of rewards > threshold among the first T. `e`:
 * mk_result_experiment of `r`. Errors: MK_EINPUT if the file has no pulls, the policy was played by the record engine
 * (which draws no rewards), or the rewards drawn again do not have the stored maximum. */
int mk_threshold_counts(struct mk_result *r, const struct mk_experiment *e, size_t policy, size_t instance,
                        double threshold, struct mk_count_moments *count, struct mk_error *err);

/* T times the largest P(X > threshold) of any arm: what the best single arm gives. NaN for trajectories. */
double mk_threshold_best(const struct mk_problem *p, double threshold, uint64_t horizon);

#endif
