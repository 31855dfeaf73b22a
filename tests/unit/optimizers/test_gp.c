/* gp: what the transform of the rewards gains where they are skewed, and that it does not depend on their unit; what EI
 * per cost spends. */
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>

#include "sim/base/param.h"
#include "sim/search/models/acquisition.h"
#include "sim/search/optimizers/optimizer.h"
#include "tests/support/best_trial.h"
#include "tests/support/check.h"
#include "tests/support/spaces.h"

enum { ASKS = 40, SEARCHES = 20 };

/* Minus Rosenbrock's function in 3 dimensions on [-5, 10]: from 0 to -2 10^6. */
static double valley(const double *v)
{
    double sum = 0;
    for (int i = 0; i < 2; i++) sum += 100 * pow(v[i + 1] - v[i] * v[i], 2) + pow(1 - v[i], 2);
    return -sum;
}

static double best_of(const struct mk_space *s, double (*reward)(const double *), const char *name, double value,
                      double unit, uint64_t seed, uint64_t *digest)
{
    const struct mk_optimizer_type *type = mk_optimizer_type_find("gp");
    struct mk_optimizer *o = NULL;
    struct mk_error err = {0, ""};
    double par[MK_MAX_PARAMS], fidelity;
    const double *v;
    mk_param_defaults(type->params, par);
    par[mk_param_find(type->params, "candidates")] = 300;
    if (name) par[mk_param_find(type->params, name)] = value;
    REQUIRE(!mk_optimizer_new(&o, type, par, s, ASKS, &err), "%s", err.text);
    REQUIRE(!mk_optimizer_start(o, mk_key_word(mk_key_start(), seed), &err), "%s", err.text);
    for (size_t i = 0; i < ASKS; i++) {
        REQUIRE(!mk_optimizer_ask(o, &v, &fidelity, &err), "%s", err.text);
        digest[i] = mk_space_configuration_digest(s, v);
        mk_optimizer_tell(o, unit * reward(v), 1, MK_TRIAL_OK);
    }
    const double best = o->trials.reward[best_trial(&o->trials)];
    mk_optimizer_free(o);
    return best;
}

/* Largest, 0, at x = .001, and by the logarithm of x, y = .5. */
static double scale(const double *v)
{
    return -pow(log10(v[0] + 1e-4) + 2.95860731484178, 2) - pow(v[1] - 0.5, 2);
}

/* Best where x and y are .3 and .6, and nearly as good for any z, of which the cost is 1 to e^5. */
static double hill(const double *v)
{
    return -pow(v[0] - 0.3, 2) - pow(v[1] - 0.6, 2) - 0.01 * pow(v[2] - 0.5, 2);
}

/* What a search spends until its best is above -0.005, all asks where it never is, in units of which it knows costs. */
static double spend(const struct mk_space *s, double per_cost, double unit, uint64_t seed)
{
    const struct mk_optimizer_type *type = mk_optimizer_type_find("gp");
    struct mk_optimizer *o = NULL;
    struct mk_error err = {0, ""};
    double par[MK_MAX_PARAMS], fidelity, spent = 0;
    const double *v;
    bool reached = false;
    mk_param_defaults(type->params, par);
    par[mk_param_find(type->params, "candidates")] = 300;
    par[mk_param_find(type->params, "init")] = 5;
    par[mk_param_find(type->params, "per_cost")] = per_cost;
    REQUIRE(!mk_optimizer_new(&o, type, par, s, ASKS, &err), "%s", err.text);
    REQUIRE(!mk_optimizer_start(o, mk_key_word(mk_key_start(), seed), &err), "%s", err.text);
    for (size_t i = 0; i < ASKS && !reached; i++) {
        REQUIRE(!mk_optimizer_ask(o, &v, &fidelity, &err), "%s", err.text);
        const double cost = exp(5 * v[2]);
        spent += i < 5 ? 0 : cost; /* the initial design is the same */
        reached = hill(v) > -0.005;
        mk_optimizer_tell(o, hill(v), unit * cost, MK_TRIAL_OK);
    }
    mk_optimizer_free(o);
    return spent;
}

static void check_warp(void)
{
    struct mk_space *s = space_must("x: {real: [0, 1]}\ny: {real: [0, 1]}\n");
    uint64_t digest[ASKS];
    double logs[2] = {0, 0};
    int wins = 0;
    for (uint64_t seed = 0; seed < SEARCHES; seed++) {
        const double plain = best_of(s, scale, NULL, 0, 1, seed, digest);
        const double better = best_of(s, scale, "warp", 1, 1, seed, digest);
        wins += better > plain;
        logs[0] += log(-plain) / SEARCHES;
        logs[1] += log(-better) / SEARCHES;
    }
    CHECK(wins >= 15, "warp: yes is better where a logarithm is missing in %d of %d searches: %.3g from the best, %.3g",
          wins, SEARCHES, exp(logs[1]), exp(logs[0]));
    mk_space_free(s);
}

static void check_cost(void)
{
    struct mk_space *s = space_must("x: {real: [0, 1]}\ny: {real: [0, 1]}\nz: {real: [0, 1]}\n");
    const struct mk_optimizer_type *type = mk_optimizer_type_find("gp");
    double par[MK_MAX_PARAMS], sum[2] = {0, 0}, in_unit[2];
    for (uint64_t seed = 0; seed < SEARCHES; seed++)
        for (int i = 0; i < 2; i++) sum[i] += spend(s, i, 1, seed) / SEARCHES;
    for (int i = 0; i < 2; i++) in_unit[i] = spend(s, 1, i ? 0x1p20 : 1, 0);
    CHECK_CLOSE(in_unit[1], in_unit[0], 1e-6, "per_cost: the unit of the costs does not matter");
    CHECK(sum[1] < 0.5 * sum[0], "per_cost: %.0f spent until the best is near, without it %.0f", sum[1], sum[0]);
    mk_param_defaults(type->params, par);
    par[mk_param_find(type->params, "per_cost")] = 1;
    const bool logei = !type->check(par);
    par[mk_param_find(type->params, "acquisition")] = MK_ACQUISITION_UCB;
    CHECK(logei && type->check(par), "per_cost takes EI: %s", type->check(par));
    mk_space_free(s);
}

int main(void)
{
    struct mk_space *s = space_must("x: {real: [-5, 10]}\ny: {real: [-5, 10]}\nz: {real: [-5, 10]}\n");
    uint64_t one[ASKS], two[ASKS];
    int wins = 0;
    double logs[2] = {0, 0};
    gsl_set_error_handler_off();
    for (uint64_t seed = 0; seed < SEARCHES; seed++) {
        const double plain = best_of(s, valley, NULL, 0, 1, seed, one),
                     better = best_of(s, valley, "transform", 1, 1, seed, two);
        wins += better > plain;
        logs[0] += log(-plain) / SEARCHES;
        logs[1] += log(-better) / SEARCHES;
    }
    /* 15 or more of 20 of a coin: probability .02. */
    CHECK(wins >= 15,
          "transform: yeo_johnson is better on Rosenbrock's function in %d of %d searches: %.3g from the best, %.3g",
          wins, SEARCHES, exp(logs[1]), exp(logs[0]));
    best_of(s, valley, "transform", 1, 0x1p20, SEARCHES - 1, one);
    CHECK(memcmp(one, two, sizeof one) == 0, "and the unit of the rewards does not matter");
    check_cost();
    check_warp();
    mk_space_free(s);
    return CHECK_EXIT;
}
