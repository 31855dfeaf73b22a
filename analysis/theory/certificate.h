/* Rigorous bounds on the pulls of MaxUCB: from above and below, for every alpha, horizon and family of rewards, without
 * the constants L and U, an upper end point or a gap. Statements; the proofs are in the paper "Certified bounds for
 * MaxUCB" (analysis/theory/paper, `make paper`), whose numbers these are.
 *
 * Arms j = 1 … K have independent sequences of i.i.d. rewards with distribution functions F_j; M_j(s) is the largest of
 * the first s. Every arm is pulled once in rounds 1 … K, then the one with the largest index M_j(n_j) + B(t, n_j),
 * ties broken in any way. N_i(T) is the number of pulls of arm i in T rounds. The bonus B meets the hypotheses of
 * section 9; that of MaxUCB is B(t, n) = c_t / n^2, c_t = (alpha log(t + shift)^power)^2, power >= 1. For s < m let
 * D_t(s, m) = B(t, s) - B(t, m).
 *
 * 1. LEMMA 1. In the round of the (m+1)-th pull of arm i, m >= 1, every other arm j has a count s in 1 … T - m - K + 1
 * with
 *
 *     M_j(s) <= M_i(m) + h_m(s),    h_m(s) = D_T(m, s) for s >= m,  -D_(s+m+K-1)(s, m) for s < m:
 *
 * the K - 2 other arms have one pull each, so that this round is at least s + m + K - 1. With K = 2 it is s + m + 1,
 * which then replaces T.
 *
 * 2. THEOREM 1 (Upper bound). Let p_(j,m)(x) = P(there is such an s with M_j(s) <= x + h_m(s)) and Pi_m(x) the product
 * over j != i. Then
 *
 *     P(N_i(T) > m) <= E[min over r <= m of Pi_r(M_i(r))],    E[N_i(T)] <= 1 + sum_{m=1}^{T-K} of that.
 *
 * Where h_m does not decrease in s, p is a first passage below a rising barrier (first_passage.h): for s >= m, and,
 * with c_t / n^2, from any s on with power <= (2 + 1/s) log(2 s + 1), which is all s for power <= 3 log 3 (Proposition
 * 1); elsewhere its running maximum serves. Arms that are not higher than i matter early, the higher ones late: with
 * any set H of arms (Proposition 2 (a))
 *
 *     P(N_i(T) > m) <= max_x prod_{j in H} p_(j,m)(x) E[min over r <= m of prod_{j not in H} p_(j,r)(M_i(r))].
 *
 * 3. THE CLOCK (Proposition 2). All arms share the round t, and t - 1 = m + sum of their counts. Let sigma_j be the
 * first s at which arm j passes; its count is at least that.
 * (a) Either sum_j sigma_j <= tau, or t >= tau + m + 2, so that h_m may use the round max(s + m + K - 1, tau + m + 2):
 *     Pi_m(x) may be replaced by P(sum sigma_j <= tau) + prod p'_j. Also sum sigma_j <= T - 1 - m.
 * (b) For a set A of arms, whose sum of sigma_j is S, every other arm has t >= s + m + 1 + S + (K - 2 - |A|). S is
 *     independent of the other arms, so Pi_m(x) may be replaced by E[1{S finite} prod_{j not in A} p_j given S].
 *
 * 4. GRIDS. All errors are upwards. Barriers: first_passage.h. M_i(m) in (x_(c-1), x_c] counts as x_c: the barrier of
 * x_c is at least that of any smaller x, since h_m does not depend on x (scaled rewards: section 7), and so is Pi. A
 * cut x_c at an atom lies above it by more than the distance up to which F is evaluated. P(N_i > m) does not increase
 * in m and is used for all m up to the next grid point. E[min] = integral of P(min > u) over u in (0,1), by its values
 * at the lower ends; P(min > u) is itself a non-passage probability of M_i, since {Pi_r(x) > u} is {x > y_r}. Halving
 * the grids converges to the exact values of these bounds from above; `refinement` is the change by the last halving,
 * which is no bound on the distance from these values, let alone from E[N_i(T)]: it is 0 where two grids agree.
 * These grids of m depend on the race, so that bounds of two values of alpha differ by their grids, too. For a choice
 * among races that differ in alpha and power alone there is a grid of m that depends on T and K: a fixed number of
 * points in every octave. Then every tail is a bound of the same P(N_i > m), and a change of alpha changes the bounds
 * by what the grids of M_i and of the barriers contribute: a few per cent of a tail. There, `refinement` is what every
 * other point of the grid takes off. The points end where the tail is negligible even next to a loss of one pull in T,
 * below 10^-4 / T^2, and the last tail is used for all m beyond.
 *
 * 5. FROM BELOW. THEOREM 2 (Lower bound, lock-outs). For every rival k != i choose a window 1 <= A_k <= S_k of counts
 * and an offset o_k >= 0, n = sum S_k <= T - m - 1. With t(r) = r + n + 1,
 *
 *     phi_k(r) = o_k + B(t(m), S_k) - B(t(r), S_k) + (B(t(r), r) if r >= S_k, else B(r + A_k + K - 1, r)),
 *     Z = min over r <= m of M_i(r) + min_k phi_k(r):
 *
 * if for every k there is s_k in A_k … S_k with M_k(s_k) < Z - o_k - B(t(m), s_k), then N_i(T) >= m + 1. Hence
 *
 *     P(N_i(T) > m) >= E[prod_k P(there is such an s_k, at the level Z)].
 *
 * Smaller phi_k are allowed, so that they can be made not to rise with r. One rival may have several windows, disjoint
 * and ascending, each with its own phi_k and Z, and n with the last one's end: with one z' for all of them, the event
 * that it is stuck within window b at level min(Z, z'), and was not before it at level z', excludes that of any other
 * window, and the bounds add up (Proposition 3).
 *
 * THEOREM 3 (Lower bound, typical runs). Choose S_k >= 1 for every rival, T_0 = T - m - sum (S_k + 1) >= K, and y_k. If
 *
 *     M_k(T) <= y_k for all k, and for every r <= m and every k
 *     M_i(r) > y_k - D_(T_0+1)(r, S_k) if r < S_k,  > y_k + D_T(S_k, r) if r >= S_k,
 *
 * then N_i(T) >= m + 1.
 *
 * 6. THE RATE. THEOREM 4 (Rate of MaxUCB). Let power = 1, alpha > 0, b_i the finite upper end point of arm i, and for j
 * != i
 *
 *     c_j = alpha inf_{x>0} x log(1 / F_j(b_i - 1/x^2)),   c = sum_j c_j,   c' = the sum over the arms with b_j > b_i.
 *
 * For every e > 0 there are m_0 and A with
 *
 *     (a) P(N_i(T) > m) <= m^(-c'+e)   for m >= max(m_0, A log T) (c' infinite: any number in the place of c'),
 *     (b) P(N_i(T) > m) >= m^(-c-e)    for m_0 <= m <= T / 2 (c infinite: no statement).
 *
 * Hence E[N_i(T)] = T^(max(0, 1 - c) + o(1)), and O(log T) if c > 1, where c = c': unless an arm with b_j = b_i has
 * P(X_j > b_i - y) >= const sqrt(y) near it, as with an atom at b_i. mk_growth_exponent is c_j (y = 1/x^2). power > 1:
 * theorem_5.h.
 *
 * 7. SCALED REWARDS (Propositions 7 and 8). The order of the indices is that of M_j(n_j) + R_t B(t, n_j) with R_t =
 * (L_t - l_t) / w, L_t the largest and l_t the smallest reward so far (division by the largest one: l_t replaced by 0,
 * w = 1), or R_t = 1 where that is not positive. The lemma holds with R+ D_T(m, s) for s >= m and -R- D_(s+m+K-1)(s, m)
 * for s < m, where R- <= R_t <= R+; with x = M_i(m)
 *
 *     R+ = (top - bottom) / w, where top and bottom are the end points of all arms (0 is the bottom for division);
 *          infinite ones are replaced by numbers that any of the T rewards exceeds with probability at most e / T. Or
 *          (x - bottom) / (w - B(T, m)), if that is positive and the scaling has seen rewards of these rounds only.
 *          At least 1 where R_t = 1 can occur.
 *     R- = (x - q)^+ / w with q >= l_t: q = 0 for division, else the first m rewards of arm i and the first one of
 *          every other arm are all above q with probability at most e.
 *
 * In a cell of M_i(m) that ends at x_c the barrier for s < m, with y = D_(s+m+K-1)(s, m), is
 *
 *     x_c - (x_c - q)^+ min(1, y / w);
 *
 * rewards that are never negative, divided by the largest one, and y > 1: x_c (1 - y), which is never passed.
 *
 * From below only Theorem 3 is used, with the following condition on M_i(r), r <= m, for every k; Y = max_k y_k:
 *
 *     r < S_k:  M_i(r) > y_k - R- D_(T_0+1)(r, S_k), where R_t >= R- in all rounds t > T_0: some arm then has T_0 / K
 *               pulls, and for every arm the largest (smallest) of its first T_0 / K rewards is above (below) a
 *               number, from which R- follows, except with probability e.
 *     r >= S_k: M_i(r) > y_k + R+ D_T(S_k, r) with the first R+; or, if the scaling has seen rewards of these rounds
 *               only, g = D_T(S_k, r) / w < 1, M_i(r) > y_k + R' D_T(S_k, r) with R' = max((Y - bottom) / w, 1 where
 *               R_t = 1 can occur), and M_i(r) > bottom + (y_k - bottom) / (1 - g).
 *
 * The probabilities of the excluded events are added to the upper bound of each P(N_i(T) > m), and subtracted once from
 * the lower one, after the sum over the y_k, of which they are not independent: at most 10^-4 of a pull in all. The
 * quantiles are results, not hints where to look: the distribution function, rounded to the safe side, confirms what
 * its inverse proposes.
 *
 * 8. WHAT THE UPPER BOUND LOSES. The counts at which arm i is preferred do not decrease while its own count rises; the
 * lemma lets each m have its own. For a power arm (a = 3.3, s = 1.012) against a uniform one, alpha = 0.2, T = 1500,
 * the event of the lemma for every single m adds up to 1286 pulls in 1500 simulated pairs of sequences, required for
 * all r <= m at once to 1180, in the order of the counts to the policy's own 1058.9 (standard errors 13 to 17; these
 * sections give 1252). Nearly half of what is lost could be had from all r at once, which no product over arms
 * expresses.
 *
 * 9. BONUSES. Theorems 1 and 3 hold under the third of these hypotheses (Theorem 3 also the first), Theorem 2 under all
 * three, and the barriers rise by the first:
 *
 *     (B1) B(t, n) does not increase in n,    (B2) B(t, n) does not decrease in t,
 *     (B3) D_t(s, m) = B(t, s) - B(t, m) does not decrease in t for s < m.
 *
 * Where h_m or phi_k is not known to be monotone, its largest value so far is taken, from above, and its smallest, from
 * below: while s (or r) runs through a stretch of counts from a on, the round of a serves, with which it is monotone.
 *
 * 10. MOVING ARMS. THEOREM 9 (Moving arms). Sections 1 to 5 hold for rewards that are independent but not identically
 * distributed, with P(M_j(s) <= y) = the product of the distribution functions of the first s pulls (first_passage.h);
 * so do section 7 and Theorem 6. Used are Theorem 1, the clock and Theorem 3, without scaling. Theorems 4 and 5 are
 * about one distribution.
 *
 * 11. TWO ARMS whose rewards are not scaled, or never negative and divided by the largest one of these rounds, have
 * bounds of E[N_i(T)] that converge to it from both sides, Theorem 6 and Proposition 9 in certificate_walk.h. The
 * smaller of both upper bounds is used; lower bounds follow, as all pulls are T together. If these rewards are bounded,
 * so is the mean of the largest one of all rounds, from both sides (Theorem 10). */
#ifndef MAXK_ANALYSIS_THEORY_CERTIFICATE_H
#define MAXK_ANALYSIS_THEORY_CERTIFICATE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/theory/first_passage.h"
#include "policies/policy.h"

/* The policy's scaling of rewards: none, division by the largest one so far, or a map of all rewards so far to an
 * interval of the given width. The order of the indices is that of M_j(n_j) + R_t c_t / n_j^2 with R_t = 1, the largest
 * reward so far, or (largest - smallest reward so far) / width; 1 where that is not positive. */
enum mk_race_scale { MK_RACE_UNSCALED, MK_RACE_BY_LARGEST, MK_RACE_BY_RANGE };

struct mk_race {
    size_t arms;                    /* K >= 2 */
    const struct mk_known_cdf *arm; /* [arms]; moving ones without scaling, `before` and falling bonuses */
    uint64_t horizon;               /* T >= K */
    double alpha;                   /* >= 0 */
    double power;                   /* of the logarithm; 1 and less: 1 */
    int64_t shift;                  /* added to the round inside the logarithm, >= -1 */
    /* Another bonus, B(t, n) of section 9 with `setup`, for 2 <= t <= T, in the place of that of alpha, power and
     * shift; NULL: none. falling: D_t(s, m) does not increase in t: two arms to which Theorem 6 applies, and that
     * alone. */
    double (*bonus)(const struct mk_setup *setup, uint64_t t, uint64_t n);
    struct mk_setup setup; /* arms, horizon and par alone */
    bool falling;
    enum mk_race_scale scale;
    double width;    /* MK_RACE_BY_RANGE, > 0 */
    uint64_t before; /* rewards that the scaling may have seen before the first round */
};

enum { MK_CERTIFIED_QUANTILES = 3 };
extern const double mk_certified_levels[MK_CERTIFIED_QUANTILES]; /* .5 .9 .99 */

struct mk_certified_arm {
    double lower, upper; /* lower <= E[N_i(T)] <= upper */
    double refinement;   /* relative decrease of `upper` by the last refinement of the grids; no bound on an error */
    double lock_out;     /* P(N_i(T) > T/2) is at most this */
    uint64_t quantile[MK_CERTIFIED_QUANTILES]; /* the quantiles of N_i(T) are at most these */
    uint64_t most;                             /* N_i(T) is never more */
    size_t n;                                  /* P(N_i(T) > m) <= tail[k] for m >= m[k] */
    uint64_t *m;                               /* [n] ascending */
    double *tail;                              /* [n] */
};

struct mk_certificate {
    size_t arms;
    struct mk_certified_arm *arm; /* [arms] */
    /* maximum_lower <= E[the largest reward of all T rounds] <= maximum_upper, of two arms; NaN: not known */
    double maximum_lower, maximum_upper;
};

/* What is asked for: both sides, or the upper bounds alone (lower is then 1, the first pull), or these on the shared
 * grid of section 4, by which bounds of different alpha and power are compared. */
enum mk_certified_sides { MK_CERTIFIED_BAND, MK_CERTIFIED_UPPER, MK_CERTIFIED_SHARED };

/* Whether a bonus of the race's own meets the hypotheses of section 9, in rounds and at counts of a grid: all up to 16,
 * then 8 in every octave. MK_EINPUT names the place where it does not. */
int mk_race_check_bonus(const struct mk_race *race, struct mk_error *err);

/* Grids are refined until `refinement` is at most this (relative; > 0). Cost: a few seconds for K = 5 at T = 10^12 and
 * 0.02, growing as K^2, a power of log T and the inverse square of the refinement. Uses all threads; the result does
 * not depend on their number. Errors: MK_ENOMEM.
 * certificate_store.h computes many at once, and keeps them. */
int mk_certificate_new(struct mk_certificate **out, const struct mk_race *race, enum mk_certified_sides sides,
                       double refinement, struct mk_error *err);

/* What a walk in favour of one arm says of V, the largest reward of T rounds, for two arms (certificate_walk.h, section
 * 7). With these of both arms added, the integral of P(V <= x) over the range of rewards lies between them. NaN: not
 * known. */
struct mk_certified_maximum {
    double least, most;
};

/* What a certificate is made of: one side of the bounds of one arm, which does not depend on those of other arms. */
struct mk_certified_side {
    struct mk_certified_maximum maximum; /* from above */
    double mean;                         /* E[N_i(T)] is at most this, from above, or at least this, from below */
    double refinement;                   /* from above, as the tail: see mk_certified_arm */
    size_t n;
    uint64_t *m;
    double *tail;
};

#define MK_NO_MAXIMUM ((struct mk_certified_maximum){NAN, NAN})
#define MK_NO_SIDE ((struct mk_certified_side){.maximum = MK_NO_MAXIMUM})

/* shared: from above, the shared grid. */
int mk_certified_side_new(struct mk_certified_side *out, const struct mk_race *race, size_t arm, enum mk_side side,
                          bool shared, double refinement, struct mk_error *err);
void mk_certified_side_clear(struct mk_certified_side *s);

/* The certificate of sides [arms]; NULL for a side of an arm of which only 1 <= N_i(T) <= T - K + 1 is to be used. */
int mk_certificate_join(struct mk_certificate **out, const struct mk_race *race,
                        const struct mk_certified_side *const *above, const struct mk_certified_side *const *below,
                        struct mk_error *err);

/* Of counts that are certain. */
int mk_certificate_certain(struct mk_certificate **out, size_t arms, const uint64_t *pulls, uint64_t horizon,
                           struct mk_error *err);

/* Every arm has `pulls` more, in addition to the race: T is then horizon. */
void mk_certificate_add(struct mk_certificate *c, uint64_t pulls, uint64_t horizon);

/* P(N_i(T) > m) is at most this. */
double mk_certified_tail(const struct mk_certified_arm *arm, uint64_t m);
void mk_certificate_free(struct mk_certificate *c);

#endif
