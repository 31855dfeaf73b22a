/* The folder of a study: one session at a time, its names on the disk, earlier files kept once; what the journal could
 * not take is written before anything that comes later; ten failures and no success are the end. */
#include <math.h>
#include <string.h>

#include "sim/run/engine/run.h"
#include "sim/study/tuning.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"
#include "tests/support/synced.h"

enum { TRIALS = 12 };

static struct scratch scratch;

static const char *at(const char *name)
{
    static char path[4][400];
    static int next;
    char *out = path[next++ % 4];
    snprintf(out, sizeof path[0], "%s/%s", scratch.dir, name);
    return out;
}

static bool is_there(const char *name)
{
    return access(at(name), F_OK) == 0;
}

static struct mk_tune *read_tune(void)
{
    static const char text[] = "command: [none]\nmetric: {last_number: true, maximize: true}\npolicy: uniform\nlag: 4\n"
                               "budget: {evaluations: 12}\narms:\n"
                               "  - {label: a, space: {x: {real: [0, 1]}}, optimizer: random}\n"
                               "  - {label: b, space: {x: {real: [0, 1]}}, optimizer: random}\n";
    struct mk_tune *t = NULL;
    struct mk_error err;
    REQUIRE(mk_tune_read(&t, scratch_write(&scratch, "t.yaml", text, sizeof text - 1), NULL, 0, &err) == 0, "%s",
            err.text);
    return t;
}

static struct mk_tuning opened(const struct mk_tune *t, const struct mk_tuning_options *how)
{
    struct mk_tuning r;
    struct mk_error err = {0, ""};
    REQUIRE(mk_tuning_open(&r, t, how, &err) == 0, "%s", err.text);
    return r;
}

static void closed(struct mk_tuning *r, int code)
{
    mk_tuning_close(r, code);
    mk_tune_state_free(r->state);
}

static size_t asked(struct mk_tuning *r)
{
    size_t number = SIZE_MAX;
    struct mk_error err = {0, ""};
    REQUIRE(mk_tuning_next(r, &number, &err) == 0 && number != SIZE_MAX, "%s", err.text);
    return number;
}

static int told(struct mk_tuning *r, size_t number, bool ok, struct mk_error *err)
{
    const struct mk_trial_outcome o = {
        .status = ok ? MK_TRIAL_OK : MK_TRIAL_CRASHED, .value = ok ? (double)number : NAN, .why = "no"};
    return mk_tuning_end(r, number, &o, err);
}

static void check_folder(const struct mk_tune *t)
{
    char folder[400], result[400];
    snprintf(folder, sizeof folder, "%s", at("o.trials"));
    snprintf(result, sizeof result, "%s", at("o.h5"));
    const struct mk_tuning_options how = {.folder = folder, .result = result};
    struct mk_error err = {0, ""};
    struct mk_tuning second;
    synced.n = 0;
    struct mk_tuning r = opened(t, &how);
    CHECK(synced.n == 3 && synced_is(0, scratch.dir) && synced_is(1, at("o.trials/journal")) && synced_is(2, folder),
          "the folder, the journal and its name: %zu syncs", synced.n);
    CHECK(is_there("o.trials.lock"), "it is locked");
    CHECK(mk_tuning_open(&second, t, &how, &err) == MK_EINPUT && strstr(err.text, "in use by another process"),
          "by one at a time: %s", err.text);
    mk_tuning_close(&second, MK_EINPUT);
    CHECK(is_there("o.trials.lock"), "another one leaves the lock alone");
    for (size_t i = 0; i < TRIALS; i++) REQUIRE(told(&r, asked(&r), true, &err) == 0, "%s", err.text);
    REQUIRE(mk_tuning_tell_all(&r, &err) == 0 && mk_tune_journal_done(r.journal, &err) == 0, "%s", err.text);
    closed(&r, MK_OK);
    CHECK(!is_there("o.trials.lock"), "and then is not");

    scratch_write(&scratch, "o.h5", "result", 6);
    scratch_write(&scratch, "o.csv", "trials", 6);
    synced.n = 0;
    r = opened(t, &how);
    CHECK(strcmp(r.previous, ".previous") == 0 && is_there("o.h5.previous") && is_there("o.csv.previous") &&
              is_there("o.trials.previous/journal") && is_there("o.h5"),
          "a complete run is kept as %s", r.previous);
    CHECK(synced.n >= 3 && synced_is(0, scratch.dir), "under names that are on the disk");
    closed(&r, MK_OK);
    r = opened(t, &how);
    CHECK(!*r.previous && !is_there("o.h5.previous.2"), "once: what has a second name is kept%s", r.previous);
    closed(&r, MK_OK);
}

/* A trial that the journal could not take is asked for again, and is there before the next result. */
static void check_asked_again(const struct mk_tune *t)
{
    char folder[400];
    snprintf(folder, sizeof folder, "%s", at("a.trials"));
    const struct mk_tuning_options how = {.folder = folder, .resume = true};
    struct mk_error err = {0, ""};
    struct mk_tuning r = opened(t, &how);
    const size_t first = asked(&r);
    size_t second;
    synced.pwrite_fails = true;
    CHECK(mk_tuning_next(&r, &second, &err) == MK_EIO && r.state->n == 2 && r.journalled == 1, "%s", err.text);
    synced.pwrite_fails = true;
    CHECK(told(&r, first, true, &err) == MK_EIO && r.ended == 0 && r.journalled == 1, "nor can a result: %s", err.text);
    CHECK(told(&r, first, true, &err) == 0 && r.ended == 1 && r.journalled == 2, "then it can: %s", err.text);
    CHECK(asked(&r) == 1 && told(&r, 1, true, &err) == 0, "the trial is the next one");
    const uint64_t digest = r.state->trial[1].digest;
    synced.pwrite_fails = true;
    CHECK(mk_tuning_next(&r, &second, &err) == MK_EIO && r.state->n == 3, "%s", err.text);
    CHECK(mk_tuning_extend(&r, 2 * TRIALS, &err) == 0 && asked(&r) == 2, "one of a larger budget: %s", err.text);
    closed(&r, MK_OK);
    r = opened(t, &how);
    CHECK(r.state->n == 3 && r.resumed == 2 && r.state->trial[1].digest == digest,
          "%zu trials, %zu results are resumed", r.state->n, r.resumed);
    closed(&r, MK_OK);
}

/* Earlier results: all of them, or none. */
static void check_added(const struct mk_tune *t)
{
    char folder[400];
    snprintf(folder, sizeof folder, "%s", at("e.trials"));
    const struct mk_tuning_options how = {.folder = folder, .resume = true};
    struct mk_error err = {0, ""};
    double x[] = {0.25, 0.75};
    const struct mk_added_trial added[] = {{.arm = 0, .v = &x[0], .outcome = {.value = 1}},
                                           {.arm = 1, .v = &x[1], .outcome = {.value = 2}}};
    struct mk_tuning r = opened(t, &how);
    const off_t end = r.journal->file.end;
    REQUIRE(mk_tuning_add(&r, added, 1, &err) == 0, "%s", err.text);
    CHECK(r.state->n == 1 && r.all == TRIALS + 1 && r.matched == 1, "one earlier result");
    synced.pwrite_fails = true;
    CHECK(mk_tuning_add(&r, added + 1, 1, &err) == MK_EIO && r.state->n == 1 && r.ended == 1 && r.journalled == 1 &&
              r.all == TRIALS + 1 && r.matched == 1,
          "a second one cannot be written: %s", err.text);
    CHECK(mk_tuning_add(&r, added + 1, 1, &err) == 0 && r.state->n == 2 && r.ended == 2 && r.journal->file.end > end,
          "then it can: %s", err.text);
    REQUIRE(told(&r, asked(&r), true, &err) == 0, "%s", err.text);
    closed(&r, MK_OK);
    r = opened(t, &how);
    CHECK(r.state->n == 3 && r.state->trial[1].outcome.value == 2 && mk_tuning_add(&r, added, 2, &err) == 0 &&
              r.state->n == 3,
          "both are resumed: %s", err.text);
    closed(&r, MK_OK);
}

static void check_first_failures(const struct mk_tune *t)
{
    struct mk_error err = {0, ""};
    for (size_t successes = 0; successes < 2; successes++) {
        char folder[400];
        snprintf(folder, sizeof folder, "%s", at(successes ? "g.trials" : "f.trials"));
        const struct mk_tuning_options how = {.folder = folder};
        struct mk_tuning r = opened(t, &how);
        int code = MK_OK;
        size_t ended = 0;
        for (; ended < TRIALS && !code; ended++) {
            size_t number;
            code = mk_tuning_next(&r, &number, &err);
            if (!code) code = told(&r, number, successes && ended == MK_TUNE_FAILURES - 1, &err);
        }
        if (!code) code = mk_tuning_tell_all(&r, &err);
        if (successes)
            CHECK(!code && ended == TRIALS, "nine failures and a success: %s", err.text);
        else
            CHECK(code == MK_EFAIL && r.state->failures == MK_TUNE_FAILURES &&
                      strstr(err.text, "the first 10 trials failed, the last one: no"),
                  "ten failures: %s", err.text);
        CHECK(r.journal->results == 0 && r.journal->successes == successes, "%zu successes", r.journal->successes);
        closed(&r, code);
        r = opened(t, &(struct mk_tuning_options){.folder = folder, .resume = true});
        CHECK(r.resumed == (successes ? TRIALS : 0), "%zu results of them are resumed", r.resumed);
        closed(&r, MK_OK);
    }
}

/* A journal is repeated until a signal says otherwise; the next session is as if there had been none. */
static void check_stopped(const struct mk_tune *t)
{
    char folder[400];
    snprintf(folder, sizeof folder, "%s", at("s.trials"));
    const struct mk_tuning_options how = {.folder = folder, .resume = true};
    struct mk_error err = {0, ""};
    struct mk_tuning r = opened(t, &how);
    for (size_t i = 0; i < 3; i++) REQUIRE(told(&r, asked(&r), true, &err) == 0, "%s", err.text);
    closed(&r, MK_OK);
    mk_run_stop();
    CHECK(mk_tuning_open(&r, t, &how, &err) == MK_ESTOPPED && strstr(err.text, "nothing was changed"), "stopped: %s",
          err.text);
    mk_tuning_close(&r, MK_ESTOPPED);
    mk_run_stop_reset();
    r = opened(t, &how);
    CHECK(r.resumed == 3, "%zu results are resumed after that", r.resumed);
    closed(&r, MK_OK);
}

int main(void)
{
    scratch_make(&scratch);
    struct mk_tune *t = read_tune();
    check_folder(t);
    check_asked_again(t);
    check_added(t);
    check_first_failures(t);
    check_stopped(t);
    mk_tune_free(t);
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", scratch.dir);
    REQUIRE(system(command) == 0, "removed");
    return CHECK_EXIT;
}
