/* One forward pass of the walk over its grids. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/theory/certificate_parts.h"
#include "analysis/theory/certificate_walk.h"
#include "sim/base/clones.h"
#include "sim/base/error.h"

enum { ROWS = 4 };

/* What one chunk of pulls does to a maximum: F(k) = P(no reward of the chunk is above cell k), and the differences. */
struct draws {
    double *f, *w;
};

struct pass {
    struct mk_walk_grid *g;
    struct mk_walk_ends *ends;
    const struct mk_race *race;
    double horizon, limit; /* of pulls that are lost at once */
    struct mk_walk_losses losses;
    struct mk_walk_node *column, *next; /* [rival_counts.n] */
    struct draws own, *rival;           /* rival: [rival_counts.n] */
    double *sum;                        /* [levels of the rival] */
    size_t *right;                      /* [own levels] see find_moves */
    double work, cells, peak;           /* cells: in all nodes at a time */
};

/* ---- nodes ---- */

static void node_clear(struct pass *p, struct mk_walk_node *n)
{
    p->cells -= (double)n->width * (double)n->height;
    free(n->mass);
    *n = (struct mk_walk_node){.mass = NULL};
}

/* Room for these levels as well; never of a node that has been trimmed. */
static bool widen(struct pass *p, struct mk_walk_node *n, size_t a0, size_t a1, size_t b0, size_t b1)
{
    if (n->mass) {
        if (a0 >= n->a0 && a1 <= n->a1 && b0 >= n->b0 && b1 <= n->b1) return true;
        a0 = a0 < n->a0 ? a0 : n->a0;
        a1 = a1 > n->a1 ? a1 : n->a1;
        b0 = b0 < n->b0 ? b0 : n->b0;
        b1 = b1 > n->b1 ? b1 : n->b1;
    }
    struct mk_walk_node wide = {
        a0, a1, b0, b1, a0, b0, b1 - b0, a1 - a0, calloc((a1 - a0) * (b1 - b0), sizeof(double))};
    if (!wide.mass) return false;
    for (size_t a = n->a0; n->mass && a < n->a1; a++)
        memcpy(mk_walk_row(&wide, a) + n->b0, mk_walk_row(n, a) + n->b0, (n->b1 - n->b0) * sizeof(double));
    node_clear(p, n);
    *n = wide;
    p->cells += (double)n->width * (double)n->height;
    p->peak = fmax(p->peak, p->cells);
    return true;
}

/* ---- chunks of pulls ---- */

static bool draws_alloc(struct draws *d, size_t n)
{
    d->f = malloc(2 * n * sizeof *d->f);
    d->w = d->f ? d->f + n : NULL;
    return d->f;
}

/* f and w are at least what the rates say: exp errs by one unit in the last place, the difference by half of one. */
static void fill_draws(struct draws *d, const struct mk_walk_levels *l, double pulls)
{
    double before = 0;
    for (size_t k = 0; k < l->n; k++) {
        const double f = exp(-pulls * l->rate[k]), w = f - before + 8 * DBL_EPSILON * f;
        d->f[k] = f * (1 + 2 * DBL_EPSILON);
        d->w[k] = fmax(0, w);
        before = f;
    }
}

/* ---- one node ---- */

static double row_sum(const struct mk_walk_node *n, size_t a)
{
    const double *row = mk_walk_row(n, a);
    double sum = 0;
    for (size_t b = n->b0; b < n->b1; b++) sum += row[b];
    return sum;
}

static double column_sum(const struct mk_walk_node *n, size_t b)
{
    double sum = 0;
    for (size_t a = n->a0; a < n->a1; a++) sum += mk_walk_row(n, a)[b];
    return sum;
}

/* Negligible levels at the ends. The highest of arm 1 and the lowest of arm 2 have arm 1 pulled in all rounds that are
 * left; the lowest of arm 1 counts as the next one, and so does the highest of arm 2. */
static void trim(struct pass *p, struct mk_walk_node *n, size_t j, double left)
{
    const double most = p->limit / left;
    double lost = 0, sum;
    for (; n->a1 > n->a0 && lost + (sum = row_sum(n, n->a1 - 1)) <= most; n->a1--) lost += sum;
    for (; n->a1 > n->a0 && n->b1 > n->b0 && lost + (sum = column_sum(n, n->b0)) <= most; n->b0++) lost += sum;
    p->g->rival_counts.ended[j] += lost;
    p->losses.ended += lost;
    if (n->a1 == n->a0 || n->b1 == n->b0) {
        node_clear(p, n);
        return;
    }
    for (; n->a0 + 1 < n->a1 && (sum = row_sum(n, n->a0)) <= most; n->a0++) {
        p->losses.raised += sum;
        const double *row = mk_walk_row(n, n->a0);
        double *to = mk_walk_row(n, n->a0 + 1);
        for (size_t b = n->b0; b < n->b1; b++) to[b] += row[b];
    }
    for (; n->b0 + 1 < n->b1 && (sum = column_sum(n, n->b1 - 1)) <= most; n->b1--) {
        p->losses.lowered += sum;
        for (size_t a = n->a0; a < n->a1; a++) mk_walk_row(n, a)[n->b1 - 2] += mk_walk_row(n, a)[n->b1 - 1];
    }
}

/* A node and what is decided there. */
struct at {
    size_t i, j;
    double n1, n2, own_pulls, rival_pulls; /* of the two chunks */
    bool own_last, rival_last;             /* the chunk ends the walk */
    double high, first,
        late; /* theta up to which arm 2 is pulled: over the chunk of arm 2, at once, and after the chunk of arm 1 */
    double size;
};

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
    at.high = threshold(p, n1, n2, n2 + at.rival_pulls - 1, &at.size);
    at.first = threshold(p, n1, n2, n2, &at.size);
    at.late = fmin(at.first, threshold(p, n1 + at.own_pulls - 1, n2, n2, &at.size));
    return at;
}

/* The largest M_2 with which arm 1 is pulled at M_1 = x, but for rounding; above it, with rounding. */
static double reach(const struct pass *p, double x, double theta)
{
    if (p->race->scale == MK_RACE_UNSCALED) return x + theta;
    if (theta >= 1) return INFINITY;
    if (theta <= -1) return -INFINITY;
    return theta >= 0 ? fmax(0, x) / (1 - theta) : fmax(0, x) * (1 + theta);
}

static double reach_above(const struct pass *p, double x, double theta, double size)
{
    if (p->race->scale == MK_RACE_UNSCALED) return x + theta + 64 * DBL_EPSILON * (fabs(x) + size) + MK_TINY;
    return reach(p, x, theta + 64 * DBL_EPSILON * (1 + size)) * (1 + 4 * DBL_EPSILON) + MK_TINY;
}

/* right[a]: the first level of arm 2 that sends the walk up. */
static void find_moves(struct pass *p, const struct mk_walk_node *n, const struct at *at)
{
    const struct mk_walk_levels *own = &p->g->own, *rival = &p->g->rival;
    size_t b = n->b0;
    for (size_t a = n->a0; a < n->a1; a++) {
        const double most = reach_above(p, mk_walk_value(own, a), at->high, at->size);
        while (b < n->b1 && mk_walk_value(rival, b) <= most) b++;
        p->right[a] = b;
    }
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
        const double first = reach(p, low, at->first), late = reach(p, low, at->late);
        for (size_t b = p->right[a]; b-- > n->b0;) {
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
    const double left = p->horizon - at->n2;
    const size_t last = p->right[n->a1 - 1], levels = p->g->own.n;
    double *sum = p->sum, all = 0;
    if (last == n->b0) return true;
    if (at->own_last) {
        for (size_t a = n->a0; a < n->a1; a++)
            for (size_t b = n->b0; b < p->right[a]; b++) all += mk_walk_row(n, a)[b];
        p->g->rival_counts.ended[at->j] += all;
        return mk_walk_ends_add(p->ends, p->g, n, p->right, true, at->i, at->j);
    }
    /* the levels that the chunk reaches */
    size_t a0 = n->a0, a1 = levels;
    while (p->right[a0] == n->b0) a0++;
    for (size_t b = n->b0; b < last; b++) sum[b] = 0;
    struct mk_walk_node *to = &p->next[at->j];
    double above = 0;
    while (a1 > n->a1 && (above + p->own.w[a1 - 1]) * left <= p->limit) above += p->own.w[--a1];
    if (!widen(p, to, a0, a1, n->b0, last)) return false;
    for (size_t a = a0; a < n->a1; a++) {
        const double f = p->own.f[a], w = p->own.w[a], *from = mk_walk_row(n, a);
        double *into = mk_walk_row(to, a);
        spread_row(into, from, sum, f, w, n->b0, p->right[a]);
    }
    for (size_t a = n->a1; a < a1; a++) {
        const double w = p->own.w[a];
        double *into = mk_walk_row(to, a);
        for (size_t b = n->b0; b < last; b++) into[b] += sum[b] * w;
    }
    for (size_t b = n->b0; b < last; b++) all += sum[b];
    p->g->rival_counts.ended[at->j] += all * above;
    p->losses.ended += all * above;
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
                                  size_t a, size_t first, double *sum)
{
    const double *from[ROWS] = {mk_walk_row(n, a), mk_walk_row(n, a + 1), mk_walk_row(n, a + 2), mk_walk_row(n, a + 3)};
    double *into[ROWS] = {mk_walk_row(to, a), mk_walk_row(to, a + 1), mk_walk_row(to, a + 2), mk_walk_row(to, a + 3)};
    double s0 = sum[0], s1 = sum[1], s2 = sum[2], s3 = sum[3];
    for (size_t b = first; b < n->b1; b++) {
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

static bool pull_rival(struct pass *p, const struct mk_walk_node *n, const struct at *at)
{
    const size_t levels = p->g->rival.n;
    if (p->right[n->a0] == n->b1) return true;
    if (at->rival_last) {
        double all = 0;
        for (size_t a = n->a0; a < n->a1; a++)
            for (size_t b = p->right[a]; b < n->b1; b++) all += mk_walk_row(n, a)[b];
        p->g->own_counts.ended[at->i] += all;
        return mk_walk_ends_add(p->ends, p->g, n, p->right, false, at->i, at->j);
    }
    const struct draws *d = &p->rival[at->j];
    const double left = p->horizon - at->n2;
    size_t a1 = n->a1, b1 = levels;
    while (p->right[a1 - 1] == n->b1) a1--;
    struct mk_walk_node *to = &p->column[at->j + 1];
    double above = 0; /* counts as the last level that is used */
    while (b1 > n->b1 && (above + d->w[b1 - 1]) * left <= p->limit) above += d->w[--b1];
    if (!widen(p, to, n->a0, a1, p->right[n->a0], b1)) return false;
    for (size_t a = n->a0; a < a1; a += ROWS) {
        double sum[ROWS] = {0};
        const size_t rows = a1 - a < ROWS ? a1 - a : ROWS, common = p->right[a + rows - 1];
        for (size_t r = 0; r < rows; r++)
            sum[r] = spread(mk_walk_row(to, a + r), mk_walk_row(n, a + r), d, p->right[a + r],
                            rows == ROWS ? common : n->b1, 0);
        if (rows == ROWS) spread_rows(to, n, d, a, common, sum);
        for (size_t r = 0; r < rows; r++) {
            double *into = mk_walk_row(to, a + r);
            for (size_t b = n->b1; b < b1; b++) into[b] += sum[r] * d->w[b];
            into[b1 - 1] += sum[r] * above;
            p->losses.lowered += sum[r] * above;
        }
    }
    return true;
}

static bool visit(struct pass *p, size_t i, size_t j)
{
    struct mk_walk_node *n = &p->column[j];
    const struct at at = place(p, i, j);
    trim(p, n, j, p->horizon - at.n2);
    if (!n->mass) return true;
    p->work += (double)(n->a1 - n->a0) * (double)(n->b1 - n->b0);
    find_moves(p, n, &at);
    estimate(p, n, &at);
    const bool fine = pull_own(p, n, &at) && pull_rival(p, n, &at);
    node_clear(p, n);
    return fine;
}

/* ---- all nodes ---- */

static bool start(struct pass *p)
{
    const struct mk_walk_levels *own = &p->g->own, *rival = &p->g->rival;
    fill_draws(&p->own, own, 1);
    fill_draws(&p->rival[0], rival, 1);
    if (!widen(p, &p->column[0], 0, own->n, 0, rival->n)) return false;
    for (size_t a = 0; a < own->n; a++)
        for (size_t b = 0; b < rival->n; b++) p->column[0].mass[a * rival->n + b] = p->own.w[a] * p->rival[0].w[b];
    return true;
}

static bool walk(struct pass *p)
{
    const struct mk_walk_counts *own = &p->g->own_counts, *rival = &p->g->rival_counts;
    if (!start(p)) return false;
    for (size_t j = 0; j + 1 < rival->n; j++) fill_draws(&p->rival[j], &p->g->rival, rival->at[j + 1] - rival->at[j]);
    for (size_t i = 0; i < own->n; i++) {
        if (i + 1 < own->n) fill_draws(&p->own, &p->g->own, own->at[i + 1] - own->at[i]);
        for (size_t j = 0; j < rival->n; j++)
            if (p->column[j].mass && !visit(p, i, j)) return false;
        struct mk_walk_node *swap = p->column;
        p->column = p->next;
        p->next = swap;
    }
    return true;
}

static double sum_of(const double *x, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += x[k];
    return sum;
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
    const int code = mk_walk_ends_start(ends, race, g, err);
    if (code) return code;
    struct pass p = {.g = g, .ends = ends, .race = race, .horizon = (double)race->horizon};
    p.limit = negligible / (double)(rows * columns);
    p.column = calloc(rows, sizeof *p.column);
    p.next = calloc(rows, sizeof *p.next);
    p.rival = calloc(rows, sizeof *p.rival);
    p.sum = malloc(g->rival.n * sizeof *p.sum);
    p.right = malloc(g->own.n * sizeof *p.right);
    bool fine = p.column && p.next && p.rival && p.sum && p.right && draws_alloc(&p.own, g->own.n);
    for (size_t j = 0; fine && j < rows; j++) fine = draws_alloc(&p.rival[j], g->rival.n);
    if (fine) fine = walk(&p);
    for (size_t j = 0; j < rows; j++) {
        if (p.column) free(p.column[j].mass);
        if (p.next) free(p.next[j].mass);
        if (p.rival) free(p.rival[j].f);
    }
    free(p.column);
    free(p.next);
    free(p.rival);
    free(p.own.f);
    free(p.sum);
    free(p.right);
    if (!fine) return mk_fail_memory(err, "the certificate");
    const double steps =
        (double)(rows + columns) * (double)(g->own.n + g->rival.n + 16) + (double)rows * (double)columns;
    const double rounding = steps * 2 * DBL_EPSILON;
    const struct mk_walk_losses losses = {p.losses.ended * (1 + rounding), p.losses.raised * (1 + rounding),
                                          p.losses.lowered * (1 + rounding), rounding};
    *out = (struct mk_walk_result){mean_value(g, 1 + rounding), losses, .work = p.work, .cells = p.peak};
    out->error[MK_WALK_OWN_LEVELS] = sum_of(g->own.error, g->own.n);
    out->error[MK_WALK_RIVAL_LEVELS] = sum_of(g->rival.error, g->rival.n);
    out->error[MK_WALK_OWN_COUNTS] = sum_of(g->own_counts.error, columns);
    out->error[MK_WALK_RIVAL_COUNTS] = sum_of(g->rival_counts.error, rows);
    return MK_OK;
}
