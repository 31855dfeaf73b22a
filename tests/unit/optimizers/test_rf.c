/* What rf's own parameters do: several proposals from one forest, the variance over the trees. */
#include <string.h>

#include <gsl/gsl_errno.h>

#include "sim/search/optimizers/optimizer.h"
#include "tests/support/check.h"
#include "tests/support/spaces.h"

enum { INIT = 6, ASKS = 18, ROWS = 24 };

/* Without interleaved random configurations. */
static void settings(double *par, double retrain, double trees, double variance)
{
    const struct mk_param *params = mk_optimizer_type_find("rf")->params;
    const struct {
        const char *name;
        double value;
    } set[] = {{"init", INIT},    {"defaults", 0},  {"challengers", 300}, {"local_searches", 2},
               {"interleave", 0}, {"trees", trees}, {"retrain", retrain}, {"variance", variance}};
    mk_param_defaults(params, par);
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) par[mk_param_find(params, set[i].name)] = set[i].value;
}

/* Digests of the proposals; from ask `lie` on rewards have the other sign. */
static void play(const struct mk_space *s, double retrain, size_t lie, uint64_t digest[ASKS])
{
    double par[MK_MAX_PARAMS], fidelity;
    struct mk_optimizer *o = NULL;
    struct mk_error err = {0, ""};
    settings(par, retrain, 10, 0);
    int code = mk_optimizer_new(&o, mk_optimizer_type_find("rf"), par, s, ASKS, &err);
    if (!code) code = mk_optimizer_start(o, mk_key_text(mk_key_start(), "rf"), &err);
    for (size_t i = 0; i < ASKS && !code; i++) {
        const double *v;
        code = mk_optimizer_ask(o, &v, &fidelity, &err);
        if (code) break;
        digest[i] = mk_space_configuration_digest(s, v);
        const double reward = -(v[0] - 0.3) * (v[0] - 0.3) - v[1];
        mk_optimizer_tell(o, i < lie ? reward : -reward, 1, MK_TRIAL_OK);
    }
    REQUIRE(!code, "rf: %s", err.text);
    mk_optimizer_free(o);
}

static size_t first_difference(const uint64_t *a, const uint64_t *b)
{
    size_t i = 0;
    while (i < ASKS && a[i] == b[i]) i++;
    return i;
}

static size_t count_distinct(const uint64_t *digest, size_t from)
{
    size_t distinct = 0;
    for (size_t i = from; i < ASKS; i++) {
        size_t j = from;
        while (digest[j] != digest[i]) j++;
        distinct += j == i;
    }
    return distinct;
}

/* Forests are grown at asks 6, 10 and 14: what is learned from ask 7 on matters from ask 10 on. With a forest for every
 * proposal it may matter from ask 8 on, and does before ask `soon`. */
static void check_retrain(const struct mk_space *s, const char *name, size_t soon)
{
    uint64_t honest[ASKS], lied[ASKS];
    play(s, 4, ASKS, honest);
    play(s, 4, 7, lied);
    CHECK(first_difference(honest, lied) >= 10 && first_difference(honest, lied) < ASKS &&
              count_distinct(honest, INIT) == ASKS - INIT,
          "%s: four different proposals from one forest; results count from ask %zu on", name,
          first_difference(honest, lied));
    play(s, 1, ASKS, honest);
    play(s, 1, 7, lied);
    CHECK(first_difference(honest, lied) >= 8 && first_difference(honest, lied) < soon,
          "%s: a forest for every proposal; results count from ask %zu on", name, first_difference(honest, lied));
}

static void check_variance(const struct mk_space *s)
{
    double par[MK_MAX_PARAMS];
    struct mk_optimizer *o = NULL;
    struct mk_error err = {0, ""};
    settings(par, 1, 1, 1);
    const int code = mk_optimizer_new(&o, mk_optimizer_type_find("rf"), par, s, ASKS, &err);
    CHECK(code == MK_EINPUT && !o, "a sample variance of one tree: %s", err.text);
}

/* Unless `init` is given: 10 per hyperparameter, at most a quarter of the budget (SMAC3) and most_init. Digests of the
 * first proposals from a budget of 200 are those of the same number by `init`. */
static void check_initial_size(const struct mk_space *s)
{
    enum { FIRST = 24, BUDGET = 200 };
    static const double cases[][2] = {{NAN, 10}, {1000000, 20}, {3, 3}};
    const struct mk_optimizer_type *type = mk_optimizer_type_find("rf");
    for (size_t k = 0; k < 3; k++) {
        uint64_t digest[2][FIRST];
        for (int by_init = 0; by_init < 2; by_init++) {
            double par[MK_MAX_PARAMS], fidelity;
            struct mk_optimizer *o = NULL;
            struct mk_error err = {0, ""};
            const double *v;
            mk_param_defaults(type->params, par);
            par[mk_param_find(type->params, "challengers")] = 100;
            if (by_init)
                par[mk_param_find(type->params, "init")] = cases[k][1];
            else if (!isnan(cases[k][0]))
                par[mk_param_find(type->params, "most_init")] = cases[k][0];
            REQUIRE(!mk_optimizer_new(&o, type, par, s, BUDGET, &err), "rf: %s", err.text);
            REQUIRE(!mk_optimizer_start(o, mk_key_start(), &err), "rf: %s", err.text);
            for (size_t i = 0; i < FIRST; i++) {
                REQUIRE(!mk_optimizer_ask(o, &v, &fidelity, &err), "rf: %s", err.text);
                digest[by_init][i] = mk_space_configuration_digest(s, v);
                mk_optimizer_tell(o, -v[0] * v[0] - v[1], 1, MK_TRIAL_OK);
            }
            mk_optimizer_free(o);
        }
        CHECK(memcmp(digest[0], digest[1], sizeof digest[0]) == 0, "%g initial configurations, most_init %g",
              cases[k][1], cases[k][0]);
    }
}

/* Ten rewards of 0 at x = .1 and of 1 at x = .9: exact splits lie in the middle of the gap, at .5, in every tree, and
 * all x above it are equally good, the first of which is proposed: uniform on (.5, 1]. Of 200 proposals 100 +- 7 lie
 * below .75; five standard deviations, false alarm below 1e-6. Random splits favour what is right of all of them. */
static void check_splitter(void)
{
    enum { SEARCHES = 200, TOLD = 20 };
    struct mk_space *s = space_must("x: {real: [0, 1]}\n");
    const struct mk_optimizer_type *type = mk_optimizer_type_find("rf");
    int low[2] = {0, 0}, middle[2] = {0, 0};
    for (int random = 0; random < 2; random++)
        for (uint64_t seed = 0; seed < SEARCHES; seed++) {
            double par[MK_MAX_PARAMS], fidelity;
            struct mk_optimizer *o = NULL;
            struct mk_error err = {0, ""};
            const double *v;
            settings(par, 1, 10, 0);
            par[mk_param_find(type->params, "local_searches")] = 0;
            par[mk_param_find(type->params, "splitter")] = random;
            REQUIRE(!mk_optimizer_new(&o, type, par, s, TOLD + 1, &err), "rf: %s", err.text);
            REQUIRE(!mk_optimizer_start(o, mk_key_word(mk_key_start(), seed), &err), "rf: %s", err.text);
            for (int i = 0; i < TOLD; i++) {
                REQUIRE(!mk_optimizer_add(o, (double[]){i % 2 ? 0.9 : 0.1}, &err), "rf: %s", err.text);
                mk_optimizer_tell(o, i % 2, 1, MK_TRIAL_OK);
            }
            REQUIRE(!mk_optimizer_ask(o, &v, &fidelity, &err), "rf: %s", err.text);
            low[random] += v[0] <= 0.5;
            middle[random] += v[0] > 0.5 && v[0] < 0.75;
            mk_optimizer_free(o);
        }
    CHECK(low[0] == 0 && abs(middle[0] - 100) <= 35, "exact splits: %d of %d proposals below .5, %d between .5 and .75",
          low[0], SEARCHES, middle[0]);
    CHECK(low[1] + middle[1] < 65, "random splits: %d of %d below .5, %d between .5 and .75", low[1], SEARCHES,
          middle[1]);
    mk_space_free(s);
}

int main(void)
{
    struct mk_space *s = space_must("x: {real: [0, 1]}\ny: {real: [0, 1]}\n");
    struct mk_error err = {0, ""};
    struct mk_pcg64 rng;
    double *row = malloc(2 * ROWS * sizeof *row);
    gsl_set_error_handler_off();
    REQUIRE(row, "memory");
    check_retrain(s, "a box", 10);
    check_variance(s);
    check_initial_size(s);
    check_splitter();
    mk_pcg64_seed(&rng, 1, 1);
    for (int i = 0; i < 2 * ROWS; i++) row[i] = mk_uniform(&rng);
    REQUIRE(!mk_space_restrict(s, row, ROWS, &err), "rows: %s", err.text);
    check_retrain(s, "measured configurations", ASKS);
    mk_space_free(s);
    return CHECK_EXIT;
}
