/* Trials with results outstanding: every policy gets rewards only of arms that it selected; without any outstanding it
 * plays as alone; what is asked is a function of what was told, also of a run with a journal, for any number of workers
 * and over any number of sessions. */
#include <string.h>

#include "sim/api/maxk/policy.h"
#include "sim/study/tuning.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"

enum { TRIALS = 60, ARMS = 3 };

static const char *const policies[] = {
    "max_ucb", "uniform",     "random",           "rising_bandit", "successive_halving", "qomax_sda", "max_median",
    "r_sr",    "extreme_etc", "threshold_ascent", "quantile_ucb",  "extreme_hunter",     "er_ucb_s"};
enum { POLICIES = sizeof policies / sizeof *policies };

/* Results that policies get again of each arm, with a prior. */
static const uint64_t repeats[ARMS] = {0, 4, 9};

static struct mk_tune *read_text(const char *text, const char *policy)
{
    struct mk_error err;
    struct mk_tune *t = NULL;
    struct scratch dir;
    char set[200];
    const char *const sets[] = {set};
    scratch_make(&dir);
    snprintf(set, sizeof set, "policy=%s", policy);
    const int code = mk_tune_read(&t, scratch_write(&dir, "t.yaml", text, strlen(text)), sets, 1, &err);
    scratch_remove(&dir);
    REQUIRE(code == 0, "a tune file for %s: %s", policy, code ? err.text : "");
    return t;
}

static struct mk_tune *read_tune(const char *policy, bool prior)
{
    struct mk_tune *t = read_text("command: [none]\nmetric: {last_number: true, maximize: true}\npolicy: uniform\n"
                                  "budget: {evaluations: 60}\narms:\n"
                                  "  - {label: a, space: {x: {real: [0, 1]}}, optimizer: random}\n"
                                  "  - {label: b, space: {x: {real: [0, 1]}}, optimizer: random}\n"
                                  "  - {label: c, space: {x: {real: [0, 1]}}, optimizer: random}\n",
                                  policy);
    t->prior = prior ? calloc(ARMS, sizeof *t->prior) : NULL;
    for (size_t k = 0; prior && k < ARMS; k++) t->prior[k].repeats = repeats[k];
    return t;
}

/* The n-th reward of an arm. */
static double reward_of(size_t arm, size_t n)
{
    return 0.1 * (double)arm + 0.01 * (double)((n * 7 + arm * 3) % 11);
}

/* Runs with a lag; arm[] receives the arms asked. */
static void play(const char *policy, bool prior, size_t lag, bool failures, size_t arm[TRIALS])
{
    struct mk_tune *t = read_tune(policy, prior);
    struct mk_tune_state *s = NULL;
    struct mk_error err = {0};
    size_t number = 0, told = 0;
    int code = mk_tune_state_new(&s, t, 0, &err);
    for (size_t i = 0; i < TRIALS && !code; i++) {
        for (; told + lag <= i && !code; told++) code = mk_tune_state_tell(s, told, &err);
        if (!code) code = mk_tune_state_ask(s, &number, &err);
        if (code) break;
        struct mk_trial *trial = &s->trial[number];
        arm[i] = trial->arm;
        trial->done = true;
        trial->outcome.status = failures && (i < 3 || i % 5 == 0) ? MK_TRIAL_CRASHED : MK_TRIAL_OK;
        trial->outcome.value = trial->outcome.status == MK_TRIAL_OK ? reward_of(trial->arm, trial->nth) : NAN;
    }
    CHECK(code == 0, "%s, lag %zu%s: %s", policy, lag, failures ? ", failures" : "", code ? err.text : "plays");
    mk_tune_state_free(s);
    mk_tune_free(t);
}

/* The policy of the library, which gets results at once; with a prior the first results of arms again, as it selects
 * them. */
static void play_alone(const char *policy, bool prior, size_t arm[TRIALS])
{
    uint64_t left[ARMS] = {prior * repeats[0], prior * repeats[1], prior * repeats[2]};
    const struct mk_policy_options options = {.horizon = TRIALS + left[0] + left[1] + left[2], .seed = 1};
    struct mk_policy *p = NULL;
    struct mk_error err;
    size_t n[ARMS] = {0};
    REQUIRE(mk_policy_new(&p, policy, ARMS, &options, &err) == 0, "%s", policy);
    for (size_t i = 0; i < TRIALS;) {
        REQUIRE(mk_policy_select(p, &arm[i], &err) == 0, "%s selects", policy);
        const size_t k = arm[i];
        const bool again = n[k] && left[k];
        REQUIRE(mk_policy_update(p, k, reward_of(k, again ? 0 : n[k]), &err) == 0, "%s learns", policy);
        left[k] -= again;
        n[k] += !again;
        i += !again;
    }
    mk_policy_free(p);
}

/* Rules for failures: (arm, value or NaN) reported one by one; rewards as the policy gets them. */
static void test_failures(void)
{
    static const double value[] = {NAN, NAN, 0.5, NAN, 0.25, NAN, NAN};
    /* By hand: uniform asks arms 0 1 2 0 1 2 0. The first two failures wait for the first success, .5; trial 4 is of
     * arm 0, which has none of its own: the worst of all, .5; trial 6 is of arm 2, whose worst is .5; trial 7 of arm 0:
     * .25. */
    static const double want[] = {0.5, 0.5, 0.5, 0.5, 0.25, 0.5, 0.25};
    struct mk_tune *t = read_tune("uniform", false);
    struct mk_tune_state *s = NULL;
    struct mk_error err;
    size_t number;
    REQUIRE(mk_tune_state_new(&s, t, 0, &err) == 0, "trials");
    for (size_t i = 0; i < 7; i++) {
        REQUIRE(mk_tune_state_ask(s, &number, &err) == 0, "a trial");
        struct mk_trial *trial = &s->trial[number];
        trial->done = true;
        trial->outcome =
            (struct mk_trial_outcome){.status = isnan(value[i]) ? MK_TRIAL_CRASHED : MK_TRIAL_OK, .value = value[i]};
        REQUIRE(mk_tune_state_tell(s, number, &err) == 0, "reported");
        if (i == 1) CHECK(s->failures == 2 && s->best == SIZE_MAX, "two failures wait");
    }
    for (size_t i = 0; i < 7; i++)
        CHECK(s->trial[i].reward == want[i], "trial %zu, arm %zu: %g", i, s->trial[i].arm, s->trial[i].reward);
    CHECK(s->best == 2 && s->told == 7, "the best is a success");
    CHECK(mk_tune_state_tell(s, 3, &err) != 0, "nothing is reported twice");
    mk_tune_state_free(s);
    mk_tune_free(t);
}

/* Parts of evaluations are better than any whole one: the best trial is a whole one all the same. */
static void test_parts(void)
{
    struct mk_tune *t =
        read_text("command: [none, \"{fidelity}\"]\nmetric: {last_number: true, maximize: true}\n"
                  "policy: uniform\nbudget: {evaluations: 30}\n"
                  "arms: [{label: a, space: {x: {real: [0, 1]}}, optimizer: {name: hyperband, R: 9}}]\n",
                  "uniform");
    struct mk_tune_state *s = NULL;
    struct mk_error err;
    size_t number, parts = 0, wholes = 0;
    REQUIRE(mk_tune_state_new(&s, t, 0, &err) == 0, "trials");
    while (wholes < 2) {
        REQUIRE(mk_tune_state_ask(s, &number, &err) == 0, "a trial");
        struct mk_trial *trial = &s->trial[number];
        const bool whole = trial->fidelity == 1;
        trial->done = true;
        trial->outcome = (struct mk_trial_outcome){.status = MK_TRIAL_OK, .value = whole ? 0.1 * (double)wholes : 0.9};
        REQUIRE(mk_tune_state_tell(s, number, &err) == 0, "reported");
        parts += !whole;
        wholes += whole;
        const size_t best = s->best;
        if (wholes ? best != number && whole : best != SIZE_MAX) break;
    }
    CHECK(parts > 0 && wholes == 2 && s->best == number, "%zu parts, then %zu whole ones, the second better", parts,
          wholes);
    mk_tune_state_free(s);
    mk_tune_free(t);
}

/* Runs in `folder` with results that come in the order last started, first ended, of `workers` trials at a time; closes
 * the run and continues it after every `session` results. */
static void run(const char *folder, bool prior, size_t workers, size_t session, uint64_t digest[TRIALS])
{
    struct mk_tune *t = read_tune("max_ucb", prior);
    struct mk_tuning_options how = {.folder = folder};
    struct mk_tuning r;
    struct mk_error err = {0};
    size_t ended = 0;
    while (ended < TRIALS) {
        size_t running[TRIALS], n = 0, here = 0;
        REQUIRE(mk_tuning_open(&r, t, &how, &err) == 0, "%zu workers, %zu results: %s", workers, ended, err.text);
        CHECK(r.resumed == ended && r.all == TRIALS, "%zu of %zu results are continued", r.resumed, r.all);
        for (; ended < TRIALS && here < session; here++) {
            for (size_t next = 0; n < workers && next != SIZE_MAX;) {
                REQUIRE(mk_tuning_next(&r, &next, &err) == 0, "the next trial: %s", err.text);
                if (next != SIZE_MAX) running[n++] = next;
            }
            REQUIRE(n > 0, "a trial with %zu results", ended);
            const struct mk_trial *one = &r.state->trial[running[--n]];
            const struct mk_trial_outcome o = {.status = one->nth % 7 == 3 ? MK_TRIAL_CRASHED : MK_TRIAL_OK,
                                               .value = one->nth % 7 == 3 ? NAN : reward_of(one->arm, one->nth)};
            REQUIRE(mk_tuning_end(&r, running[n], &o, &err) == 0, "a result: %s", err.text);
            ended++;
        }
        if (ended == TRIALS) {
            CHECK(mk_tuning_tell_all(&r, &err) == 0 && mk_tune_journal_done(r.journal, &err) == 0, "the end");
            for (size_t i = 0; i < TRIALS; i++) digest[i] = r.state->trial[i].digest;
        }
        mk_tuning_close(&r, MK_OK);
        mk_tune_state_free(r.state);
        how.resume = true;
    }
    mk_tune_free(t);
}

static void test_runs(bool prior)
{
    static const struct {
        size_t workers, session;
    } cases[] = {{1, TRIALS}, {2, TRIALS}, {6, TRIALS}, {1, 7}, {6, 7}};
    uint64_t first[TRIALS], other[TRIALS];
    struct scratch dir;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scratch_make(&dir);
        run(dir.dir, prior, cases[i].workers, cases[i].session, i ? other : first);
        scratch_remove(&dir);
        if (i)
            CHECK(memcmp(first, other, sizeof first) == 0, "%zu workers, sessions of %zu%s: the same trials",
                  cases[i].workers, cases[i].session, prior ? ", a prior" : "");
    }
}

int main(void)
{
    size_t lagged[TRIALS], alone[TRIALS];
    for (size_t i = 0; i < POLICIES; i++) {
        for (int prior = 0; prior < 2; prior++) {
            play_alone(policies[i], prior, alone);
            play(policies[i], prior, 1, false, lagged);
            CHECK(memcmp(lagged, alone, sizeof alone) == 0, "%s%s: nothing outstanding, the same arms as alone",
                  policies[i], prior ? ", a prior" : "");
        }
        play(policies[i], true, 9, true, lagged);
        play(policies[i], false, 9, false, lagged);
        if (i <
            2) /* max_ucb, uniform: equal stand-ins are reported for all, so that they take arms one after another */
            CHECK(lagged[0] != lagged[1] && lagged[1] != lagged[2] && lagged[0] != lagged[2],
                  "%s: %zu, %zu, %zu without a result", policies[i], lagged[0], lagged[1], lagged[2]);
        play(policies[i], false, 9, true, lagged);
    }
    test_failures();
    test_parts();
    test_runs(false);
    test_runs(true);
    return CHECK_EXIT;
}
