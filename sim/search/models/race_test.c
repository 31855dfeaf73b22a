#include "sim/search/models/race_test.h"

#include <math.h>

#include <gsl/gsl_cdf.h>

#include "sim/search/models/significance.h"

enum { EXACT_BELOW = 50 };

size_t mk_race_test_bytes(size_t n, size_t k)
{
    return (n * k + k + n) * sizeof(double) + k * sizeof(size_t) + mk_wilcoxon_bytes(n);
}

/* ---- two ---- */

/* R's wilcox.test(paired = TRUE): two-sided p. */
static double wilcoxon(void *scratch, const double *difference, size_t n, bool *first_is_better)
{
    struct mk_wilcoxon w;
    mk_wilcoxon_in(scratch, difference, n, MK_ZEROS_DROP, 0, &w);
    const double count = (double)w.n, away = fabs(w.plus - count * (count + 1) / 4);
    *first_is_better = w.plus >= w.minus;
    if (w.exact && w.n == n && n < EXACT_BELOW) return w.p_two_sided;
    return fmin(1, 2 * gsl_cdf_ugaussian_Q((away - (away > 0 ? 0.5 : 0)) / sqrt(w.variance)));
}

static size_t test_two(void *scratch, const double *reward, size_t n, double alpha, double *sum, bool *stays)
{
    double *difference = scratch;
    bool never_worse = true, never_better = true, first = true;
    double p = 0;
    for (size_t i = 0; i < n; i++) {
        difference[i] = reward[2 * i] - reward[2 * i + 1];
        never_worse &= reward[2 * i] >= reward[2 * i + 1];
        never_better &= reward[2 * i] <= reward[2 * i + 1];
    }
    if (never_worse || never_better)
        first = never_worse;
    else
        p = wilcoxon(difference + n, difference, n, &first);
    sum[0] = first ? 1 : 2;
    sum[1] = first ? 2 : 1;
    stays[0] = first || p >= alpha;
    stays[1] = !first || p >= alpha;
    return !first;
}

/* ---- more ---- */

static double critical_difference(const double *rank, const double *sum, size_t n, size_t k, double alpha)
{
    const double blocks = (double)n, degrees = (blocks - 1) * ((double)k - 1);
    double squares = 0, sums = 0;
    for (size_t i = 0; i < n * k; i++) squares += rank[i] * rank[i];
    for (size_t j = 0; j < k; j++) sums += sum[j] * sum[j];
    return gsl_cdf_tdist_Pinv(1 - alpha / 2, degrees) * sqrt(2 * fmax(blocks * squares - sums, 0) / degrees);
}

size_t mk_race_test(void *scratch, const double *reward, size_t n, size_t k, double alpha, double *sum, bool *stays)
{
    double *rank = scratch, *mean = rank + n * k;
    size_t *order = (size_t *)(mean + k), best = 0;
    struct mk_friedman f;
    if (k == 2) return test_two(scratch, reward, n, alpha, sum, stays);
    for (size_t i = 0; i < n; i++) mk_rank_values(reward + i * k, k, 0, rank + i * k, order);
    mk_friedman_test(rank, n, k, mean, &f);
    for (size_t j = 0; j < k; j++) {
        sum[j] = mean[j] * (double)n; /* halves */
        sum[j] = nearbyint(2 * sum[j]) / 2;
        if (sum[j] < sum[best]) best = j;
    }
    const double max = f.p_ties < alpha ? critical_difference(rank, sum, n, k, alpha) : INFINITY;
    for (size_t j = 0; j < k; j++) stays[j] = !(sum[j] - sum[best] > max);
    return best;
}
