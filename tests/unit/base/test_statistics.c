#include "sim/base/statistics.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

static struct mk_pcg64 stream(uint64_t n)
{
    struct mk_pcg64 g;
    mk_pcg64_from_key(&g, mk_key_word(mk_key_text(mk_key_start(), "test_statistics"), n));
    return g;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check_order(void)
{
    const double ascending[] = {-INFINITY, -1e300, -1.5, -1, -1e-310, 0, 5e-324, 1, 1.5, 1e300, INFINITY};
    enum { N = sizeof ascending / sizeof *ascending };
    int rising = 1, back = 1;
    for (size_t i = 0; i < N; i++) {
        if (i && mk_ordered_bits(ascending[i]) <= mk_ordered_bits(ascending[i - 1])) rising = 0;
        if (mk_ordered_value(mk_ordered_bits(ascending[i])) != ascending[i]) back = 0;
    }
    CHECK(rising && back, "ordered bits rise with the value and turn back");
    CHECK(mk_ordered_bits(-0.0) == mk_ordered_bits(0.0), "-0 is 0");
    CHECK(mk_ordered_bits((double)NAN) > mk_ordered_bits(INFINITY), "NaN sorts last");

    enum { M = 5000 };
    static uint64_t key[M], scratch[M];
    static double value[M];
    struct mk_pcg64 g = stream(1);
    int wrong = 0;
    for (size_t n = 0; n < M; n = 3 * n + 1) {
        for (size_t i = 0; i < n; i++) {
            value[i] = (mk_uniform(&g) - 0.5) * pow(10, 20 * mk_uniform(&g) - 10);
            key[i] = mk_ordered_bits(value[i]);
        }
        qsort(value, n, sizeof *value, compare_doubles);
        mk_sort_bits(key, scratch, n);
        for (size_t i = 0; i < n; i++) wrong += mk_ordered_value(key[i]) != value[i];
    }
    CHECK(wrong == 0, "radix sort agrees with qsort");
}

static void check_quantiles(void)
{
    double x[] = {3.25, -1.5, 7, 0.125, 2, 2, 9.75, 1e-3, 100, -20.5, 4, 5.5, 6};
    /* numpy.quantile(x, mk_quantile_levels), NumPy 1.24.2 */
    const double want[MK_QUANTILES] = {
        -20.5, -18.22, -14.799999999999999, -9.099999999999998, -1.1997999999999998, 0.125,
        3.25,  6.0,    9.200000000000003,   45.84999999999987,  72.92499999999994,   89.1699999999999,
        100.0};
    double y[] = {2, 5, 8, 11};
    const double level[] = {.1, .37, .62, .9};
    const double want_y[] = {2.9000000000000004, 5.33, 7.58, 10.100000000000001}; /* the same */
    int wrong = 0;
    qsort(x, 13, sizeof *x, compare_doubles);
    for (size_t q = 0; q < MK_QUANTILES; q++) wrong += mk_quantile_sorted(x, 13, mk_quantile_levels[q]) != want[q];
    for (size_t q = 0; q < 4; q++) wrong += mk_quantile_sorted(y, 4, level[q]) != want_y[q];
    CHECK(wrong == 0, "quantiles equal NumPy's to the last bit");
    CHECK(mk_quantile_sorted(y, 1, .3) == 2 && isnan(mk_quantile_sorted(y, 0, .3)), "quantiles of one and of no value");
    const double ends[] = {-INFINITY, 1, INFINITY, INFINITY};
    CHECK(mk_quantile_sorted(ends, 4, 0) == -INFINITY && mk_quantile_sorted(ends, 4, 1) == INFINITY &&
              mk_quantile_sorted(ends, 4, 0.9) == INFINITY && mk_quantile_sorted(ends, 4, 1. / 3) == 1,
          "quantiles with infinite values");
    CHECK(mk_share_sorted(x, 13, 2) == 6. / 13 && mk_share_sorted(x, 13, -21) == 0 && mk_share_sorted(x, 13, 1e9) == 1,
          "share of values up to x, ties included");
}

static void check_sums(void)
{
    struct mk_real_moments m = {0};
    const double x[] = {1, 1e100, 1, -1e100}; /* Neumaier 1974: the plain sum is 0 */
    for (size_t i = 0; i < 4; i++) mk_real_moments_add(&m, x[i]);
    CHECK(mk_real_moments_mean(&m) == 0.5, "compensated sum");
    CHECK(m.min == -1e100 && m.max == 1e100, "least and largest");
    mk_real_moments_add(&m, INFINITY);
    CHECK(mk_real_moments_mean(&m) == INFINITY, "mean with an infinite value");

    struct mk_count_moments c = {0};
    for (size_t i = 0; i < 4; i++) mk_count_moments_add(&c, UINT64_MAX - i);
    CHECK(mk_count_moments_mean(&c) == 0x1p64, "counts near 2^64 do not overflow");
    /* 10^12 - {1 … 5}: variance 2.5 by hand, standard error sqrt(2.5/5) */
    memset(&c, 0, sizeof c);
    for (uint64_t i = 1; i <= 5; i++) mk_count_moments_add(&c, 1000000000000 - i);
    CHECK(mk_count_moments_mean(&c) == 999999999997.0, "exact mean of large counts");
    CHECK_CLOSE(mk_spread_error(&c.spread), sqrt(0.5), 1e-15, "standard error of large counts");
    CHECK(c.min == 999999999995 && c.max == 999999999999, "least and largest count");
    memset(&c, 0, sizeof c);
    CHECK(isnan(mk_count_moments_mean(&c)), "mean of nothing is NaN");
    mk_count_moments_add(&c, 7);
    CHECK(mk_count_moments_mean(&c) == 7 && isnan(mk_spread_error(&c.spread)),
          "one value: mean, but no standard error");
    for (uint64_t i = 0; i < 2; i++) mk_count_moments_add(&c, 7);
    CHECK(mk_spread_error(&c.spread) == 0, "equal values: standard error 0");

    /* A rare lock-out first, then 10^6 counts near 10^12: m2 by exact integers, sum of squares minus n times the
     * squared mean. */
    memset(&c, 0, sizeof c);
    struct mk_pcg64 g = stream(2);
    mk_u128 sum = 0, squares = 0, n = 1000001;
    for (uint64_t i = 0; i < (uint64_t)n; i++) {
        uint64_t minor = i ? mk_uniform_below(&g, 100) : 900000000000;
        mk_count_moments_add(&c, 1000000000000 - minor);
        sum += minor;
        squares += (mk_u128)minor * minor;
    }
    double m2 = (double)(squares * n - sum * sum) / (double)n; /* below 2^128: 8.1e23 * 1e6 */
    CHECK_CLOSE(c.spread.m2, m2, 1e-11, "variance with a lock-out as first value");
}

/* z = (mean - 1/2) / se over 4000 runs of 60 uniforms is close to Student's t with 59 degrees: sd sqrt(59/57) = 1.0174.
 * The estimated sd has a standard error of .0115; the limits are 5 of them: false alarms below 1e-6. */
static void check_calibration(void)
{
    enum { RUNS = 4000, N = 60 };
    struct mk_real_moments z = {0}, z_count = {0};
    struct mk_pcg64 g = stream(3);
    for (size_t run = 0; run < RUNS; run++) {
        struct mk_real_moments m = {0};
        struct mk_count_moments c = {0};
        for (size_t i = 0; i < N; i++) {
            mk_real_moments_add(&m, mk_uniform(&g));
            mk_count_moments_add(&c, mk_uniform_below(&g, 1001));
        }
        mk_real_moments_add(&z, (mk_real_moments_mean(&m) - 0.5) / mk_spread_error(&m.spread));
        mk_real_moments_add(&z_count, (mk_count_moments_mean(&c) - 500) / mk_spread_error(&c.spread));
    }
    double sd = sqrt(z.spread.m2 / (RUNS - 1)), sd_count = sqrt(z_count.spread.m2 / (RUNS - 1));
    CHECK(fabs(sd - 1.0174) < 0.0575, "standard errors of reals are calibrated: sd of z = %.4f", sd);
    CHECK(fabs(sd_count - 1.0174) < 0.0575, "standard errors of counts are calibrated: sd of z = %.4f", sd_count);
}

/* ---- histograms ---- */

static bool same_bins(const struct mk_histogram *a, const struct mk_histogram *b)
{
    return a->used == b->used && a->shift == b->shift && a->n == b->n && a->low == b->low && a->high == b->high &&
           memcmp(a->bin, b->bin, a->used * sizeof *a->bin) == 0;
}

enum sample { FEW, COUNTS, LARGE_COUNTS, NEAR_ONE, HEAVY, SIGNED, SAMPLES };
static const char *const sample_names[] = {"1024 distinct reals", "counts below 2048", "counts to 10^12",
                                           "maxima near 1",       "Pareto 0.5",        "reals of both signs"};

static double draw(enum sample s, struct mk_pcg64 *g, size_t i)
{
    switch (s) {
    case FEW: return sqrt((double)(i % 1024 + 2));
    case COUNTS: return (double)mk_uniform_below(g, 2048);
    case LARGE_COUNTS: return floor(pow(1e12, mk_uniform(g)));
    case NEAR_ONE: return 1 - 1e-9 * mk_uniform(g);
    case HEAVY: return pow(mk_uniform(g), -2);
    case SIGNED: return mk_uniform(g) - 0.5;
    case SAMPLES: break;
    }
    return 0;
}

static void check_histogram(enum sample s)
{
    enum { N = 20000 };
    static double x[N];
    struct mk_histogram h, reversed;
    struct mk_pcg64 g = stream(10 + (uint64_t)s);
    int whole = s == COUNTS || s == LARGE_COUNTS, failed = 0, exact = s == FEW || s == COUNTS;
    mk_histogram_init(&h, whole);
    mk_histogram_init(&reversed, whole);
    for (size_t i = 0; i < N; i++) x[i] = draw(s, &g, i);
    for (size_t i = 0; i < N; i++) failed |= mk_histogram_add(&h, x[i]) | mk_histogram_add(&reversed, x[N - 1 - i]);
    mk_histogram_seal(&h);
    mk_histogram_seal(&reversed);
    CHECK(!failed && same_bins(&h, &reversed), "histogram of %s: order does not matter (%zu bins)", sample_names[s],
          h.used);
    qsort(x, N, sizeof *x, compare_doubles);
    double worst = 0, worst_share = 0;
    for (size_t q = 0; q < MK_QUANTILES; q++) {
        double want = mk_quantile_sorted(x, N, mk_quantile_levels[q]);
        double error = fabs(mk_histogram_quantile(&h, mk_quantile_levels[q]) - want) / fabs(want);
        if (error > worst) worst = error;
        error = fabs(mk_histogram_share(&h, want) - mk_share_sorted(x, N, want));
        if (error > worst_share) worst_share = error;
    }
    CHECK(exact ? worst == 0 : worst <= 0x1p-10, "quantiles of %s: largest relative error %.2g", sample_names[s],
          worst);
    /* 1024 bins or more of 20000 values: a share can be off by the content of a bin or two, in units of 1/N */
    CHECK(exact ? worst_share == 0 : worst_share < 0.005, "shares of %s: largest error %.2g", sample_names[s],
          worst_share);
    if (s == NEAR_ONE) CHECK(worst < 1e-11, "maxima within 1e-9 of 1 are distinguished: error %.2g", worst);
    uint64_t total = 0;
    int ordered = 1;
    for (size_t i = 0; i < h.used; i++) {
        double low, high, next;
        mk_histogram_bounds(&h, i, &low, &high);
        total += h.bin[i].count;
        if (!(low <= high)) ordered = 0;
        if (i + 1 < h.used) {
            mk_histogram_bounds(&h, i + 1, &next, &low);
            if (!(high < next)) ordered = 0;
        }
    }
    CHECK(total == N && ordered, "bins of %s are disjoint, ascending, and hold every value", sample_names[s]);
    mk_histogram_free(&h);
    mk_histogram_free(&reversed);
}

static void check_histogram_ends(void)
{
    struct mk_histogram h;
    mk_histogram_init(&h, 0);
    mk_histogram_seal(&h);
    CHECK(isnan(mk_histogram_quantile(&h, 0.5)) && isnan(mk_histogram_share(&h, 0)), "empty histogram");
    mk_histogram_clear(&h);
    int failed = 0;
    for (int i = 0; i < 3000; i++) failed |= mk_histogram_add(&h, i % 3 ? sin(i) : i % 2 ? INFINITY : -INFINITY);
    mk_histogram_seal(&h);
    CHECK(!failed && mk_histogram_quantile(&h, 0) == -INFINITY && mk_histogram_quantile(&h, 1) == INFINITY &&
              fabs(mk_histogram_quantile(&h, 0.5)) < 0.01,
          "histogram with infinite values");
    mk_histogram_clear(&h);
    failed = mk_histogram_add(&h, 4.5);
    mk_histogram_seal(&h);
    CHECK(!failed && h.n == 1 && mk_histogram_quantile(&h, 0.9) == 4.5 && mk_histogram_share(&h, 4.5) == 1 &&
              mk_histogram_share(&h, 4.4) == 0,
          "cleared and used again");
    mk_histogram_free(&h);
    CHECK(mk_proxy_regret(2, 1) == 0.5 && mk_proxy_regret(2, 3) == -0.5 && isnan(mk_proxy_regret(0, 1)),
          "proxy regret: signed, undefined for an oracle at 0");
}

/* scipy.stats.binomtest(hits, n).proportion_ci(method="wilson"), SciPy 1.10. */
static void check_share_interval(void)
{
    static const struct {
        double hits;
        uint64_t n;
        double low, high;
    } cases[] = {{8, 10, 0.4901624715366418, 0.9433178485456248},
                 {3, 1000, 0.0010207838811386186, 0.008783014053503173},
                 {0, 20, 0, 0.16112515805281935},
                 {20, 20, 0.8388748419471808, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double low, high;
        mk_share_interval(cases[i].hits / (double)cases[i].n, cases[i].n, &low, &high);
        CHECK_CLOSE(low, cases[i].low, 1e-14, "score interval of %g of %d, lower end", cases[i].hits, (int)cases[i].n);
        CHECK_CLOSE(high, cases[i].high, 1e-14, "upper end");
    }
    CHECK_CLOSE(erfc(MK_NORMAL_95 / sqrt(2)), 0.05, 1e-14, "MK_NORMAL_95 leaves 5 %% outside");
}

/* scipy.stats.binomtest(hits, n).proportion_ci(method="exact"), SciPy 1.10; GSL's own inverse fails for the second to
 * the fourth. */
static void check_exact_interval(void)
{
    static const struct {
        double hits, n, low, high;
    } cases[] = {{31, 1000, 0.021158171970426676, 0.043715085006241224},
                 {10, 484, 0.009951223905006535, 0.037667589291430444},
                 {17, 484, 0.020591632161253353, 0.055642474451493666},
                 {590, 629, 0.9162112883423023, 0.9555418308303868},
                 {0, 20, 0, 0.16843347098308548},
                 {20, 20, 0.8315665290169145, 1}};
    double low, high;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mk_share_exact_interval(cases[i].hits, cases[i].n - cases[i].hits, 0.025, &low, &high);
        CHECK_CLOSE(low, cases[i].low, 1e-10, "exact interval of %g of %g, lower end", cases[i].hits, cases[i].n);
        CHECK_CLOSE(high, cases[i].high, 1e-10, "upper end");
    }
    for (double n = 1; n < 3000; n *= 1.7)
        for (double hits = 0; hits <= n; hits++) {
            mk_share_exact_interval(hits, n - hits, 0.025, &low, &high);
            CHECK(low <= hits / n && hits / n <= high && low >= 0 && high <= 1, "%g of %g: %g to %g", hits, n, low,
                  high);
        }
    /* scipy.stats.gamma.ppf; GSL's own inverse gives NaN for the first. */
    CHECK_CLOSE(mk_gamma_quantile(0.025, 1736), 1655.2886877493354, 1e-11, "quantile of gamma(1736)");
    CHECK_CLOSE(mk_gamma_quantile(0.025, 1159), 1093.2269559972128, 1e-11, "quantile of gamma(1159)");
    CHECK_CLOSE(mk_gamma_quantile(0.975, 3), 7.22468766772396, 1e-11, "quantile of gamma(3)");
}

/* Below and above the length from which bits are sorted. */
static void check_sort(void)
{
    static const double special[] = {0, -0.0, 1, -1, INFINITY, -INFINITY, 5e-324, -5e-324, 1e308};
    for (size_t n = 0; n <= 1000; n = n * 2 + 13) {
        double value[1100], sorted[1100];
        struct mk_pcg64 g;
        size_t wrong = 0;
        mk_pcg64_seed(&g, 7, n);
        for (size_t i = 0; i < n; i++)
            sorted[i] = value[i] = i % 5 ? mk_uniform(&g) - 0.5 : special[i % (sizeof special / sizeof *special)];
        mk_sort_values(value, n);
        qsort(sorted, n, sizeof *sorted, mk_compare_reals);
        for (size_t i = 0; i < n; i++) wrong += value[i] != sorted[i] || (i && value[i] < value[i - 1]);
        qsort(sorted, n, sizeof *sorted, mk_compare_reals_down);
        for (size_t i = 0; i < n; i++) wrong += value[i] != sorted[n - 1 - i];
        CHECK(wrong == 0, "%zu values are sorted, up and down", n);
    }
    const uint64_t counts[] = {3, 2, UINT64_MAX};
    CHECK(mk_compare_counts(&counts[0], &counts[1]) > 0 && mk_compare_counts(&counts[0], &counts[2]) < 0 &&
              mk_compare_counts(&counts[1], &counts[1]) == 0,
          "counts up to 2^64 - 1 are compared");
    double some[] = {3, -0.0, 2, 5, 2, 0, -1, 3, INFINITY};
    CHECK(mk_sort_distinct(some, 9, 0, 3) == 3 && some[0] == 0 && some[1] == 2 && some[2] == 3,
          "both ends belong to the range, and repeated values are dropped: %g %g %g", some[0], some[1], some[2]);
    CHECK(mk_sort_distinct(some, 3, 4, 5) == 0, "none is left");
}

int main(void)
{
    check_share_interval();
    check_exact_interval();
    check_sort();
    check_order();
    check_quantiles();
    check_sums();
    check_calibration();
    for (int s = 0; s < SAMPLES; s++) check_histogram((enum sample)s);
    check_histogram_ends();
    return CHECK_EXIT;
}
