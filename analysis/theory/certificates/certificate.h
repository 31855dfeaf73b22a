/* Rigorous bounds on the pulls of MaxUCB: from above and below, for every alpha, horizon and family of rewards, without
 * the constants L and U, an upper end point or a gap. Theorems have the numbers of the paper "Certified bounds for
 * MaxUCB" (analysis/theory/paper, `make paper`), which has the proofs and the algorithms. Theorem 4 is stated in
 * growth.h, 5 in theorem_5.h, 6 and 10 in certificate_walk.h, 13 and 15 in certificate_merge.h, 16 in
 * certificate_pair.h, 17 in certificate_path.h, 7 in certified_regret.h, 8 in explicit_bound.h.
 *
 * NOTATION. Arms j = 1 … K have independent sequences of i.i.d. rewards with distribution functions F_j; M_j(s) is the
 * largest of the first s. Every arm is pulled once in rounds 1 … K, then in round t an arm with the largest index
 * M_j(n_j) + B(t, n_j), n_j being its pulls so far, ties broken in any way. N_i(T) is the number of pulls of arm i in T
 * rounds. The bonus of MaxUCB is B(t, n) = c_t / n^2, c_t = (alpha log(t + shift)^power)^2, power >= 1. For s < m let
 * D_t(s, m) = B(t, s) - B(t, m). The hypotheses on other bonuses are
 *
 *     (B1) B(t, n) does not increase in n,    (B2) B(t, n) does not decrease in t,
 *     (B3) D_t(s, m) does not decrease in t, for all s < m.
 *
 * LEMMA 1 (Crossing). Assume (B3). In the round of the (m+1)-th pull of arm i, m >= 1, every other arm j has a count s
 * in 1 … T - m - K + 1 with
 *
 *     M_j(s) <= M_i(m) + h_m(s),    h_m(s) = D_T(m, s) for s >= m,  -D_(s+m+K-1)(s, m) for s < m.
 *
 * With K = 2, this also holds with D_(s+m+1)(m, s) for s >= m.
 *
 * THEOREM 1 (Upper bound). Assume (B3). Let p_(j,m)(x) = P(M_j(s) <= x + h_m(s) for some s in 1 … T - m - K + 1) and
 * Pi_m(x) the product over j != i. Then
 *
 *     P(N_i(T) > m) <= E[min over r <= m of Pi_r(M_i(r))],    E[N_i(T)] <= 1 + sum_{m=1}^{T-K} of that.
 *
 * THEOREM 2 (Lower bound, lock-outs). Assume (B1), (B2) and (B3). For every rival k != i choose a window 1 <= A_k <=
 * S_k of counts and an offset o_k >= 0, n = sum S_k <= T - m - 1. With t(r) = r + n + 1,
 *
 *     phi_k(r) = o_k + B(t(m), S_k) - B(t(r), S_k) + (B(t(r), r) if r >= S_k, else B(r + A_k + K - 1, r)),
 *     Z = min over r <= m of M_i(r) + min_k phi_k(r):
 *
 * if for every k there is s_k in A_k … S_k with M_k(s_k) < Z - o_k - B(t(m), s_k), then N_i(T) >= m + 1. Hence
 *
 *     P(N_i(T) > m) >= E[prod_k P(there is such an s_k, at the level Z)].
 *
 * THEOREM 3 (Lower bound, typical runs). Assume (B1) and (B3). Choose y_k and S_k >= 1 for every rival k != i such that
 * T_0 = T - m - sum (S_k + 1) >= K. If
 *
 *     M_k(T) <= y_k for all k, and for every r <= m and every k
 *     M_i(r) > y_k - D_(T_0+1)(r, S_k) if r < S_k,  > y_k + D_T(S_k, r) if r >= S_k,
 *
 * then N_i(T) >= m + 1.
 *
 * SCALED REWARDS (Propositions 7 and 8). R_t B(t, n) takes the place of B(t, n), with R_t as in enum mk_race_scale.
 * Lemma 1 then holds with R+ D_T(m, s) for s >= m and -R- D_(s+m+K-1)(s, m) for s < m if R_t is within R- … R+; so does
 * Theorem 3 with factors of this kind. Events in which R_t is outside are excluded: their probabilities are added to
 * upper bounds and subtracted from lower ones (certificate_parts.h).
 *
 * THEOREM 9 (Moving arms). Theorems 1 to 3 and Propositions 1 to 3, 7 and 8 hold for rewards that are independent but
 * not identically distributed, with P(M_j(s) <= y) = the product of the distribution functions of the first s pulls; so
 * do Theorems 6 and 7 and Proposition 9 with such products. Theorem 2 is not used. After a burn-in the first pull of an
 * arm in these statements is the one that follows it (mk_known_cdf). */
#ifndef MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFICATE_H
#define MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFICATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/theory/certificates/certificate_race.h"

enum { MK_CERTIFIED_QUANTILES = 3 };
extern const double mk_certified_levels[MK_CERTIFIED_QUANTILES]; /* .5 .9 .99 */

struct mk_certified_arm {
    double lower, upper; /* lower <= E[N_i(T)] <= upper */
    enum mk_certified_by lower_by, upper_by;
    /* Relative decrease of `upper` by the last refinement of the grids, 0 where both agree; on the shared grid by every
     * other point; of the walk an estimate of the decrease by another one; of Theorem 16 that of Theorem 1. It bounds
     * neither the distance from the limit of fine grids nor that from E[N_i(T)]. */
    double refinement;
    double lock_out;                           /* P(N_i(T) > T/2) is at most this */
    uint64_t quantile[MK_CERTIFIED_QUANTILES]; /* the quantiles of N_i(T) are at most these */
    uint64_t min, max;                         /* N_i(T) is never outside of these */
    size_t n;                                  /* P(N_i(T) > m) <= tail[k] for m >= m[k] */
    uint64_t *m;                               /* [n] ascending */
    double *tail;                              /* [n] */
};

struct mk_certificate {
    size_t arms;
    struct mk_certified_arm *arm; /* [arms] */
    /* maximum_lower <= E[the largest reward of all T rounds] <= maximum_upper, of two arms that do not move, of more
     * under a bonus that is the same in all rounds (mk_merge_largest), or of any number that leave nothing to chance;
     * NaN: not known */
    double maximum_lower, maximum_upper;
    enum mk_certified_by maximum_by; /* gives both, where they are known */
};

/* What is requested: both sides, or the upper bounds alone (lower is then 1, the first pull), or these on a grid of m
 * that depends on T, K and the refinement alone, for comparisons of races that differ in alpha and power: to the
 * difference of two bounds the grids of M_i(m) and of the barriers then contribute a few per cent of a tail. */
enum mk_certified_sides { MK_CERTIFIED_BAND, MK_CERTIFIED_UPPER, MK_CERTIFIED_SHARED };

/* Grids are refined until `refinement` is at most this (relative; > 0). Cost: some seconds for K = 5 at T = 10^12 and
 * 0.02, growing as K^2, a power of log T and the inverse square of the refinement. Uses all threads; the result does
 * not depend on their number. All errors of grids and of rounding are on the safe side. Where mk_walk_applies, the
 * smaller upper bounds of Theorems 1 and 6 are used (but for MK_CERTIFIED_SHARED), and the mean of the largest reward
 * is known. Of three arms or more where mk_merge_applies, Theorem 13 gives both sides unless others are narrower; where
 * it does not, Theorem 16 narrows both sides, and Theorem 17 the lower one. Errors: MK_ENOMEM. certificate_store.h
 * computes many at once, and keeps them. */
int mk_certificate_new(struct mk_certificate **out, const struct mk_race *race, enum mk_certified_sides sides,
                       double refinement, struct mk_error *err);

/* What all sides of a race share: bounds for Theorem 16 (mk_pair_tails_new), NULL where it is not used. */
struct mk_upper_tail;
int mk_certified_tails_new(struct mk_upper_tail **out, const struct mk_race *race, struct mk_error *err);

/* tails: of the race; shared: from above, the shared grid. */
int mk_certified_side_new(struct mk_certified_side *out, const struct mk_race *race, const struct mk_upper_tail *tails,
                          size_t arm, enum mk_side side, bool shared, double refinement, struct mk_error *err);

/* The certificate of sides [arms]; NULL for a side of an arm of which only 1 <= N_i(T) <= T - K + 1 is to be used. */
int mk_certificate_join(struct mk_certificate **out, const struct mk_race *race,
                        const struct mk_certified_side *const *above, const struct mk_certified_side *const *below,
                        struct mk_error *err);

/* Whether no arm leaves anything to chance (mk_moving), and T K <= 2^24. */
bool mk_race_is_certain(const struct mk_race *race);

/* The certificate of such a race, by playing it; the maximum is that of all rewards. MK_OK and *out NULL: it is no such
 * race, or indices tie up to their rounding, or it is not certain whether R_t is positive. */
int mk_certificate_play(struct mk_certificate **out, const struct mk_race *race, struct mk_error *err);

/* The certificate of counts that are certain. */
int mk_certificate_certain(struct mk_certificate **out, size_t arms, const uint64_t *pulls, uint64_t horizon,
                           struct mk_error *err);

/* Every arm has `pulls` more, in addition to the race: T is then horizon. */
void mk_certificate_add(struct mk_certificate *c, uint64_t pulls, uint64_t horizon);

/* P(N_i(T) > m) is at most this. */
double mk_certified_tail(const struct mk_certified_arm *arm, uint64_t m);
void mk_certificate_free(struct mk_certificate *c);

#endif
