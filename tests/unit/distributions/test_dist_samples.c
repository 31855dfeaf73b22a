/* Samplers: Kolmogorov-Smirnov and chi-square against the distribution function, splitting into calls.
 *
 * Seeds are fixed, so the outcome is too. Each distribution is tested at level 1e-6: with fresh seeds, the about 90
 * tests together would fail with probability below 1e-4. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>

#include "tests/support/check.h"
#include "tests/support/dist_cases.h"

static struct mk_pcg64 stream(const char *what, uint64_t number)
{
    struct mk_pcg64 g;
    mk_pcg64_from_key(&g, mk_key_word(mk_key_text(mk_key_start(), what), number));
    return g;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sort numbers from [0, 1]: into n cells, then within each. */
static void sort_unit(size_t n, double *u)
{
    size_t *end = calloc(n + 2, sizeof *end);
    double *sorted = malloc(n * sizeof *sorted);
    for (size_t i = 0; i < n; i++) end[(size_t)(u[i] * (double)n) + 1]++;
    for (size_t i = 1; i <= n + 1; i++) end[i] += end[i - 1];
    for (size_t i = 0; i < n; i++) sorted[end[(size_t)(u[i] * (double)n)]++] = u[i];
    for (size_t cell = 0, start = 0; cell <= n; start = end[cell++])
        if (end[cell] - start > 1) qsort(sorted + start, end[cell] - start, sizeof *sorted, ascending);
    memcpy(u, sorted, n * sizeof *u);
    free(sorted);
    free(end);
}

/* sup |F_n - F| sqrt(n) for a continuous distribution; the tail of its limit is 2 exp(-2 s^2) to first order, 1e-6 at
 * 2.694. */
static void kolmogorov(const struct mk_dist *d, const char *name, size_t n, double *x)
{
    double worst = 0, lo, hi;
    int outside = 0;
    mk_dist_support(d, &lo, &hi);
    for (size_t i = 0; i < n; i++) {
        outside += !(x[i] >= lo && x[i] <= hi);
        x[i] = mk_dist_cdf(d, x[i]);
    }
    sort_unit(n, x);
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, fmax(x[i] - (double)i / (double)n, (double)(i + 1) / (double)n - x[i]));
    double s = worst * sqrt((double)n);
    CHECK(outside == 0, "%s: %zu draws within the support", name, n);
    CHECK(s < 2.694, "%s: Kolmogorov-Smirnov with %zu draws, sqrt(n) D = %.3f < 2.694", name, n, s);
}

/* Cells: every atom of at least 20 expected draws, and the open intervals between neighbouring break points. */
static void chi_square(const struct mk_dist *d, const char *name, size_t n, double *x)
{
    size_t m = mk_dist_breaks(d, NULL), at = 0;
    double *b = malloc((m + 1) * sizeof *b), sum = 0, rest_want = 0, rest_got = 0, last = 0;
    int cells = 0;
    mk_dist_breaks(d, b);
    qsort(b, m, sizeof *b, ascending);
    b[m] = INFINITY;
    qsort(x, n, sizeof *x, ascending);
    for (size_t i = 0; i <= m; i++) {
        if (i && b[i] == b[i - 1]) continue;
        for (int atom = 0; atom < 2; atom++) { /* first the interval below b[i], then b[i] itself */
            double to = atom || isinf(b[i]) ? mk_dist_cdf(d, b[i]) : mk_dist_below(d, b[i]);
            double want = (double)n * (to - last), got = 0;
            for (; at < n && (atom ? x[at] <= b[i] : x[at] < b[i]); at++) got++;
            last = to;
            if (want < 20) {
                rest_want += want;
                rest_got += got;
            } else {
                sum += (got - want) * (got - want) / want;
                cells++;
            }
        }
    }
    if (rest_want >= 20) {
        sum += (rest_got - rest_want) * (rest_got - rest_want) / rest_want;
        cells++;
    }
    /* With a single cell all draws must be in it, or as many outside as a rare event explains. */
    double p = cells > 1 ? gsl_cdf_chisq_Q(sum, cells - 1) : rest_got > 0 ? fmin(1, rest_want) : 1;
    int impossible = rest_want < 1e-9 && rest_got > 0;
    CHECK(p > 1e-6 && !impossible && at == n, "%s: chi-square with %zu draws in %d cells, p = %.3g > 1e-6", name, n,
          cells, p);
    free(b);
}

/* 10^6 draws for the distributions of the published experiments: the first two sets of each family, and the far
 * tails. */
static size_t sample_size(size_t i)
{
    static const char *const main_families[] = {"power",   "truncated_gaussian", "pareto", "exponential", "gaussian",
                                                "uniform", "empirical"};
    const struct dist_case *c = &dist_cases[i];
    size_t before = 0;
    for (size_t k = 0; k < i; k++) before += strcmp(dist_cases[k].family, c->family) == 0;
    int far = strcmp(c->family, "truncated_gaussian") == 0 && c->v[2] == 30;
    for (int k = 0; k < 7; k++)
        if (!c->wrapper && (before < 2 || far) && strcmp(main_families[k], c->family) == 0) return 1000000;
    return 200000;
}

static void check_law(size_t i, double *x)
{
    struct mk_dist *d = dist_case_make(i);
    struct mk_pcg64 g = stream("law", i);
    char name[160];
    size_t n = sample_size(i);
    dist_case_name(d, name, sizeof name);
    d->type->sample(d, &g, n, x);
    if (mk_dist_has_atoms(d))
        chi_square(d, name, n, x);
    else
        kolmogorov(d, name, n, x);
    mk_dist_free(d);
}

/* The same draws however they are split, and the stream ends in the same state. */
static void check_splitting(size_t i)
{
    enum { N = 3000 };
    static const size_t steps[] = {1, 2, 3, 7, 64, 511, 512, 513, 1000};
    static double whole[N], split[N];
    struct mk_dist *d = dist_case_make(i);
    char name[160];
    dist_case_name(d, name, sizeof name);
    struct mk_pcg64 a = stream("split", i), b = a;
    d->type->sample(d, &a, N, whole);
    for (size_t at = 0, k = 0; at < N; k++) {
        size_t n = steps[k % 9] < N - at ? steps[k % 9] : N - at;
        d->type->sample(d, &b, n, split + at);
        at += n;
    }
    CHECK(memcmp(whole, split, sizeof whole) == 0 && a.state == b.state && a.inc == b.inc,
          "%s: draws do not depend on the splitting into calls", name);
    mk_dist_free(d);
}

/* Results of a seed stay: which uniform gives which draw depends on the sampler, which depends on the window. Below
 * mu, by up to 8 standard deviations, and not too narrow, p = 1 - u is the upper tail of the draw; otherwise p = u. */
static void check_orientation(void)
{
    static const struct {
        double lo, hi;
        bool plain;
    } window[] = {{-INFINITY, -7.9, true}, {-INFINITY, -8.5, false}, {-1.64, -1, true}, {-1.5, -1, false}};
    for (size_t i = 0; i < sizeof window / sizeof *window; i++) {
        struct mk_dist *d = dist_simple("truncated_gaussian", 0, 1, window[i].lo, window[i].hi);
        struct mk_pcg64 g = stream("orientation", i), same = g;
        double x, worst = 0;
        for (int k = 0; k < 20; k++) {
            const double u = mk_uniform(&same), p = window[i].plain ? 1 - u : u;
            d->type->sample(d, &g, 1, &x);
            worst = fmax(worst, fabs(x - d->type->inverse(d, p, 1 - p)));
        }
        CHECK(worst < 1e-9, "normal in [%g, %g]: draws are the quantiles expected of u (%.1e)", window[i].lo,
              window[i].hi, worst);
        mk_dist_free(d);
    }
}

int main(void)
{
    gsl_set_error_handler_off();
    check_orientation();
    double *x = malloc(1000000 * sizeof *x);
    for (size_t i = 0; i < N_DIST_CASES; i++) {
        check_splitting(i);
        check_law(i, x);
    }
    free(x);
    return CHECK_EXIT;
}
