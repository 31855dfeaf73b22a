/* The rate of MaxUCB's pulls with power > 1 in the bonus. Notation and Theorems 1, 3 and 4: certificate.h.
 *
 * THEOREM 5. Let power > 1, alpha > 0, rewards not scaled, b_i the finite upper end point of arm i, b the largest of
 * all upper end points, b > b_i (b may be infinite), and, as in Theorem 4, c' the sum over the arms with b_j > b_i of
 *
 *     c_j = alpha inf_{x>0} x log(1 / F_j(b_i - 1/x^2)).
 *
 * Let c' > 0. Then for every e > 0 there are m_0 and A that depend on the arms, alpha, power, shift and e alone, with
 *
 *     (a) P(N_i(T) > m) <= exp(-(c' - e) (log m)^power)   for m >= max(m_0, A (log T)^power)
 *                                              (c' infinite: any number in the place of c'),
 *     (b) E[N_i(T)] = O((log T)^power), and E[N_i(T)] / (log T)^power -> alpha / sqrt(b - b_i); 0 for infinite b.
 *
 * c' > 0 is a condition on lower tails alone, which some better arm has to meet. Where F_j(b_i) < 1, the infimum is
 * positive over x >= any x_0 > 0; near x = 0, with y = 1/x^2, it is positive if log(1 / F_j(-y)) >= const sqrt(y) for
 * large y: so for every arm with a finite lower end point, for Gaussian and exponential tails. It is 0 for a tail like
 * F_j(-y) = y^-a: a first reward of arm j below b_i - c_m, of probability (log m)^(-2 a power), locks it out, and no
 * power of the logarithm makes that rarer than a power of m. With power = 1, (b) holds if c' > 1.
 *
 * The theorem says nothing about how large T has to be: where c' is small, lock-outs make up the mean for long. Of two
 * uniform arms on [0, .9] and [0, 1], alpha = .1, power = 1.5, the certified lower bound at T = 10^12 is 1.5 million
 * times the limit; with power = 2 it is 1.5 times.
 *
 * Proof of (a). That of Theorem 4 (a) with L = (log m)^power in the place of log m. By Theorem 1 the probability is at
 * most the product of p_(j,m)(b_i) over the arms with b_j > b_i, and p_(j,m)(b_i) <= sum_s F_j(b_i + h_m(s))^s. For m
 * >= A (log T)^power, A and m_0 large, c_T / m^2 <= d with any d > 0 wanted; d so small that q = F_j(b_i + d) < 1 (F_j
 * is continuous from the right, b_j > b_i). Since h_m(s) <= d, the terms with s >= B L add up to at most q^(B L) / (1 -
 * q), below exp(-c_j L) / (1 - q) for a large B (c_j infinite: any number instead, here and below). For the other ones,
 * s = x alpha L < m, s + K - 1 + shift >= 0, so that alpha^2 L^2 <= c_(s+m+K-1) <= c_T and h_m(s) <= -1/x^2 + d. With x
 * <= X = B / alpha, d X^2 < 1 and 1/y^2 = 1/x^2 - d the term is exp(-alpha L v),
 *
 *     v = x log(1 / F_j(b_i - 1/y^2)) = (x / y) y log(1 / F_j(b_i - 1/y^2)) >= sqrt(1 - d X^2) c_j / alpha.
 *
 * Hence p_(j,m)(b_i) <= (B L + 1 / (1 - q)) exp(-sqrt(1 - d X^2) c_j L), and B and X stay large enough when d is made
 * smaller. The factor before the exponential is below exp(e' L) for any e' > 0 and large m. QED.
 *
 * Proof of (b), from above. With e = c' / 2, (a) is at most m^-2 for m >= m_1, since power > 1 (power = 1, c' > 1: at
 * most m^-(1+e), e small). With n = max(m_1, A (log T)^power) therefore
 *
 *     E[N_i(T)] <= m + n P(N_i(T) > m) + 1 + sum over l of l^-2    for every m >= 1,
 *
 * which is O((log T)^power) for m = n. Let b_i < a <= b, a finite (a = b where b is), and F_j the distribution function
 * of an arm with b_j = b. Let g > 0 and m the least integer above (1 + g) alpha (log(T + shift))^power / sqrt(a - b_i).
 * Then c_T / m^2 <= d = (a - b_i) / (1 + g)^2, b_i + d < a <= b_j, q = F_j(b_i + d) < 1, and h_m(s) <= d. For every
 * fixed S, P(N_i(T) > m) <= p_(j,m)(b_i) <= sum_{s<S} F_j(b_i + h_m(s))^s + q^S / (1 - q), and h_m(s) = -c_(s+m+K-1)
 * (1/s^2 - 1/m^2) goes to -infinity with T for s < S. So P(N_i(T) > m) goes to 0, and the upper limit of E[N_i(T)] /
 * (log T)^power is at most (1 + g) alpha / sqrt(a - b_i): for every g > 0, and every a up to b.
 *
 * From below (power >= 1, b finite). Theorem 3 with y_k = b, S_k = S the least integer above (log T)^(2 power), and m
 * the largest below (1 - g) alpha (log T)^power / sqrt(b - b_i), 0 < g < 1: T_0 = T - m - (K - 1) (S + 1) >= T / 2 for
 * large T, and m < S. The condition is M_i(r) + C / r^2 > b + C / S^2 for every r <= m, C = c_(T_0+1), C / (alpha (log
 * T)^power)^2 -> 1. C / S^2 goes to 0. C / r^2 >= C / m^2 >= (1 + g) (b - b_i) for large T, as 1 / (1 - g)^2 > 1 + g.
 * Let w > 0 and r_0 with F_i(b_i - g (b - b_i) / 2)^(r_0) <= w: with probability 1 - w, M_i(r) + C / r^2 > b + g (b -
 * b_i) / 2 for all r from r_0 to m. For r < r_0 the left side is at least the first reward of arm i plus C / r_0^2,
 * which exceeds b + 1 with a probability that goes to 1. So the lower limit of P(N_i(T) > m) is at least 1 - w for
 * every w > 0, and that of E[N_i(T)] / (log T)^power at least (1 - g) alpha / sqrt(b - b_i) for every g. QED. */
#ifndef MAXK_ANALYSIS_THEORY_THEOREM_5_H
#define MAXK_ANALYSIS_THEORY_THEOREM_5_H

#include <math.h>

/* The limit of E[N_i(T)] / (log T)^power; gap_endpoint = b - b_i > 0, perhaps infinite. */
static inline double mk_theorem_5_limit(double alpha, double gap_endpoint)
{
    return alpha / sqrt(gap_endpoint);
}

#endif
