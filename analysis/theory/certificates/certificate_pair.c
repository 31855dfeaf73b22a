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
static const double rough = 1;    /* refinement of the walks that show which finer ones may be of use */
static const double hope = 0.05;  /* of P(N^ > m) there, for all m: what these are hoped to leave */
static const double worth = 5e-5; /* of the bound: what a finer walk must promise */

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
    const struct mk_upper_tail *tail; /* [arms] */
};

static uint64_t most_of(const struct mk_race *race)
{
    return race->horizon - (uint64_t)race->arms + 1;
}

static int copy_tail(struct mk_upper_tail *out, const struct mk_upper_tail *from, struct mk_error *err)
{
    *out = *from;
    out->m = malloc((from->n + 1) * sizeof *out->m);
    out->tail = malloc((from->n + 1) * sizeof *out->tail);
    if (!out->m || !out->tail) return mk_fail_memory(err, "the certificate");
    memcpy(out->m, from->m, from->n * sizeof *out->m);
    memcpy(out->tail, from->tail, from->n * sizeof *out->tail);
    return MK_OK;
}

int mk_pair_tails_new(struct mk_upper_tail **out, const struct mk_race *race, const size_t *rank, struct mk_error *err)
{
    struct mk_upper_tail *tail = calloc(race->arms, sizeof *tail);
    int code = tail ? MK_OK : mk_fail_memory(err, "the certificate");
    for (size_t k = 0; !code && k < race->arms; k++) {
        size_t same = 0;
        while (!mk_known_equal(&race->arm[same], &race->arm[k])) same++; /* k at the latest */
        code =
            same < k ? copy_tail(&tail[k], &tail[same], err) : mk_upper_tail_new(&tail[k], race, k, rank, coarse, err);
    }
    if (code) {
        mk_pair_tails_free(tail, race->arms);
        tail = NULL;
    }
    *out = tail;
    return code;
}

void mk_pair_tails_free(struct mk_upper_tail *tail, size_t arms)
{
    for (size_t k = 0; tail && k < arms; k++) mk_upper_tail_clear(&tail[k]);
    free(tail);
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
        const uint64_t own = pulls_of(&p->tail[k], most_chance, most_of(p->race), missed);
        sum = own < all - sum ? sum + own : all;
    }
    *missed *= 1 + (double)p->race->arms * DBL_EPSILON;
    if (sum == all) *missed = 0;
    return sum;
}

/* ---- walks ---- */

/* One choice of d and q, and its rough walk. */
struct choice {
    uint64_t others;
    double missed;
    struct mk_certified_side walk;
    bool fine; /* it has had a finer one */
};

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

/* T' */
static uint64_t rounds_of(const struct pair *p, const struct choice *c)
{
    return p->race->horizon - (p->side == MK_FROM_ABOVE ? (uint64_t)p->race->arms - 2 : c->others);
}

static int make_walk(struct mk_certified_side *walk, const struct pair *p, const struct choice *c, double refinement,
                     struct mk_error *err)
{
    const bool above = p->side == MK_FROM_ABOVE;
    const size_t own = above ? p->arm : p->partner, rival = above ? p->partner : p->arm;
    const struct mk_known_cdf arm[] = {p->race->arm[own], p->race->arm[rival]};
    struct mk_race pair = *p->race;
    pair.arms = 2;
    pair.arm = arm;
    pair.horizon = rounds_of(p, c);
    pair.others = (struct mk_race_others){(uint64_t)p->race->arms - 2, c->others, p->race->horizon};
    return mk_walk_above(walk, &pair, 0, refinement, err);
}

/* Narrows s by a walk for c, as if P(N^ > m) were `part` of what it says. */
static int use_walk(struct mk_certified_side *s, const struct pair *p, const struct choice *c,
                    const struct mk_certified_side *walk, double part, struct mk_error *err)
{
    struct mk_certified_side its = MK_NO_SIDE;
    its.m = malloc((2 * walk->n + 1) * sizeof *its.m);
    its.tail = malloc((2 * walk->n + 1) * sizeof *its.tail);
    int code = its.m && its.tail ? MK_OK : mk_fail_memory(err, "the certificate");
    for (; !code && its.n < walk->n; its.n++) {
        const double tail = walk->tail[its.n];
        its.m[its.n] = walk->m[its.n];
        its.tail[its.n] = part * tail;
    }
    if (!code && p->side == MK_FROM_ABOVE)
        read_above(&its, c->missed);
    else if (!code)
        read_below(&its, rounds_of(p, c), c->missed);
    if (!code) code = mk_tails_join(s, &its, p->side, err);
    mk_certified_side_clear(&its);
    return code;
}

/* By how much a finer walk may be hoped to improve the mean, relative to it. */
static int gain_of(double *gain, const struct mk_certified_side *s, const struct pair *p, const struct choice *c,
                   struct mk_error *err)
{
    struct mk_certified_side both = MK_NO_SIDE;
    int code = mk_tails_join(&both, s, p->side, err);
    if (!code) code = use_walk(&both, p, c, &c->walk, hope, err);
    const double now = mk_tail_mean(s, p->side, most_of(p->race));
    *gain = code ? 0 : fabs(mk_tail_mean(&both, p->side, most_of(p->race)) - now) / now;
    mk_certified_side_clear(&both);
    return code;
}

/* Whether any d may be worth a walk: the smallest one, if the other arms surely had no more pulls. */
static int may_help(bool *may, const struct mk_certified_side *s, const struct pair *p, struct mk_error *err)
{
    struct choice least = {.others = (uint64_t)p->race->arms - 2};
    double gain = 0;
    int code = make_walk(&least.walk, p, &least, rough, err);
    if (!code) code = gain_of(&gain, s, p, &least, err);
    mk_certified_side_clear(&least.walk);
    *may = gain > worth;
    return code;
}

/* One d after the other, as long as they fall, each with its rough walk; *n: their number. */
static int use_rough(struct mk_certified_side *s, const struct pair *p, struct choice *choice, size_t *n,
                     struct mk_error *err)
{
    const bool above = p->side == MK_FROM_ABOVE;
    double before = INFINITY;
    int code = MK_OK;
    *n = 0;
    for (size_t k = 0; !code && k < sizeof chance / sizeof *chance; k++) {
        struct choice c = {.walk = MK_NO_SIDE};
        c.others = pulls_of_others(p, chance[k], &c.missed);
        if (c.missed > most_missed) break;
        if (!above && c.others + 3 > p->race->horizon) continue;
        if ((double)c.others >= fewer * before) continue;
        before = (double)c.others;
        code = make_walk(&c.walk, p, &c, rough, err);
        if (!code) code = use_walk(s, p, &c, &c.walk, 1, err);
        choice[(*n)++] = c;
    }
    return code;
}

/* The choice from which most may be hoped; n: none is worth a finer walk. */
static int find_best(size_t *best, const struct mk_certified_side *s, const struct pair *p, const struct choice *choice,
                     size_t n, struct mk_error *err)
{
    double max = worth;
    int code = MK_OK;
    *best = n;
    for (size_t k = 0; !code && k < n; k++) {
        double gain = 0;
        if (!choice[k].fine) code = gain_of(&gain, s, p, &choice[k], err);
        if (!(gain > max)) continue;
        max = gain;
        *best = k;
    }
    return code;
}

static int use_fine(struct mk_certified_side *s, const struct pair *p, struct choice *c, struct mk_error *err)
{
    struct mk_certified_side walk = MK_NO_SIDE;
    int code = make_walk(&walk, p, c, p->refinement, err);
    if (!code) code = use_walk(s, p, c, &walk, 1, err);
    c->fine = true;
    mk_certified_side_clear(&walk);
    return code;
}

static int use_walks(struct mk_certified_side *s, const struct pair *p, struct mk_error *err)
{
    struct choice choice[sizeof chance / sizeof *chance];
    size_t n, best = 0;
    int code = use_rough(s, p, choice, &n, err);
    for (size_t done = 0; !code && done < n; done++) {
        code = find_best(&best, s, p, choice, n, err);
        if (code || best == n) break;
        code = use_fine(s, p, &choice[best], err);
    }
    for (size_t k = 0; k < n; k++) mk_certified_side_clear(&choice[k].walk);
    return code;
}

bool mk_pair_applies(const struct mk_race *race)
{
    return race->scale == MK_RACE_UNSCALED && !race->falling && race->horizon >= (uint64_t)race->arms + 2;
}

/* The mean of the joint tail, if it is better by more than rounding. */
static void read_mean(struct mk_certified_side *s, const struct pair *p)
{
    const double mean = mk_tail_mean(s, p->side, most_of(p->race)), least = 1e-9 * mean;
    if (p->side == MK_FROM_ABOVE ? !(mean < s->mean - least) : !(mean > s->mean + least)) return;
    s->mean = mean;
    s->by = MK_BY_THEOREM_16;
}

int mk_pair_narrow(struct mk_certified_side *s, const struct mk_race *race, size_t arm, enum mk_side side,
                   const size_t *rank, const struct mk_upper_tail *tail, double refinement, struct mk_error *err)
{
    const struct pair p = {race, arm, rank[rank[0] == arm], side, refinement, tail};
    bool may = false;
    int code = may_help(&may, s, &p, err);
    if (code || !may) return code;
    code = use_walks(s, &p, err);
    if (!code) read_mean(s, &p);
    return code;
}
