/* Arms that share the largest maximum M (equal point masses at the top: Bernoulli arms, clipped ones) take turns, and
 * their pulls over a long stretch of rounds are computed in one step, for the record engine
 * (policies/parts/max_index_records.h).
 *
 * Notation. G is the group, m its size, W(t) the sum of its counts before round t. Arms of G differ by their counts
 * alone: with v_t(n) = fl(M + fl(s_t fl(1/n^2))), s_t = range * c_t, exactly the number that select compares, round t
 * goes to the largest v_t(n_i), ties to the lowest arm. v_t(n) never rises with n. e is the round after the stretch.
 *
 * Apart. While v_t(n) > v_t(n+1) for all counts that occur, which follows from 2 s_t / (n+1)^3 being above the rounding
 * errors, the fewest pulls come first and equal counts in the order of arms: counts fill up level by level. With
 * base = floor(W(e) / m) the first W(e) - m base arms end at base + 1 and the others at base.
 *
 * Levels. Later, rounding makes the indices of many n equal. With N_x(t) the largest n that has v_t(n) >= x, the counts
 * P+1 … N that have v = x in round e-1 form a level, P = N_x+(e-1) for the next value x+ above x. Choose it to contain
 * base; then with rest = W(e) - m (P+1) the final counts are
 *   S_i = N+1 for the first floor(rest / (N-P)) arms, P+1 for the last ones, and the remainder for the one between:
 * the arms pass the level one after the other, and those that have passed wait at its end, which c_t moves. This holds
 * if all arms start at n_i <= S_i, c_t does not fall, and for z = x and z = x+
 *   (*)  m (N_z(e-1) - N_z(t)) <= e - t - 1   for all rounds t of the stretch.
 * Proof. (a) If an arm were above N+1 it would have taken a pull at count N+1 or more in a round t; then no arm had
 * v_t >= x, so that W(t) >= m (N_x(t) + 1), while W(e) < m (N+1): the difference e - t contradicts (*).
 * (b) If an arm were below P+1, some other one is above its S_i and took a pull at a count of P+1 or more; in the last
 * round t with such a pull by any arm, all counts were above N_x+(t), and all rounds after t went to counts up to P, of
 * which by (*) there were too few for any arm to be left below.
 * (c) If the counts were not S_i, there are i < k with n_i < S_i, n_i <= N and n_k > S_k >= P+1, and k took a pull at
 * v <= x. Let t be the last round that took a pull at v < x, or at v = x of an arm after i. All arms up to i were then
 * above N_x(t) and all others above N_x+(t); later rounds went to counts up to N of the former and up to P of the
 * latter: too few by (*), so that n_i = N+1.
 * (*) holds since N_z(t) is, up to rounding, the integer part of (log u_t)^power times a constant, u_t being the
 * argument of the logarithm, so that m N_z grows by less than m (N+1) power / (u log u_e) <= 1/2 per round; an integer
 * part is off by at most 1, which matters only in the last 2 m rounds, where N_z must be constant. s_t widened as in
 * max_index_records.h decides whether it is; otherwise the stretch ends at another round.
 *
 * Ties at random. In the case Apart, every level takes one draw for each of its rounds but the last: the stream is
 * advanced by as many, to an end at which all counts are equal. (A bounded draw rejects numbers with a probability
 * below m / 2^64; if one had been rejected, the stream would be a different one of the same distribution.) (a) and (b)
 * do not use the order of arms, so that a stretch may also end at a level's start, with all counts P+1. Within a level,
 * while no arm can leave it, each round goes to one of its arms uniformly: counts are multinomial. In both of the
 * latter cases the numbers drawn differ from those of the per-pull loop, but the distribution does not; only stretches
 * of MK_UNIFORM_SPLIT_LEAST rounds or more are treated this way.
 *
 * No arm outside G is chosen if its index with the largest c_t of the stretch is below the smallest possible value of
 * the largest index of G; nor, with ties to the lowest arm, if it is at most that of a lower member with its count S_i.
 * An arm above its S_i is treated as one outside. */
#ifndef MAXK_POLICIES_PARTS_MAX_INDEX_GROUP_H
#define MAXK_POLICIES_PARTS_MAX_INDEX_GROUP_H

#include "policies/parts/max_index.h"
#include "policies/play/record_loop.h"

/* Differences between policies. */
struct mk_max_index_bonus {
    double (*at)(const struct mk_setup *s, uint64_t t); /* c_t */
    /* The (real) round at which it reaches c; NULL: not known, the search gallops. */
    double (*reaches)(const struct mk_setup *s, double c);
    /* u of c_t = (alpha (log u)^power)^2, t plus a constant; NULL: not of this form. */
    uint64_t (*argument)(const struct mk_setup *s, uint64_t t);
    double power;
};

/* Widening of c_t in both directions: a library logarithm is monotone only up to a unit in the last place, of which
 * (log u)^power makes power, and pow adds its own; the square doubles them. */
static inline double mk_max_index_widen(double power)
{
    return power == 1 ? 0x1p-50 : (power + 1) * 0x1p-50;
}

/* When to look for a group, and how far. */
struct mk_max_index_turns {
    uint64_t changes,
        wait;       /* changes between equal maxima since the last look for a group; number that triggers the next */
    uint64_t reach; /* rounds to try; 0: at the start */
};

/* Plays a stretch of rounds from t on, up to `last`, of the arms that share the largest maximum. Returns the number of
 * rounds, 0 if none is certain. Every arm has been pulled. Cost O(K) for each of about a dozen lengths tried. */
uint64_t mk_max_index_take_turns(struct mk_max_index *m, struct mk_record_play *play, uint64_t t, uint64_t last,
                                 const struct mk_max_index_bonus *bonus, struct mk_max_index_turns *turns);

#endif
