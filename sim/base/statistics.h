/* Deterministic summary statistics: the same bits for the same values in the same order, regardless of block sizes and
 * the number of threads. Callers feed each cell in the order of replications. */
#ifndef MAXK_SIM_BASE_STATISTICS_H
#define MAXK_SIM_BASE_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#include "sim/base/pcg64.h"

/* ---- mean and standard error ----
 *
 * Means: whole numbers are summed exactly (128 bits), reals by Neumaier's compensated sum. Variances: Welford's update
 * of x - x_1. The shift keeps the condition number sqrt(1 + (mean - x_1)^2 / variance) at or below sqrt(1 + n), since
 * x_1 is one of the sample, so that 10^12 - 10 pulls with a spread of 3 keep their digits. Zero-filled structs are
 * empty. */
struct mk_spread {
    uint64_t n;
    double mean, m2; /* of x - x_1 */
};

struct mk_real_moments {
    struct mk_spread spread;
    double first, sum, carry, min, max;
};

struct mk_count_moments {
    struct mk_spread spread;
    uint64_t first, min, max;
    mk_u128 sum;
};

void mk_real_moments_add(struct mk_real_moments *m, double x);
void mk_count_moments_add(struct mk_count_moments *m, uint64_t x);

/* A running sum of costs, compensated (Kahan), so that a million pulls that cost 0.1 cost 10^5 but for the last digits.
 */
struct mk_spent {
    double sum, lost;
};
static inline struct mk_spent mk_spend(struct mk_spent s, double cost)
{
    const double x = cost - s.lost, sum = s.sum + x;
    return (struct mk_spent){sum, (sum - s.sum) - x};
}

/* NaN for n = 0. */
double mk_real_moments_mean(const struct mk_real_moments *m);
double mk_count_moments_mean(const struct mk_count_moments *m);

/* Standard error of the mean, sqrt(m2 / (n - 1) / n); NaN for n < 2. */
double mk_spread_error(const struct mk_spread *s);

/* Half of Student's interval of the mean; NaN for n < 2. */
double mk_spread_student(const struct mk_spread *s, double confidence);

/* ---- 95 % intervals ---- */

/* The 97.5 % quantile of the standard normal distribution: mean ± MK_NORMAL_95 standard errors. */
#define MK_NORMAL_95 1.959963984540054

/* The score interval (Wilson 1927) of a probability, from the share of n trials in which the event occurred. It stays
 * within [0, 1], with an end at 0 for a share of 0 and at 1 for a share of 1. */
void mk_share_interval(double share, uint64_t n, double *low, double *high);

/* ---- exact intervals of shares and of rates ---- */

/* Quantile of the gamma distribution with scale 1: the x with P(X <= x) = p, 0 < p < 1; shape > 0. By bisection: for
 * one in some hundred shapes GSL's inverse does not converge. */
double mk_gamma_quantile(double p, double shape);

/* The interval of Clopper and Pearson (1934) for a probability, from the number of successes and failures, which need
 * not be whole: each end is passed with probability `tail` at most. */
void mk_share_exact_interval(double successes, double failures, double tail, double *low, double *high);

/* ---- order statistics ---- */

/* For qsort and bsearch: doubles (no NaN) ascending and descending, uint64_t ascending. */
int mk_compare_reals(const void *a, const void *b);
int mk_compare_reals_down(const void *a, const void *b);
int mk_compare_counts(const void *a, const void *b);

/* Ascending; values must not be NaN, and -0 may come out as 0. */
void mk_sort_values(double *values, size_t n);

/* Ascending, without those outside of low … high and without repeated ones. Returns how many are left. */
size_t mk_sort_distinct(double *values, size_t n, double low, double high);

/* Whole numbers in the order of the doubles (-0 as 0; NaN above +inf), and back. */
uint64_t mk_ordered_bits(double x);
double mk_ordered_value(uint64_t bits);

/* Ascending radix sort; scratch[n] is overwritten. */
void mk_sort_bits(uint64_t *key, uint64_t *scratch, size_t n);

/* Quantile of type 7 (Hyndman & Fan 1996; the default of NumPy and R) of sorted[0 … n-1], 0 <= p <= 1; NaN for n = 0.
 */
double mk_quantile_sorted(const double *sorted, size_t n, double p);

/* Share of sorted[] that is <= x; NaN for n = 0. */
double mk_share_sorted(const double *sorted, size_t n, double x);

/* ---- histograms of bounded size ----
 *
 * Bins are runs of 2^shift neighbouring doubles, log-linear: 2^(52 - shift) to an octave. A histogram begins with
 * shift 0, every distinct value a bin of its own, and merges neighbours (shift + 1) whenever more than
 * MK_HISTOGRAM_BINS are occupied; at 2^MK_HISTOGRAM_BITS to an octave it stops merging and grows with the number of
 * octaves. The result depends on the set of values, not on their order: `shift` is the least that keeps the number of
 * bins.
 *
 * Accuracy of quantiles: exact up to MK_HISTOGRAM_BINS distinct values; whole numbers (whole = 1) below
 * 2^(MK_HISTOGRAM_BITS + 1) always exact; otherwise each order statistic is within one bin, at most
 * 2^-MK_HISTOGRAM_BITS of its size. Least and largest value are exact. */
enum { MK_HISTOGRAM_BINS = 1024, MK_HISTOGRAM_BITS = 10 };

struct mk_bin {
    uint64_t key;   /* mk_ordered_bits(x) >> shift */
    uint64_t count; /* 0: an empty place of the hash table */
};

struct mk_histogram {
    int whole; /* values are whole numbers */
    unsigned shift;
    size_t used, room;  /* occupied bins, places */
    struct mk_bin *bin; /* hash table; once sealed bin[0 … used-1] in ascending order */
    int sealed;
    uint64_t n, low, high; /* number of values, ordered bits of the smallest and the largest */
};

void mk_histogram_init(struct mk_histogram *h, int whole);
void mk_histogram_free(struct mk_histogram *h);
/* Empties it for the next sample; keeps the memory. */
void mk_histogram_clear(struct mk_histogram *h);
/* Returns MK_OK or MK_ENOMEM. Not after mk_histogram_seal. */
int mk_histogram_add(struct mk_histogram *h, double x);
/* Sorts the bins; required by the functions below. */
void mk_histogram_seal(struct mk_histogram *h);
/* Smallest and largest value that bin i (0 … used-1) can hold. */
void mk_histogram_bounds(const struct mk_histogram *h, size_t i, double *low, double *high);
/* Type 7 quantile; values of a bin are treated as evenly spread over it. NaN when empty. */
double mk_histogram_quantile(const struct mk_histogram *h, double p);
/* Share of values <= x, linear within the bin that holds x. NaN when empty. */
double mk_histogram_share(const struct mk_histogram *h, double x);

/* ---- the levels that result files hold ---- */

enum { MK_QUANTILES = 13 };
extern const double mk_quantile_levels[MK_QUANTILES];

/* PER(T) (Baudry et al. 2022): (oracle - policy) / oracle for the same quantile of the two; NaN for oracle = 0. */
double mk_proxy_regret(double oracle, double policy);

#endif
