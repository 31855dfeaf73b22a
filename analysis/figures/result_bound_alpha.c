/* Three figures over alpha, for sweeps of max_ucb's alpha on bounded arms; Theorem 4.2 (Balef et al. 2025) is in them
 * where the power is 1.
 *
 * bound_alpha: at one horizon and for one suboptimal arm, the observed pulls, the certified band and every form of the
 * bound against alpha; the regime p > 1, in which the printed first term is negative, is shaded.
 * certified_alpha: the regret at the largest horizon and certified bounds on it against alpha.
 * bound_map: alpha and the gap Delta_i(T) of every suboptimal arm, or of 200 among more, span a map of log10(bound /
 * observed), the bound
 * being the smaller of T and the proof's sum; the line is p = 1. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/figures/result_max_ucb.h"
#include "analysis/plot/plot_map.h"
#include "analysis/theory/certified_regret.h"
#include "sim/base/error.h"

enum { FEW_HORIZONS = 3, LOG_RATIO = 20, MAP_ARMS = 5, MOST_ROWS = 200, BOUNDARY_POINTS = 100 };

/* The largest sweep over alpha whose policies are covered, or NULL. */
static const struct mk_sweep *alpha_sweep(const struct mk_result_view *s, mk_result_view_covers *covers)
{
    const struct mk_sweep *found = NULL;
    for (size_t i = 0; i < s->n_sweeps; i++) {
        const struct mk_sweep *w = &s->sweep[i];
        size_t last = w->policy[w->n - 1]; /* the largest alpha is above 0 */
        if (strcmp(w->type->params[w->param].name, "alpha") == 0 && covers(s, last) && (!found || w->n > found->n))
            found = w;
    }
    return found;
}

static bool applies_alpha(const struct mk_result_view *s)
{
    return mk_result_view_has_any(s, mk_result_view_is_certified) &&
           alpha_sweep(s, mk_result_view_is_certified) != NULL;
}

static bool applies_theorem(const struct mk_result_view *s)
{
    return mk_result_view_has_any(s, mk_result_view_is_max_ucb) && alpha_sweep(s, mk_result_view_is_max_ucb) != NULL;
}

/* The sweep that Theorem 4.2 covers, if there is one, else one with certified bounds alone. */
static const struct mk_sweep *shown_sweep(const struct mk_result_view *s)
{
    const struct mk_sweep *w = alpha_sweep(s, mk_result_view_is_max_ucb);
    return w ? w : alpha_sweep(s, mk_result_view_is_certified);
}

static bool has_theorem(const struct mk_result_view *s, const struct mk_sweep *w)
{
    return mk_result_view_is_max_ucb(s, w->policy[w->n - 1]);
}

/* ", power 2", "" for power 1. */
struct power {
    char text[32];
};

static struct power power_of(const struct mk_result_view *s, const struct mk_sweep *w)
{
    const double power = mk_result_parameter(s->info, w->policy[w->n - 1], "power");
    struct power out = {""};
    if (power > 1) snprintf(out.text, sizeof out.text, ", power %g", power);
    return out;
}

/* Position of the smallest alpha above 0. */
static size_t first_positive(const struct mk_sweep *w)
{
    size_t i = 0;
    while (!(w->value[i] > 0)) i++;
    return i;
}

static void alpha_axis(const struct mk_sweep *w, struct mk_axis *x)
{
    double least = w->value[first_positive(w)], largest = w->value[w->n - 1];
    snprintf(x->label, sizeof x->label, "α");
    x->log = largest >= LOG_RATIO * least;
    x->lo = x->log ? least : w->value[0];
    x->hi = largest;
}

/* ---- against alpha ---- */

enum { SHADE, CERTIFIED, OBSERVED, PRINTED, SUM, ENDPOINT, FIGURE_E5, CURVES };

static int add_curves(const struct mk_sweep *w, bool theorem, struct mk_plot *p, struct mk_error *err)
{
    static const char *const label[CURVES] = {"p > 1",
                                              "certified, from below and above",
                                              "mean, 95 % band",
                                              "Theorem 4.2 as printed",
                                              "Theorem 4.2, proof's sum",
                                              "Theorem 4.2, end points",
                                              "Figure E.5"};
    static const int look[CURVES] = {4, 6, 0, 1, 2, 3, 5};
    for (int i = 0; i < (theorem ? CURVES : PRINTED); i++) {
        const bool empty = i == SHADE && !theorem;
        struct mk_curve *c = mk_plot_add(p, empty ? "" : label[i], i == SHADE ? 1 : w->n, i <= OBSERVED);
        if (!c) return mk_fail_memory(err, "figure");
        c->look = look[i];
        c->style = i == SHADE ? MK_CURVE_BOXES : MK_CURVE_LINE;
        c->width = i == OBSERVED ? 1.6 : i == SHADE ? 0.1 : 1;
        if (i == SHADE) c->faint = 0.6;
    }
    return MK_OK;
}

static int fill_alpha(const struct mk_result_view *s, const struct mk_sweep *w, size_t arm, size_t h,
                      struct mk_certificate *const *certified, struct mk_plot *p, double *critical,
                      struct mk_error *err)
{
    static const enum mk_bound_variant variant[CURVES] = {[PRINTED] = MK_BOUND_PRINTED,
                                                          [SUM] = MK_BOUND_SUM,
                                                          [ENDPOINT] = MK_BOUND_ENDPOINT,
                                                          [FIGURE_E5] = MK_BOUND_FIGURE_E5};
    for (size_t i = first_positive(w); i < w->n; i++) {
        struct mk_cell *cell = NULL;
        struct mk_bound_input in;
        int code = mk_result_view_bound_input(s, w->policy[i], arm, h, &in, err);
        if (!code) code = mk_result_cell(s->result, w->policy[i], 0, h, &cell, err);
        if (code) return code;
        mk_curve_set(&p->curve[OBSERVED], i, w->value[i], (struct mk_mean){cell->mean_pulls[arm], cell->se_pulls[arm]},
                     MK_MEASURES);
        mk_curve_set_certified(&p->curve[CERTIFIED], i, w->value[i], &certified[i]->arm[arm]);
        for (int c = PRINTED; has_theorem(s, w) && c < CURVES; c++) {
            double value = mk_bound_evaluate(variant[c], &in).value;
            p->curve[c].x[i] = w->value[i];
            p->curve[c].y[i] = value > 0 ? value : NAN; /* a log axis */
        }
        if (has_theorem(s, w)) *critical = 1 / (2 * in.L * sqrt(in.gap));
        mk_cell_free(cell);
    }
    return MK_OK;
}

/* Claims of the experiment on pulls, except those about a single policy. */
static int add_claims(const struct mk_result_view *s, const struct mk_sweep *w, size_t arm, size_t h, struct mk_plot *p,
                      struct mk_error *err)
{
    const struct mk_experiment *e = s->experiment;
    for (size_t i = 0; i < e->n_claims; i++) {
        if (e->claim[i].of != MK_USER_CLAIM_PULLS || e->claim[i].policy) continue;
        struct mk_curve *c = mk_plot_add(p, e->claim[i].name, w->n, 0);
        if (!c) return mk_fail_memory(err, "figure");
        c->style = MK_CURVE_LINE_POINTS;
        c->look = CURVES + (int)i;
        for (size_t k = first_positive(w); k < w->n; k++) {
            double value;
            int code = mk_result_view_claim(s, &e->claim[i], w->policy[k], arm, h, &value, err);
            if (code) return code;
            c->x[k] = w->value[k];
            c->y[k] = value > 0 ? value : NAN;
        }
    }
    return MK_OK;
}

/* p > 1, from the critical alpha to the right end, over the whole height. */
static void shade(struct mk_plot *p, double critical)
{
    struct mk_curve *c = &p->curve[SHADE];
    if (!(critical < p->x.hi)) return;
    mk_curve_span(c, 0, fmax(critical, p->x.lo), p->y.lo, p->x.hi, p->y.hi);
}

static int draw_alpha_arm(const struct mk_result_view *s, const struct mk_sweep *w, size_t arm, size_t h,
                          struct mk_certificate *const *certified, struct mk_error *err)
{
    struct mk_plot p;
    double critical = INFINITY;
    char what[MK_PLOT_TEXT], detail[64];
    unsigned long long T = s->info->horizon[h];
    snprintf(what, sizeof what, "%s at T = %s%s", s->info->arm_label[arm], mk_plot_horizon(T).text,
             has_theorem(s, w) ? ": Theorem 4.2; bounds below 0 are not shown" : power_of(s, w).text);
    mk_result_view_plot(s, &p, what);
    alpha_axis(w, &p.x);
    int code = add_curves(w, has_theorem(s, w), &p, err);
    if (!code) code = fill_alpha(s, w, arm, h, certified, &p, &critical, err);
    if (!code) code = add_claims(s, w, arm, h, &p, err);
    snprintf(p.y.label, sizeof p.y.label, "pulls of the arm up to T");
    p.y.log = 1;
    /* Nothing is observed below one pull, and values far above T say nothing. */
    const struct mk_axis_range range = mk_plot_range_y(&p);
    p.y.lo = fmax(0.5, range.lo);
    p.y.hi = fmin(20 * (double)T, range.hi);
    if (!code) shade(&p, critical);
    snprintf(detail, sizeof detail, "arm%zu_T%llu", arm, T);
    return mk_result_view_finish(s, &p, "bound_alpha", detail, code, err);
}

static int draw_alpha_horizon(const struct mk_result_view *s, const struct mk_sweep *w, size_t h, struct mk_error *err)
{
    struct mk_certificate **certified = calloc(w->n, sizeof *certified);
    int code = certified ? MK_OK : mk_fail_memory(err, "figure");
    for (size_t i = first_positive(w); !code && i < w->n; i++)
        code = mk_result_view_certify(s, w->policy[i], h, &certified[i], err);
    for (size_t arm = 0; !code && arm < s->info->n_arms; arm++)
        if (arm != mk_truth_best(s->info->truth, 0, h)) code = draw_alpha_arm(s, w, arm, h, certified, err);
    for (size_t i = 0; certified && i < w->n; i++) mk_certificate_free(certified[i]);
    free(certified);
    return code;
}

static int draw_alpha(const struct mk_result_view *s, struct mk_error *err)
{
    const struct mk_sweep *w = shown_sweep(s);
    const size_t n = s->info->n_horizons, first = n <= FEW_HORIZONS ? 0 : n - 1;
    const size_t positive = first_positive(w);
    if (s->info->n_arms > MAP_ARMS) return MK_OK; /* the map shows them all */
    int code = mk_result_view_certify_ahead(s, w->policy + positive, w->n - positive, first, MK_CERTIFIED_BAND, err);
    for (size_t h = first; !code && h < n; h++) code = draw_alpha_horizon(s, w, h, err);
    return code;
}

const struct mk_result_figure mk_result_figure_bound_alpha = {
    "bound_alpha", "pulls and bounds of one suboptimal arm against alpha; a sweep of max_ucb", applies_alpha,
    draw_alpha};

/* ---- regret ---- */

enum { CERTIFIED_REGRET, OBSERVED_REGRET, PROPOSITION, REGRETS };

static int fill_regret(const struct mk_result_view *s, const struct mk_sweep *w, size_t h, struct mk_plot *p,
                       struct mk_error *err)
{
    const size_t first = first_positive(w);
    int code = mk_result_view_certify_ahead(s, w->policy + first, w->n - first, h, MK_CERTIFIED_SHARED, err);
    for (size_t i = first; !code && i < w->n; i++) {
        const struct mk_certify_task task = mk_result_view_task(s, w->policy[i], h, MK_CERTIFIED_SHARED);
        struct mk_certificate *c = NULL;
        struct mk_certified_regret bound = MK_NO_REGRET;
        code = mk_certify_kept(&c, s->certificates, &task, err);
        if (!code) code = mk_certified_regret(&bound, c, s->arms->arm, s->info->horizon[h], err);
        mk_certificate_free(c);
        mk_curve_set(&p->curve[OBSERVED_REGRET], i, w->value[i],
                     mk_result_view_mean(s, MK_MEASURE_REGRET, w->policy[i], h), MK_MEASURE_REGRET);
        mk_curve_point(&p->curve[CERTIFIED_REGRET], i, w->value[i], bound.regret);
        mk_curve_point(&p->curve[PROPOSITION], i, w->value[i], bound.proposition_4_1);
    }
    return code;
}

/* At the largest horizon. */
static int draw_certified(const struct mk_result_view *s, struct mk_error *err)
{
    static const char *const label[REGRETS] = {"certified", "mean, 95 % band", "Proposition 4.1, certified pulls"};
    const struct mk_sweep *w = shown_sweep(s);
    const size_t h = s->info->n_horizons - 1;
    struct mk_plot p;
    char what[MK_PLOT_TEXT];
    int code = MK_OK;
    snprintf(what, sizeof what, "upper bounds on the regret at T = %s%s", mk_plot_horizon(s->info->horizon[h]).text,
             power_of(s, w).text);
    mk_result_view_plot(s, &p, what);
    alpha_axis(w, &p.x);
    snprintf(p.y.label, sizeof p.y.label, "%s", mk_measure_label(MK_MEASURE_REGRET));
    p.y.log = 1;
    for (int i = 0; !code && i < REGRETS; i++) {
        struct mk_curve *c = mk_plot_add(&p, label[i], w->n, i == OBSERVED_REGRET);
        if (!c) code = mk_fail_memory(err, "figure");
        if (c) c->style = MK_CURVE_LINE_POINTS;
    }
    if (!code) code = fill_regret(s, w, h, &p, err);
    return mk_result_view_finish(s, &p, "certified_alpha", "", code, err);
}

const struct mk_result_figure mk_result_figure_certified_alpha = {
    "certified_alpha", "certified bounds on the regret against alpha, and what is observed; a sweep of max_ucb",
    applies_alpha, draw_certified};

/* ---- over alpha and the gap ---- */

static bool applies_map(const struct mk_result_view *s)
{
    return applies_theorem(s) && s->info->n_arms > MAP_ARMS;
}

/* log10 of the bound, capped at T, over the observed value. */
static int looseness(const struct mk_result_view *s, size_t policy, size_t arm, size_t h, double *value,
                     struct mk_error *err)
{
    struct mk_cell *cell = NULL;
    struct mk_bound_input in;
    int code = mk_result_view_bound_input(s, policy, arm, h, &in, err);
    if (!code) code = mk_result_cell(s->result, policy, 0, h, &cell, err);
    if (code) return code;
    *value = log10(fmin(mk_bound_evaluate(MK_BOUND_SUM, &in).value, (double)in.horizon) / cell->mean_pulls[arm]);
    mk_cell_free(cell);
    return MK_OK;
}

/* p = 1: Delta = (2 L alpha)^-2, in the policy's unit; the axis shows gaps in the unit of the rewards as written. */
static int add_boundary(const struct mk_result_view *s, struct mk_plot *p, const struct mk_sweep *w, size_t arm,
                        size_t h, struct mk_error *err)
{
    struct mk_bound_input in;
    const double unit = mk_result_view_reward_unit(s, w->policy[w->n - 1]).unit;
    struct mk_curve *c = mk_plot_add(p, "p = 1; above it p > 1", BOUNDARY_POINTS, 0);
    if (!c) return mk_fail_memory(err, "figure");
    c->width = 2;
    c->look = 1;
    int code = mk_result_view_bound_input(s, w->policy[w->n - 1], arm, h, &in, err);
    for (size_t i = 0; i < BOUNDARY_POINTS && !code; i++) {
        double alpha = p->x.lo * pow(p->x.hi / p->x.lo, (double)i / (BOUNDARY_POINTS - 1));
        double gap = unit / (4 * in.L * in.L * alpha * alpha);
        mk_curve_point(c, i, alpha, gap >= p->y.lo && gap <= p->y.hi ? gap : NAN);
    }
    return code;
}

static int fill_map(const struct mk_result_view *s, const struct mk_sweep *w, const struct mk_arm_gap *arm, size_t n,
                    size_t h, struct mk_plot *p, struct mk_error *err)
{
    const size_t first = first_positive(w), alphas = w->n - first;
    double *gap = malloc((n + alphas * n) * sizeof *gap), *value = gap ? gap + n : NULL;
    int code = gap ? MK_OK : mk_fail_memory(err, "figure");
    for (size_t k = 0; k < n && !code; k++) gap[k] = arm[k].gap;
    for (size_t cell = 0; cell < alphas * n && !code; cell++)
        code = looseness(s, w->policy[first + cell / n], arm[cell % n].arm, h, &value[cell], err);
    if (!code) code = mk_plot_map(p, w->value + first, alphas, gap, n, value, err);
    free(gap);
    return code ? code : add_boundary(s, p, w, arm[0].arm, h, err);
}

static int draw_map(const struct mk_result_view *s, struct mk_error *err)
{
    const struct mk_sweep *w = alpha_sweep(s, mk_result_view_is_max_ucb);
    const size_t h = s->info->n_horizons - 1;
    struct mk_arm_gap *arm = malloc(s->info->n_arms * sizeof *arm);
    struct mk_plot p;
    char what[MK_PLOT_TEXT], detail[48];
    if (!arm) return mk_fail_memory(err, "figure");
    size_t n = mk_result_view_sort_gaps(s, h, arm);
    if (n > MOST_ROWS) {
        for (size_t i = 0; i < MOST_ROWS; i++) arm[i] = arm[i * (n - 1) / (MOST_ROWS - 1)];
        n = MOST_ROWS;
    }
    snprintf(what, sizeof what, "looseness of Theorem 4.2 at T = %s (the proof's sum, at most T)",
             mk_plot_horizon(s->info->horizon[h]).text);
    mk_result_view_plot(s, &p, what);
    snprintf(p.x.label, sizeof p.x.label, "α");
    snprintf(p.y.label, sizeof p.y.label, "gap of the arm");
    snprintf(p.colour.label, sizeof p.colour.label, "log₁₀(bound / observed)");
    if (n < 2) {
        free(arm);
        return MK_OK;
    }
    int code = fill_map(s, w, arm, n, h, &p, err);
    free(arm);
    snprintf(detail, sizeof detail, "T%llu", (unsigned long long)s->info->horizon[h]);
    return mk_result_view_finish(s, &p, "bound_map", detail, code, err);
}

const struct mk_result_figure mk_result_figure_bound_map = {
    "bound_map", "log10(bound / observed) over alpha and the gap; a sweep of max_ucb", applies_map, draw_map};
