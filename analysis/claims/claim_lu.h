/* Shared by the checks of published L and U. */
#ifndef MAXK_ANALYSIS_CLAIMS_CLAIM_LU_H
#define MAXK_ANALYSIS_CLAIMS_CLAIM_LU_H

#include "analysis/claims/claim.h"
#include "analysis/theory/published_lu.h"

/* One published row computed again (`runs` times where it is simulated), and its exact constants. */
struct mk_claim_lu {
    uint64_t runs;
    struct mk_lu_runs repeated;
    struct mk_lu exact, trimmed;
};

int mk_claim_lu_get(struct mk_claim_report *r, const struct mk_published_lu *p, size_t i, struct mk_claim_lu *out,
                    struct mk_error *err);

/* `check` for every row of the table, i from 0; stops at the first error. */
typedef int (*mk_claim_lu_check)(struct mk_claim_report *r, const struct mk_published_lu *p, size_t i,
                                 struct mk_error *err);
int mk_claim_lu_each(struct mk_claim_report *r, const char *table, mk_claim_lu_check check, struct mk_error *err);

#endif
