/* Studies: the same trials for any number in flight, over sessions and in memory; failures, earlier results, other
 * budgets, wrong use. */
#include <math.h>
#include <string.h>

#include "sim/api/maxk/maxk.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"

enum { TRIALS = 60 };

static const char head[] = "name: toy\nmetric: {maximize: false}\nseed: 5\nlag: 6\n";
static const char arms[] = "arms:\n"
                           "  - {label: one, space: {x: {real: [0, 1]}, kind: {categorical: [a, \"b,\\\"\"]}}}\n"
                           "  - {label: two, space: {n: {integer: [1, 9]}, y: {real: [1, 2], when: {n: \"> 4\"}}}}\n";

/* A study of 60 trials; settings NULL: in memory. */
static struct mk_study *begin(const char *policy, const struct mk_study_settings *settings)
{
    char text[1000];
    struct mk_error err = {0};
    struct mk_study *s = NULL;
    snprintf(text, sizeof text, "%spolicy: %s\nbudget: {evaluations: %d}\n%s", head, policy, TRIALS, arms);
    REQUIRE(mk_study_open(&s, text, settings, &err) == 0, "a study: %s", err.text);
    return s;
}

static struct mk_study_trial trial_of(struct mk_study *s, size_t number)
{
    struct mk_study_trial t;
    REQUIRE(mk_study_trial(s, number, &t, NULL) == 0, "trial %zu", number);
    return t;
}

/* A value in [0, 1) that is a function of the trial; every eleventh seed fails. */
static void end(struct mk_study *s, size_t number)
{
    const struct mk_study_trial t = trial_of(s, number);
    const double value = (double)(t.seed % 1000) / 1000 * (t.arm ? 0.9 : 1);
    int code = t.seed % 11 ? mk_study_tell(s, number, value, 1, NULL) : mk_study_fail(s, number, "no\nluck", 1, NULL);
    REQUIRE(code == 0, "trial %zu is reported", number);
}

/* Plays until `results` are there, of `flying` trials at a time, the last started first. */
static void play(struct mk_study *s, size_t flying, size_t results)
{
    size_t running[TRIALS], n = 0;
    while (mk_study_results(s) < results) {
        for (size_t number = 0; n < flying && number != MK_NONE && mk_study_trials(s) < TRIALS;) {
            REQUIRE(mk_study_ask(s, &number, NULL) == 0, "a trial is asked for");
            if (number != MK_NONE) running[n++] = number;
        }
        REQUIRE(n > 0, "a trial of %zu", mk_study_trials(s));
        end(s, running[--n]);
    }
}

/* Everything about the trials, one line each. */
static void note(struct mk_study *s, char *out, size_t room)
{
    for (size_t i = 0; i < mk_study_trials(s); i++) {
        const struct mk_study_trial t = trial_of(s, i);
        const int n = snprintf(out, room, "%s %s %llu %g %d %d %.17g %s\n", t.arm_label, t.configuration,
                               (unsigned long long)t.seed, t.fidelity, (int)t.status, t.added, t.value, t.why);
        out += n;
        room -= (size_t)n;
    }
}

static int equal(double a, double b)
{
    return fabs(a - b) < 1e-12 || (isnan(a) && isnan(b));
}

/* The table of a study is that of its files: texts and counts, and losses as they are written there. */
static void check_table(const struct mk_table *ours, const struct mk_table *files)
{
    size_t same = 0, columns = 0;
    for (const struct mk_column *c; (c = mk_table_column(files, columns)); columns++) {
        const struct mk_column *own = mk_table_column(ours, columns);
        REQUIRE(own && strcmp(own->name, c->name) == 0 && own->type == c->type, "column %s", c->name);
        for (size_t i = 0; i < mk_table_rows(files); i++) {
            const char *const *a = mk_table_texts(ours, columns), *const *b = mk_table_texts(files, columns);
            const uint64_t *m = mk_table_counts(ours, columns), *n = mk_table_counts(files, columns);
            const double *x = mk_table_reals(ours, columns), *y = mk_table_reals(files, columns);
            same += a ? strcmp(a[i] ? a[i] : "", b[i] ? b[i] : "") == 0 : m ? m[i] == n[i] : equal(x[i], y[i]);
        }
    }
    CHECK(columns == 16 && same == columns * mk_table_rows(files) && mk_table_rows(ours) == mk_table_rows(files),
          "the table of a study is that of its files: %zu cells", same);
}

static void test_same_trials(void)
{
    static const size_t flying[] = {2, 6};
    char first[TRIALS * 120], other[TRIALS * 120];
    struct mk_study *s = begin("{name: max_ucb, alpha: 0.5}", NULL);
    struct scratch dir;
    char path[300];
    play(s, 1, TRIALS);
    note(s, first, sizeof first);
    CHECK(strstr(first, "{\"x\": 0.") && strstr(first, "\"b,\\\"\"") && strstr(first, "no luck"),
          "trials are reported");
    size_t number = 0, best = 0;
    for (size_t i = 1; i < TRIALS; i++) {
        const double value = trial_of(s, i).value;
        if (value < trial_of(s, best).value || isnan(trial_of(s, best).value)) best = i;
    }
    CHECK(mk_study_best(s) == best, "the smallest value is the best one of a loss: trial %zu", mk_study_best(s));
    number = 3;
    CHECK(mk_study_ask(s, &number, NULL) == MK_EINPUT && number == MK_NONE, "the budget is spent");
    mk_study_free(s);
    for (size_t i = 0; i < 2; i++) {
        s = begin("{name: max_ucb, alpha: 0.5}", NULL);
        play(s, flying[i], TRIALS);
        note(s, other, sizeof other);
        CHECK(strcmp(first, other) == 0, "%zu in flight: the same trials", flying[i]);
        mk_study_free(s);
    }
    scratch_make(&dir);
    snprintf(path, sizeof path, "%s/toy.h5", dir.dir);
    const struct mk_study_settings in_file = {.size = sizeof in_file, .result = path, .start = MK_STUDY_START_RESUMED};
    for (size_t results = 0; results <= TRIALS;
         results += 15) { /* trials are left running at the end of each session */
        s = begin("{name: max_ucb, alpha: 0.5}", &in_file);
        CHECK(mk_study_results(s) == (results ? results - 15 : 0), "%zu results are continued", mk_study_results(s));
        play(s, 4, results);
        if (results < TRIALS) mk_study_free(s);
    }
    note(s, other, sizeof other);
    CHECK(strcmp(first, other) == 0, "over five sessions: the same trials");
    CHECK(mk_study_save(s, NULL, NULL) == 0, "is saved");
    struct mk_error err = {0};
    struct mk_table *table = NULL, *in_memory = NULL;
    REQUIRE(mk_study_table(s, &in_memory, &err) == 0, "its table: %s", err.text);
    mk_study_free(s);
    const char *const inputs[] = {path};
    REQUIRE(mk_table_make(&table, "trials", inputs, 1, NULL, 0, &err) == 0, "its trials: %s", err.text);
    CHECK(mk_table_rows(table) == TRIALS, "%zu trials are in the files", mk_table_rows(table));
    check_table(in_memory, table);
    mk_table_free(table);
    mk_table_free(in_memory);
    CHECK(mk_study_open(&s, "arms: []", &in_file, &err) == MK_EINPUT && s == NULL, "no policy: %s", err.text);
    scratch_remove(&dir);
}

/* Results outstanding: how many trials may be without one. */
static void test_lag(void)
{
    struct mk_study *s = begin("uniform", NULL);
    size_t number = 0, n = 0;
    while (mk_study_ask(s, &number, NULL) == 0 && number != MK_NONE) n++;
    CHECK(n == 6 && mk_study_lag(s) == 6, "%zu trials are asked for before the first result", n);
    end(s, 1);
    CHECK(mk_study_ask(s, &number, NULL) == 0 && number == MK_NONE, "a later result opens nothing");
    end(s, 0);
    CHECK(mk_study_ask(s, &number, NULL) == 0 && number == 6, "the first does");
    CHECK(trial_of(s, 0).status != MK_STUDY_RUNNING && trial_of(s, 2).status == MK_STUDY_RUNNING &&
              isnan(trial_of(s, 2).value) && isnan(trial_of(s, 2).seconds),
          "running trials have no result");
    mk_study_free(s);
}

/* One of several that are running is given up: it comes again, the others go on, also in another budget. */
static void test_give_up(void)
{
    struct mk_study *s = begin("{name: max_ucb, alpha: 0.5}", NULL);
    size_t number[4], again = 0;
    for (size_t i = 0; i < 3; i++) REQUIRE(mk_study_ask(s, &number[i], NULL) == 0, "three trials");
    mk_study_give_up_trial(s, 1);
    CHECK(mk_study_waiting(s) == 1 && mk_study_extend(s, 2 * TRIALS, NULL) == 0 && mk_study_waiting(s) == 1,
          "one trial waits");
    CHECK(mk_study_ask(s, &again, NULL) == 0 && again == 1 && mk_study_waiting(s) == 0, "trial %zu comes again", again);
    CHECK(mk_study_ask(s, &again, NULL) == 0 && again == 3, "then a new one: %zu", again);
    end(s, 2);
    mk_study_give_up_trial(s, 2);
    mk_study_give_up_trial(s, 99);
    CHECK(mk_study_waiting(s) == 0, "a result stays");
    mk_study_give_up(s);
    CHECK(mk_study_waiting(s) == 3 && mk_study_ask(s, &again, NULL) == 0 && again == 0, "all are given up");
    mk_study_free(s);
}

/* A reason that is cut off has no part of a character, and one line. */
static void test_reasons(void)
{
    struct mk_study *s = begin("uniform", NULL);
    char text[601] = "", *at = text;
    size_t first, second;
    while (at < text + 600) at = stpcpy(at, "\303\244");
    REQUIRE(mk_study_ask(s, &first, NULL) == 0 && mk_study_ask(s, &second, NULL) == 0, "two trials");
    CHECK(mk_study_fail(s, first, text, 1, NULL) == 0 && mk_study_fail(s, second, "a\302\205b\nc", 1, NULL) == 0,
          "fail");
    const char *why = trial_of(s, first).why;
    CHECK(strlen(why) > 100 && strchr(why, '?') == why + strlen(why) - 1, "no part of a character: %s", why);
    why = trial_of(s, second).why;
    CHECK(strcmp(why, "a  b c") == 0, "no line breaks: %s", why);
    mk_study_free(s);
}

static void test_wrong_use(void)
{
    struct mk_study *s = begin("uniform", NULL);
    struct mk_study_trial t;
    struct mk_error err = {0};
    size_t number;
    CHECK(mk_study_tell(s, 0, 1, 1, &err) == MK_EINPUT && mk_study_trial(s, 0, &t, &err) == MK_EINPUT, "%s", err.text);
    CHECK(mk_study_save(s, "toy.h5", &err) == MK_EFAIL && mk_study_best(s) == MK_NONE, "%s", err.text);
    REQUIRE(mk_study_ask(s, &number, &err) == 0 && number == 0, "a trial");
    CHECK(mk_study_tell(s, 0, NAN, 1, &err) == MK_EINPUT && mk_study_tell(s, 0, 2e100, 1, &err) == MK_EINPUT, "%s",
          err.text);
    CHECK(mk_study_tell(s, 0, 0.5, NAN, &err) == 0 && trial_of(s, 0).seconds >= 0, "the time since it was asked for");
    CHECK(mk_study_tell(s, 0, 0.5, 1, &err) == MK_EINPUT, "%s", err.text);
    CHECK(mk_study_save(s, NULL, &err) == MK_EINPUT && mk_study_save(s, "toy", &err) == MK_EINPUT, "%s", err.text);
    mk_study_free(s);
    s = begin("uniform", NULL);
    int code = 0;
    for (size_t i = 0; i < 20 && !code; i++) {
        code = mk_study_ask(s, &number, &err);
        if (!code) code = mk_study_fail(s, number, NULL, 0, &err);
    }
    CHECK(code == MK_EFAIL && strstr(err.text, "the first 10 trials failed"), "%s", err.text);
    mk_study_free(s);
}

/* A program that adds earlier results and is run again. */
static void test_added_again(const struct mk_study_result *good, const struct mk_study_result *bad)
{
    struct mk_error err = {0};
    struct scratch dir;
    char path[300];
    size_t number;
    scratch_make(&dir);
    snprintf(path, sizeof path, "%s/warm.h5", dir.dir);
    const struct mk_study_settings in_file = {.size = sizeof in_file, .result = path, .start = MK_STUDY_START_RESUMED};
    for (size_t session = 0; session < 3; session++) {
        struct mk_study *s = begin("max_ucb", &in_file);
        CHECK(!session || (mk_study_add(s, bad, 1, &err) == MK_EINPUT && strstr(err.text, "other earlier results")),
              "session %zu: other results are refused: %s", session, err.text);
        CHECK(mk_study_add(s, good, 1, &err) == 0 && mk_study_add(s, good + 1, 1, &err) == 0 &&
                  mk_study_add(s, NULL, 0, &err) == 0 && mk_study_added(s) == 2,
              "session %zu: the same results are there once: %s", session, err.text);
        CHECK(!session || mk_study_add(s, good, 1, &err) == MK_EINPUT, "more of them are refused: %s", err.text);
        REQUIRE(mk_study_ask(s, &number, &err) == 0 && number == 2 + session, "trial %zu", number);
        end(s, number);
        mk_study_free(s);
    }
    scratch_remove(&dir);
}

static void test_earlier_results(void)
{
    const struct mk_study_result good[] = {{"two", "{n: 3}", 0.5}, {"one", "{\"x\": 0.25, \"kind\": \"a\"}", 0.25}};
    const struct mk_study_result bad[] = {{"one", "{x: 0.5, kind: a}", 0.5}, {"two", "{n: 10}", 0.5}};
    const struct mk_study_result other[] = {{"three", "{n: 3}", 0.5}};
    struct mk_study *s = begin("max_ucb", NULL);
    struct mk_error err = {0};
    size_t number;
    CHECK(mk_study_add(s, bad, 2, &err) == MK_EINPUT && strstr(err.text, "result 1:") && mk_study_trials(s) == 0, "%s",
          err.text);
    CHECK(mk_study_add(s, other, 1, &err) == MK_EINPUT && strstr(err.text, "'three'"), "%s", err.text);
    CHECK(mk_study_add(s, good, 1, &err) == 0 && mk_study_add(s, good + 1, 1, &err) == 0 && mk_study_trials(s) == 2 &&
              mk_study_budget(s) == TRIALS,
          "two are added: %s", err.text);
    CHECK(mk_study_best(s) == 1 && trial_of(s, 1).added && trial_of(s, 1).value == 0.25, "one of them is the best");
    REQUIRE(mk_study_ask(s, &number, &err) == 0 && number == 2, "the next trial is number %zu", number);
    end(s, number);
    CHECK(mk_study_add(s, good, 1, &err) == MK_EINPUT, "%s", err.text);
    play(s, 1, TRIALS - 2); /* play asks for no more than 60, with those added */
    mk_study_free(s);
    s = begin("max_ucb\noptimizer: {name: hyperband, R: 3}", NULL);
    CHECK(mk_study_add(s, good, 1, &err) == MK_EINPUT && strstr(err.text, "hyperband cannot take earlier results"),
          "%s", err.text);
    mk_study_free(s);
    test_added_again(good, bad);
}

/* Trial by trial, budgets are those of a study that had the last one from the start. */
static void test_small_steps(void)
{
    static const char *const optimizer[] = {"tpe", "gp", "{name: rf, init: 4}", "{name: random, sampler: sobol}"};
    for (size_t i = 0; i < 4; i++) {
        char first[TRIALS * 120], other[TRIALS * 120], text[1000];
        struct mk_study *s[2] = {NULL, NULL};
        struct mk_error err = {0};
        for (int small = 0; small < 2; small++) {
            snprintf(text, sizeof text, "%spolicy: max_ucb\noptimizer: %s\nbudget: {evaluations: %d}\n%s", head,
                     optimizer[i], small ? 2 : 40, arms);
            REQUIRE(mk_study_open(&s[small], text, NULL, &err) == 0, "%s", err.text);
            for (size_t n = 1; n <= 40; n++) {
                if (small && n > 2) CHECK(mk_study_extend(s[1], n, &err) == 0, "%s", err.text);
                play(s[small], 1, n);
            }
        }
        note(s[0], first, sizeof first);
        note(s[1], other, sizeof other);
        CHECK(strcmp(first, other) == 0 && mk_study_budget(s[1]) == 40, "%s: the same trials", optimizer[i]);
        mk_study_free(s[0]);
        mk_study_free(s[1]);
    }
}

/* Any number of keys: a sanitizer sees it when their array, which has room for a power of two, is full. */
static void test_keys_of_tune_file(void)
{
    static const char *const more[] = {"title: one\n",        "source: two\n", "retries: 3\n",
                                       "metrics: {m: {}}\n",  "cost: m\n",     "subject_to: {m: {at_most: 9}}\n",
                                       "success_codes: [0]\n"};
    enum { MORE = sizeof more / sizeof *more };
    struct scratch dir;
    char path[300], file[310], text[2000], all[400] = "";
    scratch_make(&dir);
    for (size_t k = 0; k <= MORE; k++) {
        struct mk_study *s = NULL;
        struct mk_error err = {0};
        size_t number;
        snprintf(path, sizeof path, "%s/keys%zu.h5", dir.dir, k);
        const struct mk_study_settings settings = {.size = sizeof settings, .result = path};
        snprintf(text, sizeof text, "%s%spolicy: uniform\nbudget: {evaluations: 2}\n%s", head, all, arms);
        REQUIRE(mk_study_open(&s, text, &settings, &err) == 0, "a study: %s", err.text);
        for (int i = 0; i < 2; i++)
            REQUIRE(mk_study_ask(s, &number, &err) == 0 &&
                        mk_study_tell_metrics(s, number, i, (double[]){1}, 1, &err) == 0,
                    "%s", err.text);
        REQUIRE(mk_study_save(s, NULL, &err) == 0, "%s", err.text);
        mk_study_free(s);
        snprintf(file, sizeof file, "%s/keys%zu.tune.yaml", dir.dir, k);
        FILE *f = fopen(file, "r");
        const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
        text[n] = 0;
        if (f) fclose(f);
        CHECK(strstr(text, "budget:") && strstr(text, "evaluations: 2"), "%zu more keys: the budget of the tune file",
              k);
        if (k < MORE) strcat(all, more[k]);
    }
    scratch_remove(&dir);
}

/* A study of `budget` trials whose first arm plans its slices of a hypercube. */
static struct mk_study *begin_planned(uint64_t seed, int budget)
{
    char text[400];
    struct mk_study *s = NULL;
    struct mk_error err = {0};
    snprintf(text, sizeof text,
             "name: planned\nmetric: {maximize: false}\nseed: %llu\npolicy: random\nbudget: {evaluations: %d}\n"
             "arms:\n  - {label: one, space: {x: {real: [0, 1]}}, optimizer: {name: random, sampler: lhs}}\n"
             "  - {label: two, space: {x: {real: [0, 1]}}, optimizer: random}\n",
             (unsigned long long)seed, budget);
    REQUIRE(mk_study_open(&s, text, NULL, &err) == 0, "a study: %s", err.text);
    return s;
}

/* An arm that plans and has no trial yet plans for the larger budget, exactly that. */
static void test_extended_plan(void)
{
    char first[TRIALS * 120] = "", other[TRIALS * 120] = "";
    struct mk_study *s = NULL;
    uint64_t seed = 0;
    do {
        mk_study_free(s);
        s = begin_planned(++seed, 2);
        play(s, 1, 2);
    } while (trial_of(s, 0).arm == 0 || trial_of(s, 1).arm == 0);
    REQUIRE(mk_study_extend(s, 12, NULL) == 0, "more trials");
    play(s, 1, 12);
    note(s, first, sizeof first);
    mk_study_free(s);
    s = begin_planned(seed, 12);
    play(s, 1, 12);
    note(s, other, sizeof other);
    CHECK(strstr(first, "one {") && strcmp(first, other) == 0, "an extended plan is that of the budget");
    mk_study_free(s);
}

static void test_other_budgets(void)
{
    char first[TRIALS * 120], other[TRIALS * 120];
    struct mk_study *s = begin("{name: max_ucb, alpha: 0.5}", NULL), *planner = begin("max_ucb_remaining", NULL);
    struct mk_error err = {0};
    size_t number;
    play(s, 1, TRIALS);
    note(s, first, sizeof first);
    CHECK(mk_study_extend(s, 10, &err) == MK_EINPUT && mk_study_budget(s) == TRIALS, "fewer than there are: %s",
          err.text);
    CHECK(mk_study_extend(s, 2 * TRIALS, &err) == 0 && mk_study_budget(s) == 2 * TRIALS, "more: %s", err.text);
    note(s, other, sizeof other);
    CHECK(strcmp(first, other) == 0, "with the same trials so far");
    CHECK(mk_study_ask(s, &number, &err) == 0 && number == TRIALS, "and goes on");
    play(planner, 2, 50);
    note(planner, first, sizeof first);
    CHECK(mk_study_extend(planner, 20 * TRIALS, &err) == MK_EINPUT && strstr(err.text, "plans for the budget"), "%s",
          err.text);
    play(planner, 1, 51); /* a trial that was in flight or the next one */
    note(planner, other, sizeof other);
    CHECK(strncmp(first, other, 200) == 0 && mk_study_budget(planner) == TRIALS, "a policy with a plan stays as it is");
    mk_study_free(s);
    mk_study_free(planner);
}

int main(void)
{
    test_same_trials();
    test_lag();
    test_give_up();
    test_reasons();
    test_wrong_use();
    test_earlier_results();
    test_other_budgets();
    test_extended_plan();
    test_keys_of_tune_file();
    test_small_steps();
    return CHECK_EXIT;
}
