/* The input of bounds for every arm of a result (L, U, supports), and its claims and regrets checked cell by cell, as
 * printed by `maxk bounds` and `maxk summary`. */
#ifndef MAXK_ANALYSIS_COMPARE_BOUND_CELLS_H
#define MAXK_ANALYSIS_COMPARE_BOUND_CELLS_H

#include <stdbool.h>

#include "analysis/compare/arms/lu_arm.h"
#include "analysis/compare/arms/race.h"
#include "analysis/compare/reward_unit.h"
#include "analysis/theory/bounds.h"
#include "sim/run/experiment/experiment.h"
#include "sim/run/store/cells.h"
#include "sim/run/store/result.h"

struct mk_bound_cells {
    struct mk_result *result; /* borrowed */
    const struct mk_result_info *info;
    const struct mk_experiment *e; /* the one that the result holds; borrowed */
    struct mk_lu_options options;
    enum mk_lu_estimator estimator;
    int dkw;                       /* plugin, with simultaneous confidence bounds at options.confidence each */
    double refinement, confidence; /* of certified bounds; confidence > 0: with dkw on recorded rewards */
    struct mk_certificate_store *certificates; /* borrowed */
    struct mk_lu *constants;                   /* [instance][arm] */
    struct mk_lu_interval *interval;           /* [instance][arm]; dkw only */
    double *upper, *lower;                     /* [instance][arm] */
    struct mk_race_arms **arms;                /* [instance] those certified so far; NULL: none yet */
};

/* Defaults of the options; exact for families, plugin for recorded rewards. */
struct mk_lu_options mk_bound_lu_options(void);
enum mk_lu_estimator mk_bound_lu_estimator(const struct mk_problem *p);

/* With the other members set: finds the constants; mk_bound_cells_clear frees them, even after an error. */
int mk_bound_cells_fill(struct mk_bound_cells *c, struct mk_error *err);
void mk_bound_cells_clear(struct mk_bound_cells *c);

/* Makes c->certificates compute, all threads at once, what mk_bound_theorem will need for the policies with theorem
 * [policy] (NULL: for none), and mk_bound_user_claims for those with claims [policy] (NULL: for all). progress may be
 * NULL. */
int mk_bound_cells_certify(struct mk_bound_cells *c, int variant, const bool *theorem, const bool *claims,
                           struct mk_progress *progress, struct mk_error *err);

/* How theory measures the rewards of this policy on this instance. */
struct mk_reward_unit mk_bound_reward_unit(const struct mk_bound_cells *c, size_t policy, size_t instance);

/* A form of Theorem 4.2 for one suboptimal arm at one place. */
struct mk_theorem_cell {
    size_t arm;
    enum mk_bound_variant variant;
    struct mk_bound_input in; /* alpha is NaN, and with it the bound, for policies that the theorem is not about */
    struct mk_bound bound;
    struct mk_bound_span span;    /* dkw: where L and U lie */
    double bound_low, bound_high; /* dkw: where the bound lies then; NaN otherwise */
    double lower;                 /* crossing: the mean pulls are at least this; NaN: not known */
    double unit;                  /* of the rewards in `in` and `span`: mk_bound_reward_unit */
    double mean, low, high;       /* pulls, 95 % interval */
    enum mk_verdict verdict;      /* dkw: the one that every bound in between gives, or inconclusive */
};

/* Every suboptimal arm and of it the variant, or every one for MK_BOUND_VARIANTS: of more than MK_MANY_ARMS arms
 * without crossing, whose cost grows with the square of their number. */
int mk_bound_theorem(const struct mk_bound_cells *c, struct mk_cell_index at, int variant,
                     void (*visit)(void *context, struct mk_cell_index at, const struct mk_theorem_cell *cell),
                     void *context, struct mk_error *err);

/* What no policy can stay below that locks an arm out as rarely as is proved of this one
 * (analysis/theory/every_policy.h), for every suboptimal arm: the member `lower`, NaN where it is not applicable: to
 * other policies than max_ucb without scaling, and to arms without finite end points below those of others. */
int mk_bound_every_policy(struct mk_bound_cells *c, struct mk_cell_index at,
                          void (*visit)(void *context, struct mk_cell_index at, const struct mk_theorem_cell *cell),
                          void *context, struct mk_error *err);

/* Both sides of Proposition 4.1, from the origin of the policy's unit. */
int mk_bound_regret(const struct mk_bound_cells *c, struct mk_cell_index at, struct mk_regret_check *out,
                    struct mk_error *err);

/* A claim of the experiment at one place. */
struct mk_user_claim_cell {
    const struct mk_user_claim *claim;
    size_t arm;                 /* of pulls; the optimal one for regret */
    double alpha, L, U, gap;    /* in the policy's unit; U and gap: NaN for regret */
    double unit;                /* the policy's */
    double bound;               /* the formula's value; of a regret in the unit of the rewards */
    double observed, low, high; /* pulls or regret, 95 % interval */
    enum mk_verdict verdict;
};

/* Every claim that covers the policy, of pulls for every suboptimal arm, in the order claims, arms. */
int mk_bound_user_claims(const struct mk_bound_cells *c, struct mk_cell_index at,
                         void (*visit)(void *context, struct mk_cell_index at, const struct mk_user_claim_cell *cell),
                         void *context, struct mk_error *err);

#endif
