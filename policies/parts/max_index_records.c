#include "policies/parts/max_index_records.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "policies/parts/uniform_split.h"

/* ---- arms that share the largest maximum ----
 *
 * Arms that share the largest maximum M (equal point masses at the top: Bernoulli arms, clipped ones) take turns, and
 * their pulls over a long stretch of rounds are computed in one step.
 *
 * Notation. G is the group, m its size, W(t) the sum of its counts before round t. Arms of G differ by their counts
 * alone: with v_t(n) = fl(M + fl(s_t fl(1/n^2))), s_t = range * c_t, exactly the number that select compares, round t
 * goes to the largest v_t(n_i), ties to the lowest arm. v_t(n) never rises with n. e is the round after the stretch.
 *
 * While v_t(n) > v_t(n+1) for all counts that occur, which follows from 2 s_t / (n+1)^3 being above the rounding
 * errors, the fewest pulls come first and equal counts in the order of arms, however s_t moves: counts fill up level by
 * level. With base = floor(W(e) / m) the first W(e) - m base arms end at base + 1 and the others at base. Later,
 * rounding makes the indices of many n equal, and levels of many pulls each are left to max_index_levels.h.
 *
 * Ties at random. Every level takes one draw for each of its rounds but the last: the stream is advanced by as many, to
 * an end at which all counts are equal. (A bounded draw rejects numbers with a probability below m / 2^64; if one had
 * been rejected, the stream would be a different one of the same distribution.) Where rounding has made the indices of
 * many n equal, each round goes to one of the tied arms uniformly while none can leave: counts are multinomial. There
 * the numbers drawn differ from those of the per-pull loop, but the distribution does not; only stretches of
 * MK_UNIFORM_SPLIT_LEAST rounds or more are treated this way.
 *
 * No arm outside G is chosen if its index with the largest c_t of the stretch is below the smallest possible value of
 * the largest index of G; nor, with ties to the lowest arm, if it is at most that of a lower member with its final
 * count. An arm above its final count is treated as one outside. */

enum {
    MOST_CUTS = 64, /* times the group is reduced */
    LONGEST_WAIT = 1 << 10,
    LONGEST_WAIT_LEVELS = 1 << 15
};

/* The arms that have the largest maximum, except those set aside, and the rounds t … t + rounds - 1. */
struct stretch {
    struct mk_max_index *m;
    const struct mk_max_index_bonus *bonus;
    double max;
    uint64_t t, rounds;
    size_t arms, first;           /* members, and the lowest of them */
    uint64_t total, fewest, most; /* pulls of the members before round t: sum, extremes */
    double lo, hi;                /* bounds of range * c in these rounds */
};

/* Counts at the end: low + 1 for the first `rest` arms, low for the others. */
struct plan {
    uint64_t low, rest;
};

static bool is_member(const struct stretch *g, size_t j)
{
    return g->m->max[j] == g->max && !g->m->left_out[j];
}

static double value(const struct stretch *g, double scaled, uint64_t n)
{
    double pulls = (double)n;
    return g->max + scaled * (1.0 / (pulls * pulls));
}

static uint64_t planned(const struct plan *p, size_t position)
{
    return p->low + (position < p->rest);
}

static double widening(const struct mk_max_index_bonus *bonus)
{
    return bonus->constant ? 0 : mk_max_index_widen(bonus->power);
}

static double bonus_upper(const struct stretch *g, uint64_t t)
{
    return g->bonus->at(g->m->setup, t) * (1 + widening(g->bonus)) * g->m->scaling.range;
}

static double bonus_lower(const struct stretch *g, uint64_t t)
{
    return g->bonus->at(g->m->setup, t) * (1 - widening(g->bonus)) * g->m->scaling.range;
}

static void gather(struct stretch *g)
{
    g->arms = 0;
    g->total = g->most = 0;
    g->fewest = UINT64_MAX;
    for (size_t j = g->m->setup->arms; j-- > 0;) {
        if (!is_member(g, j)) continue;
        uint64_t n = g->m->n[j];
        g->arms++;
        g->first = j;
        g->total += n;
        if (n < g->fewest) g->fewest = n;
        if (n > g->most) g->most = n;
    }
}

/* v_t(n) > v_t(n+1) for all n up to `top`: their bonuses y differ by at least 2 lo / (n+1)^3 > y / n, of which the
 * rounding of bonuses, below 2^-50 y, takes an eighth at most; the rounded sums differ if the rest is above a unit in
 * the last place of the maximum. With a maximum of 0 the sums are exact: bonuses differ by more than 2 y / (n+1), their
 * three roundings make up to 6 * 2^-53 y for both. */
static bool is_apart(const struct stretch *g, uint64_t top)
{
    double n = (double)(top + 1);
    if (!(g->lo > 0x1p-800)) return false; /* bonuses lose digits near the smallest double */
    if (g->max == 0) return n < 0x1p51;
    return 1.75 * g->lo > 0x1p-52 * fabs(g->max) * (n * n * n) && n < 0x1p46;
}

/* False: not apart. With ties at random the end is moved to a round where all counts are equal; no rounds are left if
 * there is no such round. */
static bool make_plan(struct stretch *g, struct plan *p)
{
    const uint64_t low = (g->total + g->rounds) / g->arms;
    if (!is_apart(g, low + 1)) return false;
    if (g->m->random_ties) g->rounds = g->arms * low > g->total ? g->arms * low - g->total : 0;
    *p = (struct plan){low, g->total + g->rounds - g->arms * low};
    return true;
}

/* 1: no arm outside the group is chosen, its index being below the group's largest, or equal to that of a lower member
 * with no more pulls than planned (p; NULL: ties do not go to the lowest). */
static bool is_ahead(const struct stretch *g, const struct plan *p)
{
    const struct mk_max_index *m = g->m;
    double min = value(g, g->lo, (g->total + g->rounds - 1) / g->arms), tied = -INFINITY;
    size_t position = 0;
    for (size_t j = 0; j < m->setup->arms; j++) {
        double index = m->max[j] + g->hi * m->inv_n2[j];
        if (!is_member(g, j) && !(index < min || index <= tied)) return false;
        if (is_member(g, j) && p) tied = value(g, g->lo, planned(p, position++));
    }
    return true;
}

/* The largest number of pulls of a member that exceeds the plan, 0 for none. */
static uint64_t most_above(const struct stretch *g, const struct plan *p)
{
    uint64_t above = 0;
    for (size_t j = g->first, position = 0; position < g->arms; j++) {
        if (!is_member(g, j)) continue;
        uint64_t n = g->m->n[j];
        if (n > planned(p, position++) && n > above) above = n;
    }
    return above;
}

/* Sets aside the members with `above` pulls, more than planned. */
static void leave_out(struct stretch *g, const struct plan *p, uint64_t above)
{
    for (size_t j = g->first, position = 0; position < g->arms; j++)
        if (is_member(g, j)) g->m->left_out[j] = above > planned(p, position++) && g->m->n[j] == above;
}

/* 1: no member has its next record within the plan. */
static bool is_within(const struct stretch *g, const struct mk_record_play *play, const struct plan *p)
{
    int within = 1;
    for (size_t j = g->first, position = 0; position < g->arms; j++)
        if (is_member(g, j)) within &= planned(p, position++) - g->m->n[j] < mk_record_before(play, j);
    return within;
}

static void carry_out(struct stretch *g, struct mk_record_play *play, const struct plan *p)
{
    for (size_t j = g->first, position = 0; position < g->arms; j++)
        if (is_member(g, j)) {
            const uint64_t more = planned(p, position++) - g->m->n[j];
            if (more > 0) mk_max_index_pull(g->m, play, j, more);
        }
}

static bool take_apart(struct stretch *g, struct mk_record_play *play)
{
    const uint64_t rounds = g->rounds;
    const struct mk_setup *s = g->m->setup;
    const int random = g->m->random_ties;
    struct plan p = {0, 0};
    uint64_t above = 1;
    memset(g->m->left_out, 0, s->arms);
    for (int i = 0; i < MOST_CUTS && above > 0; i++) { /* without the arms above their share */
        g->rounds = rounds;
        gather(g);
        if (g->arms < 2 || !make_plan(g, &p)) return false;
        above = most_above(g, &p);
        if (above > 0) leave_out(g, &p, above);
    }
    if (above > 0 || g->rounds == 0 || !is_within(g, play, &p)) return false;
    if (!is_ahead(g, random ? NULL : &p)) return false;
    if (random) mk_pcg64_advance(s->rng, g->rounds - (p.low - g->fewest));
    carry_out(g, play, &p);
    return true;
}

/* Ties at random: one uniform draw per round among arms that remain tied regardless of their pulls. */
static bool share_out(struct stretch *g, struct mk_record_play *play)
{
    struct mk_max_index *m = g->m;
    double x = -INFINITY;
    if (g->rounds < MK_UNIFORM_SPLIT_LEAST) return false;
    for (size_t j = 0; j < m->setup->arms; j++)
        if (m->max[j] == g->max && value(g, g->hi, m->n[j]) > x) x = value(g, g->hi, m->n[j]);
    for (size_t j = 0; j < m->setup->arms; j++) m->left_out[j] = value(g, g->lo, m->n[j]) != x;
    gather(g);
    if (g->arms < 2 || value(g, g->lo, g->most + g->rounds) != x || !is_ahead(g, NULL)) return false;
    for (size_t j = 0; j < m->setup->arms; j++)
        if (is_member(g, j) && mk_record_before(play, j) <= g->rounds) return false;
    struct mk_uniform_split shares = {m->setup->rng, g->rounds, g->arms};
    for (size_t j = g->first, left = g->arms; left > 0; j++) {
        if (!is_member(g, j)) continue;
        const uint64_t more = mk_uniform_split_next(&shares);
        if (more > 0) mk_max_index_pull(m, play, j, more);
        left--;
    }
    return true;
}

/* Plays a stretch of rounds from t on of the arms that share the largest maximum: at most `rounds`. Returns the number
 * of rounds, 0 if none is certain. */
static uint64_t take_turns(struct mk_max_index *m, struct mk_record_play *play, uint64_t t, uint64_t rounds,
                           const struct mk_max_index_bonus *bonus)
{
    struct stretch g = {.m = m, .bonus = bonus, .max = -INFINITY, .t = t, .rounds = rounds};
    uint64_t arms = 0;
    for (size_t j = 0; j < m->setup->arms; j++) {
        if (m->max[j] > g.max) arms = 0;
        g.max = m->max[j] > g.max ? m->max[j] : g.max;
        arms += m->max[j] == g.max;
    }
    if (arms < 2 || rounds < 4 * arms) return 0;
    g.hi = fmax(bonus_upper(&g, t), bonus_upper(&g, t + rounds - 1));
    g.lo = fmin(bonus_lower(&g, t), bonus_lower(&g, t + rounds - 1));
    if (take_apart(&g, play)) return g.rounds;
    g.rounds = rounds;
    return m->random_ties && share_out(&g, play) ? g.rounds : 0;
}

/* ---- many changes in one step ---- */

typedef uint64_t (*leap_fn)(struct mk_max_index *m, struct mk_record_play *play, uint64_t t, uint64_t rounds,
                            const struct mk_max_index_bonus *bonus);

/* When to try to play many rounds in one step, and how many. */
struct leap {
    leap_fn play;
    uint64_t changes, wait; /* changes of the chosen arm since the last try; number that triggers the next */
    uint64_t least, most;   /* of `wait` */
    uint64_t reach;         /* rounds to try; 0: at the start */
    double worth; /* share of the rounds so far, and of those left, that a step must play to be worth its cost */
};

/* Plays rounds from t on, up to `last`. Returns their number, 0 if none is certain. Every arm has been pulled. */
static uint64_t try_leap(struct leap *l, struct mk_max_index *m, struct mk_record_play *play, uint64_t t, uint64_t last,
                         const struct mk_max_index_bonus *bonus)
{
    const uint64_t most = last - t + 1, reach = l->reach ? l->reach : 2 * t;
    uint64_t played = 0;
    l->changes = 0;
    for (uint64_t rounds = reach < most ? reach : most; rounds >= 8; rounds /= 2) {
        played = l->play(m, play, t, rounds, bonus);
        if (played == 0) continue;
        mk_tournament_forget(&m->tournament);
        l->reach = 4 * rounds;
        if (played < l->worth * fmin((double)t, (double)most)) break;
        l->wait = l->changes = l->least;
        return played;
    }
    l->wait = l->wait < l->most ? 2 * l->wait : l->most;
    if (played == 0) l->reach = 4 * MK_UNIFORM_SPLIT_LEAST;
    return played;
}

/* ---- stretches of one arm ---- */

/* 1 when the interval test shows that arm, chosen at round t with c_t = c, is chosen at rounds t … end. */
static bool holds(const struct mk_max_index *m, size_t arm, uint64_t t, double c, uint64_t end,
                  const struct mk_max_index_bonus *bonus)
{
    const size_t arms = m->setup->arms;
    const double widen = widening(bonus);
    double c_end = bonus->at(m->setup, end), n = (double)(m->n[arm] + (end - t));
    double hi = (c > c_end ? c : c_end) * (1 + widen) * m->scaling.range;
    double lo = (c > c_end ? c_end : c) * (1 - widen) * m->scaling.range;
    double min = m->max[arm] + lo * (1.0 / (n * n));
    int passed = 0;
    if (m->tournament.used) return mk_tournament_below(&m->tournament, arm, hi, min, !m->random_ties);
    for (size_t j = 0; j < arm; j++) passed |= !(m->max[j] + hi * m->inv_n2[j] < min);
    if (m->random_ties)
        for (size_t j = arm + 1; j < arms; j++) passed |= !(m->max[j] + hi * m->inv_n2[j] < min);
    else
        for (size_t j = arm + 1; j < arms; j++) passed |= !(m->max[j] + hi * m->inv_n2[j] <= min);
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
    struct leap turn = {.play = take_turns, .wait = 4, .least = 1, .most = LONGEST_WAIT};
    struct leap levels = {
        .play = mk_max_index_levels, .least = 64 + 4 * arms, .most = LONGEST_WAIT_LEVELS, .worth = 1.0 / 64};
    uint64_t steps = 0;
    levels.wait = levels.least;
    if (first == burnt + 1 && m->scaling.scale == MK_SCALE_MINMAX) mk_record_play_watch_low(play, arms);
    for (uint64_t t = first, end; t <= last; t = end + 1) {
        if (mk_record_play_stops(play, ++steps, t)) return;
        if (turn.changes >= turn.wait) {
            end = t - 1 + try_leap(&turn, m, play, t, last, &bonus);
            if (end >= t) continue;
        }
        if (levels.changes >= levels.wait && arms <= MK_MAX_INDEX_LEVELS_ARMS) {
            end = t - 1 + try_leap(&levels, m, play, t, last, &bonus);
            if (end >= t) continue;
        }
        size_t arm = (size_t)((t - 1) % arms);
        end = t;
        if (t > turns) {
            double c = bonus.at(m->setup, t);
            arm = mk_max_index_select(m, c);
            levels.changes += arm != before && before < arms;
            turn.changes += arm != before && before < arms && m->max[arm] == m->max[before];
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
