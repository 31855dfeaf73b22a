/* An explicit bound on the pulls of MaxUCB, with all constants: the union bound inside Theorem 1 of certificate.h,
 * summed. Proof: the paper, analysis/theory/paper.
 *
 * THEOREM 8 (Explicit bound). Let arm j have an upper end point b_j, Delta = b_j - b_i > 0, and L > 0 such that
 * G_j(b_j - eps) >= L eps for all eps in (0, b_j - a_j), where a_j is its lower end point (Lemma 3.3 of Balef et al.
 * 2025). For T >= K >= 2 and every integer n, 1 <= n < T, with delta = Delta - (alpha log T / n)^2 > 0,
 *
 *     E[N_i(T)] <= n + B (integral of u^-q du from n + 1 to T) + e^(-L delta n) / (1 - e^(-L delta))^2,
 *     q = 2 L alpha sqrt(delta),    B = 1 + (1 + sqrt(pi/2 q log T)) / (L delta).
 *
 * It holds for every alpha >= 0 and every q; nothing is assumed of arm i but its upper end point, and nothing of the
 * other arms. */
#ifndef MAXK_ANALYSIS_THEORY_EXPLICIT_BOUND_H
#define MAXK_ANALYSIS_THEORY_EXPLICIT_BOUND_H

#include <stdint.h>

/* The smallest value over integers n of a geometric grid up to T, with 2 % between neighbours; at most T. L > 0, +inf
 * allowed; gap: Delta, NaN or <= 0: T. Decreases with L. */
double mk_explicit_bound(double alpha, double L, double gap, uint64_t horizon);

#endif
