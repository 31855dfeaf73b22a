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
 * the interval test decides whether it is; otherwise the stretch ends at another round.
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

enum {
    MOST_CUTS = 64,   /* times the group is reduced */
    MOST_SHIFTS = 12, /* ends tried for one length */
    MOST_MOVES = 32,  /* of an end towards the beginning of a level */
    LONGEST_WAIT = 1 << 10
};

/* Above every count. */
static const uint64_t no_end = UINT64_C(1) << 56;

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

/* Counts at the end: low + width for the first arms, low for the last ones, `rest` above low in all. */
struct plan {
    uint64_t low, width, rest;
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
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): width >= 1, see make_plan */
    uint64_t passed = p->rest / p->width; /* arms that have passed the level */
    return position < passed ? p->low + p->width : position == passed ? p->low + p->rest % p->width : p->low;
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

/* N_x of the round with this bonus: the largest n <= no_end with a value of at least x, 0 for none; the search starts
 * from `near` in 1 … no_end. */
static uint64_t last_at_least(const struct stretch *g, double scaled, double x, uint64_t near)
{
    uint64_t in = near, out = near, step = 1;
    if (value(g, scaled, near) >= x) {
        while (in < no_end && value(g, scaled, in) >= x) {
            near = in;
            in = no_end - in > step ? in + step : no_end;
            step *= 2;
        }
        if (value(g, scaled, in) >= x) return in;
        out = in;
        in = near;
    } else {
        while (in > 0 && value(g, scaled, in) < x) {
            out = in;
            in = in > step ? in - step : 0;
            step *= 2;
        }
    }
    while (out - in > 1) {
        uint64_t middle = in + (out - in) / 2;
        if (value(g, scaled, middle) >= x)
            in = middle;
        else
            out = middle;
    }
    return in;
}

/* Ties at random: moves the end to the beginning of the level in which it lies. The beginning moves too, but less. */
static uint64_t move_to_beginning(struct stretch *g, double x, uint64_t low)
{
    for (int i = 0; i < MOST_MOVES; i++) {
        g->rounds = g->arms * low > g->total ? g->arms * low - g->total : 0;
        if (g->rounds == 0) return low;
        uint64_t now = last_at_least(g, bonus_upper(g, g->t + g->rounds - 1), nextafter(x, INFINITY), low) + 1;
        if (now == low) return low;
        low = now;
    }
    return low;
}

/* 1: apart. Otherwise 0, and the level in which the stretch ends. With ties at random the end is moved to a round where
 * all counts are equal; no rounds are left if there is no such round. */
static bool make_plan(struct stretch *g, struct plan *p)
{
    const bool all_equal = g->m->random_ties;
    uint64_t base = (g->total + g->rounds) / g->arms, low = base, top = base;
    int apart = is_apart(g, base + 1);
    if (!apart) {
        double scaled = bonus_upper(g, g->t + g->rounds - 1), x = value(g, scaled, base);
        low = last_at_least(g, scaled, nextafter(x, INFINITY), base) + 1;
        if (all_equal)
            top = low = move_to_beginning(g, x, low);
        else
            top = last_at_least(g, scaled, x, base);
    } else if (all_equal) {
        g->rounds = g->arms * low > g->total ? g->arms * low - g->total : 0;
    }
    *p = (struct plan){low, top - low + 1, g->total + g->rounds - g->arms * low};
    return apart;
}

/* 1 when (*) holds for the level of the plan. */
static bool is_sure(const struct stretch *g, const struct plan *p)
{
    if (g->bonus->constant) return true; /* and so is N_z */
    if (!g->bonus->argument) return false;
    uint64_t top = p->low + p->width - 1, end = g->t + g->rounds;
    double m = (double)g->arms, moving = (double)((top < no_end ? top : p->low) + 1);
    double u = (double)g->bonus->argument(g->m->setup, g->t);
    if (!(2 * m * moving * g->bonus->power <= u * log(u + (double)(g->rounds - 1)))) return false;
    uint64_t window = 2 * g->arms + 4 + (uint64_t)(m * moving * 0x1p-48);
    double min = bonus_lower(g, window < g->rounds ? end - 1 - window : g->t),
           x = value(g, bonus_upper(g, end - 1), p->low);
    if (p->low > 1 && !(value(g, min, p->low - 1) > x)) return false;
    return g->m->random_ties || value(g, top < no_end ? min : bonus_lower(g, g->t), top) >= x;
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

static void pull(struct mk_max_index *m, struct mk_record_play *play, size_t arm, uint64_t count)
{
    if (count == 0) return;
    mk_record_pull(play, arm, count);
    m->n[arm] += count;
    double n = (double)m->n[arm];
    m->inv_n2[arm] = 1.0 / (n * n);
}

static void carry_out(struct stretch *g, struct mk_record_play *play, const struct plan *p)
{
    for (size_t j = g->first, position = 0; position < g->arms; j++)
        if (is_member(g, j)) pull(g->m, play, j, planned(p, position++) - g->m->n[j]);
}

/* 1: done; 0: not this length; -1: not this end, maybe one a little before. */
static int take_apart(struct stretch *g, struct mk_record_play *play)
{
    const uint64_t rounds = g->rounds;
    const struct mk_setup *s = g->m->setup;
    const int random = g->m->random_ties;
    struct plan p;
    uint64_t above = 1;
    int apart = 0;
    memset(g->m->left_out, 0, s->arms);
    for (int i = 0; i < MOST_CUTS && above > 0; i++) { /* without the arms above their share */
        g->rounds = rounds;
        gather(g);
        if (g->arms < 2) return 0;
        apart = make_plan(g, &p);
        above = most_above(g, &p);
        if (above > 0) leave_out(g, &p, above);
    }
    if (above > 0 || g->rounds == 0 || !is_within(g, play, &p)) return 0;
    if (random && !apart && g->rounds < MK_UNIFORM_SPLIT_LEAST) return 0;
    if (!is_ahead(g, random ? NULL : &p)) return 0;
    if (!apart && !is_sure(g, &p)) return -1;
    if (apart && random) mk_pcg64_advance(s->rng, g->rounds - (p.low - g->fewest));
    carry_out(g, play, &p);
    return 1;
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
        pull(m, play, j, mk_uniform_split_next(&shares));
        left--;
    }
    return true;
}

/* When to look for a group, and how far. */
struct turns {
    uint64_t changes,
        wait;       /* changes between equal maxima since the last look for a group; number that triggers the next */
    uint64_t reach; /* rounds to try; 0: at the start */
};

/* Plays a stretch of rounds from t on, up to `last`, of the arms that share the largest maximum. Returns the number of
 * rounds, 0 if none is certain. Every arm has been pulled. Cost O(K) for each of about a dozen lengths tried. */
static uint64_t take_turns(struct mk_max_index *m, struct mk_record_play *play, uint64_t t, uint64_t last,
                           const struct mk_max_index_bonus *bonus, struct turns *turns)
{
    struct stretch g = {.m = m, .bonus = bonus, .max = -INFINITY, .t = t};
    uint64_t arms = 0, most = last - t + 1, reach = turns->reach ? turns->reach : 2 * t;
    for (size_t j = 0; j < m->setup->arms; j++) {
        if (m->max[j] > g.max) arms = 0;
        g.max = m->max[j] > g.max ? m->max[j] : g.max;
        arms += m->max[j] == g.max;
    }
    for (reach = reach < most ? reach : most; arms > 1 && reach >= 4 * arms; reach /= 2) {
        int done = 0;
        for (uint64_t shift = 0; shift < MOST_SHIFTS && shift * arms < reach / 2; shift++) {
            g.rounds = reach - shift * arms;
            g.hi = fmax(bonus_upper(&g, t), bonus_upper(&g, t + g.rounds - 1));
            g.lo = fmin(bonus_lower(&g, t), bonus_lower(&g, t + g.rounds - 1));
            done = take_apart(&g, play);
            if (done == 0 && m->random_ties) {
                g.rounds = reach - shift * arms;
                done = share_out(&g, play);
            }
            if (done >= 0) break;
        }
        if (done <= 0) continue;
        mk_tournament_forget(&m->tournament);
        *turns = (struct turns){.wait = 1, .reach = 4 * reach};
        return g.rounds;
    }
    *turns = (struct turns){.wait = turns->wait < LONGEST_WAIT ? 2 * turns->wait : LONGEST_WAIT,
                            .reach = 4 * MK_UNIFORM_SPLIT_LEAST};
    return 0;
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
    struct turns group = {.wait = 4};
    uint64_t steps = 0;
    if (first == burnt + 1 && m->scaling.scale == MK_SCALE_MINMAX) mk_record_play_watch_low(play, arms);
    for (uint64_t t = first, end; t <= last; t = end + 1) {
        if (mk_record_play_stops(play, ++steps, t)) return;
        if (group.changes >= group.wait) {
            end = t - 1 + take_turns(m, play, t, last, &bonus, &group);
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
