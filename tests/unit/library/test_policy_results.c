/* Results of policies that were not asked for, failed, or come out of order: against a policy that is driven from its
 * start with what is known at every step; copies and saved texts in the middle; wrong use. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "policies/policy.h"
#include "sim/api/maxk/maxk.h"
#include "tests/support/check.h"
#include "tests/support/drive_policy.h"

enum { ARMS = 3, STEPS = 90, HORIZON = 400, FLYING = 4 };

/* What has been reported and what is running, from which the rule says what comes next. */
struct story {
    size_t n, arm[STEPS];
    double reward[STEPS]; /* NaN: failed */
    size_t running, runs[FLYING];
};

static uint64_t dice = 1;

static unsigned roll(unsigned sides)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(dice >> 33) % sides;
}

/* The values of all results by the rule for failures; returns the worst one, NaN: all have failed. */
static double values_of(const struct story *s, double value[STEPS], double best[ARMS])
{
    double worst = NAN, of_arm[ARMS] = {NAN, NAN, NAN};
    for (size_t k = 0; k < ARMS; k++) best[k] = NAN;
    for (size_t i = 0; i < s->n; i++) {
        const size_t k = s->arm[i];
        value[i] = s->reward[i];
        if (isnan(value[i])) {
            value[i] = isnan(of_arm[k]) ? worst : of_arm[k];
            continue;
        }
        for (size_t j = 0; j < i && isnan(worst); j++) value[j] = value[i];
        worst = fmin(worst, value[i]);
        of_arm[k] = fmin(of_arm[k], value[i]);
        best[k] = fmax(best[k], value[i]);
    }
    for (size_t i = 0; i < s->n && isnan(worst); i++) value[i] = 0;
    return worst;
}

/* The next arm, by select and update alone. */
static size_t next_arm(const char *name, const struct mk_policy_options *o, const struct story *s)
{
    double value[STEPS], best[ARMS];
    const double worst = values_of(s, value, best);
    bool used[STEPS + FLYING] = {false};
    struct mk_policy *p = NULL;
    struct mk_error err = {0, ""};
    size_t arm = 0, at = 0;
    REQUIRE(mk_policy_new(&p, name, ARMS, o, &err) == 0, "%s: %s", name, err.text);
    while (at < s->n + s->running) {
        REQUIRE(mk_policy_select(p, &arm, &err) == 0, "%s: %s", name, err.text);
        for (at = 0; at < s->n + s->running; at++)
            if (!used[at] && (at < s->n ? s->arm[at] : s->runs[at - s->n]) == arm) break;
        if (at == s->n + s->running) break;
        used[at] = true;
        const double expected = !isnan(best[arm]) ? best[arm] : isnan(worst) ? 0 : worst;
        REQUIRE(mk_policy_update(p, arm, at < s->n ? value[at] : expected, &err) == 0, "%s", err.text);
    }
    if (!s->n && !s->running) REQUIRE(mk_policy_select(p, &arm, &err) == 0, "%s", err.text);
    mk_policy_free(p);
    return arm;
}

/* The policy is replaced by its copy or what was saved of it. */
static struct mk_policy *other(struct mk_policy *p)
{
    struct mk_policy *q = NULL;
    struct mk_error err = {0, ""};
    char *text = NULL;
    if (roll(2)) {
        REQUIRE(mk_policy_copy(&q, p, &err) == 0, "%s", err.text);
    } else {
        REQUIRE(mk_policy_save(p, &text, &err) == 0 && mk_policy_load(&q, text, &err) == 0, "%s: %s", err.text, text);
    }
    mk_policy_free_text(text);
    mk_policy_free(p);
    return q;
}

static void note(struct story *s, size_t arm, double reward)
{
    s->arm[s->n] = arm;
    s->reward[s->n++] = reward;
}

/* A result that fails always at first, and later one time in four. */
static double result(size_t step, size_t arm)
{
    const bool fails = step < 12 || roll(4) == 0;
    return fails ? NAN : (double)roll(1000) / 1000 - 0.3 * (double)arm;
}

/* One step: a result of its own, or a pull whose result comes at once or after others. Returns false: another arm. */
static bool step(struct mk_policy *p, const char *name, const struct mk_policy_options *o, struct story *s, size_t at)
{
    struct mk_error err = {0, ""};
    size_t arm = roll(ARMS);
    double reward = result(at, arm);
    int code;
    if (roll(3) == 0) {
        code = mk_policy_add(p, arm, reward, &err);
        note(s, arm, reward);
    } else if (s->running == FLYING || (s->running && roll(3) == 0)) {
        size_t which = 0, first = roll((unsigned)s->running); /* the first of some arm */
        while (s->runs[which] != s->runs[first]) which++;
        arm = s->runs[which];
        memmove(s->runs + which, s->runs + which + 1, (--s->running - which) * sizeof *s->runs);
        code = mk_policy_add(p, arm, reward, &err);
        note(s, arm, reward);
    } else if (s->running || roll(2)) {
        code = mk_policy_select_while_running(p, s->runs, s->running, &arm, &err);
        if (!code && arm != next_arm(name, o, s)) return false;
        s->runs[s->running++] = arm;
    } else {
        size_t again = ARMS;
        code = mk_policy_select(p, &arm, &err);
        if (!code) code = mk_policy_select(p, &again, &err);
        if (!code && (arm != again || arm != next_arm(name, o, s))) return false;
        if (!code) code = isnan(reward) ? mk_policy_fail(p, arm, &err) : mk_policy_update(p, arm, reward, &err);
        note(s, arm, reward);
    }
    REQUIRE(code == 0, "%s: %s", name, err.text);
    return true;
}

/* The rounds are what was reported, in some order. */
static bool same_results(const struct mk_policy *p, const struct story *s, bool bounded)
{
    double best = -INFINITY, sum = 0, told = 0;
    size_t failed = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (s->reward[i] > best) best = s->reward[i];
        if (!isnan(s->reward[i])) told += s->reward[i] * (double)(s->arm[i] + 1);
        failed += isnan(s->reward[i]) != 0;
    }
    for (size_t i = 0; i < s->n && !bounded; i++) {
        const double reward = mk_policy_round_reward(p, i);
        if (!isnan(reward)) sum += reward * (double)(mk_policy_round_arm(p, i) + 1);
        failed -= isnan(reward) != 0;
    }
    return mk_policy_rounds(p) == s->n && mk_policy_best(p) == best &&
           (bounded ? mk_policy_round_arm(p, 0) == SIZE_MAX : failed == 0 && fabs(sum - told) < 1e-9);
}

static void test_every_policy(void)
{
    for (size_t i = 0; i < mk_policy_type_count(); i++) {
        const struct mk_policy_type *type = mk_policy_type_at(i);
        const bool ends = (type->flags & MK_POLICY_NEEDS_HORIZON) != 0;
        if (type->flags & MK_POLICY_ORACLE) continue;
        char own[160];
        for (int bounded = 0; bounded < 2; bounded++) {
            const struct mk_policy_options o = {
                .horizon = ends || bounded ? HORIZON : 0, .seed = 3, .bounded = bounded};
            struct mk_policy_options plain = o;
            struct story s = {0};
            struct mk_policy *p = NULL;
            size_t at = 0;
            drive_text(type, own, sizeof own);
            plain.bounded = 0;
            dice = 1 + i;
            REQUIRE(mk_policy_new(&p, own, ARMS, &o, NULL) == 0, "%s", type->name);
            while (at < STEPS && step(p, own, &plain, &s, at)) {
                at++;
                if (roll(5) == 0) p = other(p);
            }
            CHECK(at == STEPS && same_results(p, &s, bounded), "%s%s: step %zu of results in any order", type->name,
                  bounded ? ", bounded" : "", at);
            mk_policy_free(p);
        }
    }
}

/* ---- looking ahead with many arms ---- */

enum { MANY = 130, FEW = 3, MOST_AHEAD = 8 };

/* A game: of all its steps, looking ahead is compared in one of `every`. */
struct game {
    size_t arms, steps, filled, every;
    uint64_t horizon;
    int bounded;
};

static const struct game of_many = {MANY, 100, 20, 1, 500, 1}, of_few = {FEW, 1500, 10, 37, 2000, 0};

/* What a policy selects that is read from what is saved of this one, where it is not bounded from its rounds, and has
 * what is expected of the running pulls; *text <- what is saved. */
static size_t arm_of_saved(const struct mk_policy *p, const size_t *running, size_t n, const double *best, double worst,
                           char **text)
{
    struct mk_policy *copy = NULL;
    size_t arm = 0;
    REQUIRE(mk_policy_save(p, text, NULL) == 0 && mk_policy_load(&copy, *text, NULL) == 0, "load");
    for (size_t i = 0; i < n; i++) {
        const double expected = !isnan(best[running[i]]) ? best[running[i]] : isnan(worst) ? 0 : worst;
        REQUIRE(mk_policy_add(copy, running[i], expected, NULL) == 0, "add");
    }
    REQUIRE(mk_policy_select(copy, &arm, NULL) == 0, "select");
    mk_policy_free(copy);
    return arm;
}

/* Every arm gets a reward, so that policies compare them. */
static void fill(struct mk_policy *p, size_t arms, double best[MANY], double *worst)
{
    for (size_t k = 0; k < arms; k++) {
        const double reward = (double)roll(1000) / 1000;
        REQUIRE(mk_policy_add(p, k, reward, NULL) == 0, "add");
        best[k] = fmax(best[k], reward);
        *worst = fmin(*worst, reward);
    }
}

/* A game with up to MOST_AHEAD running pulls that end one after another, and now and then another result: returns the
 * number of its steps before the first one at which looking ahead selects another arm or leaves something changed. */
static size_t steps_ahead(const char *name, const struct game *g)
{
    double cost[MANY];
    const struct mk_policy_options o = {.horizon = g->horizon, .seed = 5, .cost = cost, .bounded = g->bounded};
    struct mk_policy *p = NULL;
    size_t running[MOST_AHEAD], n = 0, at = 0, arm = 0;
    double best[MANY], worst = NAN;
    for (size_t k = 0; k < MANY; k++) {
        best[k] = NAN;
        cost[k] = 1 + (double)(k % 7);
    }
    if (mk_policy_new(&p, name, g->arms, &o, NULL) != 0) return g->steps; /* no policy with these parameters */
    for (bool same = true; at < g->steps && same; at += same) {
        if (at == g->filled) fill(p, g->arms, best, &worst);
        const bool ends = n == MOST_AHEAD || (n && roll(4) == 0);
        if (ends || roll(9) == 0) {
            arm = ends ? running[0] : roll((unsigned)g->arms);
            const double reward = result(at, arm % ARMS);
            REQUIRE(mk_policy_add(p, arm, reward, NULL) == 0, "%s", name);
            worst = fmin(worst, reward);
            best[arm] = fmax(best[arm], reward);
            n -= ends;
            if (ends) memmove(running, running + 1, n * sizeof *running);
        } else {
            const bool compared = at % g->every == 0;
            char *before = NULL, *after = NULL;
            size_t expected = 0;
            REQUIRE(mk_policy_select(p, &arm, NULL) == 0, "%s", name); /* plays on, so that texts can be compared */
            if (compared) expected = arm_of_saved(p, running, n, best, worst, &before);
            REQUIRE(mk_policy_select_while_running(p, running, n, &arm, NULL) == 0, "%s", name);
            REQUIRE(!compared || mk_policy_save(p, &after, NULL) == 0, "%s", name);
            same = !compared || (arm == expected && !strcmp(before, after));
            running[n++] = arm;
            mk_policy_free_text(before);
            mk_policy_free_text(after);
        }
    }
    mk_policy_free(p);
    return at;
}

/* From MK_TOURNAMENT_FROM arms on policies that find the leading arm by a tournament do so. With few arms each has many
 * rewards, of which policies keep what they need in structures that grow. */
static void test_looking_ahead(void)
{
    static const char *form[] = {"%s",
                                 "{name: %s, scale: minmax, ties: random}",
                                 "{name: %s, scale: none, ties: random}",
                                 "{name: %s, numerics: rescan, scale: minmax}",
                                 "{name: %s, per_cost: root}",
                                 "{name: %s, per_cost: ratio}",
                                 "{name: %s, burn_in: 1, scale_from: start, scale: minmax}",
                                 "{name: %s, statistic: mean, ties: random}",
                                 "{name: %s, target: remaining}",
                                 "{name: %s, per_cost: lognormal}",
                                 "{name: %s, tau: 0.5}",
                                 "{name: %s, variant: published}",
                                 "{name: %s, qomax: queried, order: shuffled}"};
    for (size_t i = 0; i < mk_policy_type_count(); i++) {
        const struct mk_policy_type *type = mk_policy_type_at(i);
        if (type->flags & MK_POLICY_ORACLE) continue;
        for (size_t f = 0; f < sizeof form / sizeof *form; f++) {
            char name[128];
            snprintf(name, sizeof name, form[f], type->name);
            dice = 3 + i;
            const size_t many = steps_ahead(name, &of_many), few = steps_ahead(name, &of_few);
            CHECK(many == of_many.steps && few == of_few.steps, "%s: steps %zu and %zu of looking ahead", name, many,
                  few);
        }
    }
}

/* Many results, more than a state is first made for, most of them of an arm that is not selected. */
static void test_many(void)
{
    struct mk_policy *p = NULL;
    struct mk_error err = {0, ""};
    size_t arm = 0, running[2] = {0, 1};
    int code = mk_policy_new(&p, "{name: max_ucb, alpha: 0.01}", 2, NULL, &err);
    for (int i = 0; i < 5000 && !code; i++) {
        code = mk_policy_add(p, 1, 0.25, &err);
        if (!code) code = mk_policy_add(p, 0, 0.5 + 0.0001 * (i % 1000), &err);
    }
    if (!code) code = mk_policy_select_while_running(p, running, 2, &arm, &err);
    uint64_t of_first = 0, unused = 0;
    for (uint64_t i = 0; i < 10000 && !code; i++) of_first += mk_policy_round_arm(p, i) == 0;
    for (uint64_t i = 9990; i < 10000 && !code; i++) unused += mk_policy_round_arm(p, i);
    CHECK(!code && arm == 0 && mk_policy_rounds(p) == 10000 && of_first == 5000 && unused == 10,
          "10000 earlier results: the better arm's are used, those of the other one wait: %s", err.text);
    mk_policy_free(p);
}

static void test_wrong_use(void)
{
    struct mk_policy *p = NULL, *q = NULL;
    struct mk_error err = {0, ""};
    size_t arm = 0;
    const size_t none = 2;
    REQUIRE(mk_policy_new(&p, "max_ucb", 2, &(struct mk_policy_options){.horizon = 2}, &err) == 0, "%s", err.text);
    CHECK(mk_policy_fail(p, 0, &err) == MK_EINPUT && strstr(err.text, "fail without a selected arm"), "%s", err.text);
    CHECK(mk_policy_add(p, 2, 1, &err) == MK_EINPUT && strstr(err.text, "arm: expected 0 to 1, got 2"), "%s", err.text);
    CHECK(mk_policy_add(p, 0, INFINITY, &err) == MK_EINPUT && mk_policy_add(p, 0, 1e101, &err) == MK_EINPUT, "%s",
          err.text);
    CHECK(mk_policy_select_while_running(p, &none, 1, &arm, &err) == MK_EINPUT && strstr(err.text, "got 2"), "%s",
          err.text);
    REQUIRE(mk_policy_select(p, &arm, &err) == 0, "%s", err.text);
    CHECK(mk_policy_fail(p, 1 - arm, &err) == MK_EINPUT && strstr(err.text, "the selected arm"), "%s", err.text);
    CHECK(mk_policy_rounds(p) == 0 && mk_policy_fail(p, arm, &err) == 0 && mk_policy_rounds(p) == 1 &&
              isnan(mk_policy_round_reward(p, 0)),
          "a failure is a round without a reward");
    CHECK(mk_policy_fail(p, arm, &err) == MK_EINPUT, "reported twice: %s", err.text);
    CHECK(mk_policy_add(p, 1 - arm, 1, &err) == 0 && mk_policy_select(p, &arm, &err) == MK_EINPUT &&
              strstr(err.text, "all 2 rounds"),
          "what was added counts for the horizon: %s", err.text);
    mk_policy_free(p);
#define HEAD "maxk policy 1\n{name: max_ucb, alpha: 0.5}\narms 2\nhorizon 0\nseed 3\n"
    static const struct {
        const char *text, *part;
    } damage[] = {
        {HEAD "waiting 1\n0 0.5\n", "rounds: expected this word"},
        {HEAD "waiting 2\n0 0.5\nrounds 0\n", "policy:8: arm: "},
        {HEAD "waiting 99999999\n0 0.5\nrounds 0\n", "waiting: expected as many lines"},
        {HEAD "waiting 1\n2 failed\nrounds 0\n", "arm: "},
        {HEAD "waiting 1\n0 faild\nrounds 0\n", "reward: "},
        {HEAD "waiting 1\n0 1 fails\nrounds 0\n", "failed: expected this word"},
        {HEAD "waiting 1\n0 failed\nrounds 1\n0 1\n", "waiting: expected failures with a value"},
        {HEAD "waiting 1\n0 1 failed\nrounds 0\n", "waiting: expected failures with a value"},
        {HEAD "rounds 1\n0 failed\n", "reward: "},
    };
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++)
        CHECK(mk_policy_load(&q, damage[i].text, &err) == MK_EINPUT && !q && strstr(err.text, damage[i].part), "%s",
              err.text);
}

int main(void)
{
    test_every_policy();
    test_looking_ahead();
    test_many();
    test_wrong_use();
    return CHECK_EXIT;
}
