/* The published claims, in the order in which they are checked. */
#include <string.h>

#include "analysis/claims/claim.h"

#define CLAIM(name) extern const struct mk_claim mk_claim_##name;
#include "analysis/claims/claims.def"
#undef CLAIM

static const struct mk_claim *const claims[] = {
#define CLAIM(name) &mk_claim_##name,
#include "analysis/claims/claims.def"
#undef CLAIM
};

size_t mk_claim_count(void)
{
    return sizeof claims / sizeof *claims;
}

const struct mk_claim *mk_claim_at(size_t i)
{
    return claims[i];
}

const struct mk_claim *mk_claim_find(const char *name)
{
    for (size_t i = 0; i < mk_claim_count(); i++)
        if (strcmp(claims[i]->name, name) == 0) return claims[i];
    return NULL;
}
