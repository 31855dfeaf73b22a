/* A lower bound on the pulls of an arm that holds for every policy. Proof: the paper, analysis/theory/paper.
 *
 * THEOREM 12 (Every policy). Let nu be independent arms with the distributions F_1 … F_K, and nu' the same with F'
 * in the place of F_i; let d = KL(F_i, F') be finite and 0 <= m < T. Of any policy that does not know which of the two
 * it plays, let n = E_nu[N_i(T)] and q = P_nu'(N_i(T) <= m), the probability of a lock-out. Then n >= n*, the solution
 * of
 *
 *     n* d = kl(1 - n* / (m + 1), q),   0 <= n* <= (m + 1) (1 - q),   kl(p, q) = p log(p/q) + (1-p) log((1-p)/(1-q)).
 */
#ifndef MAXK_ANALYSIS_THEORY_EVERY_POLICY_H
#define MAXK_ANALYSIS_THEORY_EVERY_POLICY_H

#include <stdint.h>

#include "analysis/theory/certificates/first_passage.h"

/* n*, rounded down by a relative 1e-9: pulls. It falls in `divergence` (d >= 0, +inf allowed) and in `lock_out` (q, 0
 * to 1), so that upper bounds of these give a lower bound. rarely: m. */
double mk_every_policy_pulls(double divergence, double lock_out, uint64_t rarely);

/* An arm that MaxUCB, with the bonus (alpha log(t + shift)^power / n)^2 and unscaled rewards, seldom pulls. */
struct mk_seldom_pulled {
    const struct mk_known_cdf *arm;
    double own_end, L;      /* b_i of the arm; any L > 0, well chosen where G(b_i - eps) >= L eps */
    double end;             /* largest end point b of the other arms, above b_i */
    uint64_t arms, horizon; /* K >= 2, T > K */
    double alpha, power, shift;
};

/* What every policy needs that locks the arm out no more often than is proved here of MaxUCB: n* of (a) for the
 * alternatives (b) of Theorem 12, F^(g) = (F + L (D + g) U) / (1 + L (D + g)) with U uniform on [b_i, b + g], D = b -
 * b_i, for g on a grid of multiples of D, the largest of these. The lock-outs under F^(g) are bounded as in Theorem 1:
 * at least one other arm has more than m' = ceil((T - m) / (K - 1)) - 1 pulls, m = (T - 1) / 2, and that has at most
 * the probability of a sum over s of F^(g)(b + h_m'(s))^s. 0 where that proves nothing. */
double mk_every_policy_as_max_ucb(const struct mk_seldom_pulled *in);

#endif
