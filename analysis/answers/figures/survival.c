/* Survival functions G(x) = P(X >= x) of known arms: figures of results and, where some arm has no upper end point, of
 * problems (bounded arms: problem_known.c). If some arm is unbounded above, their tails are shown, too, with G (and for
 * heavy tails x) on a log scale. */
#include <math.h>
#include <stdio.h>

#include "analysis/answers/figures/problem_view.h"
#include "analysis/answers/figures/result_view.h"
#include "analysis/compare/arms/arm_choice.h"
#include "analysis/theory/survival.h"
#include "sim/base/error.h"

enum { POINTS = 401, HEAVY = 30 };

static const double body = 0.05, tail = 1e-6;

/* Whether some arm has no upper end point. */
static bool is_unbounded(const struct mk_problem *p)
{
    double low, high;
    for (size_t k = 0; k < p->n_arms; k++) {
        mk_dist_support(p->dist[k], &low, &high);
        if (high == INFINITY) return true;
    }
    return false;
}

/* Range of x over all arms: the support if finite, else quantiles. */
static void range_of(const struct mk_problem *p, double upper, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t k = 0; k < p->n_arms; k++) {
        double lo, hi;
        mk_dist_support(p->dist[k], &lo, &hi);
        *low = fmin(*low, isfinite(lo) ? lo : mk_dist_inverse_survival(p->dist[k], 1 - body));
        *high = fmax(*high, isfinite(hi) ? hi : mk_dist_inverse_survival(p->dist[k], upper));
    }
}

static void place_points(double low, double high, int log_x, double *x)
{
    mk_survival_spaced(log_x ? log(low) : low, log_x ? log(high) : high, POINTS, x);
    for (size_t i = 0; log_x && i < POINTS; i++) x[i] = i == 0 ? low : i + 1 == POINTS ? high : exp(x[i]);
}

static double survival_of(const struct mk_problem *p, size_t k, double x)
{
    return mk_dist_survival(p->dist[k], x);
}

static int add_arm(struct mk_plot *plot, const struct mk_problem *p, size_t k, const char *label, const double *x,
                   double width, struct mk_error *err)
{
    struct mk_curve *c = mk_plot_add(plot, label, POINTS, 0);
    if (!c) return mk_fail_memory(err, "figure");
    c->width = width;
    for (size_t i = 0; i < POINTS; i++) mk_curve_point(c, i, x[i], survival_of(p, k, x[i]));
    return MK_OK;
}

static int add_arms(struct mk_plot *plot, const struct mk_problem *p, size_t thick, const double *x,
                    struct mk_error *err)
{
    const size_t n = p->n_arms;
    int code = MK_OK;
    if (n > MK_MANY_ARMS) {
        code = mk_problem_view_spread(plot, p, x, POINTS, survival_of, err);
        return code || thick == n ? code : add_arm(plot, p, thick, "best arm", x, 2, err);
    }
    for (size_t k = 0; k < n && !code; k++) code = add_arm(plot, p, k, p->arm_label[k], x, k == thick ? 2 : 1.1, err);
    return code;
}

/* One curve per arm, `thick` (n_arms: none) wider than the others, and the axes; of more than MK_MANY_ARMS arms their
 * distribution, and `thick`. tails: G, and for heavy tails x, on a log scale, down to 10^-6. */
static int add_curves(struct mk_plot *plot, const struct mk_problem *p, size_t thick, bool tails, struct mk_error *err)
{
    double low, high, x[POINTS];
    range_of(p, tails ? tail : body, &low, &high);
    mk_plot_axes(plot, "reward x", "G(x) = P(X ≥ x)");
    plot->x.log = tails && low > 0 && high > HEAVY * low;
    plot->y.log = tails;
    plot->y.lo = tails ? tail : 0;
    plot->y.hi = 1;
    place_points(low, high, plot->x.log, x);
    int code = add_arms(plot, p, thick, x, err);
    for (size_t i = 0; i < plot->n_curves && tails && !code; i++)
        for (size_t k = 0; k < POINTS; k++)
            if (plot->curve[i].y[k] <= 0) plot->curve[i].y[k] = NAN;
    return code;
}

/* ---- of results ---- */

static bool result_applies(const struct mk_result_view *s)
{
    return s->experiment && s->experiment->problem->source->known;
}

static int draw_of_result(const struct mk_result_view *s, bool tails, struct mk_error *err)
{
    struct mk_plot p;
    const size_t last = s->info->n_horizons - 1, best = mk_truth_best(s->info->truth, 0, last);
    mk_result_view_start(s, &p);
    snprintf(p.subtitle, sizeof p.subtitle, "survival functions; thick: best arm at T = %s",
             mk_plot_amount(mk_result_amount(s->info, last)).text);
    int code = add_curves(&p, s->experiment->problem, best, tails, err);
    return mk_result_view_finish(s, &p, "survival", tails ? "tail" : "", code, err);
}

static int result_draw(const struct mk_result_view *s, struct mk_error *err)
{
    int code = draw_of_result(s, false, err);
    return code || !is_unbounded(s->experiment->problem) ? code : draw_of_result(s, true, err);
}

const struct mk_result_figure mk_result_figure_survival = {
    "survival", "survival functions of the arms, and their tails on log axes where one is unbounded above; known arms",
    result_applies, result_draw};

/* ---- of problems ---- */

static bool problem_applies(const struct mk_problem_view *g)
{
    return g->problem->source->known && is_unbounded(g->problem);
}

static int problem_draw(const struct mk_problem_view *g, struct mk_error *err)
{
    struct mk_panels *panels = mk_problem_view_panels(g, 1, 2, 3.5, 1.75, "survival functions of the arms");
    if (!panels) return mk_fail_memory(err, "figure");
    int code = add_curves(&panels->plot[0], g->problem, g->problem->n_arms, false, err);
    if (!code) code = add_curves(&panels->plot[1], g->problem, g->problem->n_arms, true, err);
    snprintf(panels->plot[1].title, sizeof panels->plot[1].title, "tails");
    return mk_figure_output_panels(&g->to, panels, "survival", code, err);
}

const struct mk_problem_figure mk_problem_figure_survival = {
    "survival", "survival functions and their tails on log axes; known arms, some without an upper end point",
    problem_applies, problem_draw};
