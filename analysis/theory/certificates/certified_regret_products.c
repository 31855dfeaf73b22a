/* The mean of the largest reward, and the regret: sums over cells of x with the distribution functions of the largest
 * rewards of all arms at both ends of each. */
#include <float.h>
#include <stdlib.h>

#include "analysis/theory/certificates/certified_regret_parts.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"

/* Quantiles of M_k(n) where cells end, all of them for arms without an upper end point, and how many cells lie between
 * two of them. */
enum { LEVELS = 7, ALL_LEVELS = 13 };
static const double levels[ALL_LEVELS] = {1e-3,     0.02,     0.2,      0.5,      0.8,      0.98,    0.999,
                                          1 - 1e-4, 1 - 1e-5, 1 - 1e-6, 1 - 1e-7, 1 - 1e-8, 1 - 1e-9};
struct fineness {
    double count_ratio;    /* of the n, for arm b; of other arms n = T alone */
    int parts, last_parts; /* for n < T and for other arms; for M_b(T) */
};
static const struct fineness of_known = {M_SQRT2, 4, 170}, of_moving = {16, 4, 24};
enum { MOST_CELLS = 3000 };
static const double top_share = 1e-10; /* P(M_k(T) above the last cell) of an arm without an upper end point, about */
static const double bottom_share = 1e-12; /* P(X_b,1 below the first cell), about */
static const double rounding = 1e-12;     /* exceeds the relative error of a rate, and of sums over 1000 cells */
static const double negligible = 1e-17;   /* probability */

/* An arm in a cell: rates -log P(X <= x), too small at the upper end and too large at the lower one; of moving arms
 * their sums over the first pulls, up to each of the counts. */
struct curve {
    const struct mk_known_cdf *f;
    size_t n;           /* 0: not a moving arm */
    uint64_t *count;    /* [n] ascending */
    double *low, *high; /* [n] */
    double each_low, each_high;
    double above; /* P(X > x) at the lower end, too large; NaN: moving arms */
};

static double times(double pulls, double rate)
{
    return pulls > 0 ? pulls * rate : 0;
}

static size_t place_of(const struct curve *c, double count)
{
    const uint64_t key = (uint64_t)count;
    return (size_t)((const uint64_t *)bsearch(&key, c->count, c->n, sizeof key, mk_compare_counts) - c->count);
}

static double low_of(const struct curve *c, double count)
{
    return c->n > 0 ? c->low[place_of(c, count)] : times(count, c->each_low);
}

static double high_of(const struct curve *c, double count)
{
    return c->n > 0 ? c->high[place_of(c, count)] : times(count, c->each_high);
}

/* The counts of moving arm k that are asked for below. */
static int set_counts(struct curve *c, const struct mk_regret *r, const struct mk_certificate *known, size_t k,
                      struct mk_error *err)
{
    const size_t room = 2 * r->levels + 4;
    size_t n = 0, kept = 0;
    c->count = malloc(room * sizeof *c->count);
    c->low = malloc(room * sizeof *c->low);
    c->high = malloc(room * sizeof *c->high);
    if (!c->count || !c->low || !c->high) return mk_fail_memory(err, "the regret");
    c->count[n++] = 0;
    c->count[n++] = known->arm[k].min;
    c->count[n++] = known->arm[k].max;
    c->count[n++] = (uint64_t)r->horizon;
    for (size_t l = 0; l < r->levels; l++) {
        const double max = r->max[l * r->arms + k];
        c->count[n++] = (uint64_t)(c->f == r->arm ? r->n[l] : max);
        if (c->f != r->arm) c->count[n++] = (uint64_t)max + 1;
    }
    qsort(c->count, n, sizeof *c->count, mk_compare_counts);
    for (size_t j = 0; j < n; j++)
        if (kept == 0 || c->count[j] > c->count[kept - 1]) c->count[kept++] = c->count[j];
    c->n = kept;
    return MK_OK;
}

static void evaluate(struct curve *c, double from, double to, double margin)
{
    double low = 0, high = 0;
    for (size_t j = 0; j < c->n; j++) {
        const uint64_t after = j > 0 ? c->count[j - 1] : 0;
        low += mk_cdf_rates(c->f, to, after, c->count[j], MK_FROM_ABOVE);
        high += mk_cdf_rates(c->f, from, after, c->count[j], MK_FROM_BELOW);
        c->low[j] = low * (1 - margin);
        c->high[j] = high * (1 + margin);
    }
    if (c->n > 0) return;
    c->each_low = mk_cdf_rate(c->f, to, MK_FROM_ABOVE) * (1 - margin);
    c->each_high = mk_cdf_rate(c->f, from, MK_FROM_BELOW) * (1 + margin);
    c->above = -expm1(-c->each_high);
}

/* P(M(count) <= x) in the cell is at most, and at least, this. */
static double most_below(const struct curve *c, double count)
{
    return exp(-low_of(c, count));
}

static double least_below(const struct curve *c, double count)
{
    return exp(-high_of(c, count));
}

/* p P(M(n) <= x) - P(M(T) <= x) is at most this, or at most 0. */
static double most_between(const struct curve *c, double n, double horizon, double p)
{
    double rate = times(horizon - n, c->each_high);
    if (c->n > 0) {
        const double before = high_of(c, n), all = high_of(c, horizon);
        rate = isinf(all) ? INFINITY : all - before * (1 - 2 * rounding);
    }
    return most_below(c, n) * fmax(0, p - 1 - expm1(-rate));
}

/* The largest exp(-(at_low + n (r - low))) - exp(-T r) of all r between low and high: it rises while T r exceeds the
 * other exponent by less than log(T / n). n, low and at_low count as exact. */
static double largest_excess(double n, double horizon, double at_low, double low, double high)
{
    const double more = horizon - n;
    if (!(more > 0)) return fmax(0, exp(-at_low) - exp(-horizon * low));
    const double peak = n > 0 ? (log1p(more / n) + (at_low - n * low)) / more : INFINITY,
                 rate = fmin(fmax(peak, low), high), exponent = at_low + n * (rate - low);
    return fmax(0, exp(-exponent) * -expm1(exponent - horizon * rate));
}

/* P(V > x) in the cell is at most the sum of E[N_k(T)] P(X_k,1 > x), which are T pulls together: Theorem 7. */
static double most_above(const struct mk_regret *r, const struct curve *curve, const struct mk_certificate *c,
                         size_t best)
{
    const double own = curve[best].above;
    double sum = 0, pulls = 0;
    for (size_t k = 0; k < r->arms; k++) {
        if (k == best) continue;
        const double its = curve[k].above > own ? c->arm[k].upper : c->arm[k].lower;
        pulls += its;
        sum += its * curve[k].above;
    }
    /* what is left for arm b may be few of many pulls, so that the error of their sum counts */
    const double left = fmax(0, r->horizon * (1 + DBL_EPSILON * (double)r->arms) - pulls);
    return (sum + fmin(left, (double)c->arm[best].max) * own) * (1 + 4 * r->rounding);
}

/* Of x in a cell: upper bounds of P(V <= x) and of P(V <= x) - P(M_b(T) <= x), a lower bound of P(V <= x). */
struct cell {
    double max, excess, min;
};

/* The smallest sum of n_k r_k with e_k <= n_k <= max[k] (NULL: no limit) for k != b and n_b >= e_b, all n_k together
 * T, at the rate `own` of arm b and the smallest rates of the others in the cell. The pulls that are free go to the
 * arms with the smallest rates. Only terms that are not negative are added, so that nothing cancels at any T. */
static double least_rates(const struct mk_regret *r, const struct curve *curve, const struct mk_certificate *c,
                          size_t best, const double *max, double own)
{
    double sum = times((double)c->arm[best].min, own), left = r->horizon - (double)c->arm[best].min;
    for (size_t k = 0; k < r->arms; k++) {
        if (k == best) continue;
        sum += times((double)c->arm[k].min, curve[k].each_low);
        left -= (double)c->arm[k].min;
    }
    for (size_t j = 0; j < r->arms && left > 0; j++) {
        const size_t k = r->order[j];
        if (k == best) continue;
        if (!(curve[k].each_low < own)) break;
        const double its = max ? fmin(left, fmax(0, max[k] - (double)c->arm[k].min)) : left;
        sum += times(its, curve[k].each_low);
        left -= its;
    }
    return (sum + times(left, own)) * (1 - r->rounding);
}

/* P(V <= x, no arm k != b has more than max[k] pulls; NULL: any), by the products of powers with the largest value:
 * Theorem 7 (a). -log of it is a concave function of the rate of arm b, and not below its chord. */
static void use_most(struct cell *cell, const struct mk_regret *r, const struct curve *curve,
                     const struct mk_certificate *c, size_t best, const double *max, double missed)
{
    const double low = curve[best].each_low, high = curve[best].each_high,
                 at_low = least_rates(r, curve, c, best, max, low), at_high = least_rates(r, curve, c, best, max, high),
                 slope = high > low && isfinite(at_low) ? fmax(0, at_high - at_low) / (high - low) : 0;
    cell->max = fmin(cell->max, exp(-at_low) + missed);
    cell->excess =
        fmin(cell->excess,
             largest_excess(fmin(slope * (1 - 4 * DBL_EPSILON), r->horizon), r->horizon, at_low, low, high) + missed);
}

/* Puts the arms in ascending order of their smallest rates in the cell; from cell to cell it hardly changes. */
static void sort_arms(const struct mk_regret *r, const struct curve *curve)
{
    for (size_t j = 1; j < r->arms; j++) {
        const size_t k = r->order[j];
        size_t at = j;
        for (; at > 0 && curve[r->order[at - 1]].each_low > curve[k].each_low; at--) r->order[at] = r->order[at - 1];
        r->order[at] = k;
    }
}

static struct cell cell_of(const struct mk_regret *r, const struct curve *curve, const struct mk_certificate *c,
                           size_t best)
{
    const struct curve *own = &curve[best];
    const double min = (double)c->arm[best].min, own_rates = high_of(own, (double)c->arm[best].max);
    double others = 0; /* -log P(all rewards that the other arms have in any case are at most x) */
    double all = 0;    /* -log P(all rewards that any arm can have are at most x) */
    double any = 0;    /* the same of any T pulls, from above */
    double rest = r->horizon, lowest = INFINITY, highest = 0;
    for (size_t k = 0; k < r->arms; k++) {
        const double its = (double)c->arm[k].min;
        others += k == best ? 0 : low_of(&curve[k], its);
        all += high_of(&curve[k], (double)c->arm[k].max);
        any += high_of(&curve[k], its);
        rest -= its;
        lowest = fmin(lowest, own->n > 0 ? 0 : curve[k].each_low);
        highest = fmax(highest, own->n > 0 ? INFINITY : curve[k].each_high);
    }
    any += times(rest, highest);
    const double first = exp(-others), every = others + low_of(own, min);
    const bool fixed = own->n == 0 && isfinite(own->each_high);
    struct cell cell = {exp(-every - times(rest, lowest)), most_between(own, min, r->horizon, first),
                        fmax(fmax(exp(-all), exp(-any)), 1 - most_above(r, curve, c, best))};
    cell.excess = fmin(cell.excess, cell.max);
    if (fixed) {
        sort_arms(r, curve);
        use_most(&cell, r, curve, c, best, NULL, 0);
    }
    for (size_t l = 0; l < r->levels; l++) {
        const double *max = r->max + l * r->arms, *tail = r->tail + l * r->arms;
        double missed = 0, rates = own_rates;
        for (size_t k = 0; k < r->arms; k++) {
            if (k == best) continue;
            rates += high_of(&curve[k], max[k]);
            if (tail[k] <= negligible) {
                missed += tail[k];
                continue;
            }
            const double its = (double)c->arm[k].min, more = low_of(&curve[k], max[k] + 1) - low_of(&curve[k], its);
            missed += fmin(tail[k], exp(-every - fmax(0, more)));
        }
        missed *= 1 + r->rounding;
        cell.min = fmax(cell.min, exp(-rates) - r->q[l]);
        if (fixed) {
            use_most(&cell, r, curve, c, best, max, missed);
            continue;
        }
        cell.max = fmin(cell.max, most_below(own, r->n[l]) * first + missed);
        cell.excess = fmin(cell.excess, most_between(own, r->n[l], r->horizon, first) + missed);
    }
    return cell;
}

/* ---- cells ---- */

/* Of the largest of `count` rewards. */
static double quantile_of(const struct mk_known_cdf *f, double count, double u)
{
    return f->moving ? mk_known_at_rates(f, MK_LOWER_TAIL, (uint64_t)count, -log(u))
                     : mk_known_quantile(f, (uint64_t)count, u);
}

/* Quantiles of the largest of `count` rewards, and `parts` cells between two of them. */
static size_t add_quantiles(double *x, size_t n, const struct mk_known_cdf *f, double count, int parts)
{
    double low, high;
    mk_known_support(f, &low, &high);
    for (int j = 0; j < (isfinite(high) ? LEVELS : ALL_LEVELS); j++) {
        const double last = j > 0 ? x[n - 1] : NAN, next = quantile_of(f, count, levels[j]);
        for (int k = 1; j > 0 && k < parts; k++) x[n++] = last + (next - last) * k / parts;
        x[n++] = next;
    }
    return n;
}

/* Cells of their own for point masses, which may be where cells end. */
static size_t add_atoms(double *x, size_t n, const struct mk_known_cdf *f)
{
    const double step = 2 * mk_known_resolution(f);
    const size_t old = n;
    if (f->moving || !(step > 0) || !mk_dist_has_atoms(f->dist)) return n;
    for (size_t k = 0; k < old; k++) {
        x[n++] = x[k] - step;
        x[n++] = x[k] + step;
    }
    return n;
}

/* The ends of cells: a finite end of the rewards, or what is hardly ever exceeded, and quantiles between. */
static int find_cells(double **out, size_t *cells, const struct mk_regret *r, struct mk_error *err)
{
    const struct fineness fine = r->arm->moving ? of_moving : of_known;
    const size_t counts = (size_t)(log(r->horizon) / log(fine.count_ratio)) + 2, parts = (size_t)fine.parts,
                 room = 3 * (ALL_LEVELS * (parts * counts + (size_t)fine.last_parts + parts * r->arms) + r->arms + 2);
    double low, high, bottom, top = -INFINITY, *x = malloc(room * sizeof *x);
    size_t n = 0, step;
    *out = x;
    if (!x) return mk_fail_memory(err, "the regret");
    mk_known_support(r->arm, &bottom, &high);
    if (!isfinite(bottom)) bottom = quantile_of(r->arm, 1, bottom_share);
    for (size_t k = 0; k < r->arms; k++) {
        const struct mk_known_cdf *f = &r->all[k];
        mk_known_support(f, &low, &high);
        if (!isfinite(high)) high = quantile_of(f, r->horizon, 1 - top_share);
        top = fmax(top, high);
        x[n++] = high - 4 * mk_known_resolution(f); /* a reward that is certain not to exceed the end may equal it */
        n = add_quantiles(x, n, f, r->horizon, f == r->arm ? fine.last_parts : fine.parts);
    }
    for (double count = 1; count < r->horizon; count *= fine.count_ratio)
        n = add_quantiles(x, n, r->arm, floor(count), fine.parts);
    n = add_atoms(x, n, r->arm);
    n = mk_sort_distinct(x, n, bottom, top);
    step = n / MOST_CELLS + 1;
    for (size_t k = 0; k * step < n; k++) x[k] = x[k * step];
    n = (n + step - 1) / step;
    x[n++] = bottom;
    x[n++] = top;
    *cells = mk_sort_distinct(x, n, bottom, top) - 1;
    return MK_OK;
}

/* ---- sums ---- */

/* By quadrature; NaN in the place of inf. */
static int excess_of(const struct mk_known_cdf *f, double count, double x, bool above, double *out,
                     struct mk_error *err)
{
    const int code = mk_dist_expected_excess(f->dist, count, x, above, out, err);
    if (isinf(*out)) *out = NAN;
    return code;
}

/* The integral of P(X_1 <= y) over y < x, of an arm's first reward, or of P(M(T) > y) over y > x, from above; NaN: not
 * known. */
static int below_all(const struct mk_known_cdf *f, double x, double *out, struct mk_error *err)
{
    double low, high;
    mk_known_support(f, &low, &high);
    *out = fmax(0, x - low);
    if (isfinite(low)) return MK_OK;
    if (!f->moving) return excess_of(f, 1, x, false, out, err);
    const double p = exp(-mk_cdf_rates(f, x, 0, 1, MK_FROM_ABOVE));
    *out = p <= MK_MOVING_TAIL ? p * f->moving->decay : NAN;
    return MK_OK;
}

static int above_all(const struct mk_known_cdf *f, double x, double horizon, double *out, struct mk_error *err)
{
    double low, high;
    mk_known_support(f, &low, &high);
    *out = 0;
    if (isfinite(high)) return MK_OK;
    if (!f->moving) return excess_of(f, horizon, x, true, out, err);
    const double p = mk_cdf_rates(f, x, 0, (uint64_t)horizon, MK_FROM_BELOW);
    *out = p <= MK_MOVING_TAIL ? p * f->moving->decay : NAN;
    return MK_OK;
}

/* Sums over all cells. */
struct integrals {
    double max, excess, min; /* of struct cell */
    double width, left, right, right_of_best;
};

/* E[M_k(T)] is at least, and at most, this. NaN: not known. */
struct mean {
    double low, high;
};

static int integrate(struct integrals *s, const struct mk_regret *r, struct curve *curve,
                     const struct mk_certificate *c, const double *x, size_t cells, size_t best, struct mean *mean,
                     struct mk_error *err)
{
    const double top = x[cells];
    *s = (struct integrals){.width = top - x[0]};
    int code = below_all(r->arm, x[0], &s->left, err);
    for (size_t k = 0; !code && k < r->arms; k++) {
        double left = 0, right;
        code = above_all(&r->all[k], top, r->horizon, &right, err);
        if (!code && !r->mean) code = below_all(&r->all[k], x[0], &left, err);
        s->right += right;
        if (k == best) s->right_of_best = right;
        mean[k] = (struct mean){top - left, top + right};
        if (!r->mean) continue;
        const double error = MK_MEAN_ERROR * fabs(r->mean[k]);
        mean[k] = (struct mean){r->mean[k] - error, r->mean[k] + error};
    }
    for (size_t i = 0; !code && i < cells; i++) {
        const double width = x[i + 1] - x[i];
        for (size_t k = 0; k < r->arms; k++) {
            evaluate(&curve[k], x[i], nextafter(x[i + 1], -INFINITY), r->rounding);
            if (r->mean) continue;
            mean[k].low -= width * most_below(&curve[k], r->horizon);
            mean[k].high -= width * least_below(&curve[k], r->horizon);
        }
        const struct cell cell = cell_of(r, curve, c, best);
        s->max += width * fmin(1, cell.max);
        s->excess += width * fmin(1, cell.excess);
        s->min += width * cell.min;
    }
    return code;
}

static void read_integrals(struct mk_certified_regret *out, const struct mk_regret *r, const struct integrals *s,
                           double top, size_t cells, const struct mean *mean, size_t best)
{
    const double error = fmax(rounding, 4 * DBL_EPSILON * (double)(cells + r->arms)),
                 slack = error * (fabs(top) + s->width), loss = s->excess + s->left + s->right_of_best + slack;
    double low = NAN, high = NAN, higher = 0; /* than the mean of arm b */
    out->maximum_lower = fmax(out->maximum_lower, top - s->max - s->left - slack);
    if (isnan(s->right)) return; /* the mean of an arm may be as large as one likes */
    for (size_t k = 0; k < r->arms; k++) {
        low = fmax(low, mean[k].low - slack);
        high = fmax(high, mean[k].high + slack);
        if (k != best) higher = fmax(higher, mean[k].high - mean[best].low + slack);
    }
    out->maximum_lower = fmax(out->maximum_lower, mean[best].low - loss - slack);
    out->maximum_upper = fmin(out->maximum_upper, top - s->min + s->right + slack);
    out->regret = fmin(fmin(out->regret, loss + higher), high - out->maximum_lower);
    out->regret_lower = fmax(out->regret_lower, low - out->maximum_upper);
}

/* Narrows the bounds by those that follow from the pulls of arm b, any arm. */
static int use_arm(struct mk_certified_regret *out, const struct mk_regret *known, const struct mk_certificate *c,
                   size_t b, struct mk_error *err)
{
    struct mk_regret r = *known;
    struct curve *curve = calloc(r.arms, sizeof *curve);
    struct mean *mean = calloc(r.arms, sizeof *mean);
    double *x = NULL;
    size_t cells = 0;
    r.arm = &r.all[b];
    r.order = malloc(r.arms * sizeof *r.order);
    r.rounding = rounding + DBL_EPSILON * (double)r.arms;
    int code = curve && mean && r.order ? MK_OK : mk_fail_memory(err, "the regret");
    for (size_t k = 0; !code && k < r.arms; k++) r.order[k] = k;
    if (!code) code = mk_regret_counts(&r, c, b, err);
    for (size_t k = 0; !code && k < r.arms; k++) {
        curve[k] = (struct curve){.f = &r.all[k], .above = NAN};
        if (r.arm->moving) code = set_counts(&curve[k], &r, c, k, err);
    }
    if (!code) code = find_cells(&x, &cells, &r, err);
    if (!code) {
        struct integrals s;
        code = integrate(&s, &r, curve, c, x, cells, b, mean, err);
        if (!code) read_integrals(out, &r, &s, x[cells], cells, mean, b);
    }
    for (size_t k = 0; curve && k < r.arms; k++) {
        free(curve[k].count);
        free(curve[k].low);
        free(curve[k].high);
    }
    mk_regret_counts_free(&r);
    free(r.order);
    free(curve);
    free(mean);
    free(x);
    return code;
}

int mk_regret_by_products(struct mk_certified_regret *out, const struct mk_regret *r, const struct mk_certificate *c,
                          size_t best, struct mk_error *err)
{
    size_t pulled = 0;
    for (size_t k = 0; k < r->arms; k++)
        if (c->arm[k].lower > c->arm[pulled].lower) pulled = k;
    const int code = pulled != best ? use_arm(out, r, c, pulled, err) : MK_OK;
    out->regret_by = out->regret_lower_by = out->maximum_lower_by = out->maximum_upper_by = MK_BY_THEOREM_7;
    return code ? code : use_arm(out, r, c, best, err);
}
