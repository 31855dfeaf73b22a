/* The test of a race: which configurations are worse than the best of n instances (irace 3.5, testType "F-test").
 *
 * Of more than two, Friedman's test corrected for ties; if it rejects at level alpha, those go whose sum of ranks
 * exceeds the smallest by more than (Conover 1999, 5.8)
 *
 *     t_{1 - alpha/2, (n-1)(k-1)} sqrt(2 (n A - sum R_j^2) / ((n-1)(k-1))),  A = sum of all squared ranks.
 *
 * Of two, the second best goes if it is nowhere better, or if Wilcoxon's signed-rank test rejects: exact below 50
 * differences without ties and zeros, otherwise normal with continuity correction and without zeros, as R's. */
#ifndef MAXK_SIM_SEARCH_MODELS_RACE_TEST_H
#define MAXK_SIM_SEARCH_MODELS_RACE_TEST_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of scratch memory. */
size_t mk_race_test_bytes(size_t n, size_t k);

/* reward[n][k], larger is better, k >= 2, n >= 2. sum[k] <- sums of ranks, 1 for the largest reward of an instance (of
 * two: 1 and 2); stays[k] <- whether it is not worse than the best. Returns the best. */
size_t mk_race_test(void *scratch, const double *reward, size_t n, size_t k, double alpha, double *sum, bool *stays);

#endif
