/* Points that fill the cube, grids, and what random search and grid search find on McCormick's function. */
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>

#include "sim/search/optimizers/parts/design.h"
#include "tests/support/check.h"
#include "tests/support/objectives.h"
#include "tests/support/spaces.h"

static struct mk_key key_of(uint64_t seed)
{
    return mk_key_word(mk_key_text(mk_key_start(), "designs"), seed);
}

/* An optimiser with its defaults but for the settings "name=value …" (choices by number). Two may be in use. */
static struct mk_optimizer *make(const char *name, const char *settings, const struct mk_space *s, uint64_t budget)
{
    static double pars[2][MK_MAX_PARAMS];
    static int turn;
    double *par = pars[turn++ % 2];
    const struct mk_optimizer_type *type = mk_optimizer_type_find(name);
    struct mk_optimizer *o = NULL;
    struct mk_error err = {0, ""};
    char copy[200], *save = NULL;
    snprintf(copy, sizeof copy, "%s", settings);
    mk_param_defaults(type->params, par);
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *equals = strchr(word, '=');
        *equals = 0;
        par[mk_param_find(type->params, word)] = atof(equals + 1);
    }
    REQUIRE(!mk_optimizer_new(&o, type, par, s, budget, &err), "%s: %s", name, err.text);
    return o;
}

/* The next configuration; its reward is 0. */
static const double *next(struct mk_optimizer *o)
{
    const double *v;
    double fidelity;
    struct mk_error err = {0, ""};
    REQUIRE(!mk_optimizer_ask(o, &v, &fidelity, &err), "%s: %s", o->type->name, err.text);
    mk_optimizer_tell(o, 0, 1, MK_TRIAL_OK);
    return v;
}

static void start(struct mk_optimizer *o, uint64_t seed)
{
    struct mk_error err = {0, ""};
    REQUIRE(!mk_optimizer_start(o, key_of(seed), &err), "%s: %s", o->type->name, err.text);
}

/* ---- sequences ---- */

/* Sobol's first points in three dimensions after 0 (Bratley & Fox 1988, algorithm 659), and
 * Halton's in bases 2, 3 and 5, all moved by the same vector modulo 1. */
static void check_sequences(void)
{
    static const double points[2][5][3] = {
        {{0.5, 0.5, 0.5}, {0.75, 0.25, 0.75}, {0.25, 0.75, 0.25}, {0.375, 0.375, 0.625}, {0.875, 0.875, 0.125}},
        {{0.5, 1 / 3.0, 0.2},
         {0.25, 2 / 3.0, 0.4},
         {0.75, 1 / 9.0, 0.6},
         {0.125, 4 / 9.0, 0.8},
         {0.625, 7 / 9.0, 0.04}}};
    struct mk_space *s = space_must("a: {real: [0, 1]}\nb: {real: [0, 1]}\nc: {real: [0, 1]}\n");
    double shift[2][3];
    for (int design = 0; design < 2; design++) {
        struct mk_optimizer *o = make("random", design ? "sampler=2" : "sampler=1", s, 5);
        double worst = 0;
        for (int seed = 0; seed < 2; seed++) {
            start(o, (uint64_t)seed);
            for (int i = 0; i < 5; i++) {
                const double *v = next(o);
                for (int j = 0; j < 3; j++) {
                    double moved = v[j] - points[design][i][j];
                    moved -= floor(moved);
                    if (i == 0) shift[seed][j] = moved;
                    const double off = fabs(moved - shift[seed][j]);
                    worst = fmax(worst, fmin(off, 1 - off));
                }
            }
        }
        CHECK(worst < 1e-14, "%s: its first points, shifted", design ? "Halton" : "Sobol");
        CHECK(fabs(shift[0][0] - shift[1][0]) > 1e-3 && fabs(shift[0][0] - shift[0][1]) > 1e-3,
              "another search, another axis: another shift");
        mk_optimizer_free(o);
    }
    mk_space_free(s);
}

/* One point in each of the n slices of every axis; axes are independent of each other. */
static void check_latin_hypercube(void)
{
    enum { N = 64, SEARCHES = 200 };
    struct mk_space *s = space_must("a: {real: [0, 1]}\nb: {real: [0, 1]}\n");
    struct mk_optimizer *o = make("random", "sampler=3", s, N);
    size_t wrong = 0;
    double product = 0, inside = 0;
    for (uint64_t seed = 0; seed < SEARCHES; seed++) {
        unsigned char seen[2][N] = {{0}};
        start(o, seed);
        for (int i = 0; i < N; i++) {
            const double *v = next(o);
            for (int j = 0; j < 2; j++) seen[j][(size_t)(v[j] * N)]++;
            product += 12 * (v[0] - 0.5) * (v[1] - 0.5) / (N * SEARCHES);
            inside += (v[0] * N - floor(v[0] * N)) / (N * SEARCHES);
        }
        for (int i = 0; i < N; i++) wrong += seen[0][i] != 1 || seen[1][i] != 1;
    }
    CHECK(!wrong, "a Latin hypercube has one point in each slice of every axis");
    /* Standard errors 1 / sqrt(12800) = .0088 and .289 / sqrt(12800) = .0026; 5 of them. */
    CHECK(fabs(product) < 0.045 && fabs(inside - 0.5) < 0.013, "axes uncorrelated (%.4f), uniform within slices (%.4f)",
          product, inside);
    mk_optimizer_free(o);
    mk_space_free(s);
}

static void check_permutations(void)
{
    enum { MOST = 300 };
    size_t wrong = 0, fixed = 0;
    for (uint64_t n = 1; n <= MOST; n++) {
        unsigned char seen[MOST] = {0};
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t to = mk_permute(i, n, key_of(n));
            if (to < n) seen[to]++;
            fixed += to == i;
        }
        for (uint64_t i = 0; i < n; i++) wrong += seen[i] != 1;
    }
    /* A random permutation has one fixed point on average, with variance 1: 300 +- 5 sqrt(300). */
    CHECK(!wrong && fixed > 213 && fixed < 387, "permutations of 1 to 300 places; %zu places stay", fixed);
}

/* ---- initial designs ---- */

static void check_initial_design(void)
{
    struct mk_space *s =
        space_must("m: {choice: {a: {x: {real: [0, 1], default: 0.25}}, b: {y: {integer: [1, 9]}}}}\n");
    static const char *const model[] = {"tpe", "rf", "gp"};
    for (size_t k = 0; k < 3; k++) {
        struct mk_optimizer *o = make(model[k], "defaults=1 init=3", s, 10);
        start(o, 1);
        const double *v = next(o);
        bool good = v[0] == 0 && v[1] == 0.25 && isnan(v[2]);
        v = next(o);
        good &= v[0] == 1 && isnan(v[1]) && v[2] == 5;
        CHECK(good, "%s: the default configuration of every algorithm comes first", model[k]);
        mk_optimizer_free(o);
    }
    /* The design does not depend on what the optimiser would do with its results. */
    struct mk_optimizer *a = make("tpe", "design=1 init=8", s, 10), *b = make("gp", "design=1 init=8", s, 10);
    size_t same = 0;
    start(a, 2);
    start(b, 2);
    for (int i = 0; i < 8; i++)
        same += mk_space_configuration_digest(s, next(a)) == mk_space_configuration_digest(s, next(b));
    CHECK(same == 8, "the same initial design for all that use it");
    mk_optimizer_free(a);
    mk_optimizer_free(b);
    mk_space_free(s);
}

/* ---- grids ---- */

static size_t count_distinct(const uint64_t *digest, size_t n)
{
    size_t distinct = 0;
    for (size_t i = 0; i < n; i++) {
        size_t j = 0;
        while (digest[j] != digest[i]) j++;
        distinct += j == i;
    }
    return distinct;
}

/* k: a 1; b, x 3 values; c, n 2 values (of which c, 2 with y = p is forbidden), y 2 words: 1 + 3 + 4 - 1 = 7
 * combinations. */
static void check_grids(void)
{
    struct mk_space *s =
        space_must("k: {categorical: [a, b, c]}\nx: {real: [0, 1], when: {k: b}}\nn: {integer: [1, 2], when: {k: c}}\n"
                   "y: {categorical: [p, q], when: {k: c}}\nforbid: [{k: c, n: 2, y: p}]\n");
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        struct mk_optimizer *o = make("grid", shuffled ? "levels=3 order=1" : "levels=3", s, 14);
        uint64_t digest[14];
        start(o, 1);
        for (int i = 0; i < 14; i++) digest[i] = mk_space_configuration_digest(s, next(o));
        CHECK(count_distinct(digest, 7) == 7 && memcmp(digest, digest + 7, 7 * sizeof *digest) == 0,
              "%s grid: every combination once, then again", shuffled ? "a shuffled" : "a");
        mk_optimizer_free(o);
    }
    mk_space_free(s);
    s = space_must("x: {real: [1, 100], log: true}\n");
    struct mk_optimizer *ends = make("grid", "levels=3", s, 3), *middles = make("grid", "levels=2 ends=0", s, 2);
    start(ends, 1);
    start(middles, 1);
    double v[5];
    for (int i = 0; i < 5; i++) v[i] = *next(i < 3 ? ends : middles);
    CHECK(fabs(v[0] - 1) + fabs(v[1] - 10) + fabs(v[2] - 100) + fabs(v[3] - sqrt(10)) + fabs(v[4] - sqrt(1000)) < 1e-12,
          "a log scale: 1, 10, 100 with ends, 3.16 and 31.6 without");
    mk_optimizer_free(ends);
    mk_optimizer_free(middles);
    mk_space_free(s);
}

/* A table of 2^22 values: of two hyperparameters each, grids of up to 2^21 = 2,097,152 configurations, such as 1,448^2.
 */
static void check_shuffled_limit(void)
{
    struct mk_space *s = space_must("x: {real: [0, 1]}\ny: {real: [0, 1]}\n");
    const struct mk_optimizer_type *type = mk_optimizer_type_find("grid");
    struct mk_optimizer *o = NULL;
    struct mk_error err = {0, ""};
    double par[MK_MAX_PARAMS];
    mk_param_defaults(type->params, par);
    par[mk_param_find(type->params, "order")] = 1;
    par[mk_param_find(type->params, "levels")] = 1448;
    CHECK(mk_optimizer_new(&o, type, par, s, 10, &err) == MK_OK, "a grid of 2,096,704 is shuffled %s", err.text);
    mk_optimizer_free(o);
    o = NULL;
    par[mk_param_find(type->params, "levels")] = 1449;
    CHECK(mk_optimizer_new(&o, type, par, s, 10, &err) == MK_EINPUT && strstr(err.text, "at most 2097152"),
          "a grid of 2,099,601 is not: %s", err.text);
    mk_optimizer_free(o);
    mk_space_free(s);
}

/* ---- Nguyen 2024, Figure 3.1 ---- */

/* Of 66 points those where McCormick's function is below 0: 8 of both grids with their ends (by hand: numpy), and of
 * random ones 66 times the share of the area, .13314 (midpoint rule, 4000 x 4000): 8.787, of which the mean over 10^4
 * searches has standard error .028. */
static void check_mccormick(void)
{
    static const char *const space[] = {"x: {real: [-1.5, 4], step: 0.55}\ny: {real: [-3, 3], step: 1.2}\n",
                                        "x: {real: [-1.5, 4], step: 1.1}\ny: {real: [-3, 3], step: 0.6}\n"};
    struct mk_objective_files files = {0};
    struct mk_objective *o = NULL;
    struct mk_error err = {0, ""};
    struct mk_evaluation e;
    struct mk_pcg64 noise;
    int param;
    mk_pcg64_seed(&noise, 1, 1);
    for (int k = 0; k < 3; k++) {
        const size_t searches = k < 2 ? 1 : 10000;
        REQUIRE(!objective_parse("mccormick", k < 2 ? space_must(space[k]) : NULL, &files, &o, &param, &err), "%s",
                err.text);
        struct mk_optimizer *search = make(k < 2 ? "grid" : "random", k < 2 ? "levels=11" : "", o->space, 66);
        size_t below = 0;
        for (size_t i = 0; i < searches; i++) {
            start(search, i);
            for (int j = 0; j < 66; j++) {
                mk_objective_evaluate(o, next(search), 1, &noise, &e);
                below += e.value > 0;
            }
        }
        if (k < 2)
            CHECK(below == 8, "grid of %s: %zu of 66 points below 0", k ? "6 x 11" : "11 x 6", below);
        else
            CHECK(fabs(1e-4 * (double)below - 8.787) < 0.1, "random search: %.3f of 66 points below 0",
                  1e-4 * (double)below);
        mk_optimizer_free(search);
        mk_objective_free(o);
    }
    mk_objective_files_free(&files);
}

/* Every pass of the combinational design has each combination of choices once: here 2 scalers times svm with 3 kernels
 * and tree, 8 by hand. */
static void check_combinations(void)
{
    struct mk_space *s = space_must(
        "scaler: {choice: {none: {}, quantile: {n: {integer: [10, 1000], log: true}}}}\n"
        "model: {choice: {svm: {C: {real: [0.1, 10]}, kernel: {choice: {rbf: {g: {real: [0, 1]}}, lin: {}, poly: {}}}}, "
        "tree: {depth: {integer: [1, 9]}}}}\n");
    struct mk_optimizer *o = make("tpe", "init=24 design=4", s, 100);
    size_t seen[3][2][2][4] = {{{{0}}}}, wrong = 0;
    start(o, 5);
    const size_t scaler = mk_space_find(s, "scaler"), model = mk_space_find(s, "model");
    size_t kernel = 0;
    while (kernel < s->n && !(s->hyper[kernel].choice && kernel != scaler && kernel != model)) kernel++;
    CHECK(mk_combination_count(s) == 8, "combinations of a space: %d", (int)mk_combination_count(s));
    for (size_t i = 0; i < 24; i++) {
        const double *v = next(o);
        seen[i / 8][(size_t)v[scaler]][(size_t)v[model]][isnan(v[kernel]) ? 3 : (size_t)v[kernel]]++;
        wrong += !mk_space_allows(s, v);
    }
    for (int pass = 0; pass < 3; pass++)
        for (int a = 0; a < 2; a++)
            for (int k = 0; k < 4; k++) wrong += seen[pass][a][k == 3][k] != 1;
    CHECK(!wrong, "every pass has each of them once");
    mk_optimizer_free(o);
    mk_space_free(s);
}

int main(void)
{
    gsl_set_error_handler_off();
    check_sequences();
    check_latin_hypercube();
    check_permutations();
    check_initial_design();
    check_grids();
    check_shuffled_limit();
    check_mccormick();
    check_combinations();
    return CHECK_EXIT;
}
