/* The rate of MaxUCB's pulls with power > 1 in the bonus. Notation, Theorems 1, 3 and 4: certificate.h; proofs: the
 * paper, analysis/theory/paper.
 *
 * PROPOSITION 4. For any power >= 1, alpha > 0, rewards not scaled, b_i the finite upper end point of arm i, b > b_i
 * the largest of all (perhaps infinite): N_i(T) / (log T)^power -> alpha / sqrt(b - b_i) in probability; 0 for infinite
 * b.
 *
 * THEOREM 5 (Rate with a power above 1). Let power > 1 and, as in Theorem 4, c' the sum over the arms with b_j > b_i of
 *
 *     c_j = alpha inf_{x>0} x log(1 / F_j(b_i - 1/x^2)),    c' > 0.
 *
 * For every e > 0 there are m_0 and A with
 *
 *     (a) P(N_i(T) > m) <= exp(-(c' - e) (log m)^power)   for m >= max(m_0, A (log T)^power)
 *                                              (c' infinite: any number in the place of c'),
 *     (b) E[N_i(T)] / (log T)^power -> alpha / sqrt(b - b_i); 0 for infinite b. With power = 1 this holds if c' > 1.
 *
 * c' > 0 is a condition on lower tails alone, which some better arm has to meet: every arm with a finite lower end
 * point, with a Gaussian or exponential tail does, one with F_j(-y) = y^-a does not.
 *
 * The theorem says nothing about how large T has to be: where c' is small, lock-outs make up the mean for long. Of two
 * uniform arms on [0, .9] and [0, 1], alpha = .1, power = 1.5, the certified lower bound at T = 10^12 is 1.6 million
 * times the limit; with power = 2 it is 1.5 times. */
#ifndef MAXK_ANALYSIS_THEORY_THEOREM_5_H
#define MAXK_ANALYSIS_THEORY_THEOREM_5_H

#include <math.h>

/* The limit of E[N_i(T)] / (log T)^power; gap_endpoint = b - b_i > 0, perhaps infinite. */
static inline double mk_theorem_5_limit(double alpha, double gap_endpoint)
{
    return alpha / sqrt(gap_endpoint);
}

#endif
