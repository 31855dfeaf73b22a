/* The bounds of analysis/theory/certificates/certificate.h against simulation, next to Theorem 4.2, and their growth.
 */
#include <math.h>

#include "analysis/compare/arms/gaps.h"
#include "analysis/compare/arms/race.h"
#include "analysis/compare/claims/claim_run.h"
#include "analysis/theory/growth.h"
#include "analysis/theory/lu.h"

enum { OWN_REPLICATIONS = 10000, SIDES = 2 };
static const double errors = 4.5;      /* a mean beyond a bound by this many standard errors violates it */
static const double rounding = 1e-9;   /* relative, of means of counts that hardly vary */
static const double near_power = 0.05; /* of the exponent of T, as in claim growth_mean */

/* Bounded and unbounded arms, point masses, equal upper end points, and the arms on which Theorem 4.2 fails. */
static const struct {
    const char *name, *arms;
} problems[] = {
    {"power, five arms", mk_claim_power_arms},
    {"uniform and power 3.8", "[{family: uniform, lo: 0, hi: 1}, {family: power, a: 3.8, s: 1.012}]"},
    {"equal ends", "[{family: uniform, lo: 0, hi: 1}, {family: beta, a: 2, b: 1}, {family: power, a: 3, s: 1}]"},
    {"exponential", "[{family: exponential, mean: 0.5}, {family: exponential, mean: 0.4}]"},
    {"Gaussian",
     "[{family: gaussian, mu: 0, sigma: 1}, {family: gaussian, mu: 0.5, sigma: 0.7}, {family: lognormal, mu: -1, sigma: "
     "1}]"},
    {"Pareto and Weibull", "[{family: pareto, shape: 2, scale: 0.5}, {family: weibull, shape: 1, scale: 0.6}]"},
    {"point masses",
     "[{family: bernoulli, p: 0.02}, {family: uniform, lo: 0, hi: 0.8}, {family: empirical, values: [0.2, 0.5, 0.9]}]"},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };
static const enum mk_relation relation[SIDES] = {MK_AT_MOST, MK_AT_LEAST};

static enum mk_verdict judge(double bound, const struct mk_count_moments *pulls, double low, double high, int side)
{
    const double sign = side == 0 ? 1 : -1, slack = rounding * bound, mean = mk_count_moments_mean(pulls);
    if (sign * (mean - bound) > errors * mk_spread_error(&pulls->spread) + slack) return MK_VERDICT_VIOLATED;
    return sign * ((side == 0 ? high : low) - bound) <= slack ? MK_VERDICT_HOLDS : MK_VERDICT_INCONCLUSIVE;
}

static void weigh(struct mk_claim_worst *w, double bound, const struct mk_count_moments *pulls, int side, double alpha,
                  uint64_t horizon, size_t arm)
{
    struct mk_claim_cell cell = {
        .bound = bound, .mean = mk_count_moments_mean(pulls), .alpha = alpha, .horizon = (double)horizon, .arm = arm};
    cell.closeness = side == 0 ? cell.mean / bound : bound / cell.mean;
    mk_mean_interval(cell.mean, mk_spread_error(&pulls->spread), pulls->spread.n, &cell.low, &cell.high);
    mk_claim_weigh(w, &cell, judge(bound, pulls, cell.low, cell.high, side));
}

static void emit_worst(struct mk_claim_report *r, const char *name, const struct mk_claim_worst *w, int side)
{
    char counts[MK_VERDICT_COUNTS_ROOM];
    mk_verdict_counts_text(counts, w->verdicts);
    struct mk_claim_row row = mk_claim_row_start(
        relation[side], side == 0 ? "N_i(T) where observed/upper is largest" : "N_i(T) where lower/observed is largest",
        "%s: alpha = %g, T = %g, arm %zu; of %llu cells %s", name, w->at.alpha, w->at.horizon, w->at.arm,
        (unsigned long long)w->cells, counts);
    mk_claim_set_cell(&row, &w->at);
    row.verdict = w->verdicts[MK_VERDICT_VIOLATED]       ? MK_VERDICT_VIOLATED
                  : w->verdicts[MK_VERDICT_INCONCLUSIVE] ? MK_VERDICT_INCONCLUSIVE
                                                         : MK_VERDICT_HOLDS;
    if (row.verdict == MK_VERDICT_INCONCLUSIVE) row.note = "a 95 % interval holds the bound, which is attained";
    mk_claim_emit(r, &row);
}

/* ---- the band against simulation ---- */

static int weigh_cells(struct mk_claim_worst *worst, const struct mk_claim_case *c, const struct mk_race_arms *arms,
                       struct mk_error *err)
{
    const struct mk_experiment *e = c->experiment;
    int code = MK_OK;
    for (size_t p = 0; !code && p < e->n_entries; p++)
        for (size_t h = 0; !code && h < e->n_horizons; h++) {
            struct mk_certificate *band = NULL;
            code = mk_certify(&band, &e->entry[p], arms, e->horizon[h], MK_CERTIFIED_BAND, MK_TABLE_REFINEMENT, err);
            for (size_t k = 0; !code && k < arms->n; k++)
                for (int side = 0; side < SIDES; side++)
                    weigh(&worst[side], side == 0 ? band->arm[k].upper : band->arm[k].lower, mk_claim_pulls(c, p, h, k),
                          side, mk_policy_entry_parameter(&e->entry[p], "alpha"), e->horizon[h], k);
            mk_certificate_free(band);
        }
    return code;
}

static int check_problem(struct mk_claim_report *r, size_t i, struct mk_error *err)
{
    struct mk_claim_case c;
    struct mk_race_arms *arms = NULL;
    struct mk_claim_worst worst[SIDES] = {{0}};
    int code = mk_claim_read(
        &c, r, problems[i].name, OWN_REPLICATIONS, err,
        "name: certified_bounds\nproblem: {arms: %s}\npolicies: [{name: max_ucb, alpha: [0.1, 0.3, 1, 3]}]\n"
        "horizons: [50, 2000]\n",
        problems[i].arms);
    if (!code) code = mk_race_arms_new(&arms, c.experiment->problem, 0, 0, err);
    if (!code) code = mk_claim_means(&c, MK_ENGINE_RECORD, r->options.threads, err);
    if (!code) code = weigh_cells(worst, &c, arms, err);
    for (int side = 0; !code && side < SIDES; side++) emit_worst(r, problems[i].name, &worst[side], side);
    mk_race_arms_free(arms);
    mk_claim_case_free(&c);
    return code;
}

/* ---- next to Theorem 4.2 ---- */

/* Emits the ratio of a bound to the mean: `expected` is the claim of the file's statement. */
static void emit_ratio(struct mk_claim_report *r, const char *bound, double value, size_t arm, enum mk_relation sign,
                       double expected, const struct mk_count_moments *pulls)
{
    const double mean = mk_count_moments_mean(pulls);
    double low, high;
    struct mk_claim_row row =
        mk_claim_row_start(sign, "bound / N_i(T)", "power, five arms: alpha = 0.5, T = 2000, arm %zu, %s", arm, bound);
    mk_mean_interval(mean, mk_spread_error(&pulls->spread), pulls->spread.n, &low, &high);
    row.expected = expected;
    row.observed = value / mean;
    row.low = value / high;
    row.high = value / low;
    row.verdict = mk_claim_judge(&row);
    mk_claim_emit(r, &row);
}

static int compare_arms(struct mk_claim_report *r, const struct mk_claim_case *c, const struct mk_certificate *band,
                        struct mk_error *err)
{
    const struct mk_experiment *e = c->experiment;
    const struct mk_truth *f = c->truth;
    const size_t best = mk_truth_best(f, 0, 0);
    struct mk_lu lu, own;
    int code = mk_lu_exact(e->problem->dist[best], NAN, &lu, err);
    for (size_t k = 0; !code && k < band->arms; k++) {
        if (k == best) continue;
        code = mk_lu_exact(e->problem->dist[k], NAN, &own, err);
        const struct mk_bound_input in = {.alpha = mk_policy_entry_parameter(&e->entry[0], "alpha"),
                                          .L = lu.L,
                                          .U = own.U,
                                          .gap = f->gap[mk_truth_at(f, 0, 0, k)],
                                          .gap_endpoint = mk_gap_endpoint(f->support_high, best, k),
                                          .horizon = e->horizon[0]};
        const double published = mk_bound_evaluate(MK_BOUND_SUM, &in).value;
        if (code) break;
        emit_ratio(r, "Theorem 4.2 (sum)", published, k, MK_AT_LEAST, 15, mk_claim_pulls(c, 0, 0, k));
        emit_ratio(r, "certified", band->arm[k].upper, k, MK_AT_MOST, 1.5, mk_claim_pulls(c, 0, 0, k));
    }
    return code;
}

static int check_published(struct mk_claim_report *r, struct mk_error *err)
{
    struct mk_claim_case c;
    struct mk_race_arms *arms = NULL;
    struct mk_certificate *band = NULL;
    int code = mk_claim_read(
        &c, r, "beside_theorem_4_2", 4 * OWN_REPLICATIONS, err,
        "name: beside_theorem_4_2\nproblem: {arms: %s}\npolicies: [{name: max_ucb, alpha: 0.5}]\nhorizons: [2000]\n",
        mk_claim_power_arms);
    if (!code) code = mk_claim_facts(&c, err);
    if (!code) code = mk_race_arms_new(&arms, c.experiment->problem, 0, 0, err);
    if (!code)
        code = mk_certify(&band, &c.experiment->entry[0], arms, c.experiment->horizon[0], MK_CERTIFIED_UPPER,
                          MK_TABLE_REFINEMENT / 4, err);
    if (!code) code = mk_claim_means(&c, MK_ENGINE_RECORD, r->options.threads, err);
    if (!code) code = compare_arms(r, &c, band, err);
    mk_certificate_free(band);
    mk_race_arms_free(arms);
    mk_claim_case_free(&c);
    return code;
}

/* ---- growth ---- */

/* Arm 0 of each; the last arm is the best. */
static const struct {
    const char *name, *arms, *alpha;
} growing[] = {
    {"uniform .9", "[{family: uniform, lo: 0, hi: 0.9}, {family: uniform, lo: 0, hi: 1}]", "0.5"},
    {"power 3.8 and uniform", "[{family: power, a: 3.8, s: 1.012}, {family: uniform, lo: 0, hi: 1}]", "0.28"},
    {"uniform .8, two better",
     "[{family: uniform, lo: 0, hi: 0.8}, {family: uniform, lo: 0, hi: 0.9}, {family: power, a: 0.5, s: 1}]", "0.25"},
};

enum { STEPS = 3 };

/* The exponents of both sides of the band between the last two horizons, against 1 - c. */
static void emit_exponents(struct mk_claim_report *r, const char *name, const struct mk_claim_case *c,
                           struct mk_certificate *const band[STEPS])
{
    const struct mk_experiment *e = c->experiment;
    const double alpha = mk_policy_entry_parameter(&e->entry[0], "alpha");
    const struct mk_growth_claim claim =
        mk_growth_claim(e->problem->dist, e->problem->n_arms, e->problem->n_arms - 1, 0, alpha);
    for (int side = 0; side < SIDES; side++) {
        double exponent[STEPS];
        for (size_t h = 1; h < STEPS; h++) {
            const struct mk_certified_arm *from = &band[h - 1]->arm[0], *to = &band[h]->arm[0];
            exponent[h] = log(side == 0 ? to->upper / from->upper : to->lower / from->lower) /
                          log((double)e->horizon[h] / (double)e->horizon[h - 1]);
        }
        struct mk_claim_row row = mk_claim_row_start(
            MK_EQUALS, side == 0 ? "exponent of T in the upper bound" : "exponent of T in the lower bound",
            "%s, alpha = %g, arm 0, T = %g … %g", name, alpha, (double)e->horizon[STEPS - 2],
            (double)e->horizon[STEPS - 1]);
        row.expected = fmax(0, 1 - claim.c_joint);
        row.observed = row.low = row.high = exponent[STEPS - 1];
        mk_claim_judge_limit(&row, exponent[STEPS - 2], near_power);
        mk_claim_emit(r, &row);
    }
}

static int check_growth(struct mk_claim_report *r, size_t i, struct mk_error *err)
{
    struct mk_claim_case c;
    struct mk_race_arms *arms = NULL;
    struct mk_certificate *band[STEPS] = {NULL, NULL, NULL};
    int code = mk_claim_read(&c, r, growing[i].name, 0, err,
                             "name: certified_growth\nproblem: {arms: %s}\npolicies: [{name: max_ucb, alpha: %s}]\n"
                             "horizons: [1e6, 1e9, 1e12]\n",
                             growing[i].arms, growing[i].alpha);
    if (!code) code = mk_race_arms_new(&arms, c.experiment->problem, 0, 0, err);
    for (size_t h = 0; !code && h < STEPS; h++)
        code = mk_certify(&band[h], &c.experiment->entry[0], arms, c.experiment->horizon[h], MK_CERTIFIED_BAND,
                          MK_TABLE_REFINEMENT, err);
    if (!code) emit_exponents(r, growing[i].name, &c, band);
    for (size_t h = 0; h < STEPS; h++) mk_certificate_free(band[h]);
    mk_race_arms_free(arms);
    mk_claim_case_free(&c);
    return code;
}

static int check_certified_bounds(struct mk_claim_report *r, size_t i, struct mk_error *err)
{
    if (i < PROBLEMS) return check_problem(r, i, err);
    return i == PROBLEMS ? check_published(r, err) : check_growth(r, i - PROBLEMS - 1, err);
}

const struct mk_claim mk_claim_certified_bounds = {
    .name = "certified_bounds",
    .source = "Certified bounds for MaxUCB, Theorems 1 to 4",
    .statement =
        "lower <= E[N_i(T)] <= upper for MaxUCB with any arms, alpha and T; on the power arms of E.4 at alpha = "
        ".5, T = 2000 the bound of Theorem 4.2 is 15 times E[N_i(T)] and more, the certified one at most 1.5 "
        "times; both sides grow as T^max(0, 1 - c) on three problems, c as in claim growth_mean",
    .method =
        "seven problems, alpha = .1 … 3, T = 50 and 2000, 10000 replications; one row per side, the closest cell; "
        "violated if any mean of the problem is beyond the bound by 4.5 standard errors (false alarm 3e-6 a mean "
        "and side for normal means), inconclusive if a 95 % interval reaches beyond; exponents to within .05",
    .n = PROBLEMS + 1 + sizeof growing / sizeof *growing,
    .check = check_certified_bounds,
};
