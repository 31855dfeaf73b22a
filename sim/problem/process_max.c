/* M(T) = max of the first T rewards, independent with distributions F_1, …, F_T: P(M(T) <= x) = prod F_n(x), and
 *
 *     E[M(T)] = m + integral_m^b P(M > x) dx - integral_a^m P(M <= x) dx
 *
 * for any m within the support [a, b] of M; m is near the median. With s the spread of M, x = m ± s t / (1 - t) takes
 * both to t in (0, 1), where GSL's QAGS integrates (it copes with the algebraic end point of a heavy tail), or CQUAD if
 * the support is finite (it copes with kinks, of which drifting end points produce many). Clipping is monotone, so that
 * the maximum of clipped rewards is the clipped maximum: it only cuts [a, b]. */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "distributions/parts/tools.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/problem/process.h"

enum { INTERVALS = 1000 };

/* Means closer than this many standard deviations are merged into their average: E[M] moves by less than its square. */
static const double same_mean = 1e-5;

/* The factors of P(M(T) <= x): normal distributions with means mean[i], descending, or the distributions dist[i], each
 * `count[i]` times. */
struct factors {
    size_t n;
    double *count;
    double *mean, sigma;
    struct mk_dist **dist;
    double horizon;
    double low, high; /* support of M */
};

static void clear(struct factors *f)
{
    for (size_t i = 0; f->dist && i < f->n; i++) mk_dist_free(f->dist[i]);
    free(f->dist);
    free(f->mean);
    free(f->count);
}

static bool normal_factors(struct factors *f, const struct mk_process *p, uint64_t horizon)
{
    f->sigma = p->noise;
    f->low = p->clip_lo;
    f->high = p->clip_hi;
    f->mean = malloc(horizon * sizeof *f->mean);
    f->count = malloc(horizon * sizeof *f->count);
    if (!f->mean || !f->count) return false;
    for (uint64_t n = 1; n <= horizon; n++) f->mean[n - 1] = mk_process_mean(p, n);
    qsort(f->mean, horizon, sizeof *f->mean, mk_compare_reals_down);
    for (uint64_t i = 0, first; i < horizon; f->n++) {
        double sum = 0;
        const double top = f->mean[i];
        for (first = i; i < horizon && f->mean[i] >= top - same_mean * p->noise; i++) sum += f->mean[i] - top;
        f->count[f->n] = (double)(i - first);
        f->mean[f->n] = top + sum / f->count[f->n];
    }
    return true;
}

static bool drift_factors(struct factors *f, const struct mk_process *p, uint64_t horizon)
{
    size_t n = horizon <= p->over ? horizon : p->over + 1;
    f->dist = calloc(n, sizeof(struct mk_dist *));
    f->count = malloc(n * sizeof *f->count);
    f->low = f->high = -INFINITY;
    if (!f->dist || !f->count) return false;
    f->n = n;
    for (size_t i = 0; i < n; i++) {
        double lo, hi;
        f->dist[i] = mk_process_distribution(p, i + 1);
        if (!f->dist[i]) return false;
        f->count[i] = i + 1 < n ? 1 : (double)(horizon - n + 1);
        mk_dist_support(f->dist[i], &lo, &hi);
        f->low = fmax(f->low, lo);
        f->high = fmax(f->high, hi);
    }
    return true;
}

static int new_factors(struct factors *f, const struct mk_process *p, uint64_t horizon, struct mk_error *err)
{
    *f = (struct factors){.horizon = (double)horizon};
    if (horizon > MK_PROCESS_LONGEST)
        return mk_fail(err, MK_EINPUT, "horizon %llu: expected horizons up to %d for rising arms with noise or drift",
                       (unsigned long long)horizon, MK_PROCESS_LONGEST);
    bool good = p->n_pieces ? normal_factors(f, p, horizon) : drift_factors(f, p, horizon);
    if (good) return MK_OK;
    clear(f);
    return mk_fail_memory(err, "the distribution of a largest reward");
}

/* log P(M <= x). Means descend, so a term bounds all that follow it. */
static double log_below_normal(const struct factors *f, double x)
{
    double sum = 0, left = f->horizon;
    for (size_t i = 0; i < f->n && sum > -800; i++) {
        double z = (x - f->mean[i]) / f->sigma;
        double term = z > 0 ? log1p(-0.5 * erfc(z * M_SQRT1_2)) : log(0.5 * erfc(-z * M_SQRT1_2));
        if (left * -term <= 1e-17 * -sum) break;
        sum += f->count[i] * term;
        left -= f->count[i];
    }
    return sum;
}

static double log_below(const struct factors *f, double x)
{
    double sum = 0;
    if (!f->dist) return log_below_normal(f, x);
    for (size_t i = 0; i < f->n && sum > -800; i++) {
        double above = mk_dist_above(f->dist[i], x);
        sum += f->count[i] * (above < 0.5 ? log1p(-above) : log(mk_dist_cdf(f->dist[i], x)));
    }
    return sum;
}

static double inverse_of(const struct factors *f, size_t i, double upper, double lower)
{
    if (f->dist) return f->dist[i]->type->inverse(f->dist[i], upper, lower);
    return f->mean[i] + f->sigma * mk_normal_inverse(upper, lower);
}

/* x with P(M <= x) = q, apart from clip, to within `tolerance` in log P where the distribution has no jump. The product
 * lies between its smallest factor and that factor to the power T. */
static double quantile(const struct factors *f, double q, double tolerance)
{
    double lo = -INFINITY, hi = -INFINITY, target = log(q), each = target / f->horizon;
    for (size_t i = 0; i < f->n; i++) {
        lo = fmax(lo, inverse_of(f, i, 1 - q, q));
        hi = fmax(hi, inverse_of(f, i, -expm1(each), exp(each)));
    }
    for (int step = 0; step < 200 && hi - lo > 1e-15 * fmax(fabs(lo), fabs(hi)); step++) {
        double middle = lo + (hi - lo) / 2, off = log_below(f, middle) - target;
        if (fabs(off) <= tolerance) return middle;
        if (off < 0)
            lo = middle;
        else
            hi = middle;
    }
    return hi;
}

/* ---- quadrature ---- */

struct side {
    const struct factors *f;
    double m, spread;
    int up;
};

static double integrand(double t, void *context)
{
    const struct side *s = context;
    double far = t / (1 - t), log_p = log_below(s->f, s->up ? s->m + s->spread * far : s->m - s->spread * far);
    return (s->up ? -expm1(log_p) : exp(log_p)) * s->spread / ((1 - t) * (1 - t));
}

struct workspaces {
    gsl_integration_workspace *infinite;
    gsl_integration_cquad_workspace *finite;
};

static int integrate(const struct factors *f, double m, double spread, int up, const struct workspaces *w,
                     double *value, struct mk_error *err)
{
    struct side s = {f, m, spread, up};
    gsl_function g = {integrand, &s};
    double length = up ? f->high - m : m - f->low, error;
    *value = 0;
    if (!(length > 0)) return MK_OK;
    const double end = length / (spread + length), least = 1e-10 * spread, relative = 1e-10;
    int code = isinf(length) ? gsl_integration_qags(&g, 0, 1, least, relative, INTERVALS, w->infinite, value, &error)
                             : gsl_integration_cquad(&g, 0, end, least, relative, w->finite, value, &error, NULL);
    if (isfinite(*value) && (!code || error <= 1e-6 * (spread + fabs(*value)))) return MK_OK;
    return mk_fail(err, MK_ENUM, "E[M(T)] of a process: quadrature failed: %s", gsl_strerror(code));
}

/* Whether the tails of a drift leave no finite expectation: the upper exponent of M is the smallest one, the lower ones
 * add up. */
static int infinite(const struct factors *f, double *value, struct mk_error *err)
{
    double up = INFINITY, down = 0;
    *value = NAN;
    for (size_t i = 0; f->dist && i < f->n; i++) {
        double upper, lower;
        mk_dist_tails(f->dist[i], &upper, &lower);
        up = fmin(up, upper);
        down += f->count[i] * lower;
    }
    if (!f->dist || (up > 1 && down > 1)) return MK_OK;
    if (up <= 1 && down <= 1)
        return mk_fail(err, MK_ENUM, "E[M(T)] does not exist: both tails of a drift are too heavy");
    *value = up <= 1 ? INFINITY : -INFINITY;
    return MK_OK;
}

static int expected(const struct factors *f, double *value, struct mk_error *err)
{
    double above, below;
    int code = infinite(f, value, err);
    if (code || !isnan(*value)) return code;
    double middle = quantile(f, 0.5, 0.05);
    double spread = quantile(f, 0.9, 0.01) - quantile(f, 0.1, 0.1), m = fmin(fmax(middle, f->low), f->high);
    if (!(spread > 0)) spread = fmax(fabs(m), 1) * 1e-3;
    struct workspaces w = {gsl_integration_workspace_alloc(INTERVALS),
                           gsl_integration_cquad_workspace_alloc(INTERVALS)};
    code = w.infinite && w.finite ? MK_OK : mk_fail_memory(err, "the quadrature of E[M(T)]");
    if (!code) code = integrate(f, m, spread, 1, &w, &above, err);
    if (!code) code = integrate(f, m, spread, 0, &w, &below, err);
    if (w.infinite) gsl_integration_workspace_free(w.infinite);
    if (w.finite) gsl_integration_cquad_workspace_free(w.finite);
    if (!code) *value = m + above - below;
    return code;
}

/* ---- public ---- */

static double clipped(const struct mk_process *p, double x)
{
    return fmin(fmax(x, p->clip_lo), p->clip_hi);
}

/* Without noise: every piece is largest at its last pull. */
static double largest_mean(const struct mk_process *p, uint64_t horizon)
{
    double best = -INFINITY;
    for (size_t i = 0; i < p->n_pieces && p->piece[i].at <= horizon; i++) {
        uint64_t last = i + 1 < p->n_pieces ? p->piece[i + 1].at - 1 : horizon;
        best = fmax(best, mk_process_mean(p, last < horizon ? last : horizon));
    }
    return clipped(p, best);
}

static bool is_deterministic(const struct mk_process *p)
{
    return p->n_pieces && p->noise == 0;
}

int mk_process_expected_max(const struct mk_process *p, uint64_t horizon, double *value, struct mk_error *err)
{
    struct factors f;
    if (is_deterministic(p)) {
        *value = largest_mean(p, horizon);
        return MK_OK;
    }
    int code = new_factors(&f, p, horizon, err);
    if (code) return code;
    code = expected(&f, value, err);
    clear(&f);
    return code;
}

int mk_process_median_max(const struct mk_process *p, uint64_t horizon, double *value, struct mk_error *err)
{
    struct factors f;
    if (is_deterministic(p)) {
        *value = largest_mean(p, horizon);
        return MK_OK;
    }
    int code = new_factors(&f, p, horizon, err);
    if (code) return code;
    *value = clipped(p, quantile(&f, 0.5, 0));
    clear(&f);
    return MK_OK;
}

int mk_process_support(const struct mk_process *p, double *lo, double *hi, struct mk_error *err)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (size_t i = 0; i < p->n_pieces; i++) {
        const struct mk_piece *piece = &p->piece[i];
        int last = i + 1 == p->n_pieces;
        *lo = fmin(*lo, piece->v[MK_PROCESS_CURVE_LOW]);
        *hi = fmax(*hi, last ? piece->v[MK_PROCESS_CURVE_HIGH] : mk_process_mean(p, piece[1].at - 1));
    }
    if (p->noise > 0) {
        *lo = -INFINITY;
        *hi = INFINITY;
    }
    if (p->n_pieces) {
        *lo = clipped(p, *lo);
        *hi = clipped(p, *hi);
        return MK_OK;
    }
    for (uint64_t n = 1; n <= p->over + 1; n++) {
        double a, b;
        struct mk_dist *d = mk_process_distribution(p, n);
        if (!d) return mk_fail_memory(err, "the support of a drift");
        mk_dist_support(d, &a, &b);
        mk_dist_free(d);
        *lo = fmin(*lo, a);
        *hi = fmax(*hi, b);
    }
    return MK_OK;
}
