/* Growth of pulls and regret in T: the rates that theory claims, and fits of observed growth.
 *
 * MaxUCB [Balef et al. 2025] on bounded arms with upper end points b, Delta^b_i = b_{i*} - b_i.
 *   typical runs   N_i(T) / log T -> alpha / sqrt(Delta^b_i): arm i is pulled as long as (alpha log T / n)^2 exceeds
 *                  the gap between the end points.
 *   the mean       depends on runs in which the best arm is locked out. With its maximum at b_{i*} - x that requires n
 *                  about alpha log t / sqrt(x - Delta^b) rewards below it, of probability
 *                  F_{i*}(b_{i*} - x)^n = t^-c(x),
 *                      c(x) = -alpha log F_{i*}(b_{i*} - x) / sqrt(x - Delta^b),
 *                  so that E[N_i(T)] grows as max(log T, T^(1-c)), c = inf over x > Delta^b of c(x).
 *   joint          for arm i to lead, every arm j with b_j > b_i must be locked out, each below b_i:
 *                      c_joint = sum over j of inf over y > 0 of -alpha log F_j(b_i - y) / sqrt(y),
 *                  which is c if only i* has a higher end point and larger otherwise.
 * Both are proved for rewards that are not scaled: the slope of typical runs, in probability, by Proposition 4
 * (theorem_5.h); that the mean grows as T^max(0, 1 - c_joint), up to T^o(1), by Theorem 4 (certificate.h), unless
 * another arm ends at b_i too, with G_j(b_i - y) >= const sqrt(y) near it (an atom there, say). */
#ifndef MAXK_ANALYSIS_THEORY_GROWTH_H
#define MAXK_ANALYSIS_THEORY_GROWTH_H

#include <stddef.h>
#include <stdint.h>

#include "distributions/dist.h"

/* inf over y in (0, end - a) of -alpha log F(end - y) / sqrt(y), a the lower end point of the arm; *y = where (may be
 * NULL). To about 1e-12 relative. end must not exceed the arm's upper end point. */
double mk_growth_exponent(const struct mk_dist *d, double end, double alpha, double *y);

struct mk_growth_claim {
    double slope; /* alpha / sqrt(Delta^b) */
    double c, x;  /* of i* alone, and where the infimum lies; NaN without a gap */
    double c_joint;
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
