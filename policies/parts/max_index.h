/* Index policies of the form  scaled(max_i) + c_t / n_i^2  (max_ucb and its variants).
 *
 * Scaling (policies/parts/reward_scaling.h) is affine with the same slope 1 / range for all arms in a round, so the
 * order of the indices is that of  max_i + range * c_t / n_i^2 , maxima counted from the origin of the map: O(1) per
 * round, no rescan, and the same roundings wherever raw rewards lie. With a constant history only the bonus decides.
 *
 * Two parameters change the bonus c_t / n_i^2 (both off by default):
 *   per_cost         root, and ratio of max_ucb alone: policies/parts/pull_costs.h
 *   label_prior: b   times share_i^b, share_i = K s_i of the arm's label (mk_setup.label_share)
 * State: 33 bytes per arm, 16 more where one of them is used, and this struct. Cost O(K) per pull. */
#ifndef MAXK_POLICIES_PARTS_MAX_INDEX_H
#define MAXK_POLICIES_PARTS_MAX_INDEX_H

#include <stdbool.h>

#include "policies/parts/argmax.h"
#include "policies/parts/pull_costs.h"
#include "policies/parts/reward_scaling.h"
#include "policies/parts/tournament.h"
#include "policies/policy.h"
#include "sim/base/order.h"

/* What costs and labels make of the bonus. */
struct mk_bonus_weights {
    bool used;
    double *label; /* [K] factor of the squared bonus */
    struct mk_pull_costs costs;
};

struct mk_max_index {
    const struct mk_setup *setup;
    double *raw;    /* [K] running maxima, -inf before the first reward */
    double *max;    /* [K] the same from the origin of the map */
    double *inv_n2; /* [K] 1 / n_i^2, weighed */
    uint64_t *n;    /* [K] */
    char *left_out; /* [K] scratch of the record engine: outside the group being considered */
    struct mk_scaling scaling;
    int random_ties;
    size_t last;   /* arm of the previous round; the number of arms at the start */
    double scaled; /* range * c_t of the current round */
    struct mk_bonus_weights weights;
    struct mk_tournament tournament;
};

/* Up to this alpha, (alpha log t)^2 is finite. */
#define MK_MOST_ALPHA 1e150

/* Parameters in a row: those of the scaling, then ties. */
enum { MK_MAX_INDEX_TIES = MK_SCALING_NEXT, MK_MAX_INDEX_NEXT };

#define MK_MAX_INDEX_PARAMS MK_SCALING_PARAMS(0.01, 0.99), MK_TIES_PARAM

/* Two parameters in a row. */
enum { MK_BONUS_PER_COST, MK_BONUS_LABEL_PRIOR, MK_BONUS_NEXT };

#define MK_BONUS_PARAMS(per_cost)                                                                                      \
    MK_PER_COST_PARAM(per_cost),                                                                                       \
    {                                                                                                                  \
        "label_prior", MK_REAL, 0, 0, 0, 10, NULL,                                                                     \
            "of recorded runs: power of an arm's share of the other instances on which its label was the best, by "    \
            "which its bonus is multiplied; this project"                                                              \
    }

/* `state_size` of a policy whose state this is. */
static inline size_t mk_max_index_bytes(const struct mk_setup *s)
{
    return sizeof(struct mk_max_index) + mk_tournament_bytes(s) + s->arms * (5 * sizeof(double) + sizeof(uint64_t) + 1);
}

/* `bonus`: the values of MK_BONUS_PARAMS. */
static inline bool mk_bonus_is_weighed(const double *bonus)
{
    return bonus[MK_BONUS_PER_COST] != MK_PER_COST_NONE || bonus[MK_BONUS_LABEL_PRIOR] > 0;
}

/* `no_records` of such a policy. */
static inline const char *mk_bonus_no_records(const double *bonus)
{
    return mk_bonus_is_weighed(bonus) ? "per_cost and label_prior need every pull" : NULL;
}

/* par: the values of MK_MAX_INDEX_PARAMS. */
static inline void mk_max_index_init(struct mk_max_index *m, const struct mk_setup *s, const double *par)
{
    m->setup = s;
    m->raw = (double *)((char *)(m + 1) + mk_tournament_bytes(s));
    m->max = m->raw + s->arms;
    m->inv_n2 = m->max + s->arms;
    m->weights = (struct mk_bonus_weights){.label = m->inv_n2 + s->arms};
    m->weights.costs.spent = m->inv_n2 + 2 * s->arms;
    m->n = (uint64_t *)(m->weights.costs.spent + s->arms);
    m->left_out = (char *)(m->n + s->arms);
    mk_scaling_init(&m->scaling, par);
    m->random_ties = par[MK_MAX_INDEX_TIES] != 0;
    m->last = s->arms;
    const struct mk_tournament_rules rules = {.a = m->max, .b = m->inv_n2, .random_ties = m->random_ties};
    mk_tournament_init(&m->tournament, m + 1, s, &rules);
    for (size_t i = 0; i < s->arms; i++) {
        m->raw[i] = m->max[i] = -INFINITY;
        m->inv_n2[i] = INFINITY;
        m->n[i] = 0;
    }
}

/* After mk_max_index_init. bonus: the values of MK_BONUS_PARAMS; forgotten: pulls of every arm before its first update.
 * Without shares of labels (a single instance) label_prior changes nothing. */
static inline void mk_max_index_weigh(struct mk_max_index *m, const double *bonus, uint64_t forgotten)
{
    const struct mk_setup *s = m->setup;
    struct mk_bonus_weights *w = &m->weights;
    if (!mk_bonus_is_weighed(bonus)) return;
    w->used = true;
    mk_pull_costs_init(&w->costs, w->costs.spent, s, (enum mk_per_cost)bonus[MK_BONUS_PER_COST]);
    w->costs.forgotten = forgotten;
    for (size_t i = 0; i < s->arms; i++)
        w->label[i] = s->label_share ? pow(s->label_share[i], bonus[MK_BONUS_LABEL_PRIOR]) : 1;
    if (w->costs.rule == MK_PER_COST_RATIO) m->tournament.used = false; /* indices are no lines in c_t */
}

/* inv_n2 of an arm that has been pulled. */
static inline void mk_max_index_pay(struct mk_max_index *m, size_t arm)
{
    struct mk_bonus_weights *w = &m->weights;
    const double n = (double)m->n[arm];
    mk_pull_costs_pay(&w->costs, arm, m->n[arm]);
    m->inv_n2[arm] = w->label[arm] / (n * (w->costs.rule == MK_PER_COST_ROOT ? w->costs.spent[arm] : n));
}

static inline double mk_max_index_value(const void *context, size_t i)
{
    const struct mk_max_index *m = context;
    return m->max[i] + m->scaled * m->inv_n2[i];
}

/* argmax_i of max_i + range * c / n_i^2; every arm must have been pulled. */
static inline size_t mk_max_index_select(struct mk_max_index *m, double c)
{
    const struct mk_pull_costs *costs = &m->weights.costs;
    if (costs->rule == MK_PER_COST_ROOT) c *= mk_pull_costs_mean(costs);
    m->scaled = m->scaling.range * c;
    if (m->tournament.used) return mk_tournament_best(&m->tournament, m->scaled, m->setup->rng);
    return mk_argmax_of(m, m->setup->arms, mk_max_index_value, m->random_ties, m->setup->rng);
}

static inline void mk_max_index_move(struct mk_max_index *m, double origin)
{
    for (size_t i = 0; i < m->setup->arms; i++) m->max[i] = m->raw[i] - origin;
    mk_tournament_forget(&m->tournament);
}

/* Its `update`. */
static inline void mk_max_index_update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)t;
    struct mk_max_index *m = state;
    const double n = (double)++m->n[arm], before = mk_scaling_origin(&m->scaling);
    m->inv_n2[arm] = 1.0 / (n * n);
    if (__builtin_expect(m->weights.used, 0)) mk_max_index_pay(m, arm);
    mk_scaling_see(&m->scaling, reward);
    const double origin = mk_scaling_origin(&m->scaling);
    if (reward > m->raw[arm]) {
        m->raw[arm] = reward;
        m->max[arm] = reward - origin;
    }
    if (origin != before)
        mk_max_index_move(m, origin);
    else
        mk_tournament_changed(&m->tournament, arm);
}

/* Its `keep`. Only a reward below all earlier ones moves the origin of the map, and with it all maxima. */
static inline void mk_max_index_keep(void *state, size_t arm, double reward, struct mk_undo *undo)
{
    struct mk_max_index *m = state;
    const size_t arms = m->setup->arms;
    if (arm == arms) {
        mk_undo_keep(undo, m, sizeof *m);
        m->tournament.undo = undo;
        return;
    }
    mk_undo_keep(undo, &m->raw[arm], sizeof *m->raw);
    mk_undo_keep(undo, &m->inv_n2[arm], sizeof *m->inv_n2);
    mk_undo_keep(undo, &m->n[arm], sizeof *m->n);
    mk_pull_costs_keep(&m->weights.costs, arm, undo);
    if (mk_scaling_moves(&m->scaling, reward))
        mk_undo_keep(undo, m->max, arms * sizeof *m->max);
    else
        mk_undo_keep(undo, &m->max[arm], sizeof *m->max);
}

/* ---- staying with an arm ---- The leader's index is at least its maximum. If a rival's index, with the bonus of the
 * last round of a stretch, is still below that maximum, then also in every earlier round of a rising bonus: rounding is
 * monotone, so comparing the same floating-point expressions decides it exactly. The leader's rewards can only raise
 * its maximum; if they change the scaling, the stretch ends (mk_max_index_update_many). Nothing ties, so the tie rule
 * plays no role. */

/* The largest c for which no rival of `arm` reaches its maximum, to about 1e-12 and slightly too low; +inf without
 * rivals. A hint where to look: mk_max_index_leads decides. */
static inline double mk_max_index_room(const struct mk_max_index *m, size_t arm)
{
    double least = INFINITY;
    if (m->tournament.used)
        return mk_tournament_rivals(&m->tournament, arm, m->max[arm]).until / m->scaling.range * (1 - 1e-12);
    for (size_t j = 0; j < m->setup->arms; j++) {
        double n = (double)m->n[j], room = (m->max[arm] - m->max[j]) * (n * n);
        least = j != arm && room < least ? room : least;
    }
    return least / m->scaling.range * (1 - 1e-12);
}

static inline bool mk_max_index_leads(const struct mk_max_index *m, size_t arm, double c)
{
    const double scaled = m->scaling.range * c, top = m->max[arm];
    int leads = 1;
    if (m->tournament.used) return mk_tournament_below(&m->tournament, arm, scaled, top, 0);
    for (size_t j = 0; j < m->setup->arms; j++) leads &= j == arm || m->max[j] + scaled * m->inv_n2[j] < top;
    return leads;
}

/* update for rewards[0 … n-1] of one arm, up to and including the first one that changes the scaling. */
static inline uint64_t mk_max_index_update_many(void *state, size_t arm, const double *rewards, uint64_t n, uint64_t t)
{
    struct mk_max_index *m = state;
    double largest = mk_largest((size_t)n, rewards);
    if (m->scaling.scale != MK_SCALE_NONE &&
        (largest > m->scaling.largest || mk_least((size_t)n, rewards) < m->scaling.smallest)) {
        uint64_t same = 0;
        while (rewards[same] <= m->scaling.largest && rewards[same] >= m->scaling.smallest) same++;
        if (same > 0) mk_max_index_update_many(m, arm, rewards, same, t);
        mk_max_index_update(m, arm, rewards[same], t + same);
        return same + 1;
    }
    m->n[arm] += n;
    double pulls = (double)m->n[arm];
    m->inv_n2[arm] = 1.0 / (pulls * pulls);
    if (largest > m->raw[arm]) {
        m->raw[arm] = largest;
        m->max[arm] = largest - mk_scaling_origin(&m->scaling);
    }
    mk_tournament_changed(&m->tournament, arm);
    return n;
}

#endif
