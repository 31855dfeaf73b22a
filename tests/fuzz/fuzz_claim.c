/* Formulas of claims: reading, evaluating at ordinary and extreme values, and the verdict on the value. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/compare/user_claims.h"
#include "sim/run/experiment/user_claim.h"
#include "tests/fuzz/fuzz.h"

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* An expression in brackets has the same value. */
static void check_brackets(const struct mk_expression *e, const char *text, const double *value)
{
    char inside[MK_EXPRESSION_BYTES + 3];
    struct mk_expression *again = NULL;
    struct mk_error err = {0, ""};
    snprintf(inside, sizeof inside, "(%s)", text);
    if (!fuzz_outcome(mk_expression_new(&again, inside, mk_claim_quantities, MK_USER_CLAIM_QUANTITIES, &err), &err)) {
        FUZZ_MUST(strlen(inside) > MK_EXPRESSION_BYTES || strstr(err.text, "nested"));
        return;
    }
    FUZZ_MUST(same(mk_expression_value(e, value), mk_expression_value(again, value)));
    mk_expression_free(again);
}

static void check_verdicts(struct mk_expression *e)
{
    double expected[] = {0.9, 0.8}, gap[] = {0, 0.1}, low[] = {0, 0}, upper[] = {1, INFINITY};
    size_t optimal[] = {0}, arms[] = {0, 1};
    struct mk_truth truth = {1, 1, 2, expected, gap, optimal, low, upper, NULL};
    struct mk_instance instance = {.n_arms = 2, .arm = arms};
    struct mk_user_claim_place at = {&truth, &instance, 0, 0, 1000, upper, 1, 0.5, 1, 2, 30, {0, 1, 0, 1}};
    for (int kind = 0; kind < 4; kind++) {
        struct mk_user_claim c = {
            .of = kind % 2 ? MK_USER_CLAIM_PULLS : MK_USER_CLAIM_REGRET, .at_least = kind / 2, .bound = e};
        double bound = mk_user_claim_bound(&c, &at);
        enum mk_verdict verdict = mk_user_claim_verdict(&c, bound, 0, 1000, 3, 4);
        FUZZ_MUST((int)verdict >= 0);
    }
}

void fuzz_claim(const unsigned char *data, size_t n)
{
    static const double special[] = {0, -0.0, 1, -1, 2, 1e-320, DBL_MAX, -DBL_MAX, INFINITY, -INFINITY, NAN, 1000};
    enum { SPECIAL = sizeof special / sizeof *special };
    double value[MK_USER_CLAIM_QUANTITIES];
    struct mk_expression *e = NULL;
    struct mk_error err = {0, ""};
    char *text = calloc(n + 1, 1);
    FUZZ_MUST(text);
    memcpy(text, data, n);
    if (fuzz_outcome(mk_expression_new(&e, text, mk_claim_quantities, MK_USER_CLAIM_QUANTITIES, &err), &err)) {
        for (size_t k = 0; k < SPECIAL; k++) {
            for (size_t i = 0; i < MK_USER_CLAIM_QUANTITIES; i++) value[i] = special[(k + i) % SPECIAL];
            check_brackets(e, text, value);
        }
        check_verdicts(e);
        mk_expression_free(e);
    }
    free(text);
}
