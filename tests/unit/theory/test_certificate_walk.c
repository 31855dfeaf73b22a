/* Two arms (certificate_walk.h): bounds from both sides against simulation, against each other, and at their ends.
 * Exact expectations of small instances are in test_certificate_exact.c. */
#include <omp.h>

#include "analysis/theory/certificates/certificate_merge.h"
#include "analysis/theory/certificates/certificate_walk.h"
#include "sim/api/maxk/policy.h"
#include "sim/base/pcg64.h"
#include "tests/support/check.h"

struct pair {
    const char *family[2];
    double first[2], second[2]; /* parameters; NaN: none */
    double alpha, power;
    uint64_t horizon;
    double width; /* (upper - lower) / the pulls of the arm with fewer of them is at most this, with refinement 0.1 */
    enum mk_race_scale scale;
};

static const double interval = 0.98; /* to which a range is mapped */

static struct mk_dist *make(const char *family, double first, double second)
{
    struct mk_dist *d = NULL;
    struct mk_error err = {0, ""};
    const int code =
        isnan(second) ? mk_dist_make(&d, family, &err, first) : mk_dist_make(&d, family, &err, first, second);
    REQUIRE(code == MK_OK, "%s: %s", family, err.text);
    return d;
}

struct bounds {
    double lower, upper;                 /* of E[N_0(T)] */
    double maximum_lower, maximum_upper; /* of the mean of the largest reward; NaN: not known */
};

static struct bounds bound(const struct pair *p, struct mk_dist *const *dist, double refinement)
{
    const struct mk_known_cdf arm[2] = {{.dist = dist[0]}, {.dist = dist[1]}};
    const struct mk_race race = {.arms = 2,
                                 .arm = arm,
                                 .horizon = p->horizon,
                                 .alpha = p->alpha,
                                 .power = p->power,
                                 .scale = p->scale,
                                 .width = interval};
    struct mk_error err = {0, ""};
    double above[2], least = 0, most = 0, low, high, left = NAN, right = NAN;
    struct mk_certified_side side;
    REQUIRE(mk_walk_applies(&race), "two arms");
    for (size_t k = 0; k < 2; k++) {
        REQUIRE(mk_walk_above(&side, &race, k, refinement, &err) == MK_OK, "%s", err.text);
        above[k] = side.mean;
        least += side.maximum.min;
        most += side.maximum.max;
        mk_certified_side_clear(&side);
    }
    const bool known = mk_walk_range(&race, &low, &high);
    CHECK(known == isfinite(least), "the mean of the largest reward is bounded where it is");
    if (known) CHECK(mk_walk_beyond(&race, low, high, &left, &right, &err) == MK_OK, "%s", err.text);
    return (struct bounds){(double)p->horizon - above[1], above[0], high - most - left, high - least + right};
}

/* Pulls of arm 0 by the definition of the policy, and the largest reward. */
static double play(const struct pair *p, struct mk_dist *const *dist, struct mk_pcg64 *rng, const double *bonus,
                   double *largest)
{
    double most[2], reward;
    uint64_t n[2] = {1, 1};
    for (size_t k = 0; k < 2; k++) dist[k]->type->sample(dist[k], &rng[k], 1, &most[k]);
    double smallest = fmin(most[0], most[1]);
    for (uint64_t t = 3; t <= p->horizon; t++) {
        const double best = fmax(most[0], most[1]), factor = p->scale == MK_RACE_UNSCALED     ? 1
                                                             : p->scale == MK_RACE_BY_LARGEST ? best
                                                             : best > smallest ? (best - smallest) / interval
                                                                               : 1;
        double index[2];
        for (size_t k = 0; k < 2; k++) index[k] = most[k] + factor * bonus[t] / ((double)n[k] * (double)n[k]);
        const size_t k = index[1] > index[0];
        dist[k]->type->sample(dist[k], &rng[k], 1, &reward);
        most[k] = fmax(most[k], reward);
        smallest = fmin(smallest, reward);
        n[k]++;
    }
    *largest = fmax(most[0], most[1]);
    return (double)n[0];
}

struct seen {
    double mean, error;
};

static struct seen seen_of(double sum, double squares, double n)
{
    const double mean = sum / n;
    return (struct seen){mean, sqrt((squares / n - mean * mean) / n)};
}

static void simulate(const struct pair *p, struct mk_dist *const *dist, uint64_t seed, size_t replications,
                     struct seen *pulls, struct seen *maximum)
{
    double sum[2] = {0}, squares[2] = {0}, value[2], *bonus = malloc((p->horizon + 1) * sizeof *bonus);
    REQUIRE(bonus, "memory");
    for (uint64_t t = 1; t <= p->horizon; t++) bonus[t] = pow(p->alpha * pow(log((double)t), p->power), 2);
    for (size_t r = 0; r < replications; r++) {
        struct mk_pcg64 rng[2];
        for (unsigned k = 0; k < 2; k++) mk_pcg64_seed(&rng[k], seed, 2 * r + k);
        value[0] = play(p, dist, rng, bonus, &value[1]);
        for (int k = 0; k < 2; k++) {
            sum[k] += value[k];
            squares[k] += value[k] * value[k];
        }
    }
    free(bonus);
    *pulls = seen_of(sum[0], squares[0], (double)replications);
    *maximum = seen_of(sum[1], squares[1], (double)replications);
}

/* 19 pairs, 4 standard errors on either side of two means: false alarms below 3e-3. */
static void test_simulated(void)
{
    static const struct pair pairs[] = {
        {{"uniform", "power"}, {0, 2.5}, {0.93, 1.02}, 0.4, 1, 1000, 0.2, MK_RACE_UNSCALED},
        {{"power", "power"}, {3, 4}, {1.01, 1}, 0.4, 1, 2000, 0.2, MK_RACE_UNSCALED},
        {{"power", "uniform"}, {3.3, 0}, {1.012, 1}, 0.2, 1, 1500, 0.1, MK_RACE_UNSCALED},
        {{"power", "power"}, {3, 4}, {1.01, 1}, 0.1, 2, 2000, 0.35, MK_RACE_UNSCALED},
        {{"gaussian", "gaussian"}, {0, 0}, {1, 0.8}, 0.5, 1, 500, 0.1, MK_RACE_UNSCALED},
        {{"uniform", "bernoulli"}, {0, 0.02}, {0.9, NAN}, 0.3, 1, 300, 0.01, MK_RACE_UNSCALED},
        {{"pareto", "pareto"}, {3, 2}, {1, 0.5}, 1, 1, 200, 0.1, MK_RACE_UNSCALED},
        {{"uniform", "uniform"}, {0, 0}, {1, 1}, 0.3, 1, 400, 0.1, MK_RACE_UNSCALED},
        {{"power", "power"}, {3, 4}, {1.01, 1}, 0.4, 1, 2000, 0.2, MK_RACE_BY_LARGEST},
        {{"power", "power"}, {3, 4}, {5.05, 5}, 0.4, 1, 2000, 0.2, MK_RACE_BY_LARGEST},
        {{"pareto", "uniform"}, {3, 0}, {1, 4}, 0.3, 1, 300, 0.1, MK_RACE_BY_LARGEST},
        {{"uniform", "exponential"}, {0, 1}, {3, NAN}, 0.6, 2, 300, 0.1, MK_RACE_BY_LARGEST},
        {{"uniform", "uniform"}, {0, 0.3}, {1, 1}, 0.2, 1, 5, 0.1, MK_RACE_UNSCALED},
        {{"uniform", "uniform"}, {0, 0.8}, {1, 0.99}, 0.05, 1, 10, 0.1, MK_RACE_UNSCALED},
        {{"uniform", "power"}, {0, 2.5}, {0.93, 1.02}, 0.4, 1, 400, 0.6, MK_RACE_BY_RANGE},
        {{"gaussian", "gaussian"}, {0, 0.5}, {1, 1}, 0.4, 1, 100, 0.5, MK_RACE_BY_RANGE},
        {{"negative_exponential", "exponential"}, {2, 0.1}, {NAN, NAN}, 3, 1, 60, 0.3, MK_RACE_BY_RANGE},
        {{"pareto", "bernoulli"}, {2, 0.3}, {0.2, NAN}, 1, 1, 50, 0.3, MK_RACE_BY_RANGE},
        {{"uniform", "uniform"}, {0, 0.3}, {1, 1}, 0.4, 1, 6, 0.1, MK_RACE_BY_RANGE},
    };
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        const struct pair *p = &pairs[k];
        struct mk_dist *dist[2];
        for (size_t i = 0; i < 2; i++) dist[i] = make(p->family[i], p->first[i], p->second[i]);
        const struct bounds b = bound(p, dist, 0.1);
        struct seen s, m;
        simulate(p, dist, 20261123 + k, p->horizon > 10 ? 4000 : 2000000, &s, &m);
        const double fewer = fmin(b.upper, (double)p->horizon - b.lower);
        CHECK(b.lower <= s.mean + 4 * s.error && s.mean - 4 * s.error <= b.upper,
              "pair %zu: %g … %g, observed %g +- %g", k, b.lower, b.upper, s.mean, s.error);
        if (!isnan(b.maximum_lower))
            CHECK(b.maximum_lower <= m.mean + 4 * m.error && m.mean - 4 * m.error <= b.maximum_upper,
                  "pair %zu: largest reward %g … %g, observed %g +- %g", k, b.maximum_lower, b.maximum_upper, m.mean,
                  m.error);
        CHECK(b.upper - b.lower <= p->width * fewer && b.lower < b.upper, "pair %zu: %g … %g is narrow", k, b.lower,
              b.upper);
        const struct bounds coarse = bound(p, dist, 0.5);
        const double slack =
            p->scale == MK_RACE_BY_RANGE ? 0.02 : 1e-6; /* limited work: grids are not nested; single precision */
        CHECK(coarse.lower <= b.lower * (1 + slack) && b.upper <= coarse.upper * (1 + slack) &&
                  (b.upper - b.lower) < (coarse.upper - coarse.lower) * (1 + slack),
              "pair %zu: %g … %g lies within %g … %g", k, b.lower, b.upper, coarse.lower, coarse.upper);
        for (size_t i = 0; i < 2; i++) mk_dist_free(dist[i]);
    }
}

/* The mean of the largest reward against its exact value, with coarse grids and finer ones. */
static void compare(const struct pair *p, struct mk_dist *const *dist, double exact)
{
    for (double refinement = 1; refinement > 1e-2; refinement /= 8) {
        const struct bounds b = bound(p, dist, refinement);
        CHECK(b.maximum_lower <= exact && exact <= b.maximum_upper, "T = %g: largest reward %.9g <= %.9g <= %.9g",
              (double)p->horizon, b.maximum_lower, exact, b.maximum_upper);
    }
}

/* Uniform arms on [0, 1] and [0, b], V the largest reward, in closed form. alpha = 0: the arm with the larger first
 * reward has all pulls but one, so that with n = T - 2
 *
 *     P(V <= x) = x^2 / (2 b) (x^n + (x / b)^n) for x <= b,    (x - b / 2) x^n + b / 2 for b <= x <= 1.
 *
 * alpha = 1000: the arms have n = T / 2 pulls each, so that P(V <= x) = x^n min(1, x / b)^n. */
static void test_largest(void)
{
    const double b = 0.8;
    static const uint64_t horizons[] = {4, 10, 40, 1000};
    struct mk_dist *dist[2] = {make("uniform", 0, 1), make("uniform", 0, b)};
    for (size_t h = 0; h < 8; h++) {
        const struct pair p = {.horizon = horizons[h / 2], .alpha = 0, .power = 1},
                          q = {.horizon = horizons[h / 2], .alpha = 1000, .power = 1};
        struct mk_dist *const in_order[2] = {dist[h % 2], dist[1 - h % 2]};
        const double n = (double)p.horizon - 2, half = (double)p.horizon / 2,
                     below = pow(b, n + 2) / (2 * (n + 3)) + b * b / (2 * (n + 3)),
                     above = (1 - pow(b, n + 2)) / (n + 2) - b / 2 * (1 - pow(b, n + 1)) / (n + 1) + b / 2 * (1 - b);
        compare(&p, in_order, 1 - below - above);
        compare(&q, in_order, 1 - pow(b, half + 1) / (2 * half + 1) - (1 - pow(b, half + 1)) / (half + 1));
    }
    for (size_t k = 0; k < 2; k++) mk_dist_free(dist[k]);
}

/* N_1(11) of MaxUCB with alpha = 1 on the three arms of section 5, whose first has this first reward. */
static int pulls_of_first(double first)
{
    enum { ROUNDS = 11 };
    const double reward[3][ROUNDS] = {{first, 3.75}, {4.75, 4.75, 4.75, 4.75, 4.75, 4.75}, {4.5, 4.5, 4.5, 99, 99, 99}};
    struct mk_policy *policy = NULL;
    struct mk_error err = {0, ""};
    size_t arm, n[3] = {0};
    REQUIRE(mk_policy_new(&policy, "{name: max_ucb, alpha: 1}", 3, NULL, &err) == MK_OK, "%s", err.text);
    for (int t = 0; t < ROUNDS; t++) {
        REQUIRE(mk_policy_select(policy, &arm, &err) == MK_OK, "%s", err.text);
        REQUIRE(mk_policy_update(policy, arm, reward[arm][n[arm]++], &err) == MK_OK, "%s", err.text);
    }
    mk_policy_free(policy);
    return (int)n[0];
}

static void test_three_arms(void)
{
    const int before = pulls_of_first(0.2), after = pulls_of_first(0.25);
    CHECK(before == 3 && after == 2, "with three arms a larger reward may mean fewer pulls: %d, %d", before, after);
}

/* What lies beyond the range counts all rewards of a burn-in as well. */
static void test_beyond(void)
{
    enum { ROUNDS = 100, BURNT = 100000 };
    struct mk_dist *dist[2] = {make("exponential", 1, NAN), make("exponential", 0.5, NAN)};
    const struct mk_known_cdf arm[2] = {{.dist = dist[0], .burnt = BURNT}, {.dist = dist[1], .burnt = BURNT}};
    const struct mk_race race = {.arms = 2, .arm = arm, .horizon = ROUNDS, .alpha = 0.5, .power = 1};
    struct mk_error err = {0, ""};
    double left, right, exact = 0;
    const double high = 12;
    CHECK(mk_walk_beyond(&race, 0, high, &left, &right, &err) == MK_OK, "%s", err.text);
    /* of n rewards with mean b: the integral of 1 - (1 - u)^n over u from 0 to exp(-high / b), times b / u */
    for (int k = 0; k < 2; k++) {
        const double mean = k ? 2 : 1, top = exp(-high / mean); /* 1 / rate */
        enum { STEPS = 20000 };
        for (int i = 0; i < STEPS; i++) {
            const double u = top * (i + 0.5) / STEPS;
            exact += mean * -expm1((ROUNDS + BURNT) * log1p(-u)) / (i + 0.5);
        }
    }
    CHECK(fabs(right / exact - 1) < 1e-4 && left == 0, "beyond %g: %.8g, exact %.8g", high, right, exact);
    for (int k = 0; k < 2; k++) mk_dist_free(dist[k]);
}

/* The highest levels of arm 2 that are dropped lower P(V <= x) by what they count for, or more. */
static void test_lowered(void)
{
    struct mk_dist *dist[2] = {make("uniform", 0, 0.93), make("power", 2.5, 1.02)};
    const struct mk_known_cdf arm[2] = {{.dist = dist[0]}, {.dist = dist[1]}};
    const struct mk_race race = {.arms = 2, .arm = arm, .horizon = 200, .alpha = 0.4, .power = 1};
    struct mk_certified_maximum exact = MK_NO_MAXIMUM, rough = MK_NO_MAXIMUM;
    struct mk_error err = {0, ""};
    for (int lossy = 0; lossy < 2; lossy++) {
        struct mk_walk_grid g;
        struct mk_walk_ends ends = {0};
        struct mk_walk_result got;
        int code = mk_walk_grid_start(&g, &race, 1, &err);
        if (!code) code = mk_walk_pass(&got, &g, &ends, &race, lossy ? 20 : 0, &err);
        if (!code) code = mk_walk_ends_read(lossy ? &rough : &exact, &ends, &g, &race, 1, &got.losses, &err);
        REQUIRE(code == MK_OK, "%s", err.text);
        CHECK(lossy ? got.losses.lowered > 1e-3 : got.losses.lowered == 0, "%g has been lowered", got.losses.lowered);
        mk_walk_ends_clear(&ends);
        mk_walk_grid_clear(&g);
    }
    CHECK(rough.min < exact.min, "masses that are lowered: %.6f, all: %.6f", rough.min, exact.min);
    for (int k = 0; k < 2; k++) mk_dist_free(dist[k]);
}

/* w(n) = alpha / n^2 in all rounds. */
static double same_bonus(const struct mk_setup *setup, uint64_t t, uint64_t n)
{
    (void)t;
    return *setup->par / (double)n / (double)n;
}

/* A bonus that does not depend on the round, rewards with densities: Theorems 6 and 13 bound the same number, and are
 * as close to it as asked for. */
static void test_merge(void)
{
    static const struct pair pairs[] = {
        {{"uniform", "uniform"}, {0, 0.05}, {1, 0.95}, 0, 1, 200, 0.03, MK_RACE_UNSCALED},
        {{"uniform", "beta"}, {0, 1}, {1, 2}, 0.3, 1, 300, 0.03, MK_RACE_UNSCALED},
        {{"power", "power"}, {3, 4}, {1.01, 1}, 5, 1, 1000, 0.03, MK_RACE_UNSCALED},
        {{"gaussian", "exponential"}, {0, 1}, {1, NAN}, 10, 1, 500, 0.03, MK_RACE_UNSCALED},
        {{"beta", "beta"}, {2, 5}, {3, 2}, 40, 1, 3000, 0.03, MK_RACE_UNSCALED},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct pair *p = &pairs[i];
        struct mk_dist *dist[2];
        for (size_t k = 0; k < 2; k++) dist[k] = make(p->family[k], p->first[k], p->second[k]);
        const struct mk_known_cdf arm[2] = {{.dist = dist[0]}, {.dist = dist[1]}};
        const struct mk_race race = {.arms = 2,
                                     .arm = arm,
                                     .horizon = p->horizon,
                                     .bonus = same_bonus,
                                     .setup = {.arms = 2, .horizon = p->horizon, .par = &p->alpha},
                                     .scale = p->scale};
        double merge[2], walk[2];
        struct mk_error err = {0, ""};
        struct mk_certified_side side;
        REQUIRE(mk_merge_applies(&race) && mk_walk_applies(&race), "pair %zu: both theorems apply", i);
        for (int s = 0; s < 2; s++) {
            REQUIRE(mk_merge_side(&side, &race, 0, (enum mk_side)s, 0.01, &err) == MK_OK, "%s", err.text);
            merge[s] = side.mean;
            mk_certified_side_clear(&side);
            REQUIRE(mk_walk_above(&side, &race, s ? 0 : 1, 0.01, &err) == MK_OK, "%s", err.text);
            walk[s] = s ? side.mean : (double)p->horizon - side.mean;
            mk_certified_side_clear(&side);
        }
        const double fewer = fmin(merge[1], (double)p->horizon - merge[0]);
        CHECK(merge[0] <= walk[1] && walk[0] <= merge[1] && merge[1] - merge[0] <= p->width * fewer &&
                  walk[1] - walk[0] <= p->width * fewer,
              "%s and %s, T = %g: Theorem 13 %.4f to %.4f, Theorem 6 %.4f to %.4f", p->family[0], p->family[1],
              (double)p->horizon, merge[0], merge[1], walk[0], walk[1]);
        for (size_t k = 0; k < 2; k++) mk_dist_free(dist[k]);
    }
}

int main(void)
{
    omp_set_num_threads(1);
    test_simulated();
    test_largest();
    test_three_arms();
    test_beyond();
    test_lowered();
    test_merge();
    return CHECK_EXIT;
}
