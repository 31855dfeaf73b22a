/* Corollary 4.3: with alpha of eq. 9, R(T) = O(K log T / sqrt(T) max b). */
#include <math.h>
#include <stdio.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>

#include "analysis/compare/claims/claim_run.h"
#include "analysis/theory/formulas.h"
#include "analysis/theory/lu.h"
#include "sim/base/number.h"
#include "sim/base/statistics.h"

enum { OWN_REPLICATIONS = 4000, DECADES = 7, FIRST_DECADE = 2, FIT_FROM = 2 };

static const struct {
    const char *name, *arms;
} problems[] = {
    {"e4_power", mk_claim_power_arms},
    {"two uniform arms", "[{family: uniform, lo: 0, hi: 0.8}, {family: uniform, lo: 0, hi: 1}]"},
};

/* log of R(T) / rate over log T, weighted by the error of the former. */
struct points {
    double x[DECADES], y[DECADES], weight[DECADES];
    size_t n;
    double middle; /* R(T) / rate at T = 10^(FIRST_DECADE + FIT_FROM) */
};

static double least_gap(const struct mk_truth *f)
{
    double least = INFINITY;
    for (size_t k = 0; k < f->n_arms; k++)
        if (k != mk_truth_best(f, 0, 0)) least = fmin(least, f->gap[k]);
    return least;
}

/* With alpha = .5 for NaN; r as for mk_claim_read. */
static int read_case(struct mk_claim_case *c, struct mk_claim_report *r, size_t problem, double horizon, double alpha,
                     struct mk_error *err)
{
    char value[32];
    return mk_claim_read(
        c, r, "corollary_4_3", OWN_REPLICATIONS, err,
        "name: corollary_4_3\nproblem: {arms: %s}\npolicies: [{name: max_ucb, alpha: %s}]\nhorizons: [%.0f]\n",
        problems[problem].arms, mk_format_real(isnan(alpha) ? 0.5 : alpha, value, sizeof value), horizon);
}

/* The case with alpha of eq. 9, which needs the gaps. */
static int open_case(struct mk_claim_case *c, struct mk_claim_report *r, size_t problem, double horizon,
                     struct mk_error *err)
{
    struct mk_lu lu = {0};
    double alpha = NAN;
    int code = read_case(c, NULL, problem, horizon, alpha, err);
    if (!code) code = mk_claim_facts(c, err);
    if (!code) code = mk_lu_exact(c->experiment->problem->dist[mk_truth_best(c->truth, 0, 0)], NAN, &lu, err);
    if (!code) alpha = mk_corollary_alpha(lu.L, least_gap(c->truth), horizon);
    mk_claim_case_free(c);
    return code ? code : read_case(c, r, problem, horizon, alpha, err);
}

/* The last ratio against the middle one: O() excludes growth. */
static void check_no_growth(struct mk_claim_report *r, struct mk_claim_row row, double middle)
{
    snprintf(row.quantity, sizeof row.quantity, "the same (expected: that of T = 10^%d)", FIRST_DECADE + FIT_FROM);
    row.expected = middle;
    row.verdict = mk_claim_judge(&row);
    row.note = "";
    mk_claim_emit(r, &row);
}

static void check_horizon(struct mk_claim_report *r, size_t problem, const struct mk_claim_case *c, struct points *to)
{
    const struct mk_truth *f = c->truth;
    const double horizon = (double)c->experiment->horizon[0];
    const double rate = mk_corollary_rate(f->n_arms, f->support_high[mk_truth_best(f, 0, 0)], horizon);
    struct mk_claim_row row =
        mk_claim_row_start(MK_AT_MOST, "R(T) / (K log T / sqrt(T) max b)", "%s, T = %g, alpha = %.4g",
                           problems[problem].name, horizon, c->experiment->entry[0].par[0]);
    struct mk_claim_row max = row;
    mk_claim_set_real(&max, mk_claim_best(c, 0, 0));
    double expected = f->expected_max[mk_truth_best(f, 0, 0)];
    row.observed = (expected - max.observed) / rate;
    row.low = (expected - max.high) / rate;
    row.high = (expected - max.low) / rate;
    row.expected = 1;
    row.verdict = mk_claim_judge(&row);
    row.note = "the constant of O() is not stated; 1 is used for comparison";
    mk_claim_emit(r, &row);
    if (horizon == pow(10, FIRST_DECADE + FIT_FROM)) to->middle = row.observed;
    if (horizon == pow(10, FIRST_DECADE + DECADES - 1)) check_no_growth(r, row, to->middle);
    double error = (row.high - row.low) / 2 / MK_NORMAL_95 / row.observed;
    if (!(row.low > 0)) return; /* the value may be 0: no logarithm */
    to->x[to->n] = log(horizon);
    to->y[to->n] = log(row.observed);
    to->weight[to->n++] = 1 / (error * error);
}

/* The slope over the later horizons: the corollary says that the ratio is constant or falls. */
static void check_slope(struct mk_claim_report *r, size_t problem, const struct points *p)
{
    struct mk_claim_row row = mk_claim_row_start(MK_AT_MOST, "d log R(T)/rate / d log T", "%s, T from 10^%d on",
                                                 problems[problem].name, FIRST_DECADE + FIT_FROM);
    double intercept, slope, c00, c01, c11, chi;
    if (p->n < FIT_FROM + 3) return; /* R(T) cannot be distinguished from 0 at most horizons */
    size_t n = p->n - FIT_FROM;
    gsl_fit_wlinear(p->x + FIT_FROM, 1, p->weight + FIT_FROM, 1, p->y + FIT_FROM, 1, n, &intercept, &slope, &c00, &c01,
                    &c11, &chi);
    /* The points need not lie on a line: errors come from the scatter if it is larger than the sampling error. */
    double width = gsl_cdf_tdist_Pinv(0.975, (double)(n - 2)) * sqrt(fmax(1, chi / (double)(n - 2)) * c11);
    row.expected = 0;
    row.observed = slope;
    row.low = slope - width;
    row.high = slope + width;
    row.verdict = mk_claim_judge(&row);
    if (row.verdict == MK_VERDICT_INCONCLUSIVE)
        row.note = "not distinguishable from 0: R(T) decreases like the rate itself";
    mk_claim_emit(r, &row);
}

static int check_corollary_4_3(struct mk_claim_report *r, size_t i, struct mk_error *err)
{
    struct points p = {.n = 0};
    int code = MK_OK;
    for (int decade = FIRST_DECADE; !code && decade < FIRST_DECADE + DECADES; decade++) {
        struct mk_claim_case c;
        code = open_case(&c, r, i, pow(10, decade), err);
        if (!code) code = mk_claim_means(&c, MK_ENGINE_RECORD, r->options.threads, err);
        if (!code) check_horizon(r, i, &c, &p);
        mk_claim_case_free(&c);
    }
    if (!code) check_slope(r, i, &p);
    return code;
}

const struct mk_claim mk_claim_corollary_4_3 = {
    .name = "corollary_4_3",
    .source = "Balef et al. 2025, Corollary 4.3 [eqs. 9, 10]",
    .statement = "alpha = (1 - 2 log log T / log T) / (4 L sqrt(min Delta)) gives R(T) = O(K log T / sqrt(T) max b)",
    .method = "MaxUCB with that alpha at every T = 10^2 … 10^8, 4000 replications; R(T) over the rate, which must not "
              "grow, and the slope of its logarithm in log T",
    .n = sizeof problems / sizeof *problems,
    .check = check_corollary_4_3,
};
