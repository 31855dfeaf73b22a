#include "policies/parts/pareto_index.h"

#include <gsl/gsl_sf_gamma.h>

/* Rounds of exploration, max(K, ceil(K N)); UINT64_MAX where K N > T. */
static uint64_t exploration(const struct mk_setup *s)
{
    double b = s->par[MK_PARETO_B], horizon = (double)s->horizon;
    double rounds = (double)s->arms * fmax(1.0, pow(log(horizon), (2 * b + 1) / b));
    return rounds <= horizon ? (uint64_t)ceil(rounds) : UINT64_MAX;
}

/* Rewards that the index needs: none when the policy is round robin throughout. */
static uint64_t kept(const struct mk_setup *s)
{
    return exploration(s) == UINT64_MAX ? 0 : s->horizon;
}

size_t mk_pareto_bytes(const struct mk_setup *s, double per_cost)
{
    return sizeof(struct mk_pareto) + mk_tournament_bytes(s) + s->arms * sizeof(double) +
           mk_pull_costs_bytes(s, mk_per_cost_ratio(per_cost)) + mk_order_stat_bytes(s->arms, kept(s));
}

void mk_pareto_init(struct mk_pareto *p, const struct mk_setup *s, double per_cost)
{
    p->setup = s;
    p->explore = exploration(s);
    p->share = pow((double)s->horizon, -1 / (2 * s->par[MK_PARETO_B] + 1));
    p->index = (double *)((char *)(p + 1) + mk_tournament_bytes(s));
    const enum mk_per_cost rule = mk_per_cost_ratio(per_cost);
    mk_pull_costs_init(&p->costs, p->index + s->arms, s, rule);
    mk_order_stat_init(&p->order, (char *)(p->index + s->arms) + mk_pull_costs_bytes(s, rule), s->arms, kept(s));
    const struct mk_tournament_rules rules = {.a = p->index, .random_ties = s->par[MK_PARETO_TIES] != 0};
    mk_tournament_init(&p->tournament, p + 1, s, &rules);
}

void mk_pareto_set_index(struct mk_pareto *p, size_t arm)
{
    const double *par = p->setup->par;
    const double power = 1 / (2 * par[MK_PARETO_B] + 1), delta = par[MK_PARETO_DELTA];
    size_t count = p->order.set[arm].n, top = (size_t)(p->share * (double)count);
    double n = (double)count, log_n = log(n);
    if (top == 0) top = 1;
    double h =
        mk_order_stat_sum_top(&p->order, arm, top) / (double)top - mk_order_stat_select(&p->order, arm, count - top);
    if (h < 0) h = 0; /* rounding */
    double scale = pow(n, power) * (double)mk_order_stat_count_ge(&p->order, arm, h * power * log_n) / n;
    double shrink = pow(n, -par[MK_PARETO_B] * power);
    double b1 = par[MK_PARETO_D] * sqrt(-log(delta)) * shrink;
    double b2 = par[MK_PARETO_E] * sqrt(log_n - log(delta)) * log_n * shrink;
    double tail = h + b1;
    const double horizon = mk_pull_costs_horizon(&p->costs, arm, count);
    p->index[arm] = tail < 1 ? pow((scale + b2) * horizon, tail) * gsl_sf_gamma(1 - tail) : INFINITY;
    mk_tournament_changed(&p->tournament, arm);
}
