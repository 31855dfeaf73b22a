/* A certified bound on the regret of MaxUCB, from the certified tails of its pulls (certificate.h). Proof, and how
 * counts and cells are chosen: the paper, analysis/theory/paper.
 *
 * THEOREM 7 (Largest reward and regret). Let V = max_k M_k(N_k(T)), b any arm, e_k <= N_k(T), and for whole numbers
 * m_k, k != b, P(N_k(T) > m_k) <= t_k. Let S be the set of all n with n_k >= e_k and sum_k n_k = T, S_0 its part with
 * n_k <= m_k for all k != b, S_k that with n_k > m_k, and F^n = product_k F_k(x)^(n_k). Then
 *
 *     P(V <= x) <= max_(S_0) F^n + sum_{k != b} min(t_k, max_(S_k) F^n),    P(V <= x) <= max_S F^n,
 *     P(V <= x) >= product_k F_k(x)^(m_k) - sum_{k != b} t_k if N_b(T) <= m_b,    P(V <= x) >= min_S F^n,
 *     P(V > x)  <= sum_k E[N_k(T)] (1 - F_k(x)),
 *
 * whatever the policy decides by the rewards received so far. The regret is R(T) = max_k E[M_k(T)] - E[V]. All but the
 * last line hold for moving arms (Theorem 9), with products of the distribution functions of the pulls.
 *
 * Arms whose certificate has bounds of the mean of the largest reward (Theorems 10 and 15) have their
 * difference from E[M_b(T)] as bounds from both sides; the smaller upper one is used. */
#ifndef MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFIED_REGRET_H
#define MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFIED_REGRET_H

#include "analysis/theory/certificates/certificate.h"

struct mk_certified_regret {
    double regret;       /* R(T) is at most this */
    double regret_lower; /* and at least this */
    /* E[the largest reward of all T rounds] is within these */
    double maximum_lower, maximum_upper;
    /* What gives these four, where they are known. */
    enum mk_certified_by regret_by, regret_lower_by, maximum_lower_by, maximum_upper_by;
    double pulls; /* E[T - N_b(T)], the pulls of the arms other than b, is at most this; always finite */
    double
        proposition_4_1; /* what Proposition 4.1 of Balef et al. 2025 makes of the certified pulls: (largest upper end
                            point / T) times their sum over the arms other than b; NaN unless 0 <= rewards < inf */
};

#define MK_NO_REGRET                                                                                                   \
    ((struct mk_certified_regret){.regret = NAN,                                                                       \
                                  .regret_lower = NAN,                                                                 \
                                  .maximum_lower = NAN,                                                                \
                                  .maximum_upper = NAN,                                                                \
                                  .pulls = NAN,                                                                        \
                                  .proposition_4_1 = NAN})

/* The regret that follows from the certificate of the arms for the horizon; all or none of them move, and `burnt` of
 * all is 0: what a burn-in has pulled is in the certificate. Values are NaN where an infinite mean, a band
 * around a distribution function or an unbounded side of moving arms leaves the theorems without one, and where T < K.
 * Errors: MK_ENOMEM, MK_ENUM (a quadrature failed). */
int mk_certified_regret(struct mk_certified_regret *out, const struct mk_certificate *c, const struct mk_known_cdf *arm,
                        uint64_t horizon, struct mk_error *err);

/* The regret of arms that do not move and are known exactly, from bounds of the mean of the largest reward however
 * these are known: sets regret, regret_lower, maximum_lower and maximum_upper, and nothing else, not what gives them.
 * NaN: not known. */
int mk_regret_of_maximum(struct mk_certified_regret *out, double lower, double upper, const struct mk_known_cdf *arm,
                         size_t arms, uint64_t horizon, struct mk_error *err);

#endif
