/* Plans of Nguyen 2024, chapter 3, as printed, next to those of the sources that it describes: eq. 3.6 and Algorithms 4
 * to 6. What the printed forms find is experiments/thesis_readings.yaml. */
#include <math.h>

#include "analysis/compare/claims/claim.h"
#include "sim/search/plan/halving.h"
#include "sim/search/plan/plan.h"
#include "sim/search/plan/race.h"

static void emit(struct mk_claim_report *r, struct mk_claim_row row, double source, double printed)
{
    row.expected = source;
    row.observed = printed;
    row.verdict = mk_claim_judge_exact(&row, 1e-12);
    mk_claim_emit(r, &row);
}

static double sum_of_weights(enum mk_reading reading, uint64_t elites)
{
    double sum = 0;
    for (uint64_t rank = 1; rank <= elites; rank++) sum += mk_race_weight(reading, elites, rank);
    return sum;
}

static void check_weights(struct mk_claim_report *r)
{
    static const uint64_t elites[] = {2, 3, 5, 10};
    for (size_t i = 0; i < sizeof elites / sizeof *elites; i++)
        emit(r,
             mk_claim_row_start(MK_EQUALS, "sum of the probabilities of the parents", "eq. 3.6, %d elites",
                                (int)elites[i]),
             sum_of_weights(MK_READING_SOURCE, elites[i]), sum_of_weights(MK_READING_PRINTED, elites[i]));
}

/* The rules for the number of eliminations; a plan as printed ends before its last round, so these are the rounds. */
static void check_eliminations(struct mk_claim_report *r)
{
    static const double budgets[] = {100, 150, 200, 1000};
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        unsigned source, printed;
        mk_halving_eliminations(MK_READING_SOURCE, 16, 10, 2, budgets[i], &source);
        mk_halving_eliminations(MK_READING_PRINTED, 16, 10, 2, budgets[i], &printed);
        emit(r,
             mk_claim_row_start(MK_EQUALS, "eliminations", "Algorithm 5, lines 1-10: n = 16, R = 10, eta = 2, B = %g",
                                budgets[i]),
             source, printed);
    }
}

/* A plan by its defaults but for the given parameters in their order; NaN: the default. */
static int make_thesis_plans(struct mk_plan *out, const char *name, const double *given, size_t n, struct mk_error *err)
{
    const struct mk_plan_type *type = mk_plan_type_find(name);
    double par[MK_MAX_PARAMS];
    mk_param_defaults(type->params, par);
    for (size_t i = 0; i < n; i++)
        if (!isnan(given[i])) par[i] = given[i];
    return type->make(par, out, err);
}

/* Parameters n, R, eta, B, reading. */
static int check_survivors(struct mk_claim_report *r, double n, double R, double eta, struct mk_error *err)
{
    struct mk_plan plan[2] = {{0}, {0}};
    int code = MK_OK;
    for (int reading = 0; reading < 2 && !code; reading++) {
        const double given[] = {n, R, eta, NAN, reading ? MK_READING_PRINTED : MK_READING_SOURCE};
        code = make_thesis_plans(&plan[reading], "successive_halving", given, 5, err);
    }
    if (!code)
        emit(r,
             mk_claim_row_start(MK_EQUALS, "folds that the last survivors have seen",
                                "Algorithm 5, line 14: n = %g, R = %g, eta = %g", n, R, eta),
             plan[0].round[plan[0].n - 1].reached, plan[1].round[plan[1].n - 1].reached);
    for (int reading = 0; reading < 2; reading++) mk_plan_free(&plan[reading]);
    return code;
}

/* Parameters R, eta, rounding, B, reading. */
static int check_hyperband(struct mk_claim_report *r, struct mk_error *err)
{
    const struct mk_hyperband_rule printed = {81, 3, MK_ROUNDING_CEIL, MK_READING_PRINTED, 2025};
    struct mk_hyperband_rule source = printed;
    const double given[] = {printed.R, printed.eta, NAN, printed.B, MK_READING_PRINTED};
    struct mk_plan plan = {0};
    uint64_t n[2];
    unsigned s, with_rounds = 0;
    source.reading = MK_READING_SOURCE;
    mk_hyperband_bracket(&source, 4, &n[0], &s);
    mk_hyperband_bracket(&printed, 4, &n[1], &s);
    emit(r, mk_claim_row_start(MK_EQUALS, "configurations of bracket 4", "Algorithm 6, line 5: R = 81, B = 2025"),
         (double)n[0], (double)n[1]);
    for (unsigned bracket = 0; bracket <= 4; bracket++) with_rounds += mk_hyperband_bracket(&printed, bracket, n, &s);
    emit(r, mk_claim_row_start(MK_EQUALS, "brackets with a round", "Algorithm 6, lines 5 and 7: R = 81, B = 2025"), 5,
         with_rounds);
    emit(r, mk_claim_row_start(MK_EQUALS, "rounds of bracket 0", "Algorithm 6, line 7: R = 81, B = 2025"), 1,
         mk_hyperband_bracket(&printed, 0, n, &s));
    int code = make_thesis_plans(&plan, "hyperband", given, 5, err);
    if (!code)
        emit(r, mk_claim_row_start(MK_AT_LEAST, "budget spent (expected: B - R)", "Algorithm 6: R = 81, B = 2025"),
             printed.B - printed.R, mk_plan_total(&plan));
    mk_plan_free(&plan);
    return code;
}

/* Parameters parameters, B, first, each, elites, reading. */
static int check_races(struct mk_claim_report *r, struct mk_error *err)
{
    struct mk_plan plan[2] = {{0}, {0}};
    int code = MK_OK;
    for (int reading = 0; reading < 2 && !code; reading++) {
        const double given[] = {4, 1000, 5, 1, NAN, reading ? MK_READING_PRINTED : MK_READING_SOURCE};
        code = make_thesis_plans(&plan[reading], "irace", given, 6, err);
    }
    for (size_t j = 0; j < plan[0].n && !code; j++)
        emit(r,
             mk_claim_row_start(MK_EQUALS, "configurations",
                                "Algorithm 4, race %zu: 4 parameters, B = 1000, 4 elites (printed: new ones)", j + 1),
             (double)plan[0].round[j].configurations, (double)plan[1].round[j].configurations);
    for (int reading = 0; reading < 2; reading++) mk_plan_free(&plan[reading]);
    return code;
}

static int check_thesis_plans(struct mk_claim_report *r, size_t part, struct mk_error *err)
{
    (void)part;
    check_weights(r);
    int code = check_races(r, err);
    if (!code) check_eliminations(r);
    if (!code) code = check_survivors(r, 16, 10, 2, err);
    if (!code) code = check_survivors(r, 27, 10, 3, err);
    return code ? code : check_hyperband(r, err);
}

const struct mk_claim mk_claim_thesis_plans = {
    .name = "thesis_plans",
    .source = "Nguyen 2024, chapter 3: eq. 3.6, Algorithms 4 to 6",
    .statement =
        "iterated racing, Successive Halving and Hyperband divide their budgets as in the sources (irace; Li et "
        "al. 2018)",
    .method = "exact; expected: the source's number, observed: the printed form's",
    .n = 1,
    .check = check_thesis_plans,
};
