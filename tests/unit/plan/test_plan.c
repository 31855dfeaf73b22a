/* Plans against the tables that their sources print, and against sums by hand. */
#include <math.h>
#include <string.h>

#include "sim/search/plan/dacopt.h"
#include "sim/search/plan/halving.h"
#include "sim/search/plan/plan.h"
#include "sim/search/plan/race.h"
#include "tests/support/check.h"

/* The plan NAME with its defaults but for the settings "name=value …" (choices by number). */
static struct mk_plan make(const char *name, const char *settings)
{
    const struct mk_plan_type *type = mk_plan_type_find(name);
    double par[MK_MAX_PARAMS];
    struct mk_plan plan = {0};
    struct mk_error err = {0, ""};
    char copy[200], *save = NULL;
    REQUIRE(type, "the plan %s", name);
    snprintf(copy, sizeof copy, "%s", settings);
    mk_param_defaults(type->params, par);
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *equals = strchr(word, '=');
        *equals = 0;
        par[mk_param_find(type->params, word)] = atof(equals + 1);
    }
    REQUIRE(!type->make(par, &plan, &err), "%s %s: %s", name, settings, err.text);
    return plan;
}

/* "bracket:configurations×budget …" of the plan. */
static void check_plan(const char *name, const char *settings, const char *want, double total)
{
    struct mk_plan plan = make(name, settings);
    char got[2000] = "";
    size_t n = 0;
    for (size_t i = 0; i < plan.n; i++)
        n += (size_t)snprintf(got + n, sizeof got - n, "%s%llu:%llux%g", i ? " " : "",
                              (unsigned long long)plan.round[i].bracket,
                              (unsigned long long)plan.round[i].configurations, plan.round[i].budget);
    CHECK(strcmp(got, want) == 0, "%s %s: %s", name, settings, got);
    CHECK_CLOSE(mk_plan_total(&plan), total, 1e-15, "%s %s: total", name, settings);
    mk_plan_free(&plan);
}

static void check_tables(void)
{
    /* Li et al. 2018, Table 1. */
    check_plan("hyperband", "R=81 eta=3 rounding=1",
               "4:81x1 4:27x3 4:9x9 4:3x27 4:1x81 3:27x3 3:9x9 3:3x27 3:1x81 2:9x9 2:3x27 2:1x81 1:6x27 1:2x81 0:5x81",
               1701);
    /* Its Algorithm 1, by hand: ceil(5/5 81), ceil(5/4 27), ceil(5/3 9), ceil(5/2 3), 5. */
    check_plan(
        "hyperband", "R=81 eta=3 rounding=0",
        "4:81x1 4:27x3 4:9x9 4:3x27 4:1x81 3:34x3 3:11x9 3:3x27 3:1x81 2:15x9 2:5x27 2:1x81 1:8x27 1:2x81 0:5x81",
        1902);
    /* The manual of mlr3hyperband: brackets of 8, 6, 4 and 4 for R = 8, eta = 2. */
    check_plan("hyperband", "R=8 eta=2", "3:8x1 3:4x2 3:2x4 3:1x8 2:6x2 2:3x4 2:1x8 1:4x4 1:2x8 0:4x8", 128);
    /* 243 = 3^5, whose logarithm by division is 4.999…: six brackets. */
    CHECK(mk_floor_log(243, 3) == 5 && mk_floor_log(242, 3) == 4 && mk_floor_log(1000, 10) == 3 &&
              mk_floor_log(1, 3) == 0,
          "whole logarithms");
    /* DACOpt's program, runs of 10 and of 7 and 5 sub-spaces, followed by hand. */
    check_plan("dacopt", "K=10 T=500 n0=10", "0:10x10 0:4x25 0:2x50 0:1x200", 500);
    check_plan("dacopt", "K=10 T=500 n0=20", "0:10x20 0:4x18 0:2x38 0:1x152", 500);
    check_plan("dacopt", "K=7 T=200 n0=5", "0:7x5 0:3x18 0:1x111", 200);
    check_plan("dacopt", "K=5 T=500 n0=10", "0:5x10 0:2x75 0:1x300", 500);
    check_plan("dacopt", "K=10 T=500 n0=10 share=1", "0:10x10 0:4x33 0:2x67 0:1x134", 500);
    check_plan("dacopt", "K=1 T=30 n0=10", "0:1x30", 30);
}

/* Nguyen 2024 as printed, by hand from its Algorithms 4 to 6. */
static void check_printed(void)
{
    check_plan("successive_halving", "n=16 R=10 eta=2 B=100 reading=1", "0:16x1 0:8x2 0:4x5", 52);
    check_plan("successive_halving", "n=16 R=10 eta=2 B=1000 reading=1", "0:16x1 0:8x2 0:4x5", 52);
    check_plan("successive_halving", "n=16 R=10 eta=2 B=100", "0:16x1 0:8x2 0:4x5 0:2x10", 72);
    check_plan("successive_halving", "n=16 R=10 eta=2 B=150", "0:16x2 0:8x5 0:4x10", 112);
    check_plan("successive_halving", "n=16 R=10 eta=2 B=200", "0:16x10", 160);
    check_plan("successive_halving", "n=27 R=10 eta=3 reading=1", "0:27x1 0:9x3", 54);
    /* Of five brackets with B / 4 each, n_r from all of B: only bracket 1 fits its budget. */
    check_plan("hyperband", "R=81 eta=3 B=2000 reading=1", "1:38x3 1:12x9 1:4x27", 330);
    double sum[2] = {0, 0};
    static const double want[] = {7. / 6, 15. / 12, 40. / 30, 155. / 110}; /* (3 n + 1) / (2 (n + 1)), by the sum */
    static const uint64_t sizes[] = {2, 3, 5, 10};
    for (size_t i = 0; i < 4; i++) {
        sum[0] = sum[1] = 0;
        for (uint64_t r = 1; r <= sizes[i]; r++)
            for (int reading = 0; reading < 2; reading++)
                sum[reading] += mk_race_weight((enum mk_reading)reading, sizes[i], r);
        CHECK_CLOSE(sum[0], 1, 1e-14, "weights of %llu elites", (unsigned long long)sizes[i]);
        CHECK_CLOSE(sum[1], want[i], 1e-14, "weights of %llu elites as printed", (unsigned long long)sizes[i]);
    }
}

/* irace:::computeComputationalBudget and computeNbConfigurations of irace 3.5, evaluated in R 4.2. */
static void check_races(void)
{
    static const struct {
        struct mk_race_plan p;
        uint64_t n;
    } cases[] = {
        {{1, 250, 5, 1, 0, 0, 0}, 41},  {{2, 250, 5, 1, 4, 6, 1}, 39},    {{3, 333, 5, 1, 4, 12, 1}, 29},
        {{2, 100, 5, 3, 3, 10, 1}, 10}, {{7, 5000, 5, 1, 5, 30, 1}, 166}, {{1, 100000, 5, 1, 0, 0, 0}, 1024},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(mk_race_size(MK_READING_SOURCE, &cases[i].p) == cases[i].n, "irace, case %zu: %llu configurations", i,
              (unsigned long long)mk_race_size(MK_READING_SOURCE, &cases[i].p));
    CHECK(mk_race_count(4) == 4 && mk_race_count(3) == 3 && mk_race_count(1) == 2 && mk_race_count(38) == 7,
          "floor(2 + log2 N) races");
    CHECK(mk_race_budget(1000, 4, 1) == 250 && mk_race_budget(751, 4, 2) == 250 && mk_race_budget(70, 4, 9) == 70,
          "budgets of races");
    check_plan("irace", "parameters=4 B=1000", "1:41x6.09756 2:39x6.41026 3:34x7.35294 4:31x8.06452", 1000);
}

/* A plan with a budget spends at most B and more than B - R. */
static void check_budgets(void)
{
    char settings[100];
    size_t bad = 0, n = 0;
    for (double R = 1; R < 300; R = 2.7 * R + 1)
        for (double eta = 2; eta < 5; eta++)
            for (double B = R; B < 40 * R; B = 1.37 * B + 1, n++) {
                snprintf(settings, sizeof settings, "R=%.17g eta=%g B=%.17g", R, eta, B);
                struct mk_plan plan = make("hyperband", settings);
                const double total = mk_plan_total(&plan);
                bad += !(total <= B * (1 + 1e-12) && total > B - R);
                mk_plan_free(&plan);
            }
    CHECK(bad == 0, "%zu plans spend at most B and more than B - R", n);
    bad = n = 0;
    for (size_t K = 1; K < 40; K++)
        for (size_t T = K; T < 3000; T = 2 * T + 7, n++) {
            snprintf(settings, sizeof settings, "K=%zu T=%zu n0=1 eta=%g", K, T, 1.5 + (double)(K % 4));
            struct mk_plan plan = make("dacopt", settings);
            bad += mk_plan_total(&plan) != (double)T;
            mk_plan_free(&plan);
        }
    CHECK(bad == 0, "%zu contests have T evaluations", n);
}

int main(void)
{
    check_tables();
    check_printed();
    check_races();
    check_budgets();
    return CHECK_EXIT;
}
