/* Pulls of a suboptimal arm against lock-outs where it is the best, and what no policy can stay below: Theorem 12. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/figures/plot/plot.h"
#include "analysis/answers/tables/table_type.h"
#include "analysis/theory/every_policy.h"
#include "distributions/candidates.h"
#include "distributions/dist.h"
#include "sim/api/maxk/bounds.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/param.h"
#include "sim/base/statistics.h"
#include "sim/base/text.h"
#include "sim/run/store/cells.h"

static const double tail = 0.025; /* of the 95 % intervals */
static const double half = 0.5;   /* the lock-outs that results without single replications have counted */

struct frontier_options {
    double rarely;
    const char *folder;
    int format;
};

#define COLUMNS(X)                                                                                                     \
    X(POLICY, "policy", TEXT, "", "label of the policy in both results")                                               \
    X(HORIZON, "horizon", COUNT, "pulls", "horizon T")                                                                 \
    X(ARM, "arm", COUNT, "", "number of the arm that differs between the results, from 0")                             \
    X(MEAN_PULLS, "mean_pulls", REAL, "pulls", "mean pulls of that arm where it is suboptimal")                        \
    X(CI_LOW, "ci_low", REAL, "pulls", "lower end of the 95 % interval of that mean")                                  \
    X(CI_HIGH, "ci_high", REAL, "pulls", "upper end of the interval")                                                  \
    X(LOCK_OUTS, "lock_outs", REAL, "", "share of the replications with N(T) < S T where the arm is the best")         \
    X(LOCK_OUTS_LOW, "lock_outs_low", REAL, "", "lower end of its 95 % interval (Clopper and Pearson)")                \
    X(LOCK_OUTS_HIGH, "lock_outs_high", REAL, "", "upper end of the interval")                                         \
    X(DIVERGENCE, "divergence", REAL, "", "Kullback-Leibler divergence of the arm's two distributions, or more")       \
    X(BOUND, "bound", REAL, "pulls", "no policy with lock_outs_high has fewer mean pulls (Theorem 12)")                \
    X(RATIO, "ratio", REAL, "", "mean_pulls / bound")                                                                  \
    X(VERDICT, "verdict", TEXT, "", "holds, violated, inconclusive, or not-applicable: the policy knows the arms")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("pulls against lock-outs", columns, NULL);

enum { HERE, THERE, RESULTS }; /* where the arm is suboptimal, and where it is the best */

struct frontier {
    struct mk_result *result[RESULTS];
    const struct mk_result_info *info[RESULTS];
    struct mk_experiment *e[RESULTS];
    size_t arm;
    double divergence, rarely;
    uint64_t *pulls; /* [replication][arm] room; NULL: the second result has no single replications */
    struct mk_table *table;
    struct mk_plot *plot; /* NULL: none */
    uint64_t drawn;       /* horizon of the figure, the largest of both results */
};

/* ---- the arm that differs ---- */

static bool is_same(const struct mk_dist *a, const struct mk_dist *b)
{
    char *x = mk_dist_text(a), *y = mk_dist_text(b);
    const bool same = x && y && strcmp(x, y) == 0;
    free(x);
    free(y);
    return same;
}

/* The weight of `part` in a mixture; 0: none. */
static double weight_in(const struct mk_dist *mixture, const struct mk_dist *part)
{
    double weight = 0, all = 0;
    if (!mixture->type->params || mk_param_find(mixture->type->params, "components") < 0) return 0;
    for (size_t k = 0; k < mixture->n_parts; k++) {
        all += mixture->values[k];
        if (is_same(mixture->part[k], part)) weight += mixture->values[k];
    }
    return weight / all;
}

static int not_a_pair(const struct frontier *w, const char *why, struct mk_error *err)
{
    return mk_fail(err, MK_EINPUT,
                   "%s: %s; expected the arms of %s, one of which is a mixture with itself as a component",
                   w->info[THERE]->path, why, w->info[HERE]->path);
}

/* Both have the same arms but one, which in the second is a mixture of itself and something else. */
static int find_arm(struct frontier *w, struct mk_error *err)
{
    const struct mk_problem *here = w->e[HERE]->problem, *there = w->e[THERE]->problem;
    size_t differ = 0;
    for (size_t r = 0; r < RESULTS; r++)
        if (!w->e[r]->problem->source->known)
            return mk_fail(err, MK_EINPUT, "%s: expected arms with known distributions", w->info[r]->path);
    if (here->n_arms != there->n_arms) return not_a_pair(w, "it has another number of arms", err);
    for (size_t k = 0; k < here->n_arms; k++) {
        if (here->cost[k] != there->cost[k]) return not_a_pair(w, "an arm has another cost", err);
        if (is_same(here->dist[k], there->dist[k])) continue;
        differ++;
        w->arm = k;
    }
    if (differ != 1) return not_a_pair(w, differ ? "more than one arm differs" : "no arm differs", err);
    const double weight = weight_in(there->dist[w->arm], here->dist[w->arm]);
    if (!(weight > 0)) return not_a_pair(w, "the arm that differs does not contain the other", err);
    w->divergence = -log(weight) * (1 + 1e-12);
    return MK_OK;
}

/* ---- rows ---- */

static size_t find_horizon(const struct mk_result_info *i, uint64_t horizon)
{
    size_t h = 0;
    while (h < i->n_horizons && i->horizon[h] != horizon) h++;
    return h;
}

/* Position of the same policy in the second result; n_policies: it has none. */
static size_t find_twin(const struct frontier *w, size_t policy)
{
    const struct mk_result_info *here = w->info[HERE], *there = w->info[THERE];
    size_t p = 0;
    while (p < there->n_policies && (strcmp(there->policy[p], here->policy[policy]) != 0 ||
                                     strcmp(there->policy_name[p], here->policy_name[policy]) != 0 ||
                                     strcmp(there->policy_parameters[p], here->policy_parameters[policy]) != 0))
        p++;
    return p;
}

/* The oracle, and policies whose candidates are the arms because none were given. */
static bool knows_arms(const struct mk_result_info *i, size_t policy)
{
    const struct mk_policy_type *type = i->policy_type[policy];
    const int at = type ? mk_candidates_parameter(type->params) : -1;
    return mk_result_policy_has(i, policy, MK_POLICY_ORACLE) ||
           (at >= 0 && !strstr(i->policy_parameters[policy], type->params[at].name) &&
            !(mk_result_parameter(i, policy, "recorded") > 0));
}

static const char *verdict_of(double bound, double low, double high)
{
    if (high < bound) return "violated";
    return low >= bound ? "holds" : "inconclusive";
}

/* The most pulls with which an arm is locked out: m of the theorem. */
static uint64_t most_rare(const struct frontier *w, uint64_t horizon)
{
    return (uint64_t)ceil(w->rarely * (double)horizon) - 1;
}

/* Replications of the second result with so few pulls. */
static int count_lock_outs(const struct frontier *w, size_t policy, size_t horizon, double share, double *count,
                           struct mk_error *err)
{
    const struct mk_result_info *there = w->info[THERE];
    const uint64_t n = there->own_replications[0], most = most_rare(w, there->horizon[horizon]);
    *count = round(share * (double)n);
    if (!w->pulls) return MK_OK;
    int code = mk_result_raw(w->result[THERE], policy, 0, horizon, w->pulls, NULL, err);
    *count = 0;
    for (uint64_t i = 0; i < n && !code; i++) *count += w->pulls[i * there->n_arms + w->arm] <= most;
    return code;
}

/* A policy of the figure: its mean pulls over the upper end of its lock-outs. */
static int add_point(const struct frontier *w, const char *label, const struct mk_cell *c, double low, double high,
                     double lock_outs, struct mk_error *err)
{
    struct mk_curve *curve = mk_plot_add(w->plot, label, 1, 1);
    if (!curve) return mk_fail_memory(err, "a figure");
    curve->style = MK_CURVE_POINTS;
    mk_curve_span(curve, 0, lock_outs, c->mean_pulls[w->arm], low, high);
    return MK_OK;
}

static int add_frontier_row(const struct frontier *w, const size_t policy[RESULTS], const size_t horizon[RESULTS],
                            struct mk_error *err)
{
    const struct mk_result_info *here = w->info[HERE];
    const uint64_t T = here->horizon[horizon[HERE]], n = w->info[THERE]->own_replications[0];
    struct mk_cell *c[RESULTS] = {NULL, NULL};
    struct mk_table *t = w->table;
    double low, high, locked = 0, below, above;
    int code = MK_OK;
    for (size_t r = 0; r < RESULTS && !code; r++)
        code = mk_result_cell(w->result[r], policy[r], 0, horizon[r], &c[r], err);
    if (!code) code = count_lock_outs(w, policy[THERE], horizon[THERE], c[THERE]->lock_out_share, &locked, err);
    if (!code) {
        mk_share_exact_interval(locked, (double)n - locked, tail, &below, &above);
        const double bound = mk_every_policy_pulls(w->divergence, above, most_rare(w, T));
        const bool applies = !knows_arms(here, policy[HERE]);
        mk_mean_interval(c[HERE]->mean_pulls[w->arm], c[HERE]->se_pulls[w->arm], here->own_replications[0], &low,
                         &high);
        mk_table_set_text(t, POLICY, here->policy[policy[HERE]]);
        mk_table_set_count(t, HORIZON, T);
        mk_table_set_count(t, ARM, w->arm);
        mk_table_set_real(t, MEAN_PULLS, c[HERE]->mean_pulls[w->arm]);
        mk_table_set_real(t, CI_LOW, low);
        mk_table_set_real(t, CI_HIGH, high);
        mk_table_set_real(t, LOCK_OUTS, locked / (double)n);
        mk_table_set_real(t, LOCK_OUTS_LOW, below);
        mk_table_set_real(t, LOCK_OUTS_HIGH, above);
        mk_table_set_real(t, DIVERGENCE, w->divergence);
        mk_table_set_real(t, BOUND, applies ? bound : NAN);
        mk_table_set_real(t, RATIO, applies ? c[HERE]->mean_pulls[w->arm] / bound : NAN);
        mk_table_set_text(t, VERDICT, applies ? verdict_of(bound, low, high) : "not-applicable");
        mk_table_end_row(t);
        if (w->plot && applies && T == w->drawn)
            code = add_point(w, here->policy[policy[HERE]], c[HERE], low, high, above, err);
    }
    for (size_t r = 0; r < RESULTS; r++) mk_cell_free(c[r]);
    return code;
}

/* Horizons of both at which the arm is the best in the second result and not in the first. */
static bool is_usable(const struct frontier *w, const size_t horizon[RESULTS])
{
    return horizon[THERE] < w->info[THERE]->n_horizons &&
           mk_truth_best(w->info[HERE]->truth, 0, horizon[HERE]) != w->arm &&
           mk_truth_best(w->info[THERE]->truth, 0, horizon[THERE]) == w->arm;
}

static int fill(struct frontier *w, struct mk_error *err)
{
    const struct mk_result_info *here = w->info[HERE];
    size_t horizon[RESULTS], policy[RESULTS];
    int code = MK_OK;
    for (horizon[HERE] = 0; horizon[HERE] < here->n_horizons; horizon[HERE]++) {
        horizon[THERE] = find_horizon(w->info[THERE], here->horizon[horizon[HERE]]);
        if (is_usable(w, horizon) && here->horizon[horizon[HERE]] > w->drawn) w->drawn = here->horizon[horizon[HERE]];
    }
    if (w->drawn == 0)
        return mk_fail(err, MK_EINPUT,
                       "%s: no horizon of both at which arm %zu is suboptimal in the first and the best in the second",
                       w->info[THERE]->path, w->arm);
    for (policy[HERE] = 0; policy[HERE] < here->n_policies; policy[HERE]++) {
        policy[THERE] = find_twin(w, policy[HERE]);
        if (policy[THERE] == w->info[THERE]->n_policies) {
            mk_table_add_warning(w->table, "%s: no policy %s with the same parameters", w->info[THERE]->path,
                                 here->policy[policy[HERE]]);
            continue;
        }
        for (horizon[HERE] = 0; horizon[HERE] < here->n_horizons && !code; horizon[HERE]++) {
            horizon[THERE] = find_horizon(w->info[THERE], here->horizon[horizon[HERE]]);
            if (is_usable(w, horizon)) code = add_frontier_row(w, policy, horizon, err);
        }
        if (code) break;
    }
    return code;
}

/* ---- the figure ---- */

enum { FRONTIER_POINTS = 200 };

/* The curve of Theorem 12 over the lock-outs of the points. */
static int add_frontier(const struct frontier *w, struct mk_error *err)
{
    double least = 1;
    for (size_t i = 0; i < w->plot->n_curves; i++) least = fmin(least, w->plot->curve[i].x[0]);
    struct mk_curve *c = mk_plot_add(w->plot, "", FRONTIER_POINTS, 0);
    if (!c) return mk_fail_memory(err, "a figure");
    for (size_t i = 0; i < FRONTIER_POINTS; i++) {
        const double q = pow(least / 2, 1 - (double)(i + 1) / (FRONTIER_POINTS + 1));
        const double n = mk_every_policy_pulls(w->divergence, q, most_rare(w, w->drawn));
        mk_curve_point(c, i, q, n >= 0.1 ? n : NAN);
    }
    const size_t at = FRONTIER_POINTS / 2;
    return mk_plot_note(w->plot, c->x[at] / 1.3, c->y[at] / 1.3, -1, "no policy is below")
               ? MK_OK
               : mk_fail_memory(err, "a figure");
}

static int draw(const struct frontier *w, const struct frontier_options *o, struct mk_error *err)
{
    struct mk_plot *p = w->plot;
    char prefix[128], name[160];
    int code = add_frontier(w, err);
    if (code) return code;
    mk_text_clean(w->info[HERE]->title[0] ? w->info[HERE]->title : w->info[HERE]->name, 0, p->title, sizeof p->title);
    snprintf(p->subtitle, sizeof p->subtitle, "arm %zu, T = %s, 95 %% intervals; lock-outs: the upper ends", w->arm,
             mk_plot_horizon(w->drawn).text);
    mk_plot_axes(p, "lock-outs where it is the best", "mean pulls where it is suboptimal");
    p->x.log = p->y.log = 1;
    mk_file_name_part(w->info[HERE]->name, prefix, sizeof prefix);
    snprintf(name, sizeof name, "%s_frontier", prefix);
    code = mk_make_folder(o->folder, err);
    if (!code) code = mk_plot_draw(p, o->folder, name, (enum mk_plot_format)o->format, err);
    if (!code)
        mk_table_add_warning(w->table, "%s/%s.%s", o->folder, name, mk_plot_suffix((enum mk_plot_format)o->format));
    return code;
}

/* ---- the table ---- */

static int open_results(struct frontier *w, const struct mk_table_call *call, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t r = 0; r < RESULTS && !code; r++) {
        code = mk_result_open(&w->result[r], call->input[r], err);
        if (code) break;
        w->info[r] = mk_result_info(w->result[r]);
        code = mk_result_check_choosing(w->info[r], err);
        if (!code) code = mk_result_experiment(w->result[r], NULL, &w->e[r], err);
        if (!code) code = mk_problem_by_pulls(w->e[r]->problem, "frontiers are", err);
    }
    return code;
}

/* Room for the pulls of single replications, without which only one share is known. */
static int find_replications(struct frontier *w, struct mk_error *err)
{
    const struct mk_result_info *there = w->info[THERE];
    if (!there->has_pulls && w->rarely != half)
        return mk_fail(err, MK_EINPUT,
                       "%s: contains no pulls of single replications, which --rarely needs; run with keep: pulls",
                       there->path);
    if (!there->has_pulls) return MK_OK;
    w->pulls = calloc((size_t)there->replications, there->n_arms * sizeof *w->pulls);
    return w->pulls ? MK_OK : mk_fail_memory(err, "replications");
}

static int make_frontier(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct frontier_options *o = call->options;
    struct frontier w = {.rarely = o->rarely};
    struct mk_plot plot;
    mk_plot_init(&plot);
    if (o->folder) w.plot = &plot;
    int code = open_results(&w, call, err);
    if (!code) code = find_arm(&w, err);
    if (!code) code = find_replications(&w, err);
    if (!code) code = mk_table_new(&w.table, &schema, err);
    if (!code) code = fill(&w, err);
    if (!code && o->folder) code = draw(&w, o, err);
    mk_plot_clear(&plot);
    free(w.pulls);
    for (size_t r = 0; r < RESULTS; r++) {
        mk_experiment_free(w.e[r]);
        mk_result_free(w.result[r]);
    }
    return mk_table_made(out, w.table, code, err);
}

static const char *needs_another(struct mk_result *r)
{
    (void)r;
    return "it compares two results";
}

static const struct frontier_options defaults = {.rarely = 0.5, .format = MK_PLOT_PNG};
static const struct mk_table_option options[] = {
    MK_TABLE_OPTION(struct frontier_options, rarely, "rarely", 0, MK_OPT_REAL, "S", NULL, 1e-9, 1,
                    "an arm with fewer than S T pulls is locked out (default: 0.5); others than 0.5 need single "
                    "replications in BEST.h5 (keep: pulls)"),
    MK_TABLE_OPTION(struct frontier_options, folder, "out", 'o', MK_OPT_TEXT, "DIR", NULL, 0, -1,
                    "also draw the policies and the frontier at the largest horizon, into this folder"),
    MK_TABLE_OPTION(struct frontier_options, format, "picture", 0, MK_OPT_CHOICE, "FORMAT", MK_PLOT_FORMATS, 1, 0,
                    "format of the figure (default: png)"),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_frontier = {
    .usage = {"frontier", "SUBOPTIMAL.h5 BEST.h5",
              "Prints how often every policy pulls a suboptimal arm, how often it locks this arm out where the arm "
              "is the best, and the number of mean pulls below which no policy with as few lock-outs can be. The "
              "two results are runs of the same policies on the same arms but one. In BEST.h5 this arm is a mixture"
              " of what it is in SUBOPTIMAL.h5 and something better, so that it is the best arm there. A policy "
              "that pulls the arm rarely in SUBOPTIMAL.h5 cannot tell BEST.h5 from it, and locks the arm out there:"
              " the arm gets fewer than S T of the T pulls.\n\n  mean_pulls  mean pulls of the arm in "
              "SUBOPTIMAL.h5; ci_low and ci_high are the 95 % interval\n  lock_outs  share of the replications of "
              "BEST.h5 in which the arm is locked out; lock_outs_low and lock_outs_high are the 95 % interval\n  "
              "divergence  Kullback-Leibler divergence of the arm's two distributions, or an upper bound on it\n  "
              "bound  mean pulls that no policy can stay below if its share of lock-outs is lock_outs_high (Theorem"
              " 12 of the paper, `make paper`)\n  ratio  mean_pulls / bound\n\nThe verdicts are\n\n  holds  the 95 "
              "% interval of the pulls lies above the bound\n  violated  the 95 % interval of the pulls lies below "
              "the bound; since the theorem is proved, this is chance (at most 5 % a row) or an error in one of the"
              " runs\n  inconclusive  the 95 % interval of the pulls contains the bound\n  not-applicable  the "
              "policy knows the best arm, or the distributions of the arms: bayes_max without candidates",
              RESULTS, RESULTS},
    .group = "Theory against simulation",
    .summary = "pulls of an arm against lock-outs (runs that lose the best arm), and a lower bound for every policy",
    MK_TABLE_TAKES(options, defaults),
    MK_TABLE_SHOWS(&schema),
    .inapplicable = needs_another,
    .make = make_frontier};
