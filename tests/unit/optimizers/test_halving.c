/* Successive halving and Hyperband at work: the rounds of their plans, the best of each round, and costs that add up.
 */
#include <string.h>

#include "sim/search/objectives/objective.h"
#include "sim/search/optimizers/optimizer.h"
#include "sim/search/plan/plan.h"
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

/* Equal rewards rank in the order in which they were proposed. */
static void check_ties(void)
{
    static const int reward[] = {1, 2, 1, 2, 2, 0, 2, 1, 2}, want[] = {1, 3, 4};
    struct mk_space *s = space_must("x: {real: [0, 1]}\n");
    double par[MK_MAX_PARAMS], fidelity, x[9];
    struct mk_optimizer *o = make("successive_halving", "n=9 R=9 eta=3", s, par);
    for (int i = 0; i < 9; i++) {
        x[i] = *next(o, &fidelity);
        mk_optimizer_tell(o, reward[i], 1, MK_TRIAL_OK);
    }
    for (int i = 0; i < 3; i++) CHECK(*next(o, &fidelity) == x[want[i]], "the first proposed of equal ones, %d", i);
    mk_optimizer_free(o);
    mk_space_free(s);
}

/* A run that ends before the first evaluation it cannot pay for spends more than B - 1 of B whole evaluations. */
static bool spends_well(const char *name, const char *settings, const struct mk_space *s, double B)
{
    double par[MK_MAX_PARAMS], fidelity, spent = 0;
    struct mk_optimizer *o = make(name, settings, s, par);
    bool good = true;
    while (o->trials.n < MOST) {
        const double *v = next(o, &fidelity);
        const double cost = fidelity - o->ask.paid;
        good &= cost > 0 && cost <= 1;
        if (spent + cost > B) break;
        spent += cost;
        mk_optimizer_tell(o, v[0] - v[1] * v[1], cost, MK_TRIAL_OK);
    }
    good &= spent <= B && spent > B - 1 && o->trials.n < MOST;
    mk_optimizer_free(o);
    return good;
}

static void check_spending(void)
{
    static const char *const settings[][2] = {
        {"successive_halving", ""},
        {"successive_halving", "n=16 R=10 eta=2 B=100 reading=1"},
        {"hyperband", ""},
        {"hyperband", "B=2000 reading=1"},
        {"asha", ""},
        {"asha", "R=10 eta=2"},
        {"bohb", ""},
        {"bohb", "B=2000 reading=1"},
        {"irace", ""},
        {"irace", "reading=1"},
        {"irace", "B=70"},
    };
    struct mk_space *s = space_must("x: {real: [0, 1]}\ny: {real: [0, 1]}\n");
    size_t with_parts = 0, covered = 0;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const char *name = settings[i][0];
        bool good = true;
        for (double B = 1; B < 60; B = 1.7 * B + 0.3) good &= spends_well(name, settings[i][1], s, B);
        CHECK(good, "%s %s: runs with a budget spend at most B and more than B - 1", name, settings[i][1]);
        covered += i == 0 || strcmp(name, settings[i - 1][0]) != 0;
    }
    for (size_t t = 0; t < mk_optimizer_type_count(); t++)
        with_parts += (mk_optimizer_type_at(t)->flags & MK_OPTIMIZER_FIDELITY) != 0;
    CHECK(covered == with_parts, "all %zu optimisers that evaluate in part", with_parts);
    mk_space_free(s);
}

/* 27 configurations with at most s = 3 eliminations: n R (s + 1) eta^-s is at least 108, for s = 3. */
static void check_settings(void)
{
    static const struct {
        const char *settings;
        bool allowed;
    } cases[] = {{"n=27 R=27 eta=3 B=108", true},
                 {"n=27 R=27 eta=3 B=107", false},
                 {"n=27 R=27 eta=3 B=1 rounds=1", true},
                 {"n=1 R=27 eta=3 reading=1", false}};
    const struct mk_optimizer_type *type = mk_optimizer_type_find("successive_halving");
    double par[MK_MAX_PARAMS];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set(type->params, cases[i].settings, par);
        CHECK(!type->check(par) == cases[i].allowed, "successive_halving {%s} is %s", cases[i].settings,
              cases[i].allowed ? "allowed" : "rejected");
    }
}

/* With B irace begins again when B is spent: as planned for B, and for a longer run. */
static void check_race_budget(void)
{
    struct mk_space *s = space_must("x: {real: [0, 1]}\ny: {categorical: [a, b]}\n");
    double par[2][MK_MAX_PARAMS], fidelity[2], paid = 1;
    struct mk_error err = {0, ""};
    struct mk_optimizer *o[2] = {make("irace", "B=70", s, par[0]), NULL};
    const struct mk_optimizer_type *type = o[0]->type;
    size_t differ = 0;
    set(type->params, "", par[1]);
    REQUIRE(!mk_optimizer_new(&o[1], type, par[1], s, 70, &err), "%s", err.text);
    REQUIRE(!mk_optimizer_start(o[1], o[0]->ask.key, &err), "%s", err.text);
    for (int n = 0; n < 70; n++) {
        double reward[2];
        for (int i = 0; i < 2; i++) {
            const double *v = next(o[i], &fidelity[i]);
            reward[i] = -fabs(v[0] - 0.4) - 0.1 * v[1];
            mk_optimizer_tell(o[i], reward[i], 0.1, MK_TRIAL_OK);
        }
        differ += reward[0] != reward[1] || fidelity[0] != fidelity[1];
    }
    CHECK(!differ, "irace plans for B as for a run of B pulls");
    for (int n = 0; n < 5; n++) {
        next(o[0], &fidelity[0]);
        paid = fmin(paid, 1 - o[0]->ask.paid);
        differ += fidelity[0] != 0.1;
        mk_optimizer_tell(o[0], 0, 0.1, MK_TRIAL_OK);
    }
    CHECK(!differ && paid == 1, "and begins again on the first fold when B is spent");
    for (int i = 0; i < 2; i++) mk_optimizer_free(o[i]);
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
    size_t arm;
    REQUIRE(!mk_searches_set_budget(s, 300, &arm, &err), "%s", err.text);
    REQUIRE(!mk_search_bench_new(&b, s, &err), "%s", err.text);
    mk_search_bench_seek(b, 0, mk_key_start());
    size_t bad = 0;
    double best = NAN, most = -INFINITY;
    for (int n = 0; n < 300; n++) {
        REQUIRE(!mk_search_pull(b, 0, &pull, &err), "%s", err.text);
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
static double best_whole(struct mk_optimizer *o, const struct mk_objective *cv, uint64_t seed, double R, double calls)
{
    struct mk_error err = {0, ""};
    double best = -INFINITY, fidelity, spent = 0;
    struct mk_pcg64 noise;
    REQUIRE(!mk_optimizer_start(o, mk_key_word(mk_key_start(), seed), &err), "%s", err.text);
    while (o->trials.n < o->ask.budget) {
        struct mk_evaluation e;
        const double *v = next(o, &fidelity);
        mk_objective_evaluate(cv, v, fidelity, &noise, &e);
        spent += R * (fidelity - o->ask.paid);
        if (spent > calls + 1e-9) break;
        if (fidelity == 1) best = fmax(best, e.value);
        mk_optimizer_tell(o, e.value, e.cost, e.status);
    }
    return best;
}

/* A comparison with random search at equal cost: `calls`, of which R are a whole evaluation. */
struct contest {
    const char *name, *settings, *objective;
    double R, calls;
    int n, least;
};

/* In how many of n searches the best whole evaluation beats that of random search. The searches have random numbers of
 * their own: with common ones halving and random search evaluate the same configurations, and their best is often the
 * same. */
static int wins_of(const struct contest *c)
{
    double par[2][MK_MAX_PARAMS];
    struct mk_objective *cv = NULL;
    struct mk_objective_files files = {0};
    struct mk_optimizer *o[2];
    int param;
    const char *names[] = {c->name, "random"}, *both[] = {c->settings, ""};
    struct mk_error err = {0, ""};
    int wins = 0;
    REQUIRE(!objective_parse(c->objective, NULL, &files, &cv, &param, &err), "%s", err.text);
    for (int i = 0; i < 2; i++) {
        const struct mk_optimizer_type *type = mk_optimizer_type_find(names[i]);
        set(type->params, both[i], par[i]);
        REQUIRE(!mk_optimizer_new(&o[i], type, par[i], cv->space, (uint64_t)c->calls, &err), "%s", err.text);
    }
    for (int seed = 0; seed < c->n; seed++)
        wins += best_whole(o[0], cv, (uint64_t)seed, c->R, c->calls) >
                best_whole(o[1], cv, (uint64_t)(seed + c->n), c->R, c->calls);
    for (int i = 0; i < 2; i++) mk_optimizer_free(o[i]);
    mk_objective_free(cv);
    return wins;
}

/* `least` wins: for a coin p < .001. */
static void check_learning(void)
{
    static const char folds[] = "kfold seed=1 fold_sd=0 sd=0.01", curves[] = "learning_curve alpha=1 beta=2";
    static const struct contest contests[] = {
        {"successive_halving", "n=27 R=10", folds, 10, 840, 300, 178},
        {"hyperband", "R=10", folds, 10, 830, 300, 178},
        {"bohb", "R=10", folds, 10, 1000, 30, 24},
        {"bohb", "R=1", folds, 10, 1000, 30, 24},
        {"irace", "", folds, 10, 1000, 30, 24},
        {"successive_halving", "n=81 R=81", curves, 81, 1902, 300, 178},
        {"hyperband", "R=81", curves, 81, 1902, 300, 178},
        {"bohb", "R=81", curves, 81, 1902, 60, 43},
    };
    for (size_t i = 0; i < sizeof contests / sizeof *contests; i++) {
        const struct contest *c = &contests[i];
        const int wins = wins_of(c);
        CHECK(wins >= c->least, "%s %s, %s: better than random search at equal cost in %d of %d searches", c->name,
              c->settings, c->objective, wins, c->n);
    }
}

/* Halving finds the best of m configurations at the cost of one whole evaluation where parts of it say as much as the
 * whole: no more than chance, the best of m n random ones against the best of n. p < .001 where that is so. */
static void check_gain(const char *name, const char *settings, double calls, double configurations)
{
    const struct contest c = {name, settings, "kfold seed=1 fold_sd=0 sd=0", 10, calls, 1000, 0};
    const double m = 10 * configurations / calls, share = m / (m + 1), got = (double)wins_of(&c) / c.n;
    CHECK(fabs(got - share) < 3.29 * sqrt(share * (1 - share) / c.n), "%s: wins %.3f of its searches, expected %.3f",
          name, got, share);
}

int main(void)
{
    check_rounds("successive_halving", "n=27 R=27 eta=3", 27);
    check_rounds("successive_halving", "n=16 R=10 eta=2 B=150", 10);
    check_rounds("successive_halving", "n=16 R=10 eta=2 B=100 reading=1", 10);
    check_rounds("hyperband", "R=81 eta=3 rounding=1", 81);
    check_rounds("hyperband", "R=81 eta=3", 81);
    check_rounds("hyperband", "R=10 eta=2", 10);
    check_rounds("hyperband", "R=81 eta=3 B=2000 reading=1", 81);
    check_settings();
    check_failures();
    check_ties();
    check_spending();
    check_race_budget();
    check_pulls();
    check_learning();
    check_gain("random", "", 840, 84);
    check_gain("successive_halving", "n=27 R=10", 840, 270); /* 27 configurations on 27 + 27 + 30 folds, ten times */
    check_gain("hyperband", "R=10", 830, 170);               /* 17 configurations on 28 + 25 + 30 folds, ten times */
    return CHECK_EXIT;
}
