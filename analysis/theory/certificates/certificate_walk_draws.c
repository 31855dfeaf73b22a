/* What chunks of pulls do to the largest reward of an arm, and to the smallest reward of both. */
#include <float.h>
#include <stdlib.h>

#include "analysis/theory/certificates/certificate_walk.h"

static const double evaluation = 64; /* cells that take as long as a distribution function does */

/* A number, and up to which it is known. */
struct mk_walk_power {
    double value, error;
};

/* Where the smallest reward is not used, the draws of its one cell are there once. */
bool mk_walk_draws_start(struct mk_walk_draws *d, const struct mk_walk_levels *l, size_t chunks,
                         const struct mk_walk_smallest *s, const struct mk_walk_below *below)
{
    const size_t cells = s->cells.n, of_chunk = s->used ? 2 * cells : 1;
    *d = (struct mk_walk_draws){.levels = l, .cells = cells, .below = below, .surplus = below ? INFINITY : 0};
    d->chunk = malloc(2 * chunks * cells * sizeof *d->chunk);
    d->all = malloc(2 * (chunks * of_chunk + 1) * l->n * sizeof *d->all);
    d->power = malloc(l->n * sizeof *d->power);
    if (!d->chunk || !d->all || !d->power) return false;
    for (size_t k = 0; k < 2 * chunks * cells; k++) {
        double *at = d->all + 2 * (s->used ? k : k / 2) * l->n;
        d->chunk[k] = (struct mk_walk_chunk){at, at + l->n};
    }
    d->times.f = d->all + 2 * chunks * of_chunk * l->n;
    d->times.w = d->times.f + l->n;
    return true;
}

void mk_walk_draws_clear(struct mk_walk_draws *d)
{
    free(d->chunk);
    free(d->all);
    free(d->power);
}

const struct mk_walk_chunk *mk_walk_draws_of(const struct mk_walk_draws *d, size_t k, size_t c, bool bring)
{
    return &d->chunk[2 * (k * d->cells + c) + bring];
}

const struct mk_walk_chunk *mk_walk_draws_times(const struct mk_walk_draws *d, size_t k, size_t c, bool bring,
                                                double factor)
{
    const struct mk_walk_chunk *from = mk_walk_draws_of(d, k, c, bring);
    for (size_t a = 0; a < d->levels->n; a++) {
        d->times.f[a] = from->f[a] * factor * (1 + 2 * DBL_EPSILON);
        d->times.w[a] = from->w[a] * factor * (1 + 2 * DBL_EPSILON);
    }
    return &d->times;
}

double mk_walk_draws_chance(const struct mk_walk_draws *d, size_t k, size_t c, double pulls, double *min)
{
    const struct mk_walk_below *b = &d->below[c];
    const double max = mk_walk_draws_of(d, k, c, true)->f[d->levels->n - 1];
    *min = max - 256 * DBL_EPSILON - pulls * (b[0].max - b[0].min + b[1].max - b[1].min);
    return max;
}

/* (exp(-rate) - below)^pulls, the probability that no reward of a chunk is above a level, whose rate is given, nor at
 * most an edge. The base is known up to some units in the last place of its distance from 1, or of 1. */
static struct mk_walk_power power_of(double rate, double below, double pulls)
{
    if (below >= 1) return (struct mk_walk_power){0, 0};
    const double part = expm1(-rate) / (1 - below), rest = 1 + part;
    if (rest < 64 * DBL_EPSILON) return (struct mk_walk_power){0, pow(128 * DBL_EPSILON, pulls)};
    const double log_kept = log1p(-below), power = pulls * (log1p(part) + log_kept),
                 error = 8 * DBL_EPSILON * pulls * (-part / rest - log_kept), value = exp(power),
                 max = exp(fmin(0, power + error));
    return (struct mk_walk_power){value, fmax(0, max - value) + 8 * DBL_EPSILON * max};
}

/* All cells of the smallest reward. f and w do not rise with P(X <= lower edge), and do not fall with P(X <= upper
 * edge). */
static double fill_cells(const struct mk_walk_draws *d, size_t k, double pulls)
{
    const struct mk_walk_levels *l = d->levels;
    struct mk_walk_power *above = d->power; /* those of the upper edge */
    for (size_t a = 0; a < l->n; a++) above[a] = (struct mk_walk_power){0, 0};
    for (size_t c = d->cells; c-- > 0;) {
        const struct mk_walk_chunk *stay = mk_walk_draws_of(d, k, c, false), *bring = mk_walk_draws_of(d, k, c, true);
        struct mk_walk_power low = {0, 0}, high = {0, 0}; /* of the level before */
        for (size_t a = 0; a < l->n; a++) {
            const struct mk_walk_power x = power_of(l->rate[a], d->below[c].min, pulls), y = above[a];
            const double errors = x.error + low.error;
            stay->f[a] = x.value + x.error;
            stay->w[a] = fmax(0, x.value - low.value + errors);
            bring->f[a] = fmax(0, x.value - y.value + x.error + y.error);
            bring->w[a] = fmax(0, (x.value - low.value) - (y.value - high.value) + errors + y.error + high.error);
            low = x;
            high = y;
        }
        for (size_t a = 0; a < l->n; a++) above[a] = power_of(l->rate[a], d->below[c].max, pulls);
    }
    return evaluation * 2 * (double)(d->cells * l->n);
}

/* The cost of the draws of a chunk of pulls. */
static double work_of(const struct mk_walk_levels *l, double after, double last)
{
    if (!l->f->moving) return 0;
    const double single = (double)l->f->moving->single, first = fmin(after, single);
    const double each = fmin(last, single) - first + (last > single ? 1 + 48 * log2(last / fmax(after, single)) : 0);
    return evaluation * (double)l->n * each;
}

/* By how much a chunk increases a mass, at most: one at a level, or below all of them as at the start. */
static double surplus_of(const struct mk_walk_chunk *d, size_t levels)
{
    double above = 0, max = 1;
    for (size_t a = levels; a-- > 0;) {
        max = fmax(max, d->f[a] + above);
        above += d->w[a];
    }
    return fmax(max, above) - 1 + DBL_EPSILON * (double)(levels + 2);
}

/* f and w are at least what the rates say: exp errs by one unit in the last place, the difference by half of one. */
double mk_walk_draws_fill(struct mk_walk_draws *d, size_t k, double after, double last)
{
    if (d->below) return fill_cells(d, k, last - after);
    const struct mk_walk_chunk *into = mk_walk_draws_of(d, k, 0, false);
    double before = 0, rates = INFINITY;
    for (size_t a = 0; a < d->levels->n; a++) {
        rates = fmin(rates, mk_walk_rates(d->levels, a, after, last));
        const double f = exp(-rates), w = f - before + 8 * DBL_EPSILON * f;
        into->f[a] = f * (1 + 2 * DBL_EPSILON);
        into->w[a] = fmax(0, w);
        before = f;
    }
    d->surplus += surplus_of(into, d->levels->n);
    return work_of(d->levels, after, last);
}
