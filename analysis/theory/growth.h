/* Growth of pulls and regret in T: the rates of theorems, and fits of observed growth. Proofs: the paper,
 * analysis/theory/paper; notation: certificate.h.
 *
 * THEOREM 4 (Rate of MaxUCB). Let power = 1, alpha > 0, b_i the finite upper end point of arm i, and for j != i
 *
 *     c_j = alpha inf_{x>0} x log(1 / F_j(b_i - 1/x^2)),   c = sum_j c_j,   c' = the sum over the arms with b_j > b_i.
 *
 * For every e > 0 there are m_0 and A with
 *
 *     (a) P(N_i(T) > m) <= m^(-c'+e)   for m >= max(m_0, A log T) (c' infinite: any number in the place of c'),
 *     (b) P(N_i(T) > m) >= m^(-c-e)    for m_0 <= m <= T / 2 (c infinite: no statement).
 *
 * Hence E[N_i(T)] = T^(max(0, 1 - c) + o(1)), and O(log T) if c > 1, where c = c'. That is so unless an arm with b_j =
 * b_i has P(X_j > b_i - y) >= const sqrt(y) near it, as with an atom at b_i.
 *
 * IN TYPICAL RUNS N_i(T) / log T -> alpha / sqrt(b - b_i) in probability, b > b_i the largest upper end point: the case
 * power = 1 of Proposition 4 (theorem_5.h). Both are about rewards that are not scaled. */
#ifndef MAXK_ANALYSIS_THEORY_GROWTH_H
#define MAXK_ANALYSIS_THEORY_GROWTH_H

#include <stddef.h>
#include <stdint.h>

#include "distributions/dist.h"

/* c_j of Theorem 4 for b_i = end and y = 1/x^2: the inf over y in (0, end - a) of -alpha log F(end - y) / sqrt(y), a
 * the lower end point of the arm; *y = where (may be NULL). To about 1e-12 relative. end must not exceed the arm's
 * upper end point. */
double mk_growth_exponent(const struct mk_dist *d, double end, double alpha, double *y);

struct mk_growth_claim {
    double slope;   /* alpha / sqrt(b_best - b_arm) */
    double c, x;    /* c_best, and b_best - b_arm + y where the infimum lies; NaN without a gap */
    double c_joint; /* c' */
};

/* Arm `arm` among n arms with finite upper end points, `best` the one with the highest; all NaN if b_best <= b_arm. */
struct mk_growth_claim mk_growth_claim(struct mk_dist *const *dist, size_t n, size_t best, size_t arm, double alpha);

/* ---- fits ---- */

/* y = a log T, a sqrt(T) log T, a T^c; for regrets the first two are divided by T (regret is at most pulls of other
 * arms times b / T). */
enum mk_growth_model { MK_GROWTH_LOG, MK_GROWTH_SQRT_LOG, MK_GROWTH_POWER, MK_GROWTH_MODELS };

const char *mk_growth_model_name(enum mk_growth_model m, int per_pull); /* "a log T" …; per_pull: "a log T / T" … */

/* Standard errors below this share of the value are raised to it: no formula is that exact at small T. */
#define MK_GROWTH_LEAST_ERROR 0.01

struct mk_growth_points {
    size_t n;
    const uint64_t *horizon; /* [n] > 1 */
    const double *y, *se;    /* [n]; points with y <= 0 or NaN are ignored; se NaN: as MK_GROWTH_LEAST_ERROR */
    int per_pull;
};

struct mk_growth_fit {
    size_t used; /* points */
    double a, c; /* c: MK_GROWTH_POWER only, else NaN */
    double se_log_a, se_c;
    double aicc; /* Akaike's criterion with the correction for few points; lower is better */
};

enum { MK_GROWTH_LEAST_POINTS = 5 };

/* Least squares of log y, weights (y / se)^2: points with large errors count less. AICc = n log(weighted mean square) +
 * 2k + 2k(k+1)/(n-k-1), k counting the constants and the scale of the errors. Standard errors treat the points as
 * independent and are never below those implied by se. NaN with fewer than MK_GROWTH_LEAST_POINTS usable points. */
void mk_growth_fit(const struct mk_growth_points *p, enum mk_growth_model model, struct mk_growth_fit *out);

/* The model with the least AICc, the first of several. */
enum mk_growth_model mk_growth_least_aicc(const double aicc[MK_GROWTH_MODELS]);

#endif
