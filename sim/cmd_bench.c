/* maxk bench: rates, each also as a ratio to a plain scalar loop timed in the same run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/command.h"
#include "sim/options.h"
#include "sim/run.h"

enum { ROUNDS = 5 };

#define E4_POWER_ARMS                                                                             \
    "problem: {arms: [{family: power, a: 3, s: 1.01}, {family: power, a: 4, s: 1.01}, "           \
    "{family: power, a: 5, s: 1.01}, {family: power, a: 5, s: 1.1}, {family: power, a: 4, s: 1}]}\n"

static const char w1_text[] = "name: w1\n" E4_POWER_ARMS "policies: [{name: max_ucb, alpha: 0.5}]\nhorizons: [2000]\n";
static const char sweep_text[] =
    "name: w1\n" E4_POWER_ARMS "policies: [{name: max_ucb, alpha: {from: 0, to: 2.9, step: 0.1}}]\nhorizons: [2000]\n";

/* One workload: an experiment played by one thread. */
struct workload {
    struct mk_experiment *experiment;
    struct mk_facts *facts;
    struct mk_run_context context;
    struct mk_worker *worker;
    uint64_t *pulls;
    double *max_reward;
    double pulls_per_replication;
    uint64_t next; /* replication */
};

static void workload_clear(struct workload *w)
{
    mk_worker_free(w->worker);
    mk_run_context_clear(&w->context);
    mk_facts_free(w->facts);
    mk_experiment_free(w->experiment);
    free(w->pulls);
    free(w->max_reward);
    memset(w, 0, sizeof *w);
}

static int workload_init(struct workload *w, const char *text, struct mk_error *err)
{
    memset(w, 0, sizeof *w);
    int code = mk_experiment_parse(&w->experiment, "bench", text, strlen(text), MK_NEED_PROBLEM | MK_NEED_RUN, err);
    const struct mk_experiment *e = w->experiment;
    if (!code) code = mk_facts_new(&w->facts, e->problem, e->horizon, e->n_horizons, 1, err);
    if (!code) code = mk_run_context_init(&w->context, e, w->facts, err);
    if (!code) code = mk_worker_new(&w->worker, &w->context, err);
    if (code) return code;
    w->pulls = malloc(e->n_horizons * e->problem->n_arms * sizeof *w->pulls);
    w->max_reward = malloc(e->n_horizons * sizeof *w->max_reward);
    w->pulls_per_replication = (double)e->n_entries * (double)e->horizon[e->n_horizons - 1];
    return w->pulls && w->max_reward ? MK_OK : mk_fail_memory(err, "the benchmark");
}

/* Pulls a second over at least `least` seconds. */
static double workload_rate(struct workload *w, double least)
{
    const struct mk_experiment *e = w->experiment;
    double start = mk_seconds(), passed;
    uint64_t done = 0;
    do {
        for (int i = 0; i < 50; i++, done++) {
            mk_worker_seek(w->worker, 0, w->next++);
            for (size_t k = 0; k < e->n_entries; k++)
                mk_worker_play(w->worker, k, 0, e->n_horizons - 1, w->pulls, e->problem->n_arms, w->max_reward, 1, NULL);
        }
        passed = mk_seconds() - start;
    } while (passed < least);
    return (double)done * w->pulls_per_replication / passed;
}

/* The yardstick: MaxUCB on the same arms as a plain scalar loop, as one would write it first. */
static double plain_rate(double least)
{
    enum { K = 5, T = 2000 };
    static const double a[K] = {3, 4, 5, 5, 4}, s[K] = {1.01, 1.01, 1.01, 1.1, 1};
    struct mk_pcg64 g;
    double start = mk_seconds(), passed, scale[K], best[K], kept = 0;
    uint64_t done = 0;
    mk_pcg64_seed(&g, 1, 1);
    for (int k = 0; k < K; k++) scale[k] = pow(s[k], -a[k]);
    do {
        for (int i = 0; i < 50; i++, done++) {
            double n[K];
            for (int t = 1; t <= T; t++) {
                int arm = t - 1;
                if (t > K) {
                    double l = 0.5 * log(t), top = -1;
                    for (int k = 0; k < K; k++) {
                        double bonus = l / n[k], index = best[k] + bonus * bonus;
                        if (index > top) {
                            top = index;
                            arm = k;
                        }
                    }
                } else {
                    n[arm] = 0;
                    best[arm] = 0;
                }
                double x = pow(mk_uniform(&g), 1 / a[arm]) * scale[arm];
                n[arm]++;
                if (x > best[arm]) best[arm] = x;
            }
            kept += n[4];
        }
        passed = mk_seconds() - start;
    } while (passed < least);
    return kept > 0 ? (double)done * T / passed : 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, ascending);
    return x[n / 2];
}

static int bench_row(const char *name, const char *text, double least, struct mk_error *err)
{
    struct workload w;
    double rate[ROUNDS], plain[ROUNDS], ratio[ROUNDS];
    int code = workload_init(&w, text, err);
    for (int i = 0; i < ROUNDS && !code; i++) {
        plain[i] = plain_rate(least);
        rate[i] = workload_rate(&w, least);
        ratio[i] = rate[i] / plain[i];
    }
    workload_clear(&w);
    if (code) return code;
    printf("%-44s %10.1f %10.1f %8.2f\n", name, 1e-6 * median(rate, ROUNDS), 1e-6 * median(plain, ROUNDS),
           median(ratio, ROUNDS));
    return MK_OK;
}

int mk_cmd_bench(int argc, char **argv, struct mk_error *err)
{
    double least = 0.3;
    const struct mk_option options[] = {
        {"seconds", 0, MK_OPT_REAL, &least, "S", NULL, 0.01, 60, "least time of one measurement (default 0.3)"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, -1, NULL},
    };
    const struct mk_usage usage = {
        "bench", NULL,
        "Measures pulls per second on one core, median of five, beside a plain scalar loop (MaxUCB on the same arms,\n"
        "T = 2000) timed in turn with it in the same run. A pull is choose, draw and update.",
        0, 0};
    char **operand;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (code) return code;
    printf("%-44s %10s %10s %8s\n", "workload (one core)", "M pulls/s", "plain loop", "ratio");
    code = bench_row("W1: max_ucb, e4_power arms, T=2000", w1_text, least, err);
    if (!code) code = bench_row("sweep of 30 alpha values on one tape", sweep_text, least, err);
    return code;
}
