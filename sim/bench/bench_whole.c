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
#include "sim/base/statistics.h"
#include "sim/bench/bench.h"

enum { MOST_ROUNDS = 9, ITEM = 96 };

/* A hash of all results of a run, to compare runs with each other. */
static int digest(void *to, const struct mk_block *block, struct mk_error *err)
{
    struct mk_load *w = to;
    const struct mk_experiment *e = w->experiment;
    size_t cells = e->n_entries * e->n_horizons * (size_t)block->n_units;
    (void)err;
    for (size_t i = 0; i < cells * e->problem->n_arms; i++) w->next = mk_hash_add(w->next, block->pulls[i]);
    for (size_t i = 0; i < cells; i++) {
        uint64_t bits;
        memcpy(&bits, &block->max_reward[i], sizeof bits);
        w->next = mk_hash_add(w->next, bits);
    }
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
static void print_rate(struct mk_bench *b, const char *section, const char *item, double rate, double plain,
                       double ratio)
{
    struct mk_bench_row row = {section, item, 1e-6 * rate, "M pulls/s", 1e-6 * plain, ratio, NAN, NAN, "", -1};
    mk_bench_print(b, &row);
}

int mk_bench_alpha(struct mk_bench *b, const char *section, struct mk_error *err)
{
    const int replications = b->quick ? 50 : 1000;
    struct mk_load w;
    char text[1024], item[ITEM];
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
    struct mk_bench_row row = {section, item, seconds, "s", NAN, NAN, NAN, NAN, "", -1};
    if (!b->quick) {
        row.target = "< 5 s on 2 cores";
        row.met = seconds < 5;
    }
    mk_bench_print(b, &row);
    print_rate(b, section, "the same: equivalent rate", rate, plain, rate / plain);
    return MK_OK;
}

int mk_bench_threads(struct mk_bench *b, const char *section, struct mk_error *err)
{
    enum { MOST = 64 };
    const int most = b->threads < MOST ? b->threads : MOST;
    const int replications = b->quick ? 200 : 2000;
    double seconds[MOST][MOST_ROUNDS], plain[MOST_ROUNDS], gain[MOST_ROUNDS], rate[MOST_ROUNDS], ratio[MOST_ROUNDS];
    size_t n = (size_t)(b->rounds < MOST_ROUNDS ? b->rounds : MOST_ROUNDS);
    struct mk_load w;
    char text[1024], item[ITEM];
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
        struct mk_bench_row row = {section, item, mk_bench_median(gain, n), "times", NAN, NAN, NAN, NAN, "", -1};
        if (threads == 2) {
            row.target = ">= 1.9, identical";
            row.met = row.value >= 1.9 && same;
        }
        mk_bench_print(b, &row);
        snprintf(item, sizeof item, "%d thread%s: max_ucb, qomax_sda, max_median", threads, threads > 1 ? "s" : "");
        print_rate(b, section, item, mk_bench_median(rate, n), mk_bench_median(plain, n), mk_bench_median(ratio, n));
    }
    return code;
}

/* ---- analysis ---- */

static size_t lu_samples(int quick)
{
    return quick ? 100 : 1000;
}

static int lu_runs(const struct mk_dist *d, int quick, struct mk_error *err)
{
    struct mk_lu_runs out;
    return mk_lu_paper_c3_runs(d, 1000, lu_samples(quick), mk_key_text(mk_key_start(), "bench"), &out, err);
}

static double lu_plain(int quick)
{
    return mk_plain_lu(lu_samples(quick));
}

static size_t survival_draws(int quick)
{
    return quick ? 100000 : 1000000;
}

/* A curve of 1000 points with its band, from a sample of a million. */
static int survival(const struct mk_dist *d, int quick, struct mk_error *err)
{
    enum { POINTS = 1000 };
    const size_t n = survival_draws(quick);
    double x[POINTS], low, high, kept = 0, *value = malloc(n * sizeof *value);
    struct mk_pcg64 g;
    if (!value) return mk_fail_memory(err, "a sample");
    mk_pcg64_seed(&g, 1, 1);
    d->type->sample(d, &g, n, value);
    mk_sort_values(value, n);
    mk_survival_points(d, POINTS, x);
    for (size_t i = 0; i < POINTS; i++) {
        double share = mk_survival_empirical(value, n, x[i]);
        mk_survival_band(share, n, 0.95, &low, &high);
        kept += low + high;
    }
    free(value);
    return kept > 0 ? MK_OK : mk_fail(err, MK_ENUM, "an empty survival curve");
}

static double survival_plain(int quick)
{
    return mk_plain_survival(survival_draws(quick));
}

static double last_n(int quick)
{
    return quick ? 1e3 : 1e12;
}

static int expected_max(const struct mk_dist *d, int quick, struct mk_error *err)
{
    int code = MK_OK;
    double value;
    for (double n = 1; n <= last_n(quick) && !code; n *= 10) code = mk_dist_expected_max_quadrature(d, n, &value, err);
    return code;
}

static double expected_max_plain(int quick)
{
    return mk_plain_expected_max(last_n(quick));
}

int mk_bench_analysis(struct mk_bench *b, const char *section, struct mk_error *err)
{
    static const struct {
        const char *item, *quick, *unit;
        int (*run)(const struct mk_dist *d, int quick, struct mk_error *err);
        double (*plain)(int quick);     /* units of work per second */
        double work, quick_work, scale; /* units of work; of one in `unit` */
    } job[] = {
        {"L and U, 1000 runs of 1000 draws", "L and U, 100 runs of 1000 draws", "M draws/s", lu_runs, lu_plain, 1e6,
         1e5, 1e6},
        {"survival curve with band, 10^6 draws", "survival curve with band, 10^5 draws", "M draws/s", survival,
         survival_plain, 1e6, 1e5, 1e6},
        {"exact E[M(n)], n = 1, 10 … 10^12, by quadrature", "exact E[M(n)], n = 1 … 10^3, by quadrature", "values/s",
         expected_max, expected_max_plain, 13, 4, 1},
    };
    struct mk_dist *d = NULL;
    int code = mk_dist_make(&d, "truncated_gaussian", err, 0.5, 0.2, 0.0, 1.0);
    for (size_t i = 0; i < sizeof job / sizeof *job && !code; i++) {
        double seconds[MOST_ROUNDS], rate[MOST_ROUNDS], plain[MOST_ROUNDS], ratio[MOST_ROUNDS];
        size_t n = (size_t)(b->rounds < MOST_ROUNDS ? b->rounds : MOST_ROUNDS);
        for (size_t j = 0; j < n && !code; j++) {
            plain[j] = job[i].plain(b->quick) / job[i].scale;
            double start = mk_cpu_seconds();
            code = job[i].run(d, b->quick, err);
            seconds[j] = mk_cpu_seconds() - start;
            rate[j] = (b->quick ? job[i].quick_work : job[i].work) / job[i].scale / seconds[j];
            ratio[j] = rate[j] / plain[j];
        }
        if (code) break;
        struct mk_bench_row row = {
            section, b->quick ? job[i].quick : job[i].item, mk_bench_median(seconds, n), "s", NAN, NAN, NAN, NAN, "",
            -1};
        if (!b->quick) {
            row.target = "< 1 s";
            row.met = row.value < 1;
        }
        mk_bench_print(b, &row);
        row = (struct mk_bench_row){section,
                                    "the same: rate",
                                    mk_bench_median(rate, n),
                                    job[i].unit,
                                    mk_bench_median(plain, n),
                                    mk_bench_median(ratio, n),
                                    NAN,
                                    NAN,
                                    "",
                                    -1};
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

int mk_bench_memory(struct mk_bench *b, const char *section, struct mk_error *err)
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
        char text[1024], item[ITEM];
        double peak = 0;
        snprintf(text, sizeof text, "name: w1\n" MK_BENCH_POWER_ARMS "policies: [{name: %s}]\nhorizons: [%s]\n",
                 job[i].policy, job[i].horizon);
        int code = peak_memory(text, job[i].engine, &peak, err);
        if (code) return code;
        snprintf(item, sizeof item, "%s, T=%s, %s engine: peak of a process", job[i].policy, job[i].horizon,
                 job[i].engine == MK_ENGINE_RECORD ? "record" : "per-pull");
        struct mk_bench_row row = {section, item, peak, "MB", NAN, NAN, NAN, NAN, "", -1};
        mk_bench_print(b, &row);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    struct mk_bench_row row = {
        section, "this benchmark: peak up to here", (double)usage.ru_maxrss / 1024, "MB", NAN, NAN, NAN, NAN, "", -1};
    mk_bench_print(b, &row);
    return MK_OK;
}
