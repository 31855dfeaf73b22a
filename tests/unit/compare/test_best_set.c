/* The set of candidates that may be the best one. */
#include <math.h>
#include <stdlib.h>

#include "analysis/compare/best_set.h"
#include "sim/base/pcg64.h"
#include "tests/support/check.h"

enum { N = 20, FEW = 9, K = 4 };

/* `worse` of n differences are 1, the others -1: the number of positive ones under flips is binomial. */
static void check_binomial(size_t n, size_t worse, double expected, double tolerance)
{
    double a[N], b[N], loss[2 * N], p[2], both;
    struct mk_error err = {0, ""};
    for (size_t i = 0; i < n; i++) {
        a[i] = loss[2 * i] = i < worse ? 3 : 2;
        b[i] = loss[2 * i + 1] = i < worse ? 2 : 3;
    }
    REQUIRE(mk_best_set(loss, n, 2, 42, p, &err) == MK_OK && mk_flip_test(a, b, n, 42, &both, &err) == MK_OK, "%s",
            err.text);
    CHECK_CLOSE(p[0], expected, tolerance, "%zu of %zu: the share of flips as extreme", worse, n);
    CHECK(p[1] > 0.9, "the better one is not rejected: %g", p[1]);
    CHECK_CLOSE(both, 2 * p[0], 1e-15, "two-sided");
}

/* Leaving a unit out is the same as never having had it. */
static void check_left_out(void)
{
    double loss[FEW * K], p[FEW], less[FEW * K], expected[K];
    struct mk_error err = {0, ""};
    for (size_t i = 0; i < FEW * K; i++)
        loss[i] = fmod((double)((i + 3) * (i + 7)) * 0.618, 1) - (i % K == 1 ? 0.3 : 0);
    for (size_t c = 0; c < K; c++) {
        REQUIRE(mk_best_left_out(loss, FEW, K, c, 42, p, &err) == MK_OK, "%s", err.text);
        size_t same = 0;
        for (size_t out = 0; out < FEW; out++) {
            for (size_t i = 0; i < (FEW - 1) * K; i++) less[i] = loss[i < out * K ? i : i + K];
            REQUIRE(mk_best_set(less, FEW - 1, K, 42, expected, &err) == MK_OK, "%s", err.text);
            same += p[out] == expected[c];
        }
        CHECK(same == FEW, "candidate %zu: %zu of %d as without the unit", c, same, FEW);
    }
}

/* Of equal candidates each is the best one: 400 times 10 units of independent losses, level 0.05. 42 rejections are
 * five standard errors above the most that are expected, false-alarm rate 3e-6; without any the test would be useless.
 */
static void check_level(void)
{
    enum { TIMES = 400, UNITS = 10 };
    struct mk_pcg64 rng;
    struct mk_error err = {0, ""};
    double loss[UNITS * K], p[K];
    size_t rejected = 0;
    mk_pcg64_from_key(&rng, mk_key_text(mk_key_start(), "best set"));
    for (size_t t = 0; t < TIMES; t++) {
        for (size_t i = 0; i < UNITS * K; i++) loss[i] = mk_uniform(&rng);
        REQUIRE(mk_best_set(loss, UNITS, K, 42, p, &err) == MK_OK, "%s", err.text);
        rejected += p[0] < 0.05;
    }
    CHECK(rejected >= 5 && rejected <= 42, "%zu of %d true hypotheses are rejected at level 0.05", rejected, TIMES);
}

static void check_edges(void)
{
    const double loss[] = {0.5, 0.5 + 1e-12, 0.4, 0.4 - 1e-12};
    double p[2], both;
    struct mk_error err = {0, ""};
    REQUIRE(mk_best_set(loss, 2, 2, 42, p, &err) == MK_OK, "%s", err.text);
    CHECK(p[0] == 1 && p[1] == 1, "equal but for rounding");
    REQUIRE(mk_best_set(loss, 1, 2, 42, p, &err) == MK_OK && mk_flip_test(loss, loss, 1, 42, &both, &err) == MK_OK,
            "%s", err.text);
    CHECK(isnan(p[0]) && isnan(p[1]) && isnan(both), "one unit says nothing");
    REQUIRE(mk_best_left_out(loss, 2, 2, 0, 42, p, &err) == MK_OK, "%s", err.text);
    CHECK(isnan(p[0]) && isnan(p[1]), "nor do two of which one is left out");
}

int main(void)
{
    check_binomial(8, 8, 1.0 / 256, 1e-15);
    check_binomial(8, 7, 9.0 / 256, 1e-15);
    /* P(X >= 15) = 21700 / 2^20 of 20; 10000 flips: five standard errors, false-alarm rate 6e-7. */
    check_binomial(N, 15, 21700.0 / 1048576, 5 * sqrt(0.9793 / 0.0207 / 10000));
    check_level();
    check_left_out();
    check_edges();
    return CHECK_EXIT;
}
