/* Many changes of the chosen arm in one step of the record engine (policies/parts/max_index_records.h), whatever the
 * maxima, and for bonuses that rise, fall or are constant.
 *
 * Notation. v_i(n, s) = fl(max_i + fl(s fl(1/n^2))) with s = range * c_t is exactly the number that select compares; it
 * never rises with n nor falls with s. A stretch has the rounds t … e-1, s_r is the s of round r, n_i are the counts
 * before round t, W their sum. No maximum changes within it.
 *
 * Theorem. Let b_i >= n_i be counts whose sum is W + e - t. For s > 0 and an arm k let a_i^k(s) be the larger of n_i
 * and 1 + the number of counts n >= 1 with which arm i is preferred to arm k with count b_k: v_i(n, s) > v_k(b_k, s),
 * or, with ties to the lowest and i < k, v_i(n, s) >= v_k(b_k, s). If
 *   (*)  sum over i != k of max(0, b_i - a_i^k(s_r)) <= e - 1 - r   for all arms k and all rounds r of the stretch,
 * then the counts before round e are b_i.
 * Proof. Otherwise some arm ends above its b_i, since the sums are equal, and so takes a pull with a count of b_i or
 * more. Let r be the last round with such a pull, by arm k. No arm is preferred to arm k with b_k, whose index is at
 * least that of arm k in round r, so that the count of arm i is at least a_i^k(s_r), and that of k is at least b_k. The
 * e - 1 - r later pulls all raise counts below b_i, which the left side of (*) bounds; as an arm ends above its b_i,
 * another one ends below, so that they are fewer than that bound: a contradiction.
 * It is enough to look at the arm with the largest v_k(b_k, s), the lowest of several, for all other arms i, and for
 * this arm itself at the second one: every other k has larger a_i^k.
 *
 * With ties at random the draws of the per-pull loop are left out, so that only stretches of MK_UNIFORM_SPLIT_LEAST
 * rounds or more are played this way: later numbers differ from those of the per-pull loop, their distribution does
 * not.
 *
 * Where the b_i come from does not matter for the proof: here from a threshold in the last round, which all arms have
 * passed, and from the order of arms where several pulls have the index just below it. With ties at random the end e is
 * moved back to where no arm has taken such a pull.
 *
 * (*) is checked as it stands in the last rounds, and earlier in intervals [r, r'] of rounds whose distance from the
 * end doubles, where s lies between lo and hi (widened, since a library logarithm is monotone only up to a unit in the
 * last place), and one of the following bounds of the left side, which hold in all these rounds, is at most e - 1 - r':
 *   - the one with the indices of arms k at hi and of arms i at lo, since v rises with s;
 *   - the one with the smaller of the a_i^k(lo) and a_i^k(hi) for indices above v_k(b_k, s) + m: as a function of s,
 *     v_i(n, s) is linear up to its rounding and the largest v_k(b_k, s) the largest of linear functions, so that their
 *     difference is concave, and where it is above the rounding errors, less than m, at both ends it is positive in
 *     between. This one is needed near the end of a falling bonus, whose indices fall faster by themselves than by
 *     pulls.
 *
 * Cost O(K) for each of some hundred evaluations of the counts of a threshold, independent of the number of rounds. */
#ifndef MAXK_POLICIES_PARTS_MAX_INDEX_LEVELS_H
#define MAXK_POLICIES_PARTS_MAX_INDEX_LEVELS_H

#include "policies/parts/max_index.h"
#include "policies/play/record_loop.h"

/* Differences between policies. */
struct mk_max_index_bonus {
    double (*at)(const struct mk_setup *s, uint64_t t); /* c_t */
    /* The (real) round at which it reaches c; NULL: not known, the search gallops. */
    double (*reaches)(const struct mk_setup *s, double c);
    double power;  /* of the logarithm in c_t */
    bool constant; /* c_t is the same number in every round */
};

/* Widening of c_t in both directions: a library logarithm is monotone only up to a unit in the last place, of which
 * (log u)^power makes power, and pow adds its own; the square doubles them. */
static inline double mk_max_index_widen(double power)
{
    return power == 1 ? 0x1p-50 : (power + 1) * 0x1p-50;
}

/* `count` pulls of an arm without a record among them. */
static inline void mk_max_index_pull(struct mk_max_index *m, struct mk_record_play *play, size_t arm, uint64_t count)
{
    mk_record_pull(play, arm, count);
    m->n[arm] += count;
    const double n = (double)m->n[arm];
    m->inv_n2[arm] = 1.0 / (n * n);
}

/* With more arms one trial would take too long. */
enum { MK_MAX_INDEX_LEVELS_ARMS = 1 << 12 };

/* Plays rounds t … e-1, e - t <= rounds, t + rounds - 1 being no later than the horizon; every arm has been pulled.
 * Returns e - t, 0 if nothing is certain for about this number of rounds. */
uint64_t mk_max_index_levels(struct mk_max_index *m, struct mk_record_play *play, uint64_t t, uint64_t rounds,
                             const struct mk_max_index_bonus *bonus);

#endif
