/* The estimate of a run's memory against the peak of a separate process: never less, and less than 1.5 times as much.
 * Reward tapes that are kept to a limit give the same rewards. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/program/bench/bench.h"
#include "sim/run/durable/durable_run.h"
#include "sim/run/durable/memory_estimate.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"

static struct scratch scratch;

/* Runs the experiment and returns the estimate made before it, in bytes; negative: it failed. */
static double run(const char *text, int threads)
{
    struct mk_error err;
    struct mk_experiment *e = NULL;
    struct mk_truth *f = NULL;
    struct mk_run_context c = {0};
    struct mk_run_report done;
    struct mk_mpi alone = {.count = 1, .here = 1};
    char path[128];
    snprintf(path, sizeof path, "%s/run.h5", scratch.dir);
    const struct mk_durable_options how = {
        .path = path, .force = 1, .threads = threads, .command_line = "test", .ranks = &alone};
    int code = mk_experiment_parse(&e, "test", text, strlen(text), MK_NEED_PROBLEM | MK_NEED_RUN, &err);
    if (!code) code = mk_truth_new(&f, e->problem, e->horizon, e->n_horizons, e->replications, &err);
    if (!code) code = mk_run_context_init(&c, e, f, &err);
    if (!code) code = mk_run_choose(&c, MK_ENGINE_AUTO, &err);
    if (code) return -1;
    const struct mk_memory_estimate m = mk_memory_estimate(&c, threads);
    mk_run_context_clear(&c);
    mk_truth_free(f);
    code = mk_durable_run(e, &how, &done, &err);
    mk_experiment_free(e);
    return code ? -1 : mk_memory_estimate_all(&m);
}

static void check(const char *what, const char *text, int threads)
{
    struct rusage usage;
    double estimate = -1;
    int to[2], status = 1;
    pid_t child;
    if (pipe(to) || (child = fork()) < 0) {
        CHECK(0, "a process for %s", what);
        return;
    }
    if (child == 0) {
        estimate = run(text, threads);
        _exit(write(to[1], &estimate, sizeof estimate) != sizeof estimate);
    }
    close(to[1]);
    int whole = read(to[0], &estimate, sizeof estimate) == sizeof estimate;
    close(to[0]);
    if (wait4(child, &status, 0, &usage) != child || status || !whole || estimate < 0) {
        CHECK(0, "%s: the run", what);
        return;
    }
    const double peak = (double)usage.ru_maxrss * 1024;
    CHECK(estimate >= peak && estimate <= 1.5 * peak, "%s, threads %d: at most %.0f MB, measured %.0f MB", what,
          threads, estimate / 1e6, peak / 1e6);
}

/* A run that is not carried out. */
struct planned {
    struct mk_experiment *e;
    struct mk_truth *f;
    struct mk_run_context c;
};

static void plan(struct planned *p, const char *text, enum mk_engine engine)
{
    struct mk_error err = {0, ""};
    *p = (struct planned){NULL};
    int code = mk_experiment_parse(&p->e, "test", text, strlen(text), MK_NEED_PROBLEM | MK_NEED_RUN, &err);
    if (!code) code = mk_truth_new(&p->f, p->e->problem, p->e->horizon, p->e->n_horizons, p->e->replications, &err);
    if (!code) code = mk_run_context_init(&p->c, p->e, p->f, &err);
    if (!code) code = mk_run_choose(&p->c, engine, &err);
    REQUIRE(!code, "an experiment: %s", err.text);
}

static void drop(struct planned *p)
{
    mk_run_context_clear(&p->c);
    mk_truth_free(p->f);
    mk_experiment_free(p->e);
}

/* Of rows of 3 counts up to 10^5, which fit into 3 of 8 bytes, and a reward: 3 * 3 + 8 of 32 bytes are left when zeros
 * are deflated. Two blocks of them and a deflated one. */
static void check_block(void)
{
    static const char text[] =
        "name: block\nproblem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: "
        "2}, {family: uniform, lo: 0, hi: 3}]}\npolicies: [uniform, random]\nhorizons: [100000]\n"
        "replications: 5\n";
    struct planned p;
    plan(&p, text, MK_ENGINE_PER_PULL);
    const double units = (double)mk_run_block_units(&p.c, 5, 1), bytes = units * 2 * 32;
    CHECK(mk_memory_estimate(&p.c, 1).block == (2 + 17.0 / 32) * bytes, "blocks of %g units: %g bytes", units,
          mk_memory_estimate(&p.c, 1).block);
    drop(&p);
}

/* Histories of 10^12 rewards are the policy's, not those of the replications. */
static void check_advice(void)
{
    static const char text[] =
        "name: advice\nproblem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, "
        "hi: 2}]}\npolicies: [max_median]\nhorizons: [1e12]\nreplications: 5\n";
    struct mk_error err;
    struct planned p;
    plan(&p, text, MK_ENGINE_AUTO);
    const struct mk_memory_estimate m = mk_memory_estimate(&p.c, 1);
    CHECK(m.states > m.tapes && mk_memory_estimate_check(&p.c, 1, &err) == MK_EINPUT &&
              strstr(err.text, "use fewer threads (-j) or shorter horizons"),
          "tapes %g, states %g: %s", m.tapes, m.states, err.text);
    drop(&p);
}

static void check_runs(void)
{
    static const char tape[] = MK_BENCH_POWER_ARMS
        "policies: [{name: threshold_ascent}, {name: ucb}, {name: successive_halving}, {name: rising_bandit}]\n"
        "replications: 8\n";
    static const char *const horizon[] = {"1e5", "1e6"};
    static char text[8 << 20]; /* of 10^5 arms */
    for (size_t h = 0; h < sizeof horizon / sizeof *horizon; h++)
        for (int threads = 1; threads <= 4; threads *= 2) {
            char what[64];
            snprintf(text, sizeof text, "name: tapes\n%shorizons: [%s]\n", tape, horizon[h]);
            snprintf(what, sizeof what, "reward tapes at T = %s", horizon[h]);
            check(what, text, threads);
        }
    snprintf(
        text, sizeof text,
        "name: values\n" MK_BENCH_POWER_ARMS
        "policies: [{name: max_ucb, alpha: {from: 0.001, to: 1, step: 0.001}}]\nhorizons: [200]\nreplications: 20\n");
    check("a sweep of 1000 values", text, 2);
    snprintf(text, sizeof text,
             "name: full\n" MK_BENCH_POWER_ARMS
             "policies: [{name: max_ucb}, {name: ucb}]\nhorizons: [100, 200]\nreplications: 100000\n");
    check("100,000 replications", text, 2);
    strcat(text, "keep: summary\n");
    check("100,000 replications, keep: summary", text, 2);
    char *end = stpcpy(text, "name: arms\npolicies: [{name: uniform}, {name: ucb}]\nhorizons: [1e5]\n"
                             "replications: 8\nkeep: summary\nproblem:\n  arms:\n");
    for (int k = 0; k < 100000; k++) end += sprintf(end, "    - {family: uniform, lo: 0, hi: %.6f}\n", 0.5 + k * 1e-6);
    check("10^5 arms", text, 2);
}

/* Two policies, one after the other on one tape, the second favouring another arm: beyond the limit the first arm is
 * dropped. */
static void check_limit(void)
{
    enum { T = 20000, LIMIT = 26000 };
    static const char text[] = "name: t\n" MK_BENCH_POWER_ARMS;
    struct mk_error err;
    struct mk_experiment *e = NULL;
    struct mk_reward_tape *tape = NULL, *whole = NULL;
    uint64_t pulls[5] = {0}, most = 0, differ = 0;
    int code = mk_experiment_parse(&e, "test", text, strlen(text), MK_NEED_PROBLEM, &err);
    if (!code) code = mk_reward_tape_new(&tape, e->problem, 7, &err);
    if (!code) code = mk_reward_tape_new(&whole, e->problem, 7, &err);
    if (!code) mk_reward_tape_limit(tape, LIMIT, pulls);
    for (uint64_t replication = 0; replication < 3 && !code; replication++) {
        mk_reward_tape_seek(tape, 0, replication);
        mk_reward_tape_seek(whole, 0, replication);
        for (size_t policy = 0; policy < 5; policy++) {
            memset(pulls, 0, sizeof pulls);
            for (uint64_t t = 0; t < T; t++) {
                const size_t arm = t % 8 ? policy : t / 8 % 5;
                differ += mk_reward_tape_reward(tape, arm, pulls[arm]) != mk_reward_tape_reward(whole, arm, pulls[arm]);
                pulls[arm]++;
                if (tape->written > most) most = tape->written;
            }
        }
    }
    CHECK(!code && differ == 0, "a limited tape gives the same rewards");
    CHECK(!code && most <= LIMIT && whole->written > 3 * T, "it holds %llu of at most %d, without a limit %llu",
          (unsigned long long)most, LIMIT, code ? 0 : (unsigned long long)whole->written);
    CHECK(mk_reward_tape_most(T, 5) > mk_reward_tape_need(T, 5), "there is room for one policy");
    mk_reward_tape_free(whole);
    mk_reward_tape_free(tape);
    mk_experiment_free(e);
}

int main(void)
{
    scratch_make(&scratch);
    check_limit();
    check_block();
    check_advice();
    if (SANITIZED)
        SKIP("memory is that of the ordinary build");
    else
        check_runs();
    scratch_remove(&scratch);
    return CHECK_EXIT;
}
