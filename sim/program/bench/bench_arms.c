/* Many arms: time per pull of MaxUCB against their number, by tournament and by scan, and what a million of them take.
 */
#include <malloc.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/program/bench/bench.h"

enum { TEXT = 256 };

void mk_bench_arms_text(char *text, size_t room, const char *policy, uint64_t arms, uint64_t T)
{
    snprintf(text, room,
             "name: arms\nproblem: {arms: [{repeat: %llu, family: power, a: {uniform: [1, 6]}, s: {uniform: [0.9, "
             "1.1]}}]}\npolicies: [{name: %s}]\nhorizons: [%llu]\n",
             (unsigned long long)arms, policy, (unsigned long long)T);
}

/* Bytes that are allocated. */
static double allocated(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

/* Two forms of the same workload, timed alternately. */
struct duel {
    struct mk_load load[2];
    double ns[2], ratio; /* medians: nanoseconds per pull; second over first */
};

static void play_duel(const struct mk_bench *b, struct duel *d)
{
    double ns[2][MK_BENCH_ROUNDS], ratio[MK_BENCH_ROUNDS];
    const size_t n = b->rounds;
    for (int i = 0; i < 2; i++) mk_load_play(&d->load[i], 1); /* memory and caches */
    for (size_t k = 0; k < n; k++) {
        for (int i = 0; i < 2; i++) ns[i][k] = 1e9 / mk_load_rate(&d->load[i], b->least);
        ratio[k] = ns[1][k] / ns[0][k];
    }
    for (int i = 0; i < 2; i++) d->ns[i] = mk_bench_median(ns[i], n);
    d->ratio = mk_bench_median(ratio, n);
}

/* K arms each; tournament_from as in mk_setup. */
static int measure_duel(const struct mk_bench *b, const uint64_t arms[2], const size_t from[2], uint64_t T,
                        struct duel *d, struct mk_error *err)
{
    int code = MK_OK;
    for (int i = 0; i < 2; i++) d->load[i] = (struct mk_load){0};
    for (int i = 0; i < 2 && !code; i++) {
        char text[TEXT];
        mk_bench_arms_text(text, sizeof text, "max_ucb", arms[i], T);
        code = mk_load_init_from(&d->load[i], text, MK_ENGINE_PER_PULL, from[i], err);
    }
    if (!code) play_duel(b, d);
    for (int i = 0; i < 2; i++) mk_load_clear(&d->load[i]);
    return code;
}

/* The scan and the tournament on the same arms: where one overtakes the other. */
static int compare_forms(struct mk_bench *b, uint64_t arms, struct mk_error *err)
{
    char item[MK_BENCH_ITEM];
    struct duel d;
    int code = measure_duel(b, (const uint64_t[]){arms, arms}, (const size_t[]){SIZE_MAX, 1}, 100 * arms, &d, err);
    if (code) return code;
    snprintf(item, sizeof item, "K=%llu, T=100 K: scan", (unsigned long long)arms);
    mk_bench_print_value(b, item, d.ns[0], "ns/pull", INFINITY);
    snprintf(item, sizeof item, "K=%llu, T=100 K: tournament", (unsigned long long)arms);
    mk_bench_print_value(b, item, d.ns[1], "ns/pull", INFINITY);
    return MK_OK;
}

static int growth(struct mk_bench *b, uint64_t T, struct mk_error *err)
{
    struct duel d;
    int code = measure_duel(b, (const uint64_t[]){100, 10000}, (const size_t[]){0, 0}, T, &d, err);
    if (code) return code;
    mk_bench_print_value(b, "K=10^2, T=10^6", d.ns[0], "ns/pull", INFINITY);
    mk_bench_print_value(b, "K=10^4, T=10^6", d.ns[1], "ns/pull", INFINITY);
    mk_bench_print_value(b, "K=10^4 over K=10^2", d.ratio, "times", 10);
    return MK_OK;
}

/* One replication, and what its tape and its policy keep in memory. */
static int million(struct mk_bench *b, uint64_t arms, uint64_t T, struct mk_error *err)
{
    char text[TEXT], item[MK_BENCH_ITEM];
    struct mk_load w;
    mk_bench_arms_text(text, sizeof text, "max_ucb", arms, T);
    int code = mk_load_init(&w, text, MK_ENGINE_PER_PULL, err);
    if (!code) {
        const struct mk_setup setup = {.arms = (size_t)arms, .horizon = T, .par = w.experiment->entry[0].par};
        const double state = (double)w.experiment->entry[0].type->state_size(&setup), start = mk_cpu_seconds();
        mk_load_play(&w, 1);
        const double seconds = mk_cpu_seconds() - start, before = allocated();
        mk_worker_free(w.worker);
        w.worker = NULL;
        snprintf(item, sizeof item, "K=%.0e, T=%.0e: a replication", (double)arms, (double)T);
        mk_bench_print_value(b, item, seconds, "s", b->quick ? INFINITY : 60);
        mk_bench_print_value(b, "  state of the policy", state / (double)arms, "bytes/arm", 200);
        mk_bench_print_value(b, "  the same with the rewards drawn", (before - allocated()) / (double)arms, "bytes/arm",
                             INFINITY);
    }
    mk_load_clear(&w);
    return code;
}

int mk_bench_arms(struct mk_bench *b, struct mk_error *err)
{
    static const uint64_t arms[] = {32, 128, 1024};
    int code = growth(b, b->quick ? 100000 : 1000000, err);
    for (size_t i = 0; i < sizeof arms / sizeof *arms && !code; i++) code = compare_forms(b, arms[i], err);
    return code ? code : million(b, b->quick ? 100000 : 1000000, b->quick ? 1000000 : 10000000, err);
}
