/* The record engine for index policies of the form  max_i + range * c_t / n_i^2  (policies/parts/max_index.h).
 *
 * While no arm has a record, how long does the chosen arm l stay chosen? With d = max_l - max_j, q = 1 / n_j^2 and
 * n = n_l growing by one per round, a rival j passes when  D(t) = c_t (q - 1/n^2) - d / range  turns positive.
 *
 * D changes sign once, from below, for c_t = (alpha (log u)^power)^2 with u = t + offset > e^power and n <= u:
 *   d >= 0: D <= 0 while n <= n_j; afterwards c_t and q - 1/n^2 are both nonnegative and both grow, so D grows.
 *   d < 0:  D > 0 for n >= n_j, so that j has passed by then. While n < n_j the term -c_t (1/n^2 - q) < 0 grows,
 *           because d log c_t / dt = 2 power / (u log u)  is below  -d log(1/n^2 - q) / dt = 2 / (n (1 - n^2 q))  >= 2
 * / n
 *           >= 2 / u as soon as log u > power. So D crosses 0 at most once.
 * For smaller u nothing is claimed. The range is constant between records (high ones; for minmax also falls of the
 * minimum, which the tape has too).
 *
 * Rounded numbers need not follow real ones near the crossing, so the proof only says where to look; the decision is
 * made by an interval test that holds for exactly the numbers that select compares. Over rounds a … b without records,
 * with c between c_lo and c_hi, every operation of select being monotone under rounding, index_l(t) >= max_l + (range
 * c_lo) / n_l(b)^2   and   index_j(t) <= max_j + (range c_hi) / n_j^2, and l is chosen throughout if the first beats
 * the second for all j, with ties treated as in select. c_lo and c_hi are widened by 4 units in the last place (more
 * for power > 1), since a library logarithm is monotone only up to one. A test that fails shortens the stretch, down to
 * single rounds that select decides itself: this covers small t, ties of either kind (equal indices under ties: random
 * are handled round by round and draw what the per-pull loop draws) and bonuses that fall with t, for which D may
 * change sign twice.
 *
 * Cost O(K) per test and a few tests per change of the chosen arm, independent of the rounds in between.
 *
 * Where the chosen arm changes so often that skipping gains nothing, since arms share the largest maximum (a point mass
 * at the top of each) or the bonus is large compared with their difference, pulls are computed directly for many
 * changes at once (max_index_records.c, max_index_levels.h): identical counts, except in long stretches of random ties,
 * where only the distribution is the same. What is stepped through are ties under a bonus that falls with t, once
 * rounding makes the indices of many counts equal and N / (T + 1 - t) is not small, and, with ties at random, close
 * maxima where rounding does. */
#ifndef MAXK_POLICIES_PARTS_MAX_INDEX_RECORDS_H
#define MAXK_POLICIES_PARTS_MAX_INDEX_RECORDS_H

#include "policies/parts/max_index_levels.h"

/* Rounds first … last, all after the `burnt` rounds of a burn-in; after it, every arm is pulled once. */
void mk_max_index_play_records(struct mk_max_index *m, struct mk_record_play *play, uint64_t first, uint64_t last,
                               uint64_t burnt, struct mk_max_index_bonus bonus);

#endif
