/* The journal of a tuning run reaches the disk: its head at once, results when a tenth of a second has passed, its end.
 */
#include <time.h>

#include "sim/study/tune_journal.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"
#include "tests/support/synced.h"

int main(void)
{
    const struct timespec pause = {0, 120000000};
    const struct mk_trial_outcome good = {.status = MK_TRIAL_OK, .value = 0.5, .seconds = 1};
    struct scratch scratch;
    struct mk_tune_journal *j = NULL;
    struct mk_error err = {0, ""};
    struct mk_trial trial = {.arm = 0, .digest = 7};
    char path[300];
    scratch_make(&scratch);
    snprintf(path, sizeof path, "%s/journal", scratch.dir);
    int code = mk_tune_journal_open(&j, path, true, &err);
    synced.n = 0;
    if (!code) code = mk_tune_journal_restart(j, "seed: 1\n", &err);
    CHECK(!code && synced.n == 1 && synced_is(0, path), "the head: %zu syncs %s", synced.n, err.text);
    nanosleep(&pause, NULL);
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
        nanosleep(&pause, NULL);
    }
    synced.n = 0;
    if (!code) code = mk_tune_journal_done(j, &err);
    CHECK(!code && synced.n == 1 && synced_is(0, path), "the end: %zu syncs", synced.n);
    mk_tune_journal_free(j);
    code = mk_tune_journal_open(&j, path, false, &err);
    CHECK(!code && j->complete && j->results == 2 && j->successes == 2, "it is read: %s", err.text);
    mk_tune_journal_free(j);
    scratch_remove(&scratch);
    return CHECK_EXIT;
}
