/* Certified bounds on the regret: the theorem's integral over a fine grid, harmonic numbers, and Proposition 4.1. */
#include "analysis/theory/certificates/certified_regret.h"

#include <stddef.h>

#include "tests/support/check.h"

enum { HORIZON = 100 };

/* Arms and numbers of pulls, which are certain; or, if they are more than HORIZON together, at most these, and at least
 * one. */
static struct mk_certified_regret regret_of(size_t arms, struct mk_dist *const *dist, const uint64_t *pulls)
{
    struct mk_known_cdf arm[3];
    struct mk_certificate *c = NULL;
    struct mk_certified_regret out = MK_NO_REGRET;
    struct mk_error err = {0, ""};
    uint64_t all = 0;
    for (size_t k = 0; k < arms; k++) {
        arm[k] = (struct mk_known_cdf){.dist = dist[k]};
        all += pulls[k];
    }
    int code = mk_certificate_certain(&c, arms, pulls, HORIZON, &err);
    for (size_t k = 0; !code && k < arms && all > HORIZON; k++) c->arm[k].min = 1;
    if (!code) code = mk_certified_regret(&out, c, arm, HORIZON, &err);
    CHECK(code == MK_OK, "%zu arms %s", arms, err.text);
    mk_certificate_free(c);
    return out;
}

static struct mk_dist *make(const char *family, double first, double second)
{
    struct mk_dist *d = NULL;
    struct mk_error err;
    CHECK(mk_dist_make(&d, family, &err, first, second) == MK_OK, "%s", family);
    return d;
}

/* Arms with P(X <= x) = x, x^2 and x^3, of which nothing is known but that the pulls are T together and each arm has
 * one. The theorem with b the third one, at the counts n = T / 2^j and T - T / 2^j, rounded down, that the code tries,
 * with m_1 + m_2 = T - n; and the largest product of all, that with T - 2 pulls of the first arm. Cells make the code's
 * integral larger, by less than 3 %. */
static void test_theorem(void)
{
    enum { STEPS = 200000 };
    struct mk_dist *dist[3];
    for (int k = 0; k < 3; k++) dist[k] = make("power", k + 1, 1);
    const uint64_t pulls[] = {HORIZON, HORIZON, HORIZON};
    const struct mk_certified_regret got = regret_of(3, dist, pulls);
    double sum = 0;
    for (int i = 0; i < STEPS; i++) {
        const double x = (i + 0.5) / STEPS;
        double least = pow(x, HORIZON - 2 + 2 + 3);
        for (int j = 1; j <= 6; j++)
            for (int near = 0; near < 2; near++) {
                const double n = floor(near ? HORIZON - ldexp(HORIZON, -j) : ldexp(HORIZON, -j)),
                             first = floor((HORIZON - n) / 2), second = HORIZON - n - first;
                least = fmin(least, pow(x, 3 * n + first + 2 * second) + pow(x, (first + 1) + 2 + 3) +
                                        pow(x, 1 + 2 * (second + 1) + 3));
            }
        sum += (least - pow(x, 3 * HORIZON)) / STEPS;
    }
    CHECK(got.regret > sum * (1 - 1e-6) && got.regret < 1.03 * sum, "regret <= %.9g, the integral %.9g", got.regret,
          sum);
    CHECK_CLOSE(got.proposition_4_1, 2, 1e-12, "1 / T times the pulls of the other arms");
    for (int k = 0; k < 3; k++) mk_dist_free(dist[k]);
}

/* An exponential arm with 60 of 100 pulls, the other one adds nothing: the loss is H_100 - H_60. */
static void test_exponential(void)
{
    struct mk_dist *dist[] = {make("exponential", NAN, 1e-9), make("exponential", NAN, 1)};
    const uint64_t pulls[] = {40, 60};
    const struct mk_certified_regret got = regret_of(2, dist, pulls);
    double loss = 0;
    for (int k = 61; k <= HORIZON; k++) loss += 1.0 / k;
    CHECK(got.regret > loss && got.regret < 1.06 * loss, "regret <= %.9g, H_100 - H_60 = %.9g", got.regret, loss);
    CHECK(isnan(got.proposition_4_1), "rewards without an upper end");
    for (int k = 0; k < 2; k++) mk_dist_free(dist[k]);
}

/* Rewards without an upper end, or any end: 60 and 40 pulls that are certain, of arms that are the same, so that V is
 * the largest of 100 rewards. */
static void test_unbounded(void)
{
    static const uint64_t pulls[] = {60, 40};
    static const struct {
        const char *family;
        double first, second;
    } cases[] = {{"exponential", NAN, 1}, {"gaussian", 0, 1}, {"gaussian", -7, 0.5}, {"pareto", 2.5, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mk_dist *d = make(cases[i].family, cases[i].first, cases[i].second), *dist[] = {d, d};
        const struct mk_certified_regret got = regret_of(2, dist, pulls);
        const double spread = mk_dist_inverse_survival(d, 0.003) - mk_dist_inverse_survival(d, 0.02);
        double mean = NAN;
        struct mk_error err;
        CHECK(mk_dist_expected_max(d, HORIZON, &mean, &err) == MK_OK, "%s", err.text);
        CHECK(got.maximum_lower <= mean && mean <= got.maximum_upper && got.regret >= 0 && got.regret_lower <= 0,
              "%s: E[V] = %.6f within %.6f ... %.6f", cases[i].family, mean, got.maximum_lower, got.maximum_upper);
        CHECK(got.maximum_upper - got.maximum_lower < 0.05 * spread, "%s: cells are narrow, %.3g of %.3g",
              cases[i].family, got.maximum_upper - got.maximum_lower, spread);
        mk_dist_free(d);
    }
}

/* Two pulls on average, but any number of them, of an arm with exponential rewards; the other one has next to none:
 * P(V > x) <= 2 exp(-x), and E[V] <= log 2 + 1, which is reached where the arm is pulled until a reward exceeds log 2.
 */
static void test_mean_pulls(void)
{
    struct mk_dist *dist[] = {make("exponential", NAN, 1e-9), make("exponential", NAN, 1)};
    const struct mk_known_cdf arm[] = {{.dist = dist[0]}, {.dist = dist[1]}};
    const struct mk_race race = {.arms = 2, .arm = arm, .horizon = HORIZON};
    const struct mk_certified_side first = {.maximum = MK_NO_MAXIMUM, .mean = HORIZON - 1},
                                   second = {.maximum = MK_NO_MAXIMUM, .mean = 2};
    const struct mk_certified_side *const above[] = {&first, &second}, *const below[] = {NULL, NULL};
    struct mk_certificate *c = NULL;
    struct mk_certified_regret got;
    struct mk_error err = {0, ""};
    REQUIRE(mk_certificate_join(&c, &race, above, below, &err) == MK_OK, "%s", err.text);
    CHECK(mk_certified_regret(&got, c, arm, HORIZON, &err) == MK_OK, "%s", err.text);
    CHECK(got.maximum_upper > M_LN2 + 1 && got.maximum_upper < 1.05 * (M_LN2 + 1), "E[V] <= %.6f, log 2 + 1 = %.6f",
          got.maximum_upper, M_LN2 + 1);
    mk_certificate_free(c);
    for (int k = 0; k < 2; k++) mk_dist_free(dist[k]);
}

/* Pareto, exponent 1.2: E[M(n)] = Gamma(n + 1) Gamma(1 - 1/a) / Gamma(n + 1 - 1/a); much of it lies beyond any cell. */
static void test_pareto(void)
{
    struct mk_dist *dist[] = {make("pareto", 1.2, 1), make("exponential", NAN, 1e-9)};
    const uint64_t pulls[] = {60, 40};
    const struct mk_certified_regret got = regret_of(2, dist, pulls);
    const double k = 1 / 1.2, loss = exp(lgamma(1 - k)) * (exp(lgamma(HORIZON + 1) - lgamma(HORIZON + 1 - k)) -
                                                           exp(lgamma(61) - lgamma(61 - k)));
    CHECK(got.regret > loss && got.regret < 1.5 * loss, "regret <= %.9g, by gamma functions %.9g", got.regret, loss);
    for (int i = 0; i < 2; i++) mk_dist_free(dist[i]);
}

/* Rewards that may be negative are outside Proposition 4.1, not outside the theorem: F^60 - F^100 of a uniform arm on
 * [-1, 1] integrates to 2 (1/61 - 1/101). */
static void test_negative(void)
{
    struct mk_dist *dist[] = {make("uniform", -1, 1), make("uniform", -1, -0.999)};
    const uint64_t pulls[] = {60, 40};
    const struct mk_certified_regret got = regret_of(2, dist, pulls);
    const double loss = 2 * (1.0 / 61 - 1.0 / 101);
    CHECK(got.regret > loss * (1 - 1e-9) && got.regret < 1.03 * loss, "regret <= %.9g, by hand %.9g", got.regret, loss);
    CHECK(isnan(got.proposition_4_1), "rewards below 0");
    for (int k = 0; k < 2; k++) mk_dist_free(dist[k]);
}

/* Power arms at alpha from 1.56 to 1.68 in steps of 0.2 %, next to the smallest certified regret: what the grids
 * contribute to a step is below 1 %. With grids of their own it is 6 %. */
static void test_alpha(void)
{
    enum { STEPS = 37, HORIZON_OF_SCAN = 2000, ARMS = 5 };
    static const double a[ARMS] = {3, 4, 5, 5, 4}, s[ARMS] = {1.01, 1.01, 1.01, 1.1, 1};
    struct mk_dist *dist[ARMS];
    struct mk_known_cdf arm[ARMS];
    struct mk_error err = {0, ""};
    double last = NAN, most = 0, coarse = 0;
    for (size_t k = 0; k < ARMS; k++) arm[k] = (struct mk_known_cdf){.dist = dist[k] = make("power", a[k], s[k])};
    for (int step = 0; step < STEPS; step++) {
        const struct mk_race race = {
            .arms = ARMS, .arm = arm, .horizon = HORIZON_OF_SCAN, .alpha = 1.56 * pow(1.002, step)};
        struct mk_certificate *c = NULL;
        struct mk_certified_regret got = MK_NO_REGRET;
        int code = mk_certificate_new(&c, &race, MK_CERTIFIED_SHARED, 0.2, &err);
        if (!code) code = mk_certified_regret(&got, c, arm, HORIZON_OF_SCAN, &err);
        CHECK(code == MK_OK, "alpha = %g %s", race.alpha, err.text);
        if (code) continue;
        if (step > 0) most = fmax(most, fabs(log(got.regret / last)));
        last = got.regret;
        for (size_t k = 0; k < ARMS; k++) coarse = fmax(coarse, c->arm[k].refinement);
        mk_certificate_free(c);
    }
    CHECK(most < 0.01, "largest step %.4f", most);
    CHECK(coarse > 0.02 && coarse < 0.2, "every other point takes off at most %.4f", coarse);
    for (size_t k = 0; k < ARMS; k++) mk_dist_free(dist[k]);
}

/* ---- moving arms ---- */

/* Pull u of P(X_u <= x) = x^w, w = weight for even u and twice that for odd u; or 0, and with probability p > 0 10. */
struct toy {
    struct mk_moving moving;
    double weight, p;
};

static double sum_of_weights(const struct toy *a, uint64_t after, uint64_t last)
{
    return a->weight * (double)(last - after + (last + 1) / 2 - (after + 1) / 2);
}

static double toy_rates(const struct mk_moving *m, enum mk_tail tail, double x, uint64_t after, uint64_t last,
                        enum mk_side side)
{
    const struct toy *a = (const struct toy *)(const void *)((const char *)m - offsetof(struct toy, moving));
    const double factor = side == MK_FROM_ABOVE ? 1 - 1e-12 : 1 + 1e-12;
    REQUIRE(tail == MK_LOWER_TAIL, "largest rewards");
    if (after == last || x >= (a->p > 0 ? 10 : 1)) return 0;
    if (a->p > 0) return x < 0 ? INFINITY : -(double)(last - after) * log1p(-a->p) * factor;
    return x > 0 ? -log(x) * sum_of_weights(a, after, last) * factor : INFINITY;
}

static struct toy toy_of(double weight, double p)
{
    return (struct toy){{.rates = toy_rates, .low = 0, .high = p > 0 ? 10 : 1, .step = 1e-12, .decay = NAN}, weight, p};
}

/* E[the largest of n_1 rewards of one arm and n_2 of another one], of arms without p. */
static double toy_mean(const struct toy *a, double n_1, double n_2)
{
    const double w = sum_of_weights(&a[0], 0, (uint64_t)n_1) + sum_of_weights(&a[1], 0, (uint64_t)n_2);
    return w / (w + 1);
}

static struct mk_certified_regret regret_of_toys(const struct toy *toy, const struct mk_certificate *c)
{
    const struct mk_known_cdf arm[] = {{.moving = &toy[0].moving}, {.moving = &toy[1].moving}};
    struct mk_certified_regret out;
    struct mk_error err = {0, ""};
    CHECK(mk_certified_regret(&out, c, arm, HORIZON, &err) == MK_OK, "%s", err.text);
    return out;
}

static void check_toys(const struct mk_certified_regret *got, double largest, double regret, const char *what)
{
    CHECK(got->maximum_lower <= largest && largest <= got->maximum_upper && got->regret_lower <= regret &&
              regret <= got->regret,
          "%s: E[V] = %.6f within %.6f … %.6f, the regret %.6f within %.6f … %.6f", what, largest, got->maximum_lower,
          got->maximum_upper, regret, got->regret_lower, got->regret);
}

/* Counts that are certain; the better arm by its median is the worse one by its mean; no pull of the best arm. */
static void test_certain(void)
{
    static const uint64_t pulls[] = {60, 40}, none[] = {HORIZON, 0};
    const struct toy same[] = {toy_of(1, 0), toy_of(3, 0)};
    struct toy differ[] = {toy_of(1, 0), toy_of(1, 0.002)};
    struct mk_certificate *c = NULL;
    struct mk_error err = {0, ""};
    REQUIRE(mk_certificate_certain(&c, 2, pulls, HORIZON, &err) == MK_OK, "%s", err.text);
    struct mk_certified_regret got = regret_of_toys(same, c);
    const double largest = toy_mean(same, 60, 40), best = toy_mean(same, 0, HORIZON);
    check_toys(&got, largest, best - largest, "certain counts");
    CHECK(got.maximum_upper - got.maximum_lower < 0.05 * (1 - largest) && got.pulls == 60, "cells are narrow, %.3g",
          got.maximum_upper - got.maximum_lower);
    got = regret_of_toys(differ, c);
    const double lucky = -expm1(40 * log1p(-0.002)), first = toy_mean(differ, 60, 0);
    check_toys(&got, 10 * lucky + (1 - lucky) * first,
               -10 * expm1(HORIZON * log1p(-0.002)) - 10 * lucky - (1 - lucky) * first, "means and medians");
    CHECK(got.regret - got.regret_lower < 0.005, "the larger mean counts");
    differ[1].moving.high = INFINITY;
    got = regret_of_toys(differ, c);
    CHECK(isnan(got.regret) && isnan(got.maximum_upper), "an arm of which no more is known above all cells");
    differ[0].moving.low = differ[1].moving.low = -INFINITY;
    differ[1].moving.high = 10;
    got = regret_of_toys(differ, c);
    CHECK(isnan(got.maximum_lower) && got.maximum_upper < 1.69, "below all cells: E[V] <= %.6f", got.maximum_upper);
    mk_certificate_free(c);
    REQUIRE(mk_certificate_certain(&c, 2, none, HORIZON, &err) == MK_OK, "%s", err.text);
    got = regret_of_toys(same, c);
    CHECK(isnan(got.regret) && isnan(got.maximum_lower), "the theorem asks for a pull of the best arm");
    mk_certificate_free(c);
}

/* P(N_2(T) > 20) <= 1/2: with 20 pulls and with T - 1, as a coin decides, and nothing is known from below. */
static void test_tails(void)
{
    const struct toy toy[] = {toy_of(1, 0), toy_of(3, 0)};
    const struct mk_known_cdf arm[] = {{.moving = &toy[0].moving}, {.moving = &toy[1].moving}};
    const struct mk_race race = {.arms = 2, .arm = arm, .horizon = HORIZON};
    uint64_t m[] = {20};
    double tail[] = {0.5};
    const struct mk_certified_side second = {.maximum = MK_NO_MAXIMUM,
                                             .mean = 0.5 * (HORIZON - 1) + 10,
                                             .n = 1,
                                             .m = m,
                                             .tail = tail},
                                   all = {.maximum = MK_NO_MAXIMUM, .mean = HORIZON - 1, .n = 0, .m = m, .tail = tail};
    const struct mk_certified_side *const above[] = {&all, &second}, *const below[] = {NULL, NULL};
    struct mk_certificate *c = NULL;
    struct mk_error err = {0, ""};
    REQUIRE(mk_certificate_join(&c, &race, above, below, &err) == MK_OK, "%s", err.text);
    const struct mk_certified_regret got = regret_of_toys(toy, c);
    const double often = toy_mean(toy, 1, HORIZON - 1), seldom = toy_mean(toy, HORIZON - 20, 20),
                 largest = (often + seldom) / 2;
    check_toys(&got, largest, toy_mean(toy, 0, HORIZON) - largest, "a coin");
    check_toys(&got, seldom, toy_mean(toy, 0, HORIZON) - seldom, "always few pulls");
    CHECK(got.maximum_lower > toy_mean(toy, HORIZON / 4, 1), "%.6f says something", got.maximum_lower);
    mk_certificate_free(c);
}

int main(void)
{
    test_certain();
    test_tails();
    test_theorem();
    test_exponential();
    test_unbounded();
    test_mean_pulls();
    test_pareto();
    test_negative();
    test_alpha();
    return CHECK_EXIT;
}
