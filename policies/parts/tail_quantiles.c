#include "policies/parts/tail_quantiles.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <stdbool.h>

/* The wide stretch is for the nodes. The narrow one is close enough to the exact solution to settle near-ties between
 * arms with few rewards as the published programs do. */
static const double narrow = 0.05, wide = 0.15;

/* Taylor coefficients c[0 … ORDER] of q from q(0) = q0 and q'(0) = u0, where q'' = -q' (1 + g(q) q'), and
 *     chi-square:  g = (nu/2 - 1) / q - 1/2,
 *     t:           g = -(nu + 1) q / (nu + q^2).
 * With s = q or nu + q^2, w = 1 / s and u = q': one pass per coefficient over the series of s, w, g, g u, u. */
static void series(double *c, double nu, int is_t, double q0, double u0)
{
    enum { N = MK_TAIL_ORDER };
    double s[N], w[N], g[N], gu[N], u[N];
    c[0] = q0;
    u[0] = u0;
    c[1] = u0;
    for (int k = 0; k + 1 < N; k++) {
        s[k] = is_t && k == 0 ? nu : 0;
        if (is_t)
            for (int i = 0; i <= k; i++) s[k] += c[i] * c[k - i];
        else
            s[k] = c[k];
        w[k] = k == 0 ? 1 / s[0] : 0;
        for (int i = 1; i <= k; i++) w[k] -= s[i] * w[k - i] / s[0];
        g[k] = 0;
        if (is_t)
            for (int i = 0; i <= k; i++) g[k] -= (nu + 1) * c[i] * w[k - i];
        else
            g[k] = (nu / 2 - 1) * w[k] - (k == 0 ? 0.5 : 0);
        gu[k] = 0;
        for (int i = 0; i <= k; i++) gu[k] += g[i] * u[k - i];
        double next = -u[k];
        for (int i = 0; i <= k; i++) next -= gu[i] * u[k - i];
        u[k + 1] = next / (k + 1);
        c[k + 2] = u[k + 1] / (k + 2);
    }
}

/* Wilson & Hilferty (1931): chi-square quantile of nu degrees of freedom from the normal quantile z. */
static double wilson_hilferty(double nu, double z)
{
    double v = 2 / (9 * nu), root = 1 - v + z * sqrt(v);
    return nu * root * root * root;
}

/* x with P(X^2_nu < x) = p. From `guess` (NaN: none) by Halley's iteration in log x on log P; GSL's own inverse if that
 * does not converge at once. */
static double chi_quantile(double p, double nu, double guess)
{
    double x = guess;
    for (int i = 0; i < 3 && x > 0; i++) {
        double P = gsl_cdf_chisq_P(x, nu), f = gsl_ran_chisq_pdf(x, nu);
        double slope = x * f / P, error = log(P / p);
        double bend = nu / 2 - x / 2 - slope; /* slope' / slope */
        double step = error / (slope - 0.5 * error * bend);
        if (!(fabs(step) < 0.5)) break;
        x *= exp(-step);
        if (fabs(step) < 1e-4) return x;
    }
    return gsl_cdf_chisq_Pinv(p, nu);
}

/* The exact solution around L; `path`, unless far off, supplies the first guess. */
static struct mk_tail_series expand(const struct mk_tail_quantiles *path, double nu, double L)
{
    struct mk_tail_series out = {{0}, {0}};
    double p = 0.5 * exp(-L), guess = NAN;
    if (fabs(L - path->from) <= 0.4 && nu > 8) {
        double z = gsl_cdf_ugaussian_Pinv(p);
        guess = mk_tail_polynomial(path->now.x, L - path->from);
        if (nu != path->nu) guess *= wilson_hilferty(nu, z) / wilson_hilferty(path->nu, z);
    }
    double t = gsl_cdf_tdist_Qinv(p, nu), x = chi_quantile(p, nu, guess);
    series(out.t, nu, 1, t, p / gsl_ran_tdist_pdf(t, nu));
    series(out.x, nu, 0, x, -p / gsl_ran_chisq_pdf(x, nu));
    return out;
}

/* Chebyshev point j of -1 … 1 and its barycentric weight. */
static double node_place(int j)
{
    return cos(M_PI * (j + 0.5) / MK_TAIL_NODES);
}

static double node_weight(int j)
{
    double w = sin(M_PI * (j + 0.5) / MK_TAIL_NODES);
    return j % 2 ? -w : w;
}

/* From nu degrees of freedom, around an L ahead of the current one: both increase. */
static void set_nodes(struct mk_tail_quantiles *path, double nu, double L)
{
    path->node.from = L + 0.9 * mk_tail_stretch(L, wide);
    path->node.half = 0.1;
    path->node.middle = log(nu) + path->node.half * 0.99;
    for (int j = 0; j < MK_TAIL_NODES; j++) {
        double at = exp(path->node.middle + path->node.half * node_place(j));
        path->node.series[j] = expand(path, at, path->node.from);
    }
}

static bool nodes_serve(const struct mk_tail_quantiles *path, double nu, double L)
{
    return path->node.half > 0 && fabs(log(nu) - path->node.middle) <= path->node.half &&
           fabs(L - path->node.from) <= mk_tail_stretch(path->node.from, wide);
}

static void interpolate(struct mk_tail_quantiles *path, double nu)
{
    double place = (log(nu) - path->node.middle) / path->node.half, total = 0, share[MK_TAIL_NODES];
    for (int j = 0; j < MK_TAIL_NODES; j++) {
        double away = place - node_place(j);
        share[j] = node_weight(j) / (away == 0 ? 1e-300 : away);
        total += share[j];
    }
    struct mk_tail_series sum = {{0}, {0}};
    for (int j = 0; j < MK_TAIL_NODES; j++) {
        for (int i = 0; i <= MK_TAIL_ORDER; i++) {
            sum.t[i] += share[j] / total * path->node.series[j].t[i];
            sum.x[i] += share[j] / total * path->node.series[j].x[i];
        }
    }
    path->now = sum;
    path->from = path->node.from;
    path->reach = mk_tail_stretch(path->from, wide);
}

/* Nodes pay off for an arm that is pulled again before L has changed much. */
void mk_tail_quantiles_renew(struct mk_tail_quantiles *path, double nu, double L)
{
    bool follows = nu == path->nu + 1 && fabs(L - path->from) <= path->reach;
    if (nu >= MK_TAIL_SMOOTH && follows && !nodes_serve(path, nu, L)) set_nodes(path, nu, L);
    if (nu >= MK_TAIL_SMOOTH && nodes_serve(path, nu, L)) {
        interpolate(path, nu);
    } else {
        path->now = expand(path, nu, L);
        path->from = L;
        path->reach = mk_tail_stretch(L, narrow);
    }
    path->nu = nu;
}
