/* A small experiment, its facts and made-up blocks, for tests of result files: no reader, no simulation. */
#ifndef MAXK_TESTS_SUPPORT_STORE_FIXTURE_H
#define MAXK_TESTS_SUPPORT_STORE_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "sim/base/statistics.h"
#include "sim/run/store/result.h"

enum { FX_INSTANCES = 2, FX_HORIZONS = 3, FX_ARMS = 3, FX_ENTRIES = 3 };

struct fixture {
    struct mk_problem problem;
    struct mk_instance instance[FX_INSTANCES];
    size_t arms[2][FX_ARMS];
    char *labels[FX_ARMS];
    struct mk_policy_entry entry[FX_ENTRIES];
    struct mk_policy_type oracle; /* the writer uses only name and flag */
    uint64_t horizon[FX_HORIZONS];
    struct mk_experiment e;
    struct mk_truth truth;
    double expected[FX_INSTANCES * FX_HORIZONS * FX_ARMS], gap[FX_INSTANCES * FX_HORIZONS * FX_ARMS];
    size_t optimal[FX_INSTANCES * FX_HORIZONS];
    double low[FX_ARMS], high[FX_ARMS];
    const char *engine[FX_ENTRIES];
};

/* Trajectories: two instances, the second of which lacks arm 1. */
static void fixture_init(struct fixture *x, uint64_t replications, enum mk_keep keep)
{
    memset(x, 0, sizeof *x);
    x->labels[0] = (char *)"arm, the \"first\"";
    x->labels[1] = (char *)"zweiter Ärm";
    x->labels[2] = (char *)"c";
    for (size_t k = 0; k < FX_ARMS; k++) x->arms[0][k] = k;
    x->arms[1][0] = 0;
    x->arms[1][1] = 2;
    x->instance[0] = (struct mk_instance){.name = (char *)"first", .n_arms = 3, .arm = x->arms[0]};
    x->instance[1] = (struct mk_instance){.name = (char *)"second", .n_arms = 2, .arm = x->arms[1]};
    x->problem.source = &mk_source_trajectories;
    for (size_t i = 0; i < FX_INSTANCES; i++) x->instance[i].replications = replications;
    x->problem.n_instances = FX_INSTANCES;
    x->problem.instance = x->instance;
    x->problem.n_arms = FX_ARMS;
    x->problem.arm_label = x->labels;
    x->oracle = *mk_policy_type_find("max_ucb");
    x->oracle.name = "oracle";
    x->oracle.flags |= MK_POLICY_ORACLE;
    const char *const labels[] = {"max_ucb", "a/b", "oracle"};
    for (size_t p = 0; p < FX_ENTRIES; p++) {
        x->entry[p].label = (char *)labels[p];
        x->entry[p].type = p == 2 ? &x->oracle : mk_policy_type_find("max_ucb");
        mk_param_defaults(x->entry[p].type->params, x->entry[p].par);
        x->engine[p] = p ? "per-pull" : "record";
    }
    const uint64_t horizons[] = {9, 100, 1000000000000};
    memcpy(x->horizon, horizons, sizeof horizons);
    x->e.name = (char *)"fixture";
    x->e.title = (char *)"A made-up run, für tests";
    x->e.source = (char *)"";
    x->e.problem = &x->problem;
    x->e.n_entries = FX_ENTRIES;
    x->e.entry = x->entry;
    x->e.n_horizons = FX_HORIZONS;
    x->e.horizon = x->horizon;
    x->e.replications = replications;
    x->e.seed = 1;
    x->e.keep = keep;
    x->e.resolved = (char *)"name: fixture\nreplications: 5\n";
    for (size_t c = 0; c < FX_INSTANCES * FX_HORIZONS; c++) {
        x->optimal[c] = c == 2 ? 2 : 0;
        for (size_t k = 0; k < FX_ARMS; k++) {
            int lacks = c >= FX_HORIZONS && k == 1;
            x->expected[c * FX_ARMS + k] =
                lacks ? NAN : 1 - 0.01 * (double)(c + (k + FX_ARMS - x->optimal[c]) % FX_ARMS);
        }
        for (size_t k = 0; k < FX_ARMS; k++)
            x->gap[c * FX_ARMS + k] = x->expected[c * FX_ARMS + x->optimal[c]] - x->expected[c * FX_ARMS + k];
    }
    for (size_t k = 0; k < FX_ARMS; k++) x->high[k] = 1;
    x->truth =
        (struct mk_truth){FX_INSTANCES, FX_HORIZONS, FX_ARMS, x->expected, x->gap, x->optimal, x->low, x->high, NULL};
}

/* Made-up values: pulls of `unit` sum to the horizon and grow with it; the maximum grows with it too. */
static uint64_t fixture_pulls(const struct fixture *x, size_t p, size_t h, uint64_t unit, size_t arm)
{
    int lacks = unit >= x->e.replications;
    uint64_t key = mk_ordered_bits((double)(unit * 7 + p + 1)) * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t horizon = x->horizon[h], minor = 1 + (key >> 40) % (horizon < 4000 ? horizon / 3 : 1500);
    if (unit % 10 == 3 && h == 2) minor = horizon / 2 + 1; /* a lock-out */
    if (arm == 2) return minor;
    if (arm == 1) return lacks ? 0 : 2;
    return horizon - minor - (lacks ? 0 : 2);
}

static double fixture_max(const struct fixture *x, size_t p, size_t h, uint64_t unit)
{
    uint64_t key = mk_ordered_bits((double)(unit * 31 + 5 * p + 11)) * UINT64_C(0xda942042e4dd58b5);
    (void)x;
    return 1 - (double)(key >> 11) * 0x1p-53 / (double)(h + 1);
}

/* One block of units first … first + n - 1; free with fixture_free_block. */
static struct mk_block fixture_block(const struct fixture *x, uint64_t first, uint64_t n)
{
    size_t rows = x->e.n_entries * FX_HORIZONS * (size_t)n;
    struct mk_block b = {.first_unit = first,
                         .n_units = n,
                         .pulls = malloc(rows * FX_ARMS * sizeof *b.pulls),
                         .max_reward = malloc(rows * sizeof *b.max_reward)};
    if (!b.pulls || !b.max_reward) abort();
    for (size_t p = 0; p < x->e.n_entries; p++)
        for (size_t h = 0; h < FX_HORIZONS; h++)
            for (uint64_t u = 0; u < n; u++) {
                size_t at = (p * FX_HORIZONS + h) * (size_t)n + (size_t)u;
                b.max_reward[at] = fixture_max(x, p, h, first + u);
                for (size_t k = 0; k < FX_ARMS; k++) b.pulls[at * FX_ARMS + k] = fixture_pulls(x, p, h, first + u, k);
            }
    return b;
}

static void fixture_free_block(struct mk_block *b)
{
    free(b->pulls);
    free(b->max_reward);
}

/* Writes the whole run in blocks of `size` units. */
static int fixture_write(const struct fixture *x, const char *path, uint64_t size, struct mk_error *err)
{
    struct mk_writer *w = NULL;
    struct mk_volatile v = {"maxk run fixture.yaml", 2, 1.25};
    uint64_t all = FX_INSTANCES * x->e.replications;
    int code = mk_writer_open(&w, path, &x->e, &x->truth, x->engine, 2, err);
    for (uint64_t first = 0; !code && first < all; first += size) {
        struct mk_block b = fixture_block(x, first, all - first < size ? all - first : size);
        code = mk_writer_block(w, &b, err);
        fixture_free_block(&b);
    }
    if (!code) code = mk_writer_commit(w, &v, err);
    mk_writer_free(w);
    return code;
}

#endif
