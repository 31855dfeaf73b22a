/* Two arms (certificate_walk.h): bounds from both sides against simulation, against each other, and at their ends.
 * Exact expectations of small instances are in test_certificate_exact.c. */
#include <omp.h>

#include "analysis/theory/certificate_walk.h"
#include "sim/api/maxk/policy.h"
#include "sim/base/pcg64.h"
#include "tests/support/check.h"

struct pair {
    const char *family[2];
    double first[2], second[2]; /* parameters; NaN: none */
    double alpha, power;
    uint64_t horizon;
    double width; /* (upper - lower) / the pulls of the arm with fewer of them is at most this, with refinement 0.1 */
    bool scaled;  /* divided by the largest reward so far */
};

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
    double lower, upper; /* of E[N_0(T)] */
};

static struct bounds bound(const struct pair *p, struct mk_dist *const *dist, double refinement)
{
    const struct mk_known_cdf arm[2] = {{.dist = dist[0]}, {.dist = dist[1]}};
    const struct mk_race race = {.arms = 2,
                                 .arm = arm,
                                 .horizon = p->horizon,
                                 .alpha = p->alpha,
                                 .power = p->power,
                                 .scale = p->scaled ? MK_RACE_BY_LARGEST : MK_RACE_UNSCALED};
    struct mk_error err = {0, ""};
    double above[2];
    struct mk_certified_side side;
    REQUIRE(mk_walk_applies(&race), "two arms");
    for (size_t k = 0; k < 2; k++) {
        REQUIRE(mk_walk_above(&side, &race, k, refinement, &err) == MK_OK, "%s", err.text);
        above[k] = side.mean;
        mk_certified_side_clear(&side);
    }
    return (struct bounds){(double)p->horizon - above[1], above[0]};
}

/* Pulls of arm 0 by the definition of the policy. */
static double play(const struct pair *p, struct mk_dist *const *dist, struct mk_pcg64 *rng, const double *bonus)
{
    double most[2], reward;
    uint64_t n[2] = {1, 1};
    for (size_t k = 0; k < 2; k++) dist[k]->type->sample(dist[k], &rng[k], 1, &most[k]);
    for (uint64_t t = 3; t <= p->horizon; t++) {
        const double factor = p->scaled ? fmax(most[0], most[1]) : 1;
        double index[2];
        for (size_t k = 0; k < 2; k++) index[k] = most[k] + factor * bonus[t] / ((double)n[k] * (double)n[k]);
        const size_t k = index[1] > index[0];
        dist[k]->type->sample(dist[k], &rng[k], 1, &reward);
        most[k] = fmax(most[k], reward);
        n[k]++;
    }
    return (double)n[0];
}

struct seen {
    double mean, error;
};

static struct seen simulate(const struct pair *p, struct mk_dist *const *dist, uint64_t seed, size_t replications)
{
    double sum = 0, squares = 0, *bonus = malloc((p->horizon + 1) * sizeof *bonus);
    REQUIRE(bonus, "memory");
    for (uint64_t t = 1; t <= p->horizon; t++) bonus[t] = pow(p->alpha * pow(log((double)t), p->power), 2);
    for (size_t r = 0; r < replications; r++) {
        struct mk_pcg64 rng[2];
        for (unsigned k = 0; k < 2; k++) mk_pcg64_seed(&rng[k], seed, 2 * r + k);
        const double n = play(p, dist, rng, bonus);
        sum += n;
        squares += n * n;
    }
    free(bonus);
    const double mean = sum / (double)replications, variance = squares / (double)replications - mean * mean;
    return (struct seen){mean, sqrt(variance / (double)replications)};
}

/* 12 pairs, 4 standard errors on either side: false alarms below 8e-4. */
static void test_simulated(void)
{
    static const struct pair pairs[] = {
        {{"uniform", "power"}, {0, 2.5}, {0.93, 1.02}, 0.4, 1, 1000, 0.2, false},
        {{"power", "power"}, {3, 4}, {1.01, 1}, 0.4, 1, 2000, 0.2, false},
        {{"power", "uniform"}, {3.3, 0}, {1.012, 1}, 0.2, 1, 1500, 0.1, false},
        {{"power", "power"}, {3, 4}, {1.01, 1}, 0.1, 2, 2000, 0.35, false},
        {{"gaussian", "gaussian"}, {0, 0}, {1, 0.8}, 0.5, 1, 500, 0.08, false},
        {{"uniform", "bernoulli"}, {0, 0.02}, {0.9, NAN}, 0.3, 1, 300, 0.01, false},
        {{"pareto", "pareto"}, {3, 2}, {1, 0.5}, 1, 1, 200, 0.1, false},
        {{"uniform", "uniform"}, {0, 0}, {1, 1}, 0.3, 1, 400, 0.08, false},
        {{"power", "power"}, {3, 4}, {1.01, 1}, 0.4, 1, 2000, 0.2, true},
        {{"power", "power"}, {3, 4}, {5.05, 5}, 0.4, 1, 2000, 0.2, true},
        {{"pareto", "uniform"}, {3, 0}, {1, 4}, 0.3, 1, 300, 0.1, true},
        {{"uniform", "exponential"}, {0, 1}, {3, NAN}, 0.6, 2, 300, 0.1, true},
    };
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        const struct pair *p = &pairs[k];
        struct mk_dist *dist[2];
        for (size_t i = 0; i < 2; i++) dist[i] = make(p->family[i], p->first[i], p->second[i]);
        const struct bounds b = bound(p, dist, 0.1);
        const struct seen s = simulate(p, dist, 20261123 + k, 4000);
        const double fewer = fmin(b.upper, (double)p->horizon - b.lower);
        CHECK(b.lower <= s.mean + 4 * s.error && s.mean - 4 * s.error <= b.upper,
              "pair %zu: %g … %g, observed %g +- %g", k, b.lower, b.upper, s.mean, s.error);
        CHECK(b.upper - b.lower <= p->width * fewer && b.lower < b.upper, "pair %zu: %g … %g is narrow", k, b.lower,
              b.upper);
        const struct bounds coarse = bound(p, dist, 0.5);
        CHECK(coarse.lower <= b.lower * (1 + 1e-9) && b.upper <= coarse.upper * (1 + 1e-9) &&
                  (b.upper - b.lower) < (coarse.upper - coarse.lower),
              "pair %zu: %g … %g lies within %g … %g", k, b.lower, b.upper, coarse.lower, coarse.upper);
        for (size_t i = 0; i < 2; i++) mk_dist_free(dist[i]);
    }
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

int main(void)
{
    omp_set_num_threads(1);
    test_simulated();
    test_three_arms();
    return CHECK_EXIT;
}
