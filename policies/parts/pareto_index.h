/* Index of ExtremeHunter and ExtremeETC: optimism on E[M(T)] of a second-order Pareto tail with parameter b
 * (Carpentier & Valko 2014, "Extreme bandits"; Achab et al. 2017).
 *
 *     r = T^(-1/(2b+1)),  N = (log T)^((2b+1)/b)                                exploration: N pulls per arm
 *     h = mean of log(X_(j) / X_(s)) over the s = floor(r n) largest rewards, X_(s) the smallest (Hill)
 *     C = n^(1/(2b+1)) * share of rewards that are >= n^(h/(2b+1))
 *     B1 = D sqrt(log(1/delta)) n^(-b/(2b+1)),  B2 = E sqrt(log(n/delta)) log n n^(-b/(2b+1))
 *     index = ((C + B2) T)^(h + B1) Gamma(1 - h - B1),  infinite where h + B1 >= 1
 *
 * Rewards are floored at 1. At least one reward counts in h, and every arm is pulled at least once.
 * per_cost: ratio, this project's (policies/parts/pull_costs.h), has its horizon in the place of T in the index.
 * The logarithms of the floored rewards are kept in order statistics, so an index costs O(log n). */
#ifndef MAXK_POLICIES_PARTS_PARETO_INDEX_H
#define MAXK_POLICIES_PARTS_PARETO_INDEX_H

#include "policies/parts/argmax.h"
#include "policies/parts/order_stat.h"
#include "policies/parts/pull_costs.h"
#include "policies/parts/tournament.h"
#include "policies/policy.h"

/* The first parameters of both policies. */
enum { MK_PARETO_B, MK_PARETO_D, MK_PARETO_E, MK_PARETO_DELTA, MK_PARETO_TIES, MK_PARETO_NEXT };

/* The last one. */
#define MK_PARETO_PER_COST MK_PER_COST_PARAM("none|ratio")

#define MK_PARETO_PARAMS                                                                                               \
    {"b", MK_REAL, MK_OPEN_LO, 1, 0, 1000, NULL, "parameter of the second-order Pareto condition"},                    \
        {"D", MK_REAL, MK_OPEN_HI, 1e-4, 0, INFINITY, NULL, "width of the confidence bound on the tail index"},        \
        {"E", MK_REAL, MK_OPEN_HI, 1e-4, 0, INFINITY, NULL, "width of the confidence bound on the tail's scale"},      \
        {"delta", MK_REAL, MK_OPEN_LO, 0.1, 0, 1, NULL, "confidence"}, MK_TIES_PARAM

struct mk_pareto {
    const struct mk_setup *setup;
    uint64_t explore;           /* rounds of exploration; UINT64_MAX: round robin throughout */
    double share;               /* r */
    double *index;              /* [K] */
    struct mk_order_stat order; /* of log max(reward, 1) */
    struct mk_pull_costs costs;
    struct mk_tournament tournament;
};

/* Bytes of a struct mk_pareto with what it points to. */
size_t mk_pareto_bytes(const struct mk_setup *s, double per_cost);
void mk_pareto_init(struct mk_pareto *p, const struct mk_setup *s, double per_cost);

/* Compute index[arm]; the arm has been pulled. */
void mk_pareto_set_index(struct mk_pareto *p, size_t arm);

static inline size_t mk_pareto_argmax(struct mk_pareto *p)
{
    const struct mk_setup *s = p->setup;
    if (p->tournament.used) return mk_tournament_best(&p->tournament, 0, s->rng);
    return mk_argmax(p->index, s->arms, s->par[MK_PARETO_TIES] != 0, s->rng);
}

static inline void mk_pareto_add(struct mk_pareto *p, size_t arm, double reward)
{
    mk_order_stat_insert(&p->order, arm, log(fmax(reward, 1.0)));
    mk_pull_costs_pay(&p->costs, arm, p->order.set[arm].n);
}

#endif
