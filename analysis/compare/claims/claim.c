#include "analysis/compare/claims/claim.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/registry.h"

#define CLAIM(name) extern const struct mk_claim mk_claim_##name;
#include "analysis/compare/claims/claims.def"
#undef CLAIM

static const struct mk_claim *const claims[] = {
#define CLAIM(name) &mk_claim_##name,
#include "analysis/compare/claims/claims.def"
#undef CLAIM
};

MK_REGISTRY_BY_NAME(mk_claim, mk_claim, claims, claims[i])

int mk_claim_check(struct mk_claim_report *r, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t i = 0; !code && i < r->claim->n; i++) code = r->claim->check(r, i, err);
    return code;
}

const char *mk_relation_sign(enum mk_relation r)
{
    static const char *const sign[] = {"<=", ">=", "="};
    return sign[r];
}

void mk_claim_emit(struct mk_claim_report *r, const struct mk_claim_row *row)
{
    struct mk_claim_row traced = *row;
    snprintf(traced.experiment, sizeof traced.experiment, "%s", r->experiment);
    r->row(r->to, r->claim, &traced);
}

struct mk_claim_row mk_claim_row_start(enum mk_relation relation, const char *quantity, const char *where, ...)
{
    struct mk_claim_row row = {.relation = relation,
                               .expected = NAN,
                               .observed = NAN,
                               .low = NAN,
                               .high = NAN,
                               .verdict = MK_VERDICT_NOT_APPLICABLE,
                               .note = ""};
    va_list args;
    va_start(args, where);
    vsnprintf(row.where, sizeof row.where, where, args);
    va_end(args);
    snprintf(row.quantity, sizeof row.quantity, "%s", quantity);
    return row;
}

enum mk_verdict mk_claim_judge_within(const struct mk_claim_row *row, double least, double most)
{
    if (row->low > most || row->high < least) return MK_VERDICT_VIOLATED;
    return row->low >= least && row->high <= most ? MK_VERDICT_HOLDS : MK_VERDICT_INCONCLUSIVE;
}

enum mk_verdict mk_claim_judge(const struct mk_claim_row *row)
{
    if (isnan(row->expected)) return MK_VERDICT_NOT_APPLICABLE;
    if (isnan(row->low) || isnan(row->high)) return MK_VERDICT_INCONCLUSIVE;
    switch (row->relation) {
    case MK_AT_MOST: return mk_claim_judge_within(row, -INFINITY, row->expected);
    case MK_AT_LEAST: return mk_claim_judge_within(row, row->expected, INFINITY);
    case MK_EQUALS: break;
    }
    return row->low <= row->expected && row->expected <= row->high ? MK_VERDICT_HOLDS : MK_VERDICT_VIOLATED;
}

enum mk_verdict mk_claim_judge_exact(const struct mk_claim_row *row, double slack)
{
    struct mk_claim_row r = *row;
    double room = slack * fmax(fabs(row->expected), 1e-300);
    r.low = r.high = row->observed;
    if (isnan(row->observed)) return MK_VERDICT_NOT_APPLICABLE;
    if (row->relation == MK_EQUALS) {
        r.low -= room;
        r.high += room;
    } else {
        r.expected += row->relation == MK_AT_MOST ? room : -room;
    }
    return mk_claim_judge(&r);
}

void mk_claim_judge_limit(struct mk_claim_row *row, double before, double tolerance)
{
    double away = fabs(row->observed - row->expected);
    int reaches = row->low <= row->expected + tolerance && row->high >= row->expected - tolerance;
    row->verdict = reaches                               ? MK_VERDICT_HOLDS
                   : away < fabs(before - row->expected) ? MK_VERDICT_INCONCLUSIVE
                                                         : MK_VERDICT_VIOLATED;
    if (row->verdict == MK_VERDICT_INCONCLUSIVE) row->note = "not yet there, but closer than at smaller T";
    if (row->verdict == MK_VERDICT_VIOLATED) row->note = "no closer than at smaller T";
}
