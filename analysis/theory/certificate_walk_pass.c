/* One forward pass of the walk over its grids. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/theory/certificate_parts.h"
#include "analysis/theory/certificate_walk.h"
#include "sim/base/clones.h"
#include "sim/base/error.h"

enum { ROWS = 4 };
static const double evaluation = 64; /* cells that take as long as a distribution function does */

/* What one chunk of pulls does to a maximum: F(k) = P(no reward of the chunk is above cell k), and the differences. */
struct draws {
    double *f, *w;
};

struct room {
    double *mass;
    size_t cells;
};

struct pass {
    struct mk_walk_grid *g;
    struct mk_walk_ends *ends;
    bool refined; /* the grid will be: errors are wanted */
    const struct mk_race *race;
    double horizon, limit; /* of pulls that are lost at once */
    struct mk_walk_losses losses;
    bool by_rows; /* nodes are visited row by row, so that a line has those of all counts of arm 1 */
    struct mk_walk_node *line, *next; /* [counts of a line] */
    struct draws *own, *rival;        /* [own_counts.n], [rival_counts.n] of the chunks */
    double *sum;                      /* [levels of the rival] */
    double *high, *low, *top;         /* [own_counts.n][rival_counts.n] see fill_thresholds */
    double size;                      /* of the terms of thresholds, at most */
    double *stay;                     /* [rival_counts.n][levels of arm 1] decided for arm 1, by the level of M_1 */
    double *leave;                    /* [own_counts.n][levels of arm 2] decided for arm 2, by the level of M_2 */
    double *begun, *added;            /* [levels of arm 2 + 1] work: of levels of M_2 after a chunk */
    struct room *spare;               /* [2 counts of a line + 1] that no node uses */
    size_t spares;
    double work, cells, peak; /* cells: in all nodes at a time */
};

/* ---- nodes ---- */

static void node_clear(struct pass *p, struct mk_walk_node *n)
{
    p->cells -= (double)n->cells;
    if (n->mass) p->spare[p->spares++] = (struct room){n->mass, n->room};
    free(n->row);
    *n = (struct mk_walk_node){.mass = NULL};
}

/* The masses of a row, to be written. */
static double *begin_row(struct mk_walk_node *n, size_t a)
{
    struct mk_walk_row *r = &n->row[a];
    double *row = mk_walk_row(n, a);
    if (!r->begun && r->end > r->first) memset(row + r->first, 0, (r->end - r->first) * sizeof *row);
    r->begun = true;
    return row;
}

/* ---- chunks of pulls ---- */

static struct draws *draws_new(const struct mk_walk_levels *l, const struct mk_walk_counts *c)
{
    struct draws *d = malloc(c->n * sizeof *d);
    double *all = malloc(2 * c->n * l->n * sizeof *all);
    if (!d || !all) {
        free(d);
        free(all);
        return NULL;
    }
    for (size_t k = 0; k < c->n; k++) d[k] = (struct draws){all + 2 * k * l->n, all + (2 * k + 1) * l->n};
    return d;
}

static void draws_free(struct draws *d)
{
    if (d) free(d->f);
    free(d);
}

/* The cost of the draws of a chunk of pulls. */
static double draws_work(const struct mk_walk_levels *l, double after, double last)
{
    if (!l->f->moving) return 0;
    const double single = (double)l->f->moving->single, first = fmin(after, single);
    const double each = fmin(last, single) - first + (last > single ? 1 + 48 * log2(last / fmax(after, single)) : 0);
    return evaluation * (double)l->n * each;
}

/* Fills the draws of the pulls after + 1 … last. f and w are at least what the rates say: exp errs by one unit in the
 * last place, the difference by half of one. */
static void fill_draws(struct pass *p, struct draws *d, const struct mk_walk_levels *l, double after, double last)
{
    p->work += draws_work(l, after, last);
    double before = 0, rates = INFINITY;
    for (size_t k = 0; k < l->n; k++) {
        rates = fmin(rates, mk_walk_rates(l, k, after, last));
        const double f = exp(-rates), w = f - before + 8 * DBL_EPSILON * f;
        d->f[k] = f * (1 + 2 * DBL_EPSILON);
        d->w[k] = fmax(0, w);
        before = f;
    }
}

/* ---- one node ---- */

/* The masses of row a at levels first … end - 1 of arm 2, added up. */
static double part_sum(const struct mk_walk_node *n, size_t a, size_t first, size_t end)
{
    const double *row = mk_walk_row(n, a);
    double sum = 0;
    for (size_t b = first; b < end; b++) sum += row[b];
    return sum;
}

static double row_sum(const struct mk_walk_node *n, size_t a)
{
    return part_sum(n, a, n->row[a].first, n->row[a].end);
}

static double lowest_column(const struct mk_walk_node *n)
{
    double sum = 0;
    for (size_t a = n->a0; a < n->a1 && n->row[a].first == n->b0; a++)
        if (n->row[a].end > n->b0) sum += mk_walk_row(n, a)[n->b0];
    return sum;
}

static double highest_column(const struct mk_walk_node *n)
{
    double sum = 0;
    for (size_t a = n->a1; a-- > n->a0 && n->row[a].end == n->b1;)
        if (n->row[a].first < n->b1) sum += mk_walk_row(n, a)[n->b1 - 1];
    return sum;
}

static size_t clamp(size_t x, size_t low, size_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* Without the levels of arm 2 that have been trimmed. */
static void cut_row(struct mk_walk_node *n, size_t a)
{
    struct mk_walk_row *r = &n->row[a];
    r->first = clamp(r->first, n->b0, n->b1);
    r->right = clamp(r->right, n->b0, n->b1);
    r->end = clamp(r->end, n->b0, n->b1);
}

/* Without its lowest level of arm 2. */
static void cut_lowest(struct mk_walk_node *n)
{
    n->b0++;
    for (size_t a = n->a0; a < n->a1 && n->row[a].first < n->b0; a++) cut_row(n, a);
}

/* The highest level of arm 2 counts as the next lower one; returns what is decided for arm 1 then. */
static double lower_highest(struct mk_walk_node *n)
{
    double decided = 0;
    n->b1--;
    for (size_t a = n->a1; a-- > n->a0 && n->row[a].end > n->b1;) {
        const size_t first = n->row[a].first;
        double *row = mk_walk_row(n, a);
        if (first <= n->b1) *(first == n->b1 ? &decided : &row[n->b1 - 1]) += row[n->b1];
        cut_row(n, a);
    }
    return decided;
}

/* The lowest level of arm 1 counts as the next higher one; returns what is decided for arm 1 then. */
static double raise_lowest(struct mk_walk_node *n)
{
    const double *row = mk_walk_row(n, n->a0);
    double *to = mk_walk_row(n, n->a0 + 1), decided = 0;
    for (size_t b = n->row[n->a0].first; b < n->row[n->a0].end; b++)
        *(b < n->row[n->a0 + 1].first ? &decided : &to[b]) += row[b];
    n->a0++;
    return decided;
}

/* Negligible levels at the ends. The highest of arm 1 and the lowest of arm 2 have arm 1 pulled in all rounds that are
 * left; the lowest of arm 1 counts as the next one, and so does the highest of arm 2. */
static void trim(struct pass *p, struct mk_walk_node *n, size_t j, double left)
{
    const double most = p->limit / left;
    double lost = 0, sum;
    for (size_t a = n->a0; a < n->a1; a++) cut_row(n, a);
    for (; n->a1 > n->a0 && lost + (sum = row_sum(n, n->a1 - 1)) <= most; n->a1--) lost += sum;
    for (; n->a1 > n->a0 && n->b1 > n->b0 && lost + (sum = lowest_column(n)) <= most; cut_lowest(n)) lost += sum;
    for (; n->a0 + 1 < n->a1 && (sum = row_sum(n, n->a0)) <= most; lost += raise_lowest(n)) p->losses.raised += sum;
    for (; n->b0 + 1 < n->b1 && (sum = highest_column(n)) <= most; lost += lower_highest(n)) p->losses.lowered += sum;
    p->g->rival_counts.ended[j] += lost;
    p->losses.ended += lost;
    if (n->a1 == n->a0 || n->b1 == n->b0) node_clear(p, n);
}

/* A node and what is decided there. */
struct at {
    size_t i, j;
    double n1, n2, own_pulls, rival_pulls; /* of the two chunks */
    bool own_last, rival_last;             /* the chunk ends the walk */
    double high, first,
        late; /* theta up to which arm 2 is pulled: over the chunk of arm 2, at once, and after the chunk of arm 1 */
};

/* Theta of the lemma; *size: at least the terms of which it is made. */
static double threshold(const struct pass *p, double n1, double n2, double end, double *size)
{
    double first = 0, last = 0;
    const double a = mk_bonus_lead(mk_round_of(p->race, n1 + n2 + 1), n1, end, &first),
                 b = mk_bonus_lead(mk_round_of(p->race, n1 + end + 1), n1, end, &last);
    *size = fmax(*size, fmax(first, last));
    return fmax(a, b);
}

static struct at place(const struct pass *p, size_t i, size_t j)
{
    const struct mk_walk_counts *own = &p->g->own_counts, *rival = &p->g->rival_counts;
    const double T = p->horizon, n1 = own->at[i], n2 = rival->at[j], left = T - n1 - n2;
    struct at at = {.i = i, .j = j, .n1 = n1, .n2 = n2};
    at.own_pulls = i + 1 < own->n ? fmin(left, own->at[i + 1] - n1) : left;
    at.rival_pulls = j + 1 < rival->n ? fmin(left, rival->at[j + 1] - n2) : left;
    at.own_last = at.own_pulls >= left;
    at.rival_last = at.rival_pulls >= left;
    at.high = p->high[i * rival->n + j];
    return at;
}

/* high: Theta of a node. A state is decided for arm 1 where it is pulled at `low`, for arm 2 where that is pulled at
 * `top`: at every later node of this row, or column, and, so that a chunk of the other arm never leads to such a state,
 * at the node before. */
static void fill_thresholds(struct pass *p)
{
    const struct mk_walk_counts *own = &p->g->own_counts, *rival = &p->g->rival_counts;
    const size_t rows = rival->n;
    for (size_t i = 0; i < own->n; i++)
        for (size_t j = 0; j < rows; j++) {
            const struct at at = place(p, i, j);
            const double left = p->horizon - at.n1 - at.n2;
            p->high[i * rows + j] = left > 0 ? threshold(p, at.n1, at.n2, at.n2 + at.rival_pulls - 1, &p->size) : NAN;
        }
    for (size_t i = own->n; i-- > 0;)
        for (size_t j = rows; j-- > 0;) {
            const size_t k = i * rows + j;
            p->low[k] = fmin(p->high[k], i + 1 < own->n ? p->low[k + rows] : NAN);
            p->top[k] = fmax(p->high[k], j + 1 < rows ? p->top[k + 1] : NAN);
        }
    for (size_t i = own->n; i-- > 0;)
        for (size_t j = rows; j-- > 0;) {
            const size_t k = i * rows + j;
            if (j > 0) p->low[k] = fmin(p->low[k], p->high[k - 1]);
            if (i > 0) p->top[k] = fmax(p->top[k], p->high[k - rows]);
        }
}

/* The largest M_2 with which arm 1 is pulled at M_1 = x, but for rounding; above it, with rounding. */
static double tau(const struct pass *p, double x, double theta)
{
    if (p->race->scale == MK_RACE_UNSCALED) return x + theta;
    if (theta >= 1) return INFINITY;
    if (theta <= -1) return -INFINITY;
    return theta >= 0 ? fmax(0, x) / (1 - theta) : fmax(0, x) * (1 + theta);
}

static double tau_above(const struct pass *p, double x, double theta)
{
    if (p->race->scale == MK_RACE_UNSCALED) return x + theta + 64 * DBL_EPSILON * (fabs(x) + p->size) + MK_TINY;
    return tau(p, x, theta + 64 * DBL_EPSILON * (1 + p->size)) * (1 + 4 * DBL_EPSILON) + MK_TINY;
}

/* The rows of node (i, j) from `first` to the one whose levels below b1 are all decided for arm 1, or to `end`; returns
 * where they end. A state that is decided for arm 1 is so at all points of both cells, or `estimate` would not see it,
 * and has M_2 below the cell of M_1, one for arm 2 the other way round, so that the largest reward of all is the
 * largest of that arm. */
static size_t find_rows(const struct pass *p, struct mk_walk_row *row, size_t i, size_t j, size_t first, size_t end,
                        size_t b1)
{
    const struct mk_walk_levels *own = &p->g->own, *rival = &p->g->rival;
    const size_t k = i * p->g->rival_counts.n + j;
    struct mk_walk_row r = {0, 0, 0, 0, false};
    for (size_t a = first; a < end; a++) {
        const double x = mk_walk_value(own, a), low = fmin(own->edge[a], tau_above(p, own->edge[a], p->low[k])),
                     at = tau_above(p, x, p->high[k]), top = tau_above(p, x, p->top[k]);
        while (r.first < rival->n && rival->edge[r.first + 1] <= low) r.first++;
        while (r.right < rival->n && mk_walk_value(rival, r.right) <= at) r.right++;
        while (r.end < rival->n && (mk_walk_value(rival, r.end) <= top || rival->edge[r.end] < own->edge[a + 1]))
            r.end++;
        if (r.first >= b1) return a;
        row[a] = r;
    }
    return end;
}

/* Gives a node larger room for its masses: the smallest that suffices of those that no node uses, or a new one. */
static bool find_room(struct pass *p, struct mk_walk_node *n, size_t cells)
{
    size_t best = p->spares;
    for (size_t k = 0; k < p->spares; k++)
        if (p->spare[k].cells >= cells && (best == p->spares || p->spare[k].cells < p->spare[best].cells)) best = k;
    const bool found = best < p->spares;
    struct room old = {n->mass, n->room}, room = {NULL, cells + cells / 4 + 1};
    if (found)
        room = p->spare[best];
    else
        room.mass = malloc(room.cells * sizeof *room.mass);
    if (!room.mass) return false;
    if (old.mass) memcpy(room.mass, old.mass, n->cells * sizeof *room.mass);
    if (found) /* there are never more rooms than nodes were in use at one time */
        p->spare[best] = old.mass ? old : p->spare[--p->spares];
    else if (old.mass)
        free(old.mass);
    else if (p->spares > 0)
        free(p->spare[--p->spares].mass);
    n->mass = room.mass;
    n->room = room.cells;
    return true;
}

static bool add_rows(struct pass *p, struct mk_walk_node *n, size_t first, size_t end)
{
    size_t cells = n->cells;
    for (size_t a = first; a < end; a++) {
        n->row[a].start = (ptrdiff_t)cells - (ptrdiff_t)n->row[a].first;
        cells += n->row[a].end - n->row[a].first;
    }
    if ((!n->mass || cells > n->room) && !find_room(p, n, cells)) return false;
    p->cells += (double)(cells - n->cells);
    p->peak = fmax(p->peak, p->cells);
    n->cells = cells;
    return true;
}

/* These levels at node (i, j) as well, but for the highest of arm 1 if all below b1 is decided for it there; never of a
 * node that has been trimmed. */
static bool widen(struct pass *p, struct mk_walk_node *n, size_t i, size_t j, size_t a0, size_t a1, size_t b0,
                  size_t b1)
{
    if (!n->row) {
        *n = (struct mk_walk_node){a0, a0, b0, b1, malloc(p->g->own.n * sizeof *n->row), 0, 0, NULL};
        if (!n->row) return false;
    }
    n->b0 = b0 < n->b0 ? b0 : n->b0;
    n->b1 = b1 > n->b1 ? b1 : n->b1;
    const size_t end = a1 > n->a1 ? find_rows(p, n->row, i, j, n->a1, a1, n->b1) : n->a1;
    if (!add_rows(p, n, n->a1, end)) return false;
    n->a1 = end;
    if (a0 >= n->a0) return true;
    find_rows(p, n->row, i, j, a0, n->a0, p->g->rival.n + 1);
    if (!add_rows(p, n, a0, n->a0)) return false;
    n->a0 = a0;
    return true;
}

static double share(double part, double others)
{
    return isinf(part) ? 1 : part > 0 ? part / (part + others) : 0;
}

/* Estimates what the width of cells and chunks costs: pulls of arm 1 that exact rewards might not have made. An early
 * one matters more, since it may end, or begin, a lock-out; by the weight that gave the narrowest bounds of several
 * tried. */
static void estimate(struct pass *p, const struct mk_walk_node *n, const struct at *at)
{
    struct mk_walk_grid *g = p->g;
    const bool scaled = p->race->scale != MK_RACE_UNSCALED;
    const double weight = g->scale / at->n1 * sqrt(p->horizon / (at->n1 + at->n2));
    for (size_t a = n->a0; a < n->a1; a++) {
        const double low = g->own.edge[a], high = g->own.edge[a + 1], *row = mk_walk_row(n, a);
        const double first = tau(p, low, at->first), late = tau(p, low, at->late);
        for (size_t b = n->row[a].right; b-- > n->row[a].first;) {
            const double y0 = g->rival.edge[b], y1 = g->rival.edge[b + 1];
            if (y1 <= late) break;
            const double lost = row[b] * at->own_pulls * weight;
            if (y1 > first) {
                const double wide[3] = {high - low, y1 - y0, (at->high - at->first) * (scaled ? fmax(low, y0) : 1)};
                g->own.error[a] += lost * share(wide[0], wide[1] + wide[2]);
                g->rival.error[b] += lost * share(wide[1], wide[0] + wide[2]);
                g->rival_counts.error[at->j] += lost * fmin(1, at->n1 / at->n2) * share(wide[2], wide[0] + wide[1]);
            } else {
                g->own_counts.error[at->i] += lost / 2;
            }
        }
    }
}

/* One level of M_1 after a chunk of rewards, for levels first … end - 1 of M_2; sum: the masses below it. */
MK_CLONES static void spread_row(double *restrict into, const double *restrict from, double *restrict sum, double f,
                                 double w, size_t first, size_t end)
{
#pragma omp simd
    for (size_t b = first; b < end; b++) {
        into[b] += from[b] * f + sum[b] * w;
        sum[b] += from[b];
    }
}

static bool pull_own(struct pass *p, const struct mk_walk_node *n, const struct at *at)
{
    const struct mk_walk_row *r = n->row;
    const struct draws *d = &p->own[at->i];
    const double left = p->horizon - at->n2;
    const size_t last = r[n->a1 - 1].right, levels = p->g->own.n;
    double *sum = p->sum, all = 0;
    if (at->own_last) {
        for (size_t a = n->a0; a < n->a1; a++) all += part_sum(n, a, r[a].first, r[a].right);
        p->g->rival_counts.ended[at->j] += all;
        return mk_walk_ends_add(p->ends, p->g, n, true, at->i, at->j);
    }
    /* the levels that the chunk reaches */
    size_t a0 = n->a0, a1 = levels;
    while (a0 < n->a1 && r[a0].right == r[a0].first) a0++;
    if (a0 == n->a1) return true;
    const size_t least = r[a0].first;
    for (size_t b = least; b < last; b++) sum[b] = 0;
    double above = 0;
    while (a1 > n->a1 && (above + d->w[a1 - 1]) * left <= p->limit) above += d->w[--a1];
    struct mk_walk_node *to = p->by_rows ? &p->line[at->i + 1] : &p->next[at->j];
    if (!widen(p, to, at->i + 1, at->j, a0, a1, least, last)) return false;
    double *stay = p->stay + at->j * levels, decided = 0, below = 0;
    size_t done = least; /* levels of arm 2 below this one are decided for arm 1 in this level of arm 1 */
    for (size_t a = a0; a < a1; a++) {
        const double f = d->f[a], w = d->w[a], *from = a < n->a1 ? mk_walk_row(n, a) : NULL;
        double *into = a < to->a1 ? begin_row(to, a) : NULL, here = 0;
        const size_t first = a < to->a1 ? to->row[a].first : last;
        for (; done < last && done < first; done++) below += sum[done];
        size_t b = done;
        if (a < n->a1) {
            const size_t middle = clamp(done, r[a].first, r[a].right);
            for (size_t k = r[a].first; k < middle; k++) here += from[k];
            for (; b < r[a].first && b < last; b++) into[b] += sum[b] * w;
            spread_row(into, from, sum, f, w, middle, r[a].right);
        } else {
            for (; b < last; b++) into[b] += sum[b] * w;
        }
        const double mass = here * f + below * w;
        stay[a] += mass;
        decided += mass;
        below += here;
    }
    for (size_t b = done; b < last; b++) all += sum[b];
    const double lost = (all + below) * above;
    p->g->rival_counts.ended[at->j] += decided + lost;
    p->losses.ended += lost;
    return true;
}

/* The largest of M_2 and a chunk of rewards, from levels first … end - 1 with `below` below them; returns the mass. */
static double spread(double *into, const double *from, const struct draws *d, size_t first, size_t end, double below)
{
    for (size_t b = first; b < end; b++) {
        into[b] += from[b] * d->f[b] + below * d->w[b];
        below += from[b];
    }
    return below;
}

/* The same for several rows at once, which do not wait for each other's sums. */
MK_CLONES static void spread_rows(const struct mk_walk_node *to, const struct mk_walk_node *n, const struct draws *d,
                                  size_t a, size_t first, size_t end, double *sum)
{
    const double *from[ROWS] = {mk_walk_row(n, a), mk_walk_row(n, a + 1), mk_walk_row(n, a + 2), mk_walk_row(n, a + 3)};
    double *into[ROWS] = {mk_walk_row(to, a), mk_walk_row(to, a + 1), mk_walk_row(to, a + 2), mk_walk_row(to, a + 3)};
    double s0 = sum[0], s1 = sum[1], s2 = sum[2], s3 = sum[3];
    for (size_t b = first; b < end; b++) {
        const double f = d->f[b], w = d->w[b];
        const double m0 = from[0][b], m1 = from[1][b], m2 = from[2][b], m3 = from[3][b];
        into[0][b] += m0 * f + s0 * w;
        into[1][b] += m1 * f + s1 * w;
        into[2][b] += m2 * f + s2 * w;
        into[3][b] += m3 * f + s3 * w;
        s0 += m0;
        s1 += m1;
        s2 += m2;
        s3 += m3;
    }
    sum[0] = s0;
    sum[1] = s1;
    sum[2] = s2;
    sum[3] = s3;
}

/* The states of one row that are decided for arm 2 after the chunk begin at level `from` of arm 2, with `below` below
 * it. */
static void leave_row(struct pass *p, const struct mk_walk_node *n, size_t a, size_t from, double below)
{
    const double *row = mk_walk_row(n, a);
    p->begun[from] += below;
    for (size_t b = from; b < n->row[a].end; b++) p->added[b] += row[b];
}

/* The masses that leave_row has collected, of levels from `first` on, after the chunk of arm 2. */
static void leave_levels(struct pass *p, const struct at *at, size_t first)
{
    const struct draws *d = &p->rival[at->j];
    const size_t levels = p->g->rival.n;
    double below = 0, decided = 0, *leave = p->leave + at->i * levels;
    for (size_t b = first; b < levels; b++) {
        below += p->begun[b];
        const double mass = p->added[b] * d->f[b] + below * d->w[b];
        leave[b] += mass;
        decided += mass;
        below += p->added[b];
        p->begun[b] = p->added[b] = 0;
    }
    p->g->own_counts.ended[at->i] += decided;
}

/* Rows *a0 … *a1 - 1 without those at either end in which arm 2 is never pulled. */
static void leave_out_idle(const struct mk_walk_row *r, size_t *a0, size_t *a1)
{
    while (*a1 > *a0 && r[*a1 - 1].right == r[*a1 - 1].end) --*a1;
    while (*a0 < *a1 && r[*a0].right == r[*a0].end) ++*a0;
}

static bool pull_rival(struct pass *p, const struct mk_walk_node *n, const struct at *at)
{
    const struct mk_walk_row *r = n->row;
    const size_t levels = p->g->rival.n;
    if (at->rival_last) {
        double all = 0;
        for (size_t a = n->a0; a < n->a1; a++) all += part_sum(n, a, r[a].right, r[a].end);
        p->g->own_counts.ended[at->i] += all;
        return mk_walk_ends_add(p->ends, p->g, n, false, at->i, at->j);
    }
    const struct draws *d = &p->rival[at->j];
    const double left = p->horizon - at->n2;
    size_t a0 = n->a0, a1 = n->a1, b1 = levels;
    leave_out_idle(r, &a0, &a1);
    if (a0 == a1) return true;
    double above = 0; /* counts as the last level that is used */
    while (b1 > n->b1 && (above + d->w[b1 - 1]) * left <= p->limit) above += d->w[--b1];
    struct mk_walk_node *to = p->by_rows ? &p->next[at->i] : &p->line[at->j + 1];
    if (!widen(p, to, at->i, at->j + 1, a0, a1, r[a0].right, b1)) return false;
    size_t first = levels;
    for (size_t a = a0; a < a1; a += ROWS) {
        double sum[ROWS] = {0};
        const size_t rows = a1 - a < ROWS ? a1 - a : ROWS, common = rows == ROWS ? r[a + rows - 1].right : levels;
        size_t shared = common; /* the levels common … shared - 1 stay in all rows */
        if (rows == ROWS && r[a].end > common && to->row[a].end > common)
            shared = r[a].end < to->row[a].end ? r[a].end : to->row[a].end;
        size_t stop[ROWS];
        for (size_t k = a; k < a + rows; k++) {
            begin_row(to, k);
            stop[k - a] = clamp(to->row[k].end, r[k].right, r[k].end);
            const size_t until = common < stop[k - a] ? common : stop[k - a];
            sum[k - a] = spread(mk_walk_row(to, k), mk_walk_row(n, k), d, r[k].right, until, 0);
        }
        if (shared > common) spread_rows(to, n, d, a, common, shared, sum);
        for (size_t k = a; k < a + rows; k++) {
            double *into = mk_walk_row(to, k);
            const size_t end = to->row[k].end < b1 ? to->row[k].end : b1;
            const double below =
                spread(into, mk_walk_row(n, k), d, clamp(shared, r[k].right, stop[k - a]), stop[k - a], sum[k - a]);
            for (size_t b = stop[k - a]; b < end; b++) into[b] += below * d->w[b];
            if (to->row[k].end < b1) {
                const size_t from = to->row[k].end > r[k].right ? to->row[k].end : r[k].right;
                leave_row(p, n, k, from, below);
                first = from < first ? from : first;
            } else {
                into[b1 - 1] += below * above;
                p->losses.lowered += below * above;
            }
        }
    }
    leave_levels(p, at, first);
    return true;
}

static bool visit(struct pass *p, struct mk_walk_node *n, struct at *at)
{
    for (size_t a = n->a0; a < n->a1; a++) begin_row(n, a);
    trim(p, n, at->j, p->horizon - at->n2);
    if (!n->mass) return true;
    p->work += 2 * (double)(p->g->own.n + p->g->rival.n);
    for (size_t a = n->a0; a < n->a1; a++) p->work += (double)(n->row[a].end - n->row[a].first);
    double size = 0;
    at->first = threshold(p, at->n1, at->n2, at->n2, &size);
    at->late = fmin(at->first, threshold(p, at->n1 + at->own_pulls - 1, at->n2, at->n2, &size));
    if (p->refined) estimate(p, n, at);
    const bool fine = pull_own(p, n, at) && pull_rival(p, n, at);
    node_clear(p, n);
    return fine;
}

/* ---- all nodes ---- */

static bool start(struct pass *p)
{
    const struct mk_walk_levels *own = &p->g->own, *rival = &p->g->rival;
    struct mk_walk_node *n = &p->line[0];
    fill_draws(p, &p->own[0], own, 0, 1);
    fill_draws(p, &p->rival[0], rival, 0, 1);
    if (!widen(p, n, 0, 0, 0, own->n, 0, rival->n)) return false;
    const double *u = p->own[0].w, *v = p->rival[0].w;
    double stay = 0, leave = 0;
    for (size_t a = 0; a < own->n; a++) {
        const size_t first = a < n->a1 ? n->row[a].first : rival->n, end = a < n->a1 ? n->row[a].end : rival->n;
        for (size_t b = 0; b < first; b++) p->stay[a] += u[a] * v[b];
        if (end > first) begin_row(n, a);
        for (size_t b = first; b < end; b++) mk_walk_row(n, a)[b] = u[a] * v[b];
        for (size_t b = end; b < rival->n; b++) p->leave[b] += u[a] * v[b];
        stay += p->stay[a];
    }
    for (size_t b = 0; b < rival->n; b++) leave += p->leave[b];
    p->g->rival_counts.ended[0] += stay;
    p->g->own_counts.ended[0] += leave;
    return true;
}

/* The level of a maximum after a chunk. */
static void step(double *mass, const struct draws *d, size_t n)
{
    double below = 0;
    for (size_t k = 0; k < n; k++) {
        const double here = mass[k];
        mass[k] = here * d->f[k] + below * d->w[k];
        below += here;
    }
}

/* The states of a row, or column, that are decided: to its next node, or to the end. */
static bool step_decided(struct pass *p, const struct at *at)
{
    const size_t own = p->g->own.n, rival = p->g->rival.n;
    double *stay = p->stay + at->j * own, *leave = p->leave + at->i * rival;
    if (p->ends->pieces == 0) return true;
    if (!at->own_last)
        step(stay, &p->own[at->i], own);
    else if (!mk_walk_ends_add_decided(p->ends, p->g, stay, true, at->i, at->j))
        return false;
    if (!at->rival_last) {
        step(leave, &p->rival[at->j], rival);
        return true;
    }
    return mk_walk_ends_add_decided(p->ends, p->g, leave, false, at->i, at->j);
}

static bool walk(struct pass *p)
{
    const struct mk_walk_counts *own = &p->g->own_counts, *rival = &p->g->rival_counts;
    const double levels = (double)(p->g->own.n + p->g->rival.n);
    const size_t lines = p->by_rows ? rival->n : own->n, length = p->by_rows ? own->n : rival->n;
    fill_thresholds(p);
    if (!start(p)) return false;
    for (size_t i = 0; i + 1 < own->n; i++) fill_draws(p, &p->own[i], &p->g->own, own->at[i], own->at[i + 1]);
    for (size_t j = 0; j + 1 < rival->n; j++) fill_draws(p, &p->rival[j], &p->g->rival, rival->at[j], rival->at[j + 1]);
    for (size_t l = 0; l < lines; l++) {
        for (size_t k = 0; k < length; k++) {
            const size_t i = p->by_rows ? k : l, j = p->by_rows ? l : k;
            if (own->at[i] + rival->at[j] >= p->horizon) break;
            struct at at = place(p, i, j);
            p->work += levels + 32;
            if (!step_decided(p, &at) || (p->line[k].mass && !visit(p, &p->line[k], &at))) return false;
        }
        struct mk_walk_node *swap = p->line;
        p->line = p->next;
        p->next = swap;
    }
    return true;
}

static void clear_counts(struct mk_walk_counts *c)
{
    memset(c->error, 0, c->n * sizeof *c->error);
    memset(c->ended, 0, c->n * sizeof *c->ended);
}

/* The masses that have ended, rounded upwards, and the mean of their values. */
static double mean_value(struct mk_walk_grid *g, double factor)
{
    double sum = 0;
    for (size_t i = 0; i < g->own_counts.n; i++) sum += (g->own_counts.ended[i] *= factor) * g->own_counts.at[i];
    for (size_t j = 0; j < g->rival_counts.n; j++)
        sum += (g->rival_counts.ended[j] *= factor) * (g->horizon - g->rival_counts.at[j]);
    return sum * factor;
}

int mk_walk_pass(struct mk_walk_result *out, struct mk_walk_grid *g, struct mk_walk_ends *ends,
                 const struct mk_race *race, double negligible, struct mk_error *err)
{
    const size_t rows = g->rival_counts.n, columns = g->own_counts.n;
    memset(g->own.error, 0, g->own.n * sizeof *g->own.error);
    memset(g->rival.error, 0, g->rival.n * sizeof *g->rival.error);
    clear_counts(&g->own_counts);
    clear_counts(&g->rival_counts);
    struct mk_walk_ends none = {0};
    const int code = ends ? mk_walk_ends_start(ends, race, g, err) : MK_OK;
    if (code) return code;
    struct pass p = {
        .g = g, .ends = ends ? ends : &none, .refined = ends, .race = race, .horizon = (double)race->horizon};
    p.limit = negligible / (double)(rows * columns);
    p.by_rows = columns < rows;
    const size_t length = p.by_rows ? columns : rows;
    p.line = calloc(length, sizeof *p.line);
    p.next = calloc(length, sizeof *p.next);
    p.own = draws_new(&g->own, &g->own_counts);
    p.rival = draws_new(&g->rival, &g->rival_counts);
    p.spare = malloc((2 * length + 1) * sizeof *p.spare);
    p.sum = malloc(g->rival.n * sizeof *p.sum);
    p.high = calloc(3 * rows * columns, sizeof *p.high);
    p.stay = calloc(rows * g->own.n, sizeof *p.stay);
    p.leave = calloc(columns * g->rival.n, sizeof *p.leave);
    p.begun = calloc(2 * (g->rival.n + 1), sizeof *p.begun);
    bool fine = p.line && p.next && p.own && p.rival && p.spare && p.sum && p.high && p.stay && p.leave && p.begun;
    if (fine) {
        p.low = p.high + rows * columns;
        p.top = p.low + rows * columns;
        p.added = p.begun + g->rival.n + 1;
        fine = walk(&p);
    }
    for (size_t k = 0; p.line && p.next && k < length; k++) {
        node_clear(&p, &p.line[k]);
        node_clear(&p, &p.next[k]);
    }
    for (size_t k = 0; k < p.spares; k++) free(p.spare[k].mass);
    free(p.spare);
    free(p.line);
    free(p.next);
    draws_free(p.own);
    draws_free(p.rival);
    free(p.sum);
    free(p.high);
    free(p.stay);
    free(p.leave);
    free(p.begun);
    if (!fine) return mk_fail_memory(err, "the certificate");
    const double steps =
        (double)(rows + columns) * (2 * (double)(g->own.n + g->rival.n) + 16) + (double)rows * (double)columns;
    const double rounding = steps * 2 * DBL_EPSILON;
    const struct mk_walk_losses losses = {p.losses.ended * (1 + rounding), p.losses.raised * (1 + rounding),
                                          p.losses.lowered * (1 + rounding), rounding};
    *out = (struct mk_walk_result){mean_value(g, 1 + rounding), losses, .work = p.work, .cells = p.peak};
    return MK_OK;
}
