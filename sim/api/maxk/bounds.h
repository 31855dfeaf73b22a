/* The bounds of Balef et al. 2025 on pulls and regret, and their verdicts against simulation.
 *
 * Theorem 4.2 [eq. 8]: MaxUCB pulls a suboptimal arm i at most
 *     N_i(T) <= T^(1-p) / (1-p) + 2 alpha sqrt(U_i T) log T,    p = 2 L_{i*} alpha sqrt(Delta_i),
 * where the first term comes from sum_{t<=T} t^-p, which it bounds for p < 1 only.
 *
 * Variants
 *   printed    as above; p = 1: the first term in its limit form 1 + log T; p > 1: as printed, where that is negative
 *   sum        min over integers 1 <= l <= T of  l + sum_{t=l}^T min(1, t^-p + alpha^2 U_i log^2 t / l): the proof's
 *              eq. 35 with probabilities capped at 1, exact for every p
 *   endpoint   `sum` with Delta^b_i = b_{i*} - b_i in place of Delta_i. The published step from eq. 30 to 31 uses
 *              G_i(E[M_i(T)] - C) <= U_i C, while Lemma 3.3 gives U_i (C + b_i - E[M_i(T)]); thresholding at b_i
 *              instead of E[M_i(T)] repairs it at the price of that gap
 *   figure_e5  the first term alone with Delta_i in place of sqrt(Delta_i), as shown in the published Figure E.5
 *
 * and two bounds on E[N_i(T)] that are proved without the steps of that theorem, for comparison:
 *   crossing   what `maxk certify` computes from the distributions of all arms
 * (analysis/theory/certificates/certificate.h) explicit   for every integer n with delta = Delta^b_i - (alpha log T /
 * n)^2 > 0, of which the best is taken, E[N_i(T)] <= n + B (integral of u^-q du from n + 1 to T) + e^(-L delta n) / (1
 * - e^(-L delta))^2, q = 2 L alpha sqrt(delta),    B = 1 + (1 + sqrt(pi/2 q log T)) / (L delta), L of any arm whose
 * upper end point is Delta^b_i above that of arm i; at most T: Theorem 8 in analysis/theory/explicit_bound.h */
#ifndef MAXK_BOUNDS_H
#define MAXK_BOUNDS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum mk_bound_variant {
    MK_BOUND_PRINTED,
    MK_BOUND_SUM,
    MK_BOUND_ENDPOINT,
    MK_BOUND_FIGURE_E5,
    MK_BOUND_CROSSING,
    MK_BOUND_EXPLICIT,
    MK_BOUND_VARIANTS
};
enum mk_bound_regime { MK_REGIME_P_BELOW_1, MK_REGIME_P_IS_1, MK_REGIME_P_ABOVE_1 };
enum mk_verdict {
    MK_VERDICT_HOLDS,
    MK_VERDICT_VIOLATED,
    MK_VERDICT_VACUOUS,
    MK_VERDICT_INCONCLUSIVE,
    MK_VERDICT_NOT_APPLICABLE
};

const char *mk_bound_variant_name(enum mk_bound_variant v); /* "printed" … */
const char *mk_bound_regime_name(enum mk_bound_regime r);   /* "p<1", "p=1", "p>1" */
const char *mk_verdict_name(enum mk_verdict v);             /* "holds" … */

struct mk_bound_input {
    double alpha;        /* >= 0 */
    double L, U;         /* of the optimal arm; of arm i. +inf allowed, NaN = not applicable */
    double gap;          /* Delta_i(T) >= 0 */
    double gap_endpoint; /* Delta^b_i; negative or NaN: `endpoint` is not applicable */
    uint64_t horizon;    /* T >= 1, up to 10^12 and beyond */
    double certified;    /* `crossing`: the bound of `maxk certify`; 0 or NaN: not applicable */
};

struct mk_bound {
    double gap;   /* the gap that was used */
    double p;     /* exponent, NaN when not applicable */
    double value; /* the bound, not capped at T; NaN when not applicable */
    enum mk_bound_regime regime;
};

/* Cost: `sum` and `endpoint` take from microseconds to a few milliseconds, the others constant time. */
struct mk_bound mk_bound_evaluate(enum mk_bound_variant v, const struct mk_bound_input *in);

/* Smallest and largest bound over L_low <= L <= L_high and U_low <= U <= U_high (in->L and in->U are not used). The
 * bounds increase with U. `sum` and `endpoint` decrease with L; the first term of `printed` and `figure_e5` has a
 * minimum at p = 1 - 1/log T and tends to +inf and -inf on the two sides of p = 1: an interval of p that contains 1
 * gives -inf and +inf. */
struct mk_bound_span {
    double L_low, L_high, U_low, U_high; /* ordered; NaN = not applicable */
};
void mk_bound_range(enum mk_bound_variant v, const struct mk_bound_input *in, const struct mk_bound_span *span,
                    double *low, double *high);

/* 95 % confidence interval of a mean (Student's t with n - 1 degrees of freedom); NaN ends when n < 2 or se is NaN. */
void mk_mean_interval(double mean, double se, uint64_t n, double *low, double *high);

/* vacuous: bound >= most (the largest value that the quantity can have at all); violated: low > bound; holds: high <=
 * bound; inconclusive in between or without an interval; not-applicable for a NaN bound. */
enum mk_verdict mk_bound_verdict(double bound, double most, double low, double high);

/* The same for a bound known only to lie in [bound_low, bound_high]: the verdict that every value of it gives, else
 * inconclusive. */
enum mk_verdict mk_bound_verdict_between(double bound_low, double bound_high, double most, double low, double high);

/* ---- Proposition 4.1 [eq. 7]: R(T) <= (max_k b_k / T) sum_{i != i*} N_i(T), for non-negative bounded rewards ---- */

struct mk_regret_check {
    double regret, regret_low, regret_high; /* R(T) = max_k E[M_k(T)] - mean maximum */
    double bound, bound_low, bound_high;    /* right-hand side, from the mean number of pulls of other arms */
    enum mk_verdict verdict;                /* violated and holds require disjoint intervals */
};

struct mk_regret_input {
    double expected_max; /* of the optimal arm */
    double mean_max, se_max;
    double optimal_pulls, se_optimal; /* N_{i*}(T); the sum over the other arms is T - N_{i*}(T) */
    double support_low, support_high; /* smallest a_k, largest b_k */
    uint64_t horizon, replications;
};

void mk_regret_check(const struct mk_regret_input *in, struct mk_regret_check *out);

#ifdef __cplusplus
}
#endif
#endif
