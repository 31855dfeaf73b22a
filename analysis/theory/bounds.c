/* Theorem 4.2 and Proposition 4.1 of Balef et al. 2025 as numbers and verdicts, and what stands next to them; the sums
 * are in bound_sum.c. */
#include "analysis/theory/bounds.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <gsl/gsl_cdf.h>

#include "analysis/theory/explicit_bound.h"

/* 2 L alpha sqrt(Delta) is subject to a few roundings: p this close to 1 is p = 1. */
static const double p_tolerance = 1e-12;
static const double two_sided_95 = 0.975;

const char *mk_bound_variant_name(enum mk_bound_variant v)
{
    static const char *const name[] = {"printed", "sum", "endpoint", "figure_e5", "crossing", "explicit"};
    return v < MK_BOUND_VARIANTS ? name[v] : "?";
}

const char *mk_bound_regime_name(enum mk_bound_regime r)
{
    static const char *const name[] = {"p<1", "p=1", "p>1"};
    return name[r];
}

const char *mk_verdict_name(enum mk_verdict v)
{
    static const char *const name[] = {"holds", "violated", "vacuous", "inconclusive", "not-applicable"};
    return name[v];
}

void mk_verdict_counts_text(char out[MK_VERDICT_COUNTS_ROOM], const uint64_t counts[MK_VERDICTS])
{
    snprintf(out, MK_VERDICT_COUNTS_ROOM,
             "%" PRIu64 " hold, %" PRIu64 " violated, %" PRIu64 " vacuous, %" PRIu64 " inconclusive, %" PRIu64
             " not-applicable",
             counts[MK_VERDICT_HOLDS], counts[MK_VERDICT_VIOLATED], counts[MK_VERDICT_VACUOUS],
             counts[MK_VERDICT_INCONCLUSIVE], counts[MK_VERDICT_NOT_APPLICABLE]);
}

static enum mk_bound_regime regime_of(double p)
{
    if (fabs(p - 1) <= p_tolerance) return MK_REGIME_P_IS_1;
    return p < 1 ? MK_REGIME_P_BELOW_1 : MK_REGIME_P_ABOVE_1;
}

/* T^(1-p) / (1-p), in its limit form at p = 1. */
static double first_term(double p, uint64_t horizon)
{
    double log_t = log((double)horizon);
    if (regime_of(p) == MK_REGIME_P_IS_1) return 1 + log_t;
    if (isinf(p)) return 0;
    return pow((double)horizon, 1 - p) / (1 - p);
}

/* 2 alpha sqrt(U T) log T; 0 for T = 1 or alpha = 0, even if U is infinite. */
static double second_term(double alpha, double U, uint64_t horizon)
{
    double log_t = log((double)horizon);
    return alpha > 0 && log_t > 0 ? 2 * alpha * sqrt(U * (double)horizon) * log_t : 0;
}

struct mk_bound mk_bound_evaluate(enum mk_bound_variant v, const struct mk_bound_input *in)
{
    const bool of_ends = v == MK_BOUND_ENDPOINT || v == MK_BOUND_EXPLICIT;
    struct mk_bound out = {of_ends ? in->gap_endpoint : in->gap, NAN, NAN, MK_REGIME_P_BELOW_1};
    if (v == MK_BOUND_CROSSING) {
        out.value = in->certified > 0 ? in->certified : NAN;
        return out;
    }
    if (isnan(in->L) || isnan(in->U) || !(out.gap >= 0)) return out;
    double power = v == MK_BOUND_FIGURE_E5 ? out.gap : sqrt(out.gap);
    /* L = inf (a constant optimal arm) with no gap: nothing is gained, p = 0. */
    out.p = in->alpha > 0 && power > 0 ? 2 * in->L * in->alpha * power : 0;
    out.regime = regime_of(out.p);
    switch (v) {
    case MK_BOUND_PRINTED:
        out.value = first_term(out.p, in->horizon) + second_term(in->alpha, in->U, in->horizon);
        break;
    case MK_BOUND_FIGURE_E5: out.value = first_term(out.p, in->horizon); break;
    case MK_BOUND_SUM:
    case MK_BOUND_ENDPOINT: {
        double c = in->alpha > 0 ? in->alpha * in->alpha * in->U : 0;
        out.value = mk_bound_sum(out.p, c, in->horizon, NULL);
        break;
    }
    case MK_BOUND_EXPLICIT: out.value = mk_explicit_bound(in->alpha, in->L, out.gap, in->horizon); break;
    case MK_BOUND_CROSSING:
    case MK_BOUND_VARIANTS: break;
    }
    return out;
}

/* Over L: the ends, and the turning point of the first term. */
static void range_over_L(enum mk_bound_variant v, struct mk_bound_input in, const struct mk_bound_span *span,
                         double *low, double *high)
{
    const bool monotone = v == MK_BOUND_SUM || v == MK_BOUND_ENDPOINT || v == MK_BOUND_EXPLICIT;
    *low = INFINITY;
    *high = -INFINITY;
    double p[2];
    for (int i = 0; i < 2; i++) {
        in.L = i ? span->L_high : span->L_low;
        struct mk_bound b = mk_bound_evaluate(v, &in);
        p[i] = b.p;
        *low = fmin(*low, b.value);
        *high = fmax(*high, b.value);
    }
    if (monotone || !(p[0] < p[1])) return;
    if (p[0] <= 1 && p[1] >= 1) {
        *low = -INFINITY;
        *high = INFINITY;
        return;
    }
    double turn = 1 - 1 / log((double)in.horizon);
    if (!(p[0] < turn && turn < p[1])) return;
    in.L = span->L_low + (span->L_high - span->L_low) * (turn - p[0]) / (p[1] - p[0]); /* p is linear in L */
    *low = fmin(*low, mk_bound_evaluate(v, &in).value);
}

void mk_bound_range(enum mk_bound_variant v, const struct mk_bound_input *in, const struct mk_bound_span *span,
                    double *low, double *high)
{
    struct mk_bound_input at = *in;
    double unused;
    *low = *high = NAN;
    if (v == MK_BOUND_CROSSING) {
        *low = *high = mk_bound_evaluate(v, in).value;
        return;
    }
    at.L = span->L_low;
    at.U = span->U_low;
    if (isnan(span->L_high) || isnan(span->U_high) || isnan(mk_bound_evaluate(v, &at).value)) return;
    range_over_L(v, at, span, low, &unused);
    at.U = span->U_high;
    range_over_L(v, at, span, &unused, high);
}

void mk_mean_interval(double mean, double se, uint64_t n, double *low, double *high)
{
    double width = n > 1 ? gsl_cdf_tdist_Pinv(two_sided_95, (double)(n - 1)) * se : NAN;
    *low = mean - width;
    *high = mean + width;
}

enum mk_verdict mk_bound_verdict(double bound, double most, double low, double high)
{
    if (isnan(bound)) return MK_VERDICT_NOT_APPLICABLE;
    if (bound >= most) return MK_VERDICT_VACUOUS;
    if (low > bound) return MK_VERDICT_VIOLATED;
    if (high <= bound) return MK_VERDICT_HOLDS;
    return MK_VERDICT_INCONCLUSIVE;
}

enum mk_verdict mk_bound_verdict_between(double bound_low, double bound_high, double most, double low, double high)
{
    enum mk_verdict one = mk_bound_verdict(bound_low, most, low, high);
    enum mk_verdict other = mk_bound_verdict(bound_high, most, low, high);
    if (one == other) return one;
    /* what holds for the smallest bound holds for any larger one, including vacuous ones */
    return one == MK_VERDICT_HOLDS ? MK_VERDICT_HOLDS : MK_VERDICT_INCONCLUSIVE;
}

void mk_regret_check(const struct mk_regret_input *in, struct mk_regret_check *out)
{
    double low, high, per_pull = in->support_high / (double)in->horizon;
    mk_mean_interval(in->mean_max, in->se_max, in->replications, &low, &high);
    out->regret = in->expected_max - in->mean_max;
    out->regret_low = in->expected_max - high;
    out->regret_high = in->expected_max - low;
    out->bound = out->bound_low = out->bound_high = NAN;
    out->verdict = MK_VERDICT_NOT_APPLICABLE;
    if (!(in->support_low >= 0) || !isfinite(in->support_high)) return;
    mk_mean_interval(in->optimal_pulls, in->se_optimal, in->replications, &low, &high);
    out->bound = per_pull * ((double)in->horizon - in->optimal_pulls);
    out->bound_low = per_pull * ((double)in->horizon - high);
    out->bound_high = per_pull * ((double)in->horizon - low);
    if (out->regret_low > out->bound_high)
        out->verdict = MK_VERDICT_VIOLATED;
    else if (out->regret_high <= out->bound_low)
        out->verdict = MK_VERDICT_HOLDS;
    else
        out->verdict = MK_VERDICT_INCONCLUSIVE;
}
