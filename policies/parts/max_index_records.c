#include "policies/parts/max_index_records.h"

#include <math.h>
#include <stdbool.h>

enum { LOOK = 1 << 16 }; /* changes of arm between two checks whether to stop: some milliseconds */

/* 1 when the interval test shows that arm, chosen at round t with c_t = c, is chosen at rounds t … end. */
static bool holds(const struct mk_max_index *m, size_t arm, uint64_t t, double c, uint64_t end,
                  const struct mk_max_index_bonus *bonus)
{
    const size_t arms = m->setup->arms;
    const double widen = mk_max_index_widen(bonus->power);
    double c_end = bonus->at(m->setup, end), n = (double)(m->n[arm] + (end - t));
    double hi = (c > c_end ? c : c_end) * (1 + widen) * m->scaling.range;
    double lo = (c > c_end ? c_end : c) * (1 - widen) * m->scaling.range;
    double least = m->max[arm] + lo * (1.0 / (n * n));
    int passed = 0;
    if (m->tournament.used) return mk_tournament_below(&m->tournament, arm, hi, least, !m->random_ties);
    for (size_t j = 0; j < arm; j++) passed |= !(m->max[j] + hi * m->inv_n2[j] < least);
    if (m->random_ties)
        for (size_t j = arm + 1; j < arms; j++) passed |= !(m->max[j] + hi * m->inv_n2[j] < least);
    else
        for (size_t j = arm + 1; j < arms; j++) passed |= !(m->max[j] + hi * m->inv_n2[j] <= least);
    return !passed;
}

/* About the last round before a rival passes the arm, which has the largest maximum; t when that is not known. */
static uint64_t guess(const struct mk_max_index *m, size_t arm, uint64_t t, uint64_t limit,
                      double (*reaches)(const struct mk_setup *, double))
{
    double need = INFINITY, q = 1;
    if (m->tournament.used) {
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
static uint64_t stay(const struct mk_max_index *m, size_t arm, uint64_t t, double c, uint64_t limit,
                     struct mk_max_index_bonus bonus)
{
    uint64_t end = bonus.reaches ? guess(m, arm, t, limit, bonus.reaches) : t;
    for (uint64_t back = 1; end > t; back *= 2) {
        if (holds(m, arm, t, c, end, &bonus)) return end;
        if (end - t <= back) break;
        end -= back;
    }
    end = t;
    for (uint64_t step = 1; end < limit; step *= 2) {
        uint64_t further = limit - end < step ? limit : end + step;
        if (!holds(m, arm, t, c, further, &bonus)) break;
        end = further;
    }
    return end;
}

void mk_max_index_play_records(struct mk_max_index *m, struct mk_record_play *play, uint64_t first, uint64_t last,
                               uint64_t burnt, struct mk_max_index_bonus bonus)
{
    const size_t arms = m->setup->arms;
    const uint64_t turns = burnt + arms;
    size_t before = arms, home = arms; /* the arm of the previous round, and the last one that stayed for long */
    struct mk_max_index_turns group = {.wait = 4};
    uint64_t steps = 0;
    if (first == burnt + 1 && m->scaling.scale == MK_SCALE_MINMAX) mk_record_play_watch_low(play, arms);
    for (uint64_t t = first, end; t <= last; t = end + 1) {
        if (++steps % LOOK == 0 && play->stopped && play->stopped()) return;
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
                end = stay(m, arm, t, c, run < last - t ? t + run : last, bonus);
                home = arm;
            }
        }
        before = arm;
        double reward = mk_record_pull(play, arm, end - t + 1);
        m->n[arm] += end - t;
        mk_max_index_update(m, arm, reward, end);
    }
}
