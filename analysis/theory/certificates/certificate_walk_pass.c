/* One forward pass of the walk over its grids. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/theory/certificates/certificate_parts.h"
#include "analysis/theory/certificates/certificate_walk.h"
#include "sim/base/clones.h"
#include "sim/base/error.h"

enum { ROWS = 4, LINES = 4 };                        /* that are handled together */
static const double underflow = 1e-30;               /* more than some 1e12 masses lose that are below FLT_MIN */
static const double least_known = 256 * DBL_EPSILON; /* the least probability that a mass is divided by (is_known) */

struct room {
    mk_walk_mass *mass;
    size_t cells;
};

struct pass {
    struct mk_walk_grid *g;
    struct mk_walk_ends *ends;
    bool refined; /* the grid will be: errors are wanted */
    const struct mk_race *race;
    double horizon, limit; /* of pulls that are lost at once */
    struct mk_walk_losses losses;
    size_t roundings;                     /* to mk_walk_mass, of any mass, at most */
    bool by_rows;                         /* a line has the nodes of all counts of arm 1; false: of arm 2 */
    size_t slices;                        /* of a node */
    size_t base;                          /* the count at line[0] */
    struct mk_walk_node *line[LINES + 1]; /* [counts of a line][slices] */
    struct mk_walk_draws own, rival;      /* of the chunks of both arms */
    struct mk_walk_order order;
    double *sum;              /* [levels of the rival] */
    double *stay;             /* [rival_counts.n][levels of arm 1] decided for arm 1, by the level of M_1 */
    double *leave;            /* [own_counts.n][levels of arm 2] decided for arm 2, by the level of M_2 */
    double *begun, *added;    /* [levels of arm 2 + 1] work: of levels of M_2 after a chunk */
    struct mk_walk_row *part; /* [levels of arm 1] work: of a node */
    struct room *spare;       /* [(LINES + 1) counts of a line * slices] that no node uses */
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
static mk_walk_mass *begin_row(struct mk_walk_node *n, size_t a)
{
    struct mk_walk_row *r = &n->row[a];
    mk_walk_mass *row = mk_walk_row(n, a);
    if (!r->begun && r->end > r->first) memset(row + r->first, 0, (r->end - r->first) * sizeof *row);
    r->begun = true;
    return row;
}

/* ---- one node ---- */

/* The masses of row a at levels first … end - 1 of arm 2, added up. */
static double part_sum(const struct mk_walk_node *n, size_t a, size_t first, size_t end)
{
    const mk_walk_mass *row = mk_walk_row(n, a);
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

/* The masses of level b of arm 2. */
static double column_sum(const struct mk_walk_node *n, size_t b)
{
    double sum = 0;
    for (size_t a = n->a1; a-- > n->a0 && n->row[a].end > b;)
        if (n->row[a].first <= b) sum += mk_walk_row(n, a)[b];
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

/* Levels of arm 2 above `to` count as this one; returns what is decided for arm 1 then. */
static double lower_highest(struct mk_walk_node *n, size_t to)
{
    double decided = 0;
    n->b1 = to + 1;
    n->roundings++;
    for (size_t a = n->a1; a-- > n->a0 && n->row[a].end > n->b1;) {
        const struct mk_walk_row r = n->row[a];
        if (r.first > to)
            decided += row_sum(n, a);
        else
            mk_walk_row(n, a)[to] = (mk_walk_mass)part_sum(n, a, to, r.end);
        cut_row(n, a);
    }
    return decided;
}

/* Levels of arm 1 below `to` count as this one; returns what is decided for arm 1 then. sum: [levels of arm 2] work. */
static double raise_lowest(struct mk_walk_node *n, size_t to, double *sum)
{
    const struct mk_walk_row r = n->row[to];
    mk_walk_mass *into = mk_walk_row(n, to);
    double decided = 0;
    n->roundings++;
    for (size_t b = r.first; b < r.end; b++) sum[b] = into[b];
    for (; n->a0 < to; n->a0++) {
        const mk_walk_mass *row = mk_walk_row(n, n->a0);
        for (size_t b = n->row[n->a0].first; b < n->row[n->a0].end; b++) *(b < r.first ? &decided : &sum[b]) += row[b];
    }
    for (size_t b = r.first; b < r.end; b++) into[b] = (mk_walk_mass)sum[b];
    return decided;
}

/* Negligible levels at the ends. The highest of arm 1 and the lowest of arm 2 have arm 1 pulled in all rounds that are
 * left; the lowest of arm 1 count as the next one, and so do the highest of arm 2. */
static void trim(struct pass *p, struct mk_walk_node *n, size_t j, double left)
{
    const double max = p->limit / left;
    double lost = 0, sum, raised = 0, lowered = 0;
    for (size_t a = n->a0; a < n->a1; a++) cut_row(n, a);
    for (; n->a1 > n->a0 && lost + (sum = row_sum(n, n->a1 - 1)) <= max; n->a1--) lost += sum;
    for (; n->a1 > n->a0 && n->b1 > n->b0 && lost + (sum = lowest_column(n)) <= max; cut_lowest(n)) lost += sum;
    size_t a = n->a0, b = n->b1;
    for (; a + 1 < n->a1 && (sum = raised + row_sum(n, a)) <= max; a++) raised = sum;
    if (a > n->a0) lost += raise_lowest(n, a, p->sum);
    for (; b > n->b0 + 1 && (sum = lowered + column_sum(n, b - 1)) <= max; b--) lowered = sum;
    if (b < n->b1) lost += lower_highest(n, b - 1);
    if (n->roundings > p->roundings) p->roundings = n->roundings;
    p->losses.raised += raised;
    p->losses.lowered += lowered;
    p->g->rival_counts.ended[j] += lost;
    p->losses.ended += lost;
    if (n->a1 == n->a0 || n->b1 == n->b0) node_clear(p, n);
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

/* These levels at node (i, j), of one slice, as well, but for the highest of arm 1 if all below b1 is decided for it
 * there; never of a node that has been trimmed. */
static bool widen(struct pass *p, struct mk_walk_node *n, size_t i, size_t j, size_t slice, size_t a0, size_t a1,
                  size_t b0, size_t b1)
{
    if (!n->row) {
        *n = (struct mk_walk_node){.a0 = a0, .a1 = a0, .b0 = b0, .b1 = b1, .row = malloc(p->g->own.n * sizeof *n->row)};
        if (!n->row) return false;
    }
    n->b0 = b0 < n->b0 ? b0 : n->b0;
    n->b1 = b1 > n->b1 ? b1 : n->b1;
    const size_t end = a1 > n->a1 ? mk_walk_rows(&p->order, n->row, i, j, slice, n->a1, a1, n->b1) : n->a1;
    if (!add_rows(p, n, n->a1, end)) return false;
    n->a1 = end;
    if (a0 >= n->a0) return true;
    mk_walk_rows(&p->order, n->row, i, j, slice, a0, n->a0, p->g->rival.n + 1);
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
static void estimate(struct pass *p, const struct mk_walk_node *n, const struct mk_walk_place *at, size_t slice)
{
    struct mk_walk_grid *g = p->g;
    const size_t c = mk_walk_cell_of(p->g, slice);
    const bool scaled = p->race->scale != MK_RACE_UNSCALED;
    const double weight = g->scale / at->n1 * sqrt(p->horizon / (at->n1 + at->n2)), bottom = g->smallest.cells.edge[c],
                 min = g->smallest.used ? bottom : 0,
                 of_first = mk_walk_smallest_of(&p->order, slice, at->first, false),
                 of_late = mk_walk_smallest_of(&p->order, slice, at->late, false);
    for (size_t a = n->a0; a < n->a1; a++) {
        const double low = g->own.edge[a], high = g->own.edge[a + 1];
        const mk_walk_mass *row = mk_walk_row(n, a);
        const double first = mk_walk_tau(&p->order, low, at->first, of_first),
                     late = mk_walk_tau(&p->order, low, at->late, of_late),
                     cell = fmax(0, fmin(high, g->smallest.cells.edge[c + 1]) - min);
        for (size_t b = n->row[a].right; b-- > n->row[a].first;) {
            const double y0 = g->rival.edge[b], y1 = g->rival.edge[b + 1];
            if (y1 <= late) break;
            const double lost = row[b] * at->own_pulls * weight;
            if (y1 > first) {
                const double range = scaled ? fmax(0, fmax(low, y0) - min) / p->order.width : 1,
                             wide[] = {high - low, y1 - y0, (at->high - at->first) * range,
                                       g->smallest.used ? fabs(at->first) / p->order.width * cell : 0};
                g->own.error[a] += lost * share(wide[0], wide[1] + wide[2] + wide[3]);
                g->rival.error[b] += lost * share(wide[1], wide[0] + wide[2] + wide[3]);
                g->rival_counts.error[at->j] +=
                    lost * fmin(1, at->n1 / at->n2) * share(wide[2], wide[0] + wide[1] + wide[3]);
                g->smallest.cells.error[c] += lost * share(wide[3], wide[0] + wide[1] + wide[2]);
            } else {
                g->own_counts.error[at->i] += lost / 2;
            }
        }
    }
}

/* One level of M_1 after a chunk of rewards, for levels first … end - 1 of M_2; sum: the masses below it. */
MK_CLONES static void spread_row(mk_walk_mass *restrict into, const mk_walk_mass *restrict from, double *restrict sum,
                                 double f, double w, size_t first, size_t end)
{
#pragma omp simd
    for (size_t b = first; b < end; b++) {
        const double here = from[b];
        into[b] = (mk_walk_mass)(into[b] + (here * f + sum[b] * w));
        sum[b] += here;
    }
}

/* The same for levels that it is not at yet. */
MK_CLONES static void spread_to(mk_walk_mass *restrict into, const double *restrict sum, double w, size_t first,
                                size_t end)
{
#pragma omp simd
    for (size_t b = first; b < end; b++) into[b] = (mk_walk_mass)(into[b] + sum[b] * w);
}

/* A slice of node (i, j). */
static struct mk_walk_node *node_of(const struct pass *p, size_t i, size_t j, size_t slice)
{
    return &p->line[(p->by_rows ? j : i) - p->base][(p->by_rows ? i : j) * p->slices + slice];
}

/* Masses of one node are added to those of another one, each of them so many times. */
static void arrive(struct mk_walk_node *to, const struct mk_walk_node *from, size_t times)
{
    to->roundings = (to->roundings > from->roundings ? to->roundings : from->roundings) + times;
}

/* A chunk of arm 1, to one slice of the next node. */
static bool pull_own(struct pass *p, const struct mk_walk_node *n, const struct mk_walk_place *at,
                     const struct mk_walk_chunk *d, size_t slice)
{
    const struct mk_walk_row *r = n->row;
    const double left = p->horizon - at->n2;
    const size_t last = r[n->a1 - 1].right, levels = p->g->own.n;
    double *sum = p->sum, all = 0;
    /* the levels that the chunk reaches */
    size_t a0 = n->a0, a1 = levels;
    while (a0 < n->a1 && r[a0].right == r[a0].first) a0++;
    if (a0 == n->a1) return true;
    const size_t min = r[a0].first;
    for (size_t b = min; b < last; b++) sum[b] = 0;
    double above = 0;
    while (a1 > n->a1 && (above + d->w[a1 - 1]) * left <= p->limit) above += d->w[--a1];
    struct mk_walk_node *to = node_of(p, at->i + 1, at->j, slice);
    if (!widen(p, to, at->i + 1, at->j, slice, a0, a1, min, last)) return false;
    arrive(to, n, 1);
    double *stay = p->stay + at->j * levels, decided = 0, below = 0;
    size_t done = min; /* levels of arm 2 below this one are decided for arm 1 in this level of arm 1 */
    for (size_t a = a0; a < a1; a++) {
        const double f = d->f[a], w = d->w[a];
        const mk_walk_mass *from = a < n->a1 ? mk_walk_row(n, a) : NULL;
        mk_walk_mass *into = a < to->a1 ? begin_row(to, a) : NULL;
        double here = 0;
        const size_t first = a < to->a1 ? to->row[a].first : last;
        for (; done < last && done < first; done++) below += sum[done];
        const size_t b = done;
        if (a < n->a1) {
            const size_t middle = clamp(done, r[a].first, r[a].right);
            for (size_t k = r[a].first; k < middle; k++) here += from[k];
            if (b < r[a].first) spread_to(into, sum, w, b, r[a].first < last ? r[a].first : last);
            spread_row(into, from, sum, f, w, middle, r[a].right);
        } else if (b < last) {
            spread_to(into, sum, w, b, last);
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
static double spread(mk_walk_mass *into, const mk_walk_mass *from, const struct mk_walk_chunk *d, size_t first,
                     size_t end, double below)
{
    for (size_t b = first; b < end; b++) {
        const double here = from[b];
        into[b] = (mk_walk_mass)(into[b] + (here * d->f[b] + below * d->w[b]));
        below += here;
    }
    return below;
}

/* The masses of as many rows at a level of arm 2, or of as many levels in a row. */
typedef double quad __attribute__((vector_size(ROWS * sizeof(double)), aligned(sizeof(double)), may_alias));

typedef mk_walk_mass kept_quad
    __attribute__((vector_size(ROWS * sizeof(mk_walk_mass)), aligned(sizeof(mk_walk_mass)), may_alias));

/* Rows to columns. */
static inline __attribute__((always_inline)) void turn(quad x[ROWS])
{
    const quad a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6), b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7),
               c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6), d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* The same for several rows at once, which do not wait for each other's sums: blocks of as many levels are turned, so
 * that a vector has one level of all rows. */
MK_CLONES static void spread_rows(const struct mk_walk_node *to, const struct mk_walk_node *n,
                                  const struct mk_walk_chunk *d, size_t a, size_t first, size_t end, double *sum)
{
    const mk_walk_mass *from[ROWS];
    mk_walk_mass *into[ROWS];
    quad below = *(const quad *)sum;
    size_t b = first;
    for (size_t k = 0; k < ROWS; k++) {
        from[k] = mk_walk_row(n, a + k);
        into[k] = mk_walk_row(to, a + k);
    }
    for (; b + ROWS <= end; b += ROWS) {
        quad x[ROWS];
        for (size_t k = 0; k < ROWS; k++) x[k] = __builtin_convertvector(*(const kept_quad *)(from[k] + b), quad);
        turn(x);
        for (size_t k = 0; k < ROWS; k++) {
            const quad mass = x[k];
            x[k] = mass * d->f[b + k] + below * d->w[b + k];
            below += mass;
        }
        turn(x);
        for (size_t k = 0; k < ROWS; k++) {
            kept_quad *to_row = (kept_quad *)(into[k] + b);
            *to_row = __builtin_convertvector(__builtin_convertvector(*to_row, quad) + x[k], kept_quad);
        }
    }
    for (size_t k = 0; k < ROWS; k++) sum[k] = spread(into[k], from[k], d, b, end, below[k]);
}

/* The states of one row that are decided for arm 2 after the chunk begin at level `from` of arm 2, with `below` below
 * it. */
static void leave_row(struct pass *p, const struct mk_walk_node *n, size_t a, size_t from, double below)
{
    const mk_walk_mass *row = mk_walk_row(n, a);
    p->begun[from] += below;
    for (size_t b = from; b < n->row[a].end; b++) p->added[b] += row[b];
}

/* The masses that leave_row has collected, of levels from `first` on, after the chunk of arm 2. */
static void leave_levels(struct pass *p, const struct mk_walk_place *at, const struct mk_walk_chunk *d, size_t first)
{
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

static bool pull_rival(struct pass *p, const struct mk_walk_node *n, const struct mk_walk_place *at,
                       const struct mk_walk_chunk *d, size_t slice)
{
    const struct mk_walk_row *r = n->row;
    const size_t levels = p->g->rival.n;
    const double left = p->horizon - at->n2;
    size_t a0 = n->a0, a1 = n->a1, b1 = levels;
    leave_out_idle(r, &a0, &a1);
    if (a0 == a1) return true;
    double above = 0; /* counts as the last level that is used */
    while (b1 > n->b1 && (above + d->w[b1 - 1]) * left <= p->limit) above += d->w[--b1];
    struct mk_walk_node *to = node_of(p, at->i, at->j + 1, slice);
    if (!widen(p, to, at->i, at->j + 1, slice, a0, a1, r[a0].right, b1)) return false;
    arrive(to, n, above > 0 ? 2 : 1);
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
            mk_walk_mass *into = mk_walk_row(to, k);
            const size_t end = to->row[k].end < b1 ? to->row[k].end : b1;
            const double below =
                spread(into, mk_walk_row(n, k), d, clamp(shared, r[k].right, stop[k - a]), stop[k - a], sum[k - a]);
            spread_to(into, d->w, below, stop[k - a], end);
            if (to->row[k].end < b1) {
                const size_t from = to->row[k].end > r[k].right ? to->row[k].end : r[k].right;
                leave_row(p, n, k, from, below);
                first = from < first ? from : first;
            } else {
                into[b1 - 1] = (mk_walk_mass)(into[b1 - 1] + below * above);
                p->losses.lowered += below * above;
            }
        }
    }
    leave_levels(p, at, d, first);
    return true;
}

/* Masses from which arm 1 is pulled to the end. */
static void lose(struct pass *p, const struct mk_walk_place *at, double mass)
{
    p->g->rival_counts.ended[at->j] += mass;
    p->losses.ended += mass;
}

static double all_mass(const struct mk_walk_node *n, bool own)
{
    double all = 0;
    for (size_t a = n->a0; a < n->a1; a++) {
        const struct mk_walk_row *r = &n->row[a];
        all += own ? part_sum(n, a, r->first, r->right) : part_sum(n, a, r->right, r->end);
    }
    return all;
}

/* Part of a node: the states with M_2 above the threshold of cell c of the smallest reward (as those from which arm 2
 * is pulled), or (waits) those below it from which arm 2 is pulled nevertheless, in the place of those from which arm 1
 * is. */
static struct mk_walk_node part_of(const struct pass *p, const struct mk_walk_node *n, const struct mk_walk_place *at,
                                   size_t c, bool waits)
{
    struct mk_walk_node part = *n;
    size_t b = 0;
    part.row = p->part;
    for (size_t a = n->a0; a < n->a1; a++) {
        const struct mk_walk_row r = n->row[a];
        const double max = mk_walk_tau_above(&p->order, mk_walk_value(&p->g->own, a), at->high,
                                             mk_walk_smallest_of(&p->order, c, at->high, true));
        while (b < p->g->rival.n && mk_walk_value(&p->g->rival, b) <= max) b++;
        const size_t middle = clamp(b, r.right, r.end);
        part.row[a] = waits ? (struct mk_walk_row){r.right, middle, middle, r.start, true}
                            : (struct mk_walk_row){r.right, middle, r.end, r.start, true};
    }
    return part;
}

/* Whether P(the smallest reward of the chunk of arm 2 is in cell c) is known well enough for a chunk to wait. */
static bool is_known(const struct pass *p, const struct mk_walk_place *at, size_t c)
{
    double min;
    const double max = mk_walk_draws_chance(&p->rival, at->j, c, at->rival_pulls, &min);
    return min > max / 2;
}

/* A chunk of arm 1, all masses being multiplied by `factor`, from cell c of the smallest reward to slices that wait, or
 * that do not, but for those that are left out since that is too rare. */
static bool pull_own_from(struct pass *p, const struct mk_walk_node *n, const struct mk_walk_place *at, size_t c,
                          bool waits, double factor)
{
    const double left = p->horizon - at->n2, mass = c > 0 ? factor * all_mass(n, true) : 0;
    for (size_t to = c;; to--) {
        const struct mk_walk_chunk *d = factor == 1 ? mk_walk_draws_of(&p->own, at->i, to, to < c)
                                                    : mk_walk_draws_times(&p->own, at->i, to, to < c, factor);
        if (to < c) p->work += (double)n->cells / 2;
        if (!pull_own(p, n, at, d, (waits ? p->g->smallest.cells.n : 0) + to)) return false;
        if (to == 0) return true;
        const double lost = mass * fmin(1, at->own_pulls * p->g->smallest.own[to].max);
        if (lost * left > p->limit && (!waits || is_known(p, at, to - 1))) continue;
        lose(p, at, lost);
        return true;
    }
}

/* The smallest reward of a chunk of arm 2 is in cell c, which is lower. If arm 1 would be pulled then, it is pulled
 * first, and the chunk waits. */
static bool pull_lower(struct pass *p, const struct mk_walk_node *n, const struct mk_walk_place *at, size_t c)
{
    const struct mk_walk_chunk *d = mk_walk_draws_of(&p->rival, at->j, c, true);
    p->work += (double)n->cells / 2;
    if (at->high < 0 || at->rival_pulls < 2) return pull_rival(p, n, at, d, c);
    struct mk_walk_node part = part_of(p, n, at, c, false);
    if (!pull_rival(p, &part, at, d, c)) return false;
    part = part_of(p, n, at, c, true);
    double min;
    const double chance = mk_walk_draws_chance(&p->rival, at->j, c, at->rival_pulls, &min),
                 mass = all_mass(&part, true) * chance;
    if (mass == 0) return true;
    if (!at->own_last && is_known(p, at, c) && mass * (p->horizon - at->n2) > p->limit)
        return pull_own_from(p, &part, at, c, true, chance);
    lose(p, at, mass);
    return true;
}

/* A chunk of arm 2. */
static bool pull_rival_from(struct pass *p, const struct mk_walk_node *n, const struct mk_walk_place *at, size_t slice)
{
    const size_t c = mk_walk_cell_of(p->g, slice);
    if (mk_walk_waits(p->g, slice)) { /* has waited */
        double min;
        mk_walk_draws_chance(&p->rival, at->j, c, at->rival_pulls, &min);
        return pull_rival(p, n, at, mk_walk_draws_times(&p->rival, at->j, c, true, 1 / min), c);
    }
    if (!pull_rival(p, n, at, mk_walk_draws_of(&p->rival, at->j, c, false), c)) return false;
    const double left = p->horizon - at->n2, mass = c > 0 ? all_mass(n, false) : 0;
    for (size_t to = c; to > 0; to--) {
        const double lost = mass * fmin(1, at->rival_pulls * p->g->smallest.rival[to].max);
        if (lost * left <= p->limit) {
            lose(p, at, lost);
            return true;
        }
        if (!pull_lower(p, n, at, to - 1)) return false;
    }
    return true;
}

/* The last chunk of arm 2, of which the smallest reward may be such that arm 1 would be pulled. */
static void lose_last(struct pass *p, const struct mk_walk_node *n, const struct mk_walk_place *at, size_t slice)
{
    if (mk_walk_waits(p->g, slice) || at->high < 0 || at->rival_pulls < 2) return;
    for (size_t c = slice; c-- > 0;) {
        const struct mk_walk_node part = part_of(p, n, at, c, true);
        const struct mk_walk_below *b = &p->g->smallest.rival[c];
        lose(p, at, all_mass(&part, true) * fmin(1, at->rival_pulls * (b[1].max - b[0].min)));
    }
}

/* The states of a node in which the walk ends by a chunk of arm 1 (own), or of arm 2. */
static bool end_walk(struct pass *p, const struct mk_walk_node *n, const struct mk_walk_place *at, size_t slice,
                     bool own)
{
    *(own ? &p->g->rival_counts.ended[at->j] : &p->g->own_counts.ended[at->i]) += all_mass(n, own);
    if (!own) lose_last(p, n, at, slice);
    return mk_walk_ends_add(p->ends, p->g, n, own, at->i, at->j);
}

static bool pull(struct pass *p, const struct mk_walk_node *n, const struct mk_walk_place *at, size_t slice, bool own)
{
    if (own ? at->own_last : at->rival_last) return end_walk(p, n, at, slice, own);
    return own ? pull_own_from(p, n, at, mk_walk_cell_of(p->g, slice), mk_walk_waits(p->g, slice), 1)
               : pull_rival_from(p, n, at, slice);
}

static bool visit(struct pass *p, struct mk_walk_node *n, struct mk_walk_place *at, size_t slice)
{
    for (size_t a = n->a0; a < n->a1; a++) begin_row(n, a);
    trim(p, n, at->j, p->horizon - at->n2);
    if (!n->mass) return true;
    p->work += 2 * (double)(p->g->own.n + p->g->rival.n);
    for (size_t a = n->a0; a < n->a1; a++) p->work += (double)(n->row[a].end - n->row[a].first);
    mk_walk_place_more(&p->order, at);
    if (p->refined) estimate(p, n, at, slice);
    const bool fine = pull(p, n, at, slice, true) && pull(p, n, at, slice, false);
    node_clear(p, n);
    return fine;
}

/* ---- all nodes ---- */

/* The states with the smallest reward in cell c after one pull of each arm: either arm 1 brings it there and arm 2
 * leaves it there, or arm 2 brings it there from a higher one. */
static bool start_cell(struct pass *p, size_t c)
{
    const struct mk_walk_levels *own = &p->g->own, *rival = &p->g->rival;
    const bool higher = c + 1 < p->g->smallest.cells.n;
    const double *bring = mk_walk_draws_of(&p->own, 0, c, true)->w, *stay = mk_walk_draws_of(&p->rival, 0, c, false)->w,
                 *before = higher ? mk_walk_draws_of(&p->own, 0, c + 1, false)->w : NULL,
                 *after = mk_walk_draws_of(&p->rival, 0, c, true)->w;
    struct mk_walk_node *n = node_of(p, 0, 0, c);
    if (!widen(p, n, 0, 0, c, 0, own->n, 0, rival->n)) return false;
    p->work += (double)(own->n * rival->n);
    for (size_t a = 0; a < own->n; a++) {
        const size_t first = a < n->a1 ? n->row[a].first : rival->n, end = a < n->a1 ? n->row[a].end : rival->n;
        mk_walk_mass *row = end > first ? begin_row(n, a) : NULL;
        for (size_t b = 0; b < rival->n; b++) {
            const double mass = bring[a] * stay[b] + (higher ? before[a] * after[b] : 0);
            if (b >= first && b < end)
                row[b] = (mk_walk_mass)(row[b] + mass);
            else
                *(b < first ? &p->stay[a] : &p->leave[b]) += mass;
        }
    }
    n->roundings = 1;
    return true;
}

static bool start(struct pass *p)
{
    const struct mk_walk_levels *own = &p->g->own, *rival = &p->g->rival;
    const struct mk_walk_smallest *s = &p->g->smallest;
    double stay = 0, leave = 0;
    p->work += mk_walk_draws_fill(&p->own, 0, 0, 1) + mk_walk_draws_fill(&p->rival, 0, 0, 1);
    for (size_t c = 0; c < s->cells.n; c++)
        if (!start_cell(p, c)) return false;
    for (size_t a = 0; a < own->n; a++) stay += p->stay[a];
    for (size_t b = 0; b < rival->n; b++) leave += p->leave[b];
    const double below_all = s->used ? p->horizon * (s->own[0].max + s->rival[0].max) : 0;
    p->g->rival_counts.ended[0] += stay + below_all;
    p->g->own_counts.ended[0] += leave;
    p->losses.ended += below_all;
    return true;
}

/* The level of a maximum after a chunk. */
static void step(double *mass, const struct mk_walk_chunk *d, size_t n)
{
    double below = 0;
    for (size_t k = 0; k < n; k++) {
        const double here = mass[k];
        mass[k] = here * d->f[k] + below * d->w[k];
        below += here;
    }
}

/* The states of a row, or column, that are decided: to its next node, or to the end. */
static bool step_decided(struct pass *p, const struct mk_walk_place *at)
{
    const size_t own = p->g->own.n, rival = p->g->rival.n;
    double *stay = p->stay + at->j * own, *leave = p->leave + at->i * rival;
    if (p->ends->pieces == 0) return true;
    if (!at->own_last)
        step(stay, mk_walk_draws_of(&p->own, at->i, 0, false), own);
    else if (!mk_walk_ends_add_decided(p->ends, p->g, stay, true, at->i, at->j))
        return false;
    if (!at->rival_last) {
        step(leave, mk_walk_draws_of(&p->rival, at->j, 0, false), rival);
        return true;
    }
    return mk_walk_ends_add_decided(p->ends, p->g, leave, false, at->i, at->j);
}

/* All slices of a node. */
static bool visit_all(struct pass *p, size_t i, size_t j)
{
    if (p->g->own_counts.at[i] + p->g->rival_counts.at[j] >= p->horizon) return true;
    struct mk_walk_place at = mk_walk_place(&p->order, i, j);
    p->work += (double)(p->g->own.n + p->g->rival.n) + 32;
    if (!step_decided(p, &at)) return false;
    for (size_t slice = 0; slice < p->slices; slice++) {
        struct mk_walk_node *n = node_of(p, i, j, slice);
        if (n->mass && !visit(p, n, &at, slice)) return false;
    }
    return true;
}

/* Some lines at a time, so that most masses are still in the cache when they are read. */
static bool walk(struct pass *p)
{
    const struct mk_walk_counts *own = &p->g->own_counts, *rival = &p->g->rival_counts;
    const size_t lines = p->by_rows ? rival->n : own->n, length = p->by_rows ? own->n : rival->n;
    if (!start(p)) return false;
    for (size_t i = 0; i + 1 < own->n; i++) p->work += mk_walk_draws_fill(&p->own, i, own->at[i], own->at[i + 1]);
    for (size_t j = 0; j + 1 < rival->n; j++)
        p->work += mk_walk_draws_fill(&p->rival, j, rival->at[j], rival->at[j + 1]);
    for (; p->base < lines; p->base += LINES) {
        for (size_t k = 0; k < length; k++)
            for (size_t l = p->base; l < lines && l < p->base + LINES; l++)
                if (!visit_all(p, p->by_rows ? k : l, p->by_rows ? l : k)) return false;
        struct mk_walk_node *swap = p->line[0];
        p->line[0] = p->line[LINES];
        p->line[LINES] = swap;
    }
    return true;
}

static void clear_levels(struct mk_walk_levels *l)
{
    memset(l->error, 0, l->n * sizeof *l->error);
}

static void clear_counts(struct mk_walk_counts *c)
{
    memset(c->error, 0, c->n * sizeof *c->error);
    memset(c->ended, 0, c->n * sizeof *c->ended);
}

/* The masses that have ended, rounded upwards, and the mean of their values: that of the masses, or what those that all
 * masses together leave of the horizon. */
static double mean_value(struct mk_walk_grid *g, const struct mk_walk_losses *l)
{
    const double more = 1 + l->rounding;
    double sum = 0, rest = 0;
    for (int own = 1; own >= 0; own--) {
        struct mk_walk_counts *c = own ? &g->own_counts : &g->rival_counts;
        for (size_t k = 0; k < c->n; k++) {
            const double at = c->ended[k] * c->at[k], left = c->ended[k] * (g->horizon - c->at[k]);
            sum += own ? at : left;
            rest += own ? left : at;
            c->ended[k] *= more;
        }
    }
    return fmin(sum * more, g->horizon * (1 + l->surplus) - rest / more) + g->horizon * l->underflow;
}

int mk_walk_pass(struct mk_walk_result *out, struct mk_walk_grid *g, struct mk_walk_ends *ends,
                 const struct mk_race *race, double negligible, struct mk_error *err)
{
    const size_t rows = g->rival_counts.n, columns = g->own_counts.n;
    clear_levels(&g->own);
    clear_levels(&g->rival);
    clear_levels(&g->smallest.cells);
    clear_counts(&g->own_counts);
    clear_counts(&g->rival_counts);
    struct mk_walk_ends none = {0};
    const int code = ends ? mk_walk_ends_start(ends, race, g, err) : MK_OK;
    if (code) return code;
    struct pass p = {
        .g = g, .ends = ends ? ends : &none, .refined = ends, .race = race, .horizon = (double)race->horizon};
    p.slices = mk_walk_slices(g);
    p.limit = negligible / (double)(rows * columns * p.slices);
    p.by_rows = columns < rows;
    const size_t length = (p.by_rows ? columns : rows) * p.slices;
    const bool started = mk_walk_draws_start(&p.own, &g->own, columns, &g->smallest, g->smallest.own) &&
                         mk_walk_draws_start(&p.rival, &g->rival, rows, &g->smallest, g->smallest.rival) &&
                         mk_walk_order_start(&p.order, g, race);
    struct mk_walk_node *nodes = calloc((LINES + 1) * length, sizeof *nodes);
    for (size_t l = 0; nodes && l <= LINES; l++) p.line[l] = nodes + l * length;
    p.part = malloc(g->own.n * sizeof *p.part);
    p.spare = malloc((LINES + 1) * length * sizeof *p.spare);
    p.sum = malloc(g->rival.n * sizeof *p.sum);
    p.stay = calloc(rows * g->own.n, sizeof *p.stay);
    p.leave = calloc(columns * g->rival.n, sizeof *p.leave);
    p.begun = calloc(2 * (g->rival.n + 1), sizeof *p.begun);
    const bool room = nodes && p.part && p.spare && p.sum && p.stay && p.leave && p.begun;
    if (room) p.added = p.begun + g->rival.n + 1;
    const bool fine = started && room && walk(&p);
    for (size_t k = 0; nodes && k < (LINES + 1) * length; k++) node_clear(&p, &nodes[k]);
    for (size_t k = 0; k < p.spares; k++) free(p.spare[k].mass);
    free(p.spare);
    free(nodes);
    mk_walk_draws_clear(&p.own);
    mk_walk_draws_clear(&p.rival);
    mk_walk_order_clear(&p.order);
    free(p.part);
    free(p.sum);
    free(p.stay);
    free(p.leave);
    free(p.begun);
    if (!fine) return mk_fail_memory(err, "the certificate");
    const double steps = (double)(rows + columns) * (2 * (double)(g->own.n + g->rival.n + p.slices - 1) + 16) +
                         (double)rows * (double)columns * (double)(p.slices * p.slices);
    const double rounding = expm1(steps * 2 * DBL_EPSILON + (double)p.roundings * FLT_EPSILON / 2);
    const double of_chunks = 8 * (double)g->smallest.cells.n, /* two kinds of draws, with f and w, of two masses each */
        chunks = g->smallest.used ? of_chunks * (double)(columns * g->own.n + rows * g->rival.n) : 0;
    const struct mk_walk_losses losses = {.ended = p.losses.ended * (1 + rounding),
                                          .raised = p.losses.raised * (1 + rounding),
                                          .lowered = p.losses.lowered * (1 + rounding),
                                          .rounding = rounding,
                                          .underflow = g->smallest.used ? underflow / least_known : underflow,
                                          /* of the product of what every chunk does */
                                          .surplus = 2 * (p.own.surplus + p.rival.surplus)};
    *out = (struct mk_walk_result){mean_value(g, &losses), losses, .work = p.work, .cells = p.peak + chunks};
    return MK_OK;
}
