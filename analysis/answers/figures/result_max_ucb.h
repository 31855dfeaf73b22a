/* Shared by the figures of max_ucb against its bounds. */
#ifndef MAXK_ANALYSIS_ANSWERS_FIGURES_RESULT_MAX_UCB_H
#define MAXK_ANALYSIS_ANSWERS_FIGURES_RESULT_MAX_UCB_H

#include <stdbool.h>

#include "analysis/answers/figures/result_view.h"
#include "analysis/compare/arms/arm_choice.h"
#include "analysis/compare/arms/race.h"
#include "analysis/compare/reward_unit.h"
#include "analysis/theory/bounds.h"

enum { MK_SHOWN_POLICIES = 3, MK_POLICY_NAME_ROOM = 64 };

/* 1 for max_ucb with any power and alpha > 0 that sees unscaled rewards: Theorem 4 or 5 says how its pulls grow. */
mk_result_view_covers mk_result_view_has_growth;

/* Such policies to show: all if they are few, else the one with alpha nearest to 0.5. Returns their number. */
size_t mk_result_view_choose(const struct mk_result_view *s, mk_result_view_covers *covers,
                             size_t policy[MK_SHOWN_POLICIES]);

/* The policy's label for file names; with its number if another policy would have the same name. */
void mk_result_view_policy_name(const struct mk_result_view *s, size_t policy, char *out, size_t room);

/* "<what>, max_ucb with α = …: Theorem 4.2<end>", with a note when rewards are scaled. */
void mk_result_view_bound_subtitle(const struct mk_result_view *s, struct mk_plot *p, size_t policy, const char *what,
                                   const char *end);

/* Suboptimal arms with a gap above 0 at a horizon, ascending, equal gaps once; `to` has room for all arms. Returns
 * their number. */
size_t mk_result_view_sort_gaps(const struct mk_result_view *s, size_t horizon, struct mk_arm_gap *to);

/* Suboptimal arms that get a figure of their own: all; of many, those with the smallest gap at the last horizon, a
 * quarter, half and three quarters of the way up, and the largest. `to` has room for all arms. Returns their number. */
size_t mk_result_view_choose_arms(const struct mk_result_view *s, struct mk_arm_gap *to);

/* How theory measures the rewards of this policy. */
struct mk_reward_unit mk_result_view_reward_unit(const struct mk_result_view *s, size_t policy);

/* The input of Theorem 4.2 for an arm at a horizon, with exact L and U, in the policy's unit. */
int mk_result_view_bound_input(const struct mk_result_view *s, size_t policy, size_t arm, size_t horizon,
                               struct mk_bound_input *in, struct mk_error *err);

/* What is certified of a policy at a horizon. */
struct mk_certify_task mk_result_view_task(const struct mk_result_view *s, size_t policy, size_t horizon,
                                           enum mk_certified_sides sides);

/* Computes ahead, all threads at once, the bands of n policies at all horizons from the first on. */
int mk_result_view_certify_ahead(const struct mk_result_view *s, const size_t *policy, size_t n, size_t first_horizon,
                                 enum mk_certified_sides sides, struct mk_error *err);

/* The certified bounds of all arms at a horizon; the caller frees them. NULL with more than MK_MANY_ARMS arms: their
 * cost grows with the square of that number. */
int mk_result_view_certify(const struct mk_result_view *s, size_t policy, size_t horizon, struct mk_certificate **out,
                           struct mk_error *err);

/* Value of a claim of the experiment for this policy, arm and horizon, with exact L and U. */
int mk_result_view_claim(const struct mk_result_view *s, const struct mk_user_claim *c, size_t policy, size_t arm,
                         size_t horizon, double *value, struct mk_error *err);

/* ---- curves of pulls ---- */

/* A point of a figure about the pulls of an arm under a policy at a horizon. */
struct mk_pulls_point {
    double x; /* NaN: the point is left out */
    size_t policy, arm, horizon;
    const struct mk_certificate *certified; /* NULL: none */
    const struct mk_sampled_bound *sampled; /* NULL: none */
    struct mk_bound_input in;               /* <- of Theorem 4.2; zeroes for the best arm, which has no bound */
};

/* What a curve shows of it: a form of Theorem 4.2 (enum mk_bound_variant), NaN where it is not above 0; or */
enum {
    MK_PULLS_CERTIFIED = MK_BOUND_VARIANTS, /* the band; nothing without a certificate */
    MK_PULLS_CONFIDENT,                     /* the band with confidence; nothing without replications */
    MK_PULLS_MEAN,                          /* with its 95 % interval */
    MK_PULLS_MEDIAN,
    MK_PULLS_ALL /* the horizon */
};
struct mk_pulls_curve {
    int shows;
    const char *label;
    int look; /* of struct mk_curve */
};

/* Adds the curves over the n points, with nothing at those of the best arm. */
int mk_result_view_add_pulls(const struct mk_result_view *s, struct mk_plot *p, enum mk_curve_style style,
                             const struct mk_pulls_curve *curve, size_t n_curves, struct mk_pulls_point *point,
                             size_t n, struct mk_error *err);

/* Adds the claims of the experiment on pulls that cover the policies of all points, a curve each; look: of the first
 * claim of the experiment, -1: by the order of curves. */
int mk_result_view_add_claims(const struct mk_result_view *s, struct mk_plot *p, const struct mk_pulls_point *point,
                              size_t n, int look, struct mk_error *err);

#endif
