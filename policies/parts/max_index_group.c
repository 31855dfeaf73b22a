#include "policies/parts/max_index_group.h"

#include <stdbool.h>
#include <string.h>

#include "policies/parts/uniform_split.h"

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

static double bonus_upper(const struct stretch *g, uint64_t t)
{
    return g->bonus->at(g->m->setup, t) * (1 + mk_max_index_widen(g->bonus->power)) * g->m->scaling.range;
}

static double bonus_lower(const struct stretch *g, uint64_t t)
{
    return g->bonus->at(g->m->setup, t) * (1 - mk_max_index_widen(g->bonus->power)) * g->m->scaling.range;
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
 * the last place of the maximum. */
static bool is_apart(const struct stretch *g, uint64_t top)
{
    double n = (double)(top + 1);
    return g->lo > 0 && 1.75 * g->lo > 0x1p-52 * fabs(g->max) * (n * n * n) && n < 0x1p46;
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
    if (!g->bonus->argument) return false;
    uint64_t top = p->low + p->width - 1, end = g->t + g->rounds;
    double m = (double)g->arms, moving = (double)((top < no_end ? top : p->low) + 1);
    double u = (double)g->bonus->argument(g->m->setup, g->t);
    if (!(2 * m * moving * g->bonus->power <= u * log(u + (double)(g->rounds - 1)))) return false;
    uint64_t window = 2 * g->arms + 4 + (uint64_t)(m * moving * 0x1p-48);
    double least = bonus_lower(g, window < g->rounds ? end - 1 - window : g->t),
           x = value(g, bonus_upper(g, end - 1), p->low);
    if (p->low > 1 && !(value(g, least, p->low - 1) > x)) return false;
    return g->m->random_ties || value(g, top < no_end ? least : bonus_lower(g, g->t), top) >= x;
}

/* 1: no arm outside the group is chosen, its index being below the group's largest, or equal to that of a lower member
 * with no more pulls than planned (p; NULL: ties do not go to the lowest). */
static bool is_ahead(const struct stretch *g, const struct plan *p)
{
    const struct mk_max_index *m = g->m;
    double least = value(g, g->lo, (g->total + g->rounds - 1) / g->arms), tied = -INFINITY;
    size_t position = 0;
    for (size_t j = 0; j < m->setup->arms; j++) {
        double index = m->max[j] + g->hi * m->inv_n2[j];
        if (!is_member(g, j) && !(index < least || index <= tied)) return false;
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
    struct mk_uniform_split shares = mk_uniform_split_of(m->setup->rng, g->rounds, g->arms);
    for (size_t j = g->first, left = g->arms; left > 0; j++) {
        if (!is_member(g, j)) continue;
        pull(m, play, j, mk_uniform_split_next(&shares));
        left--;
    }
    return true;
}

uint64_t mk_max_index_take_turns(struct mk_max_index *m, struct mk_record_play *play, uint64_t t, uint64_t last,
                                 const struct mk_max_index_bonus *bonus, struct mk_max_index_turns *turns)
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
        *turns = (struct mk_max_index_turns){.wait = 1, .reach = 4 * reach};
        return g.rounds;
    }
    *turns = (struct mk_max_index_turns){.wait = turns->wait < LONGEST_WAIT ? 2 * turns->wait : LONGEST_WAIT,
                                         .reach = 4 * MK_UNIFORM_SPLIT_LEAST};
    return 0;
}
