/* Expressions: known values, refusals, and random texts, against an independent evaluation while they are generated. */
#include "sim/base/expression.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/pcg64.h"
#include "tests/support/check.h"
#include "tests/support/message.h"

static const char *const names[] = {"T", "K", "alpha", "L_opt"};
static const double values[] = {1000, 5, 0.5, 1.25};
enum { N = 4 };

static double value_of(const char *text, struct mk_error *err)
{
    struct mk_expression *e = NULL;
    if (mk_expression_new(&e, text, names, N, err)) return NAN;
    double value = mk_expression_value(e, values);
    mk_expression_free(e);
    return value;
}

/* By hand; those with log, exp and roots by mpmath. */
static void test_values(void)
{
    static const struct {
        const char *text;
        double want;
    } known[] = {
        {"1", 1},
        {" 2 + 3 * 4 ", 14},
        {"(2 + 3) * 4", 20},
        {"2 - 3 - 4", -5},
        {"24 / 4 / 3", 2},
        {"2 ^ 3 ^ 2", 512},
        {"-2 ^ 2", -4},
        {"2 ^ -1", 0.5},
        {"--3", 3},
        {"1.5e3 + .5 + 2.", 1502.5},
        {"T * K - alpha", 4999.5},
        {"min(3, 2) + max(3, 2) + pow(2, 5)", 37},
        {"abs(-2) + floor(2.7) + ceil(2.2) + log2(8) + log10(100)", 12},
        {"2 * alpha * sqrt(5 / 3 * T) * log(T)", 282.007928358718259},
        {"T^(1 - 2 * L_opt * alpha * sqrt(.04)) / (1 - 2 * L_opt * alpha * sqrt(.04))", 237.10392133852304},
        {"exp(-K)", 0.00673794699908546710},
    };
    struct mk_error err;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        CHECK_CLOSE(value_of(known[i].text, &err), known[i].want, 1e-12, "%s", known[i].text);
    CHECK(isinf(value_of("1 / 0", &err)) && isnan(value_of("log(-1)", &err)) &&
              isnan(value_of("max(log(-1), 2)", &err)),
          "inf and NaN where IEEE has them; NaN is not swallowed by max");
}

static void test_refusals(void)
{
    static const struct {
        const char *text, *want;
    } bad[] = {
        {"", "character 1: ~end"},          {"1 +", "character 4: ~end"},         {"(1 + 2", "character 7: ~closing"},
        {"1 2", "character 3: ~operator"},  {"2 * beta", "character 5: ~'beta'"}, {"log(1, 2)", "character 1: ~one"},
        {"min(1)", "character 1: ~two"},    {"T(3)", "character 1: ~'T'"},        {"1 $ 2", "character 3: ~operator"},
        {"*3", "character 1: ~value"},      {"log", "character 1: ~'log'"},       {"0x10", "character 2: ~operator"},
        {"min(1,)", "character 7: ~value"}, {"1..2", "character 3: ~operator"},   {".", "character 1: ~number"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct mk_error err = {0, ""};
        struct mk_expression *e = NULL;
        int code = mk_expression_new(&e, bad[i].text, names, N, &err);
        CHECK(code == MK_EINPUT && !e && message_says(err.text, bad[i].want), "`%s`: %s", bad[i].text, err.text);
    }
    char deep[2 * MK_EXPRESSION_BYTES];
    struct mk_error err = {0, ""};
    struct mk_expression *e = NULL;
    memset(deep, '(', 1000);
    strcpy(deep + 1000, "1");
    CHECK(mk_expression_new(&e, deep, names, N, &err) == MK_EINPUT && strstr(err.text, "too deeply"), "many brackets");
    deep[0] = '\0';
    for (int i = 0; i < 100; i++) strcat(deep, "1+(");
    CHECK(mk_expression_new(&e, deep, names, N, &err) == MK_EINPUT && strstr(err.text, "too deeply"), "many open sums");
    memset(deep, '1', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    CHECK(mk_expression_new(&e, deep, names, N, &err) == MK_EINPUT && strstr(err.text, "longer"), "a long text");
    CHECK(mk_expression_new(&e, "alpha + T", names, N, &err) == MK_OK && mk_expression_uses(e, 0) &&
              !mk_expression_uses(e, 1) && mk_expression_uses(e, 2),
          "which quantities it uses");
    mk_expression_free(e);
}

/* A random expression appended to `text`, fully bracketed; returns its value. */
static double grow(struct mk_pcg64 *rng, char *text, int depth)
{
    char *end = text + strlen(text);
    uint64_t kind = depth == 0 ? mk_uniform_below(rng, 2) : mk_uniform_below(rng, 8);
    if (kind == 0) {
        int number = (int)mk_uniform_below(rng, 100);
        sprintf(end, "%d.25", number);
        return number + 0.25;
    }
    if (kind == 1) {
        size_t i = (size_t)mk_uniform_below(rng, N);
        strcpy(end, names[i]);
        return values[i];
    }
    if (kind == 2) {
        strcat(text, "sqrt(abs(");
        double x = grow(rng, text, depth - 1);
        strcat(text, "))");
        return sqrt(fabs(x));
    }
    if (kind == 3) {
        strcat(text, "(-");
        double x = grow(rng, text, depth - 1);
        strcat(text, ")");
        return -x;
    }
    static const char *const sign[] = {"+", "-", " * ", " /"};
    strcat(text, "(");
    double a = grow(rng, text, depth - 1);
    strcat(text, sign[kind - 4]);
    double b = grow(rng, text, depth - 1);
    strcat(text, ")");
    return kind == 4 ? a + b : kind == 5 ? a - b : kind == 6 ? a * b : a / b;
}

static void test_random(void)
{
    enum { TEXTS = 3000, BROKEN = 20000, ROOM = 4000 };
    static const char letters[] = "TKL_optalpha0123456789.e+-*/^(), logsqrtminmax\t$\xc3\xa9";
    struct mk_pcg64 rng;
    struct mk_error err;
    char text[ROOM];
    int equal = 1, whole = 1;
    mk_pcg64_seed(&rng, 7, 11);
    for (int i = 0; i < TEXTS; i++) {
        text[0] = '\0';
        double want = grow(&rng, text, 4), got = value_of(text, &err);
        equal &= got == want || (isnan(got) && isnan(want));
    }
    CHECK(equal, "%d random expressions have the value they were made with", TEXTS);
    for (int i = 0; i < BROKEN; i++) {
        struct mk_expression *e = NULL;
        size_t n = (size_t)mk_uniform_below(&rng, 40);
        for (size_t k = 0; k < n; k++) text[k] = letters[mk_uniform_below(&rng, sizeof letters - 1)];
        text[n] = '\0';
        if (i % 2) { /* a good expression with one character changed */
            text[0] = '\0';
            grow(&rng, text, 3);
            text[mk_uniform_below(&rng, strlen(text))] = letters[mk_uniform_below(&rng, sizeof letters - 1)];
        }
        err.text[0] = '\0';
        int code = mk_expression_new(&e, text, names, N, &err);
        whole &= code == MK_OK || (code == MK_EINPUT && !e && err.text[0]);
        if (e) (void)mk_expression_value(e, values);
        mk_expression_free(e);
    }
    CHECK(whole, "%d broken texts are read or refused with a message", BROKEN);
}

/* T from -2 to 3, K from 1 to 2, alpha from -1 to 1, L_opt from 0 to 5. */
static const double lows[N] = {-2, 1, -1, 0}, highs[N] = {3, 2, 1, 5};

static void test_ranges(void)
{
    static const struct {
        const char *text;
        double from, to;
    } known[] = {
        {"T", -2, 3},
        {"2 - T", -1, 4},
        {"T * alpha", -3, 3},
        {"T ^ 2", 0, 9},
        {"T ^ 3", -8, 27},
        {"K ^ alpha", 0.5, 2},
        {"abs(T)", 0, 3},
        {"1 / K", 0.5, 1},
        {"1 / T", -INFINITY, INFINITY},
        {"min(1 / L_opt, 4)", -INFINITY, 4},
        {"min(log(T), 3)", -INFINITY, INFINITY}, /* NaN for T < 0 */
        {"1 / (1 + exp(sqrt(T)))", -INFINITY, INFINITY},
        {"max(min(alpha / T, 3), 0)", -INFINITY, INFINITY},       /* 0 / 0 */
        {"max(min(alpha * (1 / T), 3), 0)", -INFINITY, INFINITY}, /* 0 times infinity */
        {"max(min(T ^ alpha, 3), 0)", -INFINITY, INFINITY},       /* a root of a negative number */
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct mk_expression *e = NULL;
        struct mk_error err;
        double from = NAN, to = NAN;
        REQUIRE(mk_expression_new(&e, known[i].text, names, N, &err) == MK_OK, "%s: %s", known[i].text, err.text);
        mk_expression_range(e, lows, highs, &from, &to);
        CHECK(from == known[i].from && to == known[i].to, "%s: from %g to %g", known[i].text, from, to);
        mk_expression_free(e);
    }
}

/* Whether the value at a random place, where every quantity may be at an end of its range or 0, is within the range. */
static bool is_within(const struct mk_expression *e, struct mk_pcg64 *rng, double from, double to)
{
    double value[N];
    for (size_t i = 0; i < N; i++) {
        const double at[] = {lows[i], highs[i], fmax(lows[i], 0), lows[i] + mk_uniform(rng) * (highs[i] - lows[i])};
        value[i] = at[mk_uniform_below(rng, 4)];
    }
    const double x = mk_expression_value(e, value), slack = 1e-9 * (fabs(from) + fabs(to));
    return isnan(x) || isinf(slack) ? (isinf(from) || x >= from) && (isinf(to) || x <= to)
                                    : x >= from - slack && x <= to + slack;
}

static void test_random_ranges(void)
{
    enum { TEXTS = 2000, PLACES = 20 };
    static const char *const around[] = {"%s", "min(%s, 2)", "max(1, min(%s, 5))", "1 / (1 + exp(%s))", "log(%s) ^ 2"};
    struct mk_pcg64 rng;
    struct mk_error err;
    char inner[3000], text[4000];
    size_t bounded = 0, wrong = 0;
    mk_pcg64_seed(&rng, 9, 11);
    for (int i = 0; i < TEXTS; i++) {
        struct mk_expression *e = NULL;
        double from, to;
        inner[0] = '\0';
        grow(&rng, inner, 3);
        snprintf(text, sizeof text, around[i % 5], inner);
        REQUIRE(mk_expression_new(&e, text, names, N, &err) == MK_OK, "%s: %s", text, err.text);
        mk_expression_range(e, lows, highs, &from, &to);
        bounded += isfinite(from) && isfinite(to);
        for (int k = 0; k < PLACES; k++) wrong += !is_within(e, &rng, from, to);
        mk_expression_free(e);
    }
    CHECK(wrong == 0 && bounded > TEXTS / 4, "%d random expressions are within their ranges, %zu of which are finite",
          TEXTS, bounded);
}

int main(void)
{
    test_values();
    test_refusals();
    test_random();
    test_ranges();
    test_random_ranges();
    return CHECK_EXIT;
}
