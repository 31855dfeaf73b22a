/* The largest of all rewards where the walk ends: Theorem 10. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/theory/certificates/certificate_parts.h"
#include "analysis/theory/certificates/certificate_walk.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"

enum { EQUAL_STEPS = 200, SHARES = 12, LAST_SHARES = 400, MOST_ATOMS = 256, TAIL_SHARES = 100 };
static const double count_ratio = 1.5, tail_ratio = 0.85;
static const double negligible_share = 1e-9; /* of the rewards of an arm without an end point */

bool mk_walk_range(const struct mk_race *race, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    if (race->scale == MK_RACE_BY_RANGE) return false;
    for (size_t k = 0; k < race->arms; k++) {
        double bottom, top;
        if (race->arm[k].moving || race->arm[k].band > 0) return false;
        mk_known_support(&race->arm[k], &bottom, &top);
        if (!isfinite(bottom)) bottom = mk_race_quantile(race, k, 1, negligible_share);
        if (!isfinite(top)) top = mk_race_quantile(race, k, (double)race->horizon, 1 - negligible_share);
        *low = fmin(*low, nextafter(bottom - 2 * mk_race_step(race, k), -INFINITY));
        *high = fmax(*high, nextafter(top + 2 * mk_race_step(race, k), INFINITY));
    }
    return isfinite(*low) && isfinite(*high);
}

int mk_walk_beyond(const struct mk_race *race, double low, double high, double *left, double *right,
                   struct mk_error *err)
{
    int code = MK_OK;
    *left = INFINITY;
    *right = 0;
    for (size_t k = 0; !code && k < race->arms; k++) {
        const struct mk_known_cdf *f = &race->arm[k];
        double below = 0, above = 0;
        code = mk_dist_expected_excess(f->dist, 1, low, false, &below, err);
        if (!code) code = mk_dist_expected_excess(f->dist, (double)(race->horizon + f->burnt), high, true, &above, err);
        *left = fmin(*left, below);
        *right += above;
    }
    return code;
}

/* ---- pieces ---- */

/* From all edges of both arms. */
static int fill_pieces(struct mk_walk_ends *e, const struct mk_walk_grid *g, struct mk_error *err)
{
    const struct mk_walk_levels *own = &g->own, *rival = &g->rival;
    e->piece = malloc((own->n + rival->n + 2) * sizeof *e->piece);
    if (!e->piece) return mk_fail_memory(err, "the certificate");
    for (size_t a = 0, b = 0; a <= own->n || b <= rival->n;) {
        const double low = fmin(a <= own->n ? own->edge[a] : INFINITY, b <= rival->n ? rival->edge[b] : INFINITY);
        while (a <= own->n && own->edge[a] <= low) a++;
        while (b <= rival->n && rival->edge[b] <= low) b++;
        e->piece[e->pieces++] = (struct mk_walk_piece){low, a, b};
    }
    return MK_OK;
}

int mk_walk_ends_start(struct mk_walk_ends *e, const struct mk_race *race, const struct mk_walk_grid *g,
                       struct mk_error *err)
{
    double low, high;
    mk_walk_ends_clear(e);
    if (!mk_walk_range(race, &low, &high)) return MK_OK;
    e->rows = g->rival_counts.n;
    e->columns = g->own_counts.n;
    e->by_own = calloc(e->rows, sizeof *e->by_own);
    e->by_rival = calloc(e->columns, sizeof *e->by_rival);
    e->sum = malloc(g->rival.n * sizeof *e->sum);
    e->row = malloc(g->rival.n * sizeof *e->row);
    if (!e->by_own || !e->by_rival || !e->sum || !e->row) return mk_fail_memory(err, "the certificate");
    return fill_pieces(e, g, err);
}

void mk_walk_ends_clear(struct mk_walk_ends *e)
{
    for (size_t j = 0; e->by_own && j < e->rows; j++) free(e->by_own[j].mass);
    for (size_t i = 0; e->by_rival && i < e->columns; i++) free(e->by_rival[i].mass);
    free(e->by_own);
    free(e->by_rival);
    free(e->piece);
    free(e->sum);
    free(e->row);
    *e = (struct mk_walk_ends){0};
}

/* ---- masses ---- */

/* The levels b of row a from which the walk ends in the way in question. */
struct range {
    size_t first, end;
};

static struct range part_of(const struct mk_walk_row *r, bool own)
{
    return own ? (struct range){r->first, r->right} : (struct range){r->right, r->end};
}

/* Adds the masses of M_2 below and within cell number - 1. */
static void divide(const double *mass, struct range r, size_t number, double out[2])
{
    const size_t end = number > 0 ? number - 1 : 0;
    for (size_t b = r.first; b < r.end && b < end; b++) out[0] += mass[b];
    if (number > 0 && end >= r.first && end < r.end) out[1] += mass[end];
}

/* The masses at the end of a row (own), or of a column, at node (i, j); NULL: out of memory. */
static double (*masses_at(struct mk_walk_ends *e, const struct mk_walk_grid *g, bool own, size_t i, size_t j))[2][2]
{
    struct mk_walk_end *end = own ? &e->by_own[j] : &e->by_rival[i];
    if (!end->mass)
        *end = (struct mk_walk_end){g->own_counts.at[i], g->rival_counts.at[j], calloc(e->pieces, sizeof *end->mass)};
    return end->mass;
}

bool mk_walk_ends_add_decided(struct mk_walk_ends *e, const struct mk_walk_grid *g, const double *mass, bool own,
                              size_t i, size_t j)
{
    double(*into)[2][2] = masses_at(e, g, own, i, j), below = 0;
    if (!into) return false;
    for (size_t q = 0, k = 0, n = own ? g->own.n : g->rival.n; q < e->pieces; q++) {
        const size_t number = own ? e->piece[q].own : e->piece[q].rival;
        for (; k < n && k + 1 < number; k++) below += mass[k];
        into[q][0][0] += below;
        if (k < n && k + 1 == number) *(own ? &into[q][1][0] : &into[q][0][1]) += mass[k];
    }
    return true;
}

bool mk_walk_ends_add(struct mk_walk_ends *e, const struct mk_walk_grid *g, const struct mk_walk_node *n, bool own,
                      size_t i, size_t j)
{
    if (e->pieces == 0) return true;
    const struct range all = {n->b0, n->b1};
    double(*mass)[2][2] = masses_at(e, g, own, i, j);
    if (!mass) return false;
    memset(e->sum, 0, g->rival.n * sizeof *e->sum);
    for (size_t q = 0, a = n->a0; q < e->pieces; q++) {
        const struct mk_walk_piece *p = &e->piece[q];
        for (; a < n->a1 && a + 1 < p->own; a++) {
            const struct range r = part_of(&n->row[a], own);
            for (size_t b = r.first; b < r.end; b++) e->sum[b] += mk_walk_row(n, a)[b];
        }
        divide(e->sum, all, p->rival, mass[q][0]);
        if (a == n->a1 || a + 1 != p->own) continue;
        const struct range r = part_of(&n->row[a], own);
        for (size_t b = r.first; b < r.end; b++) e->row[b] = mk_walk_row(n, a)[b];
        divide(e->row, r, p->rival, mass[q][1]);
    }
    return true;
}

/* ---- points ---- */

/* An arm's quantiles and atoms. */
static size_t add_hints(const struct mk_race *race, size_t arm, double *x)
{
    const struct mk_dist *d = race->arm[arm].dist;
    const double horizon = (double)race->horizon, step = 2 * mk_race_step(race, arm);
    const bool atoms = mk_dist_has_atoms(d);
    double low, high;
    size_t n = atoms && mk_dist_breaks(d, NULL) <= MOST_ATOMS ? mk_dist_breaks(d, x) : 0;
    for (double count = 1; count < horizon; count *= count_ratio)
        for (int k = 1; k < SHARES; k++) x[n++] = mk_race_quantile(race, arm, count, (double)k / SHARES);
    for (int k = 1; k < LAST_SHARES; k++) x[n++] = mk_race_quantile(race, arm, horizon, (double)k / LAST_SHARES);
    mk_known_support(&race->arm[arm], &low, &high);
    for (int k = 0; !isfinite(high) && k < TAIL_SHARES; k++)
        x[n++] = mk_race_quantile(race, arm, horizon, 1 - pow(tail_ratio, k) / LAST_SHARES);
    for (size_t k = 0, old = n; atoms && k < old; k++) { /* on either side of an atom */
        const double at = x[k];
        x[k] = nextafter(at - step, -INFINITY);
        x[n++] = nextafter(at + step, INFINITY);
    }
    return n;
}

/* In ascending order, from the race alone, so that the walks of both arms have the same ones. */
static int choose_points(double **out, size_t *n, const struct mk_race *race, struct mk_error *err)
{
    double low, high;
    const size_t counts = (size_t)(log((double)race->horizon) / log(count_ratio)) + 2,
                 room = 4 * (MOST_ATOMS + SHARES * counts + LAST_SHARES + TAIL_SHARES) + EQUAL_STEPS + 1;
    double *x = *out = malloc(room * sizeof *x);
    if (!x) return mk_fail_memory(err, "the certificate");
    mk_walk_range(race, &low, &high);
    size_t all = 0;
    for (int k = 0; k < EQUAL_STEPS; k++) x[all++] = low + (high - low) * k / EQUAL_STEPS;
    x[all++] = high;
    for (size_t k = 0; k < race->arms; k++) all += add_hints(race, k, x + all);
    *n = mk_sort_distinct(x, all, low, high);
    return MK_OK;
}

/* P(X <= x | X is at this level), at a rate of x. */
static double within(const struct mk_walk_levels *l, size_t level, double rate, enum mk_side side)
{
    const double top = l->rate[level], low = level > 0 ? exp(top - l->rate[level - 1]) : 0,
                 error = 16 * DBL_EPSILON / (1 - low), share = (exp(top - rate) - low) / (1 - low);
    if (side == MK_FROM_ABOVE) return share + error < 1 ? fmax(0, share) + error : 1;
    return share - error > 0 ? fmin(1, share - error) : 0;
}

/* exp(-a) - exp(-b), from above; 0 where that is negative. */
static double excess(double a, double b)
{
    return a < b ? (exp(-a) - exp(-b)) + 4 * DBL_EPSILON * exp(-a) : 0;
}

/* A point x, and what holds there: `max` where P(V <= x) is bounded from above, else from below. */
struct point {
    size_t piece;
    bool max;
    double width;                    /* of the interval where the bound holds */
    double own, rival;               /* rates of F_1(x) and F_2(x) */
    double at_own, at_rival;         /* P(a reward <= x), of one at the level of x */
    double others_own, others_rival; /* rates of P(a reward <= x), of one at this level or a lower one */
    double factor, extra;            /* the bound is factor times the sum of what is computed and extra */
    double sum;
};

static struct point point_at(double x, size_t piece, const struct mk_walk_ends *e, const struct mk_walk_grid *g,
                             double horizon, bool first)
{
    const struct mk_walk_levels *own = &g->own, *rival = &g->rival;
    const size_t a = e->piece[piece].own, b = e->piece[piece].rival;
    const double min = mk_cdf_rate(own->f, x, MK_FROM_ABOVE), max = mk_cdf_rate(own->f, x, MK_FROM_BELOW),
                 rival_least = mk_cdf_rate(rival->f, x, MK_FROM_ABOVE),
                 rival_most = mk_cdf_rate(rival->f, x, MK_FROM_BELOW);
    struct point p = {.piece = piece, .max = first ? min <= rival_least : min < rival_least};
    const enum mk_side side = p.max ? MK_FROM_ABOVE : MK_FROM_BELOW;
    p.own = p.max ? min : max;
    p.rival = p.max ? rival_least : rival_most;
    if (a > 0 && a <= own->n) p.at_own = within(own, a - 1, p.own, side);
    if (b > 0 && b <= rival->n) p.at_rival = within(rival, b - 1, p.rival, side);
    if (p.max) {
        p.extra = horizon * excess(min, a == 0 ? INFINITY : own->rate[(a <= own->n ? a : own->n) - 1]);
        p.factor = exp(horizon * fmax(0, max - rival_least));
    } else {
        if (a > 0 && a <= own->n) p.others_own = fmax(0, max - own->rate[a - 1]);
        if (b > 0 && b <= rival->n) p.others_rival = fmax(0, rival_most - rival->rate[b - 1]);
        p.extra = b > 1 ? -horizon * excess(rival->rate[b - 2], rival_most) : 0;
        p.factor = exp(-horizon * fmax(0, rival_most - min));
    }
    return p;
}

static int fill_points(struct point **out, size_t *n, const struct mk_walk_ends *e, const struct mk_walk_grid *g,
                       const struct mk_race *race, size_t arm, struct mk_error *err)
{
    double *x = NULL;
    int code = choose_points(&x, n, race, err);
    *out = code ? NULL : malloc(*n * sizeof **out);
    if (!code && !*out) code = mk_fail_memory(err, "the certificate");
    for (size_t k = 0, q = 0; !code && k < *n; k++) {
        while (q + 1 < e->pieces && e->piece[q + 1].low <= x[k]) q++;
        struct point *p = &(*out)[k];
        *p = point_at(x[k], q, e, g, g->horizon, arm == 0);
        p->width = p->max ? (k > 0 ? x[k] - x[k - 1] : 0) : (k + 1 < *n ? x[k + 1] - x[k] : 0);
    }
    free(x);
    return code;
}

/* ---- sums ---- */

/* One end, by a chunk of arm 1 (own) or arm 2. */
static void add_end(struct point *point, size_t n, const struct mk_walk_end *end, bool own, double horizon)
{
    const double left = horizon - end->own - end->rival;
    if (!end->mass) return;
    for (size_t k = 0; k < n; k++) {
        struct point *p = &point[k];
        double(*m)[2] = end->mass[p->piece];
        const double last = exp(-left * (own ? p->own : p->rival));
        double one = p->at_own, two = p->at_rival;
        /* with one pull there are no others, whose rate may be infinite */
        if (p->others_own > 0 && end->own > 1) one *= exp(-(end->own - 1) * p->others_own);
        if (p->others_rival > 0 && end->rival > 1) two *= exp(-(end->rival - 1) * p->others_rival);
        p->sum += last * (m[0][0] + one * m[1][0] + two * (m[0][1] + one * m[1][1]));
    }
}

/* All masses of ends: the last piece is above all cells. */
static double all_mass(const struct mk_walk_ends *e)
{
    double sum = 0;
    for (size_t j = 0; j < e->rows; j++) sum += e->by_own[j].mass ? e->by_own[j].mass[e->pieces - 1][0][0] : 0;
    for (size_t i = 0; i < e->columns; i++) sum += e->by_rival[i].mass ? e->by_rival[i].mass[e->pieces - 1][0][0] : 0;
    return sum;
}

/* P(V <= x) of the walk, to the safe side: the sum of a point, or what those of the masses in which V is larger leave
 * of all. more: 1 + the relative error of masses; slack: of the difference of sums. */
static double chance_at(const struct point *p, const struct mk_walk_losses *l, double all, double more, double slack)
{
    const double rest = fmax(0, all - p->sum);
    if (p->max) return fmin(p->sum * more + l->ended, 1 + l->surplus + slack - rest / more) + l->raised + l->underflow;
    return fmax(p->sum / more - l->surplus, 1 - l->ended - rest * more - slack) - l->lowered - l->underflow;
}

int mk_walk_ends_read(struct mk_certified_maximum *out, const struct mk_walk_ends *e, const struct mk_walk_grid *g,
                      const struct mk_race *race, size_t arm, const struct mk_walk_losses *losses, struct mk_error *err)
{
    struct point *point;
    size_t n;
    *out = MK_NO_MAXIMUM;
    if (e->pieces == 0) return MK_OK;
    const int code = fill_points(&point, &n, e, g, race, arm, err);
    if (code) return code;
    for (size_t j = 0; j < e->rows; j++) add_end(point, n, &e->by_own[j], true, g->horizon);
    for (size_t i = 0; i < e->columns; i++) add_end(point, n, &e->by_rival[i], false, g->horizon);
    const double terms = (double)(n + e->rows + e->columns + g->own.n + g->rival.n + 64),
                 slack = 4 * DBL_EPSILON * terms, more = 1 + losses->rounding + slack, all = all_mass(e);
    const double burnt = (double)race->arm[0].burnt; /* of either arm, which are independent of the walk */
    *out = (struct mk_certified_maximum){0, 0};
    for (size_t k = 0; k < n; k++) {
        const struct point *p = &point[k];
        const double chance = chance_at(p, losses, all, more, slack);
        const double alone = exp(-(g->horizon - 1) * p->own - p->rival); /* one pull of arm 2 */
        const double width = burnt > 0 ? p->width * exp(-burnt * (p->own + p->rival)) : p->width;
        if (p->max) /* factor may be infinite where both arms have one reward, or none, below x */
            out->max += width * fmin(exp(-p->own - p->rival), p->factor * fmin(chance + p->extra, alone));
        else
            out->min += width * p->factor * fmax(chance + p->extra, alone);
    }
    out->max *= 1 + slack;
    out->min /= 1 + slack;
    free(point);
    return MK_OK;
}
