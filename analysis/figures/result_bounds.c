/* Pulls of every suboptimal arm against Theorem 4.2 (Balef et al. 2025), T on the x axis: max_ucb on arms that are
 * bounded above; and the certified bounds as a band. Bounds are evaluated at the run's horizons, where i* and the gaps
 * are known; horizons with p > 1 are shaded.
 *
 * bands: policies with a power above 1, and others next to them in one picture, their means within their certified
 * bands. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/figures/result_max_ucb.h"
#include "analysis/theory/bounds.h"
#include "sim/base/error.h"
#include "sim/store/cells.h"

static bool applies(const struct mk_result_view *s)
{
    return mk_result_view_has_any(s, mk_result_view_is_max_ucb) && s->info->n_horizons > 1;
}

enum { CERTIFIED, OBSERVED, MEDIAN, PRINTED, SUM, ENDPOINT, ALL_PULLS, CURVES };

static int add_curves(const struct mk_result_view *s, struct mk_plot *p, struct mk_error *err)
{
    static const char *const label[CURVES] = {
        "certified, from below and above", "mean, 95 % band",         "median",     "Theorem 4.2 as printed",
        "Theorem 4.2, proof's sum",        "Theorem 4.2, end points", "all T pulls"};
    for (int i = 0; i < CURVES; i++) {
        struct mk_curve *c = mk_plot_add(p, label[i], s->info->n_horizons, i <= OBSERVED);
        if (!c) return mk_fail_memory(err, "figure");
        c->style = i == ALL_PULLS ? MK_CURVE_LINE : MK_CURVE_LINE_POINTS;
        c->width = i == OBSERVED ? 1.6 : 1;
        for (size_t h = 0; h < c->n; h++) c->x[h] = s->horizon[h];
    }
    return MK_OK;
}

/* What is drawn of one arm under one policy. */
struct drawn {
    size_t policy, arm;
    struct mk_certificate *const *certified; /* [horizon] */
    char *above;                             /* [horizon] p > 1 */
    double exponent;                         /* p at the last horizon */
};

/* One horizon of the figure. */
static int fill(const struct mk_result_view *s, struct mk_plot *p, struct drawn *d, size_t h, struct mk_error *err)
{
    static const enum mk_bound_variant variant[CURVES] = {
        [PRINTED] = MK_BOUND_PRINTED, [SUM] = MK_BOUND_SUM, [ENDPOINT] = MK_BOUND_ENDPOINT};
    const size_t policy = d->policy, arm = d->arm;
    struct mk_cell *cell = NULL;
    if (arm == mk_truth_best(s->info->truth, 0, h)) return MK_OK;
    struct mk_bound_input in;
    int code = mk_result_view_bound_input(s, policy, arm, h, &in, err);
    if (!code) code = mk_result_cell(s->result, policy, 0, h, &cell, err);
    if (code) return code;
    mk_curve_set(&p->curve[OBSERVED], h, s->horizon[h], (struct mk_mean){cell->mean_pulls[arm], cell->se_pulls[arm]},
                 MK_MEASURES);
    if (d->certified[h]) mk_curve_set_certified(&p->curve[CERTIFIED], h, s->horizon[h], &d->certified[h]->arm[arm]);
    p->curve[MEDIAN].y[h] = mk_cell_quantile_pulls(s->info, cell, arm, 0.5);
    for (int i = PRINTED; i <= ENDPOINT; i++) {
        struct mk_bound b = mk_bound_evaluate(variant[i], &in);
        p->curve[i].y[h] = b.value > 0 ? b.value : NAN; /* a log axis */
        if (i != PRINTED) continue;
        d->exponent = b.p;
        d->above[h] = b.regime == MK_REGIME_P_ABOVE_1;
    }
    p->curve[ALL_PULLS].y[h] = s->horizon[h];
    mk_cell_free(cell);
    return MK_OK;
}

/* Horizons with p > 1: from halfway (on the log axis) to the neighbour without to halfway to the next such one. */
static int shade_regime(const struct mk_result_view *s, struct mk_plot *p, const char *above, struct mk_error *err)
{
    const size_t n = s->info->n_horizons;
    struct mk_axis_range x = mk_plot_range_x(p), y = mk_plot_range_y(p);
    size_t runs = 0;
    for (size_t h = 0; h < n; h++) runs += above[h] && (h == 0 || !above[h - 1]);
    struct mk_curve *c = runs ? mk_plot_add(p, "p > 1", runs, 1) : NULL;
    if (!c) return runs ? mk_fail_memory(err, "figure") : MK_OK;
    c->style = MK_CURVE_BOXES;
    c->look = 4;
    c->width = 0.1;
    c->faint = 0.6;
    for (size_t h = 0, run = 0; h < n; h++) {
        if (!above[h]) continue;
        if (h == 0 || !above[h - 1]) c->x[run] = h == 0 ? x.lo : sqrt(s->horizon[h - 1] * s->horizon[h]);
        c->y[run] = y.lo;
        c->hi[run] = y.hi;
        c->lo[run] = h + 1 == n ? x.hi : sqrt(s->horizon[h] * s->horizon[h + 1]);
        if (h + 1 < n && !above[h + 1]) run++;
    }
    p->x.lo = x.lo;
    p->x.hi = x.hi;
    p->y.lo = y.lo;
    p->y.hi = y.hi;
    return MK_OK;
}

static int draw_arm(const struct mk_result_view *s, size_t policy, size_t arm, struct mk_certificate *const *certified,
                    struct mk_error *err)
{
    struct mk_plot p;
    char label[MK_POLICY_NAME_ROOM], detail[MK_POLICY_NAME_ROOM + 40], end[64];
    char *above = calloc(s->info->n_horizons, 1);
    struct drawn d = {policy, arm, certified, above, NAN};
    mk_result_view_plot(s, &p, "");
    int code = above ? add_curves(s, &p, err) : mk_fail_memory(err, "figure");
    for (size_t h = 0; h < s->info->n_horizons && !code; h++) code = fill(s, &p, &d, h, err);
    if (!code) code = mk_result_view_add_claims(s, &p, policy, arm, err);
    snprintf(end, sizeof end, ", p = %.3g at T = %s", d.exponent,
             mk_plot_horizon(s->info->horizon[s->info->n_horizons - 1]).text);
    mk_result_view_bound_subtitle(s, &p, policy, s->info->arm_label[arm], end);
    mk_result_view_horizon_axis(s, &p.x);
    snprintf(p.y.label, sizeof p.y.label, "pulls of the arm up to T");
    p.y.log = 1;
    if (!code) code = shade_regime(s, &p, above, err);
    free(above);
    mk_result_view_policy_name(s, policy, label, sizeof label);
    snprintf(detail, sizeof detail, "%s_arm%zu", label, arm);
    return mk_result_view_finish(s, &p, "bounds", detail, code, err);
}

static int draw_policy(const struct mk_result_view *s, size_t policy, const struct mk_arm_gap *arm, size_t arms,
                       struct mk_error *err)
{
    const size_t n = s->info->n_horizons;
    struct mk_certificate **certified = calloc(n, sizeof *certified);
    int code = certified ? MK_OK : mk_fail_memory(err, "figure");
    if (!code && s->info->n_arms <= MK_MANY_ARMS)
        code = mk_result_view_certify_ahead(s, &policy, 1, 0, MK_CERTIFIED_BAND, err);
    for (size_t h = 0; !code && h < n; h++) code = mk_result_view_certify(s, policy, h, &certified[h], err);
    for (size_t k = 0; !code && k < arms; k++) code = draw_arm(s, policy, arm[k].arm, certified, err);
    for (size_t h = 0; certified && h < n; h++) mk_certificate_free(certified[h]);
    free(certified);
    return code;
}

static int draw(const struct mk_result_view *s, struct mk_error *err)
{
    size_t policy[MK_SHOWN_POLICIES], n = mk_result_view_choose(s, mk_result_view_is_max_ucb, policy);
    struct mk_arm_gap *arm = malloc(s->info->n_arms * sizeof *arm);
    if (!arm) return mk_fail_memory(err, "figure");
    const size_t arms = mk_result_view_choose_arms(s, arm);
    int code = MK_OK;
    for (size_t i = 0; !code && i < n; i++) code = draw_policy(s, policy[i], arm, arms, err);
    free(arm);
    return code;
}

const struct mk_result_figure mk_result_figure_bounds = {
    "bounds",
    "pulls of every suboptimal arm (of five where there are more than 100), the certified band and the forms of Theorem 4.2 against T; max_ucb on bounded arms",
    applies, draw};

/* Policies of which `bands` is drawn: all that have certified bounds, if they are few and one has a power above 1, for
 * which there are no other bounds. */
static size_t choose_bands(const struct mk_result_view *s, size_t policy[MK_SHOWN_POLICIES])
{
    size_t n = 0;
    bool above_1 = 0;
    for (size_t i = 0; i < s->info->n_policies; i++) {
        if (!mk_result_view_is_certified(s, i)) continue;
        if (n < MK_SHOWN_POLICIES) policy[n] = i;
        above_1 |= mk_result_parameter(s->info, i, "power") > 1;
        n++;
    }
    return n <= MK_SHOWN_POLICIES && above_1 ? n : 0;
}

static bool applies_bands(const struct mk_result_view *s)
{
    size_t policy[MK_SHOWN_POLICIES];
    return mk_result_view_has_any(s, mk_result_view_is_certified) && s->info->n_horizons > 1 &&
           s->info->n_arms <= MK_MANY_ARMS && choose_bands(s, policy) > 0;
}

/* The curves of one policy at one horizon, of an arm that is not the best one. */
static int fill_bands(const struct mk_result_view *s, struct mk_plot *p, size_t first, size_t policy, size_t arm,
                      size_t h, struct mk_error *err)
{
    const double T = s->horizon[h];
    struct mk_certificate *certified = NULL;
    struct mk_cell *cell = NULL;
    struct mk_bound_input in;
    int code = mk_result_view_certify(s, policy, h, &certified, err);
    if (!code) code = mk_result_cell(s->result, policy, 0, h, &cell, err);
    if (!code) code = mk_result_view_bound_input(s, policy, arm, h, &in, err);
    if (!code) {
        const struct mk_mean mean = {cell->mean_pulls[arm], cell->se_pulls[arm]};
        mk_curve_set_certified(&p->curve[first], h, T, &certified->arm[arm]);
        mk_curve_set(&p->curve[first + 1], h, T, mean, MK_MEASURES);
        if (mk_result_view_is_max_ucb(s, policy)) {
            const double printed = mk_bound_evaluate(MK_BOUND_PRINTED, &in).value;
            p->curve[first + 2].y[h] = printed > 0 ? printed : NAN; /* a log axis */
        }
    }
    mk_certificate_free(certified);
    mk_cell_free(cell);
    return code;
}

static int draw_bands_of(const struct mk_result_view *s, const size_t *policy, size_t n, size_t arm,
                         struct mk_error *err)
{
    static const char *const what[] = {"certified", "mean, 95 % band", "Theorem 4.2 as printed"};
    struct mk_plot p;
    char label[MK_PLOT_TEXT], detail[40];
    int code = MK_OK;
    mk_result_view_plot(s, &p, "");
    for (size_t i = 0; i < n && !code; i++) {
        const size_t first = p.n_curves, curves = mk_result_view_is_max_ucb(s, policy[i]) ? 3 : 2;
        for (size_t k = 0; k < curves && !code; k++) {
            snprintf(label, sizeof label, "%.100s: %s", s->info->policy[policy[i]], what[k]);
            struct mk_curve *c = mk_plot_add(&p, label, s->info->n_horizons, k < 2);
            if (!c) {
                code = mk_fail_memory(err, "figure");
                break;
            }
            c->style = MK_CURVE_LINE_POINTS;
            c->width = k == 1 ? 1.6 : 1;
            for (size_t h = 0; h < c->n; h++) c->x[h] = s->horizon[h];
        }
        for (size_t h = 0; h < s->info->n_horizons && !code; h++)
            if (arm != mk_truth_best(s->info->truth, 0, h)) code = fill_bands(s, &p, first, policy[i], arm, h, err);
    }
    snprintf(p.subtitle, sizeof p.subtitle, "%s", s->info->arm_label[arm]);
    mk_result_view_horizon_axis(s, &p.x);
    snprintf(p.y.label, sizeof p.y.label, "pulls of the arm up to T");
    p.y.log = 1;
    snprintf(detail, sizeof detail, "arm%zu", arm);
    return mk_result_view_finish(s, &p, "bands", detail, code, err);
}

static int draw_bands(const struct mk_result_view *s, struct mk_error *err)
{
    size_t policy[MK_SHOWN_POLICIES];
    const size_t n = choose_bands(s, policy);
    struct mk_arm_gap *arm = malloc(s->info->n_arms * sizeof *arm);
    if (!arm) return mk_fail_memory(err, "figure");
    const size_t arms = mk_result_view_choose_arms(s, arm);
    int code = mk_result_view_certify_ahead(s, policy, n, 0, MK_CERTIFIED_BAND, err);
    for (size_t k = 0; !code && k < arms; k++) code = draw_bands_of(s, policy, n, arm[k].arm, err);
    free(arm);
    return code;
}

const struct mk_result_figure mk_result_figure_bands = {
    "bands",
    "pulls of every suboptimal arm and certified bands of up to three max_ucb policies, one of them with a power above 1; bounded arms",
    applies_bands, draw_bands};
