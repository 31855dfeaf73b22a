#include "analysis/theory/certificates/certificate_path.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/theory/certificates/certificate_counts.h"
#include "sim/base/error.h"

enum { MOST_CHOICES = 256, MOST_DIVISIONS = 8, MOST_STEPS = 256 };
static const uint64_t most_fineness = 16; /* of the blocks of counts */
static const double most_work = 4e5;      /* arms times the square of the number of blocks, */
static const double most_products = 6e5;  /* or of the steps of sums */
static const double first_quantile[] = {0.02, 0.12, 0.35, 0.65, 0.92};
static const struct shape {
    double power, share;
} shape[] = {{1, 0}, {0, 1}, {0, 0}, {3, 0}, {0, 0.5}, {0, 0.2}};
enum { SHAPES = sizeof shape / sizeof *shape, FIRST_SHAPES = 2 };
static const double unseen = 1e-280; /* probabilities below this one are not certified to be smaller */
static const double fewer_pulls = 0.25;
static const double highest = 1e300; /* of a path: a quantile may be infinite */

/* share = 0: x(r) is the quantile of M_i(r) at the probability quantile (r / m)^power; else x(r) = z - share B(T' - m +
 * r, r), where z is the smallest sum of this and of the quantile of M_i(r) at `quantile`. rounds: T'. S and H in the
 * theorem. */
struct choice {
    double quantile;
    struct shape shape;
    uint64_t rounds;
    double above, stuck;
};

struct mk_path_work {
    struct mk_passage *passage;
    struct mk_count_blocks counts;
    double *path, *barrier; /* [n] */
    size_t steps;           /* into which T' - K - m is divided, at most */
    double mass[MOST_STEPS + 1], total[MOST_STEPS + 1], next[MOST_STEPS + 1];
    size_t choices;
    struct choice choice[MOST_CHOICES];
};

bool mk_path_applies(const struct mk_race *race)
{
    return race->arms > 2 && race->scale == MK_RACE_UNSCALED && !mk_race_moves(race);
}

int mk_path_work_new(struct mk_path_work **out, const struct mk_race *race, struct mk_error *err)
{
    struct mk_path_work *w = calloc(1, sizeof *w);
    *out = NULL;
    if (!w) return mk_fail_memory(err, "the certificate");
    bool room = false;
    for (uint64_t fineness = most_fineness; fineness > 1; fineness /= 2) {
        room = mk_count_blocks_cut(&w->counts, race->horizon, fineness, MK_FROM_BELOW);
        if (room && (double)race->arms * (double)w->counts.n * (double)w->counts.n <= most_work) break;
    }
    const size_t n = w->counts.n;
    w->steps = (size_t)fmax(16, fmin(MOST_STEPS, sqrt(most_products / (double)race->arms)));
    w->path = malloc(n * sizeof *w->path);
    w->barrier = malloc(n * sizeof *w->barrier);
    int code = mk_passage_new(&w->passage, err);
    room = room && w->path && w->barrier;
    if (!code && !room) code = mk_fail_memory(err, "the certificate");
    if (code) {
        mk_path_work_free(w);
        return code;
    }
    *out = w;
    return MK_OK;
}

void mk_path_work_free(struct mk_path_work *w)
{
    if (!w) return;
    mk_passage_free(w->passage);
    free(w->path);
    free(w->barrier);
    free(w);
}

/* ---- the path, and the barrier of the rivals ---- */

/* The number of blocks with counts up to m. */
static size_t blocks_up_to(const struct mk_count_blocks *c, uint64_t m)
{
    return mk_count_blocks_up_to(c->first, c->n, m);
}

static double quantile_of(const struct mk_underdog *u, double r, double p)
{
    return mk_race_quantile(u->race, u->arm, r, p);
}

/* What a path by z and `share` lies below z at the first count r of a block. */
static double below_level(const struct mk_underdog *u, const struct choice *c, double r)
{
    return c->shape.share * mk_bonus(mk_round_of(u->race, (double)(c->rounds - u->m) + r), r);
}

/* The z of a choice. */
static double level_of(const struct mk_path_work *w, const struct mk_underdog *u, const struct choice *c)
{
    const size_t n = blocks_up_to(&w->counts, u->m);
    double z = INFINITY;
    for (size_t b = 0; b < n; b++) {
        const double r = (double)w->counts.first[b];
        z = fmin(z, quantile_of(u, r, c->quantile) + below_level(u, c, r));
    }
    return z;
}

/* x(r), the same for all counts of a block; below an atom there. Any path gives a bound. */
static void set_path(struct mk_path_work *w, const struct mk_underdog *u, const struct choice *c)
{
    const size_t n = blocks_up_to(&w->counts, u->m);
    const bool level = c->shape.share > 0;
    const double z = level ? level_of(w, u, c) : 0;
    for (size_t b = 0; b < n; b++) {
        const double r = (double)w->counts.first[b],
                     x = level ? z - below_level(u, c, r)
                               : quantile_of(u, r, c->quantile * pow(r / (double)u->m, c->shape.power)),
                     most = fmin(isnan(x) ? -highest : x, highest),
                     below = most - 64 * DBL_EPSILON * fabs(most) - mk_race_step(u->race, u->arm);
        w->path[b] = b > 0 ? fmax(below, w->path[b - 1]) : below;
    }
}

/* P(M_i(r) > x(r) for all r <= m) */
static double stays_above(struct mk_path_work *w, const struct mk_underdog *u)
{
    struct mk_passage *p = w->passage;
    p->n = blocks_up_to(&w->counts, u->m);
    p->moving = NULL;
    p->side = MK_FROM_ABOVE;
    for (size_t b = 0; b < p->n; b++) {
        const double rate = mk_cdf_rate(&u->race->arm[u->arm], w->path[b], MK_FROM_ABOVE);
        p->time[b] = w->counts.first[b];
        p->rate[b] = b > 0 ? fmin(rate, p->rate[b - 1]) : rate;
    }
    mk_passage_solve(p, MK_FROM_BELOW);
    return p->survive;
}

/* At most x(r) + B(t, r) - B(t, s) for the counts r of block b, and all rounds t in which it matters; inf: none. */
static double level_by(const struct mk_path_work *w, const struct mk_underdog *u, size_t b, double s, double rounds)
{
    const double first = (double)w->counts.first[b], last = fmin((double)w->counts.last[b], (double)u->m);
    const double earliest = first + s + (double)u->race->arms - 1;
    double size = 0, lead;
    if (earliest > rounds) return INFINITY;
    if (last < s)
        lead = mk_bonus_lead(mk_round_of(u->race, earliest), last, s, &size);
    else
        lead = -mk_bonus_lead(mk_round_of(u->race, rounds - (double)u->m + last), s, last, &size);
    const double level = w->path[b] + lead - 16 * DBL_EPSILON * (fabs(w->path[b]) + size) - MK_TINY;
    return isnan(level) ? -INFINITY : level; /* of two infinite terms nothing is known */
}

/* At most g at the last counts of blocks, not falling; returns how many of these are at most T' - 1 - m. */
static size_t set_barrier(struct mk_path_work *w, const struct mk_underdog *u, uint64_t rounds)
{
    const size_t own = blocks_up_to(&w->counts, u->m),
                 n = mk_count_blocks_up_to(w->counts.last, w->counts.n, rounds - 1 - u->m);
    double after = INFINITY;
    for (size_t c = n; c-- > 0;) {
        for (size_t b = 0; b < own; b++)
            after = fmin(after, level_by(w, u, b, (double)w->counts.last[c], (double)rounds));
        w->barrier[c] = after;
    }
    return n;
}

/* The s_j - 1 in steps of `step`, rounded up: their probabilities in w->mass, of up to `last` steps; s_j in the first n
 * blocks, at their last counts. */
static void pass_rival(struct mk_path_work *w, const struct mk_known_cdf *f, size_t n, uint64_t step, size_t last)
{
    struct mk_passage *p = w->passage;
    p->n = n;
    p->moving = NULL;
    p->side = MK_FROM_BELOW;
    for (size_t b = 0; b < n; b++) {
        const double rate = mk_cdf_rate(f, w->barrier[b], MK_FROM_BELOW);
        p->time[b] = w->counts.last[b];
        p->rate[b] = b > 0 ? fmin(rate, p->rate[b - 1]) : rate;
    }
    mk_passage_solve(p, MK_FROM_BELOW);
    memset(w->mass, 0, sizeof w->mass);
    for (size_t b = 0; b < n; b++) {
        const uint64_t at = (p->time[b] - 1 + step - 1) / step;
        if (at <= last) w->mass[at] += p->mass[b];
    }
}

/* w->total += an independent variable with the probabilities w->mass, as far as `last`. */
static void add_rival(struct mk_path_work *w, size_t last)
{
    memset(w->next, 0, sizeof w->next);
    for (size_t a = 0; a <= last; a++) {
        const double own = w->total[a];
        if (!(own > 0)) continue;
        for (size_t b = 0; b <= last - a; b++) w->next[a + b] += own * w->mass[b];
    }
    memcpy(w->total, w->next, sizeof w->total);
}

/* P(the sum of the s_j is at most T' - 1 - m), weak arms first. The sum of the s_j - 1 is to be at most T' - K - m. */
static double are_stuck(struct mk_path_work *w, const struct mk_underdog *u, size_t n, uint64_t rounds)
{
    const struct mk_race *race = u->race;
    const uint64_t most = rounds - (uint64_t)race->arms - u->m,
                   step = most > w->steps ? (most + (uint64_t)w->steps - 1) / (uint64_t)w->steps : 1;
    const size_t last = (size_t)(most / step);
    const double error = ((double)race->arms * ((double)last + 8) + (double)n + 8) * DBL_EPSILON;
    double sum = 0;
    for (size_t k = race->arms, before = race->arms; k-- > 0;) {
        const size_t j = u->rank[k];
        if (j == u->arm) continue;
        if (before == race->arms || !mk_known_equal(&race->arm[before], &race->arm[j]))
            pass_rival(w, &race->arm[j], n, step, last);
        if (before == race->arms)
            memcpy(w->total, w->mass, sizeof w->total);
        else
            add_rival(w, last);
        before = j;
    }
    for (size_t b = 0; b <= last; b++) sum += w->total[b];
    return fmin(1, fmax(0, sum * (1 - error) - unseen));
}

/* ---- choices ---- */

static void add_choice(struct mk_path_work *w, const struct mk_underdog *u, struct choice c)
{
    if (w->choices == MOST_CHOICES) return;
    set_path(w, u, &c);
    c.above = stays_above(w, u);
    const size_t n = set_barrier(w, u, c.rounds);
    c.stuck = n > 0 && c.above > 0 ? are_stuck(w, u, n, c.rounds) : 0;
    w->choice[w->choices++] = c;
}

static int by_stuck(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;
    if (x->stuck != y->stuck) return x->stuck > y->stuck ? -1 : 1;
    return (x->above < y->above) - (x->above > y->above);
}

static bool is_of(const struct choice *c, struct shape with, uint64_t rounds)
{
    return c->shape.power == with.power && c->shape.share == with.share && c->rounds == rounds;
}

/* The area of the union of the rectangles of the choices of one shape and T', or of all (NULL). */
static double area_of(struct mk_path_work *w, const struct shape *with, uint64_t rounds)
{
    double area = 0, above = 0, stuck = 0;
    qsort(w->choice, w->choices, sizeof *w->choice, by_stuck);
    for (size_t k = 0; k < w->choices; k++) {
        if (with && !is_of(&w->choice[k], *with, rounds)) continue;
        area += above * (stuck - w->choice[k].stuck);
        above = fmax(above, w->choice[k].above);
        stuck = w->choice[k].stuck;
    }
    return fmax(0, (area + above * stuck) * (1 - 1e-12));
}

/* Adds a few quantiles, every `each`-th one, where they are not there yet; the area of these alone. */
static double try_quantiles(struct mk_path_work *w, const struct mk_underdog *u, struct shape with, uint64_t rounds,
                            size_t each)
{
    for (size_t k = 0; k < sizeof first_quantile / sizeof *first_quantile; k += each) {
        bool there = false;
        for (size_t c = 0; c < w->choices && !there; c++)
            there = w->choice[c].quantile == first_quantile[k] && is_of(&w->choice[c], with, rounds);
        if (!there) add_choice(w, u, (struct choice){.quantile = first_quantile[k], .shape = with, .rounds = rounds});
    }
    return area_of(w, &with, rounds);
}

/* Halves the step between two choices where most may be gained. */
static bool divide(struct mk_path_work *w, const struct mk_underdog *u, struct shape with, uint64_t rounds)
{
    const struct choice *best = NULL, *next = NULL;
    double max = 0;
    for (size_t a = 0; a < w->choices; a++) { /* with the next larger quantile */
        const struct choice *x = &w->choice[a], *y = NULL;
        if (!is_of(x, with, rounds)) continue;
        for (size_t b = 0; b < w->choices; b++) {
            const struct choice *z = &w->choice[b];
            if (is_of(z, with, rounds) && z->quantile > x->quantile && (!y || z->quantile < y->quantile)) y = z;
        }
        if (!y) continue;
        const double gain = (x->above - y->above) * (y->stuck - x->stuck);
        if (!(gain > max)) continue;
        max = gain;
        best = x;
        next = y;
    }
    if (!best) return false;
    add_choice(w, u,
               (struct choice){.quantile = (best->quantile + next->quantile) / 2, .shape = with, .rounds = rounds});
    return true;
}

/* The best of all shapes for T' = T, and of this and the first ones for smaller T'; false: none gives anything. */
static bool find_rounds(struct mk_path_work *w, const struct mk_underdog *u, size_t *best, uint64_t *rounds)
{
    const double all = (double)(u->race->horizon - 1 - u->m), least = (double)u->race->arms - 1;
    double max = 0;
    int falls = 0;
    for (double d = all; falls < 2 && d >= least; d *= fewer_pulls) {
        const uint64_t its = (uint64_t)d + 1 + u->m;
        const size_t before = *best;
        falls += max > 0;
        for (size_t k = 0; k < SHAPES; k++) {
            if (d < all && k >= FIRST_SHAPES && k != before) continue;
            const double area = try_quantiles(w, u, shape[k], its, 2);
            if (!(area > max)) continue;
            max = area;
            *best = k;
            *rounds = its;
            falls = 0;
        }
    }
    return max > 0;
}

/* The best shape for T'. */
static size_t find_shape(struct mk_path_work *w, const struct mk_underdog *u, size_t best, uint64_t rounds)
{
    double max = 0;
    for (size_t k = 0; k < SHAPES; k++) {
        const double area = try_quantiles(w, u, shape[k], rounds, 1);
        if (!(area > max)) continue;
        max = area;
        best = k;
    }
    return best;
}

double mk_path_probability(struct mk_path_work *w, const struct mk_underdog *u)
{
    uint64_t rounds = u->race->horizon;
    size_t best = 0;
    w->choices = 0;
    if (!find_rounds(w, u, &best, &rounds)) return 0;
    best = find_shape(w, u, best, rounds);
    for (int k = 0; k < MOST_DIVISIONS && divide(w, u, shape[best], rounds); k++) continue;
    return area_of(w, NULL, 0);
}
