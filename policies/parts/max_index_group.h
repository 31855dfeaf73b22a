/* Arms that share the largest maximum M (equal point masses at the top: Bernoulli arms, clipped ones) take turns, and
 * what they get over a long stretch of rounds is told at once, for the record engine
 * (policies/parts/max_index_records.h).
 *
 * Notation. G is the group, m its size, W(t) the sum of its counts before round t. Arms of G differ by their counts
 * alone: with v_t(n) = fl(M + fl(s_t fl(1/n^2))), s_t = range * c_t, the very number that select compares, round t goes
 * to the largest v_t(n_i), ties to the lowest arm. v_t(n) never rises with n. e is the round after the stretch.
 *
 * Apart. While v_t(n) > v_t(n+1) for all counts that occur, which follows from 2 s_t / (n+1)^3 being above the rounding
 * errors, the fewest pulls come first and equal counts in the order of arms: water is filled in, level by level. With
 * base = floor(W(e) / m) the first W(e) - m base arms end at base + 1 and the others at base.
 *
 * Levels. Later, rounding makes equal indices of many n. With N_x(t) the largest n that has v_t(n) >= x, the counts
 * P+1 … N that have v = x in round e-1 form a level, P = N_x+(e-1) for the next value x+ above x. Choose it to hold
 * base; then with rest = W(e) - m (P+1) the arms come to
 *   S_i = N+1 for the first floor(rest / (N-P)) arms, P+1 for the last ones, and the remainder for the one between:
 * the arms pass the level one after the other, and those that have passed wait at its end, which c_t moves. This holds
 * if all arms start at n_i <= S_i, c_t does not fall, and for z = x and z = x+
 *   (*)  m (N_z(e-1) - N_z(t)) <= e - t - 1   for all rounds t of the stretch.
 * Proof. (a) Were an arm above N+1 it took a pull at count N+1 or more in a round t; then no arm had v_t >= x, so that
 * W(t) >= m (N_x(t) + 1), while W(e) < m (N+1): the difference e - t contradicts (*).
 * (b) Were an arm below P+1, some other one is above its S_i and took a pull at a count of P+1 or more; in the last
 * round t with such a pull by any arm, all counts were above N_x+(t), and all rounds after t went to counts up to P, of
 * which by (*) there were too few for any arm to be left below.
 * (c) Were the counts not S_i, there are i < k with n_i < S_i, n_i <= N and n_k > S_k >= P+1, and k took a pull at v <=
 * x. Let t be the last round that took a pull at v < x, or at v = x of an arm after i. All arms up to i were then above
 * N_x(t) and all others above N_x+(t); later rounds went to counts up to N of the former and up to P of the latter: too
 * few by (*), so that n_i = N+1.
 * (*) holds since N_z(t) is, up to rounding, the whole part of log u_t times a constant, u_t the number in the
 * logarithm, so that it grows by less than m (N+1) / (u log u_e) <= 1/2 per round and arm; a whole part is off by at
 * most 1, which matters in the last 2 m rounds only, and there N_z must be constant. s_t widened as in
 * max_index_records.h decides that it is; elsewhere the stretch ends at another round.
 *
 * Ties at random. Apart, every level takes one draw for each of its rounds but the last: the stream is moved on by as
 * many, to an end at which all counts are equal. (A bounded draw rejects numbers with a probability below m / 2^64;
 * where one would have been, the stream is another one of the same law.) (a) and (b) do not ask for the order of arms,
 * so that a stretch may also end at a level's start, all counts P+1. Within a level, while no arm can leave it, each
 * round goes to one of its arms uniformly: counts are multinomial. In both of the latter the numbers drawn differ from
 * those of the per-pull loop, the law does not; only stretches of MK_UNIFORM_SPLIT_LEAST rounds or more are taken so.
 *
 * No arm outside G is chosen when its index with the largest c_t of the stretch is below the least that the largest
 * index of G can be; nor, with ties to the lowest arm, when it is at most that of a lower member with its count S_i. An
 * arm above its S_i is looked at as one outside. */
#ifndef MAXK_POLICIES_PARTS_MAX_INDEX_GROUP_H
#define MAXK_POLICIES_PARTS_MAX_INDEX_GROUP_H

#include "policies/parts/max_index.h"
#include "sim/tape/record_loop.h"

/* What differs between policies. */
struct mk_max_index_bonus {
    double (*at)(const struct mk_setup *s, uint64_t t); /* c_t */
    /* The (real) round at which it reaches c; NULL: not known, the search gallops. */
    double (*reaches)(const struct mk_setup *s, double c);
    /* u of c_t = (alpha log u)^2, t plus a constant; NULL: not of this form. */
    uint64_t (*argument)(const struct mk_setup *s, uint64_t t);
};

/* How far c_t is widened either way: a library logarithm is monotone only up to a unit in the last place. */
static const double mk_max_index_widen = 0x1p-50;

/* When to look for a group, and how far. */
struct mk_max_index_turns {
    uint64_t changes, wait; /* changes between equal maxima since the last look; how many bring the next */
    uint64_t reach;         /* rounds to try; 0: at the start */
};

/* Plays a stretch of rounds from t on, t … last at most, of the arms that share the largest maximum. Returns the number
 * of rounds, 0 when none is sure. Every arm has been pulled. Cost O(K) for each of some dozen lengths tried. */
uint64_t mk_max_index_take_turns(struct mk_max_index *m, struct mk_record_play *play, uint64_t t, uint64_t last,
                                 const struct mk_max_index_bonus *bonus, struct mk_max_index_turns *turns);

#endif
