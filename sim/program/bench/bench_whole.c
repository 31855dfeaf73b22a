/* Whole runs on all cores, timed by the wall clock; analysis on one core, by processor time; memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/theory/lu.h"
#include "analysis/theory/survival.h"
#include "distributions/dist.h"
#include "sim/base/error.h"
#include "sim/base/hash.h"
#include "sim/base/number.h"
#include "sim/base/statistics.h"
#include "sim/program/bench/bench.h"

/* A hash of all results of a run, to compare runs with each other. */
static int digest(void *to, const struct mk_block *block, struct mk_error *err)
{
    struct mk_load *w = to;
    const struct mk_experiment *e = w->experiment;
    size_t cells = e->n_entries * e->n_horizons * (size_t)block->n_units;
    (void)err;
    for (size_t i = 0; i < cells * e->problem->n_arms; i++) w->next = mk_hash_add(w->next, block->pulls[i]);
    for (size_t i = 0; i < cells; i++) w->next = mk_hash_add(w->next, mk_bits_of(block->max_reward[i]));
    return MK_OK;
}

/* Seconds of a whole run; w->next receives the digest of its results. */
static int run_seconds(struct mk_load *w, int threads, double *seconds, struct mk_error *err)
{
    w->next = MK_HASH_START;
    double start = mk_seconds();
    int code = mk_run_all(&w->context, threads, digest, w, NULL, err);
    *seconds = mk_seconds() - start;
    return code;
}

/* Pulls per second of a whole run next to the plain loop, which is on one core. */
static void print_rate(struct mk_bench *b, const char *item, double rate, double plain, double ratio)
{
    const struct mk_bench_row row = mk_bench_rate(item, rate, plain, ratio);
    mk_bench_print(b, &row);
}

int mk_bench_alpha(struct mk_bench *b, struct mk_error *err)
{
    const int replications = b->quick ? 50 : 1000;
    struct mk_load w;
    char text[1024], item[MK_BENCH_ITEM];
    double seconds = 0, plain = mk_plain_w1(b->least);
    snprintf(text, sizeof text,
             "name: w1\n" MK_BENCH_POWER_ARMS "policies: [{name: max_ucb, alpha: {from: 0, to: 2.9, step: 0.1}}]\n"
             "horizons: [1e9]\nreplications: %d\n",
             replications);
    int code = mk_load_init(&w, text, MK_ENGINE_RECORD, err);
    if (!code) code = run_seconds(&w, b->threads, &seconds, err);
    double rate = w.pulls_per_replication * replications / seconds;
    mk_load_clear(&w);
    if (code) return code;
    snprintf(item, sizeof item, "30 alpha x %d replications x T=10^9, %d threads", replications, b->threads);
    struct mk_bench_row row = mk_bench_row(item, seconds, "s");
    if (!b->quick) {
        row.target = "< 5 s on 2 cores";
        row.met = seconds < 5;
    }
    mk_bench_print(b, &row);
    print_rate(b, "the same: equivalent rate", rate, plain, rate / plain);
    return MK_OK;
}

int mk_bench_threads(struct mk_bench *b, struct mk_error *err)
{
    enum { MOST = 64 };
    const int most = b->threads < MOST ? b->threads : MOST;
    const int replications = b->quick ? 200 : 2000;
    double seconds[MOST][MK_BENCH_ROUNDS], plain[MK_BENCH_ROUNDS], gain[MK_BENCH_ROUNDS], rate[MK_BENCH_ROUNDS],
        ratio[MK_BENCH_ROUNDS];
    size_t n = b->rounds;
    struct mk_load w;
    char text[1024], item[MK_BENCH_ITEM];
    uint64_t first = 0;
    int same = 1;
    snprintf(text, sizeof text,
             "name: w1\n" MK_BENCH_POWER_ARMS "policies: [{name: max_ucb}, {name: qomax_sda}, {name: max_median}]\n"
             "horizons: [2000]\nreplications: %d\n",
             replications);
    int code = mk_load_init(&w, text, MK_ENGINE_PER_PULL, err);
    const double pulls = w.pulls_per_replication * replications;
    for (size_t round = 0; round < n && !code; round++) {
        plain[round] = mk_plain_w1(b->least);
        for (int threads = 1; threads <= most && !code; threads++) {
            code = run_seconds(&w, threads, &seconds[threads - 1][round], err);
            if (round == 0 && threads == 1) first = w.next;
            same &= w.next == first;
        }
    }
    mk_load_clear(&w);
    for (int threads = 1; threads <= most && !code; threads++) {
        for (size_t round = 0; round < n; round++) {
            gain[round] = seconds[0][round] / seconds[threads - 1][round];
            rate[round] = pulls / seconds[threads - 1][round];
            ratio[round] = rate[round] / plain[round];
        }
        snprintf(item, sizeof item, "%d thread%s against one, %s", threads, threads > 1 ? "s" : "",
                 same ? "results byte-identical" : "RESULTS DIFFER");
        struct mk_bench_row row = mk_bench_row(item, mk_bench_median(gain, n), "times");
        if (threads == 2) {
            row.target = ">= 1.9, identical";
            row.met = row.value >= 1.9 && same;
        }
        mk_bench_print(b, &row);
        snprintf(item, sizeof item, "%d thread%s: max_ucb, qomax_sda, max_median", threads, threads > 1 ? "s" : "");
        print_rate(b, item, mk_bench_median(rate, n), mk_bench_median(plain, n), mk_bench_median(ratio, n));
    }
    return code;
}

/* ---- analysis ---- */

static int lu_runs(const struct mk_dist *d, size_t runs, struct mk_error *err)
{
    struct mk_lu_runs out;
    return mk_lu_paper_c3_runs(d, 1000, runs, mk_key_text(mk_key_start(), "bench"), &out, err);
}

/* A curve of 1000 points with its band, from a sample. */
static int survival(const struct mk_dist *d, size_t draws, struct mk_error *err)
{
    enum { POINTS = 1000 };
    double x[POINTS], low, high, kept = 0, *value = malloc(draws * sizeof *value);
    struct mk_pcg64 g;
    if (!value) return mk_fail_memory(err, "a sample");
    mk_pcg64_seed(&g, 1, 1);
    d->type->sample(d, &g, draws, value);
    mk_sort_values(value, draws);
    mk_survival_points(d, POINTS, x);
    for (size_t i = 0; i < POINTS; i++) {
        double share = mk_survival_empirical(value, draws, x[i]);
        mk_survival_band(share, draws, 0.95, &low, &high);
        kept += low + high;
    }
    free(value);
    return kept > 0 ? MK_OK : mk_fail(err, MK_ENUM, "an empty survival curve");
}

/* E[M(n)] for n = 1, 10 … last. */
static int expected_max(const struct mk_dist *d, size_t last, struct mk_error *err)
{
    int code = MK_OK;
    double value;
    for (double n = 1; n <= (double)last && !code; n *= 10) code = mk_dist_expected_max_quadrature(d, n, &value, err);
    return code;
}

int mk_bench_analysis(struct mk_bench *b, struct mk_error *err)
{
    static const struct {
        int (*run)(const struct mk_dist *d, size_t size, struct mk_error *err);
        double (*plain)(size_t size); /* units of work per second */
        const char *unit;
        double scale; /* units of work of one in `unit` */
        struct {
            const char *item;
            size_t size;
            double work; /* units of it */
        } form[2];       /* the whole, the quick one */
    } job[] = {
        {lu_runs,
         mk_plain_lu,
         "M draws/s",
         1e6,
         {{"L and U, 1000 runs of 1000 draws", 1000, 1e6}, {"L and U, 100 runs of 1000 draws", 100, 1e5}}},
        {survival,
         mk_plain_survival,
         "M draws/s",
         1e6,
         {{"survival curve with band, 10^6 draws", 1000000, 1e6},
          {"survival curve with band, 10^5 draws", 100000, 1e5}}},
        {expected_max,
         mk_plain_expected_max,
         "values/s",
         1,
         {{"exact E[M(n)], n = 1, 10 … 10^12, by quadrature", 1000000000000, 13},
          {"exact E[M(n)], n = 1 … 10^3, by quadrature", 1000, 4}}},
    };
    const size_t n = b->rounds, form = b->quick != 0;
    struct mk_dist *d = NULL;
    int code = mk_dist_make(&d, "truncated_gaussian", err, 0.5, 0.2, 0.0, 1.0);
    for (size_t i = 0; i < sizeof job / sizeof *job && !code; i++) {
        double seconds[MK_BENCH_ROUNDS], rate[MK_BENCH_ROUNDS], plain[MK_BENCH_ROUNDS], ratio[MK_BENCH_ROUNDS];
        for (size_t j = 0; j < n && !code; j++) {
            plain[j] = job[i].plain(job[i].form[form].size) / job[i].scale;
            double start = mk_cpu_seconds();
            code = job[i].run(d, job[i].form[form].size, err);
            seconds[j] = mk_cpu_seconds() - start;
            rate[j] = job[i].form[form].work / job[i].scale / seconds[j];
            ratio[j] = rate[j] / plain[j];
        }
        if (code) break;
        struct mk_bench_row row = mk_bench_row(job[i].form[form].item, mk_bench_median(seconds, n), "s");
        if (!b->quick) {
            row.target = "< 1 s";
            row.met = row.value < 1;
        }
        mk_bench_print(b, &row);
        row = mk_bench_row("the same: rate", mk_bench_median(rate, n), job[i].unit);
        row.plain = mk_bench_median(plain, n);
        row.ratio = mk_bench_median(ratio, n);
        mk_bench_print(b, &row);
    }
    mk_dist_free(d);
    return code;
}

/* ---- memory ---- */

/* Peak resident memory in MB of a process of its own that plays one replication. */
static int peak_memory(const char *text, enum mk_engine engine, double *peak, struct mk_error *err)
{
    struct rusage usage;
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct mk_load w;
        int code = mk_load_init(&w, text, engine, err);
        if (!code) mk_load_play(&w, 1);
        _exit(code ? 1 : 0);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status)
        return mk_fail(err, MK_EFAIL, "a process to measure memory in failed");
    *peak = (double)usage.ru_maxrss / 1024;
    return MK_OK;
}

int mk_bench_memory(struct mk_bench *b, struct mk_error *err)
{
    static const struct {
        const char *policy, *horizon;
        enum mk_engine engine;
    } job[] = {
        {"max_ucb", "1e3", MK_ENGINE_RECORD},        {"max_ucb", "1e12", MK_ENGINE_RECORD},
        {"max_ucb", "1e3", MK_ENGINE_PER_PULL},      {"max_ucb", "1e6", MK_ENGINE_PER_PULL},
        {"quantile_ucb", "1e6", MK_ENGINE_PER_PULL}, {"qomax_sda", "1e6", MK_ENGINE_PER_PULL},
    };
    for (size_t i = 0; i < sizeof job / sizeof *job; i++) {
        char text[1024], item[MK_BENCH_ITEM];
        double peak = 0;
        snprintf(text, sizeof text, "name: w1\n" MK_BENCH_POWER_ARMS "policies: [{name: %s}]\nhorizons: [%s]\n",
                 job[i].policy, job[i].horizon);
        int code = peak_memory(text, job[i].engine, &peak, err);
        if (code) return code;
        snprintf(item, sizeof item, "%s, T=%s, %s engine: peak of a process", job[i].policy, job[i].horizon,
                 job[i].engine == MK_ENGINE_RECORD ? "record" : "per-pull");
        mk_bench_print_value(b, item, peak, "MB", INFINITY);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    mk_bench_print_value(b, "this benchmark: peak up to here", (double)usage.ru_maxrss / 1024, "MB", INFINITY);
    return MK_OK;
}
