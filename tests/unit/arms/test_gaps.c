/* Gaps of upper ends, changes of the best arm, pooled rewards, survival functions. */
#include "analysis/compare/arms/gaps.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/compare/arms/arm_choice.h"
#include "analysis/compare/arms/pooled_rewards.h"
#include "analysis/theory/survival.h"
#include "tests/support/check.h"

enum { MOST_ARMS = 3 };

/* A synthetic problem on the stack; dist[] is owned. */
struct made {
    struct mk_problem p;
    struct mk_instance instance;
    struct mk_dist *dist[MOST_ARMS];
    size_t arm[MOST_ARMS];
    char *label[MOST_ARMS];
};

static void make_problem(struct made *m, struct mk_dist *a, struct mk_dist *b, struct mk_dist *c)
{
    static char name[] = "made", label[] = "arm";
    memset(m, 0, sizeof *m);
    m->dist[0] = a;
    m->dist[1] = b;
    m->dist[2] = c;
    for (size_t i = 0; i < MOST_ARMS; i++) {
        m->arm[i] = i;
        m->label[i] = label;
    }
    m->instance = (struct mk_instance){.name = name, .n_arms = c ? 3 : 2, .arm = m->arm};
    m->p = (struct mk_problem){.source = &mk_source_arms,
                               .n_instances = 1,
                               .instance = &m->instance,
                               .n_arms = c ? 3 : 2,
                               .arm_label = m->label,
                               .dist = m->dist,
                               .replications = UINT64_MAX};
}

static void free_made(struct made *m)
{
    for (size_t i = 0; i < MOST_ARMS; i++) mk_dist_free(m->dist[i]);
}

static struct mk_dist *make2(const char *family, double p, double q)
{
    struct mk_dist *d = NULL;
    struct mk_error err = {0, ""};
    if (mk_dist_make(&d, family, &err, p, q)) CHECK(0, "%s: %s", family, err.text);
    return d;
}

static void check_crossings(const struct mk_problem *p, const struct mk_crossing *want, size_t n, const char *what)
{
    struct mk_crossing *c = NULL;
    struct mk_error err = {0, ""};
    size_t got = 0;
    int code = mk_gap_crossings(p, 1000000000000, &c, &got, &err);
    CHECK(code == MK_OK && got == n, "%s: %zu changes of the best arm %s", what, n, err.text);
    for (size_t i = 0; i < n && i < got; i++)
        CHECK(c[i].horizon == want[i].horizon && c[i].before == want[i].before && c[i].after == want[i].after,
              "at T = %llu from %zu to %zu", (unsigned long long)c[i].horizon, c[i].before, c[i].after);
    free(c);
}

/* mpmath, closed forms of E[M(n)] (uniform n/(n+1), exponential harmonic numbers, Pareto by gamma functions) and
 * bisection over whole n. */
static void test_crossings(void)
{
    struct made m;
    make_problem(&m, make2("uniform", 0, 1), make2("uniform", .31, .91), NULL);
    check_crossings(&m.p, (struct mk_crossing[]){{4, 1, 0}}, 1, "two uniforms");
    free_made(&m);
    make_problem(&m, make2("uniform", 0, 10), make2("exponential", NAN, 2.5), make2("pareto", 4, 1));
    check_crossings(&m.p, (struct mk_crossing[]){{26, 0, 1}, {661626, 1, 2}}, 2, "bounded, light and heavy tail");
    free_made(&m);
    make_problem(&m, make2("exponential", NAN, 1000), make2("pareto", 2.1, 1), NULL);
    check_crossings(&m.p, (struct mk_crossing[]){{367355629, 0, 1}}, 1, "exponential and Pareto");
    free_made(&m);
    /* .5, and 1 once in 100: 1 - .99^T / 2 against .9 T / (T + 1); the first arm leads again from 155 on */
    double value[100];
    for (int i = 0; i < 100; i++) value[i] = i ? .5 : 1;
    const struct mk_dist_spec seldom = {.type = mk_dist_type_find("empirical"), .n_values = 100, .values = value};
    struct mk_dist *first = NULL;
    struct mk_error err = {0, ""};
    CHECK(mk_dist_new(&first, &seldom, NULL, &err) == MK_OK, "empirical %s", err.text);
    make_problem(&m, first, make2("uniform", 0, .9), NULL);
    check_crossings(&m.p, (struct mk_crossing[]){{2, 0, 1}, {155, 1, 0}}, 2, "there and back");
    free_made(&m);
    make_problem(&m, make2("uniform", 0, 1), make2("uniform", 0, .5), NULL);
    check_crossings(&m.p, NULL, 0, "one arm above the other");
    free_made(&m);
}

static void test_uppers(void)
{
    struct made m;
    double upper[MOST_ARMS];
    make_problem(&m, make2("uniform", 0, 1), make2("exponential", NAN, 1), make2("uniform", 0, .75));
    mk_gap_uppers(&m.p, 0, upper);
    CHECK(upper[0] == 1 && upper[1] == INFINITY && upper[2] == .75, "upper ends");
    CHECK(mk_gap_endpoint(upper, 0, 2) == .25 && mk_gap_endpoint(upper, 2, 0) == -.25, "gaps of upper ends");
    CHECK(isnan(mk_gap_endpoint(upper, 0, 1)) && isnan(mk_gap_endpoint(upper, 1, 0)), "none with an infinite end");
    m.instance.n_arms = 2;
    mk_gap_uppers(&m.p, 0, upper);
    CHECK(isnan(upper[2]), "an arm that the instance lacks");
    m.instance.n_arms = 3;
    free_made(&m);
}

/* Two recorded arms, two repetitions. */
static void test_recorded(void)
{
    static char name[] = "recorded", label[] = "arm";
    double r[4][3] = {{3, 1, 2}, {5, 4, 0}, {-1, -1, -2}, {0, 0, 0}};
    struct mk_series series[4];
    for (size_t i = 0; i < 4; i++) series[i] = (struct mk_series){.reward = r[i], .length = i == 3 ? 1 : 3, .line = 1};
    size_t arm[2] = {0, 1};
    char *labels[2] = {label, label};
    struct mk_instance in = {.name = name, .n_arms = 2, .arm = arm, .series = series, .replications = 2};
    struct mk_problem p = {.source = &mk_source_trajectories,
                           .n_instances = 1,
                           .instance = &in,
                           .n_arms = 2,
                           .arm_label = labels,
                           .replications = 2};
    struct mk_pooled_rewards *pool = NULL;
    struct mk_error err = {0, ""};
    double low, high;
    CHECK(mk_pooled_rewards_new(&pool, &p, 0, 0, 1, "test", &err) == MK_OK, "pooled rewards %s", err.text);
    if (!pool) return;
    CHECK(pool->n[0] == 6 && pool->n[1] == 4 && pool->largest == 5, "all repetitions");
    int ascending = 1;
    for (size_t i = 1; i < 6; i++) ascending &= pool->sorted[0][i - 1] <= pool->sorted[0][i];
    CHECK(ascending && pool->sorted[0][0] == 0 && pool->sorted[1][0] == -2 && pool->sorted[1][3] == 0, "in order");
    mk_pooled_rewards_free(pool);
    mk_problem_arm_support(&p, 0, 1, &low, &high);
    CHECK(low == -2 && high == 0, "least and largest recorded reward");
    series[2].length = series[3].length = 0;
    CHECK(mk_pooled_rewards_new(&pool, &p, 0, 0, 1, "test", &err) == MK_EINPUT && !pool, "an arm without rewards: %s",
          err.text);
}

static void test_survival(void)
{
    static const double v[] = {1, 2, 2, 4};
    double x[5], low, high;
    CHECK(mk_survival_empirical(v, 4, 0) == 1 && mk_survival_empirical(v, 4, 1) == 1 &&
              mk_survival_empirical(v, 4, 2) == .75 && mk_survival_empirical(v, 4, 2.5) == .25 &&
              mk_survival_empirical(v, 4, 4) == .25 && mk_survival_empirical(v, 4, 5) == 0,
          "share of values at or above x");
    double spaced[4] = {0, 0, 0, 9};
    mk_survival_spaced(-1, 1e-17, 3, spaced); /* -1 + (1e-17 + 1) = 0 */
    CHECK(spaced[0] == -1 && spaced[1] == -0.5 && spaced[2] == 1e-17 && spaced[3] == 9, "both ends are points");
    mk_survival_band(.9, 100, .95, &low, &high);
    CHECK_CLOSE(low, .9 - 0.13581015157406195, 1e-14, "band"); /* sqrt(log(40) / 200) */
    CHECK(high == 1, "no more than 1");
    struct mk_dist *d = make2("uniform", -1, 3);
    mk_survival_points(d, 5, x);
    CHECK(x[0] == -1 && x[1] == 0 && x[2] == 1 && x[4] == 3, "points over the support");
    mk_dist_free(d);
    d = make2("exponential", NAN, 2);
    mk_survival_points(d, 5, x);
    CHECK_CLOSE(x[4], 2 * log(1000), 1e-13, "an infinite end is cut at the quantile .999");
    mk_dist_free(d);
}

/* The arms that tables of very many list: the ten best, 20, 50, 100, 200, 500, … and the last. */
static void test_listed(void)
{
    static const size_t want[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 50, 100, 200, 500, 1000, 2000, 2345};
    size_t n = 0, wrong = 0;
    for (size_t rank = 1; rank <= 2345; rank++)
        if (mk_arm_is_listed(rank, 2345)) wrong += n >= sizeof want / sizeof *want || rank != want[n], n++;
    CHECK(!wrong && n == sizeof want / sizeof *want, "%zu of 2345 arms are listed", n);
    CHECK(mk_arm_is_listed(11, MK_MANY_ARMS) && !mk_arm_is_listed(11, MK_MANY_ARMS + 1), "all of few");
}

int main(void)
{
    test_listed();
    test_crossings();
    test_uppers();
    test_recorded();
    test_survival();
    return CHECK_EXIT;
}
