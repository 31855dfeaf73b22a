#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/program/bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double mk_cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double mk_bench_median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, mk_compare_reals);
    return x[n / 2];
}

void mk_load_clear(struct mk_load *w)
{
    mk_worker_free(w->worker);
    mk_run_context_clear(&w->context);
    mk_truth_free(w->truth);
    mk_experiment_free(w->experiment);
    free(w->pulls);
    free(w->max_reward);
    memset(w, 0, sizeof *w);
}

int mk_load_init(struct mk_load *w, const char *text, enum mk_engine engine, struct mk_error *err)
{
    return mk_load_init_from(w, text, engine, 0, err);
}

int mk_load_init_from(struct mk_load *w, const char *text, enum mk_engine engine, size_t tournament_from,
                      struct mk_error *err)
{
    memset(w, 0, sizeof *w);
    int code = mk_experiment_parse(&w->experiment, "bench", text, strlen(text), MK_NEED_PROBLEM | MK_NEED_RUN, err);
    const struct mk_experiment *e = w->experiment;
    if (!code) code = mk_truth_new(&w->truth, e->problem, e->horizon, e->n_horizons, 1, err);
    if (!code) code = mk_run_context_init(&w->context, e, w->truth, err);
    if (!code) w->context.tournament_from = tournament_from;
    if (!code) code = mk_run_choose(&w->context, engine, err);
    if (!code) code = mk_worker_new(&w->worker, &w->context, err);
    if (code) return code;
    w->pulls = malloc(e->n_horizons * e->problem->n_arms * sizeof *w->pulls);
    w->max_reward = malloc(e->n_horizons * sizeof *w->max_reward);
    w->pulls_per_replication = (double)e->n_entries * (double)e->horizon[e->n_horizons - 1];
    return w->pulls && w->max_reward ? MK_OK : mk_fail_memory(err, "the benchmark");
}

void mk_load_play(struct mk_load *w, uint64_t count)
{
    const struct mk_experiment *e = w->experiment;
    const struct mk_play_rows rows = {w->pulls, e->problem->n_arms, w->max_reward, 1};
    for (uint64_t i = 0; i < count; i++) {
        mk_worker_seek(w->worker, 0, w->next++);
        for (size_t k = 0; k < e->n_entries; k++) mk_worker_play(w->worker, k, 0, e->n_horizons - 1, &rows, NULL);
    }
}

double mk_load_rate(struct mk_load *w, double least)
{
    double start = mk_cpu_seconds(), passed;
    uint64_t done = 0, batch = 1;
    do {
        mk_load_play(w, batch);
        done += batch;
        passed = mk_cpu_seconds() - start;
        if (passed < 0.1 * least) batch *= 2; /* few calls of the clock */
    } while (passed < least);
    return (double)done * w->pulls_per_replication / passed;
}
