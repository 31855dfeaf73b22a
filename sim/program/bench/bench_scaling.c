/* Time per pull of every policy: against the horizon on the five power arms, and against the number of arms. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analysis/answers/figures/plot/plot.h"
#include "distributions/candidates.h"
#include "sim/base/error.h"
#include "sim/program/bench/bench.h"

enum { KINDS = 3, TEXT = 1024, PULLS_PER_ARM = 4 };

static const uint64_t horizon[] = {100, 300, 1000, 3000, 10000, 30000, 100000, 300000, 1000000};
static const uint64_t arms[] = {10, 100, 1000, 10000, 100000, 1000000};
static const char *const kind_name[KINDS] = {"extreme", "cash", "classic"};

/* What the time per pull is drawn against. */
struct against {
    const char *name, *title, *subtitle, *label; /* of the figure; of its x axis */
    const uint64_t *x;
    size_t n, quick_n;
    bool of_arms; /* x is their number, not the horizon; a replication may become too long to wait for */
};

static const struct against scalings[] = {
    {"bench_scaling", "Time per pull against the horizon",
     "defaults, five power arms, per-pull engine, processor time of one core", "horizon T (pulls)", horizon,
     sizeof horizon / sizeof *horizon, 5, false},
    {"bench_scaling_arms", "Time per pull against the number of arms",
     "defaults, power arms from a prior, T = 4 K, per-pull engine, processor time of one core", "number of arms K",
     arms, sizeof arms / sizeof *arms, 3, true},
};

/* Longest replication worth waiting for, in seconds. */
static double patience(const struct mk_bench *b)
{
    return b->quick ? 0.2 : 10;
}

/* Nanoseconds per pull, and seconds of a replication. One replication that is long is measured once. */
static int measure(const struct mk_bench *b, const char *text, double *ns, double *seconds, struct mk_error *err)
{
    struct mk_load w;
    double value[MK_BENCH_ROUNDS];
    const size_t n = b->rounds;
    int code = mk_load_init(&w, text, MK_ENGINE_PER_PULL, err);
    if (!code) {
        const double start = mk_cpu_seconds();
        mk_load_play(&w, 1);
        *seconds = mk_cpu_seconds() - start;
        *ns = 1e9 * *seconds / w.pulls_per_replication;
    }
    if (!code && *seconds < 10 * b->least) {
        for (size_t i = 0; i < n; i++) value[i] = 1e9 / mk_load_rate(&w, b->least);
        *ns = mk_bench_median(value, n);
    }
    mk_load_clear(&w);
    return code;
}

static int measure_policy(struct mk_bench *b, const struct against *a, const struct mk_policy_type *type,
                          struct mk_plot *p, struct mk_error *err)
{
    double seconds = 0, before = 0;                               /* of a replication at the last two points */
    if (mk_candidates_parameter(type->params) >= 0) return MK_OK; /* its cost is that of its candidates */
    struct mk_curve *c = mk_plot_add(p, type->name, b->quick ? a->quick_n : a->n, 0);
    if (!c) return mk_fail_memory(err, "a figure");
    c->style = MK_CURVE_LINE_POINTS;
    for (size_t k = 0; k < c->n; k++) {
        char text[TEXT];
        const uint64_t K = a->of_arms ? a->x[k] : MK_BENCH_POWER_COUNT, T = a->of_arms ? PULLS_PER_ARM * K : a->x[k];
        double growth = before > 0 ? seconds / before : 10;
        if (a->of_arms && seconds * growth > patience(b)) break;
        before = seconds;
        if (a->of_arms)
            mk_bench_arms_text(text, TEXT, type->name, K, T);
        else
            snprintf(text, TEXT, "name: w1\n" MK_BENCH_POWER_ARMS "policies: [{name: %s}]\nhorizons: [%llu]\n",
                     type->name, (unsigned long long)T);
        int code = measure(b, text, &c->y[k], &seconds, err);
        if (code) return code;
        c->x[k] = (double)a->x[k];
        mk_table_set_text(b->table, MK_SCALING_POLICY, type->name);
        mk_table_set_count(b->table, MK_SCALING_ARMS, K);
        mk_table_set_count(b->table, MK_SCALING_HORIZON, T);
        mk_table_set_real(b->table, MK_SCALING_NS, c->y[k]);
        mk_table_end_row(b->table);
    }
    return MK_OK;
}

static void describe(struct mk_plot *p, const struct against *a, int kind)
{
    mk_plot_init(p);
    snprintf(p->title, sizeof p->title, "%s (%s policies)", a->title, kind == MK_CASH ? "CASH" : kind_name[kind]);
    snprintf(p->subtitle, sizeof p->subtitle, "%s", a->subtitle);
    snprintf(p->x.label, sizeof p->x.label, "%s", a->label);
    snprintf(p->y.label, sizeof p->y.label, "nanoseconds per pull");
    p->x.log = p->y.log = 1;
}

static int scale(struct mk_bench *b, const struct against *a, const char *folder, struct mk_error *err)
{
    int code = MK_OK;
    for (int kind = 0; kind < KINDS && !code; kind++) {
        struct mk_plot p;
        char name[64];
        describe(&p, a, kind);
        for (size_t i = 0; i < mk_policy_type_count() && !code; i++)
            if ((int)mk_policy_type_at(i)->kind == kind) code = measure_policy(b, a, mk_policy_type_at(i), &p, err);
        snprintf(name, sizeof name, "%s_%s", a->name, kind_name[kind]);
        if (!code) code = mk_plot_draw(&p, folder, name, MK_PLOT_PNG, err);
        mk_plot_clear(&p);
    }
    return code;
}

int mk_bench_scaling(struct mk_bench *b, const char *folder, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t i = 0; i < sizeof scalings / sizeof *scalings && !code; i++) code = scale(b, &scalings[i], folder, err);
    return code;
}
