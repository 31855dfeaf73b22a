/* Bounds of Theorem 4.2 and Proposition 4.1: sums, minimisation, regimes, verdicts. */
#include "analysis/theory/bounds.h"
#include "analysis/theory/explicit_bound.h"

#include <stdlib.h>
#include <time.h>

#include "sim/base/pcg64.h"
#include "tests/support/check.h"

/* mpmath 40 digits: zeta(p, first) - zeta(p, last + 1); p = 1: harmonic numbers. */
static void test_power_sum(void)
{
    static const struct {
        double p;
        uint64_t first, last;
        double want;
    } known[] = {
        {0, 1, 10, 10.0},
        {0, 5, 1000000000000, 999999999996.0},
        {0.2, 1, 10, 7.46747341900520422},
        {0.2, 1, 10000, 1980.46181404696971},
        {0.2, 5, 1000000000000, 4976339627.75563484},
        {0.2, 100000000000, 1000000000000, 4187642951.3236194},
        {0.2, 40, 41, 0.953996837146514112},
        {0.999999999, 1, 10000, 9.78760607838721194},
        {0.999999999, 5, 1000000000000, 26.1249038281017481},
        {0.999999999, 100000000000, 1000000000000, 2.30258515397137476},
        {1, 1, 10, 2.92896825396825397},
        {1, 1, 10000, 9.78760603604438226},
        {1, 5, 1000000000000, 26.1249034474972477},
        {1, 100000000000, 1000000000000, 2.30258509299954568},
        {1.000000001, 1, 10000, 9.78760599370155285},
        {1.000000001, 5, 1000000000000, 26.1249030668927544},
        {1.7, 1, 10000, 2.05202470294807829},
        {1.7, 5, 1000000000000, 0.497282676816720401},
        {1.7, 100000000000, 1000000000000, 2.28165020631786444e-8},
        {1.7, 40, 41, 0.00370261347120121674},
        {30, 1, 10000, 1.00000000093132743},
        {30, 5, 1000000000000, 1.07831039722328157e-21},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        CHECK_CLOSE(mk_power_sum(known[i].p, known[i].first, known[i].last), known[i].want, 1e-13,
                    "sum t^-%g, %llu to %llu", known[i].p, (unsigned long long)known[i].first,
                    (unsigned long long)known[i].last);
    CHECK(mk_power_sum(2, 5, 4) == 0 && mk_log2_sum(5, 4) == 0 && mk_clipped_sum(1, 1, 5, 4) == 0, "empty sums");
}

/* mpmath: the second derivative of the Hurwitz zeta function at 0, zeta(0, first, 2) - zeta(0, last + 1, 2). */
static void test_log2_sum(void)
{
    CHECK_CLOSE(mk_log2_sum(1, 10), 27.6502438071412358, 1e-14, "sum log^2, 1 to 10");
    CHECK_CLOSE(mk_log2_sum(1, 10000), 684137.299218953618, 1e-14, "sum log^2, 1 to 10^4");
    CHECK_CLOSE(mk_log2_sum(5, 1000000000000), 710211285677408.338, 1e-14, "sum log^2, 5 to 10^12");
    CHECK_CLOSE(mk_log2_sum(100000000000, 1000000000000), 650924005745533.003, 1e-14, "sum log^2, 10^11 to 10^12");
    CHECK_CLOSE(mk_log2_sum(40, 41), 27.3984491215904366, 1e-13, "sum log^2, 40 to 41");
}

/* mpmath: the same zeta differences, interval of unclipped terms by bisection, minimum over l by a search on a
 * logarithmic grid of 160 starts, ternary search and all l of the last bracket. */
static void test_bound_sum(void)
{
    static const struct {
        double p, c;
        uint64_t horizon;
        double want;
        uint64_t at;
    } known[] = {
        {0.171, .25, 1000000, 124636.910886275817, 7273},
        {0.171, .25, 1000000000000, 10727184993.3907732, 13744825},
        {0.686, .25, 1000000000000, 26667847.0267071751, 13324985},
        {1, .25, 1000000000000, 26649741.2453782621, 13324899},
        {2.5, .5, 1000000000, 883111.778837226257, 441598},
        {0.02, 3, 100000000, 70877332.1364499812, 624614},
        {0.9, 40, 10000, 8118.91294798510197, 5546},
        {0.5, 2000, 1000000, 846431.645768113548, 600411},
        {3, 0.0001, 1000000000000, 532995.778673303057, 266498},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint64_t at;
        double got = mk_bound_sum(known[i].p, known[i].c, known[i].horizon, &at);
        CHECK_CLOSE(got, known[i].want, 1e-11, "bound p=%g c=%g T=%g", known[i].p, known[i].c,
                    (double)known[i].horizon);
        double off = fabs((double)at - (double)known[i].at);
        CHECK(off <= 1 + 1e-6 * (double)known[i].at, "its l is %llu", (unsigned long long)at);
    }
    CHECK(mk_bound_sum(0, 0.3, 1000, NULL) == 1001, "p = 0: every term is 1, the bound T + 1");
    CHECK(mk_bound_sum(0.5, INFINITY, 1000, NULL) == 1001, "U = inf: every term is clipped");
    CHECK(mk_bound_sum(INFINITY, 0, 1000, NULL) == 2, "p = inf, c = 0: 1 + the term at t = 1");
    CHECK(mk_bound_sum(0.5, 0.1, 1, NULL) == 2, "T = 1");
}

/* All l, every term. */
static double brute(double p, double c, uint64_t T, double *power, double *log2)
{
    double best = INFINITY;
    for (uint64_t t = 1; t <= T; t++) {
        double l = log((double)t);
        power[t] = pow((double)t, -p);
        log2[t] = l * l;
    }
    for (uint64_t l = 1; l <= T; l++) {
        double k = c / (double)l, sum = (double)l;
        for (uint64_t t = l; t <= T; t++) {
            double term = power[t] + k * log2[t];
            sum += term < 1 ? term : 1;
        }
        if (sum < best) best = sum;
    }
    return best;
}

static void test_brute_force(void)
{
    enum { SMALL = 600, LARGE = 8, MOST = 10000 };
    double *power = malloc((MOST + 1) * sizeof *power), *log2 = malloc((MOST + 1) * sizeof *log2);
    struct mk_pcg64 rng;
    mk_pcg64_from_key(&rng, mk_key_text(mk_key_start(), "bounds"));
    double worst = 0;
    for (int i = 0; power && log2 && i < SMALL + LARGE; i++) {
        double u = mk_uniform(&rng), p = i % 3 ? exp(8 * mk_uniform(&rng) - 5) : mk_uniform(&rng);
        double c = exp(20 * mk_uniform(&rng) - 12);
        uint64_t T = i < SMALL ? 1 + (uint64_t)(exp(6.9 * u)) : MOST;
        double want = brute(p, c, T, power, log2), got = mk_bound_sum(p, c, T, NULL);
        double off = fabs(got - want) / want;
        if (off > worst) worst = off;
        if (off > 1e-11)
            printf("# p %.17g c %.17g T %llu: %.17g, want %.17g\n", p, c, (unsigned long long)T, got, want);
    }
    CHECK(power && log2 && worst < 1e-11,
          "minimum over l agrees with brute force, %d parameters, T to 10^4 (worst %.1e)", SMALL + LARGE, worst);
    free(power);
    free(log2);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void test_cost(void)
{
    enum { N = 400 };
    struct mk_pcg64 rng;
    mk_pcg64_from_key(&rng, mk_key_text(mk_key_start(), "bounds cost"));
    double start = seconds(), worst = 0;
    for (int i = 0; i < N; i++) {
        double p = exp(9 * mk_uniform(&rng) - 7), c = exp(40 * mk_uniform(&rng) - 12), begin = seconds();
        double got = mk_bound_sum(p, c, 1000000000000, NULL);
        double took = seconds() - begin;
        if (!(got > 0)) CHECK(0, "bound at p %g c %g", p, c);
        if (took > worst) worst = took;
    }
    double mean = (seconds() - start) / N;
    CHECK(mean < 0.05, "a bound at T = 10^12 costs %.3f ms on average (largest %.3f ms)", 1e3 * mean, 1e3 * worst);
}

/* mpmath: T^(1-p)/(1-p) + 2 alpha sqrt(U T) log T, p = 2 L alpha sqrt(gap);
 * figure_e5 the first term, gap for its root. */
static void test_variants(void)
{
    struct mk_bound_input in = {0.5, 1.7, 2.3, 0.0294, 0.05, 2000, 0};
    struct mk_bound b = mk_bound_evaluate(MK_BOUND_PRINTED, &in);
    CHECK_CLOSE(b.p, 0.29148927939119819, 1e-14, "p of the printed bound");
    CHECK_CLOSE(b.value, 823.46013680615213, 1e-13, "printed");
    CHECK(b.regime == MK_REGIME_P_BELOW_1 && b.gap == 0.0294, "p < 1");
    b = mk_bound_evaluate(MK_BOUND_FIGURE_E5, &in);
    CHECK_CLOSE(b.p, 0.04998, 1e-14, "p of figure_e5");
    CHECK_CLOSE(b.value, 1439.831823612599, 1e-13, "figure_e5");
    b = mk_bound_evaluate(MK_BOUND_SUM, &in);
    CHECK(b.value == mk_bound_sum(b.p, 0.25 * 2.3, 2000, NULL), "sum");
    b = mk_bound_evaluate(MK_BOUND_ENDPOINT, &in);
    CHECK_CLOSE(b.p, 2 * 1.7 * 0.5 * sqrt(0.05), 1e-15, "p of endpoint, from the gap of the upper ends");
    CHECK(b.gap == 0.05 && b.value == mk_bound_sum(b.p, 0.25 * 2.3, 2000, NULL), "endpoint");
}

/* explicit: mpmath, quadrature of the integral, the least over all integers n instead of a grid (hence 0.1 %). */
static void test_added_variants(void)
{
    static const struct {
        double alpha, L, gap;
        uint64_t horizon;
        double least;
    } known[] = {{0.5, 1, 0.5, 2000, 239.18417762543322},
                 {2, 1, 0.25, 5000, 60.922428142218333},
                 {0.7, 2.5, 0.3, 300, 16.108775291477359}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double value = mk_explicit_bound(known[i].alpha, known[i].L, known[i].gap, known[i].horizon);
        CHECK(value >= known[i].least * (1 - 1e-12) && value <= known[i].least * 1.001, "explicit: %.10g for %.10g",
              value, known[i].least);
    }
    CHECK(mk_explicit_bound(0.5, 1, 0, 100) == 100 && mk_explicit_bound(0.5, 1, NAN, 100) == 100, "no gap of the ends");
    CHECK(mk_explicit_bound(0.5, 1e-9, 0.1, 100) == 100, "never above T");
    CHECK(mk_explicit_bound(0.5, INFINITY, 0.25, 1000) == 7,
          "a constant best arm: the first n with alpha log T / n < 1/2");
    struct mk_bound_input in = {
        .alpha = 0.5, .L = 1, .U = INFINITY, .gap = NAN, .gap_endpoint = 0.379, .horizon = 2000};
    CHECK(isnan(mk_bound_evaluate(MK_BOUND_CROSSING, &in).value), "crossing without a certificate");
    in.certified = 42;
    struct mk_bound b = mk_bound_evaluate(MK_BOUND_CROSSING, &in);
    CHECK(b.value == 42 && isnan(b.p), "crossing, without L, U or gaps");
}

static void test_regimes(void)
{
    struct mk_bound_input above = {0.5, 4, 2.3, 0.25, 0.25, 1000000000000, 0};
    struct mk_bound b = mk_bound_evaluate(MK_BOUND_PRINTED, &above);
    CHECK(b.regime == MK_REGIME_P_ABOVE_1 && b.p == 2, "p = 2 is p>1");
    CHECK_CLOSE(b.value, 41904518.302808892, 1e-13, "p > 1: printed");
    CHECK(mk_bound_evaluate(MK_BOUND_FIGURE_E5, &(struct mk_bound_input){0.5, 5, 1, 0.4, 0.4, 10, 0}).value < 0,
          "p > 1: the first term is negative as printed");
    struct mk_bound_input one = {0.5, 2, 2.3, 0.25, 0.25, 5000, 0};
    b = mk_bound_evaluate(MK_BOUND_PRINTED, &one);
    CHECK(b.regime == MK_REGIME_P_IS_1, "p = 1");
    CHECK_CLOSE(b.value, 1 + log(5000) + sqrt(2.3 * 5000) * log(5000), 1e-14, "p = 1: limit form 1 + log T");
    /* 2 L alpha sqrt(gap) with roundings: 2 * (1/0.6) * 0.3 * sqrt(1) */
    struct mk_bound_input rounded = {0.3, 1 / 0.6, 1, 1, 1, 100, 0};
    CHECK(mk_bound_evaluate(MK_BOUND_PRINTED, &rounded).regime == MK_REGIME_P_IS_1, "p = 1 up to rounding");
    double worst = 0;
    for (int e = 3; e <= 15; e++) {
        double h = pow(10, -e), at = mk_bound_sum(1, 0.5, 1000000000, NULL);
        double off = fmax(fabs(mk_bound_sum(1 + h, 0.5, 1000000000, NULL) - at),
                          fabs(mk_bound_sum(1 - h, 0.5, 1000000000, NULL) - at));
        /* |d/dp sum_{t=l}^T t^-p| <= log T (1 + log T) near p = 1 */
        worst = fmax(worst, off / (h * log(1e9) * (1 + log(1e9)) + 1e-15 * at));
    }
    CHECK(worst < 2, "sum is continuous at p = 1 (%.2f of its Lipschitz bound)", worst);
}

static void test_degenerate(void)
{
    const double inf = INFINITY;
    struct mk_bound b = mk_bound_evaluate(MK_BOUND_PRINTED, &(struct mk_bound_input){0.5, 1, inf, 0.1, 0.1, 1000, 0});
    CHECK(b.value == inf && mk_bound_verdict(b.value, 1000, 1, 2) == MK_VERDICT_VACUOUS, "U = inf is vacuous");
    b = mk_bound_evaluate(MK_BOUND_PRINTED, &(struct mk_bound_input){0.5, inf, 1, 0.1, 0.1, 1000, 0});
    CHECK(b.regime == MK_REGIME_P_ABOVE_1 && isfinite(b.value), "L = inf: p = inf, a finite bound");
    b = mk_bound_evaluate(MK_BOUND_SUM, &(struct mk_bound_input){0.5, inf, 1, 0, 0, 1000, 0});
    CHECK(b.p == 0 && b.value == 1001, "no gap: p = 0, the bound T + 1");
    b = mk_bound_evaluate(MK_BOUND_SUM, &(struct mk_bound_input){0, 1, inf, 0.1, 0.1, 1000, 0});
    CHECK(b.p == 0 && b.value == 1001, "alpha = 0");
    b = mk_bound_evaluate(MK_BOUND_PRINTED, &(struct mk_bound_input){0, 1, inf, 0.1, 0.1, 1000, 0});
    CHECK(b.value == 1000, "alpha = 0: T as printed");
    b = mk_bound_evaluate(MK_BOUND_SUM, &(struct mk_bound_input){0.5, NAN, 1, 0.1, 0.1, 1000, 0});
    CHECK(isnan(b.value) && isnan(b.p), "an infinite upper end");
    b = mk_bound_evaluate(MK_BOUND_ENDPOINT, &(struct mk_bound_input){0.5, 1, 1, 0.1, -0.1, 1000, 0});
    CHECK(isnan(b.value), "endpoint with b_i above b_i*");
}

static void test_verdicts(void)
{
    CHECK(mk_bound_verdict(10, 100, 5, 9) == MK_VERDICT_HOLDS, "holds");
    CHECK(mk_bound_verdict(10, 100, 5, 10) == MK_VERDICT_HOLDS, "holds with the interval's end on the bound");
    CHECK(mk_bound_verdict(10, 100, 11, 12) == MK_VERDICT_VIOLATED, "violated");
    CHECK(mk_bound_verdict(10, 100, 9, 12) == MK_VERDICT_INCONCLUSIVE, "inconclusive");
    CHECK(mk_bound_verdict(10, 100, NAN, NAN) == MK_VERDICT_INCONCLUSIVE, "inconclusive without an interval");
    CHECK(mk_bound_verdict(100, 100, 9, 12) == MK_VERDICT_VACUOUS, "vacuous at T");
    CHECK(mk_bound_verdict(NAN, 100, 9, 12) == MK_VERDICT_NOT_APPLICABLE, "not applicable");
    double low, high;
    mk_mean_interval(10, 0.5, 5, &low, &high);
    CHECK_CLOSE(high - 10, 0.5 * 2.7764451051977987, 1e-9, "interval of 5 values"); /* scipy.stats.t.ppf(.975, 4) */
    mk_mean_interval(10, NAN, 1, &low, &high);
    CHECK(isnan(low) && isnan(high), "interval of one value");
}

/* By hand: regret .8 - .7 = .1, right-hand side .9 / 100 * (100 - 60) = .36. */
static void test_regret(void)
{
    struct mk_regret_input in = {.expected_max = 0.8,
                                 .mean_max = 0.7,
                                 .se_max = 0.01,
                                 .optimal_pulls = 60,
                                 .se_optimal = 2,
                                 .support_low = 0,
                                 .support_high = 0.9,
                                 .horizon = 100,
                                 .replications = 1000};
    struct mk_regret_check c;
    const double t = 1.9623414611334487; /* scipy.stats.t.ppf(.975, 999) */
    mk_regret_check(&in, &c);
    CHECK_CLOSE(c.regret, 0.1, 1e-13, "regret");
    CHECK_CLOSE(c.regret_high, 0.1 + t * 0.01, 1e-9, "its interval");
    CHECK_CLOSE(c.bound, 0.36, 1e-13, "right-hand side");
    CHECK_CLOSE(c.bound_low, 0.009 * (40 - t * 2), 1e-9, "its interval");
    CHECK(c.verdict == MK_VERDICT_HOLDS, "holds");
    in.mean_max = 0.3;
    mk_regret_check(&in, &c);
    CHECK(c.verdict == MK_VERDICT_VIOLATED, "violated");
    in.mean_max = 0.44;
    mk_regret_check(&in, &c);
    CHECK(c.verdict == MK_VERDICT_INCONCLUSIVE, "inconclusive");
    in.support_low = -0.1;
    mk_regret_check(&in, &c);
    CHECK(c.verdict == MK_VERDICT_NOT_APPLICABLE && isnan(c.bound), "negative rewards");
    in.support_low = 0;
    in.support_high = INFINITY;
    mk_regret_check(&in, &c);
    CHECK(c.verdict == MK_VERDICT_NOT_APPLICABLE && isnan(c.bound), "unbounded rewards");
}

static void test_names(void)
{
    CHECK(mk_bound_variant_name(MK_BOUND_FIGURE_E5)[0] == 'f' && mk_bound_regime_name(MK_REGIME_P_IS_1)[1] == '=' &&
              mk_verdict_name(MK_VERDICT_NOT_APPLICABLE)[3] == '-',
          "names");
}

/* The smallest and largest bound over a grid of L and U must lie within the reported range, and reach its ends. */
static void test_range(void)
{
    static const struct mk_bound_span spans[] = {{0.2, 0.9, 1, 4},
                                                 {0.05, 0.3, 2, 2.5},
                                                 {0.9, 1.4, 1, 1},
                                                 {2, 3, 1, 9},
                                                 {0.95, 1.05, 1, 1}}; /* p turns at 1 - 1 / log(5000) = .883 */
    int within = 1, reached = 1;
    for (size_t s = 0; s < sizeof spans / sizeof *spans; s++)
        for (int v = 0; v < MK_BOUND_VARIANTS; v++) {
            struct mk_bound_input in = {
                .alpha = 0.9, .gap = 0.25, .gap_endpoint = 0.3, .horizon = 5000, .certified = 70};
            double low, high, least = INFINITY, largest = -INFINITY;
            mk_bound_range((enum mk_bound_variant)v, &in, &spans[s], &low, &high);
            for (int i = 0; i <= 400; i++) {
                in.L = spans[s].L_low + (spans[s].L_high - spans[s].L_low) * i / 400;
                for (int j = 0; j < 2; j++) {
                    in.U = j ? spans[s].U_high : spans[s].U_low;
                    double value = mk_bound_evaluate((enum mk_bound_variant)v, &in).value;
                    least = fmin(least, value);
                    largest = fmax(largest, value);
                }
            }
            within &= low <= least * (1 + 1e-12) + 1e-9 * (least < 0) && high >= largest * (1 - 1e-12);
            if (isfinite(low)) reached &= least - low <= 2e-4 * fabs(low) && high - largest <= 1e-12 * fabs(high);
        }
    CHECK(within, "no L and U within their bounds gives a bound outside the range");
    CHECK(reached, "the ends of the range are attained");
    /* p = 2 L alpha sqrt(gap) = .9 L: 1 lies within 0.9 … 1.4 */
    struct mk_bound_input in = {.alpha = 0.9, .gap = 0.25, .gap_endpoint = 0.3, .horizon = 5000};
    double low, high;
    mk_bound_range(MK_BOUND_PRINTED, &in, &spans[2], &low, &high);
    CHECK(low == -INFINITY && high == INFINITY, "as printed, an interval of p that holds 1 allows any bound");
    mk_bound_range(MK_BOUND_SUM, &in, &(struct mk_bound_span){NAN, NAN, 1, 2}, &low, &high);
    CHECK(isnan(low) && isnan(high), "no constants, no range");
    CHECK(mk_bound_verdict_between(10, 20, 100, 1, 9) == MK_VERDICT_HOLDS &&
              mk_bound_verdict_between(10, 200, 100, 1, 9) == MK_VERDICT_HOLDS &&
              mk_bound_verdict_between(10, 20, 100, 12, 15) == MK_VERDICT_INCONCLUSIVE &&
              mk_bound_verdict_between(10, 20, 100, 21, 25) == MK_VERDICT_VIOLATED &&
              mk_bound_verdict_between(100, 200, 100, 21, 25) == MK_VERDICT_VACUOUS &&
              mk_bound_verdict_between(10, 200, 100, 12, 15) == MK_VERDICT_INCONCLUSIVE,
          "verdicts over a range of bounds");
}

int main(void)
{
    test_added_variants();
    test_regimes();
    test_degenerate();
    test_verdicts();
    test_regret();
    test_names();
    test_power_sum();
    test_log2_sum();
    test_bound_sum();
    test_brute_force();
    test_cost();
    test_variants();
    test_range();
    return CHECK_EXIT;
}
