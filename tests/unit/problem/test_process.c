/* Rising arms and drifts: curves against closed forms, E[M(T)] against closed forms and simulation, independence of how
 * draws are split, the experiment reader. */
#include <gsl/gsl_errno.h>
#include <string.h>

#include "sim/problem/process.h"
#include "sim/run/experiment/experiment.h"
#include "sim/run/tape/reward_tape.h"
#include "tests/support/check.h"
#include "tests/support/message.h"
#include "tests/support/processes.h"

typedef int of_maximum(const struct mk_process *p, uint64_t horizon, double *value, struct mk_error *err);

static double value_of(of_maximum *of, const char *process, uint64_t T)
{
    struct mk_experiment *e = must(process);
    struct mk_error err;
    double value = NAN;
    if (of(e->problem->process[0], T, &value, &err)) printf("# %s: %s\n", process, err.text);
    mk_experiment_free(e);
    return value;
}

static double median(const char *process, uint64_t T)
{
    return value_of(mk_process_median_max, process, T);
}

static double expected(const char *process, uint64_t T)
{
    return value_of(mk_process_expected_max, process, T);
}

/* ---- curves ---- */

/* By hand, and with mpmath if they are not round numbers. */
static void check_values(void)
{
    static const struct {
        const char *process;
        uint64_t n;
        double f;
    } cases[] = {{"{curve: power, low: 0.2, high: 0.9, rate: 0.5}", 1, 0.2},
                 {"{curve: power, low: 0.2, high: 0.9, rate: 0.5}", 4, 0.55},
                 {"{curve: power, rate: 2}", 10, 0.99},
                 {"{curve: exponential, low: 0.3, high: 0.8, rate: 0.05}", 1, 0.3},
                 {"{curve: exponential, low: 0.3, high: 0.8, rate: 0.05}", 21, 0.6160602794142788},
                 {"{curve: logistic, low: 0.4, high: 0.7, rate: 0.1}", 11, 0.5386351471780029},
                 {"{curve: logistic, low: 0.1, high: 0.9, rate: 0.05, middle: 100}", 1, 0.1},
                 {"{curve: logistic, low: 0.1, high: 0.9, rate: 0.05, middle: 100}", 100, 0.4971666364283792},
                 {"{curve: logistic, low: 0.1, high: 0.9, rate: 0.05, middle: 100}", 1000000000, 0.9},
                 /* continues from the value of the first curve at pull 4, .55; its own second pull is halfway to 1 */
                 {"{curve: power, low: 0.2, high: 0.9, rate: 0.5, breaks: [{at: 4, curve: power, rate: 1}]}", 4, 0.55},
                 {"{curve: power, low: 0.2, high: 0.9, rate: 0.5, breaks: [{at: 4, curve: power, rate: 1}]}", 5, 0.775},
                 {"{curve: power, rate: 1, breaks: [{at: 3, curve: power, low: 2, high: 4, rate: 1}, "
                  "{at: 5, curve: power, low: -1, rate: 1}]}",
                  4, 3},
                 {"{curve: power, rate: 1, breaks: [{at: 3, curve: power, low: 2, high: 4, rate: 1}, "
                  "{at: 5, curve: power, low: -1, rate: 1}]}",
                  6, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mk_experiment *e = must(cases[i].process);
        double f = mk_process_mean(e->problem->process[0], cases[i].n);
        CHECK(fabs(f - cases[i].f) <= 1e-15, "f(%g) = %.16g of %s", (double)cases[i].n, f, cases[i].process);
        mk_experiment_free(e);
    }
}

/* Means by mpmath's quadrature of min(max(x, lo), hi) over the normal density; quantiles f + noise z, z = 1.6448536. */
static void check_reward_means(void)
{
    static const struct {
        const char *process;
        uint64_t n;
        double mean, lower, upper;
    } cases[] = {
        {"{curve: power, low: 0.2, high: 0.9, rate: 0.5, noise: 0.3, clip: [0, 1]}", 4, 0.5451442317672671,
         0.05654391191455819, 1},
        {"{curve: power, low: 0.2, high: 0.9, rate: 0.5, noise: 0.3, clip: [0, .inf]}", 4, 0.5539362698960484,
         0.05654391191455819, 1.043456088085442},
        {"{curve: power, low: 0.2, high: 0.9, rate: 0.5, noise: 0.3}", 4, 0.55, 0.05654391191455819, 1.043456088085442},
        {"{curve: power, low: 0.2, high: 0.9, rate: 0.5, clip: [0, 0.5]}", 4, 0.5, 0.5, 0.5},
        {"{start: {family: gaussian, mu: 0.3, sigma: 0.1}, end: {family: gaussian, mu: 0.5, sigma: 0.2}, over: 20}", 11,
         0.4, 0.15327195595727909, 0.6467280440427209}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mk_experiment *e = must(cases[i].process);
        const struct mk_process *p = e->problem->process[0];
        CHECK_CLOSE(mk_process_reward_mean(p, cases[i].n), cases[i].mean, 1e-14, "mean, %s", cases[i].process);
        CHECK_CLOSE(mk_process_reward_quantile(p, cases[i].n, 0.05), cases[i].lower, 1e-13, "5 %%, %s",
                    cases[i].process);
        CHECK_CLOSE(mk_process_reward_quantile(p, cases[i].n, 0.95), cases[i].upper, 1e-13, "95 %%, %s",
                    cases[i].process);
        mk_experiment_free(e);
    }
}

/* Number of n < 300 at which the curve falls, and at which its slope grows. */
static void count_shape(const char *process, int *falls, int *convex)
{
    struct mk_experiment *e = must(process);
    const struct mk_process *p = e->problem->process[0];
    *falls = *convex = 0;
    for (uint64_t n = 1; n < 300; n++) {
        double a = mk_process_mean(p, n), b = mk_process_mean(p, n + 1), c = mk_process_mean(p, n + 2);
        *falls += b < a;
        *convex += c - b > b - a + 1e-15;
    }
    mk_experiment_free(e);
}

static void check_shapes(void)
{
    static const struct {
        const char *process;
        int concave;
    } cases[] = {{"{curve: power, rate: 0.3}", 1},
                 {"{curve: power, rate: 2}", 1},
                 {"{curve: exponential, rate: 0.02}", 1},
                 {"{curve: logistic, rate: 0.05}", 1},
                 {"{curve: logistic, rate: 0.05, middle: 80}", 0},
                 {"{curve: exponential, high: 0.5, rate: 0.2, breaks: [{at: 60, curve: exponential, rate: 0.02}]}", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int falls, convex;
        count_shape(cases[i].process, &falls, &convex);
        CHECK(!falls && (convex == 0) == cases[i].concave, "%s is increasing and %sconcave", cases[i].process,
              cases[i].concave ? "" : "not ");
    }
}

/* ---- E[M(T)] ---- */

static void check_deterministic(void)
{
    static const char *const process[] = {
        "{curve: power, low: -1, high: 3, rate: 0.4}", "{curve: logistic, rate: 0.1, middle: 30, clip: [0.1, 0.6]}",
        "{curve: power, rate: 1, breaks: [{at: 3, curve: power, low: 2, high: 4, rate: 1}, "
        "{at: 5, curve: power, low: -1, rate: 1}]}",
        "{curve: power, rate: 1, breaks: [{at: 30, curve: power, low: 0, high: 0.5, rate: 1}, "
        "{at: 100, curve: exponential, high: 0.99, rate: 0.01}]}"};
    for (size_t i = 0; i < sizeof process / sizeof *process; i++) {
        struct mk_experiment *e = must(process[i]);
        double reward[400], best = -INFINITY, value, lo, hi;
        struct mk_error err;
        int wrong = mk_process_sample(e->problem->process[0], NULL, 1, 400, reward) != MK_OK;
        wrong |= mk_process_support(e->problem->process[0], &lo, &hi, &err) != MK_OK;
        for (uint64_t T = 1; T <= 400; T++) {
            best = fmax(best, reward[T - 1]);
            wrong |= mk_process_expected_max(e->problem->process[0], T, &value, &err) || fabs(value - best) > 1e-15;
            wrong |= reward[T - 1] < lo || reward[T - 1] > hi;
        }
        CHECK(!wrong, "without noise E[M(T)] is the running maximum, T = 1 … 400, within the support: %s", process[i]);
        mk_experiment_free(e);
    }
}

static double family_max(const char *family, double a, double b, double T)
{
    struct mk_dist *d = NULL;
    double value = NAN;
    if (mk_dist_make(&d, family, NULL, a, b) == MK_OK) mk_dist_expected_max(d, T, &value, NULL);
    mk_dist_free(d);
    return value;
}

static void check_expectations(void)
{
    /* E max(X, Y) of two normals, Clark 1961: with theta = sigma sqrt 2, d = (a - b) / theta,
     * a Phi(d) + b Phi(-d) + theta phi(d); a = .2, b = .55, sigma = .1. */
    double theta = 0.1 * M_SQRT2, d = -0.35 / theta;
    double clark =
        0.2 * 0.5 * erfc(-d * M_SQRT1_2) + 0.55 * 0.5 * erfc(d * M_SQRT1_2) + theta * exp(-d * d / 2) / sqrt(2 * M_PI);
    const char *two = "{curve: power, low: 0.2, high: 0.55, rate: 1e9, noise: 0.1}";
    CHECK_CLOSE(expected(two, 2), clark, 1e-9, "two normal rewards (Clark 1961)");
    CHECK_CLOSE(expected(two, 1), 0.2, 1e-9, "one normal reward");
    CHECK_CLOSE(expected("{curve: power, low: 0.2, high: 0.9, rate: 0.5, noise: 0.1}", 3), 0.5184160239218866, 1e-9,
                "three normal rewards (mpmath)");
    const char *flat = "{curve: power, low: 1, high: 1, rate: 1, noise: 2}";
    CHECK_CLOSE(expected(flat, 100000), family_max("gaussian", 1, 2, 1e5), 1e-9, "100,000 of one normal distribution");
    /* E of the maximum of T normals clipped to [1, inf): 1 + 2 int_0^inf (1 - Phi(x)^T) dx; T = 1: 1 + 2 phi(0). */
    CHECK_CLOSE(expected("{curve: power, low: 1, high: 1, rate: 1, noise: 2, clip: [1, inf]}", 1),
                1 + 2 / sqrt(2 * M_PI), 1e-9, "a clipped normal reward");
    CHECK(expected("{curve: power, low: 1, high: 1, rate: 1, noise: 2, clip: [-inf, -50]}", 7) == -50,
          "clipped far below");
    CHECK_CLOSE(
        expected("{start: {family: gaussian, mu: 0, sigma: 0.5}, end: {family: gaussian, mu: 1, sigma: 1}, over: 2}",
                 5),
        1.897370404464617, 1e-9, "a drifting normal distribution (mpmath)");
    /* 1 + sum over subsets S of the shapes of (-1)^(|S|+1) / (sum S - 1) */
    CHECK_CLOSE(expected("{start: {family: pareto, shape: 1.5, scale: 1}, end: {family: pareto, shape: 3, scale: 1}, "
                         "over: 2}",
                         4),
                3.7196643906406663, 1e-9, "a drifting Pareto distribution (by hand)");
    /* 2 - int_0^1 x x/2 dx - int_1^2 x/2 dx = 13/12 */
    CHECK_CLOSE(expected("{start: {family: uniform, lo: 0, hi: 1}, end: {family: uniform, lo: 0, hi: 2}, over: 1}", 2),
                13.0 / 12, 1e-9, "a drifting uniform distribution (by hand)");
    /* P(at least one success) = 1 - (1 - .25)(1 - .5)(1 - .75)^2 with p = .25, .5, .75, .75 */
    CHECK_CLOSE(expected("{start: {family: bernoulli, p: 0.25}, end: {family: bernoulli, p: 0.75}, over: 2}", 4),
                1 - 0.75 * 0.5 * 0.0625, 1e-9, "a drifting Bernoulli distribution (by hand)");
    CHECK_CLOSE(expected("{start: {family: dirac, x: 5}, end: {family: dirac, x: 1}, over: 4}", 9), 5, 1e-9,
                "a falling constant");
    CHECK_CLOSE(expected("{start: {family: exponential, mean: 2}, end: {family: exponential, mean: 2}, over: 10}", 500),
                family_max("exponential", NAN, 2, 500), 1e-9, "a drift that does not move");
    CHECK(
        expected("{start: {family: pareto, shape: 3, scale: 1}, end: {family: pareto, shape: 0.5, scale: 1}, over: 4}",
                 5) == INFINITY,
        "a tail that becomes too heavy");
    CHECK(
        isfinite(expected("{start: {family: pareto, shape: 3, scale: 1}, end: {family: pareto, shape: 0.5, scale: 1}, "
                          "over: 4}",
                          4)),
        "only when the shape, 1.125 at pull 4 and 0.5 at pull 5, is below 1");
}

/* Where E[M(T)] is infinite the medians decide: (1 - 2^(-1/T))^(-1/shape) scale by hand. */
static void check_infinite(void)
{
    struct mk_experiment *e = must("{start: {family: pareto, shape: 0.5, scale: 1}, end: {family: pareto, shape: 0.5, "
                                   "scale: 1}, over: 3}, {start: {family: pareto, shape: 0.8, scale: 100}, end: "
                                   "{family: pareto, shape: 0.8, scale: 100}, over: 3}");
    struct mk_error err;
    struct mk_truth *f = NULL;
    static const uint64_t T[] = {2, 1000};
    double median;
    int code = mk_process_median_max(e->problem->process[0], 1000, &median, &err);
    CHECK(!code && fabs(median / pow(1 - pow(0.5, 1e-3), -2) - 1) < 1e-9, "the median of M(1000)");
    code = mk_truth_new(&f, e->problem, T, 2, 1, &err);
    CHECK(!code && mk_truth_best(f, 0, 0) == 1 && mk_truth_best(f, 0, 1) == 0 && isnan(f->gap[0]) && f->gap[1] == 0,
          "infinite E[M(T)]: medians decide");
    mk_truth_free(f);
    mk_experiment_free(e);
}

/* By hand from the product of the distribution functions: x^2 / 2 = 1/2 at x = 1; (x / 2)(x / 4)^2 = 1/2 would be at
 * x = 16^(1/3) > 2, where the first factor is 1: x = 8^(1/2). */
static void check_medians(void)
{
    CHECK_CLOSE(median("{start: {family: uniform, lo: 0, hi: 1}, end: {family: uniform, lo: 0, hi: 2}, over: 1}", 2), 1,
                1e-12, "the median of M(2), uniform rewards on [0, 1] and [0, 2]");
    CHECK_CLOSE(median("{start: {family: uniform, lo: 0, hi: 2}, end: {family: uniform, lo: 0, hi: 4}, over: 1}", 3),
                sqrt(8), 1e-12, "the median of M(3), uniform rewards on [0, 2], [0, 4] and [0, 4]");
    const double x =
        median("{start: {family: pareto, shape: 1, scale: 1}, end: {family: pareto, shape: 2, scale: 1}, over: 1}", 2);
    CHECK_CLOSE((1 - 1 / x) * (1 - 1 / (x * x)), 0.5, 1e-12, "the median of M(2), Pareto rewards of shapes 1 and 2");
}

/* Against simulation through the tape. |z| < 5 in each of 10 cells: false-alarm rate 10 x 5.7e-7. */
static void check_simulation(void)
{
    enum { ARMS = 5, RUNS = 8000, T = 60 };
    struct mk_experiment *e = must(
        "{curve: power, low: 0.2, high: 0.9, rate: 0.5, noise: 0.05},"
        "{curve: logistic, rate: 0.1, middle: 30, noise: 0.3, clip: [0, 1.1]},"
        "{curve: exponential, high: 0.6, rate: 0.1, noise: 0.1, breaks: [{at: 20, curve: power, low: 0, rate: 1}]},"
        "{start: {family: power, a: 3, s: 1.01}, end: {family: power, a: 6, s: 1}, over: 40},"
        "{start: {family: exponential, mean: 0.2, clip: [0, 1]}, end: {family: exponential, mean: 0.5, clip: [0, 2]}, "
        "over: 50, path: linear}");
    static const uint64_t horizon[] = {10, T};
    struct mk_error err = {0, ""};
    struct mk_truth *f = NULL;
    struct mk_reward_tape *tape = NULL;
    double sum[2][ARMS] = {{0}}, squares[2][ARMS] = {{0}};
    int code = mk_truth_new(&f, e->problem, horizon, 2, 1, &err);
    if (!code) code = mk_reward_tape_new(&tape, e->problem, 20, &err);
    CHECK(!code, "facts and a tape of processes %s", err.text);
    for (uint64_t r = 0; !code && r < RUNS; r++) {
        mk_reward_tape_seek(tape, 0, r);
        for (size_t k = 0; k < ARMS; k++) {
            double best = -INFINITY;
            for (uint64_t n = 0; n < T; n++) {
                best = fmax(best, mk_reward_tape_reward(tape, k, n));
                size_t h = n + 1 == horizon[0] ? 0 : 1;
                if (n + 1 != horizon[h]) continue;
                sum[h][k] += best;
                squares[h][k] += best * best;
            }
        }
    }
    for (size_t i = 0; !code && i < 2 * ARMS; i++) {
        size_t h = i / ARMS, k = i % ARMS;
        double mean = sum[h][k] / RUNS, se = sqrt((squares[h][k] / RUNS - mean * mean) / RUNS);
        double z = (mean - f->expected_max[mk_truth_at(f, 0, h, k)]) / se;
        CHECK(fabs(z) < 5, "E[M(%d)] of arm %zu against %d runs: z = %.2f", (int)horizon[h], k, RUNS, z);
    }
    mk_reward_tape_free(tape);
    mk_truth_free(f);
    mk_experiment_free(e);
}

/* ---- draws ---- */

static void check_blocks(void)
{
    static const char *const process[] = {
        "{curve: power, low: 0.2, high: 0.9, rate: 0.5, noise: 0.05, breaks: [{at: 100, curve: power, rate: 1}]}",
        "{start: {family: beta, a: 2, b: 3}, end: {family: beta, a: 5, b: 1}, over: 150, path: geometric}",
        "{start: {family: truncated_gaussian, mu: 0, sigma: 1, lo: -1, hi: 1, shift: 1}, end: {family: "
        "truncated_gaussian, mu: 1, sigma: 0.5, lo: -1, hi: 2, shift: 3}, over: 77}"};
    enum { N = 400 };
    for (size_t i = 0; i < sizeof process / sizeof *process; i++) {
        struct mk_experiment *e = must(process[i]);
        struct mk_pcg64 rng, sizes;
        double whole[N], parts[N];
        mk_pcg64_seed(&rng, 3, 4);
        mk_pcg64_seed(&sizes, 5, 6);
        int code = mk_process_sample(e->problem->process[0], &rng, 1, N, whole), wrong = 0;
        for (int run = 0; run < 20; run++) {
            mk_pcg64_seed(&rng, 3, 4);
            for (size_t at = 0, n; at < N; at += n) {
                n = 1 + mk_uniform_below(&sizes, 90);
                if (n > N - at) n = N - at;
                code |= mk_process_sample(e->problem->process[0], &rng, at + 1, n, parts + at);
            }
            wrong += memcmp(whole, parts, sizeof whole) != 0;
        }
        CHECK(!code && !wrong, "draws do not depend on blocks: %s", process[i]);
        mk_experiment_free(e);
    }
    struct mk_experiment *e = must("{start: {family: weibull, shape: 2, scale: 1}, end: {family: weibull, shape: 2, "
                                   "scale: 1}, over: 50}");
    const struct mk_process *p = e->problem->process[0];
    struct mk_pcg64 a, b;
    double x[N], y[N];
    mk_pcg64_seed(&a, 1, 2);
    mk_pcg64_seed(&b, 1, 2);
    int code = mk_process_sample(p, &a, 1, N, x);
    p->end->type->sample(p->end, &b, N, y);
    CHECK(!code && memcmp(x, y, sizeof x) == 0, "a drift that does not move draws what its family draws");
    mk_experiment_free(e);
}

static void check_law(void)
{
    struct mk_experiment *e = must("{start: {family: gaussian, mu: 0, sigma: 1}, end: {family: gaussian, mu: 4, sigma: "
                                   "4}, over: 2}, {start: {family: exponential, mean: 1}, end: {family: exponential, "
                                   "mean: 4}, over: 2, path: geometric}");
    struct mk_dist *d[4] = {
        mk_process_distribution(e->problem->process[0], 1), mk_process_distribution(e->problem->process[0], 2),
        mk_process_distribution(e->problem->process[0], 9), mk_process_distribution(e->problem->process[1], 2)};
    CHECK(d[0]->v[0] == 0 && d[0]->v[1] == 1 && d[1]->v[0] == 2 && d[1]->v[1] == 2.5 && d[2]->v[0] == 4 &&
              d[2]->v[1] == 4,
          "linear parameters at pulls 1, 2 of 3 and later");
    CHECK_CLOSE(d[3]->v[1], 2, 1e-15, "a geometric parameter halfway");
    for (int i = 0; i < 4; i++) mk_dist_free(d[i]);
    mk_experiment_free(e);
}

/* ---- the reader ---- */

static void check_round_trip(void)
{
    const char *text = "{curve: power, high: 0.9, rate: 0.5, noise: 0.1, clip: [0, 1], cost: 2.5, label: x, "
                       "breaks: [{at: 7, curve: exponential, rate: 0.1}]},"
                       "{start: {family: power, a: 3, s: 1.01, shift: 1}, end: {family: power, a: 3, s: 1, shift: 2}, "
                       "over: 9, path: geometric}";
    struct mk_experiment *e = must(text), *again = NULL;
    struct mk_error err = {0, ""};
    int code = mk_experiment_parse(&again, "f", e->resolved, strlen(e->resolved), MK_NEED_PROBLEM, &err);
    CHECK(!code && strcmp(e->resolved, again->resolved) == 0, "the resolved text reads back %s", err.text);
    char *a = mk_process_text(e->problem->process[0]), *b = mk_process_text(e->problem->process[1]);
    CHECK(strcmp(b, "{start: {family: power, a: 3, s: 1.01, shift: 1}, end: {family: power, a: 3, s: 1, shift: 2}, "
                    "over: 9, path: geometric}") == 0,
          "text of a drift: %s", b);
    struct mk_experiment *third = must(a);
    double x[20], y[20];
    struct mk_pcg64 rng, same;
    mk_pcg64_seed(&rng, 1, 2);
    mk_pcg64_seed(&same, 1, 2);
    code |= mk_process_sample(e->problem->process[0], &rng, 1, 20, x);
    code |= mk_process_sample(third->problem->process[0], &same, 1, 20, y);
    CHECK(!code && memcmp(x, y, sizeof x) == 0, "text of a curve draws the same: %s", a);
    CHECK(e->problem->source == &mk_source_processes && e->problem->cost[0] == 2.5 && e->problem->cost[1] == 1 &&
              strcmp(e->problem->arm_label[0], "x") == 0 && strcmp(e->problem->arm_label[1], "arm 1") == 0,
          "costs and labels");
    free(a);
    free(b);
    mk_experiment_free(third);
    mk_experiment_free(again);
    mk_experiment_free(e);
}

#define GAUSS(mu) "{family: gaussian, mu: " mu ", sigma: 1}"

static const struct {
    const char *process, *line;
} refusals[] = {
    {"5", "f:1:23: processes: ~got 5"},
    {"{rate: 1}", "f:1:23: processes: ~curve"},
    {"{curve: powr, rate: 1}", "f:1:31: curve: ~'power'"},
    {"{curve: power}", "f:1:23: rate: ~missing"},
    {"{curve: power, rate: 0}", "f:1:44: rate: ~got 0"},
    {"{curve: power, rate: .inf}", "f:1:44: rate: ~got .inf"},
    {"{curve: power, rate: 1, middle: 3}", "f:1:47: middle: ~'middle'"},
    {"{curve: power, rate: 1, low: 2}", "f:1:23: high: ~>= low, which is 2"},
    {"{curve: power, rate: 1, noise: -1}", "f:1:54: noise: ~got -1"},
    {"{curve: power, rate: 1, clip: [1, 0]}", "f:1:53: clip: ~lo <= hi"},
    {"{curve: power, rate: 1, clip: 3}", "f:1:53: clip: ~got 3"},
    {"{curve: power, rate: 1, breaks: []}", "f:1:55: breaks: ~got an empty list"},
    {"{curve: power, rate: 1, breaks: [3]}", "f:1:56: breaks: ~got 3"},
    {"{curve: power, rate: 1, breaks: [{curve: power, rate: 1}]}", "f:1:56: at: ~missing"},
    {"{curve: power, rate: 1, breaks: [{at: 1, curve: power, rate: 1}]}", "f:1:61: at: ~got 1"},
    {"{curve: power, rate: 1, breaks: [{at: 9, curve: power, rate: 1}, {at: 9, curve: power, rate: 1}]}",
     "f:1:93: at: ~previous break"},
    {"{curve: power, rate: 1, breaks: [{at: 9, rate: 1}]}", "f:1:56: curve: ~missing"},
    {"{curve: power, rate: 1, breaks: [{at: 9, curve: power, rate: 1, noise: 1}]}", "f:1:87: noise: ~'noise'"},
    {"{curve: power, rate: 1, high: 3, breaks: [{at: 9, curve: power, rate: 1}]}",
     "f:1:65: high: ~>= low, which is 2.66"},
    {"{curve: power, rate: 1, start: 1}", "f:1:47: start: ~'start'"},
    {"{curve: power, rate: 1, cost: 0}", "f:1:53: cost: ~got 0"},
    {"{start: " GAUSS("0") ", over: 3}", "f:1:23: end: ~missing"},
    {"{start: " GAUSS("0") ", end: " GAUSS("1") "}", "f:1:23: over: ~missing"},
    {"{start: " GAUSS("0") ", end: " GAUSS("1") ", over: 0}", "f:1:116: over: ~got 0"},
    {"{start: " GAUSS("0") ", end: " GAUSS("1") ", over: 3, path: bent}", "f:1:125: path: ~got bent"},
    {"{start: " GAUSS("0") ", end: " GAUSS("1") ", over: 3, noise: 1}", "f:1:119: noise: ~'noise'"},
    {"{start: " GAUSS("0") ", end: " GAUSS("1") ", over: 3, path: geometric}", "f:1:73: end: ~mu of gaussian"},
    {"{start: " GAUSS("0") ", end: {family: dirac, x: 1}, over: 3}", "f:1:73: end: ~gaussian and dirac"},
    {"{start: " GAUSS("0") ", end: {family: gaussian, mu: 0, sigma: 1, shift: 2}, over: 3}",
     "f:1:73: end: ~gaussian and affine"},
    {"{start: {family: exponential, rate: 1}, end: {family: exponential, mean: 2}, over: 3}",
     "f:1:68: end: ~rate of exponential"},
    {"{start: {family: empirical, values: [1]}, end: {family: empirical, values: [2]}, over: 3}",
     "f:1:70: end: ~empirical"},
    {"{start: {family: dirac, x: 1, clip: [0, inf]}, end: {family: dirac, x: 1, clip: [0, 3]}, over: 3}",
     "f:1:75: end: ~infinity"},
    {"{start: {family: dirac, x: 1, factor: 1}, end: {family: dirac, x: 1, factor: -1}, over: 2}",
     "f:1:70: end: ~pull 2"},
    {"{start: {family: gaussian, mu: 0, sigma: 1, label: a}, end: " GAUSS("1") ", over: 3}", "f:1:67: label: ~'label'"},
    {"{curve: power, rate: 1, label: a}, {curve: power, rate: 1, label: a}", "f:1:89: label: ~'a'"},
};

static void check_refusals(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct mk_error err;
        struct mk_experiment *e = parse(refusals[i].process, &err);
        CHECK(!e && err.code == MK_EINPUT && message_says(err.text, refusals[i].line), "%s: %s", refusals[i].process,
              e ? "accepted" : err.text);
        mk_experiment_free(e);
    }
    struct mk_experiment *e;
    struct mk_error err = {0, ""};
    e = parse("{curve: power, rate: 1, breaks: [{at: 2, curve: power, rate: 2}]}", &err);
    CHECK(e, "the first break may be at pull 2 %s", err.text);
    mk_experiment_free(e);
    e = must("{curve: power, rate: 1, noise: 1}");
    double value;
    CHECK(mk_process_expected_max(e->problem->process[0], 10000001, &value, &err) == MK_EINPUT &&
              strstr(err.text, "horizons up to 10000000"),
          "too long a horizon: %s", err.text);
    mk_experiment_free(e);
}

int main(void)
{
    gsl_set_error_handler_off();
    check_values();
    check_reward_means();
    check_shapes();
    check_deterministic();
    check_expectations();
    check_infinite();
    check_medians();
    check_simulation();
    check_blocks();
    check_law();
    check_round_trip();
    check_refusals();
    return CHECK_EXIT;
}
