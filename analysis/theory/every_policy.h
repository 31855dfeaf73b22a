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

/* n*, rounded down by a relative 1e-9: pulls. It falls in `divergence` (d >= 0, +inf allowed) and in `lock_out` (q, 0
 * to 1), so that upper bounds of these give a lower bound. rarely: m. */
double mk_every_policy_pulls(double divergence, double lock_out, uint64_t rarely);

#endif
