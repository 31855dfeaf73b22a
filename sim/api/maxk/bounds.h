/* Bounds on the pulls and the regret of MaxUCB, and their verdicts against simulation.
 *
 * Theorem 4.2 of Balef et al. 2025 (equation 8) says that MaxUCB pulls a suboptimal arm i at most
 *
 *     N_i(T) <= T^(1-p) / (1-p) + 2 alpha sqrt(U_i T) log T,    p = 2 L_{i*} alpha sqrt(Delta_i),
 *
 * times. i* is the optimal arm, Delta_i the gap of arm i, and L and U the constants of Lemma 3.3
 * (mk_distribution_constants in maxk.h). The first term comes from the sum of t^-p over t <= T, which it bounds for p <
 * 1 only. There are four variants of this bound:
 *
 *   printed    The bound as above. For p = 1 the first term is its limit 1 + log T. For p > 1 it is negative.
 *   sum        Equation 35 of the proof, with probabilities capped at 1: the minimum over integers 1 <= l <= T of
 *              l + sum_{t=l}^T min(1, t^-p + alpha^2 U_i log^2 t / l). It is exact for every p.
 *   endpoint   The variant sum with Delta^b_i = b_{i*} - b_i, the gap of the upper end points, in the place of Delta_i.
 *              This repairs a step of the proof, from equation 30 to 31. That step uses G_i(E[M_i(T)] - C) <= U_i C,
 *              while Lemma 3.3 gives U_i (C + b_i - E[M_i(T)]). The repair compares with b_i instead of E[M_i(T)].
 *   figure_e5  The first term alone, with Delta_i in the place of sqrt(Delta_i), as the published Figure E.5 shows it.
 *
 * Two further bounds are on E[N_i(T)] and are proved without the steps of that theorem:
 *
 *   crossing   What `maxk certify` computes from the distributions of all arms
 *              (analysis/theory/certificates/certificate.h). Here it is an input (mk_bound_input).
 *   explicit   Theorem 8 (analysis/theory/explicit_bound.h), at most T. It is the smallest value over all integers n
 *              with delta = Delta^b_i - (alpha log T / n)^2 > 0 of
 *              n + B (integral of u^-q du from n + 1 to T) + e^(-L delta n) / (1 - e^(-L delta))^2,
 *              with q = 2 L alpha sqrt(delta) and B = 1 + (1 + sqrt(pi/2 q log T)) / (L delta). L is that of any
 *              arm whose upper end point is Delta^b_i above that of arm i.
 *
 * This header is provisional: a minor version may change it (experiments/manual/compatibility.md). The other headers
 * belong to the core of the interface, which stays within a major version.
 *
 * All functions here are pure: they allocate nothing, cannot fail, and may be called from any thread. */
#ifndef MAXK_BOUNDS_H
#define MAXK_BOUNDS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The variants above, in their order. */
enum mk_bound_variant {
    MK_BOUND_PRINTED,
    MK_BOUND_SUM,
    MK_BOUND_ENDPOINT,
    MK_BOUND_FIGURE_E5,
    MK_BOUND_CROSSING,
    MK_BOUND_EXPLICIT,
    MK_BOUND_VARIANTS
};

/* Whether p is below, equal to or above 1. */
enum mk_bound_regime { MK_REGIME_P_BELOW_1, MK_REGIME_P_IS_1, MK_REGIME_P_ABOVE_1 };

/* What a comparison with a simulation says; see mk_bound_verdict. */
enum mk_verdict {
    MK_VERDICT_HOLDS,
    MK_VERDICT_VIOLATED,
    MK_VERDICT_VACUOUS,
    MK_VERDICT_INCONCLUSIVE,
    MK_VERDICT_NOT_APPLICABLE
};

/* The names of variants, regimes and verdicts. */
const char *mk_bound_variant_name(enum mk_bound_variant v); /* "printed" … */
const char *mk_bound_regime_name(enum mk_bound_regime r);   /* "p<1", "p=1", "p>1" */
const char *mk_verdict_name(enum mk_verdict v);             /* "holds" … */

/* What the bounds are computed from, for one suboptimal arm i. Rewards are in one unit: L and U are in 1 / reward,
 * gaps in rewards. NaN means not known; a bound that needs the value is then not applicable. */
struct mk_bound_input {
    double alpha;        /* the parameter of MaxUCB, >= 0 */
    double L, U;         /* L of the optimal arm and U of arm i, >= 0; +infinity is allowed */
    double gap;          /* Delta_i(T) >= 0 */
    double gap_endpoint; /* Delta^b_i; `endpoint` is not applicable if it is negative */
    uint64_t horizon;    /* T >= 1, up to 10^12 and beyond */
    double certified;    /* the bound of `maxk certify`, for `crossing`, which is not applicable if this is 0 */
};

/* A bound. */
struct mk_bound {
    double gap;   /* the gap that was used, in rewards */
    double p;     /* the exponent p; NaN if the bound is not applicable */
    double value; /* the bound in pulls, which may exceed T; NaN if it is not applicable */
    enum mk_bound_regime regime;
};

/* Computes a bound. This takes up to a few milliseconds for `sum` and `endpoint`, and constant time for the others. */
struct mk_bound mk_bound_evaluate(enum mk_bound_variant v, const struct mk_bound_input *in);

/* Ranges of L and U, such as confidence intervals; low <= high. NaN: not applicable. */
struct mk_bound_span {
    double L_low, L_high, U_low, U_high;
};

/* Stores the smallest and the largest value of a bound over all L and U in the given ranges; in->L and in->U are not
 * used. All bounds increase with U. `sum` and `endpoint` decrease with L. The first term of `printed` and `figure_e5`
 * has a minimum at p = 1 - 1/log T, and tends to +infinity and -infinity on the two sides of p = 1. If the range of p
 * contains 1, the results are therefore -infinity and +infinity. */
void mk_bound_range(enum mk_bound_variant v, const struct mk_bound_input *in, const struct mk_bound_span *span,
                    double *low, double *high);

/* Stores the 95 % confidence interval of a mean with standard error se from n values, by Student's t with n - 1
 * degrees of freedom. Both ends are NaN if n < 2 or se is NaN. */
void mk_mean_interval(double mean, double se, uint64_t n, double *low, double *high);

/* Compares an upper bound with the confidence interval [low, high] of what was observed. most is the largest value
 * that the quantity can have at all, such as T for a number of pulls. The first line that applies is the verdict:
 *
 *   not-applicable  The bound is NaN.
 *   vacuous         bound >= most.
 *   violated        bound < low.
 *   holds           bound >= high.
 *   inconclusive    The bound lies in the interval, or there is no interval. */
enum mk_verdict mk_bound_verdict(double bound, double most, double low, double high);

/* Compares a bound that is only known to lie in [bound_low, bound_high]. The verdict is the one that every value in
 * this range gives; it is also holds if bound_low gives holds and larger values give vacuous. Otherwise it is
 * inconclusive. */
enum mk_verdict mk_bound_verdict_between(double bound_low, double bound_high, double most, double low, double high);

/* ---- Proposition 4.1 ---- */

/* What Proposition 4.1 of Balef et al. 2025 (equation 7) is checked with, for one policy at one horizon. It says for
 * non-negative bounded rewards that R(T) <= (max_k b_k / T) sum_{i != i*} N_i(T). All rewards are in one unit. */
struct mk_regret_input {
    double expected_max;              /* E[M(T)] of the optimal arm */
    double mean_max, se_max;          /* mean of the largest reward of the policy, and its standard error */
    double optimal_pulls, se_optimal; /* mean of N_{i*}(T) and its standard error; the other arms have T - N_{i*}(T) */
    double support_low, support_high; /* the smallest lower and the largest upper end point of the arms */
    uint64_t horizon, replications;
};

/* Both sides of the inequality with their 95 % confidence intervals, in rewards. */
struct mk_regret_check {
    double regret, regret_low, regret_high; /* R(T) = max_k E[M_k(T)] - mean_max */
    double bound, bound_low, bound_high;    /* the right-hand side, from the mean pulls of the other arms */
    enum mk_verdict verdict;                /* violated and holds only if the two intervals are disjoint */
};

/* Checks the inequality. */
void mk_regret_check(const struct mk_regret_input *in, struct mk_regret_check *out);

#ifdef __cplusplus
}
#endif
#endif
