/* All searches of an experiment without policies: the same bits for any number of threads, as rows of a CSV file and as
 * recorded rewards; every evaluation is a step of the progress. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/run/engine/run.h"
#include "sim/run/engine/run_searches.h"
#include "tests/support/check.h"

enum { ARMS = 2, COMBINED = 1, INSTANCES = 2, REPLICATIONS = 5, BUDGET = 12 };

static const char text[] = "problem:\n"
                           "  instances: 2\n"
                           "  searches:\n"
                           "    - {repeat: 2, objective: {name: cash, arm: '{i}', noise: 0.1}, optimizer: tpe}\n"
                           "combined: [{optimizer: random}]\n"
                           "horizons: [12]\n"
                           "replications: 5\n";

static struct mk_experiment *parse(const char *of)
{
    struct mk_error err = {0, ""};
    struct mk_experiment *e = NULL;
    const int code = mk_experiment_parse(&e, "e.yaml", of, strlen(of), MK_NEED_PROBLEM, &err);
    CHECK(!code, "experiment: %s", err.text);
    return e;
}

struct rows {
    char *text;
    size_t length, calls;
};

static int take(void *to, const char *row, size_t length, struct mk_error *err)
{
    struct rows *r = to;
    char *grown = realloc(r->text, r->length + length + 1);
    if (!grown) return mk_fail_memory(err, "rows");
    memcpy(grown + r->length, row, length);
    r->text = grown;
    r->length += length;
    r->text[r->length] = 0;
    r->calls++;
    return MK_OK;
}

static size_t count_lines(const char *of)
{
    size_t n = 0;
    for (; *of; of++) n += *of == '\n';
    return n;
}

static struct rows record(int threads, uint64_t *done, uint64_t *total)
{
    struct mk_error err = {0, ""};
    struct mk_progress progress = {0};
    struct rows r = {0};
    struct mk_experiment *e = parse(text);
    const int code = e ? mk_record_searches(e, threads, 17, &progress, take, &r, &err) : MK_EFAIL;
    CHECK(!code, "recorded: %s", err.text);
    *done = progress.done;
    *total = progress.total;
    mk_experiment_free(e);
    return r;
}

static void check_record(void)
{
    const uint64_t all = INSTANCES * REPLICATIONS * (ARMS + COMBINED) * BUDGET;
    uint64_t done, total;
    struct rows one = record(1, &done, &total), three = record(3, &done, &total);
    CHECK(one.text && three.text && strcmp(one.text, three.text) == 0, "3 threads write what 1 writes");
    CHECK(one.text && count_lines(one.text) == 1 + all, "a row for every evaluation");
    CHECK(done == all && total == all, "each is a step of the progress: %" PRIu64 " of %" PRIu64, done, total);
    free(one.text);
    free(three.text);
}

/* The rewards of both instances, or NULL. */
static struct mk_experiment *run(int threads, struct mk_progress *progress)
{
    struct mk_error err = {0, ""};
    struct mk_experiment *e = parse(text);
    const int code = e ? mk_run_searches(e, threads, progress, &err) : MK_EFAIL;
    CHECK(!code, "run: %s", err.text);
    return e;
}

static void check_run(void)
{
    struct mk_progress progress = {0};
    struct mk_experiment *one = run(1, &progress), *three = run(3, NULL);
    size_t differ = 0;
    CHECK(one->problem->source == &mk_source_trajectories, "searches become recorded rewards");
    CHECK(progress.done == progress.total && progress.done == INSTANCES * REPLICATIONS * (ARMS + COMBINED) * BUDGET,
          "every evaluation is a step");
    for (size_t i = 0; i < INSTANCES; i++)
        for (size_t k = 0; k < ARMS; k++)
            for (uint64_t r = 0; r < REPLICATIONS; r++) {
                const struct mk_series *a = mk_problem_series(one->problem, i, k, r),
                                       *b = mk_problem_series(three->problem, i, k, r);
                differ += a->length != BUDGET || memcmp(a->reward, b->reward, BUDGET * sizeof *a->reward) != 0;
            }
    CHECK(differ == 0, "the same bits on 3 threads: %zu series differ", differ);
    mk_experiment_free(one);
    mk_experiment_free(three);
}

static void check_refusals(void)
{
    struct mk_error err = {0, ""};
    struct rows r = {0};
    struct mk_experiment *e = parse("problem: {searches: [{objective: branin, optimizer: random}]}\n");
    CHECK(mk_run_searches(e, 1, NULL, &err) == MK_EINPUT && strstr(err.text, "horizons: missing"), "no horizons: %s",
          err.text);
    mk_experiment_free(e);
    e = parse("problem: {arms: [{family: uniform, lo: 0, hi: 1}]}\nhorizons: [10]\n");
    CHECK(mk_run_searches(e, 1, NULL, &err) == MK_OK && e->problem->source == &mk_source_arms, "arms are left alone");
    CHECK(mk_record_searches(e, 1, 17, NULL, take, &r, &err) == MK_EINPUT && r.calls == 0, "and not recorded: %s",
          err.text);
    mk_experiment_free(e);
    e = parse(text);
    mk_run_stop();
    CHECK(mk_run_searches(e, 2, NULL, &err) == MK_ESTOPPED && e->problem->source == &mk_source_searches, "stopped: %s",
          err.text);
    mk_run_stop_reset();
    CHECK(mk_run_searches(e, 2, NULL, &err) == MK_OK, "and run after all: %s", err.text);
    mk_experiment_free(e);
}

int main(void)
{
    check_record();
    check_run();
    check_refusals();
    return CHECK_EXIT;
}
