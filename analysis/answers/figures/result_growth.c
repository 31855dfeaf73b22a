/* Growth over decades of T, for max_ucb without scaling on bounded arms, log-log:
 *   growth    N_i(T): median with the band of its quantiles, mean, and the mean of the rare-event estimator, next to
 *             alpha (log T)^power / sqrt(b_best - b_i), and with power 1 to the rate T^(1-c) (analysis/theory/growth.h,
 *             all better arms locked out) and the bounds of Theorem 4.2; with power > 1 there is no such rate
 * (theorem_5.h) lock_out  share of runs in which the best arm gets less than half of the pulls, next to the rate exp(-c
 * (log T)^power), T^-c with power 1, of the arm that is locked out most easily (not of many arms: it takes all pairs)
 * Rates determine no constants: their lines end at the last observed point. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/answers/figures/result_max_ucb.h"
#include "analysis/compare/growth_fit.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/run/engine/rare.h"
#include "sim/run/store/cells.h"

enum { LEAST_HORIZONS = 5 };
static const double least_decades = 1000; /* largest over smallest horizon */

static bool applies(const struct mk_result_view *s)
{
    size_t n = s->info->n_horizons;
    return mk_result_view_has_any(s, mk_result_view_has_growth) && n >= LEAST_HORIZONS &&
           s->horizon[n - 1] >= least_decades * s->horizon[0];
}

/* The parameters of the bonus. */
struct bonus {
    double alpha, power;
};

static struct bonus bonus_of(const struct mk_result_view *s, size_t policy)
{
    return (struct bonus){mk_result_parameter(s->info, policy, "alpha"), mk_result_parameter(s->info, policy, "power")};
}

static struct mk_growth_claim claim_of(const struct mk_result_view *s, size_t policy, size_t arm)
{
    const size_t best = mk_truth_best(s->info->truth, 0, s->info->n_horizons - 1);
    return mk_growth_claim(s->experiment->problem->dist, s->info->n_arms, best, arm, bonus_of(s, policy).alpha);
}

/* y proportional to T^power, through the last point of `through`. */
static void set_rate(const struct mk_result_view *s, struct mk_curve *c, double power, const double *through)
{
    size_t last = s->info->n_horizons - 1;
    while (last > 0 && !(through[last] > 0)) last--;
    for (size_t h = 0; h <= last; h++) c->y[h] = through[last] * pow(s->horizon[h] / s->horizon[last], power);
}

/* A curve over the horizons; NULL: out of memory. */
static struct mk_curve *add(const struct mk_result_view *s, struct mk_plot *p, const char *label, int interval,
                            int points)
{
    struct mk_curve *c = mk_plot_add(p, label, s->info->n_horizons, interval);
    if (!c) return NULL;
    c->style = points ? MK_CURVE_LINE_POINTS : MK_CURVE_LINE;
    for (size_t h = 0; h < c->n; h++) c->x[h] = s->horizon[h];
    return c;
}

/* ---- growth ---- */

enum { MEDIAN, MEAN, RARE_MEAN, LOG_LINE, RATE, PRINTED, SUM, CURVES };

static int add_growth(const struct mk_result_view *s, struct mk_plot *p, const struct mk_growth_claim *claim,
                      double power, struct mk_error *err)
{
    char rate[32], line[48] = "α log T / √gap";
    snprintf(rate, sizeof rate, "rate T^%.3g", 1 - claim->c_joint);
    if (power > 1) snprintf(line, sizeof line, "α (log T)^%g / √gap", power);
    const char *const label[CURVES] = {"median, 5 to 95 %", "mean", "mean, rare events", line, rate, "bound as printed",
                                       "bound, proof's sum"};
    for (int i = 0; i < CURVES; i++) {
        struct mk_curve *c = add(s, p, label[i], i == MEDIAN || i == RARE_MEAN, i <= RARE_MEAN);
        if (!c) return mk_fail_memory(err, "figure");
        c->width = i <= RARE_MEAN ? 1.4 : 1;
        c->look = i;
    }
    return MK_OK;
}

static int fill_growth(const struct mk_result_view *s, struct mk_plot *p, size_t policy, size_t arm, size_t h,
                       const struct mk_rare *rare, struct mk_error *err)
{
    struct mk_curve *c = p->curve;
    struct mk_bound_input in;
    struct mk_cell *cell = NULL;
    int code = mk_result_view_bound_input(s, policy, arm, h, &in, err);
    if (!code) code = mk_result_cell(s->result, policy, 0, h, &cell, err);
    if (code) return code;
    mk_curve_span(&c[MEDIAN], h, s->horizon[h], mk_cell_quantile_pulls(s->info, cell, arm, 0.5),
                  mk_cell_quantile_pulls(s->info, cell, arm, 0.05), mk_cell_quantile_pulls(s->info, cell, arm, 0.95));
    c[MEAN].y[h] = cell->mean_pulls[arm];
    mk_cell_free(cell);
    size_t at = h * s->info->n_arms + arm;
    if (rare)
        mk_curve_set(&c[RARE_MEAN], h, s->horizon[h], (struct mk_mean){rare->mean_pulls[at], rare->se_pulls[at]},
                     MK_MEASURES);
    if (!mk_result_view_is_max_ucb(s, policy)) return MK_OK; /* Theorem 4.2 is about power 1 */
    struct mk_bound printed = mk_bound_evaluate(MK_BOUND_PRINTED, &in);
    double sum = mk_bound_evaluate(MK_BOUND_SUM, &in).value;
    if (printed.regime != MK_REGIME_P_ABOVE_1 && printed.value < s->horizon[h]) c[PRINTED].y[h] = printed.value;
    if (sum < s->horizon[h]) c[SUM].y[h] = sum;
    return MK_OK;
}

static int add_claims(const struct mk_result_view *s, struct mk_plot *p, size_t policy, size_t arm,
                      struct mk_error *err)
{
    const size_t n = s->info->n_horizons;
    struct mk_pulls_point *point = malloc(n * sizeof *point);
    if (!point) return mk_fail_memory(err, "figure");
    for (size_t h = 0; h < n; h++)
        point[h] = (struct mk_pulls_point){.x = s->horizon[h], .policy = policy, .arm = arm, .horizon = h};
    int code = mk_result_view_add_claims(s, p, point, n, -1, err);
    free(point);
    return code;
}

static int draw_growth(const struct mk_result_view *s, size_t policy, size_t arm, const struct mk_rare *rare,
                       struct mk_error *err)
{
    struct mk_plot p;
    struct mk_growth_claim claim = claim_of(s, policy, arm);
    char label[MK_POLICY_NAME_ROOM], detail[MK_POLICY_NAME_ROOM + 40];
    mk_result_view_start(s, &p);
    const struct bonus bonus = bonus_of(s, policy);
    int code = add_growth(s, &p, &claim, bonus.power, err);
    for (size_t h = 0; h < s->info->n_horizons && !code; h++)
        if (arm != mk_truth_best(s->info->truth, 0, h)) code = fill_growth(s, &p, policy, arm, h, rare, err);
    if (!code) code = add_claims(s, &p, policy, arm, err);
    for (size_t h = 0; h < s->info->n_horizons && !code; h++)
        p.curve[LOG_LINE].y[h] = claim.slope * pow(log(s->horizon[h]), bonus.power);
    if (!code && claim.c_joint < 1 && !(bonus.power > 1))
        set_rate(s, &p.curve[RATE], 1 - claim.c_joint, p.curve[rare ? RARE_MEAN : MEAN].y);
    char power[24] = "";
    if (bonus.power > 1) snprintf(power, sizeof power, ", power %g", bonus.power);
    snprintf(p.subtitle, sizeof p.subtitle, "%s, α = %g%s, gap between upper end points %.3g", s->info->arm_label[arm],
             bonus.alpha, power,
             s->info->truth->support_high[mk_truth_best(s->info->truth, 0, s->info->n_horizons - 1)] -
                 s->info->truth->support_high[arm]);
    mk_result_view_horizon_axis(s, &p.x);
    snprintf(p.y.label, sizeof p.y.label, "pulls of the arm up to T");
    p.y.log = 1;
    mk_result_view_policy_name(s, policy, label, sizeof label);
    snprintf(detail, sizeof detail, "%s_arm%zu", label, arm);
    return mk_result_view_finish(s, &p, "growth", detail, code, err);
}

static int growth_draw(const struct mk_result_view *s, struct mk_error *err)
{
    size_t policy[MK_SHOWN_POLICIES], n = mk_result_view_choose(s, mk_result_view_has_growth, policy);
    struct mk_arm_gap *arm = malloc(s->info->n_arms * sizeof *arm);
    if (!arm) return mk_fail_memory(err, "figure");
    const size_t arms = mk_result_view_choose_arms(s, arm);
    int code = MK_OK;
    for (size_t i = 0; i < n && !code; i++) {
        struct mk_rare *rare = NULL;
        code = mk_result_rare(s->result, policy[i], &rare, err);
        for (size_t k = 0; k < arms && !code; k++) code = draw_growth(s, policy[i], arm[k].arm, rare, err);
        mk_rare_free(rare);
    }
    free(arm);
    return code;
}

/* ---- lock-outs ---- */

static int fill_lock_out(const struct mk_result_view *s, struct mk_curve *share, struct mk_curve *estimate,
                         size_t policy, struct mk_error *err)
{
    struct mk_rare *rare = NULL;
    int code = mk_result_rare(s->result, policy, &rare, err);
    for (size_t h = 0; h < s->info->n_horizons && !code; h++) {
        struct mk_cell *cell = NULL;
        code = mk_result_cell(s->result, policy, 0, h, &cell, err);
        if (code) break;
        if (cell->lock_out_share > 0) { /* the score interval is above 0 */
            share->y[h] = cell->lock_out_share;
            mk_share_interval(cell->lock_out_share, s->info->replications, &share->lo[h], &share->hi[h]);
        }
        if (rare && rare->lock_out_share[h] > 0) {
            estimate->y[h] = rare->lock_out_share[h];
            mk_rare_lock_out_interval(rare, h, &estimate->lo[h], &estimate->hi[h]);
        }
        mk_cell_free(cell);
    }
    mk_rare_free(rare);
    return code;
}

/* exp(-c (log T)^power) through the later half of the shares, weighted by their precision on a log scale; a single
 * one, the last, is the least certain. No share is above 1. */
static void set_share_rate(const struct mk_result_view *s, struct mk_curve *c, double exponent, double power,
                           const struct mk_curve *share)
{
    double sum = 0, weights = 0;
    size_t known = 0, seen = 0;
    for (size_t h = 0; h < c->n; h++) known += share->y[h] > 0 && share->lo[h] > 0;
    for (size_t h = 0; h < c->n; h++) {
        if (!(share->y[h] > 0 && share->lo[h] > 0) || seen++ < known / 2) continue;
        const double width = log(share->hi[h] / share->lo[h]), weight = 1 / fmax(width * width, 1e-12);
        sum += weight * (log(share->y[h]) + exponent * pow(log(s->horizon[h]), power));
        weights += weight;
    }
    for (size_t h = 0; weights > 0 && h < c->n; h++) {
        const double y = exp(sum / weights - exponent * pow(log(s->horizon[h]), power));
        c->y[h] = y <= 1 ? y : NAN;
    }
}

static int draw_lock_out(const struct mk_result_view *s, size_t policy, struct mk_error *err)
{
    struct mk_plot p;
    double c = INFINITY;
    const double power = bonus_of(s, policy).power;
    char rate[48], label[MK_POLICY_NAME_ROOM];
    for (size_t arm = 0; arm < s->info->n_arms && s->info->n_arms <= MK_MANY_ARMS; arm++)
        c = fmin(c, claim_of(s, policy, arm).c_joint);
    if (power > 1)
        snprintf(rate, sizeof rate, "rate exp(-%.3g (log T)^%g)", c, power);
    else
        snprintf(rate, sizeof rate, "rate T^-%.3g", c);
    mk_result_view_plot(s, &p, NULL);
    bool good = add(s, &p, "share of replications", 1, 1) && add(s, &p, "rare events", 1, 1) && add(s, &p, rate, 0, 0);
    int code = good ? fill_lock_out(s, &p.curve[0], &p.curve[1], policy, err) : mk_fail_memory(err, "figure");
    if (!code && isfinite(c)) {
        const int rare = p.curve[1].y[s->info->n_horizons - 1] > 0;
        set_share_rate(s, &p.curve[2], c, power, &p.curve[rare]);
    }
    mk_result_view_horizon_axis(s, &p.x);
    snprintf(p.y.label, sizeof p.y.label, "share of runs with N_best(T) < T/2");
    p.y.log = 1;
    mk_result_view_policy_name(s, policy, label, sizeof label);
    return mk_result_view_finish(s, &p, "lock_out", label, code, err);
}

static int lock_out_draw(const struct mk_result_view *s, struct mk_error *err)
{
    size_t policy[MK_SHOWN_POLICIES], n = mk_result_view_choose(s, mk_result_view_has_growth, policy);
    int code = MK_OK;
    for (size_t i = 0; i < n && !code; i++) code = draw_lock_out(s, policy[i], err);
    return code;
}

const struct mk_result_figure mk_result_figure_growth = {
    "growth",
    "pulls of every suboptimal arm (of five where there are more than 100) over decades of T: median, mean and claimed "
    "rates; max_ucb without scaling, with any power, at five horizons or more that span a factor of 1000",
    applies, growth_draw};
const struct mk_result_figure mk_result_figure_lock_out = {
    "lock_out",
    "share of runs in which the best arm gets less than half of the pulls, over decades of T; "
    "max_ucb without scaling, with any power, at five horizons or more that span a factor of 1000",
    applies, lock_out_draw};
