/* The rate of MaxUCB's pulls with power > 1 in the bonus. Notation: certificate.h; proofs, and which arms have c' > 0:
 * the paper, analysis/theory/paper.
 *
 * PROPOSITION 4 (Typical runs). For any power >= 1, alpha > 0, rewards not scaled, b_i the finite upper end point of
 * arm i, b > b_i the largest of all (perhaps infinite): N_i(T) / (log T)^power -> alpha / sqrt(b - b_i) in probability;
 * 0 for infinite b.
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
 * It does not say how large T has to be: where c' is small, lock-outs make up the mean for long. */
#ifndef MAXK_ANALYSIS_THEORY_THEOREM_5_H
#define MAXK_ANALYSIS_THEORY_THEOREM_5_H

#include <math.h>

/* The limit of E[N_i(T)] / (log T)^power; gap_endpoint = b - b_i > 0, perhaps infinite. */
static inline double mk_theorem_5_limit(double alpha, double gap_endpoint)
{
    return alpha / sqrt(gap_endpoint);
}

#endif
