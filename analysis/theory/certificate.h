/* Rigorous bounds on the pulls of MaxUCB: from above and below, for every alpha, horizon and family of rewards, without
 * the constants L and U, an upper end point or a gap.
 *
 * Arms j = 1 … K have independent sequences of i.i.d. rewards with distribution functions F_j; M_j(s) is the largest of
 * the first s. Every arm is pulled once in rounds 1 … K, then the one with the largest index M_j(n_j) + c_t / n_j^2,
 * ties broken in any way; c_t = (alpha log(t + shift)^power)^2, power >= 1, does not decrease in t. N_i(T) is the
 * number of pulls of arm i in T rounds.
 *
 * 1. LEMMA. Let N_i(T) >= m + 1, m >= 1, and t <= T the round of that pull, before which arm i has m pulls and arm j
 * has s >= 1. Then M_j(s) + c_t / s^2 <= M_i(m) + c_t / m^2. The K - 2 other arms have one pull each, so
 * t >= s + m + K - 1, and
 *
 *     M_j(s) <= M_i(m) + h_m(s),
 *     h_m(s) =  c_T (1/m^2 - 1/s^2)              for s >= m: the factor is >= 0, c_t <= c_T
 *     h_m(s) = -c_(s+m+K-1) (1/s^2 - 1/m^2)      for s < m:  the factor is <= 0, c_t >= c_(s+m+K-1)
 *
 * for some s in 1 … T - m - K + 1. (With K = 2 the round is s + m + 1, which then replaces T.)
 *
 * 2. THEOREM 1. Let p_(j,m)(x) = P(there is such an s with M_j(s) <= x + h_m(s)) and Pi_m(x) the product over j != i.
 * Then
 *
 *     P(N_i(T) > m) <= E[min over r <= m of Pi_r(M_i(r))],    E[N_i(T)] <= 1 + sum_{m=1}^{T-K} of that.
 *
 * Proof. N_i(T) > m implies N_i(T) > r for every r <= m, hence by the lemma, for any single r, that every arm j passes
 * below its barrier x + h_r(s), x = M_i(r). Given the rewards of arm i these are events of different sequences: each
 * product Pi_r(M_i(r)) bounds the conditional probability, and so does the smallest of them. QED.
 *
 * h_m does not decrease in s: for s < m this requires power (1/s^2 - 1/m^2) / (u + shift) <= log(u + shift) / s^3 at u
 * = s + m + K - 1, for which power s <= v log v at v = 2 s + 1 <= u + shift is enough. (2 + 1/s) log(2 s + 1) rises
 * with s, from 3 log 3 = 3.29 at s = 1: so the condition holds for all s if power is at most that, else from some s on;
 * for the smaller ones h_m is replaced by its running maximum, which is at least h_m. So p is a first passage below a
 * rising barrier (first_passage.h). Arms that are not higher than i matter early, the higher ones late, so with any set
 * H of arms
 *
 *     P(N_i(T) > m) <= max_x prod_{j in H} p_(j,m)(x) E[min over r <= m of prod_{j not in H} p_(j,r)(M_i(r))].
 *
 * 3. THE CLOCK. All arms share the round t, and t - 1 = m + sum of their counts. Let sigma_j be the first s at which
 * arm j passes; its count is at least that.
 * (a) Either sum_j sigma_j <= tau, or t >= tau + m + 2, so that h_m may use c at max(s + m + K - 1, tau + m + 2):
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
 * 5. FROM BELOW. THEOREM 2 (lock-outs). For every rival k != i choose a window 1 <= A_k <= S_k of counts and an
 * offset o_k >= 0, n = sum S_k <= T - m - 1. With C(r) = c_(r+n+1), C = C(m), and
 *
 *     phi_k(r) = o_k + (C - C(r)) / S_k^2 + (C(r) if r >= S_k, else c_(r+A_k+K-1)) / r^2,
 *     Z = min over r <= m of M_i(r) + min_k phi_k(r):
 *
 * if for every k there is s_k in A_k … S_k with M_k(s_k) < Z - o_k - C / s_k^2, then N_i(T) >= m + 1. Hence
 *
 *     P(N_i(T) > m) >= E[prod_k P(there is such an s_k, at the level Z)],
 *
 * the product being a function of Z that does not decrease, of sequences independent of Z.
 *
 * Proof. Suppose N_i(T) <= m. The rivals have at least T - m > n pulls, so some rival is pulled when it has s_k pulls;
 * let t be the first such round, k the rival, s = s_k, r <= m the pulls of arm i. No rival l has more than s_l pulls,
 * so 1 + r + s + (K - 2) <= t <= 1 + r + n and c_(r+s+K-1) <= c_t <= C(r). The index of k is below that of i, a
 * contradiction, if M_k(s) < M_i(r) - c_t (1/s^2 - 1/r^2). By choice of Z, M_i(r) >= Z - phi_k(r).
 *     r >= s: the worst c_t is C(r). M_k(s) + C(r) (1/s^2 - 1/r^2) < Z - o_k - (C - C(r)) / s^2 - C(r) / r^2, and
 *             (C - C(r)) / s^2 >= (C - C(r)) / S_k^2, C(r) >= c_(r+A_k+K-1): at most Z - phi_k(r).
 *     r < s:  the worst c_t is c' = c_(r+s+K-1) <= C(r). M_k(s) - c' (1/r^2 - 1/s^2) < Z - o_k - (C - c') / s^2
 *             - c' / r^2, and (C - c') / s^2 >= (C - C(r)) / S_k^2, c' >= c_(r+A_k+K-1): at most Z - phi_k(r). QED.
 * One rival may have several windows, disjoint and ascending, each with its own phi_k and Z, and n with the last one's
 * end. With one z' for all of them and min(Z, z') in the place of Z, the event that the rival is stuck within window b,
 * and was not before it at level z', excludes that of any other window; the bounds add up.
 *
 * THEOREM 3 (typical runs). Choose S_k >= 1 for every rival, T_0 = T - m - sum (S_k + 1) >= K, and y_k. If
 *
 *     M_k(T) <= y_k for all k, and for every r <= m
 *     M_i(r) > max_k y_k + (c_(T_0+1) if r < S_k, else c_T) (1/S_k^2 - 1/r^2),
 *
 * then N_i(T) >= m + 1.
 *
 * Proof. Suppose N_i(T) <= m: the rivals have at least T - T_0 - m = sum (S_k + 1) pulls in rounds T_0 + 1 … T, so some
 * k has S_k + 1, and at the last of them has s >= S_k pulls before it. There M_k(s) + c_t / s^2 >= M_i(r) + c_t / r^2
 * with r <= m, M_k(s) <= y_k, so M_i(r) <= y_k + c_t (1/S_k^2 - 1/r^2), in contradiction to the condition. QED.
 *
 * 6. THE RATE. THEOREM 4. Let power = 1, alpha > 0, b_i the finite upper end point of arm i, F_j(x) = P(X_j <= x), G_j
 * = 1 - F_j, rewards not scaled, and for j != i
 *
 *     c_j = alpha inf_{x>0} x log(1 / F_j(b_i - 1/x^2)),   c = sum_j c_j,   c' = the sum over the arms with b_j > b_i.
 *
 * (log(1 / 0) = inf; an infinite upper end point b_j counts as higher.) For every e > 0 there are m_0 and A that depend
 * on the arms, alpha, shift and e alone, such that
 *
 *     (a) P(N_i(T) > m) <= m^(-c'+e)   for m >= max(m_0, A log T) (c' infinite: any number in the place of c'),
 *     (b) P(N_i(T) > m) >= m^(-c-e)    for m_0 <= m <= T / 2 (c infinite: no statement).
 *
 * Summed over m, E[N_i(T)] is between T^(max(0, 1 - c) + o(1)) and T^(max(0, 1 - c') + o(1)), and O(log T) if c' > 1.
 * Hence, if c = c',
 *
 *     E[N_i(T)] = T^(max(0, 1 - c) + o(1)),    and O(log T) if c > 1.
 *
 * c = c' means c_j = 0 for all arms with b_j <= b_i. That is so if b_j < b_i (F_j = 1 for large x), and if b_j = b_i
 * and G_j(b_i - y) = o(sqrt(y)), since x log(1 / F_j(b_i - 1/x^2)) is about x G_j(b_i - 1/x^2) for large x. It can only
 * fail if b_j = b_i and G_j(b_i - y) >= const sqrt(y) near it, as for an atom at b_i. Then the exponent is not a
 * function of c: two equal Bernoulli arms have c > 0 and T / 2 pulls each.
 *
 * With one higher arm c is mk_growth_exponent (y = 1/x^2), with several the sum of these.
 *
 * power > 1: Theorem 5 in theorem_5.h.
 *
 * Proof of (a). By Theorem 1 the probability is at most the product of p_(j,m)(b_i) over the arms with b_j > b_i, that
 * is, F_j(b_i) < 1, and p_(j,m)(b_i) <= sum_s F_j(b_i + h_m(s))^s. For m >= A log T, A and T large, c_T / m^2 <= d with
 * any d > 0 wanted; d so small that q = F_j(b_i + d) < 1. Since h_m(s) <= d, the terms with s >= B log m add up to at
 * most m^(-B log(1/q)) / (1 - q), below m^(-c_j) for a large B. For the other ones, s = x alpha log m < m, h_m(s) <=
 * -1/x^2 + d, because (alpha log m)^2 <= c_(s+m+K-1) <= c_T. So they are at most m^(-alpha v(x)), v(x) = x log(1 /
 * F_j(b_i - 1/x^2 + d)).
 *     x > X:  v(x) >= X log(1/q), at least c_j / alpha for a large X.
 *     x <= X: with d X^2 < 1 and 1/y^2 = 1/x^2 - d, v(x) = (x/y) y log(1 / F_j(b_i - 1/y^2)) >= sqrt(1 - d X^2) c_j /
 *             alpha.
 * Hence p_(j,m)(b_i) <= (B log m + 1) m^(-c_j sqrt(1 - d X^2)). B and X stay large enough when d is made smaller, since
 * q does not rise, so that the root is as near 1 as wanted. (c_j infinite: the same with any number in its place.) QED.
 *
 * Proof of (b). Let c be finite, e' > 0, x_j with x_j alpha log(1 / F_j(b_i - 1/x_j^2)) <= c_j + e' for every j != i,
 * and in Theorem 2 A_j = S_j = ceil((1 + e') x_j alpha log m), o_j = 0. Then n = sum S_j = O(log m), T - m - 1 >= m - 1
 * has room for it, C = c_(m+n+1) <= (1 + e') (alpha log m)^2 for large m, and C / S_j^2 <= 1 / ((1 + e') x_j^2) <=
 * 1/x_j^2 - 2 d for some d > 0. At the level z = b_i - d arm j has M_j(S_j) < z - C / S_j^2 at least where M_j(S_j) <=
 * b_i - 1/x_j^2, with probability F_j(b_i - 1/x_j^2)^(S_j) >= const m^(-(1+e')(c_j+e')), independently of the other
 * arms and of Z. It remains to show that P(Z > z) >= 1/2 for large m: with e' small enough, (1 + e') (c + (K - 1) e') <
 * c + e. All phi_k(r) are >= 0, and at least (alpha log A_k)^2 / r^2 for r < S_k. Choose r_0 with F_i(b_i - d)^(r_0) <=
 * 1/4: with probability 3/4, M_i(r) + phi_k(r) > b_i - d for all r >= r_0. For r < r_0 it is at least the first reward
 * of arm i plus (alpha log A_k)^2 / r_0^2, which exceeds b_i with probability 3/4 once A_k is large (and S_k > r_0).
 * QED.
 *
 * 7. SCALED REWARDS. The order of the indices is that of M_j(n_j) + R_t c_t / n_j^2 with R_t = (L_t - l_t) / w, L_t the
 * largest and l_t the smallest reward so far (division by the largest one: l_t replaced by 0, w = 1), or R_t = 1 where
 * that is not positive. The lemma holds with R_t c_t in the place of c_t, and h_m with R_t <= R+ where the factor is >=
 * 0 and R_t >= R- where it is <= 0. Let t be the round of the (m+1)-th pull of arm i, x = M_i(m).
 *     R+: (a) at most (top - bottom) / w, where top and bottom are the end points of all arms (0 is the bottom for
 *             division), and at least 1 where R_t = 1 can occur. Infinite end points are replaced by numbers that any
 *             of the T rewards exceeds with probability at most e / T.
 *         (b) If the scaling has seen rewards of these rounds only, L_t = M_k(n_k) for some k, whose index is not above
 *             that of i: L_t <= x + R_t c_t / m^2. If R_t = (L_t - l_t) / w, then L_t - l_t <= x - l_t + (L_t - l_t)
 *             c_t / (w m^2), so that, for c_T < w m^2, R_t <= (x - l_t) / (w - c_t / m^2) <= (x - bottom) / (w - c_T /
 *             m^2). Else R_t = 1, and R+ is at least 1 as in (a). R+ does not decrease with x.
 *     R-: (x - q)^+ / w with q >= l_t. Division: q = 0, since R_t = L_t >= x if x > 0. Else the first m rewards of arm
 * i and the first one of every other arm are all above q with probability at most e. For s < m let y = c_(s+m+K-1)
 * (1/s^2 - 1/m^2) >= 0. The lemma requires M_j(s) <= g(x), g(x) = x - (x - q)^+ y / w, which rises up to x = q and then
 * has slope 1 - y / w. The largest g of all x up to x_c is
 *
 *     x_c - (x_c - q)^+ min(1, y / w),
 *
 * the barrier for the cell that ends at x_c. It does not decrease with s, since y does not increase (section 2).
 * Rewards that are never negative, divided by the largest one, and y > 1: M_j(s) <= x - R_t y is negative, as R_t >= x
 * > 0, or x = 0 and R_t > 0; so arm j does not pass at s, for any x, and any negative barrier serves: x_c (1 - y).
 *
 * From below only Theorem 3 is used. With y_k as there, Y = max_k y_k, r <= m, and c = c_T, F = 1/S_k^2 - 1/r^2, it
 * holds with the following condition on M_i(r) for every k: r < S_k:  M_i(r) > y_k + R- c_(T_0+1) F, where R_t >= R- in
 * all rounds t > T_0: some arm then has T_0 / K pulls, and for every arm the largest (smallest) of its first T_0 / K
 * rewards is above (below) a number, from which R- follows, except with probability e. r >= S_k: M_i(r) > y_k + R+ c F
 * with R+ of (a); or, if the scaling has seen rewards of these rounds only, g = c F / w < 1, M_i(r) > y_k + R' c F with
 * R' = max((Y - bottom) / w, 1 where R_t = 1 can occur), and M_i(r) > bottom + (y_k - bottom) / (1 - g). Proof. The
 * proof of Theorem 3 has M_i(r) <= y_k + R_t c_t F, c_t between c_(T_0+1) and c. The cases r < S_k and R+ contradict
 * it. Else L_t <= max(Y, M_i(r)). If R_t = 1 or M_i(r) <= Y, then R_t <= R', a contradiction. Else R_t <= (M_i(r) -
 * bottom) / w, so M_i(r) <= y_k + (M_i(r) - bottom) g, that is, (M_i(r) - bottom) (1 - g) <= y_k - bottom, a
 * contradiction. QED.
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
 * 9. OTHER BONUSES. Let the index be M_j(n_j) + B(t, n_j), where
 *
 *     (B1) B(t, n) does not increase in n,    (B2) B(t, n) does not decrease in t,
 *     (B3) D_t(s, m) = B(t, s) - B(t, m) does not decrease in t for s < m.
 *
 * MaxUCB's c_t / n^2 is such a B. All of the above holds with B(t, n) in the place of c_t / n^2:
 *     Lemma, Theorem 1: h_m(s) = D_T(m, s) for s >= m, -D_u(s, m) with u = s + m + K - 1 for s < m. For s >= m it does
 *             not decrease in s by (B1); for s < m the largest value up to s is taken, from above: while s runs through
 *             a stretch of counts from a on, u is at least a + m + K - 1, and with that u it does not decrease.
 *     Theorem 2: with t(r) = r + n + 1 the event is M_k(s_k) < Z - o_k - B(t(m), s_k), and
 *             phi_k(r) = o_k + B(t(m), S_k) - B(t(r), S_k) + (B(t(r), r) if r >= S_k, else B(r + A_k + K - 1, r)).
 *             Proof as there. r >= s: B(t, r) - B(t, s) >= B(t(r), r) - B(t(r), s) and B(t(m), s) - B(t(r), s) >=
 * B(t(m), S_k) - B(t(r), S_k) by (B3), B(t(r), r) >= B(r + A_k + K - 1, r) by (B2). r < s: with u = r + s + K - 1, B(t,
 * r) - B(t, s) >= B(u, r) - B(u, s) by (B3), B(t(m), s) - B(u, s) >= B(t(m), S_k) - B(u, S_k) >= B(t(m), S_k) - B(t(r),
 * S_k) by (B3) and (B2), and B(u, r) >= B(r + A_k + K - 1, r) by (B2). Theorem 3: M_i(r) > max_k y_k - D_(T_0+1)(r,
 * S_k) for r < S_k, > max_k y_k + D_T(S_k, r) else. Theorem 6: theta(n_1, n_2) = -D_t(n_2, n_1); it requires (B1), and
 * D_t(s, m) to be monotone in t, in either direction: so it covers bonuses that fall with the round, too. Scaled
 * rewards (section 7): R_t B(t, n), by the same proofs. Where phi_k might rise with r, as for c_t / n^2 with a large
 * power, the smallest value up to r is taken, from below.
 *
 * 10. MOVING ARMS. Sections 1 to 5 use of the rewards of an arm that they are independent of each other and of other arms,
 * nowhere that they have one distribution, but in P(M_j(s) <= y) = F_j(y)^s, which is the product of the distribution
 * functions of the first s pulls if these differ (first_passage.h). So Theorem 1, the clock and Theorem 3 hold for arms
 * whose rewards depend on their own pulls, without scaling. (So does Theorem 2, which is not used for them.)
 *
 * 11. TWO ARMS whose rewards are not scaled have bounds of E[N_i(T)] that converge to it from both sides, Theorem 6 in
 * certificate_walk.h. The smaller of both upper bounds is used; lower bounds follow, as all pulls are T together. */
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
     * shift; NULL: none. falling: D_t(s, m) does not increase in t: two arms without scaling, and Theorem 6 alone. */
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

/* What a certificate is made of: one side of the bounds of one arm, which does not depend on those of other arms. */
struct mk_certified_side {
    double mean;       /* E[N_i(T)] is at most this, from above, or at least this, from below */
    double refinement; /* from above, as the tail: see mk_certified_arm */
    size_t n;
    uint64_t *m;
    double *tail;
};

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
