#include "policies/parts/max_index_levels.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "policies/parts/uniform_split.h"

enum {
    MOST_MOVES = 8,  /* of the end, for one length */
    MOST_SHIFTS = 8, /* ends tried for one length */
    EXACT = 32       /* last rounds that are checked one by one */
};

/* Above every count. */
static const uint64_t no_end = UINT64_C(1) << 56;

struct levels {
    struct mk_max_index *m;
    const struct mk_max_index_bonus *bonus;
    uint64_t t, rounds, total;
    double at_end; /* s of the last round */
    double x;      /* the threshold: index x or more is passed by all arms, the one just below by arms before `part` */
    size_t part;
    uint64_t rest; /* pulls of arm `part` with the index just below x */
};

static double value(const struct levels *g, size_t i, double s, uint64_t n)
{
    double pulls = (double)n;
    return g->m->max[i] + s * (1.0 / (pulls * pulls));
}

/* The number of n in 1 … no_end with v_i(n, s) >= x. */
static uint64_t count(const struct levels *g, size_t i, double s, double x)
{
    const double about = sqrt(s / (x - g->m->max[i]));
    uint64_t in = about >= 1 ? about < (double)no_end ? (uint64_t)about : no_end : 1, out = in, step = 1;
    if (x <= g->m->max[i]) return no_end;
    if (value(g, i, s, in) >= x) {
        for (out = in; out < no_end && value(g, i, s, out) >= x; step *= 2) {
            in = out;
            out = no_end - out > step ? out + step : no_end;
        }
        if (value(g, i, s, out) >= x) return out;
    } else {
        for (in = out; in > 0 && value(g, i, s, in) < x; step *= 2) {
            out = in;
            in = in > step ? in - step : 0;
        }
    }
    while (out - in > 1) {
        uint64_t middle = in + (out - in) / 2;
        if (value(g, i, s, middle) >= x)
            in = middle;
        else
            out = middle;
    }
    return in;
}

/* The count of arm i that has been pulled while its index was at least x. */
static uint64_t reached(const struct levels *g, size_t i, double s, double x)
{
    const uint64_t n = g->m->n[i];
    return value(g, i, s, n) < x ? n : count(g, i, s, x) + 1;
}

/* The sum of these counts, or something larger than `most`. */
static uint64_t sum_reached(const struct levels *g, double x, uint64_t most)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < g->m->setup->arms && sum <= most; i++) sum += reached(g, i, g->at_end, x);
    return sum;
}

/* Doubles in their order as integers, and back. */
static int64_t place(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

static double at_place(int64_t place)
{
    const int64_t bits = place < 0 ? INT64_MIN - place : place;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The smallest threshold whose counts sum up to at most total + rounds; false: there is none that is finite. */
static bool find_threshold(struct levels *g)
{
    const struct mk_max_index *m = g->m;
    double below = -INFINITY, above = -INFINITY;
    for (size_t i = 0; i < m->setup->arms; i++) {
        below = fmax(below, m->max[i]);
        above = fmax(above, value(g, i, g->at_end, m->n[i]));
    }
    above = nextafter(above, INFINITY);
    if (!isfinite(above) || !(g->at_end > 0)) return false;
    int64_t low = place(below), high = place(above);
    for (uint64_t apart; (apart = (uint64_t)high - (uint64_t)low) > 1;) { /* may exceed INT64_MAX */
        const int64_t middle = low + (int64_t)(apart / 2);
        if (sum_reached(g, at_place(middle), g->total + g->rounds) > g->total + g->rounds)
            low = middle;
        else
            high = middle;
    }
    g->x = at_place(high);
    return true;
}

/* The counts at the end. With ties to the lowest, arms pass an index one after the other. With ties at random the end
 * of the stretch is moved back to where all have passed. */
static bool make_plan(struct levels *g)
{
    const size_t arms = g->m->setup->arms;
    for (int i = 0; i < MOST_MOVES && g->rounds > 0; i++) {
        g->at_end = g->m->scaling.range * g->bonus->at(g->m->setup, g->t + g->rounds - 1);
        if (!find_threshold(g)) return false;
        const uint64_t end = sum_reached(g, g->x, UINT64_MAX) - g->total;
        g->part = 0;
        g->rest = g->rounds - end;
        if (g->rest == 0) return true;
        if (g->m->random_ties) {
            g->rounds = end;
            continue;
        }
        const double below = nextafter(g->x, -INFINITY);
        for (; g->part + 1 < arms; g->part++) {
            const uint64_t level = reached(g, g->part, g->at_end, below) - reached(g, g->part, g->at_end, g->x);
            if (g->rest < level) break;
            g->rest -= level;
        }
        return true;
    }
    return false;
}

/* b_i. */
static uint64_t planned(const struct levels *g, size_t i)
{
    const bool has_passed = i < g->part;
    const uint64_t b = reached(g, i, g->at_end, has_passed ? nextafter(g->x, -INFINITY) : g->x);
    return i == g->part ? b + g->rest : b;
}

/* Z(s): the largest index, of the lowest such arm, and the same without that arm. */
struct highest {
    double z[2];
    size_t arm[2];
};

static struct highest find_highest(const struct levels *g, double s)
{
    struct highest h = {{-INFINITY, -INFINITY}, {0, 0}};
    for (size_t i = 0; i < g->m->setup->arms; i++) {
        const double v = value(g, i, s, planned(g, i));
        const int at = v > h.z[0] ? 0 : 1;
        if (!(v > h.z[at])) continue;
        if (at == 0) {
            h.z[1] = h.z[0];
            h.arm[1] = h.arm[0];
        }
        h.z[at] = v;
        h.arm[at] = i;
    }
    return h;
}

/* a_i(s, Z). */
static uint64_t passed(const struct levels *g, size_t i, double s, const struct highest *h)
{
    const int at = i == h->arm[0];
    const bool wins_ties = !g->m->random_ties && i < h->arm[at];
    return reached(g, i, s, wins_ties ? h->z[at] : nextafter(h->z[at], INFINITY));
}

/* The left side of (*) in rounds with an s from lo to hi, or something larger than `most`. */
static uint64_t lag(const struct levels *g, double lo, double hi, uint64_t most)
{
    const struct highest h = find_highest(g, hi);
    uint64_t sum = 0;
    for (size_t i = 0; i < g->m->setup->arms && sum <= most; i++) {
        const uint64_t b = planned(g, i), a = b > g->m->n[i] ? passed(g, i, lo, &h) : b;
        sum += b > a ? b - a : 0;
    }
    return sum;
}

/* The same by both ends of lo … hi. */
static uint64_t lag_between(const struct levels *g, double lo, double hi, uint64_t most)
{
    const double s[2] = {lo, hi}, z[2] = {find_highest(g, lo).z[0], find_highest(g, hi).z[0]};
    double size = fabs(z[0]) + fabs(z[1]);
    uint64_t sum = 0;
    for (size_t i = 0; i < g->m->setup->arms; i++) size = fmax(size, fabs(g->m->max[i]));
    for (size_t i = 0; i < g->m->setup->arms && sum <= most; i++) {
        const uint64_t b = planned(g, i);
        uint64_t least = b;
        for (int end = 0; end < 2 && b > g->m->n[i]; end++) {
            const uint64_t a = reached(g, i, s[end], z[end] + 0x1p-48 * size);
            least = a < least ? a : least;
        }
        sum += b - least;
    }
    return sum;
}

/* (*) in the round `left` rounds before the last one. */
static bool holds_in(const struct levels *g, uint64_t left)
{
    const double s = g->m->scaling.range * g->bonus->at(g->m->setup, g->t + g->rounds - 1 - left);
    return lag(g, s, s, left) <= left;
}

/* (*) in the rounds that are `least` to `most` rounds before the last one. */
static bool holds_between(const struct levels *g, uint64_t least, uint64_t most)
{
    const struct mk_max_index *m = g->m;
    const uint64_t last = g->t + g->rounds - 1;
    const double widen = mk_max_index_widen(g->bonus->power);
    const double a = g->bonus->at(m->setup, last - most), b = g->bonus->at(m->setup, last - least);
    const double lo = fmin(a, b) * (1 - widen) * m->scaling.range, hi = fmax(a, b) * (1 + widen) * m->scaling.range;
    return lag(g, lo, hi, least) <= least || lag_between(g, lo, hi, least) <= least;
}

static bool is_certain(const struct levels *g)
{
    uint64_t left = 0;
    for (; left < EXACT && left < g->rounds; left++) {
        if (!holds_in(g, left)) return false;
        if (g->bonus->constant) return true; /* the left side of (*) is 0 in every round */
    }
    for (uint64_t most; left < g->rounds; left = most + 1) {
        most = g->rounds - 1 - left > left ? 2 * left : g->rounds - 1;
        if (!holds_between(g, left, most)) return false;
    }
    return true;
}

static bool is_before_records(const struct levels *g, const struct mk_record_play *play)
{
    for (size_t i = 0; i < g->m->setup->arms; i++)
        if (planned(g, i) - g->m->n[i] >= mk_record_before(play, i)) return false;
    return true;
}

uint64_t mk_max_index_levels(struct mk_max_index *m, struct mk_record_play *play, uint64_t t, uint64_t rounds,
                             const struct mk_max_index_bonus *bonus)
{
    const size_t arms = m->setup->arms;
    struct levels g = {.m = m, .bonus = bonus, .t = t};
    for (size_t i = 0; i < arms; i++) g.total += m->n[i];
    for (uint64_t shift = 0; shift < MOST_SHIFTS && shift * arms < rounds / 2; shift++) {
        g.rounds = rounds - shift * arms;
        if (!make_plan(&g) || !is_before_records(&g, play)) return 0;
        if (m->random_ties && g.rounds < MK_UNIFORM_SPLIT_LEAST) return 0;
        if (!is_certain(&g)) continue;
        for (size_t i = 0; i < arms; i++)
            if (planned(&g, i) > m->n[i]) mk_max_index_pull(m, play, i, planned(&g, i) - m->n[i]);
        return g.rounds;
    }
    return 0;
}
