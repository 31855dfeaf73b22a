/* The published claims, in the order in which they are checked. */
#include "analysis/claims/claim.h"
#include "sim/base/registry.h"

#define CLAIM(name) extern const struct mk_claim mk_claim_##name;
#include "analysis/claims/claims.def"
#undef CLAIM

static const struct mk_claim *const claims[] = {
#define CLAIM(name) &mk_claim_##name,
#include "analysis/claims/claims.def"
#undef CLAIM
};

MK_REGISTRY_BY_NAME(mk_claim, mk_claim, claims, claims[i])
