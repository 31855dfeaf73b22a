/* Pulls of an arm of three or more by its walk with one other arm: Theorem 16 of the paper, analysis/theory/paper.
 * Notation: certificate.h.
 *
 * THEOREM 16 (Pairs of arms). Let i and b be two of K >= 2 arms, D(t) the pulls of all others before round t, and D the
 * number of them in all T rounds. Let d >= K - 2 be a whole number, q >= P(D > d), theta(n_1, n_2) as in Theorem 6 for
 * the arms i and b, but the largest value of B(t, n_1) - B(t, n_2) for
 *
 *     n_1 + n_2 + K - 1 <= t <= min(n_1 + n_2 + d + 1, T),
 *
 * and N^(T') the value of the walk in favour of arm i for T' rounds with this theta, or at least that. Then
 *
 *     P(N_i(T) > m) <= P(N^(T - K + 2) > m) + q,
 *
 * and if N^ is that of the walk in favour of arm b, and T - d >= 2,
 *
 *     P(N_i(T) > m) >= 1 - P(N^(T - d) > T - d - 1 - m) - q.
 *
 * q is the sum of bounds of P(N_l(T) > d_l) by Theorem 1, d = sum of d_l over the other arms; with d = T - 2, q = 0. */
#ifndef MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFICATE_PAIR_H
#define MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFICATE_PAIR_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/theory/certificates/certificate_race.h"

/* Whether the theorem applies, and Theorem 1: rewards are not scaled, the bonus does not fall with the round, T >= K +
 * 2. */
bool mk_pair_applies(const struct mk_race *race);

/* The tails of all arms by Theorem 1 that all sides of a race share, [arms]. rank: all arms in descending order of
 * their maxima. Uses all threads. Errors: MK_ENOMEM. */
struct mk_upper_tail;
int mk_pair_tails_new(struct mk_upper_tail **out, const struct mk_race *race, const size_t *rank, struct mk_error *err);
void mk_pair_tails_free(struct mk_upper_tail *tail, size_t arms);

/* Narrows the bounds of P(N_arm(T) > m) in s, which may be none, and of E[N_arm(T)], s->mean, by the walks of the arm
 * with the first one in `rank` (or the second one, of the first) for several d and q: of those from which rough walks
 * promise something. From above the tail holds from every m on, from below it is at least tail[k] for m <= m[k].
 * Deterministic; one thread. Errors: MK_ENOMEM. */
int mk_pair_narrow(struct mk_certified_side *s, const struct mk_race *race, size_t arm, enum mk_side side,
                   const size_t *rank, const struct mk_upper_tail *tail, double refinement, struct mk_error *err);

/* Replaces the tail of a side by the better one of two at every m, with the semantics above; the mean and the rest stay
 * as they are. Errors: MK_ENOMEM. */
int mk_tails_join(struct mk_certified_side *s, const struct mk_certified_side *other, enum mk_side side,
                  struct mk_error *err);

/* The bound of E[N_i(T)] that a tail gives; no arm has more than `most` pulls. */
double mk_tail_mean(const struct mk_certified_side *s, enum mk_side side, uint64_t most);

#endif
