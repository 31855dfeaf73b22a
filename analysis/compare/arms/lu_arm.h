/* L and U of the arms of a problem by any estimator, as printed by `maxk lu` and used by `maxk bounds`. */
#ifndef MAXK_ANALYSIS_COMPARE_ARMS_LU_ARM_H
#define MAXK_ANALYSIS_COMPARE_ARMS_LU_ARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/compare/arms/pooled_rewards.h"
#include "analysis/theory/lu.h"
#include "sim/problem/problem.h"

enum mk_lu_estimator { MK_LU_EXACT, MK_LU_TRIMMED, MK_LU_PLUGIN, MK_LU_PAPER_C3, MK_LU_ESTIMATORS };
enum mk_lu_upper { MK_UPPER_OWN, MK_UPPER_GLOBAL };
enum mk_lu_interval_kind { MK_INTERVAL_BAND, MK_INTERVAL_BOOTSTRAP };

/* MK_LU_CHOICES: the names as one list of words for option tables. */
#define MK_LU_CHOICES "exact|trimmed|plugin|paper_c3"
const char *mk_lu_estimator_name(enum mk_lu_estimator e);

struct mk_lu_options {
    enum mk_lu_upper upper;
    enum mk_lu_interval_kind interval;
    double confidence; /* 0 < confidence < 1 */
    size_t samples;    /* draws per arm of a synthetic problem: for plugin, and in every run of paper_c3; >= 1 */
    size_t runs;       /* runs of paper_c3 on a synthetic arm, >= 1 */
    size_t resamples;  /* of the bootstrap, >= 1 */
    uint64_t seed;
    double global_end; /* known arms with upper = MK_UPPER_GLOBAL: mk_lu_global_end of the instance */
};

/* Largest upper end point over the known arms of the instance, NaN for other arms; O(arms), so once for all of them. */
double mk_lu_global_end(const struct mk_problem *p, size_t instance);

struct mk_lu_row {
    enum mk_lu_estimator estimator;
    const char *upper; /* "own", "global", or "q99": the 99 % quantile, always the upper end point of paper_c3 */
    size_t n;          /* number of rewards used; 0 for a known distribution */
    struct mk_lu lu;   /* paper_c3 of a synthetic arm: means over the runs, no eps */
    /* NaN without an interval. plugin: by options.interval; paper_c3 over runs: mean - sd and mean + sd, the form of
     * the published table. */
    struct mk_lu_interval interval;
};

/* Draws or gathers what the estimators of an instance need. For `exact` and `trimmed` of synthetic arms pool may be
 * NULL. Errors: MK_EINPUT for exact and trimmed of recorded arms. */
int mk_lu_arm(const struct mk_problem *p, size_t instance, size_t k, const struct mk_pooled_rewards *pool,
              enum mk_lu_estimator estimator, const struct mk_lu_options *options, struct mk_lu_row *out,
              struct mk_error *err);

/* 1 when the estimator can be used on this kind of problem. */
bool mk_lu_available(const struct mk_problem *p, enum mk_lu_estimator estimator);

/* The name of the stream from which samples for L and U are drawn. */
#define MK_LU_STREAM "lu"

#endif
