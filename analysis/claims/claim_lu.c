#include "analysis/claims/claim_lu.h"

#include <math.h>
#include <string.h>

#include "analysis/arms/pooled_rewards.h"
#include "analysis/claims/claim_run.h"

int mk_claim_lu_get(struct mk_claim_report *r, const struct mk_published_lu *p, size_t i, struct mk_claim_lu *out,
                    struct mk_error *err)
{
    struct mk_dist *d = NULL;
    out->runs = mk_claim_replications(r, MK_PUBLISHED_RUNS);
    int code = mk_dist_make(&d, p->family, err, p->v[0], p->v[1], p->v[2], p->v[3]);
    if (!code) code = mk_claim_write_arm(r, d, err);
    if (!code)
        code = mk_published_lu_repeat(p, d, MK_PUBLISHED_SAMPLES, out->runs,
                                      mk_pooled_rewards_key(r->options.seed, r->claim->name, i), &out->repeated, err);
    if (!code) code = mk_lu_exact(d, NAN, &out->exact, err);
    if (!code) code = mk_lu_trimmed(d, NAN, &out->trimmed, err);
    mk_dist_free(d);
    return code;
}

int mk_claim_lu_each(struct mk_claim_report *r, const char *table, mk_claim_lu_check check, struct mk_error *err)
{
    const struct mk_published_lu *p;
    size_t n = 0;
    int code = MK_OK;
    for (size_t i = 0; !code && (p = mk_published_lu_at(i)) != NULL; i++)
        if (strcmp(p->table, table) == 0) code = check(r, p, n++, err);
    return code;
}
