/* The record engine for index policies of the form  max_i + range * c_t / n_i^2  (policies/parts/max_index.h).
 *
 * While no arm has a record, how long does the chosen arm l stay chosen? With d = max_l - max_j, q = 1 / n_j^2 and
 * n = n_l growing by one per round, a rival j passes when  D(t) = c_t (q - 1/n^2) - d / range  turns positive.
 *
 * D changes sign once, from below, for c_t = (alpha log u)^2 with u = t + offset >= 3 and n <= u:
 *   d >= 0: D <= 0 while n <= n_j; afterwards c_t and q - 1/n^2 are both nonnegative and both grow, so D grows.
 *   d < 0:  D > 0 for n >= n_j, so that j has passed by then. While n < n_j the term -c_t (1/n^2 - q) < 0 grows,
 *           because d log c_t / dt = 2 / (u log u)  is below  -d log(1/n^2 - q) / dt = 2 / (n (1 - n^2 q))  >= 2 / n
 *           >= 2 / u as soon as log u > 1. So D crosses 0 at most once.
 * For u < 3 nothing is claimed. The range is constant between records (high ones; for minmax also falls of the minimum,
 * which the tape has too).
 *
 * Rounded numbers need not follow real ones near the crossing, so the proof only says where to look; the decision is
 * made by an interval test that holds for exactly the numbers that select compares. Over rounds a … b without records,
 * with c between c_lo and c_hi, every operation of select being monotone under rounding, index_l(t) >= max_l + (range
 * c_lo) / n_l(b)^2   and   index_j(t) <= max_j + (range c_hi) / n_j^2, and l is chosen throughout if the first beats
 * the second for all j, with ties treated as in select. c_lo and c_hi are widened by 4 units in the last place, since a
 * library logarithm is monotone only up to one. A test that fails shortens the stretch, down to single rounds that
 * select decides itself: this covers small t, ties of either kind (equal indices under ties: random are handled round
 * by round and draw what the per-pull loop draws) and bonuses that fall with t, for which D may change sign twice.
 *
 * Cost O(K) per test and a few tests per change of the chosen arm, independent of the rounds in between.
 *
 * Arms that share the largest maximum (a point mass at the top of each) change so often that skipping gains nothing;
 * max_index_group.h computes their pulls directly: identical counts, except in long stretches of random ties, where
 * only the distribution is the same. Bonuses that fall with t are stepped through there once rounding makes indices
 * equal. */
#ifndef MAXK_POLICIES_PARTS_MAX_INDEX_RECORDS_H
#define MAXK_POLICIES_PARTS_MAX_INDEX_RECORDS_H

#include "policies/parts/max_index_group.h"

enum { MK_MAX_INDEX_LOOK = 1 << 16 }; /* changes of arm between two checks whether to stop: some milliseconds */

/* 1 when the interval test shows that arm, chosen at round t with c_t = c, is chosen at rounds t … end. */
static inline __attribute__((always_inline)) int mk_max_index_holds(const struct mk_max_index *m, size_t arm,
                                                                    uint64_t t, double c, uint64_t end,
                                                                    double (*at)(const struct mk_setup *, uint64_t))
{
    const size_t arms = m->setup->arms;
    double c_end = at(m->setup, end), n = (double)(m->n[arm] + (end - t));
    double hi = (c > c_end ? c : c_end) * (1 + mk_max_index_widen) * m->scaling.range;
    double lo = (c > c_end ? c_end : c) * (1 - mk_max_index_widen) * m->scaling.range;
    double least = m->max[arm] + lo * (1.0 / (n * n));
    int passed = 0;
    if (m->many) return mk_tournament_below(&m->tournament, arm, hi, least, !m->random_ties);
    for (size_t j = 0; j < arm; j++) passed |= !(m->max[j] + hi * m->inv_n2[j] < least);
    if (m->random_ties)
        for (size_t j = arm + 1; j < arms; j++) passed |= !(m->max[j] + hi * m->inv_n2[j] < least);
    else
        for (size_t j = arm + 1; j < arms; j++) passed |= !(m->max[j] + hi * m->inv_n2[j] <= least);
    return !passed;
}

/* About the last round before a rival passes the arm, which has the largest maximum; t when that is not known. */
static inline __attribute__((always_inline)) uint64_t
mk_max_index_guess(const struct mk_max_index *m, size_t arm, uint64_t t, uint64_t limit,
                   double (*reaches)(const struct mk_setup *, double))
{
    double need = INFINITY, q = 1;
    if (m->many) {
        struct mk_tournament_rivals rivals = mk_tournament_rivals(&m->tournament, arm, m->max[arm]);
        need = rivals.until;
        q = rivals.steep;
    } else {
        for (size_t j = 0; j < m->setup->arms; j++) {
            double c = (m->max[arm] - m->max[j]) / m->inv_n2[j];
            int sooner = c < need && j != arm;
            need = sooner ? c : need;
            q = sooner ? m->inv_n2[j] : q;
        }
    }
    if (!(need > 0)) return t;
    double round =
        reaches(m->setup, need / m->scaling.range); /* as if the arm's own bonus were 0: slightly too early */
    if (!(round > (double)t)) return t;
    double n = (double)m->n[arm] + (round - (double)t), share = 1.0 / (n * n * q);
    if (share * round > 0.01 && share < 0.5) round = reaches(m->setup, need / (m->scaling.range * (1 - share)));
    return round < (double)limit ? (uint64_t)ceil(round) - 1 : limit;
}

/* The last round up to limit for which it is certain that arm, chosen at round t with c_t = c, stays chosen. */
static inline __attribute__((always_inline)) uint64_t mk_max_index_stay(const struct mk_max_index *m, size_t arm,
                                                                        uint64_t t, double c, uint64_t limit,
                                                                        struct mk_max_index_bonus bonus)
{
    uint64_t end = bonus.reaches ? mk_max_index_guess(m, arm, t, limit, bonus.reaches) : t;
    for (uint64_t back = 1; end > t; back *= 2) {
        if (mk_max_index_holds(m, arm, t, c, end, bonus.at)) return end;
        if (end - t <= back) break;
        end -= back;
    }
    end = t;
    for (uint64_t step = 1; end < limit; step *= 2) {
        uint64_t further = limit - end < step ? limit : end + step;
        if (!mk_max_index_holds(m, arm, t, c, further, bonus.at)) break;
        end = further;
    }
    return end;
}

/* Rounds first … last; the rounds up to `turns` go to the arms in round-robin order. */
static inline __attribute__((always_inline)) void mk_max_index_play_records(struct mk_max_index *m,
                                                                            struct mk_record_play *play, uint64_t first,
                                                                            uint64_t last, uint64_t turns,
                                                                            struct mk_max_index_bonus bonus)
{
    const size_t arms = m->setup->arms;
    size_t before = arms, home = arms; /* the arm of the previous round, and the last one that stayed for long */
    struct mk_max_index_turns group = {.wait = 4};
    uint64_t steps = 0;
    for (uint64_t t = first, end; t <= last; t = end + 1) {
        if (++steps % MK_MAX_INDEX_LOOK == 0 && play->stopped && play->stopped()) return;
        if (group.changes >= group.wait) {
            end = t - 1 + mk_max_index_take_turns(m, play, t, last, &bonus, &group);
            group.changes = end < t ? 0 : group.wait;
            if (end >= t) continue;
        }
        size_t arm = (size_t)((t - 1) % arms);
        end = t;
        if (t > turns) {
            double c = bonus.at(m->setup, t);
            arm = mk_max_index_select(m, c);
            group.changes += arm != before && before < arms && m->max[arm] == m->max[before];
            uint64_t run = mk_record_before(play, arm) - 1;
            if (run && (arm == before || arm == home)) {
                end = mk_max_index_stay(m, arm, t, c, run < last - t ? t + run : last, bonus);
                home = arm;
            }
        }
        before = arm;
        double reward = mk_record_pull(play, arm, end - t + 1);
        m->n[arm] += end - t;
        mk_max_index_update(m, arm, reward);
    }
}

#endif
