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

#include "analysis/answers/figures/plot/plot_map.h"
#include "analysis/answers/figures/result_max_ucb.h"
#include "analysis/theory/certificates/certified_regret.h"
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

static void alpha_axis(const struct mk_sweep *w, struct mk_plot *p, const char *y)
{
    double min = w->value[first_positive(w)], largest = w->value[w->n - 1];
    mk_plot_axes(p, "α", y);
    p->x.log = largest >= LOG_RATIO * min;
    p->x.lo = p->x.log ? min : w->value[0];
    p->x.hi = largest;
    p->y.log = 1;
}

/* ---- against alpha ---- */

/* The box of the regime p > 1, which shade() sets; without Theorem 4.2 it is not named and stays empty. */
static int add_shade(struct mk_plot *p, bool theorem, struct mk_error *err)
{
    struct mk_curve *c = mk_plot_add(p, theorem ? "p > 1" : "", 1, 1);
    if (!c) return mk_fail_memory(err, "figure");
    c->style = MK_CURVE_BOXES;
    c->look = 4;
    c->width = 0.1;
    c->faint = 0.6;
    return MK_OK;
}

/* p > 1, from the critical alpha to the right end, over the whole height. */
static void shade(struct mk_plot *p, double critical)
{
    struct mk_curve *c = &p->curve[0];
    if (!(critical < p->x.hi)) return;
    mk_curve_span(c, 0, fmax(critical, p->x.lo), p->y.lo, p->x.hi, p->y.hi);
}

/* point[of the sweep] of one arm at one horizon; those without bounds, alpha = 0, are left out. */
static int draw_alpha_arm(const struct mk_result_view *s, const struct mk_sweep *w, struct mk_pulls_point *point,
                          struct mk_error *err)
{
    static const struct mk_pulls_curve curves[] = {{MK_PULLS_CERTIFIED, "certified, from below and above", 6},
                                                   {MK_PULLS_MEAN, "mean, 95 % band", 0},
                                                   {MK_BOUND_PRINTED, "Theorem 4.2 as printed", 1},
                                                   {MK_BOUND_SUM, "Theorem 4.2, proof's sum", 2},
                                                   {MK_BOUND_ENDPOINT, "Theorem 4.2, end points", 3},
                                                   {MK_BOUND_FIGURE_E5, "Figure E.5", 5}};
    enum { CURVES = sizeof curves / sizeof *curves, WITHOUT_THEOREM = 2, CLAIMS_LOOK = 7 };
    struct mk_plot p;
    char detail[64];
    const unsigned long long T = s->info->horizon[point->horizon];
    const bool theorem = has_theorem(s, w);
    mk_result_view_plot(s, &p, "%s at T = %s%s", s->info->arm_label[point->arm], mk_plot_horizon(T).text,
                        theorem ? ": Theorem 4.2; bounds below 0 are not shown" : power_of(s, w).text);
    alpha_axis(w, &p, "pulls of the arm up to T");
    int code = add_shade(&p, theorem, err);
    if (!code)
        code = mk_result_view_add_pulls(s, &p, MK_CURVE_LINE, curves, theorem ? CURVES : WITHOUT_THEOREM, point, w->n,
                                        err);
    if (!code) code = mk_result_view_add_claims(s, &p, point, w->n, CLAIMS_LOOK, err);
    /* Nothing is observed below one pull, and values far above T say nothing. */
    const struct mk_axis_range range = mk_plot_range_y(&p);
    p.y.lo = fmax(0.5, range.lo);
    p.y.hi = fmin(20 * (double)T, range.hi);
    const struct mk_bound_input *in = &point[w->n - 1].in;
    if (!code && theorem) shade(&p, 1 / (2 * in->L * sqrt(in->gap)));
    snprintf(detail, sizeof detail, "arm%zu_T%llu", point->arm, T);
    return mk_result_view_finish(s, &p, "bound_alpha", detail, code, err);
}

static int draw_alpha_horizon(const struct mk_result_view *s, const struct mk_sweep *w, size_t h, struct mk_error *err)
{
    struct mk_certificate **certified = calloc(w->n, sizeof *certified);
    struct mk_pulls_point *point = calloc(w->n, sizeof *point);
    int code = certified && point ? MK_OK : mk_fail_memory(err, "figure");
    for (size_t i = 0; !code && i < w->n; i++) {
        const bool shown = i >= first_positive(w);
        if (shown) code = mk_result_view_certify(s, w->policy[i], h, &certified[i], err);
        point[i] = (struct mk_pulls_point){
            .x = shown ? w->value[i] : NAN, .policy = w->policy[i], .horizon = h, .certified = certified[i]};
    }
    for (size_t arm = 0; !code && arm < s->info->n_arms; arm++) {
        for (size_t i = 0; i < w->n; i++) point[i].arm = arm;
        if (arm != mk_truth_best(s->info->truth, 0, h)) code = draw_alpha_arm(s, w, point, err);
    }
    for (size_t i = 0; certified && i < w->n; i++) mk_certificate_free(certified[i]);
    free(certified);
    free(point);
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
    int code = MK_OK;
    mk_result_view_plot(s, &p, "upper bounds on the regret at T = %s%s", mk_plot_horizon(s->info->horizon[h]).text,
                        power_of(s, w).text);
    alpha_axis(w, &p, mk_measure_label(MK_MEASURE_REGRET));
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
    char detail[48];
    if (!arm) return mk_fail_memory(err, "figure");
    size_t n = mk_result_view_sort_gaps(s, h, arm);
    if (n > MOST_ROWS) {
        for (size_t i = 0; i < MOST_ROWS; i++) arm[i] = arm[i * (n - 1) / (MOST_ROWS - 1)];
        n = MOST_ROWS;
    }
    mk_result_view_plot(s, &p, "looseness of Theorem 4.2 at T = %s (the proof's sum, at most T)",
                        mk_plot_horizon(s->info->horizon[h]).text);
    mk_plot_axes(&p, "α", "gap of the arm");
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
