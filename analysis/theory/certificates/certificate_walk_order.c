/* Which arm the walk pulls. */
#include <float.h>
#include <stdlib.h>

#include "analysis/theory/certificates/certificate_parts.h"
#include "analysis/theory/certificates/certificate_walk.h"

/* The round after so many pulls of the two arms and of others. */
static struct mk_round round_after(const struct mk_walk_order *o, double pulls, uint64_t others)
{
    const double t = pulls + (double)others + 1;
    return mk_round_of(o->race, o->race->others.last > 0 ? fmin(t, (double)o->race->others.last) : t);
}

/* Theta of Proposition 5, for every round that Theorem 16 allows; *size: at least the terms of which it is made. */
static double threshold(const struct mk_walk_order *o, double n1, double n2, double end, double *size)
{
    double first = 0, last = 0;
    const double a = mk_bonus_lead(round_after(o, n1 + n2, o->race->others.least), n1, end, &first),
                 b = mk_bonus_lead(round_after(o, n1 + end, o->race->others.most), n1, end, &last);
    *size = fmax(*size, fmax(first, last));
    return fmax(a, b);
}

struct mk_walk_place mk_walk_place(const struct mk_walk_order *o, size_t i, size_t j)
{
    const struct mk_walk_counts *own = &o->g->own_counts, *rival = &o->g->rival_counts;
    const double T = o->g->horizon, n1 = own->at[i], n2 = rival->at[j], left = T - n1 - n2;
    struct mk_walk_place at = {.i = i, .j = j, .n1 = n1, .n2 = n2};
    at.own_pulls = i + 1 < own->n ? fmin(left, own->at[i + 1] - n1) : left;
    at.rival_pulls = j + 1 < rival->n ? fmin(left, rival->at[j + 1] - n2) : left;
    at.own_last = at.own_pulls >= left;
    at.rival_last = at.rival_pulls >= left;
    at.high = o->high[i * rival->n + j];
    return at;
}

void mk_walk_place_more(const struct mk_walk_order *o, struct mk_walk_place *at)
{
    double size = 0;
    at->first = threshold(o, at->n1, at->n2, at->n2, &size);
    at->late = fmin(at->first, threshold(o, at->n1 + at->own_pulls - 1, at->n2, at->n2, &size));
}

/* A state is decided for arm 1 where it is pulled at `low`, for arm 2 where that is pulled at `top`: at every later
 * node of this row, or column, and, so that a chunk of the other arm never leads to such a state, at the node before.
 */
bool mk_walk_order_start(struct mk_walk_order *o, const struct mk_walk_grid *g, const struct mk_race *race)
{
    const size_t columns = g->own_counts.n, rows = g->rival_counts.n;
    *o = (struct mk_walk_order){.g = g,
                                .race = race,
                                .width = race->scale == MK_RACE_BY_RANGE ? race->width : 1,
                                .either_sign = mk_race_either_sign(race)};
    double *high = o->high = malloc(3 * rows * columns * sizeof *high);
    o->lower = malloc(g->own.n * sizeof *o->lower);
    if (!high || !o->lower) return false;
    double *low = o->low = high + rows * columns, *top = o->top = low + rows * columns;
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j < rows; j++) {
            high[i * rows + j] = NAN;
            const struct mk_walk_place at = mk_walk_place(o, i, j);
            if (g->horizon - at.n1 - at.n2 > 0)
                high[i * rows + j] = threshold(o, at.n1, at.n2, at.n2 + at.rival_pulls - 1, &o->size);
        }
    for (size_t i = columns; i-- > 0;)
        for (size_t j = rows; j-- > 0;) {
            const size_t k = i * rows + j;
            low[k] = fmin(high[k], i + 1 < columns ? low[k + rows] : NAN);
            top[k] = fmax(high[k], j + 1 < rows ? top[k + 1] : NAN);
        }
    for (size_t i = columns; i-- > 0;)
        for (size_t j = rows; j-- > 0;) {
            const size_t k = i * rows + j;
            if (j > 0) low[k] = fmin(low[k], high[k - 1]);
            if (i > 0) top[k] = fmax(top[k], high[k - rows]);
        }
    for (size_t a = 0, b = 0; a < g->own.n; a++) {
        while (b < g->rival.n && g->rival.edge[b] < g->own.edge[a + 1]) b++;
        o->lower[a] = b;
    }
    return true;
}

void mk_walk_order_clear(struct mk_walk_order *o)
{
    free(o->high);
    free(o->lower);
}

double mk_walk_smallest_of(const struct mk_walk_order *o, size_t slice, double theta, bool favour)
{
    const size_t c = mk_walk_cell_of(o->g, slice);
    if (mk_walk_waits(o->g, slice) && theta < 0 && favour) return INFINITY;
    return o->g->smallest.cells.edge[(theta >= 0) == favour ? c : c + 1];
}

/* What differences of rewards are taken from. */
static double origin_of(const struct mk_walk_order *o, double x, double smallest)
{
    return o->g->smallest.used ? fmin(x, smallest) : 0;
}

double mk_walk_tau(const struct mk_walk_order *o, double x, double theta, double smallest)
{
    if (o->race->scale == MK_RACE_UNSCALED) return x + theta;
    const double part = theta / o->width, origin = origin_of(o, x, smallest), range = fmax(0, x - origin);
    if (part >= 1) return INFINITY;
    if (part <= -1) return o->either_sign ? 2 * MK_WALK_BELOW_ZERO : -INFINITY; /* the level -2^-1074 is not negative */
    return origin + (part >= 0 ? range / (1 - part) : range * (1 + part));
}

double mk_walk_tau_above(const struct mk_walk_order *o, double x, double theta, double smallest)
{
    if (o->race->scale == MK_RACE_UNSCALED) return x + theta + 64 * DBL_EPSILON * (fabs(x) + o->size) + MK_TINY;
    const double at = mk_walk_tau(o, x, theta + 64 * DBL_EPSILON * (o->width + o->size), smallest);
    if (o->either_sign && at < 0) return at;
    return isfinite(at) ? at + 4 * DBL_EPSILON * (fabs(at) + fabs(origin_of(o, x, smallest))) + MK_TINY : at;
}

/* What rounding may make of the order of two thresholds with different smallest rewards. */
static double slack_of(const struct mk_walk_order *o, double x, double at)
{
    const bool matters = o->g->smallest.used && isfinite(x) && isfinite(at);
    return matters ? 32 * DBL_EPSILON * (fabs(x) + fabs(at) + fabs(o->g->smallest.cells.edge[0])) : 0;
}

/* M_2 up to which a state is decided for arm 1, whatever becomes of the smallest reward; and above which it is for arm
 * 2. */
static double decided_below(const struct mk_walk_order *o, double x, double theta)
{
    const double at = mk_walk_tau_above(o, x, theta, o->g->smallest.cells.edge[0]);
    return fmin(x, at) - slack_of(o, x, at);
}

static double decided_above(const struct mk_walk_order *o, double x, double theta)
{
    const double at = mk_walk_tau_above(o, x, theta, theta >= 0 ? o->g->smallest.cells.edge[0] : INFINITY);
    return at + slack_of(o, x, at);
}

/* Where numbers above x begin, of n ascending ones of which the first `from` are not above it. */
static size_t first_above(const double *number, size_t n, size_t from, double x)
{
    size_t step = 1;
    for (; from + step <= n && number[from + step - 1] <= x; step *= 2) from += step;
    for (; step > 0; step /= 2)
        if (from + step <= n && number[from + step - 1] <= x) from += step;
    return from;
}

/* A state that is decided for arm 1 is so at all points of both cells, or the estimate of errors would not see it, and
 * has M_2 below the cell of M_1, one for arm 2 the other way round, so that the largest reward of all is the largest of
 * that arm. */
size_t mk_walk_rows(const struct mk_walk_order *o, struct mk_walk_row *row, size_t i, size_t j, size_t slice,
                    size_t first, size_t end, size_t b1)
{
    const struct mk_walk_levels *own = &o->g->own, *rival = &o->g->rival;
    const double *value = rival->side == MK_FROM_ABOVE ? rival->edge + 1 : rival->edge;
    const size_t k = i * o->g->rival_counts.n + j;
    const double smallest = mk_walk_smallest_of(o, slice, o->high[k], true);
    struct mk_walk_row r = {0, 0, 0, 0, false};
    for (size_t a = first; a < end; a++) {
        const double x = mk_walk_value(own, a), low = decided_below(o, own->edge[a], o->low[k]),
                     at = mk_walk_tau_above(o, x, o->high[k], smallest), top = decided_above(o, x, o->top[k]);
        r.first = first_above(rival->edge + 1, rival->n, r.first, low);
        r.right = first_above(value, rival->n, r.right, at);
        r.end = first_above(value, rival->n, r.end, top);
        r.end = r.end > o->lower[a] ? r.end : o->lower[a];
        if (r.first >= b1) return a;
        row[a] = r;
    }
    return end;
}
