/* Recorded rewards described as in Section 3 and Appendices C.1, C.3, E.3 of Balef et al. 2025: rewards scaled to [0,
 * 1] per instance and repetition, arms ranked by their best, skewness, drift, and survival functions averaged over
 * instances. For trajectory problems only. */
#ifndef MAXK_ANALYSIS_COMPARE_ARMS_SURVEY_H
#define MAXK_ANALYSIS_COMPARE_ARMS_SURVEY_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/compare/arms/stationarity.h"
#include "analysis/theory/lu.h"
#include "sim/api/maxk/error.h"
#include "sim/problem/problem.h"

enum {
    MK_SURVEY_BLOCK = 10,  /* pulls per block mean of the drift (Appendix E.3) */
    MK_SURVEY_SEGMENTS = 5 /* parts of the reward sequence (Figures 2 and C.1) */
};

/* Arms whose standard deviation is below this count as near-constant (Appendix C.3 excludes them). */
#define MK_NEAR_CONSTANT 0.001

/* Maps the rewards of every (instance, repetition) linearly so that the smallest reward over all its arms becomes 0 and
 * the largest 1, in place, combined-search baselines by the same map. If all rewards of a repetition are equal they
 * become 1. Returns the number of such flat repetitions. */
size_t mk_problem_normalise(struct mk_problem *p);

/* One arm of one instance, over all its recorded rewards. */
struct mk_survey_arm {
    size_t arm;       /* position in arm_label */
    size_t position;  /* among the instance's arms */
    size_t n;         /* rewards over all repetitions, >= 1 */
    double best;      /* largest reward */
    double mean_best; /* average over the repetitions of the largest reward of each */
    double gap;       /* mean_best of rank 0 minus this one's (Definition 3.1, T = the recorded length) */
    double mean, sd;  /* divisor n */
    double skewness;  /* third central moment / sd^3, divisor n; NaN for a constant arm */
    double shift; /* largest change of the mean between adjacent blocks of MK_SURVEY_BLOCK pulls; the mean is over all
                     repetitions, a last incomplete block is ignored; NaN with fewer than two blocks */
    double shift_noise; /* standard error of one such change for an arm without drift, sd sqrt(2 / rewards per block) */
    size_t ties;        /* number of rewards equal to the largest, >= 1 */
    double trend;   /* Spearman's rank correlation of rewards with their pull, the mean over the repetitions weighted
                       by pulls - 1; NaN where every repetition is constant or of one pull */
    double p_trend; /* two-sided test that it is 0: each has the variance 1 / (pulls - 1) if all orders of a
                       repetition's rewards are equally likely; normal approximation of their sum */
    struct mk_stationarity stationarity;
};

struct mk_survey {
    const struct mk_problem *p;
    size_t n_ranks;            /* largest number of arms of any instance */
    struct mk_survey_arm *arm; /* [n_instances][n_ranks]: the arms by rank, 0 = best; n = 0 past the last */
};

/* Ranks: descending mean_best, then best, then position. Errors: MK_EINPUT (not recorded rewards; an arm without a
 * reward), MK_ENOMEM. */
int mk_survey_new(struct mk_survey **out, const struct mk_problem *p, struct mk_error *err);
void mk_survey_free(struct mk_survey *s);

/* The arm of this rank, NULL when the instance has fewer arms. */
const struct mk_survey_arm *mk_survey_at(const struct mk_survey *s, size_t instance, size_t rank);

/* The survival function averaged over the instances that have an arm of this rank, each with the same weight: a step
 * function with tail[i] = share of the average at or above value[i], ascending. */
struct mk_average {
    size_t n;
    double *value, *tail; /* [n] */
};

/* For one time segment 0 … MK_SURVEY_SEGMENTS-1, or the whole sequence (segment = -1). Segment s of a series of n pulls
 * is [s n / SEGMENTS, (s + 1) n / SEGMENTS). Series without a pull in the segment do not count; n = 0 if there are none
 * at all. Errors: MK_ENOMEM. */
int mk_survey_average(const struct mk_survey *s, size_t rank, int segment, struct mk_average *out,
                      struct mk_error *err);
void mk_average_clear(struct mk_average *a);

/* Share of the average >= x. */
double mk_average_at(const struct mk_average *a, double x);

/* Its trimmed range: eps from upper - Q(0.99) to upper - Q(0.01). n >= 1. */
struct mk_eps_range mk_average_range(const struct mk_average *a, double upper);

/* L and U of the average with upper end point `upper` over its trimmed range (Figure 3). n >= 1. */
void mk_average_lu(const struct mk_average *a, double upper, struct mk_lu *out);

/* The arms of one rank over the instances that have it. */
struct mk_survey_rank {
    size_t instances, left_skewed, near_constant;
    double gap, skewness, shift; /* medians of the finite ones; NaN without any */
    struct mk_lu lu;             /* of the averaged survival function, b its largest value */
};

/* rank < n_ranks. Errors: MK_ENOMEM. */
int mk_survey_rank_new(const struct mk_survey *s, size_t rank, struct mk_survey_rank *out, struct mk_error *err);

#endif
