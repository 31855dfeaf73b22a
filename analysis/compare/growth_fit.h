/* How the pulls of suboptimal arms and the regret of one policy grow with T: what a result holds at every horizon, the
 * models of analysis/theory/growth.h fitted to it, which of them fits best, and what theory predicts. */
#ifndef MAXK_ANALYSIS_COMPARE_GROWTH_FIT_H
#define MAXK_ANALYSIS_COMPARE_GROWTH_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/theory/growth.h"
#include "sim/api/maxk/error.h"
#include "sim/run/experiment/experiment.h"
#include "sim/run/store/result.h"

/* Over replications; MK_GROWTH_RARE_MEAN: the weighted means of rare_events. */
enum mk_growth_statistic { MK_GROWTH_MEDIAN, MK_GROWTH_MEAN, MK_GROWTH_RARE_MEAN, MK_GROWTH_STATISTICS };

/* One policy on one instance. A column is an arm's pulls N_k(T) or, last, the regret R(T). */
struct mk_growth_data {
    const struct mk_result_info *info; /* borrowed */
    size_t policy, instance;
    size_t columns; /* n_arms + 1 */
    size_t samples; /* of the bootstrap; 0: none, where the result holds no single replications */
    /* [statistic][column][horizon]; the rare means are NULL where the result has none. Errors of medians are NaN
     * without a bootstrap. */
    double *value[MK_GROWTH_STATISTICS], *error[MK_GROWTH_STATISTICS];
    double *sample[MK_GROWTH_RARE_MEAN]; /* median and mean: [horizon][sample][column], or NULL */
};

/* Whether the result holds replications to resample, and `samples` are enough. */
bool mk_growth_can_resample(const struct mk_result_info *i, size_t samples);

/* Reads the policy's cells of all horizons, and resamples its replications `samples` times, if it can, from streams
 * keyed by `seed`. Errors: MK_ENOMEM and those of reading the result. */
int mk_growth_data_new(struct mk_growth_data **out, struct mk_result *r, size_t policy, size_t instance, uint64_t seed,
                       size_t samples, struct mk_error *err);
void mk_growth_data_free(struct mk_growth_data *g);

/* Values and errors of a column at all horizons. */
const double *mk_growth_values(const struct mk_growth_data *g, enum mk_growth_statistic s, size_t column);
const double *mk_growth_errors(const struct mk_growth_data *g, enum mk_growth_statistic s, size_t column);

/* Whether the intervals of this statistic are percentiles of the bootstrap. Otherwise they are from standard errors
 * alone, as if the horizons were independent. */
bool mk_growth_is_resampled(const struct mk_growth_data *g, enum mk_growth_statistic s);

/* A fitted model with 95 % intervals of its constants; NaN where there is no such constant. */
struct mk_growth_estimate {
    struct mk_growth_fit fit;
    double a_low, a_high, c_low, c_high;
};

struct mk_growth_estimates {
    struct mk_growth_estimate of[MK_GROWTH_MODELS];
    enum mk_growth_model best; /* the one with the least AICc */
};

/* Fits every model to the horizons from … to (0: no end) at which the column is not the best arm: nothing is claimed of
 * its pulls there. Errors: MK_ENOMEM. */
int mk_growth_estimate(const struct mk_growth_data *g, enum mk_growth_statistic s, size_t column, uint64_t from,
                       uint64_t to, struct mk_growth_estimates *out, struct mk_error *err);

/* By how much the AICc of the best model is below that of the next one, or, of another model, minus by how much it is
 * above the best. */
double mk_growth_margin(const struct mk_growth_estimates *e, enum mk_growth_model m);

/* What theory predicts of the pulls of an arm, which is not the best at the longest horizon: NaN for the regret and for
 * others than max_ucb without scaling on known arms. */
struct mk_growth_claim mk_growth_claim_of(const struct mk_result_info *i, const struct mk_problem *p, size_t policy,
                                          size_t column);

#endif
