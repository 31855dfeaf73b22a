/* How many rewards above a threshold each policy drew: the events X > 1.0 of Hu, Qian & Yu 2019, Figure 1 (b).
 *
 * None of this is stored in results, nor needs to be: rewards are a function of (seed, instance, replication, arm, n)
 * alone, so the first N_i(T) rewards of every arm are drawn again from the stored pulls. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/figures/plot/plot_text.h"
#include "analysis/answers/figures/result_view.h"
#include "analysis/answers/tables/result_tables.h"
#include "distributions/dist.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/order.h"
#include "sim/base/statistics.h"
#include "sim/base/text.h"
#include "sim/run/tape/reward_tape.h"

struct exceed_options {
    double threshold;
    const char *folder;
};

#define COLUMNS(X)                                                                                                     \
    MK_PLACE_COLUMNS(X)                                                                                                \
    X(THRESHOLD, "threshold", REAL, "rewards", "the threshold x")                                                      \
    X(REPLICATIONS, "replications", COUNT, "", "replications of the instance")                                         \
    X(MEAN_ABOVE, "mean_above", REAL, "rewards", "mean number of rewards above x up to horizon T")                     \
    X(SE_ABOVE, "se_above", REAL, "rewards", "its standard error over the replications")                               \
    X(BEST_EXPECTED, "best_arm_expected", REAL, "rewards", "T times the largest P(X > x) of any arm")                  \
    X(LARGEST_BEST, "largest_from_best", REAL, "",                                                                     \
      "share of the replications whose largest reward is one of the best arm")                                         \
    X(MOST_BEST, "most_pulls_best", REAL, "", "share of the replications in which no other arm has as many pulls as it")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_view view[] = {COLUMNS(MK_COLUMN_SEEN) MK_TABLE_VIEW_END};
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("rewards above a threshold", columns, view);

/* ---- rewards drawn again ---- */

static uint64_t count_above(const double *x, uint64_t n, double threshold)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++) count += x[i] > threshold;
    return count;
}

/* Of the first pulls[…] rewards of every arm of the tape's unit: how many are above the threshold, the largest of all
 * and an arm that has it. */
static uint64_t look(struct mk_reward_tape *tape, const uint64_t *pulls, double threshold, double *largest, size_t *arm)
{
    const struct mk_instance *in = &tape->problem->instance[tape->instance];
    uint64_t count = 0;
    *largest = -INFINITY;
    *arm = SIZE_MAX;
    for (size_t k = 0; k < in->n_arms; k++) {
        uint64_t n = pulls[in->arm[k]];
        if (n == 0) continue;
        mk_reward_tape_reward(tape, k, n - 1);
        if (tape->rewards.failed) return 0;
        const double *x = tape->rewards.arm[k].reward;
        const double top = mk_largest((size_t)n, x);
        if (top > *largest) *arm = in->arm[k];
        *largest = fmax(*largest, top);
        count += count_above(x, n, threshold);
    }
    return count;
}

static int check_pulls(const struct mk_result_info *info, size_t policy, struct mk_error *err)
{
    if (!info->has_pulls)
        return mk_fail(err, MK_EINPUT, "%s: contains no pulls of single replications; run with keep: pulls",
                       info->path);
    if (strcmp(info->policy_engine[policy], "record") == 0)
        return mk_fail(err, MK_EINPUT,
                       "%s: policy %s was played by the record engine, which draws no rewards; run with "
                       "--engine per-pull",
                       info->path, info->policy[policy]);
    return MK_OK;
}

/* Over the replications, at one horizon. */
struct tally {
    struct mk_count_moments above; /* rewards above the threshold */
    uint64_t largest_of_best,
        most_for_best; /* replications whose largest reward, whose most pulls are of the best arm */
};

static bool has_most(const uint64_t *pulls, size_t arms, size_t arm)
{
    bool most = true;
    for (size_t k = 0; k < arms; k++) most &= k == arm || pulls[k] < pulls[arm];
    return most;
}

/* tally[horizon]: of the first T rewards of every replication. Errors:
 * MK_EINPUT if the file has no pulls, the policy was played by the record engine, or the rewards drawn again do not
 * have the stored maximum. */
static int count_rewards(struct mk_result *r, const struct mk_experiment *e, size_t policy, size_t instance,
                         double threshold, struct tally *tally, struct mk_error *err)
{
    const struct mk_result_info *info = mk_result_info(r);
    const size_t n = (size_t)info->replications, own = (size_t)info->own_replications[instance];
    const size_t arms = info->n_arms, horizons = info->n_horizons;
    struct mk_reward_tape *tape = NULL;
    uint64_t *pulls = malloc(horizons * n * arms * sizeof *pulls);
    double *best = malloc(horizons * n * sizeof *best);
    int code = pulls && best ? check_pulls(info, policy, err) : mk_fail_memory(err, "pulls");
    if (!code) code = mk_reward_tape_new(&tape, e->problem, e->seed, err);
    for (size_t h = 0; h < horizons && !code; h++)
        code = mk_result_raw(r, policy, instance, h, pulls + h * n * arms, best + h * n, err);
    memset(tally, 0, horizons * sizeof *tally);
    for (size_t i = 0; i < own && !code; i++) {
        mk_reward_tape_seek(tape, instance, i);
        for (size_t h = 0; h < horizons && !code; h++) {
            const size_t best_arm = mk_truth_best(info->truth, instance, h);
            const uint64_t *its = pulls + (h * n + i) * arms;
            double largest;
            size_t arm;
            mk_count_moments_add(&tally[h].above, look(tape, its, threshold, &largest, &arm));
            tally[h].largest_of_best += best_arm != SIZE_MAX && arm == best_arm;
            tally[h].most_for_best += best_arm != SIZE_MAX && has_most(its, arms, best_arm);
            if (tape->rewards.failed || largest != best[h * n + i])
                code = mk_fail(err, MK_EINPUT,
                               "%s: policy %s, replication %zu: the rewards cannot be drawn again; they come "
                               "from another version of the program or of its input",
                               info->path, info->policy[policy], i);
        }
    }
    mk_reward_tape_free(tape);
    free(pulls);
    free(best);
    return code;
}

/* T times the largest P(X > threshold) of any arm: what the best single arm gives. NaN for trajectories. */
static double best_expected(const struct mk_problem *p, double threshold, uint64_t horizon)
{
    double largest = 0;
    if (!p->source->known) return NAN;
    for (size_t k = 0; k < p->n_arms; k++)
        largest = fmax(largest, (double)mk_arm_reach(p, k, horizon) * mk_dist_above(p->dist[k], threshold));
    return largest;
}

/* ---- the table ---- */

struct exceed {
    struct mk_result *result;
    const struct mk_result_info *info;
    struct mk_experiment *experiment;
    struct tally *tally; /* [horizon] of the current cell */
    double threshold;
    struct mk_table *table;
    struct mk_plot *plot;  /* NULL: none */
    struct mk_mean *drawn; /* [horizon] of the current policy: sums over instances of means and of squared errors */
};

static void add_rows(const struct exceed *x, size_t policy, size_t instance)
{
    const uint64_t own = x->info->own_replications[instance];
    const double n = (double)own;
    for (size_t h = 0; h < x->info->n_horizons; h++) {
        const struct tally *of = &x->tally[h];
        const bool known = mk_truth_best(x->info->truth, instance, h) != SIZE_MAX;
        mk_table_set_place(x->table, x->info, (struct mk_cell_index){policy, instance, h});
        mk_table_set_real(x->table, THRESHOLD, x->threshold);
        mk_table_set_count(x->table, REPLICATIONS, own);
        mk_table_set_real(x->table, MEAN_ABOVE, mk_count_moments_mean(&of->above));
        mk_table_set_real(x->table, SE_ABOVE, mk_spread_error(&of->above.spread));
        mk_table_set_real(x->table, BEST_EXPECTED,
                          best_expected(x->experiment->problem, x->threshold, x->info->horizon[h]));
        mk_table_set_real(x->table, LARGEST_BEST, known ? (double)of->largest_of_best / n : NAN);
        mk_table_set_real(x->table, MOST_BEST, known ? (double)of->most_for_best / n : NAN);
        mk_table_end_row(x->table);
    }
}

static int add_curve(const struct exceed *x, size_t policy, struct mk_error *err)
{
    struct mk_curve *c = mk_plot_add(x->plot, x->info->policy[policy], x->info->n_horizons, x->info->replications > 1);
    if (!c) return mk_fail_memory(err, "a figure");
    c->style = MK_CURVE_LINE_POINTS;
    for (size_t h = 0; h < c->n; h++) {
        const double n = (double)x->info->n_instances;
        struct mk_mean mean = {x->drawn[h].mean / n, sqrt(x->drawn[h].se) / n};
        mk_curve_set(c, h, mk_result_amount(x->info, h), mean, MK_MEASURE_BEST_REWARD);
    }
    return MK_OK;
}

static void add_to_curve(const struct exceed *x)
{
    for (size_t h = 0; h < x->info->n_horizons; h++) {
        const double error = mk_spread_error(&x->tally[h].above.spread);
        x->drawn[h].mean += mk_count_moments_mean(&x->tally[h].above);
        x->drawn[h].se += error * error;
    }
}

static int all_cells(const struct exceed *x, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t policy = 0; policy < x->info->n_policies && !code; policy++) {
        if (mk_result_policy_has(x->info, policy, MK_POLICY_COMBINED)) continue; /* its rewards are not the arms' */
        memset(x->drawn, 0, x->info->n_horizons * sizeof *x->drawn);
        for (size_t i = 0; i < x->info->n_instances && !code; i++) {
            code = count_rewards(x->result, x->experiment, policy, i, x->threshold, x->tally, err);
            if (code) break;
            add_rows(x, policy, i);
            add_to_curve(x);
        }
        if (x->plot && !code) code = add_curve(x, policy, err);
    }
    return code;
}

static void describe(const struct exceed *x, struct mk_plot *p)
{
    char number[32];
    mk_result_view_plot(&(struct mk_result_view){.info = x->info}, p, "mean and 95 %% band");
    snprintf(p->x.label, sizeof p->x.label, "horizon T (%s)", x->info->by_cost ? "sum of costs" : "pulls");
    snprintf(p->y.label, sizeof p->y.label, "rewards above %s", mk_format_real(x->threshold, number, sizeof number));
}

static int draw(const struct exceed *x, const char *folder, struct mk_error *err)
{
    char prefix[128], name[160];
    if (x->plot->n_curves == 0) return MK_OK;
    mk_file_name_part(x->info->name, prefix, sizeof prefix);
    snprintf(name, sizeof name, "%s_exceed", prefix);
    int code = mk_make_folder(folder, err);
    if (!code) code = mk_plot_draw(x->plot, folder, name, MK_PLOT_PNG, err);
    if (!code) mk_table_add_warning(x->table, "%s/%s.png", folder, name);
    return code;
}

static int make_exceed(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct exceed_options *o = call->options;
    struct exceed x = {.result = call->result, .threshold = o->threshold};
    struct mk_plot plot;
    if (!isfinite(o->threshold))
        return mk_fail(err, MK_EINPUT,
                       "maxk exceed: --above: missing; expected a finite number (see maxk exceed --help)");
    mk_plot_init(&plot);
    if (o->folder) x.plot = &plot;
    int code = x.result ? MK_OK : mk_result_open(&x.result, call->input[0], err);
    if (!code) {
        x.info = mk_result_info(x.result);
        code = mk_result_check_choosing(x.info, err);
    }
    if (!code) code = mk_result_experiment(x.result, NULL, &x.experiment, err);
    if (!code) x.tally = calloc(x.info->n_horizons, sizeof *x.tally);
    if (!code) x.drawn = calloc(x.info->n_horizons, sizeof *x.drawn);
    if (!code && (!x.tally || !x.drawn)) code = mk_fail_memory(err, "counts");
    if (!code && x.plot) describe(&x, x.plot);
    if (!code) code = mk_table_new(&x.table, &schema, err);
    if (!code) mk_table_take_horizons(x.table, x.info->by_cost, x.info->cost_parts);
    if (!code) code = mk_table_add_swept(x.table, x.info, NULL, err);
    if (!code) code = all_cells(&x, err);
    if (!code && o->folder) code = draw(&x, o->folder, err);
    free(x.tally);
    free(x.drawn);
    mk_plot_clear(&plot);
    mk_experiment_free(x.experiment);
    if (!call->result) mk_result_free(x.result);
    return mk_table_made(out, x.table, code, err);
}

static const struct exceed_options defaults = {.threshold = NAN};
static const struct mk_table_option options[] = {
    MK_TABLE_OPTION(struct exceed_options, threshold, "above", 'a', MK_OPT_REAL, "X", NULL, 0, -1,
                    "the threshold (required)"),
    MK_TABLE_OPTION(struct exceed_options, folder, "out", 'o', MK_OPT_TEXT, "DIR", NULL, 0, -1,
                    "also draw the counts against T into this folder"),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_exceed = {
    .usage =
        {"exceed", "RESULT.h5",
         "Counts how many rewards above a threshold each policy drew up to each horizon. Printed are the mean and the "
         "standard error over the replications and, for comparison, T times the largest P(X > threshold) of all arms, "
         "which is the mean count of T pulls of the arm that exceeds the threshold most often.\n\nOf the best arm at T, the one with the largest expected maximum, "
         "`largest_from_best` is the share of the replications whose largest reward it gave, and `most_pulls_best` the "
         "share in which it was pulled more often than any other arm (Hu et al. 2019, Table 1).\n\nThe rewards are "
         "drawn again from the stored pulls. The result must therefore contain the pulls of single replications (keep: "
         "pulls, the default) and come from the per-pull engine (maxk run --engine per-pull).",
         1, 1},
    .group = "Results",
    .summary = "count rewards above a threshold",
    MK_TABLE_TAKES(options, defaults),
    .printing_last = true,
    MK_TABLE_SHOWS(&schema),
    .inapplicable = mk_table_choosing,
    .required = "--above X",
    .make = make_exceed};
