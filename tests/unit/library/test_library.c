/* The public library from inside: what it does before main, options of runs, progress, errors without a place for them.
 * The view of a program outside is tested in tests/long/test_install.sh and tests/project/test_library.sh. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gsl/gsl_errno.h>

#include "sim/api/maxk/maxk.h"
#include "sim/program/library/settings.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"

static const char text[] = "name: library\n"
                           "problem: {arms: [{family: power, a: 3, s: 1.01}, {family: uniform, lo: 0, hi: 0.9}]}\n"
                           "policies: [{name: max_ucb}, {name: uniform}]\n"
                           "horizons: [10, 100]\nreplications: 3000\n";

struct watched {
    uint64_t calls, last, all, stop_at; /* stop_at: the first call to stop at; 0: none */
    int rising;
};

static bool watch(void *context, uint64_t done, uint64_t all)
{
    struct watched *w = context;
    w->rising &= done >= w->last && done <= all;
    w->last = done;
    w->all = all;
    return ++w->calls != w->stop_at;
}

static struct mk_experiment *experiment(const char *of)
{
    struct mk_experiment *e = NULL;
    struct mk_error err = {0, ""};
    CHECK(mk_experiment_from_text(&e, of, NULL, 0, &err) == MK_OK, "an experiment from text %s", err.text);
    return e;
}

static void check_start(void)
{
    CHECK(gsl_set_error_handler(NULL) != NULL, "GSL's error handler is off before main, without a call");
    gsl_set_error_handler_off();
    char version[64];
    snprintf(version, sizeof version, "%d.%d.%d", MAXK_VERSION_MAJOR, MAXK_VERSION_MINOR, MAXK_VERSION_PATCH);
    CHECK(strcmp(mk_version(), version) == 0 && mk_revision()[0], "version %s, revision %s", mk_version(),
          mk_revision());
}

/* OpenMP's threads are not in a process that was forked; it runs all the same, and the same. Two runs with two threads
 * each before it, so that there are threads which are kept. */
static void check_fork(const struct mk_experiment *e)
{
    struct mk_error err = {0, ""};
    struct mk_result_arrays *before = NULL, *after = NULL;
    const struct mk_run_settings two = {.size = sizeof two, .threads = 2};
    int status = -1;
    CHECK(mk_run_experiment(&before, e, &two, &err) == MK_OK, "two threads %s", err.text);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(mk_run_experiment(&after, e, &two, &err) ||
              memcmp(after->mean_max, before->mean_max, 4 * sizeof(double)) != 0); /* policies x horizons */
    }
    waitpid(child, &status, 0);
    CHECK(status == 0, "a forked process has the same result: status %#x", (unsigned)status);
    mk_result_arrays_free(before);
}

static void check_settings(const struct mk_experiment *e)
{
    struct mk_error err = {0, ""};
    struct mk_result_arrays *o = NULL;
    struct watched w = {.rising = 1};
    struct mk_run_settings settings = {.size = sizeof settings, .threads = 2, .progress = watch, .context = &w};
    CHECK(mk_run_experiment(&o, e, &settings, &err) == MK_OK && w.rising && w.calls >= 1 && w.last == 3000 &&
              w.all == 3000,
          "progress of %llu calls ends with all 3000 replications %s", (unsigned long long)w.calls, err.text);
    if (o) {
        const size_t cell = mk_result_arrays_cell(o, 1, 0, 1);
        CHECK(o->mean_pulls[cell * o->arms] == 50 && mk_result_arrays_cell(o, 0, 0, 1) == 1,
              "a cell: uniform pulls each of two arms 50 times in 100 rounds");
        double off = 0;
        for (size_t c = 0; c < o->policies * o->horizons; c++) {
            double pulls = 0, max = 0;
            for (size_t r = 0; r < o->replications; r++) {
                pulls += (double)o->pulls[(c * o->replications + r) * o->arms] / (double)o->replications;
                max += o->max_reward[c * o->replications + r] / (double)o->replications;
            }
            off = fmax(off, fabs(pulls / o->mean_pulls[c * o->arms] - 1) + fabs(max / o->mean_max[c] - 1));
        }
        CHECK(off < 1e-9, "every cell's replications have its means: %g", off);
    }
    mk_result_arrays_free(o);
    o = NULL;
    CHECK(mk_run_experiment(&o, e, NULL, &err) == MK_OK, "no settings at all %s", err.text);
    mk_result_arrays_free(o);
    o = NULL;
    settings = (struct mk_run_settings){.size = sizeof settings, .engine = "record"};
    CHECK(mk_run_experiment(&o, e, &settings, &err) == MK_OK, "the record engine %s", err.text);
    mk_result_arrays_free(o);
    o = NULL;
    settings.engine = "recod";
    CHECK(mk_run_experiment(&o, e, &settings, &err) == MK_EINPUT && strncmp(err.text, "engine: ", 8) == 0 && !o,
          "no such engine: %s", err.text);
    settings = (struct mk_run_settings){.size = sizeof settings, .threads = -1};
    CHECK(mk_run_experiment(&o, e, &settings, &err) == MK_EINPUT && strncmp(err.text, "threads: ", 9) == 0 && !o,
          "no such number of threads: %s", err.text);
}

/* Settings of another version of the header: their size tells them apart. */
static void check_sizes(const struct mk_experiment *e)
{
    struct {
        struct mk_run_settings known;
        double later;
    } newer = {.known = {.size = sizeof newer, .threads = 1}};
    struct mk_error err = {0, ""};
    struct mk_result_arrays *o = NULL;
    CHECK(mk_run_experiment(&o, e, &newer.known, &err) == MK_OK, "a later member that is 0 %s", err.text);
    mk_result_arrays_free(o);
    o = NULL;
    newer.later = 1;
    CHECK(mk_run_experiment(&o, e, &newer.known, &err) == MK_EINPUT && strstr(err.text, "does not have") && !o,
          "a later member that is set: %s", err.text);
    newer.known.size = 0;
    CHECK(mk_run_experiment(&o, e, &newer.known, &err) == MK_EINPUT && strncmp(err.text, "size: ", 6) == 0 && !o,
          "a size that was left out: %s", err.text);
}

/* Settings of callers who know fewer members than this version, as many, and more. */
static void check_grown_settings(void)
{
    struct known {
        size_t size;
        int first, later;
    } to, from = {offsetof(struct known, later), 1, 2};
    struct mk_error err = {0, ""};
    const size_t oldest = offsetof(struct known, later);
    CHECK(mk_settings_copy(&to, sizeof to, oldest, &from, "known", &err) == MK_OK && to.first == 1 && to.later == 0,
          "settings of version 1.0: what it does not have is 0");
    from.size = sizeof from;
    CHECK(mk_settings_copy(&to, sizeof to, oldest, &from, "known", &err) == MK_OK && to.first == 1 && to.later == 2,
          "settings of this version");
    from.size = oldest - 1;
    CHECK(mk_settings_copy(&to, sizeof to, oldest, &from, "known", &err) == MK_EINPUT &&
              strstr(err.text, "size: expected"),
          "a size of no version: %s", err.text);
}

/* Test scores of recorded runs, in memory and from a file: uniform pulls both arms twice in four rounds. */
static void check_incumbents(struct scratch *s)
{
    static const double reward[] = {.1, .4, .3, 0, .2, .6, .5, 0}, test[] = {1, 2, 3, 0, 4, NAN, 6, 0};
    const size_t size[4] = {1, 2, 1, 4};
    const struct mk_recorded_arrays arrays = {.reward = reward, .test_reward = test};
    char path[400], lines[700];
    struct mk_error err = {0, ""};
    struct mk_result_arrays *o = NULL;
    snprintf(path, sizeof path, "%s/tests.h5", s->dir);
    REQUIRE(mk_rewards_write(path, reward, size, NULL, NULL, &err) == MK_OK, "%s", err.text); /* is replaced */
    REQUIRE(mk_recorded_write(path, &arrays, size, NULL, NULL, &err) == MK_OK, "%s", err.text);
    snprintf(lines, sizeof lines,
             "name: tests\nproblem: {trajectories: %s}\npolicies: [uniform]\nhorizons: [2, 3, 4]\n", path);
    struct mk_experiment *e = experiment(lines);
    REQUIRE(e, "an experiment of arrays");
    snprintf(path, sizeof path, "%s/tests_result.h5", s->dir);
    const struct mk_run_settings settings = {.size = sizeof settings, .result = path};
    for (int file = 0; file < 2; file++) {
        CHECK(mk_run_experiment(&o, e, file ? &settings : NULL, &err) == MK_OK && o->incumbent, "test scores %s",
              err.text);
        CHECK(o->incumbent && o->incumbent[0] == 4 && o->incumbent[1] == 2 && isnan(o->incumbent[2]),
              "of the largest rewards .2, .4 and .6: %g, %g, %g", o->incumbent[0], o->incumbent[1], o->incumbent[2]);
        mk_result_arrays_free(o);
        o = NULL;
    }
    mk_experiment_free(e);
}

static void check_record_refused(void)
{
    struct mk_experiment *e = experiment("name: mean\nproblem: {arms: [{family: uniform, lo: 0, hi: 1}]}\n"
                                         "policies: [{name: ucb}]\nhorizons: [10]\nreplications: 2\n");
    const struct mk_run_settings settings = {.size = sizeof settings, .engine = "record"};
    struct mk_error err = {0, ""};
    struct mk_result_arrays *o = NULL;
    CHECK(e && mk_run_experiment(&o, e, &settings, &err) == MK_EINPUT && strstr(err.text, "ucb") && !o,
          "a policy that needs every reward is not for the record engine: %s", err.text);
    mk_experiment_free(e);
}

static void check_file(struct scratch *s, const struct mk_experiment *e)
{
    char path[400], note[MK_ERROR_TEXT];
    struct mk_error err = {0, ""};
    struct mk_experiment *other = experiment("name: library\nproblem: {arms: [{family: uniform, lo: 0, hi: 1}]}\n"
                                             "policies: [{name: uniform}]\nhorizons: [10]\nreplications: 2\n");
    struct watched w = {.rising = 1};
    struct mk_run_settings settings = {.size = sizeof settings, .result = path, .progress = watch, .context = &w};
    const struct mk_run_settings one = {.size = sizeof one, .result = path, .threads = 1};
    const struct mk_run_settings nowhere = {.size = sizeof nowhere, .result = "/nothing/here/r.h5"};
    struct mk_result_arrays *o = NULL;
    snprintf(path, sizeof path, "%s/r.h5", s->dir);
    CHECK(mk_run_experiment(NULL, e, &settings, &err) == MK_OK && !err.text[0] && w.last == 3000,
          "into a file, with progress %s", err.text);
    CHECK(mk_run_experiment(NULL, e, &one, NULL) == MK_OK, "again: it is there; no place for errors");
    CHECK(other && mk_run_experiment(NULL, other, &one, &err) == MK_OK && strstr(err.text, "r.h5.previous"),
          "another run at the same path: %s", err.text);
    snprintf(note, sizeof note, "%s.previous", path);
    CHECK(access(note, F_OK) == 0, "the earlier result is kept");
    settings = (struct mk_run_settings){.size = sizeof settings, .result = path, .start_over = true};
    CHECK(mk_run_experiment(NULL, e, &settings, &err) == MK_OK && !err.text[0],
          "started over, it is replaced without a word %s", err.text);
    CHECK(mk_run_experiment(NULL, e, &nowhere, NULL) == MK_EINPUT, "a folder that is not there");
    CHECK(mk_run_experiment(&o, e, &one, &err) == MK_OK && o && o->replications == 3000 && o->pulls,
          "the results of the file in memory as well %s", err.text);
    mk_result_arrays_free(o);
    CHECK(mk_run_experiment(NULL, e, NULL, &err) == MK_EINPUT && strncmp(err.text, "result: ", 8) == 0,
          "neither a file nor a place in memory: %s", err.text);
    mk_experiment_free(other);
}

/* A run is stopped by its progress, resumed by the next call, and a request to stop one run does not stop the next. */
static void check_stop(struct scratch *s)
{
    static const char slow[] = "name: slow\n"
                               "problem: {arms: [{family: power, a: 3, s: 1.01}, {family: uniform, lo: 0, hi: 0.9}]}\n"
                               "policies: [{name: max_ucb}]\nhorizons: [2e5]\nreplications: 1000\n";
    struct mk_experiment *e = experiment(slow);
    struct mk_error err = {0, ""};
    struct mk_result_arrays *o = NULL;
    struct watched w = {.stop_at = 1, .rising = 1};
    struct mk_run_settings settings = {
        .size = sizeof settings, .threads = 1, .engine = "per-pull", .progress = watch, .context = &w};
    char path[400];
    snprintf(path, sizeof path, "%s/stopped.h5", s->dir);
    CHECK(mk_run_experiment(&o, e, &settings, &err) == MK_ESTOPPED && !o && w.last < 1000,
          "stopped after %llu of 1000 replications: %s", (unsigned long long)w.last, err.text);
    w = (struct watched){.stop_at = 1, .rising = 1};
    settings.result = path;
    CHECK(mk_run_experiment(NULL, e, &settings, &err) == MK_ESTOPPED && access(path, F_OK) != 0,
          "so is a run into a file, after %llu: %s", (unsigned long long)w.last, err.text);
    w = (struct watched){.rising = 1};
    settings.threads = 2;
    CHECK(mk_run_experiment(NULL, e, &settings, &err) == MK_OK && w.last == 1000 && access(path, F_OK) == 0,
          "the next call completes it %s", err.text);
    mk_stop();
    struct mk_experiment *quick = experiment(text);
    CHECK(quick && mk_run_experiment(&o, quick, NULL, &err) == MK_OK, "mk_stop without a running run stops nothing %s",
          err.text);
    mk_result_arrays_free(o);
    mk_experiment_free(quick);
    mk_experiment_free(e);
}

int main(void)
{
    struct scratch s;
    scratch_make(&s);
    check_start();
    struct mk_experiment *e = experiment(text);
    check_fork(e);
    check_settings(e);
    check_sizes(e);
    check_grown_settings();
    check_record_refused();
    check_incumbents(&s);
    check_file(&s, e);
    mk_experiment_free(e);
    check_stop(&s);
    scratch_remove(&s);
    return CHECK_EXIT;
}
