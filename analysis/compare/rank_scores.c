/* The data to be compared: read from a result, changed, joined; and at equal cost. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"

#include "analysis/compare/rank.h"

static const double least_scale = 1e-5; /* as in the authors' programs: no division by tiny numbers */

void mk_scores_free(struct mk_scores *s)
{
    if (!s) return;
    free(s->instance);
    free(s->policy);
    free(s->horizon);
    free(s->budget);
    free(s->unpaired);
    free(s->spent);
    free(s->reward);
    free(s->incumbent);
    free(s->reached);
    free(s);
}

static int allocate(struct mk_scores *s, const size_t *horizon, struct mk_error *err)
{
    size_t rows = s->n_instances * s->n_policies * s->replications;
    s->instance = malloc((s->n_instances + 1) * sizeof *s->instance);
    s->horizon = malloc((s->n_horizons + 1) * sizeof *s->horizon);
    s->reward = malloc((s->n_horizons * rows + 1) * sizeof *s->reward);
    s->reached = malloc((s->n_instances * s->replications + 1) * sizeof *s->reached);
    if (!s->instance || !s->horizon || !s->reward || !s->reached) return mk_fail_memory(err, "scores");
    memcpy(s->horizon, horizon, s->n_horizons * sizeof *horizon);
    for (size_t i = 0; i < s->n_instances; i++) s->instance[i] = (struct mk_scored_instance){s->info, i};
    for (size_t i = 0; i < s->n_instances * s->replications; i++) s->reached[i] = NAN;
    return MK_OK;
}

static int choose_policies(struct mk_scores *s, const char *keep, struct mk_error *err)
{
    s->policy = malloc((s->info->n_policies + 1) * sizeof *s->policy);
    if (!s->policy) return mk_fail_memory(err, "scores");
    for (size_t p = 0; p < s->info->n_policies; p++)
        if (!keep || keep[p]) s->policy[s->n_policies++] = p;
    if (s->n_policies >= 2) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s: a comparison needs at least two policies", s->info->path);
}

/* Reads what is compared of one cell of the file, unless it is shares: reward[replication]; pulls as in mk_result_raw.
 */
static int read_cell(const struct mk_scores *s, struct mk_result *r, size_t policy, size_t instance, size_t h,
                     uint64_t *pulls, double *reward, struct mk_error *err)
{
    int code = mk_result_raw(r, policy, instance, h, pulls, reward, err);
    return code || s->score != MK_SCORE_INCUMBENT ? code : mk_result_incumbents(r, policy, instance, h, reward, err);
}

/* to[r] of the repetitions of one cell. */
static void take_shares(const struct mk_scores *s, size_t instance, size_t h, const uint64_t *pulls, double *to)
{
    const size_t arms = s->info->n_arms, best = mk_truth_best(s->info->truth, instance, h);
    for (size_t r = 0; r < s->replications; r++) {
        uint64_t all = 0;
        for (size_t k = 0; k < arms; k++) all += pulls[r * arms + k];
        const uint64_t rounds = s->info->by_cost ? all : s->info->horizon[h];
        to[r] = best == SIZE_MAX || !all ? NAN : (double)pulls[r * arms + best] / (double)rounds;
    }
}

/* pulls: room for those of a cell, of which shares are taken in place of rewards; NULL: they are not. */
static int read_rewards(struct mk_scores *s, struct mk_result *r, uint64_t *pulls, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t h = 0; !code && h < s->n_horizons; h++)
        for (size_t i = 0; !code && i < s->n_instances; i++)
            for (size_t p = 0; !code && p < s->n_policies; p++) {
                double *to = s->reward + ((h * s->n_instances + i) * s->n_policies + p) * s->replications;
                code = read_cell(s, r, s->policy[p], i, s->horizon[h], pulls, pulls ? NULL : to, err);
                if (!code && pulls) take_shares(s, i, s->horizon[h], pulls, to);
            }
    return code;
}

int mk_scores_take_incumbents(struct mk_scores *s, struct mk_result *r, struct mk_error *err)
{
    s->score = MK_SCORE_INCUMBENT;
    return read_rewards(s, r, NULL, err);
}

int mk_scores_add_incumbents(struct mk_scores *s, struct mk_result *r, struct mk_error *err)
{
    const size_t cells = s->n_horizons * s->n_instances * s->n_policies;
    s->incumbent = malloc((cells * s->replications + 1) * sizeof *s->incumbent);
    int code = s->incumbent ? MK_OK : mk_fail_memory(err, "scores");
    for (size_t cell = 0; !code && cell < cells; cell++) {
        const size_t p = cell % s->n_policies, i = cell / s->n_policies % s->n_instances,
                     h = cell / s->n_policies / s->n_instances;
        code = mk_result_incumbents(r, s->policy[p], i, s->horizon[h], s->incumbent + cell * s->replications, err);
    }
    return code;
}

static int read_reached(struct mk_scores *s, struct mk_result *r, struct mk_error *err)
{
    double *last = malloc((s->replications + 1) * sizeof *last);
    int code = last ? MK_OK : mk_fail_memory(err, "scores");
    for (size_t i = 0; !code && i < s->n_instances; i++)
        for (size_t p = 0; !code && p < s->n_policies; p++) {
            double *reached = s->reached + i * s->replications;
            code = mk_result_raw(r, s->policy[p], i, s->info->n_horizons - 1, NULL, last, err);
            for (size_t j = 0; !code && j < s->replications; j++) reached[j] = fmax(reached[j], last[j]);
        }
    free(last);
    return code;
}

int mk_scores_read(struct mk_scores **out, struct mk_result *r, const char *keep, const size_t *horizon,
                   size_t n_horizons, struct mk_error *err)
{
    struct mk_scores *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s) return mk_fail_memory(err, "scores");
    s->info = mk_result_info(r);
    s->n_instances = s->info->n_instances;
    s->n_horizons = n_horizons;
    s->replications = (size_t)s->info->replications;
    int code = choose_policies(s, keep, err);
    if (!code && !s->info->has_pulls)
        code = mk_fail(err, MK_EINPUT, "%s: contains no single replications (the experiment has keep: summary)",
                       s->info->path);
    if (!code) code = allocate(s, horizon, err);
    if (!code) code = read_rewards(s, r, NULL, err);
    if (!code) code = read_reached(s, r, err);
    if (code)
        mk_scores_free(s);
    else
        *out = s;
    return code;
}

int mk_scores_take_shares(struct mk_scores *s, struct mk_result *r, struct mk_error *err)
{
    uint64_t *pulls = malloc((s->replications * s->info->n_arms + 1) * sizeof *pulls);
    s->score = MK_SCORE_BEST_SHARE;
    const int code = pulls ? read_rewards(s, r, pulls, err) : mk_fail_memory(err, "scores");
    free(pulls);
    return code;
}

/* ---- several results ---- */

int mk_scores_check_policies(const struct mk_scores *s, const struct mk_scores *more, struct mk_error *err)
{
    const struct mk_result_info *a = s->info, *b = more->info;
    bool same = s->n_policies == more->n_policies;
    for (size_t p = 0; p < s->n_policies && same; p++) {
        const size_t i = s->policy[p], j = more->policy[p];
        same = strcmp(a->policy[i], b->policy[j]) == 0 && strcmp(a->policy_name[i], b->policy_name[j]) == 0 &&
               strcmp(a->policy_parameters[i], b->policy_parameters[j]) == 0;
    }
    if (!same)
        return mk_fail(err, MK_EINPUT,
                       "%s and %s: expected the same policies, in the same order, with the same parameters", a->path,
                       b->path);
    return MK_OK;
}

static int check_alike(const struct mk_scores *s, const struct mk_scores *more, struct mk_error *err)
{
    const struct mk_result_info *a = s->info, *b = more->info;
    const int code = mk_scores_check_policies(s, more, err);
    if (code) return code;
    if (a->by_cost != b->by_cost && !s->budget)
        return mk_fail(err, MK_EINPUT, "%s and %s: expected horizons of the same unit, got pulls and costs",
                       b->by_cost ? a->path : b->path, b->by_cost ? b->path : a->path);
    bool same = s->n_horizons == more->n_horizons;
    for (size_t h = 0; h < s->n_horizons && same && !s->budget; h++)
        same = mk_result_amount(a, s->horizon[h]) == mk_result_amount(b, more->horizon[h]);
    if (!same)
        return mk_fail(err, MK_EINPUT, "%s and %s: expected the same horizons; --horizon chooses those that both have",
                       a->path, b->path);
    for (size_t i = 0; i < s->n_instances; i++)
        for (size_t j = 0; j < more->n_instances; j++)
            if (strcmp(mk_scored_name(s, i), mk_scored_name(more, j)) == 0)
                return mk_fail(err, MK_EINPUT, "%s and %s: both have the instance '%s'; expected distinct ones",
                               mk_scored_instance(s, i)->info->path, b->path, mk_scored_name(s, i));
    return MK_OK;
}

/* *rows[n_rows][n][unit] <- with more[n_rows][n_more][unit_more] along the second index; the larger unit, and NaN where
 * there is none. */
static bool append(double **rows, const double *more, size_t n_rows, size_t n, size_t n_more, size_t unit,
                   size_t unit_more)
{
    const size_t width = unit > unit_more ? unit : unit_more;
    double *both = malloc((n_rows * (n + n_more) * width + 1) * sizeof *both), *to = both;
    if (!both) return false;
    for (size_t row = 0; row < n_rows; row++)
        for (size_t i = 0; i < n + n_more; i++)
            for (size_t j = 0; j < width; j++)
                *to++ = i < n           ? j < unit ? (*rows)[(row * n + i) * unit + j] : NAN
                        : j < unit_more ? more[(row * n_more + i - n) * unit_more + j]
                                        : NAN;
    free(*rows);
    *rows = both;
    return true;
}

static bool append_unpaired(struct mk_scores *s, const struct mk_scores *more)
{
    const size_t n = s->n_instances, n_more = more->n_instances;
    size_t *both = s->unpaired ? malloc((s->n_horizons * (n + n_more) + 1) * sizeof *both) : NULL;
    if (!s->unpaired || !both) return !s->unpaired;
    for (size_t h = 0; h < s->n_horizons; h++)
        for (size_t i = 0; i < n + n_more; i++)
            both[h * (n + n_more) + i] = i < n ? s->unpaired[h * n + i] : more->unpaired[h * n_more + i - n];
    free(s->unpaired);
    s->unpaired = both;
    return true;
}

int mk_scores_join(struct mk_scores *s, const struct mk_scores *more, struct mk_error *err)
{
    const size_t n = s->n_instances, n_more = more->n_instances, P = s->n_policies;
    int code = check_alike(s, more, err);
    if (code) return code;
    struct mk_scored_instance *instance = realloc(s->instance, (n + n_more) * sizeof *instance);
    if (instance) s->instance = instance;
    if (!instance ||
        !append(&s->reward, more->reward, s->n_horizons, n * P, n_more * P, s->replications, more->replications) ||
        !append(&s->reached, more->reached, 1, n, n_more, s->replications, more->replications) ||
        !append_unpaired(s, more))
        return mk_fail_memory(err, "scores");
    memcpy(instance + n, more->instance, n_more * sizeof *instance);
    s->n_instances = n + n_more;
    if (s->replications < more->replications) s->replications = more->replications;
    return MK_OK;
}

/* Repetitions as instances: [cell][policy][repetition] becomes [cell][repetition][policy]. */
static int split_repetitions(const struct mk_scores *s, double **values, struct mk_error *err)
{
    const size_t P = s->n_policies, R = s->replications;
    double *split = malloc((s->n_horizons * s->n_instances * P * R + 1) * sizeof *split);
    if (!split) return mk_fail_memory(err, "scores");
    for (size_t cell = 0; cell < s->n_horizons * s->n_instances; cell++)
        for (size_t p = 0; p < P; p++)
            for (size_t r = 0; r < R; r++) split[(cell * R + r) * P + p] = (*values)[(cell * P + p) * R + r];
    free(*values);
    *values = split;
    return MK_OK;
}

int mk_scores_split(struct mk_scores *s, struct mk_error *err)
{
    int code = split_repetitions(s, &s->reward, err);
    if (!code && s->incumbent) code = split_repetitions(s, &s->incumbent, err);
    if (code) return code;
    s->split = s->replications;
    s->n_instances *= s->split;
    s->replications = 1;
    return MK_OK;
}

double mk_scaled_loss(double top, double base, double reward)
{
    return (top - reward) / fmax(least_scale, top - base);
}

double mk_normalised_loss(const struct mk_scores *s, enum mk_loss kind, size_t instance, size_t replication,
                          double reward)
{
    const struct mk_scored_instance *of = mk_scored_instance(s, instance);
    const struct mk_recorded_truth *f = of->info->truth->recorded;
    if (!f || s->score != MK_SCORE_MAX) return NAN;
    const size_t at = of->at * (size_t)of->info->replications + (s->split ? instance % s->split : replication);
    const double top = kind == MK_LOSS_REACHED ? s->reached[instance * s->replications + replication] : f->best[at];
    double base = kind == MK_LOSS_MINMAX ? f->least[at] : f->first_median[at];
    return mk_scaled_loss(top, base, reward);
}

size_t mk_default_baseline(const struct mk_scores *s)
{
    static const unsigned wanted[] = {MK_POLICY_COMBINED, MK_POLICY_BASELINE | MK_POLICY_RANDOMISED,
                                      MK_POLICY_BASELINE};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        for (size_t p = 0; p < s->n_policies; p++)
            if (mk_result_policy_has(s->info, s->policy[p], wanted[i])) return p;
    return 0;
}

int mk_scores_find_baseline(size_t *at, const struct mk_scores *s, const char *command, const char *label,
                            struct mk_error *err)
{
    char clip[MK_CLIP_ROOM], option[64];
    size_t p;
    *at = mk_default_baseline(s);
    if (!label) return MK_OK;
    snprintf(option, sizeof option, "maxk %s: --baseline", command);
    int code = mk_result_find_policy(s->info, option, label, &p, err);
    for (*at = 0; !code && *at < s->n_policies; ++*at)
        if (s->policy[*at] == p) return MK_OK;
    return code ? code : mk_fail(err, MK_EINPUT, "%s: '%s' is left out", option, mk_clip(label, clip));
}

/* ---- scores at equal cost instead of equal numbers of pulls ----
 *
 * A policy's cost at a horizon follows from its pulls: those of an arm are the first ones of the arm's series. */

struct spending {
    struct mk_costs_of of;
    double *cost; /* [replication] */
    double *reward;
    uint64_t *pulls; /* [replication][arm] */
};

static double arms_cost(const double *arm_cost, const uint64_t *pulls, size_t n_arms)
{
    double sum = 0;
    for (size_t k = 0; k < n_arms; k++) sum += arm_cost[k] * (double)pulls[k];
    return sum;
}

/* Position of a policy among the combined searches of the file; SIZE_MAX: it is not one. */
static size_t search_of(const struct mk_result_info *info, size_t policy)
{
    size_t at = 0;
    if (!mk_result_policy_has(info, policy, MK_POLICY_RECORDED)) return SIZE_MAX;
    for (size_t i = 0; i < policy; i++) at += mk_result_policy_has(info, i, MK_POLICY_RECORDED);
    return at;
}

int mk_result_spent(double *cost, struct mk_result *r, const struct mk_costs_of *of, const uint64_t *pulls,
                    size_t policy, size_t instance, size_t h, struct mk_error *err)
{
    const struct mk_result_info *info = mk_result_info(r);
    const size_t search = search_of(info, policy);
    if (!of->arm_cost && info->has_costs) return mk_result_costs(r, policy, instance, h, cost, err);
    for (size_t j = 0; j < info->own_replications[instance]; j++) {
        const uint64_t *its = pulls + j * info->n_arms;
        if (of->arm_cost)
            cost[j] = arms_cost(of->arm_cost, its, info->n_arms);
        else if (search == SIZE_MAX)
            cost[j] = mk_problem_spent(of->p, instance, j, its);
        else
            cost[j] = mk_problem_combined_spent(of->p, instance, j, search, info->horizon[h]);
    }
    return MK_OK;
}

/* One cell of the result: wherever it is affordable, its rewards replace those of shorter horizons. */
static int add_horizon(struct mk_scores *s, struct mk_result *r, struct spending *w, size_t policy, size_t instance,
                       size_t h, struct mk_error *err)
{
    int code = read_cell(s, r, s->policy[policy], instance, h, w->pulls, w->reward, err);
    if (!code) code = mk_result_spent(w->cost, r, &w->of, w->pulls, s->policy[policy], instance, h, err);
    for (size_t j = 0; j < s->info->own_replications[instance] && !code; j++)
        s->spent[policy] = fmax(s->spent[policy], w->cost[j]);
    for (size_t b = 0; b < s->n_horizons && !code; b++) {
        double *to = s->reward + ((b * s->n_instances + instance) * s->n_policies + policy) * s->replications;
        for (size_t j = 0; j < s->info->own_replications[instance]; j++)
            if (w->cost[j] <= s->budget[b] * (1 + 1e-12)) to[j] = w->reward[j];
    }
    return code;
}

/* Policies are compared on the same repetitions: those in which all of them afford the first horizon. Returns how many
 * are left out. */
static size_t pair_repetitions(struct mk_scores *s, size_t budget, size_t instance)
{
    double *reward = s->reward + (budget * s->n_instances + instance) * s->n_policies * s->replications;
    size_t left_out = 0;
    for (size_t j = 0; j < s->info->own_replications[instance]; j++) {
        bool all = true;
        for (size_t p = 0; p < s->n_policies; p++) all = all && !isnan(reward[p * s->replications + j]);
        for (size_t p = 0; !all && p < s->n_policies; p++) reward[p * s->replications + j] = NAN;
        left_out += !all;
    }
    return left_out;
}

int mk_scores_check_costs(const struct mk_scores *s, const struct mk_costs_of *of, struct mk_error *err)
{
    const struct mk_result_info *info = s->info;
    const struct mk_problem *p = of->p;
    for (size_t i = 0; i < s->n_policies && of->arm_cost; i++)
        if (search_of(info, s->policy[i]) != SIZE_MAX)
            return mk_fail(err, MK_EINPUT,
                           "%s: %s is a combined search, to which costs of arms do not apply (leave it out)",
                           info->path, info->policy[s->policy[i]]);
    if (!p) return MK_OK;
    if (mk_problem_in_part(p))
        return mk_fail(err, MK_EINPUT, "%s: has no costs, as its evaluations in part were run by an earlier version",
                       info->path);
    if (!p->source->recorded ||
        (p->n_arms == info->n_arms && p->n_instances == info->n_instances && p->replications >= info->replications))
        return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s: its recorded runs have changed since the result was written", info->path);
}

int mk_scores_spend(struct mk_scores *s, struct mk_result *r, const double *budget, const struct mk_problem *p,
                    const double *arm_cost, struct mk_error *err)
{
    const size_t R = s->replications, K = s->info->n_arms;
    struct spending w = {{p, arm_cost},
                         malloc((R + 1) * sizeof(double)),
                         malloc((R + 1) * sizeof(double)),
                         malloc((R * K + 1) * sizeof(uint64_t))};
    s->budget = malloc((s->n_horizons + 1) * sizeof *s->budget);
    s->unpaired = calloc(s->n_horizons * s->n_instances + 1, sizeof *s->unpaired);
    s->spent = calloc(s->n_policies, sizeof *s->spent);
    int code = w.cost && w.reward && w.pulls && s->budget && s->unpaired && s->spent
                   ? mk_scores_check_costs(s, &w.of, err)
                   : mk_fail_memory(err, "scores");
    if (!code) memcpy(s->budget, budget, s->n_horizons * sizeof *budget);
    for (size_t i = 0; i < s->n_horizons * s->n_instances * s->n_policies * R; i++) s->reward[i] = NAN;
    for (size_t i = 0; i < s->n_instances && !code; i++) {
        for (size_t q = 0; q < s->n_policies && !code; q++)
            for (size_t h = 0; h < s->info->n_horizons && !code; h++) code = add_horizon(s, r, &w, q, i, h, err);
        for (size_t b = 0; b < s->n_horizons && !code; b++)
            s->unpaired[b * s->n_instances + i] = pair_repetitions(s, b, i);
        if (p && !code) mk_problem_release(p, i);
    }
    free(w.cost);
    free(w.reward);
    free(w.pulls);
    return code;
}

bool mk_scores_has(const struct mk_scores *s, size_t h, size_t instance)
{
    for (size_t p = 0; p < s->n_policies; p++) {
        const double *x = mk_scores_at(s, h, instance, p);
        size_t n = 0;
        while (n < s->replications && isnan(x[n])) n++;
        if (n == s->replications) return false;
    }
    return true;
}

static bool is_reached(const struct mk_scores *s, size_t budget)
{
    for (size_t i = 0; i < s->n_instances; i++)
        if (mk_scores_has(s, budget, i)) return true;
    return false;
}

size_t mk_scores_drop_unreached(struct mk_scores *s, double *dropped)
{
    const size_t n = s->n_horizons, row = s->n_instances * s->n_policies * s->replications;
    size_t kept = 0, lost = 0;
    for (size_t b = 0; b < n; b++) kept += is_reached(s, b);
    if (kept == 0 || kept == n) return 0;
    kept = 0;
    for (size_t b = 0; b < n; b++) {
        if (!is_reached(s, b)) {
            dropped[lost++] = s->budget[b];
            continue;
        }
        memmove(s->reward + kept * row, s->reward + b * row, row * sizeof *s->reward);
        memmove(s->unpaired + kept * s->n_instances, s->unpaired + b * s->n_instances,
                s->n_instances * sizeof *s->unpaired);
        s->budget[kept] = s->budget[b];
        kept++;
    }
    s->n_horizons = kept;
    return lost;
}
