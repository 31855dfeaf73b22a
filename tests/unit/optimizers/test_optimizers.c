/* Invariants of every optimiser, old and new: valid proposals, the same proposals from the same key, plain state,
 * running and failed trials, measured configurations. Those that learn find better rewards than random search. */
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>

#include "sim/search/optimizers/optimizer.h"
#include "tests/support/best_trial.h"
#include "tests/support/check.h"
#include "tests/support/spaces.h"

enum { SPACES = 5, ASKS = 45 };

static const char *const texts[SPACES] = {
    "x: {real: [-5, 5]}\ny: {real: [0.001, 1000], log: true}\n",
    "C: {real: [0.01, 100], log: true}\nkernel: {categorical: [linear, poly, rbf]}\n"
    "degree: {integer: [2, 5], when: {kernel: poly}}\ngamma: {real: [0.1, 10], when: {kernel: [poly, rbf]}}\n"
    "seed: {constant: 7}\nsize: {ordinal: [16, 32, 64]}\nforbid: [{kernel: poly, size: 64}]\n",
    "scaler: {choice: {none: {}, quantile: {n: {integer: [10, 1000], log: true}}}}\n"
    "model: {choice: {svm: {C: {real: [0.1, 10]}, g: {real: [0, 1]}}, tree: {depth: {integer: [1, 9]}}}}\n",
    "n: {integer: [1, 3]}\nb: {categorical: ['no', 'yes']}\n", /* 6 configurations: fewer than asks */
    "x: {real: [0, 1]}\ny: {real: [0, 1]}\nz: {real: [0, 1]}\n",
};

/* Largest, 0, where every position is .3 and words are the last. */
static double reward(const struct mk_space *s, const double *v)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (isnan(v[i]) || s->hyper[i].levels == 1) continue;
        const double u = mk_hyper_unit(&s->hyper[i], v[i]);
        sum -= mk_hyper_is_ordered(&s->hyper[i]) ? (u - 0.3) * (u - 0.3) : 0.2 * (v[i] + 1 < s->hyper[i].levels);
    }
    return sum;
}

static struct mk_key key_of(uint64_t seed)
{
    return mk_key_word(mk_key_text(mk_key_start(), "optimisers"), seed);
}

static struct mk_optimizer *make(const struct mk_optimizer_type *type, const struct mk_space *s, const double *par)
{
    struct mk_optimizer *o = NULL;
    struct mk_error err = {0, ""};
    int code = mk_optimizer_new(&o, type, par, s, ASKS, &err);
    REQUIRE(!code, "%s: %s", type->name, err.text);
    return o;
}

static bool with_options; /* of gp that are not used by default */

static void defaults_of(const struct mk_optimizer_type *type, double *par)
{
    static const struct {
        const char *name;
        double most;
    } quicker[] = {{"challengers", 300}, {"candidates", 300}, {"local_searches", 3}, {"ascents", 2}};
    static const char *const option[] = {"transform", "per_cost", "warp"};
    mk_param_defaults(type->params, par);
    for (size_t i = 0; with_options && i < sizeof option / sizeof *option; i++)
        if (mk_param_find(type->params, option[i]) >= 0) par[mk_param_find(type->params, option[i])] = 1;
    for (size_t i = 0; i < sizeof quicker / sizeof *quicker; i++) {
        int at = mk_param_find(type->params, quicker[i].name);
        if (at >= 0) par[at] = fmin(par[at], quicker[i].most);
    }
}

/* ---- proposals ---- */

/* Asks and reports rewards in units of `unit`, with a delay of `lag`; every third trial of the second space fails.
 * Digests of the proposals; returns how many of them are not valid. */
static size_t play_in(struct mk_optimizer *o, uint64_t seed, size_t asks, size_t lag, bool failures, double unit,
                      uint64_t *digest)
{
    const struct mk_space *s = o->ask.space;
    struct mk_error err = {0, ""};
    size_t wrong = 0;
    double check[20];
    int code = mk_optimizer_start(o, key_of(seed), &err);
    for (size_t i = 0; i < asks && !code; i++) {
        const double *v;
        double fidelity;
        code = mk_optimizer_ask(o, &v, &fidelity, &err);
        if (code) break;
        digest[i] = mk_space_configuration_digest(s, v);
        wrong += !mk_space_allows(s, v) || !(fidelity > 0 && fidelity <= 1);
        memcpy(check, v, s->n * sizeof *v);
        if (!s->n_rows) mk_space_complete(s, check);
        wrong += mk_space_configuration_digest(s, check) != digest[i];
        for (size_t j = 0; j < s->n; j++) {
            double again;
            char room[MK_HYPER_TEXT];
            if (isnan(v[j])) continue;
            const char *text = mk_hyper_text(&s->hyper[j], v[j], room);
            wrong += !mk_hyper_parse(&s->hyper[j], text, strlen(text), &again) || again != v[j];
        }
        if (i < lag) continue;
        const double *told = o->trials.v + o->trials.told * s->n;
        const bool fails = failures && o->trials.told % 3 == 0;
        mk_optimizer_tell(o, unit * reward(s, told), 1, fails ? MK_TRIAL_CRASHED : MK_TRIAL_OK);
    }
    if (code) printf("# %s: %s\n", o->type->name, err.text);
    return code ? 1000 : wrong;
}

static size_t play(struct mk_optimizer *o, uint64_t seed, size_t asks, size_t lag, bool failures, uint64_t *digest)
{
    return play_in(o, seed, asks, lag, failures, 1, digest);
}

/* A choice defaults to one of its words, a number to one of its range, and together they pass. */
static void check_defaults(const struct mk_optimizer_type *type)
{
    double par[MK_MAX_PARAMS];
    mk_param_defaults(type->params, par);
    CHECK(!type->check || !type->check(par), "%s: the defaults go together", type->name);
    for (const struct mk_param *p = type->params; p->name; p++) {
        char word[40] = "";
        if (p->kind == MK_CHOICE)
            CHECK(mk_choice_word(p->choices, (int)p->def, word, sizeof word) &&
                      mk_choice_find(p->choices, word) == (int)p->def,
                  "%s: the default of %s is a choice", type->name, p->name);
        else if (!(p->flags & (MK_OPTIONAL | MK_REQUIRED)) && mk_param_is_number(p))
            CHECK(mk_param_allows(p, p->def), "%s: the default of %s is allowed", type->name, p->name);
    }
}

static void check_proposals(const struct mk_optimizer_type *type, const struct mk_space *s, size_t number)
{
    double par[MK_MAX_PARAMS];
    uint64_t first[ASKS], again[ASKS], other[ASKS];
    defaults_of(type, par);
    struct mk_optimizer *o = make(type, s, par), *fresh = make(type, s, par);
    size_t wrong = play(o, 1, ASKS, 0, false, first);
    wrong += play(o, 2, ASKS, 0, false, other);
    wrong += play(o, 1, ASKS, 0, false, again);
    CHECK(!wrong, "%s: proposals of space %zu are valid", type->name, number);
    CHECK(memcmp(first, again, sizeof first) == 0, "%s: the same key, the same proposals", type->name);
    play(fresh, 2, ASKS, 0, false, again);
    CHECK(memcmp(other, again, sizeof other) == 0, "%s: earlier searches leave no trace", type->name);
    wrong = play(o, 3, ASKS, 4, false, first) + play(fresh, 3, ASKS, 4, true, again);
    CHECK(!wrong, "%s: with running and failed trials", type->name);
    if (mk_param_find(type->params, "log_cost") >= 0) goto out; /* SMAC's smallest variance has no unit */
    play(fresh, 4, ASKS, 1, true, again);
    play_in(o, 4, ASKS, 1, true, 0x1p20, other);
    CHECK(memcmp(other, again, sizeof other) == 0, "%s: the unit of the rewards does not matter", type->name);
out:
    mk_optimizer_free(o);
    mk_optimizer_free(fresh);
}

/* ---- other budgets ---- */

/* Proposals in two budgets differ only where the optimiser says that it plans. */
static void check_budgets_with(const struct mk_optimizer_type *type, const struct mk_space *s, const double *par)
{
    uint64_t few[ASKS], many[ASKS];
    struct mk_error err = {0, ""};
    struct mk_optimizer *o = make(type, s, par), *larger = NULL;
    REQUIRE(!mk_optimizer_new(&larger, type, par, s, 4 * ASKS, &err), "%s: %s", type->name, err.text);
    play(o, 1, ASKS, 2, true, few);
    play(larger, 1, ASKS, 2, true, many);
    const bool same = memcmp(few, many, sizeof few) == 0, plans = mk_optimizer_plans(o);
    CHECK(same || plans, "%s: plans for its budget if other proposals follow from another one", type->name);
    const bool extended = mk_optimizer_extend(o, 4 * ASKS);
    CHECK(!(extended && plans) && o->ask.budget == (extended ? 4 * ASKS : ASKS),
          "%s: is extended where it does not plan", type->name);
    CHECK(mk_optimizer_extend(larger, ASKS) == !mk_optimizer_plans(o), "%s: another budget in larger memory",
          type->name);
    mk_optimizer_free(o);
    mk_optimizer_free(larger);
}

static void check_budgets(const struct mk_optimizer_type *type, const struct mk_space *s)
{
    double par[MK_MAX_PARAMS];
    char word[40];
    defaults_of(type, par);
    check_budgets_with(type, s, par);
    const int sampler = mk_param_find(type->params, "sampler");
    const char *samplers = sampler >= 0 ? type->params[sampler].choices : NULL;
    for (int i = 0; samplers; i++) {
        if (mk_choice_find(samplers, mk_choice_word(samplers, i, word, sizeof word)) != i) break; /* no more words */
        par[sampler] = i;
        if (!type->check || !type->check(par)) check_budgets_with(type, s, par);
    }
}

/* ---- plain state ---- */

/* The first hyperparameter is inactive in all that is known: proposals with it are complete, and those without it have
 * none. */
static void check_unknown(const struct mk_optimizer_type *type)
{
    enum { KNOWN = 12 };
    struct mk_space *s = space_must("x: {real: [0, 1], when: {k: b}}\nk: {categorical: [a, b]}\ny: {real: [0, 1]}\n");
    struct mk_error err = {0, ""};
    double par[MK_MAX_PARAMS];
    size_t wrong = 0;
    defaults_of(type, par);
    struct mk_optimizer *o = make(type, s, par);
    int code = mk_optimizer_start(o, key_of(1), &err);
    for (size_t i = 0; i < ASKS && !code; i++) {
        double fidelity = 1;
        const double *v = (const double[]){NAN, 0, (double)i / KNOWN};
        code = i < KNOWN ? mk_optimizer_add(o, v, &err) : mk_optimizer_ask(o, &v, &fidelity, &err);
        if (code) break;
        wrong += !mk_space_allows(s, v) || (v[1] == 1) != (v[0] >= 0 && v[0] <= 1);
        mk_optimizer_tell(o, v[2], fidelity, MK_TRIAL_OK);
    }
    CHECK(!code && !wrong, "%s: %zu of %d proposals are wrong where a hyperparameter is unknown %s", type->name, wrong,
          (int)ASKS - KNOWN, err.text);
    mk_optimizer_free(o);
    mk_space_free(s);
}

static void check_copy(const struct mk_optimizer_type *type, const struct mk_space *s)
{
    double par[MK_MAX_PARAMS];
    uint64_t first[ASKS], tail[ASKS];
    struct mk_error err;
    defaults_of(type, par);
    struct mk_optimizer *o = make(type, s, par), *copy = make(type, s, par);
    const size_t bytes = type->state_size ? type->state_size(par, s, ASKS) : 0, half = ASKS / 2;
    play(o, 1, ASKS, 0, false, first);
    play(o, 1, half, 0, false, tail);
    play(copy, 2, 3, 0, false, tail);
    /* The state and the trials suffice to continue. */
    int code = mk_optimizer_start(copy, key_of(1), &err);
    if (bytes) memcpy(copy->state, o->state, bytes);
    for (size_t i = 0; i < half && !code; i++) {
        code = mk_trials_reserve(&copy->trials, i + 1, &err);
        if (code) break;
        memcpy(copy->trials.v + i * s->n, o->trials.v + i * s->n, s->n * sizeof *o->trials.v);
        mk_trials_ask(&copy->trials, o->trials.fidelity[i]);
        mk_trials_tell(&copy->trials, o->trials.reward[i], 1, MK_TRIAL_OK);
    }
    for (size_t i = half; i < ASKS && !code; i++) {
        const double *v;
        double fidelity;
        code = mk_optimizer_ask(copy, &v, &fidelity, &err);
        if (code) break;
        tail[i] = mk_space_configuration_digest(s, v);
        mk_optimizer_tell(copy, reward(s, v), 1, MK_TRIAL_OK);
    }
    CHECK(!code && memcmp(first + half, tail + half, (ASKS - half) * sizeof *tail) == 0,
          "%s: state copied as bytes continues like the original", type->name);
    mk_optimizer_free(o);
    mk_optimizer_free(copy);
}

/* ---- measured configurations ---- */

static void check_rows(const struct mk_optimizer_type *type)
{
    enum { ROWS = 40 };
    struct mk_space *s = space_must(texts[1]);
    struct mk_pcg64 rng;
    struct mk_error err;
    double par[MK_MAX_PARAMS], *row = malloc(ROWS * s->n * sizeof *row);
    uint64_t digest[ASKS];
    size_t distinct = 0;
    mk_pcg64_seed(&rng, 1, 1);
    for (size_t r = 0; r < ROWS; r++) mk_space_sample(s, &rng, row + r * s->n);
    mk_space_free(s);
    s = space_must("C: {real: [0.01, 100], log: true}\nkernel: {categorical: [linear, poly, rbf]}\n"
                   "degree: {integer: [2, 5]}\ngamma: {real: [0.1, 10]}\nseed: {constant: 7}\n"
                   "size: {ordinal: [16, 32, 64]}\n");
    REQUIRE(!mk_space_restrict(s, row, ROWS, &err), "measured configurations: %s", err.text);
    defaults_of(type, par);
    struct mk_optimizer *o = make(type, s, par);
    size_t wrong = play(o, 1, ASKS, 0, false, digest);
    for (size_t i = 0; i < ASKS; i++) {
        size_t j = 0;
        while (digest[j] != digest[i]) j++;
        distinct += j == i;
    }
    /* The initial design may draw a row twice; evaluations in part are followed by larger ones of the same row. */
    const size_t least = type->flags & MK_OPTIMIZER_FIDELITY ? 5 : type->flags & MK_OPTIMIZER_MODEL ? 38 : 20;
    CHECK(!wrong && distinct >= least, "%s: %d asks of 40 rows: %zu distinct ones", type->name, (int)ASKS, distinct);
    mk_optimizer_free(o);
    mk_space_free(s);
}

/* 120 rows; without the first hyperparameter, which the word b switches off, rewards are largest: an optimiser with a
 * model asks for the 40 rows with b once it has data. */
static void check_inactive_rows(const struct mk_optimizer_type *type)
{
    enum { ROWS = 120, LATER = 20 };
    struct mk_space *s = space_must("x: {real: [0, 1], when: {k: [a, c]}}\nk: {categorical: [a, b, c]}\n");
    double *row = malloc(ROWS * 2 * sizeof *row), par[MK_MAX_PARAMS], fidelity;
    struct mk_error err = {0, ""};
    size_t with_b = 0;
    for (size_t r = 0; row && r < ROWS; r++) {
        row[2 * r] = r % 3 == 1 ? NAN : (double)r / ROWS;
        row[2 * r + 1] = (double)(r % 3);
    }
    REQUIRE(row && !mk_space_restrict(s, row, ROWS, &err), "measured configurations: %s", err.text);
    defaults_of(type, par);
    if (mk_param_find(type->params, "R") >= 0) par[mk_param_find(type->params, "R")] = 1; /* all in whole */
    struct mk_optimizer *o = make(type, s, par);
    REQUIRE(!mk_optimizer_start(o, key_of(5), &err), "%s: %s", type->name, err.text);
    for (int i = 0; i < ASKS; i++) {
        const double *v;
        REQUIRE(!mk_optimizer_ask(o, &v, &fidelity, &err), "%s: %s", type->name, err.text);
        with_b += i >= LATER && v[1] == 1;
        mk_optimizer_tell(o, v[1] == 1 ? 1 : -v[0], fidelity, MK_TRIAL_OK);
    }
    CHECK(with_b > 10, "%s: %zu of the last %d asks have the best word, of a third of the rows", type->name, with_b,
          ASKS - LATER);
    mk_optimizer_free(o);
    mk_space_free(s);
}

/* ---- learning ---- */

static double best_of(struct mk_optimizer *o, uint64_t seed)
{
    uint64_t digest[ASKS];
    play(o, seed, ASKS, 0, false, digest);
    return o->trials.reward[best_trial(&o->trials)];
}

/* The best of 45 beats that of random search in at least 14 of 20 searches: p = .06 for a coin, and far less often for
 * an optimiser that works. */
static void check_learning(const struct mk_optimizer_type *type, const struct mk_space *s, size_t number)
{
    enum { SEARCHES = 20 };
    double par[MK_MAX_PARAMS], random_par[MK_MAX_PARAMS];
    const struct mk_optimizer_type *random = mk_optimizer_type_find("random");
    defaults_of(type, par);
    defaults_of(random, random_par);
    struct mk_optimizer *o = make(type, s, par), *r = make(random, s, random_par);
    int wins = 0;
    for (uint64_t seed = 0; o && r && seed < SEARCHES; seed++) wins += best_of(o, seed) > best_of(r, seed + 100);
    CHECK(wins >= 14, "%s: better than random search on space %zu in %d of 20 searches", type->name, number, wins);
    mk_optimizer_free(o);
    mk_optimizer_free(r);
}

int main(void)
{
    struct mk_space *s[SPACES];
    gsl_set_error_handler_off();
    for (size_t i = 0; i < SPACES; i++) s[i] = space_must(texts[i]);
    for (size_t t = 0; t < mk_optimizer_type_count(); t++) {
        const struct mk_optimizer_type *type = mk_optimizer_type_at(t);
        for (size_t i = 0; i < SPACES; i++) check_proposals(type, s[i], i);
        check_defaults(type);
        check_unknown(type);
        check_copy(type, s[1]);
        check_budgets(type, s[1]);
        check_rows(type);
        /* With the best word nothing else is active, so that every mutation of the word leaves it: evolution cannot. */
        if ((type->flags & MK_OPTIMIZER_MODEL && strcmp(type->name, "evolution") != 0) || !strcmp(type->name, "bohb"))
            check_inactive_rows(type);
        if (!(type->flags & MK_OPTIMIZER_MODEL)) continue;
        for (size_t i = 0; i < SPACES; i++)
            if (i != 3) check_learning(type, s[i], i);
    }
    const struct mk_optimizer_type *gp = mk_optimizer_type_find("gp");
    with_options = true;
    for (size_t i = 0; i < SPACES; i++) check_proposals(gp, s[i], i);
    check_unknown(gp);
    check_copy(gp, s[1]);
    check_rows(gp);
    check_inactive_rows(gp);
    for (size_t i = 0; i < SPACES; i++) mk_space_free(s[i]);
    return CHECK_EXIT;
}
