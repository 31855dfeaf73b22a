#include "analysis/answers/figures/result_max_ucb.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/user_claims.h"
#include "analysis/theory/lu.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/run/store/cells.h"

static const double usual_alpha = 0.5;

/* 1 when the policy sees unscaled rewards, which Theorem 4.2 is about. */
static bool is_unscaled(const struct mk_result_view *s, size_t policy)
{
    return mk_result_parameter(s->info, policy, "scale") == 0;
}

bool mk_result_view_has_growth(const struct mk_result_view *s, size_t policy)
{
    return mk_result_view_is_certified(s, policy) && !mk_result_policy_has(s->info, policy, MK_POLICY_BURN_IN) &&
           is_unscaled(s, policy);
}

size_t mk_result_view_choose(const struct mk_result_view *s, mk_result_view_covers *covers,
                             size_t policy[MK_SHOWN_POLICIES])
{
    size_t n = 0, nearest = 0;
    double distance = INFINITY;
    for (size_t i = 0; i < s->info->n_policies; i++) {
        if (!covers(s, i)) continue;
        if (n < MK_SHOWN_POLICIES) policy[n] = i;
        n++;
        double away = fabs(mk_result_parameter(s->info, i, "alpha") - usual_alpha);
        if (away >= distance) continue;
        distance = away;
        nearest = i;
    }
    if (n <= MK_SHOWN_POLICIES) return n;
    policy[0] = nearest;
    return 1;
}

void mk_result_view_policy_name(const struct mk_result_view *s, size_t policy, char *out, size_t room)
{
    char other[MK_POLICY_NAME_ROOM - 24], own[MK_POLICY_NAME_ROOM - 24];
    int shared = 0;
    mk_file_name_part(s->info->policy[policy], own, sizeof own);
    for (size_t i = 0; i < s->info->n_policies; i++) {
        mk_file_name_part(s->info->policy[i], other, sizeof other);
        shared |= i != policy && mk_result_view_is_certified(s, i) && strcmp(other, own) == 0;
    }
    if (shared)
        snprintf(out, room, "%s_%zu", own, policy);
    else
        snprintf(out, room, "%s", own);
}

void mk_result_view_bound_subtitle(const struct mk_result_view *s, struct mk_plot *p, size_t policy, const char *what,
                                   const char *end)
{
    snprintf(p->subtitle, sizeof p->subtitle, "%s, %s with α = %g%s: Theorem 4.2%s", what,
             s->info->policy_type[policy]->name, mk_result_parameter(s->info, policy, "alpha"),
             is_unscaled(s, policy) ? "" : " (scaled rewards)", end);
}

size_t mk_result_view_sort_gaps(const struct mk_result_view *s, size_t horizon, struct mk_arm_gap *to)
{
    const size_t n = mk_arms_by_gap(s->info->truth, 0, horizon, to);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (to[i].gap > (kept ? to[kept - 1].gap : 0)) to[kept++] = to[i];
    return kept;
}

size_t mk_result_view_choose_arms(const struct mk_result_view *s, struct mk_arm_gap *to)
{
    enum { FEW = 5 };
    const size_t last = s->info->n_horizons - 1, best = mk_truth_best(s->info->truth, 0, last);
    size_t n = 0;
    if (s->info->n_arms <= MK_MANY_ARMS) {
        for (size_t k = 0; k < s->info->n_arms; k++)
            if (k != best) to[n++].arm = k;
        return n;
    }
    n = mk_result_view_sort_gaps(s, last, to);
    if (n <= FEW) return n;
    for (size_t i = 0; i < FEW; i++) to[i] = to[i * (n - 1) / (FEW - 1)];
    return FEW;
}

struct mk_reward_unit mk_result_view_reward_unit(const struct mk_result_view *s, size_t policy)
{
    const struct mk_truth *f = s->info->truth;
    return mk_reward_unit(s->info->policy_type[policy], s->info->policy_value[policy], f->support_low, f->support_high,
                          NULL, f->n_arms);
}

/* In the unit of the rewards as written. */
static int raw_input(const struct mk_result_view *s, size_t policy, size_t arm, size_t horizon,
                     struct mk_bound_input *in, struct mk_error *err)
{
    const struct mk_truth *f = s->info->truth;
    const size_t best = mk_truth_best(f, 0, horizon);
    struct mk_lu of_best, of_arm;
    int code = mk_lu_exact(s->experiment->problem->dist[best], NAN, &of_best, err);
    if (!code) code = mk_lu_exact(s->experiment->problem->dist[arm], NAN, &of_arm, err);
    if (code) return code;
    *in = (struct mk_bound_input){.alpha = mk_result_parameter(s->info, policy, "alpha"),
                                  .L = of_best.L,
                                  .U = of_arm.U,
                                  .gap = f->gap[mk_truth_at(f, 0, horizon, arm)],
                                  .gap_endpoint = f->support_high[best] - f->support_high[arm],
                                  .horizon = s->info->horizon[horizon]};
    return MK_OK;
}

int mk_result_view_bound_input(const struct mk_result_view *s, size_t policy, size_t arm, size_t horizon,
                               struct mk_bound_input *in, struct mk_error *err)
{
    const struct mk_reward_unit unit = mk_result_view_reward_unit(s, policy);
    int code = raw_input(s, policy, arm, horizon, in, err);
    if (!code) mk_reward_unit_of_input(&unit, in);
    return code;
}

struct mk_certify_task mk_result_view_task(const struct mk_result_view *s, size_t policy, size_t horizon,
                                           enum mk_certified_sides sides)
{
    const size_t entry = mk_experiment_find_policy(s->experiment, s->info->policy[policy]);
    return (struct mk_certify_task){.entry = &s->experiment->entry[entry],
                                    .arms = s->arms,
                                    .horizon = s->info->horizon[horizon],
                                    .sides = sides,
                                    .refinement = MK_TABLE_REFINEMENT,
                                    .without = MK_EVERY_ARM};
}

int mk_result_view_certify_ahead(const struct mk_result_view *s, const size_t *policy, size_t n, size_t first_horizon,
                                 enum mk_certified_sides sides, struct mk_error *err)
{
    const size_t horizons = s->info->n_horizons - first_horizon;
    struct mk_certify_task *task = malloc((n * horizons + 1) * sizeof *task);
    if (!task) return mk_fail_memory(err, "figure");
    for (size_t i = 0; i < n * horizons; i++)
        task[i] = mk_result_view_task(s, policy[i / horizons], first_horizon + i % horizons, sides);
    int code = mk_certify_ahead(s->certificates, task, n * horizons, s->progress, err);
    free(task);
    return code;
}

int mk_result_view_certify(const struct mk_result_view *s, size_t policy, size_t horizon, struct mk_certificate **out,
                           struct mk_error *err)
{
    const struct mk_certify_task task = mk_result_view_task(s, policy, horizon, MK_CERTIFIED_BAND);
    *out = NULL;
    return s->info->n_arms > MK_MANY_ARMS ? MK_OK : mk_certify_kept(out, s->certificates, &task, err);
}

/* Point k of a curve with a band: the line is the upper bound. */
static void set_certified(struct mk_curve *c, size_t k, double x, const struct mk_certified_arm *arm)
{
    mk_curve_span(c, k, x, arm->upper, arm->lower, arm->upper);
}

int mk_result_view_claim(const struct mk_result_view *s, const struct mk_user_claim *c, size_t policy, size_t arm,
                         size_t horizon, double *value, struct mk_error *err)
{
    const struct mk_truth *f = s->info->truth;
    struct mk_bound_input in;
    int code = raw_input(s, policy, arm, horizon, &in, err);
    if (code) return code;
    struct mk_certificate *certified = NULL;
    if (mk_user_claim_is_certified(c)) code = mk_result_view_certify(s, policy, horizon, &certified, err);
    if (code) return code;
    struct mk_user_claim_place at = {.truth = f,
                                     .instance = &s->experiment->problem->instance[0],
                                     .horizon_at = horizon,
                                     .horizon = s->info->horizon[horizon],
                                     .upper = f->support_high,
                                     .arm = arm,
                                     .alpha = in.alpha,
                                     .L = in.L,
                                     .U = in.U,
                                     .certified = certified ? certified->arm[arm].upper : NAN,
                                     .measure = mk_result_view_reward_unit(s, policy)};
    *value = mk_user_claim_bound(c, &at);
    mk_certificate_free(certified);
    return MK_OK;
}

/* ---- curves of pulls ---- */

static bool is_of_best(const struct mk_result_view *s, const struct mk_pulls_point *at)
{
    return at->arm == mk_truth_best(s->info->truth, 0, at->horizon);
}

static int add_curve(struct mk_plot *p, enum mk_curve_style style, const struct mk_pulls_curve *curve, size_t n,
                     struct mk_error *err)
{
    const bool interval =
        curve->shows == MK_PULLS_CERTIFIED || curve->shows == MK_PULLS_CONFIDENT || curve->shows == MK_PULLS_MEAN;
    struct mk_curve *c = mk_plot_add(p, curve->label, n, interval);
    if (!c) return mk_fail_memory(err, "figure");
    c->style = curve->shows == MK_PULLS_ALL ? MK_CURVE_LINE : style;
    c->width = curve->shows == MK_PULLS_MEAN ? 1.6 : 1;
    c->look = curve->look;
    return MK_OK;
}

static void set_point(const struct mk_result_view *s, struct mk_curve *c, int shows, size_t k,
                      const struct mk_pulls_point *at, const struct mk_cell *cell)
{
    double value;
    switch (shows) {
    case MK_PULLS_CERTIFIED:
        if (at->certified) set_certified(c, k, at->x, &at->certified->arm[at->arm]);
        break;
    case MK_PULLS_CONFIDENT:
        if (at->sampled)
            mk_curve_span(c, k, at->x, at->sampled->upper[at->arm], at->sampled->lower[at->arm],
                          at->sampled->upper[at->arm]);
        break;
    case MK_PULLS_MEAN:
        mk_curve_set(c, k, at->x, (struct mk_mean){cell->mean_pulls[at->arm], cell->se_pulls[at->arm]}, MK_MEASURES);
        break;
    case MK_PULLS_MEDIAN: mk_curve_point(c, k, at->x, mk_cell_quantile_pulls(s->info, cell, at->arm, 0.5)); break;
    case MK_PULLS_ALL: mk_curve_point(c, k, at->x, s->horizon[at->horizon]); break;
    default:
        value = mk_bound_evaluate((enum mk_bound_variant)shows, &at->in).value;
        mk_curve_point(c, k, at->x, value > 0 ? value : NAN); /* a log axis */
    }
}

/* The cell of a point, unless it is that of the point *held. */
static int read_cell(const struct mk_result_view *s, const struct mk_pulls_point *at,
                     const struct mk_pulls_point **held, struct mk_cell **cell, struct mk_error *err)
{
    if (*held && (*held)->policy == at->policy && (*held)->horizon == at->horizon) return MK_OK;
    mk_cell_free(*cell);
    *held = at;
    return mk_result_cell(s->result, at->policy, 0, at->horizon, cell, err);
}

int mk_result_view_add_pulls(const struct mk_result_view *s, struct mk_plot *p, enum mk_curve_style style,
                             const struct mk_pulls_curve *curve, size_t n_curves, struct mk_pulls_point *point,
                             size_t n, struct mk_error *err)
{
    const size_t first = p->n_curves;
    const struct mk_pulls_point *held = NULL;
    struct mk_cell *cell = NULL;
    int code = MK_OK;
    for (size_t i = 0; i < n_curves && !code; i++) code = add_curve(p, style, &curve[i], n, err);
    for (size_t k = 0; k < n && !code; k++) {
        struct mk_pulls_point *at = &point[k];
        at->in = (struct mk_bound_input){0};
        if (isnan(at->x) || is_of_best(s, at)) continue;
        code = mk_result_view_bound_input(s, at->policy, at->arm, at->horizon, &at->in, err);
        if (!code) code = read_cell(s, at, &held, &cell, err);
        for (size_t i = 0; i < n_curves && !code; i++) set_point(s, &p->curve[first + i], curve[i].shows, k, at, cell);
    }
    mk_cell_free(cell);
    return code;
}

static bool covers_all(const struct mk_result_view *s, const struct mk_user_claim *c,
                       const struct mk_pulls_point *point, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!mk_user_claim_covers(c, s->info->policy[point[k].policy])) return false;
    return c->of == MK_USER_CLAIM_PULLS;
}

int mk_result_view_add_claims(const struct mk_result_view *s, struct mk_plot *p, const struct mk_pulls_point *point,
                              size_t n, int look, struct mk_error *err)
{
    const struct mk_experiment *e = s->experiment;
    for (size_t i = 0; i < e->n_claims; i++) {
        if (!covers_all(s, &e->claim[i], point, n)) continue;
        struct mk_curve *c = mk_plot_add(p, e->claim[i].name, n, 0);
        if (!c) return mk_fail_memory(err, "figure");
        c->style = MK_CURVE_LINE_POINTS;
        c->look = look < 0 ? look : look + (int)i;
        for (size_t k = 0; k < n; k++) {
            const struct mk_pulls_point *at = &point[k];
            double value = NAN;
            if (isnan(at->x)) continue;
            int code = is_of_best(s, at)
                           ? MK_OK
                           : mk_result_view_claim(s, &e->claim[i], at->policy, at->arm, at->horizon, &value, err);
            if (code) return code;
            mk_curve_point(c, k, at->x, value > 0 ? value : NAN); /* a log axis */
        }
    }
    return MK_OK;
}
