#include "analysis/theory/certified_regret.h"

#include <stdlib.h>

enum { TAIL_LEVELS = 80, LEVELS_PER_DECADE = 4, SHARES = 8, LEVELS = TAIL_LEVELS + 2 * SHARES };
enum { COUNTS_PER_OCTAVE = 2, CELLS_PER_COUNT = 24, LAST_CELLS = 1000 };
enum { CELLS_PER_TAIL_OCTAVE = 8, MOST_CELLS = 4500 };
static const double top_share = 1e-9;  /* P(M_b(T) above the last cell) of an arm without an upper end point */
static const double mean_error = 1e-9; /* relative, of E[M_b(T)] */

struct regret {
    const struct mk_known_cdf *arm; /* b */
    const struct mk_known_cdf *all; /* [arms] */
    size_t arms;
    double horizon;
    bool bounded;                /* b has an upper end point */
    double n[LEVELS], q[LEVELS]; /* P(N_b(T) < n) <= q */
    size_t levels;
};

static int find_best(const struct mk_known_cdf *arm, size_t arms, double horizon, size_t *best, double *mean,
                     struct mk_error *err)
{
    int code = MK_OK;
    *mean = -INFINITY;
    for (size_t k = 0; !code && k < arms; k++) {
        double own;
        code = mk_dist_expected_max(arm[k].dist, horizon, &own, err);
        if (code || !(own > *mean)) continue;
        *mean = own;
        *best = k;
    }
    return code;
}

/* The smallest m with P(N_i(T) > m) <= level, and that probability. */
static uint64_t tail_point(const struct mk_certified_arm *arm, double level, double *tail)
{
    for (size_t k = 0; k < arm->n; k++)
        if (arm->tail[k] <= level) {
            *tail = arm->tail[k];
            return arm->m[k];
        }
    *tail = 0;
    return arm->most;
}

static void find_counts(struct regret *r, const struct mk_certificate *c, size_t best)
{
    for (size_t l = 0; l < TAIL_LEVELS; l++) {
        double level = pow(10, -(double)l / LEVELS_PER_DECADE), pulls = 0, sum = 0;
        for (size_t k = 0; k < c->arms; k++) {
            double tail;
            if (k == best) continue;
            pulls += (double)tail_point(&c->arm[k], level, &tail);
            sum += tail;
        }
        if (r->horizon - pulls < 1 || sum >= 1) continue;
        r->n[r->levels] = r->horizon - pulls;
        r->q[r->levels++] = sum;
    }
    /* counts for which only the other arms' rewards speak */
    for (int j = 1; j <= SHARES && c->arms > 1; j++)
        for (int near = 0; near < 2; near++) {
            r->n[r->levels] = floor(near ? r->horizon * (1 - exp2(-j)) : r->horizon * exp2(-j));
            r->q[r->levels] = 1;
            r->levels += r->n[r->levels] >= 1;
        }
}

/* sum_{k != b} F_k(x)^s */
static double others_below(const struct regret *r, double x, double s)
{
    double sum = 0;
    for (size_t k = 0; k < r->arms; k++)
        if (&r->all[k] != r->arm) sum += exp(-mk_cdf_rate(&r->all[k], x, MK_FROM_ABOVE) * s);
    return sum;
}

/* B(x) */
static double above(const struct regret *r, double x)
{
    const double rate = mk_cdf_rate(r->arm, x, MK_FROM_ABOVE);
    double least = exp(-rate);
    for (size_t l = 0; l < r->levels; l++) {
        const double all = exp(-rate * r->n[l]);
        if (all >= least) continue;
        const double s = ceil((r->horizon - r->n[l] + 1) / (double)(r->arms - 1) * (1 - 1e-12));
        least = fmin(least, all + fmin(r->q[l], others_below(r, x, s)));
    }
    return fmin(1, least * (1 + 1e-14));
}

/* F(x)^T, from below */
static double below(const struct regret *r, double x)
{
    return exp(-mk_cdf_rate(r->arm, x, MK_FROM_BELOW) * r->horizon) * (1 - 1e-14);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts x and drops repeated ones. */
static size_t distinct(double *x, size_t n)
{
    size_t kept = 0;
    qsort(x, n, sizeof *x, ascending);
    for (size_t k = 0; k < n; k++)
        if (kept == 0 || x[k] > x[kept - 1]) x[kept++] = x[k];
    return kept;
}

/* Ends of cells beyond the last quantile of M_b(T): quantiles of X_b whose tails decrease geometrically. */
static size_t find_tail_cells(const struct regret *r, double top, double *x, size_t n)
{
    const struct mk_dist *d = r->arm->dist;
    const double step = exp2(-1.0 / CELLS_PER_TAIL_OCTAVE);
    for (double share = 1.0 / (LAST_CELLS + 1); share > top_share && n < MOST_CELLS; share *= step) {
        double at = mk_dist_inverse_survival(d, share / r->horizon);
        if (at < top) x[n++] = at;
    }
    return n;
}

/* Ends of cells: quantiles of M_b(n) for n of a geometric grid, the two ends, and the tail of an arm without an upper
 * end point. Returns their number. */
static size_t find_cells(const struct regret *r, double lower, double top, double *x)
{
    const struct mk_dist *d = r->arm->dist;
    const double counts = ceil(COUNTS_PER_OCTAVE * log2(r->horizon)) + 1;
    size_t n = 0;
    x[n++] = lower;
    x[n++] = top;
    for (double j = 0; j < counts; j++) {
        const int cells = j + 1 < counts ? CELLS_PER_COUNT : LAST_CELLS;
        for (int u = 1; u <= cells && n < MOST_CELLS; u++) {
            double rate = -log((double)u / (cells + 1)) * exp2(-j / COUNTS_PER_OCTAVE);
            double at = d->type->inverse(d, -expm1(-rate), exp(-rate));
            if (at > lower && at < top) x[n++] = at;
        }
    }
    if (!r->bounded) n = find_tail_cells(r, top, x, n);
    n = distinct(x, n);
    const double step = 2 * mk_dist_resolution(d);
    if (!(step > 0) || !mk_dist_has_atoms(d)) return n;
    for (size_t k = 0, old = n; k < old; k++) { /* an atom has a cell of its own */
        x[n++] = fmax(lower, x[k] - step);
        x[n++] = x[k] + step;
    }
    return distinct(x, n);
}

/* The integral over the cells, and that of 1 - F^T, from below. */
static int integrate(const struct regret *r, double lower, double top, double *sum, double *covered,
                     struct mk_error *err)
{
    double *x = malloc(3 * (MOST_CELLS + 2) * sizeof *x);
    if (!x) return mk_fail_memory(err, "the regret");
    const size_t n = find_cells(r, lower, top, x);
    *sum = *covered = 0;
    for (size_t k = 0; k + 1 < n; k++) {
        *sum += (x[k + 1] - x[k]) * fmax(0, above(r, nextafter(x[k + 1], -INFINITY)) - below(r, x[k]));
        *covered += (x[k + 1] - x[k]) * (1 - exp(-mk_cdf_rate(r->arm, x[k + 1], MK_FROM_ABOVE) * r->horizon));
    }
    free(x);
    return MK_OK;
}

static double proposition_4_1(const struct mk_certificate *c, const struct mk_known_cdf *arm, size_t best,
                              double horizon)
{
    double pulls = 0, least = INFINITY, most = -INFINITY;
    for (size_t k = 0; k < c->arms; k++) {
        double lower, upper;
        mk_dist_support(arm[k].dist, &lower, &upper);
        least = fmin(least, lower);
        most = fmax(most, arm[k].band > 0 ? INFINITY : upper);
        if (k != best) pulls += c->arm[k].upper;
    }
    return least >= 0 && isfinite(most) ? most / horizon * pulls : NAN;
}

int mk_certified_regret(struct mk_certified_regret *out, const struct mk_certificate *c, const struct mk_known_cdf *arm,
                        uint64_t horizon, struct mk_error *err)
{
    struct regret r = {.all = arm, .arms = c->arms, .horizon = (double)horizon};
    size_t best = 0;
    double mean, lower, upper, sum, covered;
    *out = (struct mk_certified_regret){NAN, NAN};
    int code = find_best(arm, c->arms, r.horizon, &best, &mean, err);
    if (code) return code;
    out->proposition_4_1 = proposition_4_1(c, arm, best, r.horizon);
    mk_dist_support(arm[best].dist, &lower, &upper);
    if (arm[best].band > 0 || !isfinite(lower) || !isfinite(mean)) return MK_OK;
    r.arm = &arm[best];
    r.bounded = isfinite(upper);
    find_counts(&r, c, best);
    const double top = r.bounded ? upper : mk_dist_inverse_survival(r.arm->dist, top_share / r.horizon);
    code = integrate(&r, lower, top, &sum, &covered, err);
    if (code) return code;
    if (!r.bounded) sum += fmax(0, mean - lower - covered) + mean_error * fabs(mean);
    out->regret = sum * (1 + 1e-12);
    return MK_OK;
}
