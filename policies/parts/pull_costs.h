/* Costs of pulls in an index (parameter `per_cost`). A policy that has it pays for every pull here and asks
 *
 *   root   how many pulls an arm counts in a bonus: sqrt(n_i spent_i / mean) in the place of n_i, spent_i what its
 * pulls have cost and mean the mean cost of all pulls: what a pull of the arm lowers the bonus grows with its cost
 *   ratio  in which round an arm is: 1 + spent / cost_i in the place of t, the pulls of arm i that all money spent
 * would have bought, cost_i the mean cost of its pulls; and how many pulls the horizon has: T mean / cost_i in the
 *          place of T, those of arm i that the money of T pulls would buy, but no fewer than it has had; and of R
 * rounds that remain: R mean / cost_i, but at least 1
 *
 * With equal costs both are the policy without them. Costs are learnt where they are recorded pull by pull, and known
 * where arms have one cost. Both rules are this project's. Memory 8 bytes per arm, only where one of them is used. */
#ifndef MAXK_POLICIES_PARTS_PULL_COSTS_H
#define MAXK_POLICIES_PARTS_PULL_COSTS_H

#include <math.h>

#include "policies/parts/undo.h"
#include "policies/policy.h"

enum mk_per_cost { MK_PER_COST_NONE, MK_PER_COST_ROOT, MK_PER_COST_RATIO };

/* `rules`: none|root, none|root|ratio, or none|ratio, whose value mk_per_cost_ratio reads. */
#define MK_PER_COST_PARAM(rules)                                                                                       \
    MK_CHOICE_ROW("per_cost", MK_PER_COST_NONE, rules,                                                                 \
                  "costs of pulls in the bonus: root counts pulls by what they cost, ratio the round by the pulls of " \
                  "an arm that the money spent would have bought; this project")

static inline enum mk_per_cost mk_per_cost_ratio(double value)
{
    return value != 0 ? MK_PER_COST_RATIO : MK_PER_COST_NONE;
}

struct mk_pull_costs {
    const struct mk_setup *setup;
    enum mk_per_cost rule;
    double *spent;    /* [K] cost of the arm's pulls */
    double all_spent; /* of all pulls, and their number */
    uint64_t all;
    uint64_t forgotten; /* pulls of every arm that the policy does not count */
};

static inline size_t mk_pull_costs_bytes(const struct mk_setup *s, enum mk_per_cost rule)
{
    return rule == MK_PER_COST_NONE ? 0 : s->arms * sizeof(double);
}

/* `memory` has mk_pull_costs_bytes(s, rule) bytes. */
static inline void mk_pull_costs_init(struct mk_pull_costs *c, void *memory, const struct mk_setup *s,
                                      enum mk_per_cost rule)
{
    *c = (struct mk_pull_costs){.setup = s, .rule = rule, .spent = rule == MK_PER_COST_NONE ? NULL : memory};
    for (size_t i = 0; c->spent && i < s->arms; i++) c->spent[i] = 0;
}

static inline bool mk_pull_costs_count(const struct mk_pull_costs *c)
{
    return __builtin_expect(c->rule != MK_PER_COST_NONE, 0);
}

/* In `update`: pull n of the arm, from 1, has been made. */
static inline void mk_pull_costs_pay(struct mk_pull_costs *c, size_t arm, uint64_t n)
{
    const struct mk_setup *s = c->setup;
    if (!mk_pull_costs_count(c)) return;
    const double cost = s->pull_cost ? s->pull_cost[arm][c->forgotten + n - 1] : s->cost[arm];
    c->spent[arm] += cost;
    c->all_spent += cost;
    c->all++;
}

/* In `keep`. */
static inline void mk_pull_costs_keep(struct mk_pull_costs *c, size_t arm, struct mk_undo *undo)
{
    if (mk_pull_costs_count(c)) mk_undo_keep(undo, &c->spent[arm], sizeof *c->spent);
}

static inline double mk_pull_costs_mean(const struct mk_pull_costs *c)
{
    return c->all_spent / (double)c->all;
}

/* What follows is of an arm with n >= 1 pulls. */

static inline double mk_pull_costs_pulls(const struct mk_pull_costs *c, size_t arm, uint64_t n)
{
    return c->rule == MK_PER_COST_ROOT ? sqrt((double)n * c->spent[arm] / mk_pull_costs_mean(c)) : (double)n;
}

static inline double mk_pull_costs_round(const struct mk_pull_costs *c, size_t arm, uint64_t n, double t)
{
    return c->rule == MK_PER_COST_RATIO ? 1 + c->all_spent / (c->spent[arm] / (double)n) : t;
}

/* The logarithm of the round, as mk_log has it; `offset` is added to the round. */
static inline double mk_pull_costs_log(const struct mk_pull_costs *c, size_t arm, uint64_t n, uint64_t t, double offset)
{
    if (c->rule == MK_PER_COST_RATIO) return log(mk_pull_costs_round(c, arm, n, 0) + offset);
    return mk_log(c->setup, (uint64_t)((int64_t)t + (int64_t)offset));
}

static inline double mk_pull_costs_horizon(const struct mk_pull_costs *c, size_t arm, uint64_t n)
{
    const double horizon = (double)c->setup->horizon;
    if (c->rule != MK_PER_COST_RATIO) return horizon;
    return fmax((double)n, horizon * mk_pull_costs_mean(c) / (c->spent[arm] / (double)n));
}

static inline double mk_pull_costs_remaining(const struct mk_pull_costs *c, size_t arm, uint64_t n, uint64_t rounds)
{
    if (c->rule != MK_PER_COST_RATIO) return (double)rounds;
    return fmax(1, (double)rounds * mk_pull_costs_mean(c) / (c->spent[arm] / (double)n));
}

#endif
