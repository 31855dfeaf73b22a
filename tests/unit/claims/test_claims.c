/* Formulas of published theorems, the verdicts of claims, and the claims that need no simulation. */
#include "analysis/compare/claims/bound_search.h"
#include "analysis/compare/claims/claim.h"
#include "analysis/theory/formulas.h"

#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>

#include "tests/support/check.h"

static struct mk_dist *make(const char *family, double a, double b)
{
    struct mk_dist *d = NULL;
    struct mk_error err = {0, ""};
    int code = mk_dist_make(&d, family, &err, a, b);
    if (code) {
        printf("not ok %s: %s\n", family, err.text);
        exit(1);
    }
    return d;
}

/* mpmath, 30 digits, from the formulas as they are stated in formulas.h. */
static void test_formulas(void)
{
    const double tight = 1e-10;
    CHECK_CLOSE(mk_corollary_alpha(1.25, 0.03, 1e6), 0.71577309887619733, tight, "Corollary 4.3, alpha");
    CHECK_CLOSE(mk_corollary_alpha(1, 0.2, 50), 0.16917791623943061, tight, "Corollary 4.3, alpha at T = 50");
    CHECK_CLOSE(mk_corollary_rate(5, 0.9, 1e6), 0.062169797510839233, tight, "Corollary 4.3, rate");
    struct mk_dist *d = make("gaussian", 1, 2);
    CHECK_CLOSE(mk_quantile_variance(d, 0.95, 400), 0.044655614565157221, tight, "variance of a quantile, Gaussian");
    mk_dist_free(d);
    d = make("power", 4, 1);
    CHECK_CLOSE(mk_quantile_variance(d, 0.9, 100), 6.5880784586841236e-5, tight, "variance of a quantile, power arm");
    mk_dist_free(d);
    d = make("exponential", NAN, 2);
    CHECK_CLOSE(mk_quantile_variance(d, 0.5, 10), 0.4, tight, "variance of a quantile, exponential");
    mk_dist_free(d);
    d = make("bernoulli", 0.5, NAN);
    CHECK(isnan(mk_quantile_variance(d, 0.9, 10)), "no density, no variance formula");
    mk_dist_free(d);
}

static void test_extreme_region(void)
{
    static const struct {
        const char *family;
        double a, b, beta, theta, want;
    } known[] = {{"gaussian", .84, .07, .85, .01, 0.69710678118654752},
                 {"uniform", .5, 1, 0, 1, 1.5137626158259733},
                 {"beta", 2, 3, .6, .1, 0.69442719099991588},
                 {"dirac", .3, NAN, .1, .25, 0.6}}; /* by hand: .2 + .2 / .5 */
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct mk_error err = {0, ""};
        struct mk_dist *d = make(known[i].family, known[i].a, known[i].b);
        double value = NAN;
        int code = mk_extreme_region(d, known[i].beta, known[i].theta, &value, &err);
        CHECK(code == MK_OK, "extreme region of %s %s", known[i].family, err.text);
        CHECK_CLOSE(value, known[i].want, 1e-10, "extreme region of %s", known[i].family);
        mk_dist_free(d);
    }
    CHECK_CLOSE(mk_extreme_region_pulls(3, 0.5, 1.2, 10000, 0), 8639.6940987276713, 1e-10, "Hu's Theorem 1");
    CHECK_CLOSE(mk_extreme_region_pulls(3, 0.5, 1.2, 10000, 1), 111.6011617126873, 1e-10,
                "Hu's Corollary 1 as printed");
    CHECK_CLOSE(mk_extreme_region_pulls(4, 0.01, 0.3, 1000, 0), 2839797666534.3503, 1e-10,
                "Hu's Theorem 1, small theta");
}

enum { T = 200 };

static void test_rising(void)
{
    static double curve[3][T], low[T];
    const double *r[] = {curve[0], curve[1], curve[2]};
    static const double b[] = {.9, .7, .5}, s[] = {20, 10, 5};
    for (int k = 0; k < 3; k++)
        for (int n = 1; n <= T; n++) curve[k][n - 1] = -b[k] * expm1(-n / s[k]);
    CHECK(mk_rising_gamma(r, 3, 0, 1, T) == 46, "gamma, C = 1");
    CHECK(mk_rising_gamma(r, 3, 0, 7, T) == 49, "gamma, C = 7");
    CHECK_CLOSE(mk_rising_regret(r[0], 3, 46, T), 0.0040240629115651648, 1e-10, "Li's Theorem 1, gamma = 46");
    CHECK_CLOSE(mk_rising_regret(r[0], 3, 49, T), 0.0054462119721778361, 1e-10, "Li's Theorem 1, gamma = 49");
    CHECK_CLOSE(mk_rising_regret(r[0], 3, 100, T), curve[0][T - 1], 1e-15, "all pulls lost: the whole reward");
    CHECK_CLOSE(mk_rising_uniform_regret(r, 3, 0, T), 0.033153990724329769, 1e-10, "regret of round robin");
    const double first[] = {.7, .2, .5, .6}, other[] = {.1, .3, .3, .9}, *fall[] = {first, other};
    CHECK_CLOSE(mk_rising_uniform_regret(fall, 2, 1, 4), 0.2, 1e-15,
                "of curves that fall: .9 less the best of 2 each, .7");
    CHECK(mk_rising_upper_bound(r[0], 7, 7, T) == 1, "no growth rate yet: the upper bound is 1");
    /* D(t) = c (T - t) is eq. 15 with equality; halving it in the first half breaks it where it doubles. */
    for (int n = 1; n <= T; n++) low[n - 1] = curve[0][n - 1] - 1e-4 * (T - n);
    CHECK(mk_rising_is_loose(curve[0], low, 7, T), "eq. 15 with equality");
    for (int n = 1; n <= T / 2; n++) low[n - 1] = curve[0][n - 1] - 5e-5 * (T - n);
    CHECK(!mk_rising_is_loose(curve[0], low, 7, T), "eq. 15 broken");
}

static void test_halving(void)
{
    const double four[] = {.4, .9, .3, .5}, six[] = {.3, .8, .7, .75, .1, .2}, tie[] = {.5, .5, .1};
    CHECK_CLOSE(mk_halving_complexity(four, 4), 12.5, 1e-12, "H_2 of four arms");
    CHECK_CLOSE(mk_halving_error(four, 4, 1007), 0.03903718870064006, 1e-10, "Karnin's bound, four arms");
    CHECK_CLOSE(mk_halving_complexity(six, 6), 800, 1e-10, "H_2 of six arms");
    CHECK_CLOSE(mk_halving_error(six, 6, 20000), 2.3149967124391037, 1e-10, "Karnin's bound, six arms");
    CHECK(isinf(mk_halving_complexity(tie, 3)), "two best arms cannot be distinguished");
}

static enum mk_verdict judged(enum mk_relation relation, double expected, double low, double high)
{
    struct mk_claim_row row = mk_claim_row_start(relation, "q", "w");
    row.expected = expected;
    row.low = low;
    row.high = high;
    return mk_claim_judge(&row);
}

static void test_verdicts(void)
{
    CHECK(judged(MK_AT_MOST, 1, 0, 1) == MK_VERDICT_HOLDS && judged(MK_AT_MOST, 1, 1.1, 2) == MK_VERDICT_VIOLATED &&
              judged(MK_AT_MOST, 1, 0.5, 2) == MK_VERDICT_INCONCLUSIVE,
          "at most");
    CHECK(judged(MK_AT_LEAST, 1, 1, 2) == MK_VERDICT_HOLDS && judged(MK_AT_LEAST, 1, 0, 0.5) == MK_VERDICT_VIOLATED &&
              judged(MK_AT_LEAST, 1, 0.5, 2) == MK_VERDICT_INCONCLUSIVE,
          "at least");
    CHECK(judged(MK_EQUALS, 1, 0.5, 2) == MK_VERDICT_HOLDS && judged(MK_EQUALS, 1, 1.5, 2) == MK_VERDICT_VIOLATED,
          "equals");
    CHECK(judged(MK_AT_MOST, NAN, 0, 1) == MK_VERDICT_NOT_APPLICABLE &&
              judged(MK_AT_MOST, 1, NAN, 1) == MK_VERDICT_INCONCLUSIVE,
          "nothing claimed; no interval");
}

static void check_limit(double observed, double before, enum mk_verdict verdict, const char *note)
{
    struct mk_claim_row row = mk_claim_row_start(MK_EQUALS, "q", "w");
    row.expected = 2;
    row.observed = observed;
    row.low = observed - 0.1;
    row.high = observed + 0.1;
    mk_claim_judge_limit(&row, before, 0.05);
    CHECK(row.verdict == verdict && strcmp(row.note, note) == 0, "a limit of 2, before %g, now %g: '%s'", before,
          observed, row.note);
}

/* Within .1 of the interval and .05 of tolerance; otherwise it counts whether the limit has come nearer. */
static void test_limits(void)
{
    check_limit(2.14, 3, MK_VERDICT_HOLDS, "");
    check_limit(1.86, 3, MK_VERDICT_HOLDS, "");
    check_limit(2.16, 3, MK_VERDICT_INCONCLUSIVE, "not yet there, but closer than at smaller T");
    check_limit(1.5, 0.5, MK_VERDICT_INCONCLUSIVE, "not yet there, but closer than at smaller T");
    check_limit(2.5, 1.75, MK_VERDICT_VIOLATED, "no closer than at smaller T");
    check_limit(2.5, 2.5, MK_VERDICT_VIOLATED, "no closer than at smaller T");
}

/* Ranges from a ratio of 10 on are divided on the logarithm. */
static void test_places(void)
{
    const struct mk_bound_search_range wide = {.lo = 0.01, .hi = 1}, ten = {.lo = 4, .hi = 40},
                                       narrow = {.lo = 2, .hi = 4}, sign = {.lo = -1, .hi = 99};
    CHECK_CLOSE(mk_bound_search_place(&wide, 0.5), 0.1, 1e-15, "the middle of .01 to 1");
    CHECK_CLOSE(mk_bound_search_place(&ten, 0.5), 4 * sqrt(10), 1e-15, "the middle of 4 to 40");
    CHECK(mk_bound_search_place(&narrow, 0.5) == 3 && mk_bound_search_place(&sign, 0.25) == 24,
          "equal steps where the ratio is below 10 or there is none");
    CHECK(mk_bound_search_place(&narrow, 0) == 2 && mk_bound_search_place(&narrow, 1) == 4, "the ends");
    CHECK(mk_bound_search_place(&narrow, 1.25) == 3.5 && mk_bound_search_place(&narrow, -0.25) == 2.5 &&
              mk_bound_search_place(&narrow, 2.25) == 2.5,
          "reflected at the ends");
}

struct tally {
    unsigned rows, verdict[MK_VERDICT_NOT_APPLICABLE + 1], theorem_violated;
};

static void count(void *to, const struct mk_claim *claim, const struct mk_claim_row *row)
{
    struct tally *t = to;
    (void)claim;
    t->rows++;
    t->verdict[row->verdict]++;
    t->theorem_violated += row->verdict == MK_VERDICT_VIOLATED && strncmp(row->quantity, "Theorem 2", 9) != 0;
}

static struct tally run(const char *name)
{
    struct tally t = {0};
    struct mk_error err = {0, ""};
    struct mk_claim_report r = {
        .claim = mk_claim_find(name), .options = {.seed = 42, .threads = 2}, .row = count, .to = &t};
    int code = r.claim ? mk_claim_check(&r, &err) : MK_EFAIL;
    CHECK(code == MK_OK && t.rows > 0, "%s: %u rows %s", name, t.rows, err.text);
    return t;
}

static void test_exact_claims(void)
{
    struct tally t = run("lemma_3_3");
    CHECK(t.verdict[MK_VERDICT_VIOLATED] == 0 && t.verdict[MK_VERDICT_HOLDS] >= 30,
          "Lemma 3.3 holds on every bounded arm");
    t = run("table_c2");
    CHECK(t.verdict[MK_VERDICT_HOLDS] == 8 && t.rows == 8, "Table C.2 is reproduced");
    t = run("relevant_dimensions");
    CHECK(t.verdict[MK_VERDICT_HOLDS] == 21 && t.rows == 21, "L, U and the exponent of seven bowls");
    t = run("rising_bandits");
    CHECK(t.theorem_violated == 0 && t.verdict[MK_VERDICT_HOLDS] > 20,
          "Li's Theorem 1 and Corollary 1 hold on every curve");
    CHECK(t.verdict[MK_VERDICT_VIOLATED] == 1, "the one case in which the best arm is dropped though eq. 15 holds");
}

static void test_registry(void)
{
    int good = 1;
    for (size_t i = 0; i < mk_claim_count(); i++) {
        const struct mk_claim *c = mk_claim_at(i);
        good &= mk_claim_find(c->name) == c && c->n && c->check && c->source[0] && c->statement[0] && c->method[0];
        good &= strspn(c->name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(c->name);
    }
    CHECK(good && !mk_claim_find("no_such_claim"), "%zu claims, each found by its name", mk_claim_count());
}

int main(void)
{
    gsl_set_error_handler_off();
    test_formulas();
    test_extreme_region();
    test_rising();
    test_halving();
    test_verdicts();
    test_limits();
    test_places();
    test_registry();
    test_exact_claims();
    return CHECK_EXIT;
}
