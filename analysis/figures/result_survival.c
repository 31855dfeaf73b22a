/* Survival functions G(x) = P(X >= x) of all arms of a synthetic problem; if some arm is unbounded above, a second
 * figure shows the tails, with G (and for heavy tails x) on a log scale. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "analysis/arms/arm_choice.h"
#include "analysis/figures/result_view.h"
#include "analysis/plot/plot_spread.h"
#include "analysis/theory/survival.h"

enum { POINTS = 401, HEAVY = 30 };

static const double body = 0.05, tail = 1e-6;

static bool applies(const struct mk_result_view *s)
{
    return s->experiment && s->experiment->problem->kind == MK_SYNTHETIC;
}

static const struct mk_dist *arm(const struct mk_result_view *s, size_t k)
{
    return s->experiment->problem->dist[k];
}

/* Range of x over all arms: the support if finite, else quantiles. */
static void range_of(const struct mk_result_view *s, double upper, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t k = 0; k < s->info->n_arms; k++) {
        double lo, hi;
        mk_dist_support(arm(s, k), &lo, &hi);
        *low = fmin(*low, isfinite(lo) ? lo : mk_dist_inverse_survival(arm(s, k), 1 - body));
        *high = fmax(*high, isfinite(hi) ? hi : mk_dist_inverse_survival(arm(s, k), upper));
    }
}

static void place_points(double low, double high, int log_x, double *x)
{
    mk_survival_spaced(log_x ? log(low) : low, log_x ? log(high) : high, POINTS, x);
    for (size_t i = 0; log_x && i < POINTS; i++) x[i] = i == 0 ? low : i + 1 == POINTS ? high : exp(x[i]);
}

static double survival_of(const void *context, size_t k, double x)
{
    return mk_dist_survival(arm(context, k), x);
}

static int add_arm(const struct mk_result_view *s, struct mk_plot *p, size_t k, const char *label, const double *x,
                   struct mk_error *err)
{
    struct mk_curve *c = mk_plot_add(p, label, POINTS, 0);
    if (!c) return mk_fail_memory(err, "figure");
    c->width = 1.1;
    for (size_t i = 0; i < POINTS; i++) {
        c->x[i] = x[i];
        c->y[i] = survival_of(s, k, x[i]);
    }
    return MK_OK;
}

/* A curve for every arm; of many their distribution, and the best arm. */
static int add_arms(const struct mk_result_view *s, struct mk_plot *p, size_t best, const double *x,
                    struct mk_error *err)
{
    const size_t n = s->info->n_arms;
    int code = MK_OK;
    if (n > MK_MANY_ARMS) code = mk_plot_spread(p, x, POINTS, "arms", n, survival_of, s, err);
    for (size_t k = 0; n <= MK_MANY_ARMS && k < n && !code; k++) code = add_arm(s, p, k, s->info->arm_label[k], x, err);
    if (!code && n > MK_MANY_ARMS) code = add_arm(s, p, best, "best arm", x, err);
    if (!code) p->curve[n > MK_MANY_ARMS ? p->n_curves - 1 : best].width = 2;
    for (size_t i = 0; i < p->n_curves && p->y.log && !code; i++)
        for (size_t k = 0; k < POINTS; k++)
            if (p->curve[i].y[k] <= 0) p->curve[i].y[k] = NAN;
    return code;
}

static int draw_one(const struct mk_result_view *s, double low, double high, int tails, struct mk_error *err)
{
    struct mk_plot p;
    double x[POINTS];
    const size_t last = s->info->n_horizons - 1, best = mk_truth_best(s->info->truth, 0, last);
    mk_result_view_plot(s, &p, "");
    snprintf(p.subtitle, sizeof p.subtitle, "survival functions; thick: best arm at T = %s",
             mk_plot_horizon(s->info->horizon[last]).text);
    snprintf(p.x.label, sizeof p.x.label, "reward x");
    snprintf(p.y.label, sizeof p.y.label, "G(x) = P(X ≥ x)");
    p.x.log = tails && low > 0 && high > HEAVY * low;
    p.y.log = tails;
    p.y.lo = tails ? tail : 0;
    p.y.hi = 1;
    place_points(low, high, p.x.log, x);
    int code = add_arms(s, &p, best, x, err);
    if (code) {
        mk_plot_clear(&p);
        return code;
    }
    return mk_result_view_finish(s, &p, "survival", tails ? "tail" : "", err);
}

static int draw(const struct mk_result_view *s, struct mk_error *err)
{
    double low, high;
    int unbounded = 0;
    for (size_t k = 0; k < s->info->n_arms; k++) {
        mk_dist_support(arm(s, k), &low, &high);
        unbounded |= high == INFINITY;
    }
    range_of(s, body, &low, &high);
    int code = draw_one(s, low, high, 0, err);
    if (code || !unbounded) return code;
    range_of(s, tail, &low, &high);
    return draw_one(s, low, high, 1, err);
}

const struct mk_result_figure mk_result_figure_survival = {
    "survival", "survival functions of the arms; a second one with log axes where an arm is unbounded above", applies,
    draw};
