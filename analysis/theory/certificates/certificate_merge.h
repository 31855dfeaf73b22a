/* Pulls of any number of arms under a bonus that does not depend on the round, from both sides: Theorem 13 of the
 * paper, analysis/theory/paper. Notation: certificate.h.
 *
 * THEOREM 13 (Bonus without rounds). Let B(t, n) = w(n), I_j(s) = M_j(s) + w(s), Z = min over s <= m of I_i(s), and
 *
 *     sigma_j(z) = the smallest s with I_j(s) <= z (inf: none),  sigma'_j(z) = the smallest s with I_j(s) < z.
 *
 * For every m >= 1 and any way of breaking ties
 *
 *     if sum_{j != i} sigma'_j(Z) <= T - 1 - m then N_i(T) > m;  if N_i(T) > m then sum_{j != i} sigma_j(Z) <= T - 1 -
 * m.
 *
 * Let z_1 < … < z_L, S_l = P(Z > z_l) and H_l = P(sum_{j != i} sigma_j(z_l) <= T - 1 - m). Then
 *
 *     P(N_i(T) > m) <= H_1 + sum_{l <= L} S_l (H_(l+1) - H_l) with H_(L+1) = 1,
 *     P(N_i(T) > m) >= S_1 H_1 + sum_{1 < l <= L} S_l (H_l - H_(l-1)),
 *
 * for moving arms as well. P(Z > z) = P(sigma_i(z) > m), and the probabilities of sigma_j are those of first passages.
 *
 * THEOREM 15 (Largest reward of any number of arms). Let inf = z_(L+1) > z_L > … > z_0 = -inf and the arms be ordered
 * such that F_1(x) >= F_2(x) >= … . With sigma'_j(inf) = 1 and V the largest reward of the T rounds,
 *
 *     P(V <= x) <= sum_{l=1}^{L+1} sum_i sum_m P(sum_{j<i} sigma'_j(z_(l-1)) + sum_{j>i} sigma'_j(z_l) = T - m,
 *                                                sigma'_i(z_l) <= m < sigma'_i(z_(l-1)), and all of these rewards are
 * <= x),
 *
 * and >= holds if F_1(x) <= F_2(x) <= … . */
#ifndef MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFICATE_MERGE_H
#define MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFICATE_MERGE_H

#include <stdbool.h>

#include "analysis/theory/certificates/certificate_race.h"

/* Whether the theorem applies: rewards are not scaled, and B(t, n) is the same for all t >= 2. With (B2) and (B3) it is
 * if B(T, 1) = B(2, 1): B(t, 1) - B(t, n) does not decrease in t, so that B(t, n) does not increase. */
bool mk_merge_applies(const struct mk_race *race);

/* E[N_arm(T)] is at most, or at least, out->mean; from above with the tail. Grids of counts and of z are refined until
 * the mean changes by less than half of `refinement`, or until the cost reaches a limit (about a second at 0.02) that
 * grows with the inverse of refinement. out->refinement: the relative change of the mean by the last refinement.
 * Deterministic; one thread. Errors: MK_ENOMEM. */
int mk_merge_side(struct mk_certified_side *out, const struct mk_race *race, size_t arm, enum mk_side side,
                  double refinement, struct mk_error *err);

/* out->min <= E[V] <= out->max, V being the largest reward of T rounds and of a burn-in: Theorem 15, for two arms as
 * well. NaN where the merge or mk_walk_range does not apply, or where it would cost too much: some 500 rounds of 5 arms
 * at a refinement of 0.02. Deterministic; one thread. Errors: MK_ENOMEM, MK_ENUM. */
int mk_merge_largest(struct mk_certified_maximum *out, const struct mk_race *race, double refinement,
                     struct mk_error *err);

#endif
