/* Where the uncertainty of a comparison comes from, instances or repetitions, and how many of either it needs. */
#ifndef MAXK_ANALYSIS_COMPARE_COMPONENTS_H
#define MAXK_ANALYSIS_COMPARE_COMPONENTS_H

#include "analysis/compare/rank.h"

/* The difference d_ir = mu + b_i + e_ir of two policies on repetition r of instance i. */
struct mk_components {
    size_t instances;       /* those that count */
    double repetitions;     /* harmonic mean of the numbers of repetitions */
    double difference;      /* estimate of mu: mean over instances of the means over repetitions */
    double error;           /* its standard error; NaN for one instance */
    double between, within; /* standard deviations of b_i (0 where the estimate of its square is negative) and e_ir; NaN
                               with one instance, and without an instance of two repetitions */
};

/* Compares two compared policies at horizon number h: estimates by the analysis of variance with unweighted means. An
 * instance on which either policy has no value does not count. */
void mk_components_of(struct mk_components *out, const struct mk_scores *s, size_t h, size_t policy, size_t baseline);

/* How many instances a paired t-test at two-sided level alpha needs to find a difference of `effect` with probability
 * `power`, with `repetitions` on each; and how many repetitions on each of the present instances, INFINITY where no
 * number of them is enough. By the normal approximation with Guenther's (1981) correction z^2 / 2. */
double mk_components_instances(const struct mk_components *c, double effect, double alpha, double power,
                               double repetitions);
double mk_components_repetitions(const struct mk_components *c, double effect, double alpha, double power);

#endif
