/* maxk survival: G(x) = P(X >= x), exact for known families, empirical with a simultaneous band for samples. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/arms/pooled_rewards.h"
#include "analysis/theory/survival.h"
#include "sim/base/table_printer.h"
#include "sim/command/command.h"
#include "sim/command/input_options.h"
#include "sim/store/problem_input.h"

struct survival_report {
    const struct mk_problem *p;
    size_t points, samples;
    uint64_t seed;
    double confidence;
    struct mk_table_printer *table;
    double *x; /* [points] */
};

static void print_arm(struct survival_report *w, size_t instance, size_t k, const struct mk_pooled_rewards *pool)
{
    const struct mk_instance *in = &w->p->instance[instance];
    const struct mk_dist *d = w->p->kind == MK_SYNTHETIC ? w->p->dist[in->arm[k]] : NULL;
    if (d)
        mk_survival_points(d, w->points, w->x);
    else if (pool)
        mk_survival_spaced(pool->sorted[k][0], pool->sorted[k][pool->n[k] - 1], w->points, w->x);
    double lower, upper; /* no ratio at the upper end itself and without a finite one */
    mk_problem_arm_support(w->p, instance, k, &lower, &upper);
    if (isinf(upper)) upper = NAN;
    for (size_t i = 0; i < w->points; i++) {
        double empirical = NAN, low = NAN, high = NAN;
        if (pool) {
            empirical = mk_survival_empirical(pool->sorted[k], pool->n[k], w->x[i]);
            mk_survival_band(empirical, pool->n[k], w->confidence, &low, &high);
        }
        mk_table_text(w->table, in->name);
        mk_table_count(w->table, in->arm[k]);
        mk_table_real(w->table, w->x[i]);
        mk_table_real(w->table, d ? mk_dist_survival(d, w->x[i]) : NAN);
        mk_table_real(w->table, empirical);
        mk_table_real(w->table, low);
        mk_table_real(w->table, high);
        mk_table_real(w->table,
                      (d ? mk_dist_survival(d, w->x[i]) : empirical) / (w->x[i] < upper ? upper - w->x[i] : NAN));
    }
}

static int print_all(const char *path, struct survival_report *w, struct mk_input_options *in_file,
                     struct mk_table_style style, struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    int code = mk_input_open(&e, "survival", path, in_file, MK_NEED_PROBLEM, err);
    if (code) return code;
    w->p = e->problem;
    code = mk_problem_same_distribution(w->p, "survival functions are", err);
    w->x = malloc(w->points * sizeof *w->x);
    if (!code && !w->x) code = mk_fail_memory(err, "points");
    if (!code) code = mk_table_begin(&w->table, stdout, style, "instance,arm,x,survival,empirical,low,high,ratio", err);
    for (size_t i = 0; !code && i < w->p->n_instances; i++) {
        struct mk_pooled_rewards *pool = NULL;
        if (w->p->kind != MK_SYNTHETIC || w->samples)
            code = mk_pooled_rewards_new(&pool, w->p, i, w->samples, w->seed, "survival", err);
        for (size_t k = 0; !code && k < w->p->instance[i].n_arms; k++) print_arm(w, i, k, pool);
        mk_pooled_rewards_free(pool);
    }
    code = mk_table_finish(w->table, code, err);
    free(w->x);
    mk_experiment_free(e);
    return code;
}

int mk_cmd_survival(int argc, char **argv, struct mk_error *err)
{
    static const struct mk_usage usage = {
        "survival", "FILE.yaml|FILE.csv[.gz]|RESULT.h5|-",
        "Prints survival functions G(x) = P(X >= x) at equally spaced points of every arm's range (infinite ends are "
        "cut at the quantiles 0.001 and 0.999): exact for known families; for recorded rewards, or with --samples, the "
        "share of values >= x with the simultaneous Dvoretzky-Kiefer-Wolfowitz-Massart band. ratio is G(x) / (b - x), "
        "where b is the arm's finite upper end point: its extrema are L and U of `maxk lu`.",
        1, 1};
    struct mk_input_options in = MK_INPUT_DEFAULTS;
    struct survival_report w = {.confidence = 0.95};
    struct mk_table_style style = MK_TABLE_PLAIN;
    uint64_t points = 101, samples = 0, seed = 42;
    const struct mk_option options[] = {
        MK_TABLE_OPTIONS(style),
        MK_INPUT_OPTIONS(in),
        {"points", 0, MK_OPT_COUNT, &points, "N", NULL, 2, 1e8, "points per arm (default: 101)"},
        {"samples", 'n', MK_OPT_COUNT, &samples, "N", NULL, 0, 1e8, "draws per synthetic arm (default: 0, exact only)"},
        {"confidence", 0, MK_OPT_REAL, &w.confidence, "LEVEL", NULL, 0.01, 0.999999,
         "confidence level of the band (default: 0.95)"},
        {"seed", 0, MK_OPT_COUNT, &seed, "N", NULL, 1, 0, "seed of the draws (default: 42)"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 1, 0, NULL},
    };
    char **operand;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (code) return code;
    w.points = points;
    w.samples = samples;
    w.seed = seed;
    return print_all(operand[0], &w, &in, style, err);
}
