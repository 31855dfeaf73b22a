/* Scores at equal cost instead of equal numbers of pulls. A policy's cost at a horizon follows from its pulls: those of
 * an arm are the first ones of the arm's series. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"

#include "analysis/compare/rank.h"

struct spending {
    const struct mk_problem *p; /* NULL: costs per arm, or those of the result */
    const double *arm_cost;     /* [arm], or NULL */
    size_t n_arms;
    double *cost; /* [replication] */
    double *reward;
    uint64_t *pulls; /* [replication][arm] */
};

static double arms_cost(const struct spending *w, const uint64_t *pulls)
{
    double sum = 0;
    for (size_t k = 0; k < w->n_arms; k++) sum += w->arm_cost[k] * (double)pulls[k];
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

/* What a policy had spent at horizon h, in every replication of w->pulls. */
static int find_costs(const struct mk_scores *s, struct mk_result *r, struct spending *w, size_t policy,
                      size_t instance, size_t h, struct mk_error *err)
{
    const size_t search = search_of(s->info, policy);
    if (!w->arm_cost && s->info->has_costs) return mk_result_costs(r, policy, instance, h, w->cost, err);
    for (size_t j = 0; j < s->info->own_replications[instance]; j++) {
        const uint64_t *pulls = w->pulls + j * w->n_arms;
        if (w->arm_cost)
            w->cost[j] = arms_cost(w, pulls);
        else if (search == SIZE_MAX)
            w->cost[j] = mk_problem_spent(w->p, instance, j, pulls);
        else
            w->cost[j] = mk_problem_combined_spent(w->p, instance, j, search, s->info->horizon[h]);
    }
    return MK_OK;
}

/* One cell of the result: wherever it is affordable, its rewards replace those of shorter horizons. */
static int add_horizon(struct mk_scores *s, struct mk_result *r, struct spending *w, size_t policy, size_t instance,
                       size_t h, struct mk_error *err)
{
    int code = mk_scores_cell(s, r, s->policy[policy], instance, h, w->pulls, w->reward, err);
    if (!code) code = find_costs(s, r, w, s->policy[policy], instance, h, err);
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

static int check(const struct mk_scores *s, const struct spending *w, struct mk_error *err)
{
    const struct mk_result_info *info = s->info;
    const struct mk_problem *p = w->p;
    for (size_t i = 0; i < s->n_policies && w->arm_cost; i++)
        if (search_of(info, s->policy[i]) != SIZE_MAX)
            return mk_fail(err, MK_EINPUT,
                           "%s: %s is a combined search, to which costs of arms do not apply (leave it out)",
                           info->path, info->policy[s->policy[i]]);
    if (!p) return MK_OK;
    if (mk_problem_in_part(p))
        return mk_fail(err, MK_EINPUT, "%s: has no costs, as its evaluations in part were run by an earlier version",
                       info->path);
    if (!mk_problem_has(p, MK_HAS_SERIES) ||
        (p->n_arms == info->n_arms && p->n_instances == info->n_instances && p->replications >= info->replications))
        return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s: its recorded runs have changed since the result was written", info->path);
}

int mk_scores_spend(struct mk_scores *s, struct mk_result *r, const double *budget, const struct mk_problem *p,
                    const double *arm_cost, struct mk_error *err)
{
    const size_t R = s->replications, K = s->info->n_arms;
    struct spending w = {p,
                         arm_cost,
                         K,
                         malloc((R + 1) * sizeof(double)),
                         malloc((R + 1) * sizeof(double)),
                         malloc((R * K + 1) * sizeof(uint64_t))};
    s->budget = malloc((s->n_horizons + 1) * sizeof *s->budget);
    s->unpaired = calloc(s->n_horizons * s->n_instances + 1, sizeof *s->unpaired);
    int code =
        w.cost && w.reward && w.pulls && s->budget && s->unpaired ? check(s, &w, err) : mk_fail_memory(err, "scores");
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
