/* Rates on one core, next to the figures of other programs. Those were measured elsewhere: one core of another machine,
 * median of three, start-up excluded; there the plain loop of W1 reached 41 M pulls/s, and the hand-written numba loop
 * of W2, which does the same as the plain loop here, 20.8 M. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "distributions/dist.h"
#include "sim/program/bench/bench.h"

#define MAX_UCB_SWEEP "policies: [{name: max_ucb, alpha: {from: 0, to: 2.9, step: 0.1}}]\n"

static const double plain_w1_elsewhere = 41e6, plain_w2_elsewhere = 20.8e6;

/* A program measured elsewhere: pulls/s. */
struct peer {
    const char *name;
    double rate;
};

/* MaxUCB and the authors' other policies in their own simulator (Python), on W1's arms. */
static const struct peer python[] = {
    {"max_ucb", .055e6},
    {"qomax_sda", .048e6},
    {"max_median", .182e6},
    {"threshold_ascent", .073e6},
    {"max_search_gaussian", .0021e6},
    {"max_search_subgaussian", .0097e6},
};

static const struct peer w1_peers[] = {
    {"authors' simulator (Python)", .055e6},
    {"plain scalar C loop", 41e6},
    {"hand-written numba loop", 41.4e6},
    {"C prototype, blocks and vectorised pow", 62e6},
    {NULL, 0},
};

static const struct peer w2_peers[] = {
    {"SMPyBandits (Python)", .084e6},
    {"banditpylib (Python)", .042e6},
    {"libbandit (C++)", 7.9e6},
    {"banditlib (C++)", 12.1e6},
    {"AI-Toolbox (C++)", 16.0e6},
    {"ratel (Rust, Bernoulli arms)", 19.2e6},
    {"hand-written numba loop", 20.8e6},
    {"banditbench (Rust, Bernoulli arms)", 24.3e6},
    {NULL, 0},
};

struct rate {
    double value, plain, ratio;
};

static struct rate measure(const struct mk_bench *b, struct mk_load *w, double (*plain)(double))
{
    double value[MK_BENCH_ROUNDS], yard[MK_BENCH_ROUNDS], ratio[MK_BENCH_ROUNDS];
    size_t n = b->rounds;
    mk_load_play(w, 1); /* memory and caches */
    for (size_t i = 0; i < n; i++) {
        yard[i] = plain(b->least);
        value[i] = mk_load_rate(w, b->least);
        ratio[i] = value[i] / yard[i];
    }
    return (struct rate){mk_bench_median(value, n), mk_bench_median(yard, n), mk_bench_median(ratio, n)};
}

static int measure_text(const struct mk_bench *b, const char *text, enum mk_engine engine, double (*plain)(double),
                        struct rate *out, struct mk_error *err)
{
    struct mk_load w;
    int code = mk_load_init(&w, text, engine, err);
    if (!code) *out = measure(b, &w, plain);
    mk_load_clear(&w);
    return code;
}

/* A rate next to its plain loop; no figure from elsewhere. */
static struct mk_bench_row rate_row(const char *item, const struct rate *r)
{
    return mk_bench_rate(item, r->value, r->plain, r->ratio);
}

static void print_peers(struct mk_bench *b, const struct rate *r, const struct peer *peer, double plain_elsewhere)
{
    char item[MK_BENCH_ITEM];
    for (; peer->name; peer++) {
        snprintf(item, sizeof item, "against %s", peer->name);
        struct mk_bench_row row = mk_bench_row(item, NAN, "M pulls/s");
        row.elsewhere = 1e-6 * peer->rate;
        row.factor = r->ratio * plain_elsewhere / peer->rate;
        mk_bench_print(b, &row);
    }
}

/* A workload that was also run with other programs. */
struct workload {
    const char *item;
    double (*plain)(double);
    double least_ratio;
    const char *target; /* the same in words */
    const struct peer *peers;
    double plain_elsewhere;
};

static int compare(struct mk_bench *b, const char *text, const struct workload *w, struct mk_error *err)
{
    struct rate r;
    int code = measure_text(b, text, MK_ENGINE_PER_PULL, w->plain, &r, err);
    if (code) return code;
    struct mk_bench_row row = rate_row(w->item, &r);
    row.target = w->target;
    row.met = r.ratio >= w->least_ratio;
    mk_bench_print(b, &row);
    print_peers(b, &r, w->peers, w->plain_elsewhere);
    return MK_OK;
}

int mk_bench_w1(struct mk_bench *b, struct mk_error *err)
{
    static const char text[] =
        "name: w1\n" MK_BENCH_POWER_ARMS "policies: [{name: max_ucb, alpha: 0.5}]\nhorizons: [2000]\n";
    const struct workload w = {
        "max_ucb, power arms, T=2000", mk_plain_w1, 1.95, "ratio >= 1.95", w1_peers, plain_w1_elsewhere};
    return compare(b, text, &w, err);
}

int mk_bench_w2(struct mk_bench *b, struct mk_error *err)
{
    char text[1024];
    int n = snprintf(text, sizeof text, "name: w2\nproblem:\n  arms:\n");
    for (int k = 0; k < 10; k++)
        n += snprintf(text + n, sizeof text - (size_t)n, "    - {family: gaussian, mu: 0.%d, sigma: 1}\n", k);
    snprintf(text + n, sizeof text - (size_t)n, "policies: [{name: ucb, alpha: 2}]\nhorizons: [10000]\n");
    const struct workload w = {
        "ucb alpha=2, 10 normal arms, T=10000", mk_plain_w2, 2.9, "ratio >= 2.9", w2_peers, plain_w2_elsewhere};
    return compare(b, text, &w, err);
}

int mk_bench_sweep(struct mk_bench *b, struct mk_error *err)
{
    struct rate r;
    int code = measure_text(b, "name: w1\n" MK_BENCH_POWER_ARMS MAX_UCB_SWEEP "horizons: [2000]\n", MK_ENGINE_PER_PULL,
                            mk_plain_w1, &r, err);
    if (code) return code;
    struct mk_bench_row row = rate_row("30 values of alpha on one tape, T=2000", &r);
    mk_bench_print(b, &row);
    return MK_OK;
}

static double python_rate(const char *policy)
{
    for (size_t i = 0; i < sizeof python / sizeof *python; i++)
        if (strcmp(python[i].name, policy) == 0) return python[i].rate;
    return NAN;
}

int mk_bench_policies(struct mk_bench *b, struct mk_error *err)
{
    struct mk_bench brief = *b;
    brief.least = 0.3 * b->least;
    brief.rounds = 3;
    for (size_t i = 0; i < mk_policy_type_count(); i++) {
        const char *name = mk_policy_type_at(i)->name;
        char text[1024];
        struct rate r;
        snprintf(text, sizeof text, "name: w1\n" MK_BENCH_POWER_ARMS "policies: [{name: %s}]\nhorizons: [2000]\n",
                 name);
        int code = measure_text(&brief, text, MK_ENGINE_PER_PULL, mk_plain_w1, &r, err);
        if (code) return code;
        struct mk_bench_row row = rate_row(name, &r);
        row.elsewhere = 1e-6 * python_rate(name);
        row.factor = 1e-6 * r.ratio * plain_w1_elsewhere / row.elsewhere;
        if (!isnan(row.elsewhere)) {
            row.target = "factor >= 200";
            row.met = row.factor >= 200;
        }
        mk_bench_print(b, &row);
    }
    return MK_OK;
}

/* Draws per second of one family, in the blocks that the tape requests. */
static double draw_rate(const struct mk_dist *d, double least)
{
    enum { BLOCK = 512, BLOCKS = 40 };
    double block[BLOCK], kept = 0;
    struct mk_pcg64 g;
    mk_pcg64_seed(&g, 1, 1);
    double start = mk_cpu_seconds(), passed;
    uint64_t done = 0;
    do {
        for (int i = 0; i < BLOCKS; i++, done += BLOCK) {
            d->type->sample(d, &g, BLOCK, block);
            kept += block[0];
        }
        passed = mk_cpu_seconds() - start;
    } while (passed < least);
    return isfinite(kept) ? (double)done / passed : 0;
}

int mk_bench_sampling(struct mk_bench *b, struct mk_error *err)
{
    static const struct {
        const char *family;
        double first, second, elsewhere; /* parameters; draws/s of the prototype */
    } draws[] = {{"uniform", 0, 1, 325e6}, {"power", 4, 1, 141e6}, {"gaussian", 0, 1, NAN}};
    for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) {
        struct mk_dist *d = NULL;
        double value[MK_BENCH_ROUNDS], yard[MK_BENCH_ROUNDS];
        size_t n = b->rounds;
        int code = mk_dist_make(&d, draws[i].family, err, draws[i].first, draws[i].second);
        if (code) return code;
        for (size_t j = 0; j < n; j++) {
            value[j] = draw_rate(d, 0.3 * b->least);
            yard[j] = mk_plain_w1(0.3 * b->least);
        }
        mk_dist_free(d);
        double rate = mk_bench_median(value, n), plain = mk_bench_median(yard, n);
        struct mk_bench_row row = mk_bench_row(draws[i].family, 1e-6 * rate, "M draws/s");
        row.elsewhere = 1e-6 * draws[i].elsewhere;
        row.factor = rate / plain * plain_w1_elsewhere / draws[i].elsewhere;
        mk_bench_print(b, &row);
    }
    return MK_OK;
}

/* Pulls/s of the prototype of the record engine, elsewhere. */
static double prototype_rate(int exponent)
{
    return exponent == 6 ? 3e10 : exponent == 9 ? 1.4e13 : exponent == 12 ? 8e15 : NAN;
}

int mk_bench_record(struct mk_bench *b, struct mk_error *err)
{
    for (int exponent = 3; exponent <= 12; exponent++) {
        char text[1024], item[MK_BENCH_ITEM];
        struct rate r;
        snprintf(text, sizeof text,
                 "name: w1\n" MK_BENCH_POWER_ARMS "policies: [{name: max_ucb, alpha: 0.5}]\nhorizons: [1e%d]\n",
                 exponent);
        int code = measure_text(b, text, MK_ENGINE_RECORD, mk_plain_w1, &r, err);
        if (code) return code;
        double pulls = pow(10, exponent), us = 1e6 * pulls / r.value;
        snprintf(item, sizeof item, "max_ucb, T=10^%d: time of a replication", exponent);
        struct mk_bench_row row = mk_bench_row(item, us, "us");
        row.plain = 1e6 * pulls / r.plain;
        row.elsewhere = 1e6 * pulls / prototype_rate(exponent);
        if (exponent == 12) {
            row.target = "<= 100 us";
            row.met = us <= 100;
        }
        mk_bench_print(b, &row);
        snprintf(item, sizeof item, "max_ucb, T=10^%d: equivalent rate", exponent);
        row = rate_row(item, &r);
        row.elsewhere = 1e-6 * prototype_rate(exponent);
        row.factor = r.ratio * plain_w1_elsewhere / prototype_rate(exponent);
        mk_bench_print(b, &row);
    }
    return MK_OK;
}
