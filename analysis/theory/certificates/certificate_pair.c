#include "analysis/theory/certificates/certificate_pair.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/theory/certificates/certificate_parts.h"
#include "analysis/theory/certificates/certificate_walk.h"
#include "sim/base/error.h"

static const double coarse = 0.25; /* of Theorem 1: bounds of the other arms */
static const double chance[] = {0,    1e-6, 1e-4, 1e-3,
                                3e-3, 0.01, 0.03, 0.1}; /* that one of them has more than d_l pulls */
static const double most_missed = 0.7;                  /* q with which there is nothing left to gain */
static const double fewer = 0.8;                        /* the next d is at most this part of the one before */

/* ---- tails ---- */

/* The bound for N > m; *k: the first point after m (from above), or not before it, for m that do not fall. */
static double bound_at(const struct mk_certified_side *s, enum mk_side side, uint64_t m, size_t *k)
{
    if (side == MK_FROM_ABOVE) {
        while (*k < s->n && s->m[*k] <= m) ++*k;
        return *k > 0 ? s->tail[*k - 1] : 1;
    }
    while (*k < s->n && s->m[*k] < m) ++*k;
    return *k < s->n ? s->tail[*k] : 0;
}

static double best_of(double a, double b, enum mk_side side)
{
    return side == MK_FROM_ABOVE ? fmin(a, b) : fmax(a, b);
}

int mk_tails_join(struct mk_certified_side *s, const struct mk_certified_side *other, enum mk_side side,
                  struct mk_error *err)
{
    uint64_t *point = malloc((s->n + other->n + 1) * sizeof *point);
    double *tail = malloc((s->n + other->n + 1) * sizeof *tail);
    size_t n = 0, own = 0, its = 0;
    if (!point || !tail) {
        free(point);
        free(tail);
        return mk_fail_memory(err, "the certificate");
    }
    for (size_t a = 0, b = 0; a < s->n || b < other->n;) {
        const uint64_t m = b == other->n || (a < s->n && s->m[a] < other->m[b]) ? s->m[a] : other->m[b];
        while (a < s->n && s->m[a] == m) a++;
        while (b < other->n && other->m[b] == m) b++;
        point[n] = m;
        tail[n++] = best_of(bound_at(s, side, m, &own), bound_at(other, side, m, &its), side);
    }
    free(s->m);
    free(s->tail);
    s->n = n;
    s->m = point;
    s->tail = tail;
    return MK_OK;
}

double mk_tail_mean(const struct mk_certified_side *s, enum mk_side side, uint64_t most)
{
    const double error = ((double)s->n + 8) * DBL_EPSILON;
    double sum = 1;
    uint64_t m = 1; /* P(N > 0) = 1; N > m for m = 1 ... most - 1 is left */
    if (side == MK_FROM_ABOVE) {
        double tail = 1;
        for (size_t k = 0; k < s->n && m < most; k++) {
            if (s->m[k] > m) {
                const uint64_t end = s->m[k] < most ? s->m[k] : most;
                sum += (double)(end - m) * tail;
                m = end;
            }
            tail = fmin(tail, s->tail[k]);
        }
        return (sum + (double)(most - m) * tail) * (1 + error);
    }
    for (size_t k = 0; k < s->n && m < most; k++) {
        if (s->m[k] < m) continue;
        const uint64_t end = s->m[k] < most - 1 ? s->m[k] + 1 : most;
        sum += (double)(end - m) * s->tail[k];
        m = end;
    }
    return sum * (1 - error);
}

/* ---- the other arms ---- */

struct pair {
    const struct mk_race *race;
    size_t arm, partner;
    enum mk_side side;
    double refinement;
    struct mk_upper_tail *tail; /* [arms] of the other arms, by Theorem 1 */
    size_t *same;               /* [arms] the arm whose tail an arm has, the first one of its kind */
};

static uint64_t most_of(const struct mk_race *race)
{
    return race->horizon - (uint64_t)race->arms + 1;
}

/* For every other arm. */
static int fill_tails(struct pair *p, const size_t *rank, struct mk_error *err)
{
    const struct mk_race *race = p->race;
    int code = MK_OK;
    for (size_t k = 0; !code && k < race->arms; k++) {
        p->same[k] = k;
        if (k == p->arm || k == p->partner) continue;
        for (size_t j = 0; j < k && p->same[k] == k; j++)
            if (j != p->arm && j != p->partner && mk_known_equal(&race->arm[j], &race->arm[k])) p->same[k] = j;
        if (p->same[k] == k) code = mk_upper_tail_new(&p->tail[k], race, k, rank, coarse, err);
    }
    return code;
}

/* The fewest pulls that an arm exceeds with a probability of at most `chance`; that probability is added to *missed. */
static uint64_t pulls_of(const struct mk_upper_tail *t, double most_chance, uint64_t most, double *missed)
{
    for (size_t k = 0; k < t->n; k++)
        if (t->tail[k] <= most_chance) {
            *missed += t->tail[k];
            return t->m[k];
        }
    return most;
}

/* d, at most T - 2, and q. */
static uint64_t pulls_of_others(const struct pair *p, double most_chance, double *missed)
{
    const uint64_t all = p->race->horizon - 2;
    uint64_t sum = 0;
    *missed = 0;
    for (size_t k = 0; k < p->race->arms; k++) {
        if (k == p->arm || k == p->partner) continue;
        const uint64_t own = pulls_of(&p->tail[p->same[k]], most_chance, most_of(p->race), missed);
        sum = own < all - sum ? sum + own : all;
    }
    *missed *= 1 + (double)p->race->arms * DBL_EPSILON;
    if (sum == all) *missed = 0;
    return sum;
}

/* ---- walks ---- */

/* Bounds by d and q from the tail of a walk in favour of arm i, or of arm b for T' rounds. */
static void read_above(struct mk_certified_side *w, double missed)
{
    for (size_t k = 0; k < w->n; k++) w->tail[k] = fmin(1, (w->tail[k] + missed) * (1 + 4 * DBL_EPSILON));
}

static void read_below(struct mk_certified_side *w, uint64_t rounds, double missed)
{
    size_t n = 0;
    for (size_t k = w->n; k-- > 0;) { /* P(N^ > T' - 1 - m) <= tail[k] for m <= T' - 1 - m[k] */
        const double tail = 1 - w->tail[k] - missed - 8 * DBL_EPSILON;
        if (w->m[k] + 1 >= rounds || !(tail > 0)) continue;
        w->m[w->n + n] = rounds - 1 - w->m[k];
        w->tail[w->n + n++] = tail;
    }
    memmove(w->m, w->m + w->n, n * sizeof *w->m);
    memmove(w->tail, w->tail + w->n, n * sizeof *w->tail);
    w->n = n;
}

static int make_room(struct mk_certified_side *w, struct mk_error *err)
{
    uint64_t *m = realloc(w->m, (2 * w->n + 1) * sizeof *m);
    if (m) w->m = m;
    double *tail = realloc(w->tail, (2 * w->n + 1) * sizeof *tail);
    if (tail) w->tail = tail;
    return m && tail ? MK_OK : mk_fail_memory(err, "the certificate");
}

/* Improves *out by the walk for one d and q. */
static int use_walk(struct mk_certified_side *out, const struct pair *p, uint64_t others, double missed,
                    struct mk_error *err)
{
    const struct mk_race *race = p->race;
    const bool above = p->side == MK_FROM_ABOVE;
    const uint64_t least = (uint64_t)race->arms - 2, rounds = race->horizon - (above ? least : others);
    const size_t own = above ? p->arm : p->partner, rival = above ? p->partner : p->arm;
    const struct mk_known_cdf arm[] = {race->arm[own], race->arm[rival]};
    struct mk_race pair = *race;
    struct mk_certified_side walk = MK_NO_SIDE;
    pair.arms = 2;
    pair.arm = arm;
    pair.horizon = rounds;
    pair.others = (struct mk_race_others){least, others, race->horizon};
    int code = mk_walk_above(&walk, &pair, 0, p->refinement, err);
    if (!code) code = make_room(&walk, err);
    if (!code) {
        if (above)
            read_above(&walk, missed);
        else
            read_below(&walk, rounds, missed);
        code = mk_tails_join(out, &walk, p->side, err);
    }
    mk_certified_side_clear(&walk);
    return code;
}

/* For one d after the other, as long as they fall. */
static int use_walks(struct mk_certified_side *out, const struct pair *p, struct mk_error *err)
{
    const bool above = p->side == MK_FROM_ABOVE;
    double before = INFINITY;
    int code = MK_OK;
    for (size_t c = 0; !code && c < sizeof chance / sizeof *chance; c++) {
        double missed;
        const uint64_t others = pulls_of_others(p, chance[c], &missed);
        if (missed > most_missed) break;
        if (!above && others + 3 > p->race->horizon) continue;
        if ((double)others >= fewer * before) continue;
        before = (double)others;
        code = use_walk(out, p, others, missed, err);
    }
    return code;
}

bool mk_pair_applies(const struct mk_race *race)
{
    return race->scale == MK_RACE_UNSCALED && !race->falling && race->horizon >= (uint64_t)race->arms + 2;
}

int mk_pair_side(struct mk_certified_side *out, const struct mk_race *race, size_t arm, enum mk_side side,
                 const size_t *rank, double refinement, struct mk_error *err)
{
    struct pair p = {.race = race, .arm = arm, .partner = rank[rank[0] == arm], .side = side, .refinement = refinement};
    p.tail = calloc(race->arms, sizeof *p.tail);
    p.same = calloc(race->arms, sizeof *p.same);
    *out = MK_NO_SIDE;
    int code = p.tail && p.same ? fill_tails(&p, rank, err) : mk_fail_memory(err, "the certificate");
    if (!code) code = use_walks(out, &p, err);
    for (size_t k = 0; p.tail && k < race->arms; k++) mk_upper_tail_clear(&p.tail[k]);
    free(p.tail);
    free(p.same);
    if (code) mk_certified_side_clear(out);
    out->mean = mk_tail_mean(out, side, most_of(race));
    out->by = MK_BY_THEOREM_16;
    return code;
}
