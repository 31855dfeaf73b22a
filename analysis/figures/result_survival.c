/* Survival functions G(x) = P(X >= x) of all arms of a synthetic problem; if some arm is unbounded above, a second
 * figure shows the tails, with G (and for heavy tails x) on a log scale. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "analysis/figures/result_view.h"
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

static int draw_one(const struct mk_result_view *s, double low, double high, int tails, struct mk_error *err)
{
    struct mk_plot p;
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
    for (size_t k = 0; k < s->info->n_arms; k++) {
        struct mk_curve *c = mk_plot_add(&p, s->info->arm_label[k], POINTS, 0);
        if (!c) {
            mk_plot_clear(&p);
            return mk_fail_memory(err, "figure");
        }
        c->width = k == best ? 2 : 1.1;
        place_points(low, high, p.x.log, c->x);
        for (size_t i = 0; i < POINTS; i++) {
            double g = mk_dist_survival(arm(s, k), c->x[i]);
            c->y[i] = p.y.log && g <= 0 ? NAN : g;
        }
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
