#include "analysis/compare/user_claims.h"

#include <math.h>

#include "analysis/compare/arms/gaps.h"

bool mk_user_claim_is_certified(const struct mk_user_claim *c)
{
    return mk_expression_uses(c->bound, MK_USER_CLAIM_CERTIFIED_UPPER);
}

double mk_user_claim_bound(const struct mk_user_claim *c, const struct mk_user_claim_place *at)
{
    const struct mk_truth *f = at->truth;
    const size_t best = mk_truth_best(f, at->instance_at, at->horizon_at);
    const double origin = at->measure.origin, unit = at->measure.unit;
    double value[MK_USER_CLAIM_QUANTITIES], least = INFINITY, largest = -INFINITY;
    for (size_t k = 0; k < at->instance->n_arms; k++) {
        size_t arm = at->instance->arm[k];
        if (arm != best) least = fmin(least, f->gap[mk_truth_at(f, at->instance_at, at->horizon_at, arm)]);
        largest = fmax(largest, at->upper[arm]);
    }
    value[MK_USER_CLAIM_T] = (double)at->horizon;
    value[MK_USER_CLAIM_K] = (double)at->instance->n_arms;
    value[MK_USER_CLAIM_ALPHA] = at->alpha;
    value[MK_USER_CLAIM_L] = at->L * unit;
    value[MK_USER_CLAIM_MIN_GAP] = at->instance->n_arms > 1 ? least / unit : NAN;
    value[MK_USER_CLAIM_B_MAX] = isfinite(largest) ? (largest - origin) / unit : NAN;
    value[MK_USER_CLAIM_BEST_MAX] =
        (f->expected_max[mk_truth_at(f, at->instance_at, at->horizon_at, best)] - origin) / unit;
    value[MK_USER_CLAIM_U] = at->U * unit;
    value[MK_USER_CLAIM_GAP] = f->gap[mk_truth_at(f, at->instance_at, at->horizon_at, at->arm)] / unit;
    value[MK_USER_CLAIM_GAP_ENDPOINT] = mk_gap_endpoint(at->upper, best, at->arm) / unit;
    value[MK_USER_CLAIM_CERTIFIED_UPPER] = at->certified;
    return mk_expression_value(c->bound, value) * (c->of == MK_USER_CLAIM_REGRET ? unit : 1);
}

enum mk_verdict mk_user_claim_verdict(const struct mk_user_claim *c, double bound, double least, double most,
                                      double low, double high)
{
    if (!c->at_least) return mk_bound_verdict(bound, most, low, high);
    if (isnan(bound)) return MK_VERDICT_NOT_APPLICABLE;
    if (bound <= least) return MK_VERDICT_VACUOUS;
    return high < bound ? MK_VERDICT_VIOLATED : low >= bound ? MK_VERDICT_HOLDS : MK_VERDICT_INCONCLUSIVE;
}
