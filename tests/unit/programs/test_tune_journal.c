/* The journal of a tuning run reaches the disk: its head at once, results when a tenth of a second has passed, its end.
 * What could not be written or synced is not in it, and may be written again. */
#include <math.h>
#include <time.h>

#include "sim/study/tune_journal.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"
#include "tests/support/synced.h"

static const struct mk_space no_space; /* an arm without hyperparameters */

static const struct mk_trial_outcome good = {
    .status = MK_TRIAL_OK, .value = 0.5, .seconds = 1, .n_metrics = 1, .metric = {7}};
static const struct timespec pause_of_a_sync = {0, 120000000};

static struct mk_tune_journal *opened(const char *path, struct mk_error *err)
{
    struct mk_tune_journal *j = NULL;
    REQUIRE(mk_tune_journal_open(&j, path, false, err) == 0, "%s", err->text);
    return j;
}

/* Some line cannot be written (then: nor be cut off), or not be synced. */
static void check_failures(const char *path)
{
    struct mk_error err = {0, ""};
    struct mk_trial trial = {.arm = 0, .space = &no_space, .digest = 7};
    struct mk_tune_journal *j = opened(path, &err);
    const size_t n = j->results;
    REQUIRE(mk_tune_journal_ask(j, &trial, &err) == 0 && mk_tune_journal_done(j, &err) == 0, "%s", err.text);
    for (int twice = 0; twice < 2; twice++) {
        const off_t end = j->file.end;
        synced.pwrite_fails = true;
        synced.ftruncate_fails = twice;
        CHECK(mk_tune_journal_end(j, n, &good, 2, &err) == MK_EIO && j->file.end == end && j->successes == n &&
                  j->complete,
              "a result that cannot be written: %s", err.text);
        CHECK(!mk_tune_journal_reread(j, &err) && j->file.end == end && j->results == n && j->complete,
              "is not there: %s", err.text);
    }
    nanosleep(&pause_of_a_sync, NULL);
    for (int twice = 0; twice < 2; twice++) {
        const off_t end = j->file.end;
        synced.fsync_fails = true;
        synced.ftruncate_fails = twice;
        CHECK(mk_tune_journal_end(j, n, &good, 2, &err) == MK_EIO && j->file.end == end && j->successes == n &&
                  j->complete,
              "nor is one that cannot be synced: %s", err.text);
    }
    CHECK(mk_tune_journal_end(j, n, &good, 2, &err) == 0 && j->successes == n + 1 && !j->complete, "then it can: %s",
          err.text);
    synced.fsync_fails = true;
    CHECK(mk_tune_journal_done(j, &err) == MK_EIO && !j->complete, "nor the end: %s", err.text);
    synced.pwrite_fails = true;
    CHECK(mk_tune_journal_done(j, &err) == MK_EIO && !j->complete, "nor the end: %s", err.text);
    mk_tune_journal_free(j);
    j = opened(path, &err);
    CHECK(j->results == n + 1 && !j->complete && j->event[j->n - 1].outcome.metric[0] == 7, "%zu results", j->results);
    CHECK(mk_tune_journal_done(j, &err) == 0 && j->complete, "the end");
    mk_tune_journal_free(j);
    j = opened(path, &err);
    CHECK(j->complete, "is read");
    mk_tune_journal_free(j);
}

/* What was not synced yet is when the journal is closed. */
static void check_closing(const char *path)
{
    struct mk_error err = {0, ""};
    struct mk_tune_journal *j = opened(path, &err);
    const struct mk_trial trial = {.arm = 0, .space = &no_space, .digest = 8};
    REQUIRE(mk_tune_journal_sync(j, &err) == 0 && mk_tune_journal_done(j, &err) == 0, "%s", err.text);
    synced.n = 0;
    REQUIRE(mk_tune_journal_ask(j, &trial, &err) == 0 && synced.n == 0, "%s", err.text);
    mk_tune_journal_free(j);
    CHECK(synced.n == 1 && synced_is(0, path), "the end of a session: %zu syncs", synced.n);
    j = opened(path, &err);
    REQUIRE(mk_tune_journal_done(j, &err) == 0, "%s", err.text);
    synced.n = 0;
    mk_tune_journal_free(j);
    CHECK(synced.n == 0, "with nothing new: %zu syncs", synced.n);
}

/* Metrics without the line that they belong to, as a process that is killed may leave them, count for no other trial.
 */
static void check_metrics_alone(const char *path)
{
    struct mk_error err = {0, ""};
    struct mk_tune_journal *j = opened(path, &err);
    const struct mk_trial_outcome failed = {.status = MK_TRIAL_CRASHED, .value = NAN};
    const struct mk_trial trial = {.arm = 0, .space = &no_space, .digest = 9};
    const size_t n = j->results;
    const off_t end = j->file.end;
    REQUIRE(mk_tune_journal_ask(j, &trial, &err) == 0 && mk_tune_journal_end(j, n, &good, 2, &err) == 0, "%s",
            err.text);
    mk_tune_journal_free(j);
    char text[4096], *line;
    FILE *file = fopen(path, "r+");
    REQUIRE(file && fread(text, 1, sizeof text - 1, file) > (size_t)end, "the journal");
    text[sizeof text - 1] = 0;
    line = strstr(text + end, "\nend");
    REQUIRE(line && ftruncate(fileno(file), line + 1 - text) == 0, "the line of a result");
    fclose(file);
    j = opened(path, &err);
    CHECK(j->results == n && mk_tune_journal_end(j, n, &failed, 2, &err) == 0, "the result is not there: %s", err.text);
    mk_tune_journal_free(j);
    j = opened(path, &err);
    CHECK(j->results == n + 1 && j->event[j->n - 1].outcome.n_metrics == 0, "another one has no metrics");
    mk_tune_journal_free(j);
}

int main(void)
{
    struct scratch scratch;
    struct mk_tune_journal *j = NULL;
    struct mk_error err = {0, ""};
    struct mk_trial trial = {.arm = 0, .space = &no_space, .digest = 7};
    char path[300];
    scratch_make(&scratch);
    snprintf(path, sizeof path, "%s/journal", scratch.dir);
    int code = mk_tune_journal_open(&j, path, true, &err);
    synced.n = 0;
    if (!code) code = mk_tune_journal_restart(j, "seed: 1\n", &err);
    CHECK(!code && synced.n == 2 && synced_is(0, path) && synced_is(1, scratch.dir),
          "the head and the name: %zu syncs %s", synced.n, err.text);
    synced.n = 1;
    nanosleep(&pause_of_a_sync, NULL);
    if (!code) code = mk_tune_journal_sync(j, &err);
    CHECK(!code && synced.n == 1, "nothing new: %zu syncs", synced.n);
    for (size_t i = 0; i < 2 && !code; i++) {
        synced.n = 0;
        code = mk_tune_journal_ask(j, &trial, &err);
        if (!code) code = mk_tune_journal_end(j, i, &good, 2, &err);
        if (!code) code = mk_tune_journal_sync(j, &err);
        CHECK(!code && synced.n == 1 && synced_is(0, path), "a result after a pause: %zu syncs", synced.n);
        if (!code) code = mk_tune_journal_sync(j, &err);
        CHECK(!code && synced.n == 1, "once: %zu syncs", synced.n);
        nanosleep(&pause_of_a_sync, NULL);
    }
    synced.n = 0;
    if (!code) code = mk_tune_journal_done(j, &err);
    CHECK(!code && synced.n == 1 && synced_is(0, path), "the end: %zu syncs", synced.n);
    mk_tune_journal_free(j);
    code = mk_tune_journal_open(&j, path, false, &err);
    CHECK(!code && j->complete && j->results == 2 && j->successes == 2, "it is read: %s", err.text);
    mk_tune_journal_free(j);
    check_failures(path);
    check_closing(path);
    check_metrics_alone(path);
    scratch_remove(&scratch);
    return CHECK_EXIT;
}
