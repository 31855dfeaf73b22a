/* Samplers: Kolmogorov-Smirnov and chi-square against the survival function, splitting into calls, kernels.
 *
 * Seeds are fixed, so the outcome is too. Each law is tested at level 1e-6: were the seeds drawn afresh, the about 90
 * tests together would fail with probability below 1e-4. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>

#include "distributions/kernel.h"
#include "tests/check.h"
#include "tests/dist_cases.h"

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

/* sup |F_n - F| sqrt(n) for a continuous law; the tail of its limit is 2 exp(-2 s^2) to first order, 1e-6 at 2.694. */
static void kolmogorov(const struct mk_dist *d, const char *name, size_t n, double *x)
{
    double worst = 0, lo, hi;
    mk_dist_support(d, &lo, &hi);
    qsort(x, n, sizeof *x, ascending);
    for (size_t i = 0; i < n; i++) {
        double f = mk_dist_cdf(d, x[i]);
        worst = fmax(worst, fmax(f - (double)i / (double)n, (double)(i + 1) / (double)n - f));
    }
    double s = worst * sqrt((double)n);
    CHECK(x[0] >= lo && x[n - 1] <= hi, "%s: %zu draws within the support", name, n);
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
    double p = cells > 1 ? gsl_cdf_chisq_Q(sum, cells - 1) : sum == 0;
    int impossible = rest_want < 1e-9 && rest_got > 0;
    CHECK(p > 1e-6 && !impossible && at == n, "%s: chi-square with %zu draws in %d cells, p = %.3g > 1e-6", name, n, cells, p);
    free(b);
}

static void check_law(size_t i, double *x)
{
    static const char *const main_families[] = {"power",       "truncated_gaussian", "pareto", "exponential",
                                                "gaussian",    "uniform",            "empirical"};
    struct mk_dist *d = dist_case_make(i);
    struct mk_pcg64 g = stream("law", i);
    char name[160];
    size_t n = 200000;
    for (int k = 0; k < 7; k++)
        if (!dist_cases[i].wrapper && strcmp(main_families[k], dist_cases[i].family) == 0) n = 1000000;
    dist_case_name(d, name, sizeof name);
    d->type->sample(d, &g, n, x);
    if (mk_dist_has_atoms(d)) chi_square(d, name, n, x);
    else kolmogorov(d, name, n, x);
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

static double ulps(double got, double want)
{
    return fabs(got - want) / (nextafter(fabs(want), INFINITY) - fabs(want));
}

/* Kernels against libm and GSL, over the range of the uniforms. */
static void check_kernels(void)
{
    enum { N = 200000 };
    double *u = malloc(N * sizeof *u), *x = malloc(N * sizeof *x);
    struct mk_pcg64 g = stream("kernels", 0);
    double log_worst = 0, exp_worst = 0, normal_worst = 0;
    mk_block_uniform(&g, N, u);
    for (int i = 0; i < N; i++) {
        if (i % 2) u[i] = exp2(-320 * u[i]); /* far tails, too */
        if (i % 10 == 4) u[i] = 1 - u[i] * 0x1p-40;
    }
    u[0] = 0x1p-54, u[2] = 1 - 0x1p-53, u[6] = 0.075, u[8] = 0.925, u[10] = 0.5;
    memcpy(x, u, N * sizeof *x);
    mk_block_log(N, x);
    for (int i = 0; i < N; i++) log_worst = fmax(log_worst, ulps(x[i], log(u[i])));
    CHECK(log_worst <= 1, "block log within %.2f units in the last place of libm's", log_worst);
    for (int i = 0; i < N; i++) x[i] = u[i] = (i % 2 ? -1 : 1) * 700 * mk_uniform(&g);
    mk_block_exp(N, x, 1, 1);
    for (int i = 0; i < N; i++) exp_worst = fmax(exp_worst, ulps(x[i], exp(u[i])));
    CHECK(exp_worst <= 1, "block exp within %.2f units in the last place of libm's", exp_worst);
    double ends[6] = {-1e300, -745, 709.75, 1e4, 0, -1e-18};
    mk_block_exp(6, ends, 1, 1);
    CHECK(ends[0] == 0 && ends[1] == exp(-745) && fabs(ends[2] / exp(709.75) - 1) < 1e-15 && isinf(ends[3]) &&
              ends[4] == 1 && ends[5] == 1,
          "block exp underflows, overflows and gives 1 at 0");
    mk_block_uniform(&g, N, u);
    for (int i = 1; i < N; i += 2) u[i] = exp2(-1000 * u[i]);
    memcpy(x, u, N * sizeof *x);
    mk_block_normal(N, x);
    for (int i = 0; i < N; i++) {
        double want = u[i] < 0.5 ? gsl_cdf_ugaussian_Qinv(u[i]) : -gsl_cdf_ugaussian_Qinv(1 - u[i]);
        normal_worst = fmax(normal_worst, fabs(x[i] - want) / fmax(fabs(want), 0.01));
    }
    CHECK(normal_worst < 3e-15, "block normal quantile agrees with GSL to %.1e", normal_worst);
    free(u);
    free(x);
}

int main(void)
{
    gsl_set_error_handler_off();
    double *x = malloc(1000000 * sizeof *x);
    check_kernels();
    for (size_t i = 0; i < N_DIST_CASES; i++) {
        check_splitting(i);
        check_law(i, x);
    }
    free(x);
    return CHECK_EXIT;
}
