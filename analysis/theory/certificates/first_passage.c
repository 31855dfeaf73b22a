#include "analysis/theory/certificates/first_passage.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "sim/base/error.h"

static const double cdf_error = 1e-12; /* relative, of F and of 1 - F */
static const double negligible = 1e-4; /* share of the tolerance that a block may hold before it is cut finely */
enum { SPARE = 80 };                   /* blocks that reach any last s by doubling */
enum { SAMPLE = 16 };                  /* pulls of a moving arm by which blocks and quantiles are chosen */
enum { BISECTIONS = 12 };
static const double weak_share = 1e-3; /* of the tolerance: largest content of the last block */
static const double one_rounding = 0x1p-52;

/* ---- distribution functions ---- */

/* -log of a probability, from it or, if that is the smaller one, from that of the complement, moved to the safe side by
 * `factor`. */
static double rate_of_rest(double rest, double factor)
{
    return -log1p(-rest * factor);
}

static double rate_of(double p, double factor)
{
    return p > 0 ? -log(p / factor) : INFINITY;
}

/* The same within a band around F. */
static double banded_rate(const struct mk_known_cdf *f, double x, double factor, double band)
{
    const bool low = x == -INFINITY;
    double cdf = fmin(1, fmax(0, (low ? 0 : mk_dist_cdf(f->dist, x)) + band));
    double above = fmin(1, fmax(0, (low ? 1 : mk_dist_above(f->dist, x)) - band));
    return above < 0.5 ? rate_of_rest(above, factor) : rate_of(cdf, factor);
}

static double factor_of(enum mk_side side)
{
    return side == MK_FROM_ABOVE ? 1 - cdf_error : 1 + cdf_error;
}

bool mk_known_equal(const struct mk_known_cdf *a, const struct mk_known_cdf *b)
{
    if (a->moving || b->moving) return a->moving == b->moving && a->burnt == b->burnt;
    return a->band == b->band && a->burnt == b->burnt && mk_dist_equal(a->dist, b->dist);
}

double mk_cdf_rate(const struct mk_known_cdf *f, double x, enum mk_side side)
{
    const double factor = factor_of(side), shift = mk_dist_resolution(f->dist);
    double rate;
    x += side == MK_FROM_ABOVE ? shift : -shift;
    if (f->band > 0) {
        rate = x == INFINITY ? 0 : banded_rate(f, x, factor, side == MK_FROM_ABOVE ? f->band : -f->band);
    } else if (isinf(x)) {
        rate = x > 0 ? 0 : INFINITY;
    } else {
        double above = mk_dist_above(f->dist, x);
        rate = above < 0.5 ? rate_of_rest(above, factor) : rate_of(mk_dist_cdf(f->dist, x), factor);
    }
    return rate > 0 ? rate : 0;
}

double mk_above_rate(const struct mk_known_cdf *f, double x, enum mk_side side)
{
    const double factor = factor_of(side), shift = mk_dist_resolution(f->dist);
    x += side == MK_FROM_ABOVE ? -shift : shift;
    if (isinf(x)) return x > 0 ? INFINITY : 0;
    const double cdf = mk_dist_cdf(f->dist, x);
    return fmax(0, cdf < 0.5 ? rate_of_rest(cdf, factor) : rate_of(mk_dist_above(f->dist, x), factor));
}

/* The sum of the rates of a moving arm. */
static double sum_of_rates(const struct mk_known_cdf *f, enum mk_tail tail, double x, uint64_t after, uint64_t last,
                           enum mk_side side)
{
    const double sum = f->moving->rates(f->moving, tail, x, f->burnt + after, f->burnt + last, side),
                 rounding = (double)(last - after) * one_rounding;
    return sum * (side == MK_FROM_ABOVE ? 1 - rounding : 1 + rounding);
}

double mk_cdf_rates(const struct mk_known_cdf *f, double x, uint64_t after, uint64_t last, enum mk_side side)
{
    if (f->moving) return sum_of_rates(f, MK_LOWER_TAIL, x, after, last, side);
    return (double)(last - after) * mk_cdf_rate(f, x, side);
}

double mk_above_rates(const struct mk_known_cdf *f, double x, uint64_t after, uint64_t last, enum mk_side side)
{
    if (f->moving) return sum_of_rates(f, MK_UPPER_TAIL, x, after, last, side);
    return (double)(last - after) * mk_above_rate(f, x, side);
}

/* About the mean rate of the first n pulls of a moving arm. */
static double sampled_rate(const struct mk_known_cdf *f, enum mk_tail tail, double x, uint64_t n, enum mk_side side)
{
    const uint64_t parts = n < SAMPLE ? n : SAMPLE;
    double sum = 0;
    for (uint64_t k = 0; k < parts; k++) {
        const uint64_t pull = 1 + (uint64_t)((double)n * ((double)k + 0.5) / (double)parts);
        sum += f->moving->rates(f->moving, tail, x, f->burnt + pull - 1, f->burnt + pull, side);
    }
    return sum / (double)parts;
}

void mk_known_support(const struct mk_known_cdf *f, double *low, double *high)
{
    if (f->moving) {
        *low = f->moving->low;
        *high = f->moving->high;
        return;
    }
    mk_dist_support(f->dist, low, high);
    if (f->band > 0) {
        *low = -INFINITY;
        *high = INFINITY;
    }
}

double mk_known_resolution(const struct mk_known_cdf *f)
{
    return f->moving ? f->moving->step : mk_dist_resolution(f->dist);
}

/* A point between: the middle, or further and further out. */
static double first_passage_between(double low, double high)
{
    if (isfinite(low) && isfinite(high)) return low + (high - low) / 2;
    if (isfinite(low)) return low < 0 ? -low / 2 : 2 * low + 1;
    if (isfinite(high)) return high > 0 ? -high / 2 : 2 * high - 1;
    return 0;
}

double mk_known_at_rate(const struct mk_known_cdf *f, enum mk_tail tail, uint64_t n, double rate)
{
    const double all = exp(-rate), rest = -expm1(-rate);
    if (!f->moving)
        return f->dist->type->inverse(f->dist, tail == MK_UPPER_TAIL ? all : rest, tail == MK_UPPER_TAIL ? rest : all);
    double low = f->moving->low, high = f->moving->high;
    for (int step = 0; step < 100; step++) {
        const double x = first_passage_between(low, high);
        if (!(x > low && x < high)) break;
        *((sampled_rate(f, tail, x, n, MK_FROM_ABOVE) > rate) == (tail == MK_LOWER_TAIL) ? &low : &high) = x;
    }
    return high;
}

double mk_known_quantile(const struct mk_known_cdf *f, uint64_t n, double u)
{
    return mk_known_at_rate(f, MK_LOWER_TAIL, n, -log(u) / (double)n);
}

double mk_known_at_rates(const struct mk_known_cdf *f, enum mk_tail tail, uint64_t n, double rate)
{
    double (*const rates)(const struct mk_known_cdf *, double, uint64_t, uint64_t, enum mk_side) =
        tail == MK_LOWER_TAIL ? mk_cdf_rates : mk_above_rates;
    double ends[2], low = mk_known_at_rate(f, tail, n, rate / (double)n), high = low, step = 1e-3 * (1 + fabs(low));
    mk_known_support(f, &ends[0], &ends[1]);
    for (; low > ends[0] && (rates(f, low, 0, n, MK_FROM_ABOVE) > rate) != (tail == MK_LOWER_TAIL); step *= 2)
        low = fmax(ends[0], low - step);
    for (; high < ends[1] && (rates(f, high, 0, n, MK_FROM_ABOVE) > rate) == (tail == MK_LOWER_TAIL); step *= 2)
        high = fmin(ends[1], high + step);
    for (int k = 0; k < BISECTIONS && high > low; k++) {
        const double middle = low + (high - low) / 2;
        *((rates(f, middle, 0, n, MK_FROM_ABOVE) > rate) == (tail == MK_LOWER_TAIL) ? &low : &high) = middle;
    }
    return tail == MK_LOWER_TAIL ? high : low;
}

/* ---- work space ---- */

int mk_passage_new(struct mk_passage **out, struct mk_error *err)
{
    const size_t room = MK_PASSAGE_BLOCKS + 2 * SPARE + 1;
    struct mk_passage *p = calloc(1, sizeof *p);
    *out = NULL;
    if (!p) return mk_fail_memory(err, "first passages");
    p->time = malloc(room * sizeof *p->time);
    p->rate = malloc(room * sizeof *p->rate);
    p->level = malloc(room * sizeof *p->level);
    p->mass = malloc(room * sizeof *p->mass);
    p->q = malloc(room * sizeof *p->q);
    p->f = malloc(room * sizeof *p->f);
    p->w = malloc(room * sizeof *p->w);
    if (!p->time || !p->rate || !p->level || !p->mass || !p->q || !p->f || !p->w) {
        mk_passage_free(p);
        return mk_fail_memory(err, "first passages");
    }
    *out = p;
    return MK_OK;
}

void mk_passage_free(struct mk_passage *p)
{
    if (!p) return;
    free(p->time);
    free(p->rate);
    free(p->level);
    free(p->mass);
    free(p->q);
    free(p->f);
    free(p->w);
    free(p);
}

/* ---- blocks ---- */

struct cutting {
    const struct mk_known_cdf *f;
    const struct mk_barrier *g;
    enum mk_side side;
    double tolerance, min; /* least s rate(s): the largest single term is exp(-least) */
    uint64_t last;         /* the last s considered: passage is certain there, or it is the barrier's last */
    double last_rate;      /* of a moving arm, whose mean rate may rise: 0 */
};

static double rate_at(const struct cutting *c, uint64_t s)
{
    const double level = c->g->level(c->g->of, s, c->side);
    return c->f->moving ? sampled_rate(c->f, MK_LOWER_TAIL, level, s, c->side) : mk_cdf_rate(c->f, level, c->side);
}

/* The exponent of the largest term, by powers of 2: slightly too large, so that the term is not overestimated. */
static double least_exponent(const struct cutting *c)
{
    double min = c->f->moving ? (double)c->last * rate_at(c, c->last) : (double)c->last * c->last_rate;
    for (uint64_t s = c->g->first; s<c->last; s = s> UINT64_MAX / 2 ? c->last : 2 * s)
        min = fmin(min, (double)s * rate_at(c, s));
    return min;
}

/* The first s with F(g(s)) = 1, given that the last one has it. */
static uint64_t first_certain(const struct cutting *c)
{
    uint64_t low = c->g->first, high = c->g->last;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (rate_at(c, middle) == 0)
            high = middle;
        else
            low = middle + 1;
    }
    return high;
}

static void add_block(struct mk_passage *p, const struct cutting *c, uint64_t start, uint64_t end, double rate)
{
    p->time[p->n] = c->side == MK_FROM_ABOVE ? start : end;
    if (p->moving) {
        const double level = c->g->level(c->g->of, end, c->side);
        p->level[p->n] = p->n > 0 ? fmax(level, p->level[p->n - 1]) : level;
    }
    if (p->n > 0 && rate > p->rate[p->n - 1]) rate = p->rate[p->n - 1];
    p->rate[p->n++] = rate;
}

/* The last s of a block that begins at s and holds a negligible term, or s - 1. */
static uint64_t end_of_negligible(const struct cutting *c, uint64_t s)
{
    const double need = (c->min - log(negligible * c->tolerance)) / (double)s;
    uint64_t low = s - 1, high = c->last; /* rate(low) >= need or low = s - 1; rate(high) < need */
    for (uint64_t step = 1; low + step < high; step *= 2) {
        if (rate_at(c, low + step) < need) {
            high = low + step;
            break;
        }
        low += step;
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (rate_at(c, middle) < need)
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* Upper bound on the excess of a block's term, relative to the largest term. before: the rate just before it. */
static double block_error(const struct cutting *c, uint64_t s, uint64_t length, double before, double rate)
{
    if (isinf(rate)) return 0;
    double by_level = isinf(before) ? INFINITY : (double)s * (before - rate), by_time = (double)length * rate;
    return fmin(by_level, by_time) * exp(fmin(0, c->min - (double)s * rate));
}

/* From s on: lengths double where the error allows it. */
static void cut_from(struct mk_passage *p, const struct cutting *c, uint64_t s, double before)
{
    uint64_t length = 1;
    const uint64_t last = c->last;
    const double enough = c->min - log(weak_share * c->tolerance);
    while (s <= last) {
        const bool full = p->n + SPARE > MK_PASSAGE_BLOCKS;
        if ((double)s * c->last_rate >= enough || last - s < length) length = last - s + 1;
        uint64_t end = s + (length - 1);
        double rate = end == last && !c->f->moving ? c->last_rate : rate_at(c, end),
               error = block_error(c, s, length, before, rate);
        while (!full && length > 1 && error > c->tolerance && (double)s * c->last_rate < enough) {
            length = (length + 1) / 2;
            end = s + (length - 1);
            rate = rate_at(c, end);
            error = block_error(c, s, length, before, rate);
        }
        add_block(p, c, s, end, rate);
        if (end == last) return;
        before = rate;
        s = end + 1;
        if (full || error < c->tolerance / 4) length *= 2;
    }
}

void mk_passage_cut(struct mk_passage *p, const struct mk_known_cdf *f, const struct mk_barrier *g, double tolerance,
                    enum mk_side side)
{
    struct cutting c = {.f = f, .g = g, .side = side, .tolerance = tolerance};
    p->moving = f->moving ? f : NULL;
    p->side = side;
    c.last = g->last;
    c.last_rate = f->moving ? 0 : rate_at(&c, g->last);
    if (c.last_rate == 0 && !f->moving) c.last = first_certain(&c);
    c.min = least_exponent(&c);
    if (isinf(c.last_rate) || isinf(c.min)) {
        add_block(p, &c, g->first, g->last, INFINITY);
        return;
    }
    uint64_t s = g->first;
    double before = INFINITY;
    for (;;) {
        uint64_t end = end_of_negligible(&c, s);
        if (end < s + s / 16 + 1) break; /* at most 16 log(last) + 16 of them; shorter ones are left to cut_from */
        before = rate_at(&c, end);
        add_block(p, &c, s, end, before);
        s = end + 1;
    }
    cut_from(p, &c, s, before);
}

/* ---- recursion ---- */

/* P(none of the pulls after + 1 … last is above level k); `before` that of a lower level, which is at most that. */
static double stays(const struct mk_passage *p, size_t k, uint64_t after, uint64_t last, double before)
{
    if (!p->moving) return exp(-(double)(last - after) * p->rate[k]);
    return fmax(before, exp(-mk_cdf_rates(p->moving, p->level[k], after, last, p->side)));
}

/* f_k and f_k - f_(k-1) for k in first … n, the last one standing for F = 1, of the pulls after + 1 … last. */
static void weights(struct mk_passage *p, size_t first, uint64_t after, uint64_t last, enum mk_side side)
{
    const size_t n = p->n;
    const double bias = side == MK_FROM_ABOVE ? 2 * one_rounding : -2 * one_rounding;
    double before = first > 0 ? stays(p, first - 1, after, last, 0) : 0;
    for (size_t k = first; k <= n; k++) {
        double f = k < n ? stays(p, k, after, last, before) : 1, w = f - before + bias * f;
        p->f[k] = f;
        p->w[k] = w > 0 ? w : 0;
        before = f;
    }
}

/* One step of the recursion for levels first … n. */
static void draw(struct mk_passage *p, size_t first)
{
    const size_t n = p->n;
    double *q = p->q, below = 0;
    const double *f = p->f, *w = p->w;
    for (size_t k = first; k <= n; k++) {
        double old = q[k];
        q[k] = old * f[k] + below * w[k];
        below += old;
    }
}

double mk_passage_solve(struct mk_passage *p, enum mk_side side)
{
    const size_t n = p->n;
    const uint64_t *time = p->time;
    const double steps = (double)n + 8, error = steps * steps * one_rounding;
    const double factor = side == MK_FROM_ABOVE ? 1 + error : 1 - error;
    double total = 0;
    p->survive = 1;
    if (n == 0) return 0;
    weights(p, 0, 0, time[0], side);
    for (size_t k = 0; k <= n; k++) p->q[k] = p->w[k];
    for (size_t b = 0; b < n; b++) {
        p->mass[b] = fmin(1, p->q[b] * factor);
        total += p->mass[b];
        p->q[b] = 0;
        if (b + 1 == n) break;
        if (p->moving || b == 0 || time[b + 1] - time[b] != time[b] - time[b - 1])
            weights(p, b + 1, time[b], time[b + 1], side);
        draw(p, b + 1);
    }
    p->survive = fmin(1, p->q[n] * factor);
    return fmin(1, total);
}

double mk_passage_probability(struct mk_passage *p, const struct mk_known_cdf *f, const struct mk_barrier *g,
                              double tolerance, enum mk_side side)
{
    p->n = 0;
    mk_passage_cut(p, f, g, tolerance, side);
    return mk_passage_solve(p, side);
}
