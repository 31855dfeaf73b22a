/* L and U from samples: the step function Ghat(b - eps) = share of the values >= b - eps is constant between jumps, so
 * Ghat / eps falls between them and its extrema over a range lie at jumps (supremum), just before jumps (infimum) or at
 * the ends of the range. The confidence band shifts every step by a constant and clamps it to [0, 1]: the same scan. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/theory/lu.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"

static const double trim_low = 0.01, trim_high = 0.99;
enum { C3_POINTS = 100 };

static double upper_end(const double *sorted, size_t n, double upper)
{
    return isnan(upper) ? sorted[n - 1] : upper;
}

struct mk_eps_range mk_eps_range_sample(const double *sorted, size_t n, double upper)
{
    double b = upper_end(sorted, n, upper);
    struct mk_eps_range range = {b - mk_quantile_sorted(sorted, n, trim_high),
                                 b - mk_quantile_sorted(sorted, n, trim_low)};
    return range;
}

static double clamp_unit(double g)
{
    return g < 0 ? 0 : g > 1 ? 1 : g;
}

/* Ratio of a step to eps; at eps = 0 the limit from the right. */
static double step_ratio(double g, double eps)
{
    return eps > 0 ? g / eps : g > 0 ? INFINITY : 0;
}

static void widen(struct mk_lu *lu, double low, double high, double eps)
{
    if (low < lu->L) {
        lu->L = low;
        lu->eps_L = eps;
    }
    if (high > lu->U) {
        lu->U = high;
        lu->eps_U = eps;
    }
}

/* A step function: tail[i] = G(sorted[i]), or without tail the share of the values >= sorted[i]; shifted, clamped. */
struct steps {
    const double *sorted, *tail;
    size_t n;
    double shift;
};

/* Its height if sorted[at … n-1] are the values >= x. */
static double height(const struct steps *s, size_t at)
{
    double g = s->tail ? (at < s->n ? s->tail[at] : 0) : (double)(s->n - at) / (double)s->n;
    return clamp_unit(g + s->shift);
}

/* Extrema of G(b - eps) / eps over eps in [lo, hi]. */
static void step_extrema(const struct steps *s, double b, struct mk_eps_range range, struct mk_lu *out)
{
    const double *sorted = s->sorted;

    const struct mk_lu none = {INFINITY, -INFINITY, NAN, NAN};
    struct mk_lu lu = none;
    size_t at = s->n; /* values sorted[at … n-1] are >= b - eps */
    while (at > 0 && b - sorted[at - 1] <= range.lo) at--;
    double g = height(s, at);
    double start = step_ratio(g, range.lo);
    widen(&lu, start, start, range.lo);
    while (at > 0 && b - sorted[at - 1] <= range.hi) {
        double eps = b - sorted[at - 1], before = step_ratio(g, eps);
        while (at > 0 && b - sorted[at - 1] == eps) at--;
        g = height(s, at);
        widen(&lu, before, step_ratio(g, eps), eps);
    }
    double end = step_ratio(g, range.hi);
    if (range.hi > 0) widen(&lu, end, end, range.hi);
    /* A range that is the single point 0 leaves L at +inf. */
    if (isnan(lu.eps_L)) lu.eps_L = range.lo;
    *out = lu;
}

void mk_lu_plugin(const double *sorted, size_t n, double upper, struct mk_eps_range range, struct mk_lu *out)
{
    mk_lu_steps(sorted, NULL, n, upper_end(sorted, n, upper), range, out);
}

void mk_lu_steps(const double *sorted, const double *tail, size_t n, double upper, struct mk_eps_range range,
                 struct mk_lu *out)
{
    step_extrema(&(struct steps){sorted, tail, n, 0}, upper, range, out);
}

double mk_dkw_band(size_t n, double confidence)
{
    return sqrt(log(2 / (1 - confidence)) / (2 * (double)n));
}

void mk_lu_band(const double *sorted, size_t n, double upper, struct mk_eps_range range, double confidence,
                struct mk_lu_interval *out)
{
    double b = upper_end(sorted, n, upper), band = mk_dkw_band(n, confidence);
    struct mk_lu below, above;
    step_extrema(&(struct steps){sorted, NULL, n, -band}, b, range, &below);
    step_extrema(&(struct steps){sorted, NULL, n, band}, b, range, &above);
    *out = (struct mk_lu_interval){below.L, above.L, below.U, above.U};
}

/* One bootstrap sample, in order, without sorting: how often each position was drawn. */
static void resample(const double *sorted, size_t n, uint32_t *count, double *out, struct mk_pcg64 *rng)
{
    memset(count, 0, n * sizeof *count);
    for (size_t i = 0; i < n; i++) count[mk_uniform_below(rng, n)]++;
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        for (uint32_t c = count[i]; c > 0; c--) out[at++] = sorted[i];
}

/* Order statistics instead of interpolation: some values may be infinite. */
static void percentiles(double *values, size_t n, double confidence, double *low, double *high)
{
    double tail = (1 - confidence) / 2;
    size_t k = (size_t)floor(tail * (double)(n - 1) + 0.5);
    mk_sort_values(values, n);
    *low = values[k];
    *high = values[n - 1 - k];
}

int mk_lu_bootstrap(const double *sorted, size_t n, double upper, double confidence, size_t resamples,
                    struct mk_pcg64 *rng, struct mk_lu_interval *out, struct mk_error *err)
{
    int code = MK_OK;
    double *drawn = calloc(n, sizeof *drawn);
    uint32_t *count = malloc(n * sizeof *count);
    double *L = malloc(resamples * sizeof *L), *U = malloc(resamples * sizeof *U);
    if (!drawn || !count || !L || !U) {
        code = mk_fail_memory(err, "bootstrap samples");
        goto out;
    }
    for (size_t r = 0; r < resamples; r++) {
        struct mk_lu lu;
        resample(sorted, n, count, drawn, rng);
        mk_lu_plugin(drawn, n, upper, mk_eps_range_sample(drawn, n, upper), &lu);
        L[r] = lu.L;
        U[r] = lu.U;
    }
    percentiles(L, resamples, confidence, &out->L_low, &out->L_high);
    percentiles(U, resamples, confidence, &out->U_low, &out->U_high);
out:
    free(drawn);
    free(count);
    free(L);
    free(U);
    return code;
}

void mk_lu_paper_c3(const double *sorted, size_t n, struct mk_lu *out)
{
    double first = mk_quantile_sorted(sorted, n, trim_low), b = mk_quantile_sorted(sorted, n, trim_high);
    struct mk_lu lu = {INFINITY, -INFINITY, NAN, NAN};
    size_t at = n; /* values sorted[at … n-1] are > b - eps; eps increases, so `at` only decreases */
    for (int j = 0; j < C3_POINTS; j++) {
        double eps = first + (b - first) * (double)j / (C3_POINTS - 1);
        if (j == C3_POINTS - 1) eps = b;
        if (eps <= 0) continue;
        while (at > 0 && sorted[at - 1] > b - eps) at--;
        double ratio = (double)(n - at) / (double)n / eps;
        widen(&lu, ratio, ratio, eps);
    }
    if (isnan(lu.eps_L)) lu.L = lu.U = NAN;
    *out = lu;
}

static double deviation(const struct mk_real_moments *m)
{
    return mk_spread_error(&m->spread) * sqrt((double)m->spread.n);
}

int mk_lu_paper_c3_runs(const struct mk_dist *d, size_t samples, size_t runs, struct mk_key key, struct mk_lu_runs *out,
                        struct mk_error *err)
{
    double *values = malloc(samples * sizeof *values);
    if (!values) return mk_fail_memory(err, "samples");
    struct mk_real_moments L = {0}, U = {0};
    for (size_t r = 0; r < runs; r++) {
        struct mk_pcg64 rng;
        struct mk_lu lu;
        mk_pcg64_from_key(&rng, mk_key_word(key, r));
        d->type->sample(d, &rng, samples, values);
        mk_sort_values(values, samples);
        mk_lu_paper_c3(values, samples, &lu);
        mk_real_moments_add(&L, lu.L);
        mk_real_moments_add(&U, lu.U);
    }
    *out = (struct mk_lu_runs){mk_real_moments_mean(&L), deviation(&L), mk_real_moments_mean(&U), deviation(&U)};
    free(values);
    return MK_OK;
}
