/* The yardsticks: no blocks, no tables, no vectors. */
#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "sim/bench.h"
#include "sim/pcg64.h"

enum { RUNS = 10 }; /* between two looks at the clock */

/* libmaxk brings its own log and pow (Makefile, MATH); a plain program has those of the C library. */
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

/* `run` returns pulls of the last arm, 0 < n: adding them up keeps the loop from being dropped. */
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
