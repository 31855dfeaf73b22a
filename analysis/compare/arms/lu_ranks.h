/* L and U by the rank of the arm, summarised over the instances of a problem. Recorded rewards are ranked as
 * analysis/compare/arms/survey.h ranks them, known arms by their upper ends (ties by position). */
#ifndef MAXK_ANALYSIS_COMPARE_ARMS_LU_RANKS_H
#define MAXK_ANALYSIS_COMPARE_ARMS_LU_RANKS_H

#include <stddef.h>

#include "analysis/compare/arms/lu_arm.h"
#include "analysis/compare/arms/survey.h"
#include "sim/api/maxk/error.h"

struct mk_lu_ranks;

/* *p must outlive it. Errors: MK_ENOMEM, and those of mk_survey_new. */
int mk_lu_ranks_new(struct mk_lu_ranks **out, const struct mk_problem *p, struct mk_error *err);
void mk_lu_ranks_free(struct mk_lu_ranks *r);

/* The arm at position k of the instance as the survey describes it; NULL for known arms. */
const struct mk_survey_arm *mk_lu_ranks_survey(const struct mk_lu_ranks *r, size_t instance, size_t k);

/* Counts L and U of that arm by row->estimator, once per instance and arm; NaN is left out. */
void mk_lu_ranks_add(struct mk_lu_ranks *r, size_t instance, size_t k, const struct mk_lu_row *row);

struct mk_lu_rank_end {
    double median, least, largest;
};

struct mk_lu_rank {
    size_t n;         /* instances */
    size_t unlimited; /* of them with U = inf */
    size_t constant;  /* of them with a recorded arm that never changes */
    struct mk_lu_rank_end L, U;
};

/* The summary of what was added for an estimator and a rank (0 = first); n = 0: nothing was. */
struct mk_lu_rank mk_lu_ranks_get(struct mk_lu_ranks *r, enum mk_lu_estimator estimator, size_t rank);

#endif
