#include "analysis/theory/certified_regret_parts.h"

#include <stdlib.h>

#include "sim/base/error.h"
#include "sim/base/statistics.h"

enum { COUNTS_PER_OCTAVE = 2, CELLS_PER_COUNT = 24, LAST_CELLS = 1000 };
enum { CELLS_PER_TAIL_OCTAVE = 8, MOST_CELLS = 4500 };
static const double top_share = 1e-9; /* P(M_b(T) above the last cell) of an arm without an upper end point */

/* mean[k] = E[M_k(T)] of all arms, and the best one by it. */
static int find_best(const struct mk_regret *r, double *mean, size_t *best, struct mk_error *err)
{
    int code = MK_OK;
    *best = 0;
    for (size_t k = 0; !code && k < r->arms; k++) {
        code = mk_dist_expected_max(r->all[k].dist, r->horizon, &mean[k], err);
        if (mean[k] > mean[*best]) *best = k;
    }
    return code;
}

/* sum_{k != b} F_k(x)^s */
static double others_below(const struct mk_regret *r, double x, double s)
{
    double sum = 0;
    for (size_t k = 0; k < r->arms; k++)
        if (&r->all[k] != r->arm) sum += exp(-mk_cdf_rate(&r->all[k], x, MK_FROM_ABOVE) * s);
    return sum;
}

/* The largest u^n - u^T, n <= T, of all u with -log u between low and high: it rises up to u^(T-n) = n / T. */
static double largest_excess(double n, double horizon, double low, double high)
{
    const double more = horizon - n;
    if (!(more > 0)) return 0;
    const double rate = fmin(fmax(log1p(more / n) / more, low), high);
    return exp(-n * rate) * -expm1(-more * rate) * (1 + 1e-13);
}

/* The largest H(x) - F(x)^T of all x in (from, to). */
static double excess(const struct mk_regret *r, double from, double to)
{
    const double low = mk_cdf_rate(r->arm, to, MK_FROM_ABOVE), high = mk_cdf_rate(r->arm, from, MK_FROM_BELOW);
    double least = largest_excess(1, r->horizon, low, high);
    for (size_t l = 0; l < r->levels; l++) {
        const double its = largest_excess(r->n[l], r->horizon, low, high);
        if (its >= least) {
            if (l < r->sums) l = r->sums - 1;
            continue;
        }
        least = fmin(least, its + fmin(r->q[l], others_below(r, to, mk_regret_share(r, r->n[l]))));
    }
    return fmin(1, least * (1 + 1e-14));
}

/* Ends of cells beyond the last quantile of M_b(T): quantiles of X_b whose tails decrease geometrically. */
static size_t find_tail_cells(const struct mk_regret *r, double top, double *x, size_t n)
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
static size_t find_cells(const struct mk_regret *r, double lower, double top, double *x)
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
    n = mk_sort_distinct(x, n, -INFINITY, INFINITY);
    const double step = 2 * mk_dist_resolution(d);
    if (!(step > 0) || !mk_dist_has_atoms(d)) return n;
    for (size_t k = 0, old = n; k < old; k++) { /* an atom has a cell of its own */
        x[n++] = fmax(lower, x[k] - step);
        x[n++] = x[k] + step;
    }
    return mk_sort_distinct(x, n, -INFINITY, INFINITY);
}

/* The integral over the cells, and that of 1 - F^T, from below. */
static int integrate(const struct mk_regret *r, double lower, double top, double *sum, double *covered,
                     struct mk_error *err)
{
    double *x = malloc(3 * (MOST_CELLS + 2) * sizeof *x);
    if (!x) return mk_fail_memory(err, "the regret");
    const size_t n = find_cells(r, lower, top, x);
    *sum = *covered = 0;
    for (size_t k = 0; k + 1 < n; k++) {
        *sum += (x[k + 1] - x[k]) * excess(r, x[k], nextafter(x[k + 1], -INFINITY));
        *covered += (x[k + 1] - x[k]) * (1 - exp(-mk_cdf_rate(r->arm, x[k + 1], MK_FROM_ABOVE) * r->horizon));
    }
    free(x);
    return MK_OK;
}

static double pulls_of_others(const struct mk_certificate *c, size_t best)
{
    double pulls = 0;
    for (size_t k = 0; k < c->arms; k++)
        if (k != best) pulls += c->arm[k].upper;
    return pulls;
}

static double proposition_4_1(double pulls, const struct mk_known_cdf *arm, size_t arms, double horizon)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t k = 0; k < arms; k++) {
        double lower, upper;
        mk_dist_support(arm[k].dist, &lower, &upper);
        least = fmin(least, lower);
        most = fmax(most, arm[k].band > 0 ? INFINITY : upper);
    }
    return least >= 0 && isfinite(most) ? most / horizon * pulls : NAN;
}

/* What follows from bounds of the mean of the largest reward (NaN: not known); that of the best arm alone is known up
 * to `slack`. */
static void use_maximum(struct mk_certified_regret *out, double lower, double upper, double mean, double slack)
{
    out->regret = fmin(out->regret, mean - lower + slack);
    out->regret_lower = mean - upper - slack;
    out->maximum_lower = fmax(lower, mean - out->regret - slack);
    out->maximum_upper = upper;
}

/* The regret of moving arms that leave nothing to chance. */
static void regret_of_play(struct mk_certified_regret *out, const struct mk_certificate *c,
                           const struct mk_known_cdf *arm, uint64_t horizon)
{
    double most = -INFINITY, step = 0;
    size_t best = 0;
    for (size_t k = 0; k < c->arms; k++) {
        const struct mk_moving *m = arm[k].moving;
        step = fmax(step, m->step);
        for (uint64_t pull = 1; pull <= horizon; pull++) {
            const double reward = m->reward(m, pull);
            if (reward > most) best = k;
            most = fmax(most, reward);
        }
    }
    out->pulls = pulls_of_others(c, best);
    use_maximum(out, c->maximum_lower, c->maximum_upper, most, step);
}

/* Theorem 7, for arm b with a lower end point. */
static int use_best(struct mk_certified_regret *out, struct mk_regret *r, const struct mk_certificate *c, size_t best,
                    struct mk_error *err)
{
    double lower, upper, sum, covered;
    mk_dist_support(r->all[best].dist, &lower, &upper);
    if (!isfinite(lower)) return MK_OK;
    r->arm = &r->all[best];
    r->bounded = isfinite(upper);
    int code = mk_regret_counts(r, c, best, err);
    const double top = r->bounded ? upper : mk_dist_inverse_survival(r->arm->dist, top_share / r->horizon);
    if (!code) code = integrate(r, lower, top, &sum, &covered, err);
    mk_regret_counts_free(r);
    if (code) return code;
    if (!r->bounded) sum += fmax(0, r->mean[best] - lower - covered) + MK_MEAN_ERROR * fabs(r->mean[best]);
    out->regret = sum * (1 + 1e-12);
    return MK_OK;
}

/* Of arms that stay the same. */
static int regret_of_known(struct mk_certified_regret *out, struct mk_regret *r, double *mean,
                           const struct mk_certificate *c, struct mk_error *err)
{
    size_t best = 0, b = 0;
    int code = find_best(r, mean, &best, err);
    if (code || c->arm[best].least == 0) return code; /* the theorem asks for a pull of it */
    out->pulls = pulls_of_others(c, best);
    out->proposition_4_1 = proposition_4_1(out->pulls, r->all, r->arms, r->horizon);
    if (r->all[best].band > 0 || !isfinite(mean[best])) return MK_OK;
    r->mean = mean;
    struct mk_certified_regret more = MK_NO_REGRET;
    code = use_best(out, r, c, best, err);
    if (!code && isnan(c->maximum_upper)) code = mk_regret_by_products(&more, r, c, &b, err);
    out->regret = fmin(out->regret, more.regret);
    use_maximum(out, fmax(c->maximum_lower, more.maximum_lower), fmin(c->maximum_upper, more.maximum_upper), mean[best],
                MK_MEAN_ERROR * fabs(mean[best]));
    return code;
}

int mk_certified_regret(struct mk_certified_regret *out, const struct mk_certificate *c, const struct mk_known_cdf *arm,
                        uint64_t horizon, struct mk_error *err)
{
    struct mk_regret r = {.all = arm, .arms = c->arms, .horizon = (double)horizon};
    *out = MK_NO_REGRET;
    if (!arm[0].moving) {
        double *mean = malloc(r.arms * sizeof *mean);
        const int code = mean ? regret_of_known(out, &r, mean, c, err) : mk_fail_memory(err, "the regret");
        free(mean);
        return code;
    }
    if (!isnan(c->maximum_lower)) { /* only play says it of moving arms */
        regret_of_play(out, c, arm, horizon);
        return MK_OK;
    }
    size_t best = 0;
    const int code = mk_regret_by_products(out, &r, c, &best, err);
    out->pulls = pulls_of_others(c, best);
    return code;
}
