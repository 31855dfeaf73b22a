/* The yardsticks: no blocks, no tables, no vectors. */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/pcg64.h"
#include "sim/base/statistics.h"
#include "sim/program/bench/bench.h"

enum { RUNS = 10 }; /* between two calls of the clock */

/* libmaxk links its own log and pow (Makefile, MATH); a plain program uses the C library's. */
static double (*plain_log)(double) = log;
static double (*plain_pow)(double, double) = pow;

static void take_plain_functions(void)
{
    void *next_log = dlsym(RTLD_NEXT, "log"), *next_pow = dlsym(RTLD_NEXT, "pow");
    if (next_log) memcpy(&plain_log, &next_log, sizeof plain_log);
    if (next_pow) memcpy(&plain_pow, &next_pow, sizeof plain_pow);
}

static uint64_t max_ucb_run(struct mk_pcg64 *g)
{
    enum { K = 5, T = 2000 };
    static const double a[K] = {3, 4, 5, 5, 4}, s[K] = {1.01, 1.01, 1.01, 1.1, 1};
    double best[K], scale[K], n[K];
    for (int k = 0; k < K; k++) {
        scale[k] = plain_pow(s[k], -a[k]);
        n[k] = best[k] = 0;
    }
    for (int t = 1; t <= T; t++) {
        int arm = t - 1;
        if (t > K) {
            double l = 0.5 * plain_log(t), top = -1;
            for (int k = 0; k < K; k++) {
                double bonus = l / n[k], index = best[k] + bonus * bonus;
                if (index > top) {
                    top = index;
                    arm = k;
                }
            }
        }
        double x = plain_pow(mk_uniform(g), 1 / a[arm]) * scale[arm];
        n[arm]++;
        if (x > best[arm]) best[arm] = x;
    }
    return (uint64_t)n[K - 1];
}

/* Standard normal by Marsaglia's polar method; the second one is kept. */
struct normal {
    double kept;
    int has;
};

static double normal(struct normal *z, struct mk_pcg64 *g)
{
    if (z->has) {
        z->has = 0;
        return z->kept;
    }
    double x, y, square;
    do {
        x = 2 * mk_uniform(g) - 1;
        y = 2 * mk_uniform(g) - 1;
        square = x * x + y * y;
    } while (square >= 1);
    double factor = sqrt(-2 * plain_log(square) / square);
    z->kept = y * factor;
    z->has = 1;
    return x * factor;
}

static uint64_t ucb_run(struct mk_pcg64 *g)
{
    enum { K = 10, T = 10000 };
    double sum[K] = {0}, n[K] = {0};
    struct normal z = {0, 0};
    for (int t = 1; t <= T; t++) {
        int arm = t - 1;
        if (t > K) {
            double l = 2 * plain_log(t), top = -INFINITY;
            for (int k = 0; k < K; k++) {
                double index = sum[k] / n[k] + sqrt(l / n[k]);
                if (index > top) {
                    top = index;
                    arm = k;
                }
            }
        }
        sum[arm] += 0.1 * arm + normal(&z, g);
        n[arm]++;
    }
    return (uint64_t)n[K - 1];
}

/* `run` returns pulls of the last arm, 0 < n: adding them up keeps the compiler from dropping the loop. */
static double rate(uint64_t (*run)(struct mk_pcg64 *), double pulls, double least)
{
    struct mk_pcg64 g;
    mk_pcg64_seed(&g, 1, 1);
    take_plain_functions();
    double start = mk_cpu_seconds(), passed;
    uint64_t done = 0, kept = 0;
    do {
        for (int i = 0; i < RUNS; i++, done++) kept += run(&g);
        passed = mk_cpu_seconds() - start;
    } while (passed < least);
    return kept ? (double)done * pulls / passed : 0;
}

double mk_plain_w1(double least)
{
    return rate(max_ucb_run, 2000, least);
}

double mk_plain_w2(double least)
{
    return rate(ucb_run, 10000, least);
}

/* ---- analysis of the normal distribution N(.5, .2) conditioned on [0, 1] ---- */

static double truncated_normal(struct normal *z, struct mk_pcg64 *g)
{
    double x;
    do x = 0.5 + 0.2 * normal(z, g);
    while (x < 0 || x > 1);
    return x;
}

static void sorted_draws(struct mk_pcg64 *g, double *value, size_t n)
{
    struct normal z = {0};
    for (size_t i = 0; i < n; i++) value[i] = truncated_normal(&z, g);
    qsort(value, n, sizeof *value, mk_compare_reals);
}

double mk_plain_lu(size_t runs)
{
    enum { N = 1000, POINTS = 1000 };
    static double value[N];
    struct mk_pcg64 g;
    mk_pcg64_seed(&g, 1, 1);
    take_plain_functions();
    double sum = 0, start = mk_cpu_seconds();
    for (size_t r = 0; r < runs; r++) {
        double L = INFINITY, U = 0;
        sorted_draws(&g, value, N);
        for (int j = 1; j <= POINTS; j++) {
            double eps = value[N - 1] * j / POINTS;
            int above = 0;
            while (above < N && value[N - 1 - above] > value[N - 1] - eps) above++;
            double ratio = above / (N * eps);
            if (ratio < L) L = ratio;
            if (ratio > U) U = ratio;
        }
        sum += L + U;
    }
    return sum > 0 ? (double)runs * N / (mk_cpu_seconds() - start) : 0;
}

double mk_plain_survival(size_t n)
{
    enum { POINTS = 1000 };
    double *value = malloc(n * sizeof *value), sum = 0;
    struct mk_pcg64 g;
    if (!value) return NAN;
    mk_pcg64_seed(&g, 1, 1);
    take_plain_functions();
    double start = mk_cpu_seconds();
    sorted_draws(&g, value, n);
    for (size_t i = 0, below = 0; i < POINTS; i++) {
        while (below < n && value[below] < (double)i / POINTS) below++;
        double share = 1 - (double)below / (double)n, d = MK_NORMAL_95 * sqrt(share * (1 - share) / (double)n);
        sum += share - d + share + d;
    }
    free(value);
    return sum > 0 ? (double)n / (mk_cpu_seconds() - start) : 0;
}

double mk_plain_expected_max(size_t last)
{
    enum { CELLS = 1000000 }; /* of the midpoint rule */
    take_plain_functions();
    double sum = 0, values = 0, start = mk_cpu_seconds(), low = erfc(2.5 / sqrt(2)) / 2, mass = 1 - 2 * low;
    for (double n = 1; n <= (double)last; n *= 10, values++)
        for (int i = 0; i < CELLS; i++) {
            double x = (i + 0.5) / CELLS, F = (erfc((0.5 - x) / (0.2 * sqrt(2))) / 2 - low) / mass;
            sum += (1 - plain_pow(F, n)) / CELLS;
        }
    return sum > 0 ? values / (mk_cpu_seconds() - start) : 0;
}
