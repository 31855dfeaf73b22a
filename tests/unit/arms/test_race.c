/* Moving arms as certified bounds see them, with scaled rewards: what analysis/theory/certificates/certificate_scale.c
 * says of the factor of the bonus, against products of normal tail probabilities over the pulls, by erfc. */
#include "analysis/compare/arms/race.h"

#include "analysis/theory/certificates/certificate_parts.h"
#include "analysis/theory/certificates/certified_regret.h"
#include "tests/support/processes.h"

enum { T = 1000, M = 40, EARLY = 600, ARMS = 2, BURN_IN = 435, MAIN = 200 };
static const double sigma = 0.05, rare = 1e-9;

/* A curve that rises, with ten rewards that are larger than all others and a jump down, and a Gaussian arm that gets
 * worse for 300 pulls. */
static const char processes[] =
    "{curve: exponential, low: 0.2, high: 0.8, rate: 0.02, noise: 0.05, breaks: [{at: 430, curve: power, low: 0.93, "
    "high: 0.93, rate: 1}, {at: 440, curve: power, low: 0.4, high: 0.5, rate: 1}]}, {start: {family: gaussian, mu: "
    "0.95, sigma: 0.05}, end: {family: gaussian, mu: -0.3, sigma: 0.05}, over: 300}";

static double mean_of(size_t k, int u)
{
    if (k == 1) return 0.95 - 1.25 * fmin(1, (u - 1) / 300.0);
    return u < 430 ? 0.8 - 0.6 * exp(-0.02 * (u - 1)) : u < 440 ? 0.93 : 0.5 - 0.1 / (u - 439);
}

/* log P(the rewards after + 1 … n are all above x, or else at most x) */
static double log_all(size_t k, bool above, int after, int n, double x)
{
    double sum = 0;
    for (int u = after + 1; u <= n; u++) {
        const double own = (x - mean_of(k, u)) / sigma / sqrt(2), z = above ? own : -own;
        sum += z > 0 ? log(erfc(z) / 2) : log1p(-erfc(-z) / 2);
    }
    return sum;
}

/* P(some of the rewards after + 1 … n of either arm is above x, or else below x), at most */
static double some(bool above, int after, int n, double x)
{
    double sum = 0;
    for (size_t k = 0; k < ARMS; k++) sum -= expm1(log_all(k, !above, after, n, x));
    return sum;
}

/* The x where log_all is log(rare), between -1 and 2. */
static double end_of(size_t k, bool above, int n)
{
    double low = -1, high = 2;
    for (int step = 0; step < 60; step++) {
        const double x = (low + high) / 2;
        *((log_all(k, above, 0, n, x) > log(rare)) == above ? &low : &high) = x;
    }
    return low;
}

static void test_rates(const struct mk_race_arms *arms)
{
    static const double x[] = {0.1, 0.45, 0.7, 0.9, 1.1};
    static const int first[] = {0, 20, 300}, last[] = {1, 40, 440, T};
    for (size_t k = 0; k < ARMS; k++)
        for (int above = 0; above < 2; above++) {
            double (*const rates)(const struct mk_known_cdf *, double, uint64_t, uint64_t, enum mk_side) =
                above ? mk_above_rates : mk_cdf_rates;
            double worst = 1, widest = 0;
            for (size_t i = 0; i < sizeof x / sizeof *x; i++)
                for (size_t j = 0; j < 12; j++) {
                    const int after = first[j / 4], end = last[j % 4];
                    if (end <= after) continue;
                    const double low = rates(&arms->arm[k], x[i], (uint64_t)after, (uint64_t)end, MK_FROM_ABOVE);
                    const double high = rates(&arms->arm[k], x[i], (uint64_t)after, (uint64_t)end, MK_FROM_BELOW);
                    const double want = -log_all(k, above, after, end, x[i]);
                    worst = fmin(worst, fmin(want / low, high / want));
                    widest = fmax(widest, (high - low) / (low + 10));
                }
            CHECK(worst > 1 - 1e-9 && widest < 0.3,
                  "arm %zu, %s: bounds of rates, the closest one by a factor of %.15g, %.3g wide", k,
                  above ? "above" : "at most", worst, widest);
        }
}

static void test_range(const struct mk_race_arms *arms)
{
    const struct mk_race race = {
        .arms = ARMS, .arm = arms->arm, .horizon = T, .alpha = 1, .scale = MK_RACE_BY_RANGE, .width = 0.5};
    struct mk_factor_limits limits;
    mk_factor_limits(&limits, &race, rare);
    const double over = some(true, 0, T, limits.bottom + limits.high * race.width),
                 under = some(false, 0, T, limits.bottom);
    CHECK(over <= rare && over > rare / 5 && under <= rare && under > rare / 5 && limits.missed == 2 * rare,
          "some of %d rewards is too large (%.3g) or too small (%.3g) with probability %g at most", T, over, under,
          rare);
    for (size_t i = 0; i < ARMS; i++) {
        const double q = mk_factor_smallest(&race, i, M, rare);
        const double missed = exp(log_all(i, true, 0, M, q) + log_all(1 - i, true, 0, 1, q));
        CHECK(missed <= rare && missed > 0.99 * rare, "the smallest reward after %d pulls of arm %zu: %.6g", M, i,
              missed);
    }
}

/* What follows a burn-in, and the range with its rewards. */
static void test_burn_in(const struct mk_race_arms *arms)
{
    struct mk_known_cdf arm[ARMS] = {arms->arm[0], arms->arm[1]};
    for (size_t k = 0; k < ARMS; k++) arm[k].burnt = BURN_IN;
    struct mk_race race = {
        .arms = ARMS, .arm = arm, .horizon = MAIN, .alpha = 1, .scale = MK_RACE_BY_RANGE, .width = 0.5};
    for (int seen = 0; seen < 2; seen++) {
        struct mk_factor_limits limits;
        race.before = seen ? ARMS * BURN_IN : 0;
        mk_factor_limits(&limits, &race, rare);
        const int after = seen ? 0 : BURN_IN;
        const double over = some(true, after, BURN_IN + MAIN, limits.bottom + limits.high * race.width),
                     under = some(false, after, BURN_IN + MAIN, limits.bottom);
        CHECK(over <= rare && over > rare / 5 && under <= rare && under > rare / 5,
              "%s: some reward is too large (%.3g) or too small (%.3g) with probability %g at most",
              seen ? "scaled by all rewards" : "by those after the burn-in", over, under, rare);
    }
    const double x = mk_known_quantile(&arm[0], 10, 0.5), p = exp(log_all(0, false, BURN_IN, BURN_IN + 10, x));
    CHECK(fabs(p - 0.5) < 1e-6, "the median of the largest of 10 rewards after the burn-in: P(all are below) = %.9g",
          p);
}

/* Of two arms alike, by range and by the largest. */
static void test_low(const struct mk_race_arms *arms)
{
    for (size_t k = 0; k < ARMS; k++) {
        const struct mk_known_cdf arm[ARMS] = {arms->arm[k], arms->arm[k]};
        struct mk_race race = {
            .arms = ARMS, .arm = arm, .horizon = T, .alpha = 1, .scale = MK_RACE_BY_RANGE, .width = 0.5};
        const double top = end_of(k, false, EARLY / ARMS), bottom = end_of(k, true, EARLY / ARMS);
        double missed = 0.25;
        const double range = mk_factor_low(&race, EARLY, rare, &missed), most = (top - bottom) / race.width;
        race.scale = MK_RACE_BY_LARGEST;
        const double largest = mk_factor_low(&race, EARLY, rare, &missed);
        CHECK(range <= most && range > 0.98 * most && largest <= top && largest > 0.98 * top,
              "arm %zu: the factor is at least %.6g <= %.6g, and %.6g <= %.6g", k, range, most, largest, top);
        CHECK(fabs(missed - 0.25 - 8 * rare) < 1e-15, "except for the ends of both arms, twice");
    }
}

/* The mean of the largest of the first n_1 and n_2 rewards, by the midpoint rule. */
static double mean_of_largest(int n_1, int n_2)
{
    enum { STEPS = 4000 };
    const double low = -1, high = 2;
    double sum = high;
    for (int i = 0; i < STEPS; i++) {
        const double x = low + (high - low) * (i + 0.5) / STEPS;
        sum -= exp(log_all(0, false, 0, n_1, x) + log_all(1, false, 0, n_2, x)) * (high - low) / STEPS;
    }
    return sum;
}

/* Where the pulls are certain, the regret is known but for the width of cells, also of rewards without end. */
static void test_regret(const struct mk_race_arms *arms)
{
    static const uint64_t pulls[] = {600, 400};
    const double largest = mean_of_largest(600, 400),
                 regret = fmax(mean_of_largest(T, 0), mean_of_largest(0, T)) - largest;
    struct mk_certificate *c = NULL;
    struct mk_certified_regret r;
    struct mk_error err = {0, ""};
    int code = mk_certificate_certain(&c, ARMS, pulls, T, &err);
    if (!code) code = mk_certified_regret(&r, c, arms->arm, T, &err);
    REQUIRE(code == MK_OK, "%s", err.text);
    CHECK(r.maximum_lower < largest && largest < r.maximum_upper && r.maximum_upper - r.maximum_lower < 0.005,
          "E[V] = %.6f is within %.6f … %.6f", largest, r.maximum_lower, r.maximum_upper);
    CHECK(r.regret_lower < regret && regret < r.regret && r.regret - r.regret_lower < 0.01,
          "the regret, %.6f, is within %.6f … %.6f", regret, r.regret_lower, r.regret);
    mk_certificate_free(c);
}

static void test_exceptions(void)
{
    static const struct {
        const char *processes;
        enum mk_race_scale scale;
        bool one, nonnegative; /* R_t = 1 where the largest reward is not above the origin; no reward is negative */
    } c[] = {
        {"{curve: power, low: 0.2, high: 0.6, rate: 1}", MK_RACE_BY_RANGE, true, false},
        {"{curve: power, low: 0.2, high: 0.6, rate: 1, noise: 0.1}", MK_RACE_BY_RANGE, false, false},
        {"{curve: power, low: 0.2, high: 0.6, rate: 1, noise: 0.1, clip: [0, 1]}", MK_RACE_BY_RANGE, true, false},
        {"{start: {family: bernoulli, p: 0.1}, end: {family: bernoulli, p: 0.2}, over: 5}", MK_RACE_BY_RANGE, true,
         false},
        {"{curve: power, low: 0.2, high: 0.6, rate: 1}", MK_RACE_BY_LARGEST, false, true},
        {"{curve: power, low: 0, high: 0.6, rate: 1}", MK_RACE_BY_LARGEST, true, true},
        {"{curve: power, low: 0.2, high: 0.6, rate: 1, noise: 0.1}", MK_RACE_BY_LARGEST, true, false},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        char text[500];
        struct mk_race_arms *arms = NULL;
        struct mk_factor_limits limits;
        struct mk_error err = {0, ""};
        snprintf(text, sizeof text, "%s, %s", c[i].processes, c[i].processes);
        struct mk_experiment *e = must(text);
        REQUIRE(mk_race_arms_new(&arms, e->problem, 0, 0, &err) == MK_OK, "%s", err.text);
        const struct mk_race race = {
            .arms = ARMS, .arm = arms->arm, .horizon = T, .alpha = 1, .scale = c[i].scale, .width = 1};
        mk_factor_limits(&limits, &race, rare);
        CHECK((limits.min == 1) == c[i].one && limits.nonnegative == c[i].nonnegative, "%s, scaling %d", c[i].processes,
              (int)c[i].scale);
        mk_race_arms_free(arms);
        mk_experiment_free(e);
    }
}

int main(void)
{
    struct mk_error err = {0, ""};
    struct mk_race_arms *arms = NULL;
    struct mk_experiment *e = must(processes);
    REQUIRE(mk_race_arms_new(&arms, e->problem, 0, 0, &err) == MK_OK, "%s", err.text);
    test_rates(arms);
    test_range(arms);
    test_burn_in(arms);
    test_low(arms);
    test_regret(arms);
    mk_race_arms_free(arms);
    mk_experiment_free(e);
    test_exceptions();
    return CHECK_EXIT;
}
