/* E[M(T)], i*(T), gaps and supports. Known answers by hand: uniform on [lo, hi] has E[M(T)] = lo + (hi-lo) T/(T+1); the
 * median of the maximum of T Pareto draws is scale (1 - 2^(-1/T))^(-1/shape). */
#include <string.h>

#include "sim/problem/problem.h"
#include "sim/run/experiment/experiment.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"

static struct mk_truth *facts_of(const char *arms, const uint64_t *horizons, size_t n, struct mk_experiment **e)
{
    char text[1000];
    struct mk_error err = {0, ""};
    struct mk_truth *f = NULL;
    snprintf(text, sizeof text, "problem: {arms: [%s]}", arms);
    if (mk_experiment_parse(e, "f", text, strlen(text), MK_NEED_PROBLEM, &err) ||
        mk_truth_new(&f, (*e)->problem, horizons, n, 1, &err)) {
        CHECK(0, "facts of %s: %s", arms, err.text);
        exit(CHECK_EXIT);
    }
    return f;
}

static void check_bounded(void)
{
    struct mk_experiment *e = NULL;
    static const uint64_t T[] = {1, 2, 1000000, 1000000000000u};
    struct mk_truth *f =
        facts_of("{family: dirac, x: 0.6}, {family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 1},"
                 "{family: uniform, lo: 0, hi: 1, factor: 2, shift: -1.5}",
                 T, 4, &e);
    for (size_t h = 0; h < 4; h++) {
        double u = (double)T[h] / ((double)T[h] + 1);
        size_t best = h ? 1 : 0;
        CHECK_CLOSE(f->expected_max[mk_truth_at(f, 0, h, 1)], u, 1e-12, "E[M(T)] of a uniform arm, T = %g",
                    (double)T[h]);
        CHECK(mk_truth_best(f, 0, h) == best, "the best arm at T = %g, the first of equal ones", (double)T[h]);
        CHECK(f->gap[mk_truth_at(f, 0, h, best)] == 0, "its gap is 0");
        CHECK_CLOSE(f->gap[mk_truth_at(f, 0, h, 3)], (h ? u : 0.6) - (2 * u - 1.5), 1e-12, "a gap");
    }
    CHECK(f->gap[mk_truth_at(f, 0, 3, 2)] == 0, "equal arms have gap 0");
    CHECK(f->support_low[3] == -1.5 && f->support_high[3] == 0.5 && f->support_low[0] == 0.6, "supports");
    CHECK(f->n_instances == 1 && f->n_horizons == 4 && f->n_arms == 4, "shape");
    mk_truth_free(f);
    mk_experiment_free(e);
}

/* Rewards of any size are compared relative to their size: E[M(T)] of 1e-12 and 1.5e-12, of 1e12 and 1e12 (1 + 1e-15).
 */
static void check_sizes(void)
{
    struct mk_experiment *e = NULL;
    static const uint64_t T[] = {9};
    struct mk_truth *f = facts_of("{family: uniform, lo: 0, hi: 2e-12}, {family: uniform, lo: 0, hi: 3e-12}", T, 1, &e);
    CHECK(mk_truth_best(f, 0, 0) == 1, "of two small arms the larger one");
    mk_truth_free(f);
    mk_experiment_free(e);
    f = facts_of("{family: dirac, x: 1e12}, {family: dirac, x: 1000000000000.001}", T, 1, &e);
    CHECK(mk_truth_best(f, 0, 0) == 0, "of two that differ by rounding the first one");
    mk_truth_free(f);
    mk_experiment_free(e);
}

static void check_infinite(void)
{
    struct mk_experiment *e = NULL;
    static const uint64_t T[] = {1, 1000};
    struct mk_truth *f = facts_of("{family: uniform, lo: 0, hi: 1}, {family: pareto, shape: 0.8, scale: 100},"
                                  "{family: pareto, shape: 0.5, scale: 1}",
                                  T, 2, &e);
    CHECK(f->expected_max[mk_truth_at(f, 0, 0, 1)] == INFINITY && f->expected_max[mk_truth_at(f, 0, 0, 2)] == INFINITY,
          "Pareto arms with shape < 1 have no finite E[M(T)]");
    CHECK(mk_truth_best(f, 0, 0) == 1, "T = 1: medians 237.8 and 4");
    CHECK(mk_truth_best(f, 0, 1) == 2, "T = 1000: medians 8.9e5 and 2.1e6");
    CHECK(f->gap[mk_truth_at(f, 0, 0, 1)] == 0 && isnan(f->gap[mk_truth_at(f, 0, 0, 2)]) &&
              f->gap[mk_truth_at(f, 0, 0, 0)] == INFINITY && isnan(f->gap[mk_truth_at(f, 0, 1, 1)]) &&
              f->gap[mk_truth_at(f, 0, 1, 2)] == 0,
          "the best of infinite ones has gap 0, that of another is undefined, others are infinitely far away");
    mk_truth_free(f);
    mk_experiment_free(e);
}

/* log X ~ N(0, 30^2): the mean e^450 rests on x beyond probability 1e-300. */
static void check_not_computable(void)
{
    const char *text =
        "name: x\nproblem:\n  arms: [{family: uniform, lo: 0, hi: 1}, {family: lognormal, mu: 0, sigma: 30, "
        "label: far}, {family: lognormal, mu: 0, sigma: 40}]\n";
    static const uint64_t T[] = {1, 4};
    struct mk_experiment *e = NULL;
    struct mk_truth *f = NULL;
    struct mk_error err = {0, ""};
    int code = mk_experiment_parse(&e, "x", text, strlen(text), MK_NEED_PROBLEM, &err);
    if (!code) code = mk_truth_partial(&f, e->problem, T, 2, 1, &err);
    CHECK(code == MK_ENUM && f && strncmp(err.text, "far: E[M(n)]: ", 14) == 0, "the first arm that fails: %s",
          err.text);
    for (size_t h = 0; f && h < 2; h++)
        CHECK(fabs(f->expected_max[mk_truth_at(f, 0, h, 0)] - (h ? 0.8 : 0.5)) < 1e-12 &&
                  isnan(f->expected_max[mk_truth_at(f, 0, h, 1)]) && isnan(f->expected_max[mk_truth_at(f, 0, h, 2)]) &&
                  isnan(f->gap[mk_truth_at(f, 0, h, 0)]) && mk_truth_best(f, 0, h) == SIZE_MAX,
              "the other arm has its E[M(T)]; i* and gaps are unknown");
    mk_truth_free(f);
    if (e) code = mk_truth_new(&f, e->problem, T, 2, 1, &err);
    CHECK(code == MK_ENUM && !f, "not all of it: nothing");
    mk_experiment_free(e);
}

static void check_recorded(struct scratch *s)
{
    const char *text = "instance,arm,repetition,iteration,reward\n"
                       "x,a,0,0,1\nx,a,0,1,3\nx,a,0,2,2\nx,a,1,0,5\nx,a,1,1,5\nx,a,1,2,9\n"
                       "x,b,0,0,4\nx,b,0,1,4\nx,b,0,2,6\nx,b,1,0,-2\nx,b,1,1,0\nx,b,1,2,7\n"
                       "y,b,0,0,4\ny,b,0,1,4\ny,b,0,2,6\ny,b,1,0,-2\ny,b,1,1,0\ny,b,1,2,8\n";
    struct mk_experiment *e = NULL;
    struct mk_truth *f = NULL;
    struct mk_error err = {0, ""};
    static const uint64_t T[] = {2, 3}, too_long[] = {2, 4};
    const char *path = scratch_write(s, "t.csv", text, strlen(text));
    int code = mk_experiment_from_csv(&e, path, NULL, 0, &err);
    if (!code) code = mk_truth_new(&f, e->problem, T, 2, 2, &err);
    CHECK(code == MK_OK, "facts of recorded rewards %s", err.text);
    if (code) return;
    CHECK(f->expected_max[mk_truth_at(f, 0, 0, 0)] == 4 && f->expected_max[mk_truth_at(f, 0, 0, 1)] == 2 &&
              f->expected_max[mk_truth_at(f, 0, 1, 0)] == 6 && f->expected_max[mk_truth_at(f, 0, 1, 1)] == 6.5,
          "averages of the maxima of the first T rewards");
    CHECK(mk_truth_best(f, 0, 0) == 0 && mk_truth_best(f, 0, 1) == 1 && f->gap[mk_truth_at(f, 0, 1, 0)] == 0.5,
          "i* and gap");
    CHECK(isnan(f->expected_max[mk_truth_at(f, 1, 0, 0)]) && isnan(f->gap[mk_truth_at(f, 1, 0, 0)]) &&
              mk_truth_best(f, 1, 0) == 1,
          "an instance without the first arm");
    CHECK(f->support_low[0] == 1 && f->support_high[0] == 9 && f->support_low[1] == -2 && f->support_high[1] == 8,
          "least and largest recorded rewards");
    mk_truth_free(f);
    code = mk_truth_new(&f, e->problem, T, 2, 1, &err);
    CHECK(code == MK_OK && f->expected_max[mk_truth_at(f, 0, 1, 0)] == 3 && f->support_high[0] == 9,
          "the first repetition alone");
    if (!code) mk_truth_free(f);
    CHECK(mk_truth_new(&f, e->problem, too_long, 2, 2, &err) == MK_EINPUT &&
              strstr(err.text, "t.csv:4: instance x, arm a"),
          "too long a horizon: %s", err.text);
    CHECK(mk_truth_new(&f, e->problem, T, 2, 3, &err) == MK_EINPUT && strstr(err.text, "1 to 2 replications"),
          "too many replications");
    mk_experiment_free(e);
}

/* Optimal arms as Balef et al. 2025, Appendix E.4, state them; gap of upper ends 1 - 1.01^-3 = .0294 by hand. */
static void check_published(void)
{
    static const struct {
        const char *path;
        size_t best;
    } cases[] = {{"experiments/e4_pareto.yaml", 3},
                 {"experiments/e4_exponential.yaml", 5},
                 {"experiments/e4_gaussian.yaml", 14},
                 {"experiments/e4_power.yaml", 4}};
    for (size_t i = 0; i < 4; i++) {
        struct mk_experiment *e = NULL;
        struct mk_truth *f = NULL;
        struct mk_error err = {0, ""};
        int code = mk_experiment_read(&e, cases[i].path, NULL, 0, MK_NEED_PROBLEM, &err);
        if (!code) code = mk_truth_new(&f, e->problem, e->horizon, e->n_horizons, e->replications, &err);
        size_t last = code ? 0 : e->n_horizons - 1;
        CHECK(!code && mk_truth_best(f, 0, last) == cases[i].best, "best arm of %s %s", cases[i].path, err.text);
        if (!code && i == 3) {
            uint64_t far = 1000000000000u;
            struct mk_truth *limit = NULL;
            code = mk_truth_new(&limit, e->problem, &far, 1, 1, &err);
            if (!code) CHECK_CLOSE(limit->gap[0], 1 - pow(1.01, -3), 1e-9, "e4_power: the gap of arm 0 at T = 10^12");
            mk_truth_free(limit);
        }
        mk_truth_free(f);
        mk_experiment_free(e);
    }
}

/* Real data against the definition, loop by loop. */
static void check_fixture(void)
{
    const char *path = "experiments/data/pmlb_fixture.csv";
    static const uint64_t T[] = {1, 7, 50};
    struct mk_experiment *e = NULL;
    struct mk_truth *f = NULL;
    struct mk_error err = {0, ""};
    int code = mk_experiment_from_csv(&e, path, NULL, 0, &err);
    if (!code) code = mk_truth_new(&f, e->problem, T, 3, 2, &err);
    CHECK(code == MK_OK, "facts of %s %s", path, err.text);
    int wrong = 0;
    for (size_t i = 0; !code && i < 4 * 3 * 6; i++) {
        size_t instance = i / 18, h = i / 6 % 3, arm = i % 6;
        double sum = 0, best = -INFINITY;
        for (uint64_t r = 0; r < 2; r++) {
            double top = -INFINITY;
            for (uint64_t n = 0; n < T[h]; n++)
                top = fmax(top, mk_problem_series(e->problem, instance, arm, r)->reward[n]);
            sum += top;
        }
        const double *value = &f->expected_max[mk_truth_at(f, instance, h, 0)];
        for (size_t k = 0; k < 6; k++) best = fmax(best, value[k]);
        wrong += fabs(value[arm] - sum / 2) > 1e-15 || value[mk_truth_best(f, instance, h)] != best ||
                 f->gap[mk_truth_at(f, instance, h, arm)] != best - value[arm];
    }
    CHECK(!wrong, "72 cells of it follow the definition");
    mk_truth_free(f);
    mk_experiment_free(e);
}

int main(void)
{
    struct scratch s;
    scratch_make(&s);
    check_bounded();
    check_sizes();
    check_infinite();
    check_not_computable();
    check_recorded(&s);
    check_published();
    check_fixture();
    scratch_remove(&s);
    return CHECK_EXIT;
}
