#include "analysis/figures/survival_curves.h"

#include <math.h>
#include <stdio.h>

#include "analysis/theory/survival.h"

enum { POINTS = 401, HEAVY = 30 };

static const double body = 0.05, tail = 1e-6;

bool mk_survival_unbounded(const struct mk_problem *p)
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

int mk_survival_curves(struct mk_plot *plot, const struct mk_problem *p, size_t thick, bool tails, struct mk_error *err)
{
    double low, high;
    range_of(p, tails ? tail : body, &low, &high);
    snprintf(plot->x.label, sizeof plot->x.label, "reward x");
    snprintf(plot->y.label, sizeof plot->y.label, "G(x) = P(X ≥ x)");
    plot->x.log = tails && low > 0 && high > HEAVY * low;
    plot->y.log = tails;
    plot->y.lo = tails ? tail : 0;
    plot->y.hi = 1;
    for (size_t k = 0; k < p->n_arms; k++) {
        struct mk_curve *c = mk_plot_add(plot, p->arm_label[k], POINTS, 0);
        if (!c) return mk_fail_memory(err, "figure");
        c->width = k == thick ? 2 : 1.1;
        place_points(low, high, plot->x.log, c->x);
        for (size_t i = 0; i < POINTS; i++) {
            double g = mk_dist_survival(p->dist[k], c->x[i]);
            c->y[i] = plot->y.log && g <= 0 ? NAN : g;
        }
    }
    return MK_OK;
}
