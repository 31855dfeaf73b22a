/* A lower bound of P(N_i(T) > m) by a path that the maxima of arm i stay above: Theorem 17 of the paper,
 * analysis/theory/paper. Notation: certificate.h.
 *
 * THEOREM 17 (Paths). Assume (B3), and (B1) for the computation. Let m >= 1, m + K <= T' <= T, x(1) … x(m) real
 * numbers,
 *
 *     g(s) = min over r <= m with r + s + K - 1 <= T' of
 *            x(r) + D_(r + s + K - 1)(r, s) if r < s,    x(r) - D_(T' - m + r)(s, r) if r >= s,
 *
 * inf if there is no such r, and s_j the smallest s with M_j(s) < g(s), inf if there is none. If M_i(r) >= x(r) for
 * all r <= m, and the sum of the s_j, j != i, is at most T' - 1 - m, then N_i(T) > m. The two events are independent.
 * Let S_e and H_e be the probabilities of both for several choices e of T' and x. Then
 *
 *     P(N_i(T) > m) >= the area of the union of the rectangles [0, S_e] x [0, H_e]. */
#ifndef MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFICATE_PATH_H
#define MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFICATE_PATH_H

#include "analysis/theory/certificates/certificate_parts.h"

/* Work space of one thread. */
struct mk_path_work;

/* For one arm of one race. Errors: MK_ENOMEM. */
int mk_path_work_new(struct mk_path_work **out, const struct mk_race *race, struct mk_error *err);
void mk_path_work_free(struct mk_path_work *w);

/* Whether the theorem is used: rewards are not scaled, and arms do not move. */
bool mk_path_applies(const struct mk_race *race);

/* The bound, from below. */
double mk_path_probability(struct mk_path_work *w, const struct mk_underdog *u);

#endif
