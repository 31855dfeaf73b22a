#include "distributions/parts/quantiles.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "distributions/dist.h"
#include "sim/base/grow.h"
#include "sim/base/number.h"
#include "sim/base/order.h"
#include "sim/base/statistics.h"

enum { NODES = 16, OCTAVES = 10, CELLS = 2 * OCTAVES, DEPTH = 10, MOST = 400 };
enum { LEAF = 0, EXACT = -1 };

static const double min = 0x1p-11, max = 0.5; /* of v */
static const double tolerance = 1e-14;
static const double noise = 10; /* bound on the rounding error of the inverse, in units of the tolerance */

/* child: LEAF, EXACT, or the first of the two halves. a: the polynomial in t from -1 to 1 across the cell. */
struct cell {
    int child;
    double a[NODES];
};

struct mk_quantiles {
    size_t n;
    struct cell *cell; /* the first 2 CELLS: CELLS of the lower tail, then of the upper tail */
    double rest;       /* probability of the EXACT cells and of the range outside all cells */
};

struct place {
    const struct mk_dist *d;
    int side; /* 0: v is P(X < x), 1: v is P(X >= x) */
    double from, width;
    size_t n;          /* of cut[] */
    const double *cut; /* ascending: v at the breaks of d */
};

static double exact_at(const struct place *p, double t)
{
    double v = p->from + p->width * 0.5 * (1 + t);
    return p->side ? p->d->type->inverse(p->d, v, 1 - v) : p->d->type->inverse(p->d, 1 - v, v);
}

/* Estrin's scheme: the same operations on every machine, with short dependency chains. */
static inline double polynomial(const double *a, double t)
{
    double t2 = t * t, t4 = t2 * t2, t8 = t4 * t4;
    double b0 = (a[0] + a[1] * t) + (a[2] + a[3] * t) * t2, b1 = (a[4] + a[5] * t) + (a[6] + a[7] * t) * t2;
    double b2 = (a[8] + a[9] * t) + (a[10] + a[11] * t) * t2, b3 = (a[12] + a[13] * t) + (a[14] + a[15] * t) * t2;
    return (b0 + b1 * t4) + (b2 + b3 * t4) * t8;
}

/* Coefficients of Chebyshev polynomials to those of powers. */
static void to_powers(const double *c, double *a)
{
    double before[NODES] = {1}, now[NODES] = {0, 1}, next[NODES];
    memset(a, 0, NODES * sizeof *a);
    for (size_t k = 0; k < NODES; k++) {
        for (size_t i = 0; i < NODES; i++) a[i] += c[k] * before[i];
        for (size_t i = 0; i < NODES; i++) next[i] = (i ? 2 * now[i - 1] : 0) - before[i];
        memcpy(before, now, sizeof before);
        memcpy(now, next, sizeof now);
    }
}

/* Whether a break lies strictly within the cell. */
static bool is_cut(const struct place *p)
{
    const size_t next = mk_count_at_most(p->cut, p->n, p->from);
    return next < p->n && p->cut[next] < p->from + p->width;
}

/* The polynomial of one cell; returns its error in units of the tolerance, estimated from its last coefficients and
 * from points between the nodes. */
static double fit(const struct place *p, double *a)
{
    static const double between[] = {-0.97, -0.59, 0.0, 0.61, 0.98};
    double f[NODES], c[NODES], size = 0, smallest = INFINITY, highest = -INFINITY, lowest = INFINITY;
    for (size_t j = 0; j < NODES; j++) {
        f[j] = exact_at(p, cos(M_PI * ((double)j + 0.5) / NODES));
        size = fmax(size, fabs(f[j]));
        smallest = fmin(smallest, fabs(f[j]));
        highest = fmax(highest, f[j]);
        lowest = fmin(lowest, f[j]);
    }
    for (size_t k = 0; k < NODES; k++) {
        double sum = 0;
        for (size_t j = 0; j < NODES; j++) sum += f[j] * cos(M_PI * (double)k * ((double)j + 0.5) / NODES);
        c[k] = sum * (k ? 2.0 : 1.0) / NODES;
    }
    if (!isfinite(size)) return INFINITY;
    if (highest == lowest) { /* a point mass */
        memset(a, 0, NODES * sizeof *a);
        a[0] = f[0];
        return 0;
    }
    double error = (fabs(c[NODES - 1]) + fabs(c[NODES - 2])) / (tolerance * fmax(smallest, 0.01 * size));
    to_powers(c, a);
    for (size_t i = 0; i < sizeof between / sizeof *between && error < INFINITY; i++) {
        double x = exact_at(p, between[i]);
        error = fmax(error, fabs(polynomial(a, between[i]) - x) / (tolerance * fmax(fabs(x), 0.01 * size)));
    }
    return error;
}

/* Fills the cell `at`, halving it as needed; `before`: the error before the last halving. 0 when out of memory. */
static bool fill(struct mk_quantiles *q, size_t at, const struct place *p, int depth, double before)
{
    double error = is_cut(p) ? INFINITY : fit(p, q->cell[at].a);
    int idle = error > 0.1 * before; /* halving gains five digits for a smooth function, none for rounding errors */
    if (error <= 1 || (idle && error <= noise)) {
        q->cell[at].child = LEAF;
        return true;
    }
    if (depth == DEPTH || q->n >= MOST || (idle && error <= 10 * noise)) {
        q->cell[at].child = EXACT;
        q->rest += p->width;
        return true;
    }
    if (!MK_GROW(q->cell, q->n, 2)) return false;
    size_t first = q->n;
    q->n += 2;
    q->cell[at].child = (int)first;
    struct place left = *p, right = *p;
    left.width = right.width = p->width / 2;
    right.from += left.width;
    return fill(q, first, &left, depth + 1, error) && fill(q, first + 1, &right, depth + 1, error);
}

/* v at the breaks of d, on that side, ascending; malloc'ed, NULL on no memory. */
static double *find_cuts(const struct mk_dist *d, int side, size_t *n)
{
    const size_t breaks = mk_dist_breaks(d, NULL);
    double *x = malloc((3 * breaks + 1) * sizeof *x), *cut = x ? x + breaks : NULL;
    *n = 0;
    if (!x) return NULL;
    mk_dist_breaks(d, x);
    for (size_t i = 0; i < breaks; i++) {
        cut[(*n)++] = side ? mk_dist_survival(d, x[i]) : mk_dist_below(d, x[i]);
        cut[(*n)++] = side ? mk_dist_above(d, x[i]) : mk_dist_cdf(d, x[i]);
    }
    memmove(x, cut, *n * sizeof *x);
    qsort(x, *n, sizeof *x, mk_compare_reals);
    return x;
}

static bool fill_side(struct mk_quantiles *q, const struct mk_dist *d, int side)
{
    size_t n;
    double *cut = find_cuts(d, side, &n);
    bool good = cut != NULL;
    for (int k = 0; good && k < CELLS; k++) {
        double octave = ldexp(min, k / 2), width = octave / 2;
        struct place p = {d, side, octave + (k % 2) * width, width, n, cut};
        good = fill(q, (size_t)side * CELLS + (size_t)k, &p, 0, INFINITY);
    }
    free(cut);
    return good;
}

struct mk_quantiles *mk_quantiles_new(const struct mk_dist *d)
{
    struct mk_quantiles *q = calloc(1, sizeof *q);
    if (!q) return NULL;
    q->n = (size_t)2 * CELLS;
    q->rest = 2 * min;
    if (MK_GROW(q->cell, 0, q->n) && fill_side(q, d, 0) && fill_side(q, d, 1)) return q;
    mk_quantiles_free(q);
    return NULL;
}

void mk_quantiles_free(struct mk_quantiles *q)
{
    if (!q) return;
    free(q->cell);
    free(q);
}

double mk_quantiles_rest(const struct mk_quantiles *q)
{
    return q->rest;
}

static double draw(const struct mk_quantiles *q, const struct mk_dist *d, double u)
{
    const uint64_t fraction = ((uint64_t)1 << 51) - 1;
    int side = u < 0.5;
    double v = side ? u : 1 - u;
    if (v < min || v >= max) return d->type->inverse(d, u, 1 - u);
    /* Two cells per octave: the exponent and the first bit of the fraction number the cells. */
    uint64_t bits = mk_bits_of(v);
    const struct cell *c = q->cell + (size_t)side * CELLS + ((bits - mk_bits_of(min)) >> 51);
    double t = (double)(int64_t)(bits & fraction) * 0x1p-50 - 1;
    while (c->child > 0) {
        int right = t >= 0;
        c = q->cell + c->child + right;
        t = 2 * t + (right ? -1 : 1);
    }
    return c->child == LEAF ? polynomial(c->a, t) : d->type->inverse(d, u, 1 - u);
}

void mk_quantiles_apply(const struct mk_quantiles *q, const struct mk_dist *d, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) x[i] = draw(q, d, x[i]);
}
