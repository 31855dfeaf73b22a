/* Time and cost to target, and speed-ups against a baseline. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/tables/table_type.h"
#include "analysis/compare/targets.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/run/store/cells.h"
#include "sim/search/models/significance.h"

struct targets_options {
    struct mk_texts policies, without;
    const char *among, *baseline;
    uint64_t levels;
    double target, confidence;
    int cost, speed_ups;
};

#define COLUMNS(X)                                                                                                     \
    X(POLICY, "policy", TEXT, "", "label of the policy")                                                               \
    X(LEVEL, "level", REAL, "",                                                                                        \
      "the target, as share of the way from the lowest mean at the first horizon to the highest at the last")          \
    X(INSTANCES, "instances", COUNT, "", "instances on which all compared policies have a value")                      \
    X(REACHED, "reached", REAL, "", "share of the replications that reach the target, mean over the instances")        \
    X(NEVER, "never", COUNT, "instances", "instances on which no replication reaches it")                              \
    X(ERT, "ert", REAL, "pulls or costs", "expected running time, geometric mean over the other instances")            \
    X(COMPARED, "compared", COUNT, "instances", "instances on which the policy and the baseline both reach it")        \
    X(SPEED_UP, "speed_up", REAL, "", "running time of the baseline / that of the policy, geometric mean over these")  \
    X(LOW, "speed_up_low", REAL, "", "lower end of its interval (Student's, of the logarithms)")                       \
    X(HIGH, "speed_up_high", REAL, "", "upper end of the interval")                                                    \
    X(FASTER, "faster", COUNT, "instances", "instances on which the policy is faster; never reaching it is slowest")   \
    X(SLOWER, "slower", COUNT, "instances", "instances on which the baseline is faster")                               \
    X(P_UNTIED, "p_untied", REAL, "", "two-sided sign test of these two numbers")                                      \
    X(P_HOLM, "p_holm", REAL, "", "p_untied, adjusted by Holm for all rows of the table")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_view view[] = {{POLICY, "policy", NULL},
                                            {LEVEL, "level", "%.2f"},
                                            {REACHED, "reached", "%.3f"},
                                            {NEVER, "never", NULL},
                                            {ERT, "ert", "%.4g"},
                                            {COMPARED, "compared", NULL},
                                            {SPEED_UP, "speed_up", "%.3f"},
                                            {LOW, "speed_up_low", "%.3f"},
                                            {HIGH, "speed_up_high", "%.3f"},
                                            {FASTER, "faster", NULL},
                                            {SLOWER, "slower", NULL},
                                            {P_HOLM, "p_holm", "%.4f"},
                                            MK_TABLE_VIEW_END};
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("time to target", columns, view);

struct work {
    struct mk_table *table;
    struct mk_scores *scores;
    struct mk_targets *targets;
    size_t baseline;
    double confidence;
};

/* Mean and Student's interval of n values. */
static void student(const double *value, size_t n, double confidence, double *mean, double *low, double *high)
{
    struct mk_real_moments m = {0};
    for (size_t i = 0; i < n; i++) mk_real_moments_add(&m, value[i]);
    const double half = mk_spread_student(&m.spread, confidence);
    *mean = mk_real_moments_mean(&m);
    *low = *mean - half;
    *high = *mean + half;
}

/* ---- by policy and level ---- */

/* What the instances say of a policy at a level. */
struct record {
    size_t never, reaching, compared;
    double reached, log_ert;
    struct mk_win_counts won;
    double speed_up, low, high;
    double p; /* of the sign test; NaN of the baseline */
};

static void measure(struct record *out, const struct work *w, size_t policy, size_t level, double *scratch)
{
    const struct mk_targets *t = w->targets;
    *out = (struct record){0};
    for (size_t n = 0; n < t->n_instances; n++) {
        const size_t i = t->instance[n], at = mk_target_at(t, i, level, policy);
        const double its = t->ert[at], base = t->ert[mk_target_at(t, i, level, w->baseline)];
        out->reached += t->reached[at] / (double)t->n_instances;
        if (isinf(its)) out->never++;
        if (isfinite(its)) out->log_ert += log(its), out->reaching++;
        if (isfinite(its) && isfinite(base)) scratch[out->compared++] = log(base / its);
        out->won.wins += its < base;
        out->won.losses += its > base;
    }
    student(scratch, out->compared, w->confidence, &out->speed_up, &out->low, &out->high);
    out->p = policy == w->baseline ? NAN : mk_sign_test_two_sided(out->won);
}

static void add_level_row(const struct work *w, size_t policy, size_t level, const struct record *r, double holm)
{
    const bool other = policy != w->baseline;
    struct mk_table *t = w->table;
    mk_table_set_text(t, POLICY, w->scores->info->policy[w->scores->policy[policy]]);
    mk_table_set_real(t, LEVEL, (double)(level + 1) / (double)w->targets->n_levels);
    mk_table_set_count(t, INSTANCES, w->targets->n_instances);
    mk_table_set_real(t, REACHED, r->reached);
    mk_table_set_count(t, NEVER, r->never);
    mk_table_set_real(t, ERT, exp(r->log_ert / (double)r->reaching));
    mk_table_set_count(t, COMPARED, r->compared);
    mk_table_set_real(t, SPEED_UP, other ? exp(r->speed_up) : NAN);
    mk_table_set_real(t, LOW, other ? exp(r->low) : NAN);
    mk_table_set_real(t, HIGH, other ? exp(r->high) : NAN);
    mk_table_set_count(t, FASTER, r->won.wins);
    mk_table_set_count(t, SLOWER, r->won.losses);
    mk_table_set_real(t, P_UNTIED, r->p);
    mk_table_set_real(t, P_HOLM, holm);
    mk_table_end_row(t);
}

static int add_levels(const struct work *w, struct mk_error *err)
{
    const size_t levels = w->targets->n_levels, n = w->scores->n_policies * levels;
    struct record *r = malloc(n * sizeof *r);
    double *p = malloc(n * sizeof *p), *scratch = malloc((w->scores->n_instances + 1) * sizeof *scratch);
    int code = r && p && scratch ? MK_OK : mk_fail_memory(err, "targets");
    for (size_t i = 0; i < n && !code; i++) {
        measure(&r[i], w, i / levels, i % levels, scratch);
        p[i] = r[i].p;
    }
    if (!code) code = mk_holm(p, n, p, err);
    for (size_t i = 0; i < n && !code; i++) add_level_row(w, i / levels, i % levels, &r[i], p[i]);
    free(r);
    free(p);
    free(scratch);
    return code;
}

/* ---- shares of targets over time ---- */

#define SHARE_COLUMNS(X)                                                                                               \
    X(S_POLICY, "policy", TEXT, "", "label of the policy")                                                             \
    X(S_TIME, "time", REAL, "pulls or costs", "a horizon; with --cost what its pulls cost in the mean")                \
    X(S_REACHED, "reached", REAL, "", "share of all targets and replications reached by then, mean over instances")    \
    X(S_LOW, "low", REAL, "", "lower end of Student's interval over the instances")                                    \
    X(S_HIGH, "high", REAL, "", "upper end of the interval")
MK_TABLE_COLUMNS(share_columns, SHARE_COLUMNS);
static const struct mk_table_schema share_schema = MK_TABLE_SCHEMA("targets reached", share_columns, NULL);

#define AREA_COLUMNS(X)                                                                                                \
    X(A_POLICY, "policy", TEXT, "", "label of the policy")                                                             \
    X(A_AREA, "area", REAL, "", "share of targets reached, averaged over the time from the first to the last horizon") \
    X(A_DIFFERENCE, "difference", REAL, "", "area less that of the baseline, mean over the instances")                 \
    X(A_LOW, "difference_low", REAL, "", "lower end of Student's interval over the instances")                         \
    X(A_HIGH, "difference_high", REAL, "", "upper end of the interval")
MK_TABLE_COLUMNS(area_columns, AREA_COLUMNS);
static const struct mk_table_schema area_schema =
    MK_TABLE_SCHEMA("area under the shares of targets reached", area_columns, NULL);

/* The mean time of horizon h over instances and policies; the horizon itself where time is counted in pulls. */
static double grid_time(const struct work *w, size_t h)
{
    const struct mk_targets *t = w->targets;
    const size_t P = w->scores->n_policies;
    double sum = 0;
    for (size_t n = 0; n < t->n_instances; n++)
        for (size_t p = 0; p < P; p++) sum += mk_targets_time(t, t->instance[n], p, h);
    return sum / (double)(t->n_instances * P);
}

/* share[policy][instance][horizon] at the times of the grid. */
static void fill_shares(const struct work *w, const double *time, double *share)
{
    const struct mk_targets *t = w->targets;
    for (size_t p = 0; p < w->scores->n_policies; p++)
        for (size_t n = 0; n < t->n_instances; n++)
            for (size_t h = 0; h < w->scores->n_horizons; h++)
                *share++ = mk_targets_reached(t, t->instance[n], p, time[h]);
}

/* Of a step function that is known at the horizons. */
static double area_under(const double *time, const double *share, size_t n)
{
    double sum = 0;
    for (size_t h = 0; h + 1 < n; h++) sum += share[h] * (time[h + 1] - time[h]);
    return n > 1 ? sum / (time[n - 1] - time[0]) : share[0];
}

static void add_shares(struct mk_table *t, const struct work *w, const double *time, const double *share,
                       double *scratch)
{
    const struct mk_scores *s = w->scores;
    const size_t H = s->n_horizons, N = w->targets->n_instances;
    for (size_t p = 0; p < s->n_policies; p++)
        for (size_t h = 0; h < H; h++) {
            double mean, low, high;
            for (size_t i = 0; i < N; i++) scratch[i] = share[(p * N + i) * H + h];
            student(scratch, N, w->confidence, &mean, &low, &high);
            mk_table_set_text(t, S_POLICY, s->info->policy[s->policy[p]]);
            mk_table_set_real(t, S_TIME, time[h]);
            mk_table_set_real(t, S_REACHED, mean);
            mk_table_set_real(t, S_LOW, low);
            mk_table_set_real(t, S_HIGH, high);
            mk_table_end_row(t);
        }
}

static void add_areas(struct mk_table *t, const struct work *w, const double *time, const double *share,
                      double *scratch)
{
    const struct mk_scores *s = w->scores;
    const size_t H = s->n_horizons, N = w->targets->n_instances;
    for (size_t p = 0; p < s->n_policies; p++) {
        double area = 0, mean, low, high;
        for (size_t i = 0; i < N; i++) {
            const double its = area_under(time, share + (p * N + i) * H, H);
            area += its / (double)N;
            scratch[i] = its - area_under(time, share + (w->baseline * N + i) * H, H);
        }
        const bool other = p != w->baseline;
        student(scratch, N, w->confidence, &mean, &low, &high);
        mk_table_set_text(t, A_POLICY, s->info->policy[s->policy[p]]);
        mk_table_set_real(t, A_AREA, area);
        mk_table_set_real(t, A_DIFFERENCE, other ? mean : NAN);
        mk_table_set_real(t, A_LOW, other ? low : NAN);
        mk_table_set_real(t, A_HIGH, other ? high : NAN);
        mk_table_end_row(t);
    }
}

static int append_over_time(const struct work *w, struct mk_error *err)
{
    const struct mk_scores *s = w->scores;
    struct mk_table *shares = NULL, *areas = NULL;
    double *time = malloc((s->n_horizons + 1) * sizeof *time);
    double *share = malloc((s->n_policies * s->n_instances * s->n_horizons + 1) * sizeof *share);
    double *scratch = malloc((s->n_instances + 1) * sizeof *scratch);
    int code = time && share && scratch ? MK_OK : mk_fail_memory(err, "targets");
    if (!code) code = mk_table_new(&areas, &area_schema, err);
    if (!code) mk_table_append(w->table, areas);
    if (!code) code = mk_table_new(&shares, &share_schema, err);
    if (!code) mk_table_append(w->table, shares);
    if (!code) {
        for (size_t h = 0; h < s->n_horizons; h++) time[h] = grid_time(w, h);
        fill_shares(w, time, share);
        mk_table_set_caption(areas, "Share of all targets reached, averaged over time:");
        add_areas(areas, w, time, share, scratch);
        mk_table_set_caption(shares, "Share of all targets reached by a time:");
        add_shares(shares, w, time, share, scratch);
    }
    free(time);
    free(share);
    free(scratch);
    return code;
}

/* ---- speed-ups ---- */

#define SPEED_COLUMNS(X)                                                                                               \
    X(U_INSTANCE, "instance", TEXT, "", "instance")                                                                    \
    X(U_POLICY, "policy", TEXT, "", "label of the policy")                                                             \
    X(U_VALUE, "value", REAL, "rewards", "mean largest reward that both reach: the smaller one at the last horizon")   \
    X(U_BASELINE, "baseline_time", REAL, "pulls or costs",                                                             \
      "time of the first horizon at which the baseline's mean has it")                                                 \
    X(U_TIME, "time", REAL, "pulls or costs", "time of the first horizon at which the policy's mean has it")           \
    X(U_SPEED_UP, "speed_up", REAL, "", "baseline_time / time")
MK_TABLE_COLUMNS(speed_columns, SPEED_COLUMNS);
static const struct mk_table_schema speed_schema =
    MK_TABLE_SCHEMA("speed-ups on every instance (--speed-ups)", speed_columns, NULL);

static void add_speed_ups(const struct work *w)
{
    const struct mk_scores *s = w->scores;
    struct mk_table *t = w->table;
    for (size_t n = 0; n < w->targets->n_instances; n++)
        for (size_t p = 0; p < s->n_policies; p++) {
            const size_t i = w->targets->instance[n];
            struct mk_speed_up u;
            if (p == w->baseline) continue;
            mk_targets_speed_up(&u, w->targets, i, p, w->baseline);
            mk_table_set_text(t, U_INSTANCE, mk_scored_name(s, i));
            mk_table_set_text(t, U_POLICY, s->info->policy[s->policy[p]]);
            mk_table_set_real(t, U_VALUE, u.value);
            mk_table_set_real(t, U_BASELINE, u.baseline_time);
            mk_table_set_real(t, U_TIME, u.time);
            mk_table_set_real(t, U_SPEED_UP, u.baseline_time / u.time);
            mk_table_end_row(t);
        }
}

/* ---- making ---- */

static int read_scores(struct work *w, struct mk_result *r, const struct targets_options *o, struct mk_error *err)
{
    const struct mk_result_info *info = mk_result_info(r);
    const struct mk_policy_selection chosen = {o->policies.text, o->without.text, o->policies.n,
                                               o->without.n,     o->among,        "targets"};
    struct mk_experiment *e = NULL;
    struct mk_costs_of costs = {NULL, NULL};
    char *keep = malloc(info->n_policies);
    size_t *at = malloc(info->n_horizons * sizeof *at);
    int code = keep && at ? MK_OK : mk_fail_memory(err, "targets");
    for (size_t h = 0; !code && h < info->n_horizons; h++) at[h] = h;
    if (!code) code = mk_policy_selection_apply(&chosen, info, keep, err);
    if (!code) code = mk_scores_read(&w->scores, r, keep, at, info->n_horizons, err);
    if (!code) code = mk_scores_find_baseline(&w->baseline, w->scores, "targets", o->baseline, err);
    if (!code && o->cost && !info->has_costs) code = mk_result_experiment(r, NULL, &e, err);
    if (!code && e) costs.p = e->problem;
    if (!code)
        code = mk_targets_new(&w->targets, w->scores, r, (size_t)o->levels, o->target, o->cost ? &costs : NULL, err);
    mk_experiment_free(e);
    free(keep);
    free(at);
    return code;
}

static int make_targets(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct targets_options *o = call->options;
    struct work w = {.confidence = o->confidence};
    struct mk_result *r = call->result;
    if (o->speed_ups && isfinite(o->target))
        return mk_fail(err, MK_EINPUT, "maxk targets: --speed-ups: cannot be combined with --target");
    int code = r ? MK_OK : mk_result_open(&r, call->input[0], err);
    if (!code) code = mk_table_new(&w.table, o->speed_ups ? &speed_schema : &schema, err);
    if (!code) code = read_scores(&w, r, o, err);
    if (!code && mk_result_info(r)->by_cost) mk_table_add_note(w.table, "%s", mk_cost_horizons_text);
    if (!code && w.targets->n_instances < w.scores->n_instances)
        mk_table_add_note(w.table, "%zu of %zu instances are left out, on which some policy has no value.",
                          w.scores->n_instances - w.targets->n_instances, w.scores->n_instances);
    if (!code && o->speed_ups) add_speed_ups(&w);
    if (!code && !o->speed_ups) code = add_levels(&w, err);
    if (!code && !o->speed_ups && call->further) code = append_over_time(&w, err);
    mk_targets_free(w.targets);
    mk_scores_free(w.scores);
    if (!call->result) mk_result_free(r);
    return mk_table_made(out, w.table, code, err);
}

static const char *targets_inapplicable(struct mk_result *r)
{
    const struct mk_result_info *i = mk_result_info(r);
    return i->n_policies < 2 ? "it has one policy" : !i->has_pulls ? "it keeps no single replications" : NULL;
}

static const struct targets_options defaults = {.levels = 5, .target = INFINITY, .confidence = 0.95};
#define OPTION(field, ...) MK_TABLE_OPTION(struct targets_options, field, __VA_ARGS__)
static const struct mk_table_option options[] = {
    OPTION(baseline, "baseline", 0, MK_OPT_TEXT, "POLICY", NULL, 1, 0,
           "label of the policy that others are compared with (default: a combined search, else random, uniform, the "
           "first)"),
    OPTION(policies, "policy", 0, MK_OPT_TEXTS, "POLICY", NULL, 1, 0, "compare only this policy and others named so"),
    OPTION(without, "without", 0, MK_OPT_TEXTS, "POLICY", NULL, 1, 0, "leave out a policy; may be repeated"),
    OPTION(among, "among", 0, MK_OPT_TEXT, "NAME", NULL, 1, 0,
           "compare only the policies of this name, such as max_ucb"),
    OPTION(levels, "levels", 0, MK_OPT_COUNT, "N", NULL, 1, 1000, "targets per instance (default: 5)"),
    OPTION(target, "target", 0, MK_OPT_REAL, "X", NULL, -1e300, 1e300,
           "one target, the reward X, the same on every instance"),
    OPTION(cost, "cost", 0, MK_OPT_FLAG, NULL, NULL, 1, 0, "count time in costs of pulls"),
    OPTION(speed_ups, "speed-ups", 0, MK_OPT_FLAG, NULL, NULL, 1, 0,
           "speed-ups on every instance, as in Li et al. 2020"),
    OPTION(confidence, "confidence", 0, MK_OPT_REAL, "P", NULL, 0.01, 0.9999,
           "confidence level of the intervals (default: 0.95)"),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_targets = {
    .usage =
        {"targets", "RESULT.h5",
         "Says how long the policies of a result take to reach given rewards. Each instance has --levels targets, at "
         "equal distances from the lowest mean of a policy at the first horizon to the highest mean of a policy at the "
         "last horizon. A replication reaches a target at the first horizon at which its largest reward is as large, so "
         "that the horizons of the result are the steps of time.\n\n  reached  share of the replications that reach the "
         "target, averaged over the instances\n  ert  expected running time: the time of all replications, divided by "
         "the number of those that reach the target; geometric mean over the instances\n  never  number of instances on "
         "which no replication reaches the target; they do not count in ert\n  speed_up  running time of the baseline "
         "divided by that of the policy, on the instances on which both reach the target; above 1 the policy is "
         "faster\n  faster, slower  instances on which the policy needs less time than the baseline, and more\n  p_holm "
         " two-sided sign test of these two numbers, adjusted for all rows\n\nTwo more tables follow in text: the share of "
         "all targets that is reached by each horizon (the empirical distribution function of running times), and its "
         "average over time, the area under that curve.\n\nWith --speed-ups there is one row for every instance and "
         "policy, as in Table 3 of Li et al. 2020: the times that the mean largest rewards of the baseline and of the "
         "policy take to the smaller one of their final values.",
         1, 1},
    .group = "Results",
    .summary = "time and cost until policies reach given rewards, and speed-ups",
    MK_TABLE_TAKES(options, defaults),
    MK_TABLE_SHOWS(&schema, &area_schema, &share_schema, &speed_schema),
    .inapplicable = targets_inapplicable,
    .make = make_targets};
