/* Theorem 5 (theorem_5.h): the limit of E[N_i(T)] / (log T)^power for MaxUCB with power > 1, by certificates up to T =
 * 10^12 and by simulation up to 10^9; and the exponent of log T, between every two horizons. A value at one T can only
 * be near or far, and nearer or farther than before. */
#include <math.h>

#include "analysis/compare/arms/race.h"
#include "analysis/compare/claims/claim_run.h"
#include "analysis/theory/theorem_5.h"
#include "sim/base/statistics.h"

enum { OWN_REPLICATIONS = 2000, HORIZONS = 4, SIMULATED = 3, CURVES = 3 };

static const double near = 0.15; /* relative */
static const double refinement = 0.05;

/* Arm 0 of each; the last arm is the best. With smaller alpha the limit is not seen up to 10^12: two uniform arms,
 * alpha = .1 and power = 1.5, have at least 10^6 times as many pulls there. */
static const struct {
    const char *name, *arms, *alpha, *power;
    double gap; /* of the upper end points */
} problems[] = {
    {"uniform .9", "[{family: uniform, lo: 0, hi: 0.9}, {family: uniform, lo: 0, hi: 1}]", "0.5", "1.5", 0.1},
    {"uniform .9", "[{family: uniform, lo: 0, hi: 0.9}, {family: uniform, lo: 0, hi: 1}]", "0.3", "2", 0.1},
    {"uniform .7, .8",
     "[{family: uniform, lo: 0, hi: 0.7}, {family: uniform, lo: 0, hi: 0.8}, {family: uniform, lo: 0, hi: 1}]", "0.1",
     "2", 0.3},
    {"uniform under power", "[{family: uniform, lo: 0, hi: 0.95}, {family: power, a: 4, s: 1}]", "0.3", "1.5", 0.05},
};

static const double horizons[HORIZONS] = {1e3, 1e6, 1e9, 1e12};

/* One of the three curves: its ratios to the limit, and standard errors of these. */
struct curve {
    const char *ratio, *exponent; /* what rows are about */
    size_t last;                  /* position of its largest horizon */
    double value[HORIZONS], error[HORIZONS];
};

/* The ratio to the limit at the last horizon and at the one before. */
static void emit_ratio(struct mk_claim_report *r, size_t i, const struct curve *c)
{
    struct mk_claim_row row =
        mk_claim_row_start(MK_EQUALS, c->ratio, "%s: alpha = %s, power = %s, T = %g, arm 0", problems[i].name,
                           problems[i].alpha, problems[i].power, horizons[c->last]);
    row.expected = 1;
    row.observed = c->value[c->last];
    row.low = row.observed - MK_NORMAL_95 * c->error[c->last];
    row.high = row.observed + MK_NORMAL_95 * c->error[c->last];
    mk_claim_judge_limit(&row, c->value[c->last - 1], near);
    mk_claim_emit(r, &row);
}

/* x with pulls growing as (log T)^x between horizons h - 1 and h; *error: its standard error. */
static double exponent_at(const struct curve *c, size_t h, double power, double *error)
{
    const double rise = log(log(horizons[h]) / log(horizons[h - 1]));
    *error = hypot(c->error[h] / c->value[h], c->error[h - 1] / c->value[h - 1]) / rise;
    return power + log(c->value[h] / c->value[h - 1]) / rise;
}

/* The exponent over the last two horizons, and over the two before. */
static void emit_exponent(struct mk_claim_report *r, size_t i, const struct curve *c, double power)
{
    struct mk_claim_row row =
        mk_claim_row_start(MK_EQUALS, c->exponent, "%s: alpha = %s, power = %s, T = %g to %g, arm 0", problems[i].name,
                           problems[i].alpha, problems[i].power, horizons[c->last - 1], horizons[c->last]);
    double error, unused;
    row.expected = power;
    row.observed = exponent_at(c, c->last, power, &error);
    row.low = row.observed - MK_NORMAL_95 * error;
    row.high = row.observed + MK_NORMAL_95 * error;
    mk_claim_judge_limit(&row, exponent_at(c, c->last - 1, power, &unused), near * power);
    mk_claim_emit(r, &row);
}

static int check_theorem_5(struct mk_claim_report *r, size_t i, struct mk_error *err)
{
    struct mk_claim_case c;
    struct mk_race_arms *arms = NULL;
    double power = NAN;
    struct curve curve[CURVES] = {
        {.ratio = "certified lower bound / limit", .exponent = "exponent of log T, lower bound", .last = HORIZONS - 1},
        {.ratio = "certified upper bound / limit", .exponent = "exponent of log T, upper bound", .last = HORIZONS - 1},
        {.ratio = "simulated mean / limit", .exponent = "exponent of log T, simulated mean", .last = SIMULATED - 1}};
    int code = mk_claim_read(&c, r, problems[i].name, OWN_REPLICATIONS, err,
                             "name: theorem_5\nproblem: {arms: %s}\npolicies: [{name: max_ucb, alpha: %s, power: %s}]\n"
                             "horizons: [1e3, 1e6, 1e9, 1e12]\n", /* as above */
                             problems[i].arms, problems[i].alpha, problems[i].power);
    if (!code) code = mk_race_arms_new(&arms, c.experiment->problem, 0, 0, err);
    if (!code) code = mk_claim_means(&c, MK_ENGINE_RECORD, r->options.threads, err);
    for (size_t h = 0; !code && h < HORIZONS; h++) {
        const struct mk_policy_entry *entry = &c.experiment->entry[0];
        const double limit = mk_theorem_5_limit(mk_policy_entry_parameter(entry, "alpha"), problems[i].gap);
        power = mk_policy_entry_parameter(entry, "power");
        const double scale = limit * pow(log((double)c.experiment->horizon[h]), power);
        const struct mk_count_moments *pulls = mk_claim_pulls(&c, 0, h, 0);
        struct mk_certificate *band = NULL;
        code = mk_certify(&band, entry, arms, c.experiment->horizon[h], MK_CERTIFIED_BAND, refinement, err);
        if (code) break;
        curve[0].value[h] = band->arm[0].lower / scale;
        curve[1].value[h] = band->arm[0].upper / scale;
        curve[2].value[h] = mk_count_moments_mean(pulls) / scale;
        curve[2].error[h] = mk_spread_error(&pulls->spread) / scale;
        mk_certificate_free(band);
    }
    for (size_t n = 0; !code && n < CURVES; n++) {
        emit_ratio(r, i, &curve[n]);
        emit_exponent(r, i, &curve[n], power);
    }
    mk_race_arms_free(arms);
    mk_claim_case_free(&c);
    return code;
}

const struct mk_claim mk_claim_theorem_5 = {
    .name = "theorem_5",
    .source = "Certified bounds for MaxUCB, Theorem 5",
    .statement = "for max_ucb with power > 1 and bounded arms (in general: where c' > 0), E[N_i(T)] / (log T)^power -> "
                 "alpha / sqrt(b - b_i)",
    .method =
        "certified bounds at T = 10^9 and 10^12, means of simulated runs at T = 10^6 and 10^9: the ratio to the "
        "limit, and the exponent of log T between the two horizons, are within 15 % of what is claimed, or nearer "
        "at the second T than at the first",
    .n = sizeof problems / sizeof *problems,
    .check = check_theorem_5,
};
