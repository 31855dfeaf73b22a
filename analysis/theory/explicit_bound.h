/* An explicit bound on the pulls of MaxUCB, with all constants: the union bound inside Theorem 1 of certificate.h,
 * summed.
 *
 * THEOREM. Let arm j have an upper end point b_j, Delta = b_j - b_i > 0, and L > 0 such that G_j(b_j - eps) >= L eps
 * for all eps in (0, b_j - a_j), where a_j is its lower end point (Lemma 3.3 of Balef et al. 2025). For T >= K >= 2 and
 * every integer n >= 1 with delta = Delta - (alpha log T / n)^2 > 0,
 *
 *     E[N_i(T)] <= n + B (integral of u^-q du from n + 1 to T) + e^(-L delta n) / (1 - e^(-L delta))^2,
 *     q = 2 L alpha sqrt(delta),    B = 1 + (1 + sqrt(pi/2 q log T)) / (L delta).
 *
 * It holds for every alpha >= 0 and every q; nothing is assumed of arm i but its upper end point, and nothing of the
 * other arms. For n = C log T with C > alpha / sqrt(Delta) it is O(log T) where q > 1 and O(T^(1-q) sqrt(log T)) where
 * q < 1, and q comes near p = 2 L alpha sqrt(Delta), the exponent of Theorem 4.2, as C grows: without that theorem's
 * sqrt(U T) and without its union over the numbers of pulls, which is taken here.
 *
 * Proof. E[N_i(T)] = sum_{m>=0} P(N_i(T) > m) <= n + sum_{m=n}^{T-K} P(N_i(T) > m). Let m >= n. By the lemma of
 * certificate.h and M_i(m) <= b_i, N_i(T) > m implies M_j(s) <= b_i + h_m(s) for some s in 1 … T - m - K + 1, hence
 * P(N_i(T) > m) <= sum_s F_j(b_i + h_m(s))^s.
 *
 * Since 1 - L eps <= e^(-L eps), F_j(b_j - eps) <= e^(-L eps) for eps > 0; for eps >= b_j - a_j too, where F_j is 0 or,
 * at a_j itself, the limit from above. With c_T / m^2 <= c_T / n^2 = Delta - delta, c_T = (alpha log T)^2:
 *     s >= m:  h_m(s) <= c_T / m^2, so b_i + h_m(s) <= b_j - delta, and F_j(…)^s <= e^(-L s delta);
 *     s < m:   the bonus in h_m(s) is that of round s + m + K - 1, between m + 2 and T. Its part with 1/m^2 is at most
 *              c_T / m^2, its part with 1/s^2 at least a^2 / s^2, a = alpha log(m + 2). So b_i + h_m(s) <= b_j - delta
 *              - a^2 / s^2, and F_j(…)^s <= e^(-L (s delta + a^2 / s)).
 * (For K = 2 the bonus at s >= m is smaller than c_T, which only helps.)
 *
 * s >= m: the sum over s is e^(-L delta m) / (1 - e^(-L delta)), that over m >= n of it the last term of the theorem.
 *
 * s < m: f(s) = e^(-L (s delta + a^2 / s)) rises up to s = a / sqrt(delta) and falls from there on, so that its sum
 * over integers is at most its maximum e^-z, z = 2 L a sqrt(delta) = q log(m + 2), plus its integral over (0, inf),
 * which is (z / (L delta)) K_1(z) (Gradshteyn and Ryzhik 3.471.9). Now z K_1(z) <= (1 + sqrt(pi z / 2)) e^-z: the first
 * two terms of the asymptotic series, K_1(z) <= sqrt(pi / (2 z)) e^-z (1 + 3 / (8 z)), are an upper bound since the
 * third is negative (DLMF 10.40(ii)), which gives it for z >= .25, where 3/8 sqrt(pi / (2 z)) <= 1; for z < .25, z
 * K_1(z) <= 1 and log(1 + sqrt(pi z / 2)) >= z, being concave, 0 at 0 and .48 at .25. With z <= q log T inside the
 * root, the sum over s is at most (m + 2)^-q B, and sum_{m=n}^{T-K} (m + 2)^-q is at most the integral from n + 1 to T.
 * QED. */
#ifndef MAXK_ANALYSIS_THEORY_EXPLICIT_BOUND_H
#define MAXK_ANALYSIS_THEORY_EXPLICIT_BOUND_H

#include <stdint.h>

/* The smallest value over integers n of a geometric grid up to T, with 2 % between neighbours; at most T. L > 0, +inf
 * allowed; gap: Delta, NaN or <= 0: T. Decreases with L. */
double mk_explicit_bound(double alpha, double L, double gap, uint64_t horizon);

#endif
