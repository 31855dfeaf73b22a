/* A certified bound on the regret of MaxUCB, from the certified tails of its pulls (certificate.h). Proof, and how
 * counts and cells are chosen: the paper, analysis/theory/paper.
 *
 * THEOREM 7 (Regret). Let b be the arm with the largest E[M_k(T)], F its distribution function, and n_1, n_2, … >= 1
 * counts with P(N_b(T) < n_l) <= q_l. Then, if these means exist, that of b is finite, and so is E|X_b|,
 *
 *     R(T) = E[M_b(T)] - E[max_k M_k(N_k(T))] <= integral of H(x) - F(x)^T dx,
 *     H(x) = min(F(x), min over l of F(x)^(n_l) + min(q_l, sum_{k != b} F_k(x)^(s_l))),
 *
 * s_l = (T - n_l + 1) / (K - 1), rounded up. Numbers of pulls may depend on the rewards in any way.
 *
 * Theorem 9: for moving arms powers of distribution functions are products of those of the pulls. For any arm b, F_b^n
 * may be multiplied by the F_k^(e_k) of the arms k != b, which have e_k <= N_k(T) pulls. With V = max_k M_k(N_k(T)),
 *
 *     P(V <= x) >= (product over all k of P(M_k(m_k) <= x)) - q if N_b(T) <= m_b and
 *                                                               P(N_k(T) > m_k for some k != b) <= q,
 *     P(V > x) <= sum_k E[N_k(T)] (1 - F_k(x)) for arms that do not move.
 *
 * Two arms whose certificate has bounds of the mean of the largest reward (Theorem 10, certificate_walk.h) have their
 * difference from E[M_b(T)] as bounds from both sides; the smaller upper one is used. */
#ifndef MAXK_ANALYSIS_THEORY_CERTIFIED_REGRET_H
#define MAXK_ANALYSIS_THEORY_CERTIFIED_REGRET_H

#include "analysis/theory/certificate.h"

struct mk_certified_regret {
    double regret;       /* R(T) is at most this */
    double regret_lower; /* and at least this */
    /* E[the largest reward of all T rounds] is within these */
    double maximum_lower, maximum_upper;
    double pulls; /* E[T - N_b(T)], the pulls of the arms other than b, is at most this; always finite */
    double
        proposition_4_1; /* what Proposition 4.1 of Balef et al. 2025 makes of the certified pulls: (largest upper end
                            point / T) times their sum over the arms other than b; NaN unless 0 <= rewards < inf */
};

#define MK_NO_REGRET ((struct mk_certified_regret){NAN, NAN, NAN, NAN, NAN, NAN})

/* The regret that follows from the certificate of the arms for the horizon; all or none of them move, and `burnt` of
 * all is 0: what a burn-in has pulled is in the certificate. Values are NaN where an infinite mean, a band
 * around a distribution function or an unbounded side of moving arms leaves the theorems without one, and where T < K.
 * Errors: MK_ENOMEM, MK_ENUM (a quadrature failed). */
int mk_certified_regret(struct mk_certified_regret *out, const struct mk_certificate *c, const struct mk_known_cdf *arm,
                        uint64_t horizon, struct mk_error *err);

#endif
