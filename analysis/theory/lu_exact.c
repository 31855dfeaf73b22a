/* L and U of a known distribution: extrema of r(eps) = G(b - eps) / eps.
 *
 * The scan runs over x = b - eps, so that eps = b - x is exact: points equally spaced in the logit of G and in the
 * logarithm of the distance to the arm's own end point. Every local extremum of the scan that could be the global one
 * is refined by Brent's method. Near b, G may be a difference of nearly equal numbers; an extremum therefore counts
 * only by the amount by which it exceeds its possible rounding error, and the limit eps -> 0 comes from the density. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>

#include "analysis/theory/lu.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"

enum { PROBABILITY_POINTS = 2048, LOG_POINTS = 2048, MAX_REFINE = 200, MAX_ATOMS = 1 << 22 };
static const double nearest = 1e-10;  /* smallest distance to b in the scan, in units of b - median */
static const double accurate = 1e9;   /* smallest distance to b in units of the resolution of x */
static const double rounding = 1e-14; /* absolute error allowed for G */
static const double logit_end = 36.7; /* logit of 1 - 2^-53 */
static const double trim_low = 0.01, trim_high = 0.99;

struct scan {
    const struct mk_dist *d;
    double own, b;      /* the arm's own upper end point, and the one in use */
    double top, bottom; /* x from bottom to top */
    int atoms;
    struct mk_lu lu;
};

static double inverse(const struct mk_dist *d, double logit)
{
    return d->type->inverse(d, 1 / (1 + exp(-logit)), 1 / (1 + exp(logit)));
}

static void take_low(struct scan *s, double ratio, double g, double eps)
{
    if (!(ratio * (1 + rounding / fmax(g, rounding)) < s->lu.L)) return;
    s->lu.L = ratio;
    s->lu.eps_L = eps;
}

static void take_high(struct scan *s, double ratio, double g, double eps)
{
    if (!(ratio * (1 - rounding / fmax(g, rounding)) > s->lu.U)) return;
    s->lu.U = ratio;
    s->lu.eps_U = eps;
}

/* Both candidates at x; P(X > x) is only relevant from the lower end of the range on. */
static void consider(struct scan *s, double x)
{
    double eps = s->b - x;
    if (!(eps > 0) || x > s->top || x < s->bottom) return;
    double at = mk_dist_survival(s->d, x), past = s->atoms && x < s->top ? mk_dist_above(s->d, x) : at;
    take_high(s, at / eps, at, eps);
    take_low(s, past / eps, past, eps);
}

struct target {
    const struct scan *s;
    double sign;
};

static double signed_ratio(double log_distance, void *context)
{
    const struct target *t = context;
    double x = t->s->own - exp(log_distance);
    return t->sign * mk_dist_survival(t->s->d, x) / (t->s->b - x);
}

/* Brent's method on the logarithm of the distance between the neighbours of a local extremum. */
static void refine(struct scan *s, double sign, const double *x, gsl_min_fminimizer *m)
{
    struct target target = {s, sign};
    gsl_function f = {signed_ratio, &target};
    double at[3], value[3];
    for (int i = 0; i < 3; i++) {
        at[i] = log(s->own - x[i]);
        value[i] = signed_ratio(at[i], &target);
    }
    /* Rounding may leave nothing to refine. */
    if (!(at[0] < at[1] && at[1] < at[2] && value[1] < value[0] && value[1] < value[2])) return;
    if (gsl_min_fminimizer_set_with_values(m, &f, at[1], value[1], at[0], value[0], at[2], value[2])) return;
    for (int i = 0; i < MAX_REFINE; i++) {
        if (gsl_min_fminimizer_iterate(m)) break;
        double lo = gsl_min_fminimizer_x_lower(m), hi = gsl_min_fminimizer_x_upper(m);
        if (hi - lo < 1e-10) break;
    }
    consider(s, s->own - exp(gsl_min_fminimizer_x_minimum(m)));
}

static double clamp_logit(double z)
{
    return z < -logit_end ? -logit_end : z > logit_end ? logit_end : z;
}

/* The points of the scan, in the order of mk_compare_reals_down; returns their number. */
static size_t scan_points(const struct scan *s, double *x)
{
    size_t n = 0;
    double g_top = mk_dist_survival(s->d, s->top), g_bottom = mk_dist_survival(s->d, s->bottom);
    double z0 = clamp_logit(log(g_top) - log1p(-g_top)), z1 = clamp_logit(log(g_bottom) - log1p(-g_bottom));
    for (int i = 0; i < PROBABILITY_POINTS; i++)
        x[n++] = inverse(s->d, z0 + (z1 - z0) * (double)i / (PROBABILITY_POINTS - 1));
    double scale = s->own - inverse(s->d, 0), far = s->own - (isinf(s->bottom) ? inverse(s->d, logit_end) : s->bottom);
    double near = fmax(s->own - s->top, nearest * (scale > 0 ? scale : far));
    for (int i = 0; i < LOG_POINTS && near < far; i++)
        x[n++] = s->own - near * exp(log(far / near) * (double)i / (LOG_POINTS - 1));
    x[n++] = s->top;
    if (!isinf(s->bottom)) x[n++] = s->bottom;
    size_t kept = 0;
    /* Nearer to b, where the rounding of x matters, the limit eps -> 0 replaces the ratio. */
    double min = fmin(accurate * mk_dist_resolution(s->d), 0.01 * far);
    for (size_t i = 0; i < n; i++)
        if (x[i] <= s->top && x[i] >= s->bottom && x[i] < s->b && s->b - x[i] >= min) x[kept++] = x[i];
    qsort(x, kept, sizeof *x, mk_compare_reals_down);
    n = 0;
    for (size_t i = 0; i < kept; i++)
        if (n == 0 || x[i] < x[n - 1]) x[n++] = x[i];
    return n;
}

static int scan_grid(struct scan *s, struct mk_error *err)
{
    int code = MK_OK;
    size_t room = PROBABILITY_POINTS + LOG_POINTS + 2;
    double *x = malloc(room * sizeof *x), *r = malloc(room * sizeof *r);
    gsl_min_fminimizer *m = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
    if (!x || !r || !m) {
        code = mk_fail_memory(err, "the scan of G");
        goto out;
    }
    size_t n = scan_points(s, x);
    for (size_t i = 0; i < n; i++) {
        r[i] = mk_dist_survival(s->d, x[i]) / (s->b - x[i]);
        consider(s, x[i]);
    }
    for (size_t i = 1; i + 1 < n; i++) {
        if (r[i] > r[i - 1] && r[i] > r[i + 1] && r[i] > 0.9 * s->lu.U) refine(s, -1, x + i - 1, m);
        if (r[i] < r[i - 1] && r[i] < r[i + 1] && r[i] < 1.1 * s->lu.L) refine(s, 1, x + i - 1, m);
    }
out:
    free(x);
    free(r);
    if (m) gsl_min_fminimizer_free(m);
    return code;
}

/* The next point below x where G exceeds g = G(x), or -inf. Rounding in the inverse is skipped over. */
static double next_below(const struct mk_dist *d, double x, double g)
{
    for (double step = 1e-13; g + step < 1; step *= 8) {
        double below = d->type->inverse(d, g + step, 1 - g - step);
        if (below < x) return below;
    }
    return -INFINITY;
}

/* Purely discrete stretches from the top down: every atom exactly. Returns 1 if the whole range was covered. */
static bool walk_atoms(struct scan *s)
{
    double x = s->top;
    consider(s, x);
    for (int i = 0; i < MAX_ATOMS; i++) {
        double g = mk_dist_survival(s->d, x);
        if (g >= 1) return true;
        x = next_below(s->d, x, g);
        if (x < s->bottom) return true;
        if (!(mk_dist_survival(s->d, x) > mk_dist_above(s->d, x))) return false;
        consider(s, x);
    }
    return false;
}

static int search(struct scan *s, struct mk_error *err)
{
    consider(s, s->bottom);
    if (s->atoms && walk_atoms(s)) return MK_OK;
    return scan_grid(s, err);
}

/* Prepares what both estimators need; 0 if the upper end point is infinite. */
static bool prepare(struct scan *s, const struct mk_dist *d, double upper, struct mk_lu *out)
{
    double a;
    mk_dist_support(d, &a, &s->own);
    s->d = d;
    s->b = isnan(upper) ? s->own : upper;
    s->atoms = mk_dist_has_atoms(d);
    s->lu = (struct mk_lu){INFINITY, -INFINITY, 0, 0};
    s->top = s->own;
    s->bottom = a;
    *out = (struct mk_lu){NAN, NAN, NAN, NAN};
    return isfinite(s->own) && isfinite(s->b);
}

static int fail_upper(const struct scan *s, struct mk_error *err)
{
    return mk_fail(err, MK_EINPUT, "expected an upper end point of at least %g, the arm's own, got %g", s->own, s->b);
}

/* The limit of the ratio at eps -> 0. */
static void take_limit(struct scan *s)
{
    if (s->b > s->own) {
        s->lu.L = 0;
        return;
    }
    if (s->atoms && mk_dist_survival(s->d, s->own) > 0) {
        s->lu.U = INFINITY;
        return;
    }
    s->lu.L = s->lu.U = s->d->type->density(s->d, s->own);
}

int mk_lu_exact(const struct mk_dist *d, double upper, struct mk_lu *out, struct mk_error *err)
{
    struct scan s;
    if (!prepare(&s, d, upper, out)) return MK_OK;
    if (s.b < s.own) return fail_upper(&s, err);
    if (s.bottom >= s.b) {
        *out = (struct mk_lu){INFINITY, INFINITY, 0, 0};
        return MK_OK;
    }
    take_limit(&s);
    if (isinf(s.bottom)) {
        s.lu.L = 0;
        s.lu.eps_L = INFINITY;
    }
    int code = search(&s, err);
    if (code == MK_OK) *out = s.lu;
    return code;
}

struct mk_eps_range mk_eps_range_trimmed(const struct mk_dist *d, double upper)
{
    struct scan s;
    struct mk_lu unused;
    if (!prepare(&s, d, upper, &unused)) return (struct mk_eps_range){NAN, NAN};
    return (struct mk_eps_range){s.b - mk_dist_inverse_survival(d, 1 - trim_high),
                                 s.b - mk_dist_inverse_survival(d, 1 - trim_low)};
}

/* L and U over [bottom, top] of x. */
static int search_between(const struct mk_dist *d, double upper, double bottom, double top, struct mk_lu *out,
                          struct mk_error *err)
{
    struct scan s;
    if (!prepare(&s, d, upper, out)) return MK_OK;
    if (s.b < s.own) return fail_upper(&s, err);
    s.top = top;
    s.bottom = bottom;
    if (s.bottom >= s.b) {
        *out = (struct mk_lu){INFINITY, INFINITY, 0, 0};
        return MK_OK;
    }
    if (s.top >= s.b) s.lu.U = INFINITY;
    int code = search(&s, err);
    if (code == MK_OK) *out = s.lu;
    return code;
}

int mk_lu_trimmed(const struct mk_dist *d, double upper, struct mk_lu *out, struct mk_error *err)
{
    return search_between(d, upper, mk_dist_inverse_survival(d, 1 - trim_low),
                          mk_dist_inverse_survival(d, 1 - trim_high), out, err);
}

int mk_lu_over(const struct mk_dist *d, double upper, struct mk_eps_range range, struct mk_lu *out,
               struct mk_error *err)
{
    double low, high;
    mk_dist_support(d, &low, &high);
    double b = isnan(upper) ? high : upper;
    return search_between(d, upper, b - range.hi, fmin(high, b - range.lo), out, err);
}
