/* G(x) = P(X >= x), exact for known families, empirical with a simultaneous band for samples. */
#include <math.h>
#include <stdlib.h>

#include "analysis/answers/tables/table_type.h"
#include "analysis/compare/arms/pooled_rewards.h"
#include "analysis/theory/survival.h"
#include "sim/base/error.h"

struct survival_options {
    uint64_t points, samples, seed;
    double confidence;
};

#define COLUMNS(X)                                                                                                     \
    X(INSTANCE, "instance", TEXT, "", "instance of the problem")                                                       \
    X(ARM, "arm", COUNT, "", "number of the arm, from 0")                                                              \
    X(REWARD, "x", REAL, "rewards", "the point x")                                                                     \
    X(SURVIVAL, "survival", REAL, "", "G(x) = P(X >= x) of a known family")                                            \
    X(EMPIRICAL, "empirical", REAL, "", "share of the rewards that are at least x")                                    \
    X(LOW, "low", REAL, "", "lower end of the simultaneous band around it")                                            \
    X(HIGH, "high", REAL, "", "upper end of the band")                                                                 \
    X(RATIO, "ratio", REAL, "1 / reward", "G(x) / (b - x), b the finite upper end point of the arm")                   \
    X(ARM_LABEL, "arm_label", TEXT, "", "label of the arm")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_view view[] = {{INSTANCE, "instance", NULL},
                                            {ARM, "arm", NULL},
                                            {REWARD, "x", NULL},
                                            {SURVIVAL, "survival", NULL},
                                            {EMPIRICAL, "empirical", NULL},
                                            {LOW, "low", NULL},
                                            {HIGH, "high", NULL},
                                            {RATIO, "ratio", NULL},
                                            MK_TABLE_VIEW_END};
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("survival functions", columns, view);

static void add_arm(struct mk_table *t, const struct mk_problem *p, const struct survival_options *o, size_t instance,
                    size_t k, const struct mk_pooled_rewards *pool, double *x)
{
    const struct mk_instance *in = &p->instance[instance];
    const struct mk_dist *d = mk_problem_dist(p, instance, k);
    const size_t n = (size_t)o->points;
    if (d)
        mk_survival_points(d, n, x);
    else if (pool)
        mk_survival_spaced(pool->sorted[k][0], pool->sorted[k][pool->n[k] - 1], n, x);
    double lower, upper; /* no ratio at the upper end itself and without a finite one */
    mk_problem_arm_support(p, instance, k, &lower, &upper);
    if (isinf(upper)) upper = NAN;
    for (size_t i = 0; i < n; i++) {
        double empirical = NAN, low = NAN, high = NAN;
        if (pool) {
            empirical = mk_survival_empirical(pool->sorted[k], pool->n[k], x[i]);
            mk_survival_band(empirical, pool->n[k], o->confidence, &low, &high);
        }
        const double exact = d ? mk_dist_survival(d, x[i]) : NAN;
        mk_table_set_text(t, INSTANCE, in->name);
        mk_table_set_count(t, ARM, in->arm[k]);
        mk_table_set_text(t, ARM_LABEL, p->arm_label[in->arm[k]]);
        mk_table_set_real(t, REWARD, x[i]);
        mk_table_set_real(t, SURVIVAL, exact);
        mk_table_set_real(t, EMPIRICAL, empirical);
        mk_table_set_real(t, LOW, low);
        mk_table_set_real(t, HIGH, high);
        mk_table_set_real(t, RATIO, (d ? exact : empirical) / (x[i] < upper ? upper - x[i] : NAN));
        mk_table_end_row(t);
    }
}

static int fill(struct mk_table *t, const struct mk_problem *p, const struct survival_options *o, struct mk_error *err)
{
    double *x = malloc((size_t)o->points * sizeof *x);
    int code = x ? MK_OK : mk_fail_memory(err, "points");
    for (size_t i = 0; !code && i < p->n_instances; i++) {
        struct mk_pooled_rewards *pool = NULL;
        if (!p->source->known || o->samples)
            code = mk_pooled_rewards_new(&pool, p, i, (size_t)o->samples, o->seed, "survival", err);
        for (size_t k = 0; !code && k < p->instance[i].n_arms; k++) add_arm(t, p, o, i, k, pool, x);
        mk_pooled_rewards_free(pool);
    }
    free(x);
    return code;
}

static int make_survival(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    struct mk_table *t = NULL;
    int code = mk_table_open(&e, &mk_table_survival, call, err);
    if (!code) code = mk_problem_same_distribution(e->problem, "survival functions are", err);
    if (!code) code = mk_table_new(&t, &schema, err);
    if (!code) mk_table_warn_gaps(t, e->problem);
    if (!code) code = fill(t, e->problem, call->options, err);
    mk_experiment_free(e);
    return mk_table_made(out, t, code, err);
}

static const struct survival_options defaults = {.points = 101, .seed = 42, .confidence = 0.95};
static const struct mk_table_option options[] = {
    MK_TABLE_OPTION(struct survival_options, points, "points", 0, MK_OPT_COUNT, "N", NULL, 2, 1e8,
                    "points per arm (default: 101)"),
    MK_TABLE_OPTION(struct survival_options, samples, "samples", 'n', MK_OPT_COUNT, "N", NULL, 0, 1e8,
                    "number of draws from each known distribution, for the column empirical (default: 0)"),
    MK_TABLE_OPTION(struct survival_options, confidence, "confidence", 0, MK_OPT_REAL, "LEVEL", NULL, 0.01, 0.999999,
                    "confidence level of the band (default: 0.95)"),
    MK_TABLE_OPTION(struct survival_options, seed, "seed", 0, MK_OPT_COUNT, "N", NULL, 1, 0,
                    "seed of the draws (default: 42)"),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_survival = {
    .usage =
        {"survival", "FILE.yaml|FILE.csv[.gz]|RESULT.h5|-",
         "Prints the survival function G(x) = P(X >= x) of each arm at equally spaced points of its range. An infinite "
         "end of the range is cut off at the quantile 0.001 or 0.999.\n\n  survival  the exact G(x) of a known "
         "family\n  empirical  of recorded rewards, or of draws with --samples: the share of rewards that are at least "
         "x\n  low, high  simultaneous confidence band around empirical (Dvoretzky-Kiefer-Wolfowitz-Massart)\n  ratio  "
         "G(x) / (b - x), where b is the upper end point of the arm, if it is finite. The extrema of the ratio are the "
         "L and U of `maxk lu`",
         1, 1},
    .group = "Arms and recorded rewards",
    .summary = "survival functions, exact and empirical",
    MK_TABLE_TAKES(options, defaults),
    .reads_rewards = true,
    MK_TABLE_SHOWS(&schema),
    .inapplicable = mk_table_same_distribution,
    .make = make_survival};
