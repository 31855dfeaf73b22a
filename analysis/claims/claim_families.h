/* One or more arms of every reward family, for claims that are about any distribution. */
#ifndef MAXK_ANALYSIS_CLAIMS_CLAIM_FAMILIES_H
#define MAXK_ANALYSIS_CLAIMS_CLAIM_FAMILIES_H

#include "analysis/claims/claim_run.h"

/* An experiment with nothing but these arms. */
int mk_claim_families(struct mk_claim_case *c, struct mk_claim_report *r, struct mk_error *err);

#endif
