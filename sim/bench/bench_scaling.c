/* Time per pull against the horizon, per policy, on the power arms. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/plot/plot.h"
#include "sim/bench/bench.h"

enum { POINTS = 9, KINDS = 3, MOST_ROUNDS = 9 };

static const uint64_t horizon[POINTS] = {100, 300, 1000, 3000, 10000, 30000, 100000, 300000, 1000000};
static const char *const kind_name[KINDS] = {"extreme", "cash", "classic"};

static size_t points(const struct mk_bench *b)
{
    return b->quick ? 5 : POINTS;
}

/* Nanoseconds per pull. */
static int measure(const struct mk_bench *b, const char *policy, uint64_t T, double *ns, struct mk_error *err)
{
    char text[1024];
    struct mk_load w;
    double value[MOST_ROUNDS];
    size_t n = (size_t)(b->rounds < MOST_ROUNDS ? b->rounds : MOST_ROUNDS);
    snprintf(text, sizeof text, "name: w1\n" MK_BENCH_POWER_ARMS "policies: [{name: %s}]\nhorizons: [%llu]\n", policy,
             (unsigned long long)T);
    int code = mk_load_init(&w, text, MK_ENGINE_PER_PULL, err);
    if (!code) mk_load_play(&w, 1);
    for (size_t i = 0; i < n && !code; i++) value[i] = 1e9 / mk_load_rate(&w, b->least);
    if (!code) *ns = mk_bench_median(value, n);
    mk_load_clear(&w);
    return code;
}

static int measure_policy(struct mk_bench *b, const struct mk_policy_type *type, struct mk_plot *p,
                          struct mk_error *err)
{
    struct mk_curve *c = mk_plot_add(p, type->name, points(b), 0);
    if (!c) return mk_fail_memory(err, "a figure");
    c->style = MK_CURVE_LINE_POINTS;
    for (size_t k = 0; k < c->n; k++) {
        int code = measure(b, type->name, horizon[k], &c->y[k], err);
        if (code) return code;
        c->x[k] = (double)horizon[k];
        mk_table_text(b->table, type->name);
        mk_table_count(b->table, MK_BENCH_POWER_COUNT);
        mk_table_count(b->table, horizon[k]);
        mk_table_real(b->table, c->y[k]);
    }
    return MK_OK;
}

static void describe(struct mk_plot *p, int kind)
{
    mk_plot_init(p);
    snprintf(p->title, sizeof p->title, "Time per pull against the horizon (%s policies)",
             kind == MK_CASH ? "CASH" : kind_name[kind]);
    snprintf(p->subtitle, sizeof p->subtitle, "defaults, five power arms, per-pull engine, processor time of one core");
    snprintf(p->x.label, sizeof p->x.label, "horizon T (pulls)");
    snprintf(p->y.label, sizeof p->y.label, "nanoseconds per pull");
    p->x.log = p->y.log = 1;
}

int mk_bench_scaling(struct mk_bench *b, const char *folder, struct mk_error *err)
{
    int code = MK_OK;
    for (int kind = 0; kind < KINDS && !code; kind++) {
        struct mk_plot p;
        char name[64];
        describe(&p, kind);
        for (size_t i = 0; i < mk_policy_type_count() && !code; i++)
            if ((int)mk_policy_type_at(i)->kind == kind) code = measure_policy(b, mk_policy_type_at(i), &p, err);
        snprintf(name, sizeof name, "bench_scaling_%s", kind_name[kind]);
        if (!code && folder) code = mk_plot_draw(&p, folder, name, MK_PLOT_PNG, err);
        mk_plot_clear(&p);
    }
    return code;
}
