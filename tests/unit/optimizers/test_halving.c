/* Successive halving and Hyperband at work: the rounds of their plans, the best of each round, and costs that add up.
 */
#include <string.h>

#include "distributions/objectives/objective.h"
#include "policies/optimizers/optimizer.h"
#include "sim/plan/plan.h"
#include "sim/search/search.h"
#include "tests/support/check.h"
#include "tests/support/objectives.h"
#include "tests/support/spaces.h"

enum { MOST = 4000 };

/* par[] <- the defaults but for the settings "name=value …" (choices by number). */
static void set(const struct mk_param *params, const char *settings, double *par)
{
    char copy[200], *save = NULL;
    snprintf(copy, sizeof copy, "%s", settings);
    mk_param_defaults(params, par);
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *equals = strchr(word, '=');
        *equals = 0;
        REQUIRE(mk_param_find(params, word) >= 0, "parameter %s", word);
        par[mk_param_find(params, word)] = atof(equals + 1);
    }
}

static struct mk_optimizer *make(const char *name, const char *settings, const struct mk_space *s, double *par)
{
    const struct mk_optimizer_type *type = mk_optimizer_type_find(name);
    struct mk_optimizer *o = NULL;
    struct mk_error err = {0, ""};
    set(type->params, settings, par);
    REQUIRE(!mk_optimizer_new(&o, type, par, s, MOST, &err), "%s: %s", name, err.text);
    REQUIRE(!mk_optimizer_start(o, mk_key_text(mk_key_start(), "halving"), &err), "%s: %s", name, err.text);
    return o;
}

static const double *next(struct mk_optimizer *o, double *fidelity)
{
    const double *v;
    struct mk_error err = {0, ""};
    REQUIRE(!mk_optimizer_ask(o, &v, fidelity, &err), "%s: %s", o->type->name, err.text);
    return v;
}

/* Every round has the configurations and the budget of the plan, and goes on with the best of the round before. */
static void check_rounds(const char *name, const char *settings, double R)
{
    struct mk_space *s = space_must("x: {real: [0, 1]}\ny: {categorical: [a, b]}\n");
    const struct mk_plan_type *type = mk_plan_type_find(name);
    double par[MK_MAX_PARAMS], plan_par[MK_MAX_PARAMS], spent = 0;
    struct mk_plan plan = {0};
    struct mk_error err = {0, ""};
    struct mk_optimizer *o = make(name, settings, s, par);
    set(type->params, settings, plan_par);
    REQUIRE(!type->make(plan_par, &plan, &err), "%s: %s", name, err.text);
    size_t wrong = 0, not_best = 0, before = 0, first = 0;
    for (size_t r = 0; r < plan.n; r++) {
        const struct mk_plan_round *p = &plan.round[r];
        for (uint64_t i = 0; i < p->configurations; i++) {
            double fidelity;
            const double *v = next(o, &fidelity);
            const double reward = -(v[0] - 0.4) * (v[0] - 0.4) - 0.1 * v[1];
            wrong +=
                fabs(fidelity - p->reached / R) > 1e-12 || fabs(o->ask.paid - (p->reached - p->budget) / R) > 1e-12;
            spent += R * (fidelity - o->ask.paid);
            /* of the round before, fewer than `configurations` have a better reward */
            size_t better = 0;
            for (size_t j = before; p->round && j < first; j++) better += o->trials.reward[j] > reward;
            not_best += better >= p->configurations;
            mk_optimizer_tell(o, reward, fidelity, MK_TRIAL_OK);
        }
        before = first;
        first += p->configurations;
    }
    CHECK(!wrong && !not_best, "%s %s: %zu rounds as planned, with the best of the round before", name, settings,
          plan.n);
    CHECK_CLOSE(spent, mk_plan_total(&plan), 1e-12, "%s %s: costs add up", name, settings);
    double fidelity;
    const size_t n = o->trials.n;
    for (size_t i = 0; i < plan.round[0].configurations; i++) {
        const double *v = next(o, &fidelity);
        not_best += fidelity != plan.round[0].budget / R;
        mk_optimizer_tell(o, v[0], 1, MK_TRIAL_OK);
    }
    CHECK(!not_best && o->trials.n == n + plan.round[0].configurations, "%s %s: then it begins again", name, settings);
    mk_plan_free(&plan);
    mk_optimizer_free(o);
    mk_space_free(s);
}

/* Failed evaluations and those that still run do not go on while others can. */
static void check_failures(void)
{
    struct mk_space *s = space_must("x: {real: [0, 1]}\n");
    double par[MK_MAX_PARAMS], fidelity, x[9];
    struct mk_optimizer *o = make("successive_halving", "n=9 R=9 eta=3", s, par);
    for (int i = 0; i < 9; i++) x[i] = *next(o, &fidelity);
    for (int i = 0; i < 7; i++) mk_optimizer_tell(o, i, 1, i > 3 ? MK_TRIAL_CRASHED : MK_TRIAL_OK);
    const double want[] = {x[3], x[2], x[1]};
    for (int i = 0; i < 3; i++) {
        const double got = *next(o, &fidelity);
        CHECK(got == want[i] && fidelity == 3.0 / 9, "the best that did not fail, %d", i);
    }
    mk_optimizer_free(o);
    mk_space_free(s);
}

/* A run that ends before the first evaluation it cannot pay for spends more than B - 1 of B whole evaluations. */
static void check_spending(void)
{
    size_t bad = 0, runs = 0;
    struct mk_space *s = space_must("x: {real: [0, 1]}\ny: {real: [0, 1]}\n");
    for (size_t t = 0; t < mk_optimizer_type_count(); t++) {
        const struct mk_optimizer_type *type = mk_optimizer_type_at(t);
        if (!(type->flags & MK_OPTIMIZER_FIDELITY)) continue;
        for (double B = 1; B < 60; B = 1.7 * B + 0.3, runs++) {
            double par[MK_MAX_PARAMS], fidelity, spent = 0;
            struct mk_optimizer *o = make(type->name, "", s, par);
            while (o->trials.n < MOST) {
                const double *v = next(o, &fidelity);
                const double cost = fidelity - o->ask.paid;
                bad += !(cost > 0 && cost <= 1);
                if (spent + cost > B) break;
                spent += cost;
                mk_optimizer_tell(o, v[0] - v[1] * v[1], cost, MK_TRIAL_OK);
            }
            bad += !(spent <= B && spent > B - 1) || o->trials.n == MOST;
            mk_optimizer_free(o);
        }
    }
    CHECK(!bad && runs > 10, "%zu runs with a budget spend at most B and more than B - 1", runs);
    mk_space_free(s);
}

/* Pulls of an arm: costs, and rewards that never exceed what whole evaluations have shown. */
static void check_pulls(void)
{
    struct mk_searches *s = NULL;
    struct mk_search_bench *b = NULL;
    struct mk_objective_files files = {0};
    struct mk_objective_spec spec = {.type = mk_objective_type_find("kfold")};
    struct mk_error err = {0, ""};
    struct mk_pull pull;
    int param;
    mk_param_defaults(spec.type->params, spec.par);
    spec.par[mk_param_find(spec.type->params, "seed")] = 1;
    REQUIRE(!mk_searches_new(&s, 1, 1, &err), "%s", err.text);
    REQUIRE(!mk_objective_new(mk_searches_objective(s, 0, 0), &spec, &files, &param, &err), "%s", err.text);
    s->optimizer[0].type = mk_optimizer_type_find("hyperband");
    set(s->optimizer[0].type->params, "R=10 eta=3", s->optimizer[0].par);
    s->budget = 300;
    REQUIRE(!mk_search_bench_new(&b, s, &err), "%s", err.text);
    mk_search_bench_seek(b, 0, mk_key_start());
    size_t bad = 0;
    double best = NAN, most = -INFINITY;
    for (int n = 0; n < 300; n++) {
        REQUIRE(!mk_search_pull_arm(b, 0, &pull, &err), "%s", err.text);
        bad += pull.cost != pull.fidelity || !(pull.cost >= 0.1 - 1e-12);
        if (pull.fidelity == 1) best = fmax(best, pull.reward);
        if (pull.fidelity < 1 && !isnan(best)) bad += pull.reward != best;
        if (isnan(best)) bad += n > 0 && pull.reward > most; /* the worst so far */
        if (isnan(best)) most = pull.reward;
    }
    CHECK(!bad && !isnan(best) && s->in_part, "pulls in part cost their part and promise nothing");
    mk_search_bench_free(b);
    mk_searches_free(s);
    mk_objective_files_free(&files);
}

/* ---- learning ---- */

/* The best of the whole evaluations that `calls` folds pay for. */
static double best_whole(struct mk_optimizer *o, const struct mk_objective *cv, uint64_t seed, double calls)
{
    struct mk_error err = {0, ""};
    double best = -INFINITY, fidelity, spent = 0;
    struct mk_pcg64 noise;
    REQUIRE(!mk_optimizer_start(o, mk_key_word(mk_key_start(), seed), &err), "%s", err.text);
    while (o->trials.n < o->ask.budget) {
        struct mk_evaluation e;
        const double *v = next(o, &fidelity);
        mk_objective_evaluate(cv, v, fidelity, &noise, &e);
        spent += 10 * (fidelity - o->ask.paid);
        if (spent > calls + 1e-9) break;
        if (fidelity == 1) best = fmax(best, e.value);
        mk_optimizer_tell(o, e.value, e.cost, e.status);
    }
    return best;
}

/* At equal cost the best whole evaluation beats that of random search in at least 15 of 20 searches: p = .02 for a
 * coin, and far less often for what works. */
static void check_learning(const char *name, const char *settings)
{
    double par[2][MK_MAX_PARAMS];
    struct mk_objective *cv = NULL;
    struct mk_objective_files files = {0};
    struct mk_optimizer *o[2];
    int param;
    const char *names[] = {name, "random"}, *both[] = {settings, ""};
    struct mk_error err = {0, ""};
    int wins = 0;
    REQUIRE(!objective_parse("kfold seed=1 fold_sd=0 sd=0.01", NULL, &files, &cv, &param, &err), "%s", err.text);
    for (int i = 0; i < 2; i++) {
        const struct mk_optimizer_type *type = mk_optimizer_type_find(names[i]);
        set(type->params, both[i], par[i]);
        REQUIRE(!mk_optimizer_new(&o[i], type, par[i], cv->space, 1000, &err), "%s", err.text);
    }
    for (uint64_t seed = 0; seed < 20; seed++)
        wins += best_whole(o[0], cv, seed, 1000) > best_whole(o[1], cv, seed, 1000);
    CHECK(wins >= 15, "%s %s: better than random search at equal cost in %d of 20 searches", name, settings, wins);
    for (int i = 0; i < 2; i++) mk_optimizer_free(o[i]);
    mk_objective_free(cv);
}

int main(void)
{
    check_rounds("successive_halving", "n=27 R=27 eta=3", 27);
    check_rounds("successive_halving", "n=16 R=10 eta=2 B=150", 10);
    check_rounds("successive_halving", "n=16 R=10 eta=2 B=100 reading=1", 10);
    check_rounds("hyperband", "R=81 eta=3 rounding=1", 81);
    check_rounds("hyperband", "R=81 eta=3", 81);
    check_rounds("hyperband", "R=10 eta=2", 10);
    check_failures();
    check_spending();
    check_pulls();
    check_learning("bohb", "R=10");
    check_learning("bohb", "R=1");
    check_learning("irace", "");
    return CHECK_EXIT;
}
