/* Ranks and tests for comparing policies over instances (Demšar 2006, "Statistical comparisons of classifiers over
 * multiple data sets", JMLR 7). Larger values are better throughout; rank 1 is the best. Pure functions. */
#ifndef MAXK_SIM_SEARCH_MODELS_SIGNIFICANCE_H
#define MAXK_SIM_SEARCH_MODELS_SIGNIFICANCE_H

#include <stddef.h>

#include "sim/api/maxk/error.h"

/* Ranks of value[0 … n-1]. Neighbours in order that differ by at most `tolerance` are tied and share the mean of their
 * ranks. order[n] is overwritten: positions from the best to the worst, ties by position. Values are not NaN. */
void mk_rank_values(const double *value, size_t n, double tolerance, double *rank, size_t *order);

/* ---- pairs ---- */

struct mk_win_counts {
    size_t wins, ties, losses;
};

/* a beats b if a > b and they do not tie: |a - b| <= absolute + relative |b| (NumPy's isclose). Pairs with a NaN do not
 * count. */
struct mk_win_counts mk_compare_pairs(const double *a, const double *b, size_t n, double absolute, double relative);

/* One-sided sign test, P(X >= wins) for X binomial with p = 1/2. Ties are split evenly between wins and losses; one of
 * an odd number of ties is dropped (Demšar 2006, 3.1.4), which gives the p-values of Balef et al. 2025, Table 1. */
double mk_sign_test(struct mk_win_counts r);
double mk_sign_test_two_sided(struct mk_win_counts r);

/* The same counts without the ties, which the sign test then leaves out (Dixon and Mood 1946). Splitting asks whether
 * more instances are won than lost among all of them, leaving out whether more of those that differ. */
static inline struct mk_win_counts mk_untied(struct mk_win_counts r)
{
    return (struct mk_win_counts){r.wins, 0, r.losses};
}

enum mk_zeros {
    MK_ZEROS_SPLIT, /* zero differences keep their ranks, half of whose sum goes to either side (as Demšar 2006, who
                       drops one when their number is odd; here, as in SciPy's zsplit, none is dropped) */
    MK_ZEROS_DROP   /* zero differences are dropped (Wilcoxon 1945) */
};

struct mk_wilcoxon {
    size_t n;           /* differences that were used */
    double plus, minus; /* sums of ranks of positive and of negative differences */
    double variance;    /* of either sum, corrected for ties */
    double p_greater, p_two_sided;
    int exact;
};

/* Signed-rank test of differences (NaNs are dropped). Those of at most `tolerance` in absolute value are zeros, and
 * neighbours in the order of absolute values that differ by at most `tolerance` are tied, as in mk_rank_values. Up to
 * 50 differences without zeros and ties: the exact distribution; otherwise the normal approximation with the variance
 * corrected for ties and no continuity correction, as SciPy's. Without any usable difference p = 1. */
int mk_wilcoxon_test(const double *difference, size_t n, enum mk_zeros zeros, double tolerance, struct mk_wilcoxon *out,
                     struct mk_error *err);

/* The same in scratch memory of mk_wilcoxon_bytes(n) bytes. */
size_t mk_wilcoxon_bytes(size_t n);
void mk_wilcoxon_in(void *scratch, const double *difference, size_t n, enum mk_zeros zeros, double tolerance,
                    struct mk_wilcoxon *out);

/* Holm's step-down adjustment (1979): adjusted[i] <= alpha exactly if Holm's procedure rejects hypothesis i at alpha.
 * NaNs are not hypotheses and stay NaN. adjusted may be p. */
int mk_holm(const double *p, size_t n, double *adjusted, struct mk_error *err);

/* The same in scratch memory of mk_holm_bytes(n) bytes. */
size_t mk_holm_bytes(size_t n);
void mk_holm_in(void *scratch, const double *p, size_t n, double *adjusted);

/* min(1, m p) for m hypotheses. */
double mk_bonferroni(double p, size_t m);

/* ---- all together ---- */

struct mk_friedman {
    size_t n, k;    /* instances, policies */
    double chi2, p; /* Friedman's statistic as in Demšar 2006, eq. 3.2: no correction for ties; k - 1 degrees */
    double chi2_ties, p_ties; /* corrected for ties, as SciPy's friedmanchisquare */
    double f, p_f;            /* Iman and Davenport 1980 from chi2: (n - 1) chi2 / (n (k - 1) - chi2) */
};

/* rank[n][k], each row as from mk_rank_values; mean[k] receives the average ranks. Everything tied: 0 and p = 1. */
void mk_friedman_test(const double *rank, size_t n, size_t k, double *mean, struct mk_friedman *out);

/* The same from average ranks alone; the fields for ties are NaN. */
void mk_friedman_from_means(const double *mean, size_t n, size_t k, struct mk_friedman *out);

/* P(range of k independent standard normals <= q), and its inverse; k >= 2, 0 < p < 1. */
double mk_studentized_range(double q, size_t k);
double mk_studentized_range_quantile(double p, size_t k);

/* Critical distance of average ranks at level alpha: q_alpha sqrt(k (k + 1) / (6 n)), q_alpha the quantile of the range
 * over sqrt 2 (Nemenyi 1963; Demšar 2006, Table 5a). */
double mk_nemenyi_distance(double alpha, size_t k, size_t n);

/* p-value of a difference of two average ranks by the same test. */
double mk_nemenyi_p(double difference, size_t k, size_t n);

/* The same against one control only: Bonferroni-Dunn (Demšar 2006, Table 5b). */
double mk_dunn_distance(double alpha, size_t k, size_t n);

#endif
