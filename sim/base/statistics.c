#include "sim/base/statistics.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/api/maxk/error.h"
#include "sim/base/number.h"
#include "sim/base/order.h"

enum { RADIX_FROM = 256 };

const double mk_quantile_levels[MK_QUANTILES] = {0, .01, .025, .05, .1, .25, .5, .75, .9, .95, .975, .99, 1};

static void spread_add(struct mk_spread *s, double shifted)
{
    s->n++;
    double delta = shifted - s->mean;
    s->mean += delta / (double)s->n;
    s->m2 += delta * (shifted - s->mean);
}

double mk_spread_error(const struct mk_spread *s)
{
    if (s->n < 2) return NAN;
    return sqrt(s->m2 / (double)(s->n - 1) / (double)s->n);
}

double mk_spread_student(const struct mk_spread *s, double confidence)
{
    if (s->n < 2) return NAN;
    return gsl_cdf_tdist_Qinv((1 - confidence) / 2, (double)(s->n - 1)) * mk_spread_error(s);
}

void mk_real_moments_add(struct mk_real_moments *m, double x)
{
    if (!m->spread.n) m->first = m->min = m->max = x;
    if (x < m->min) m->min = x;
    if (x > m->max) m->max = x;
    double sum = m->sum + x;
    m->carry += fabs(m->sum) >= fabs(x) ? (m->sum - sum) + x : (x - sum) + m->sum;
    m->sum = sum;
    spread_add(&m->spread, x - m->first);
}

double mk_real_moments_mean(const struct mk_real_moments *m)
{
    /* With an infinite sum the compensation is NaN. */
    return (isfinite(m->sum) ? m->sum + m->carry : m->sum) / (double)m->spread.n;
}

void mk_count_moments_add(struct mk_count_moments *m, uint64_t x)
{
    if (!m->spread.n) m->first = m->min = m->max = x;
    if (x < m->min) m->min = x;
    if (x > m->max) m->max = x;
    m->sum += x;
    spread_add(&m->spread, x >= m->first ? (double)(x - m->first) : -(double)(m->first - x));
}

double mk_count_moments_mean(const struct mk_count_moments *m)
{
    uint64_t n = m->spread.n;
    if (!n) return NAN;
    const mk_u128 whole = m->sum / n, rest = m->sum % n;
    return (double)whole + (double)rest / (double)n;
}

void mk_share_interval(double share, uint64_t n, double *low, double *high)
{
    const double z2 = MK_NORMAL_95 * MK_NORMAL_95, m = (double)n;
    double centre = (share + z2 / (2 * m)) / (1 + z2 / m);
    double width = sqrt(z2 * (share * (1 - share) / m + z2 / (4 * m * m))) / (1 + z2 / m);
    *low = share > 0 ? centre - width : 0;
    *high = share < 1 ? centre + width : 1;
}

/* Where a distribution function of x in [low, high] reaches p. */
static double bisect(double (*cdf)(double x, const double *parameters), const double *parameters, double p, double low,
                     double high)
{
    while (high - low > 1e-15 * high) {
        const double x = low + (high - low) / 2;
        if (x <= low || x >= high) break;
        if (cdf(x, parameters) < p)
            low = x;
        else
            high = x;
    }
    return low + (high - low) / 2;
}

static double beta_cdf(double x, const double *parameters)
{
    return gsl_cdf_beta_P(x, parameters[0], parameters[1]);
}

static double beta_quantile(double p, double a, double b)
{
    return bisect(beta_cdf, (const double[]){a, b}, p, 0, 1);
}

static double gamma_cdf(double x, const double *parameters)
{
    return gsl_cdf_gamma_P(x, parameters[0], 1);
}

double mk_gamma_quantile(double p, double shape)
{
    double high = shape + 1;
    while (gsl_cdf_gamma_P(high, shape, 1) < p) high *= 2;
    return bisect(gamma_cdf, &shape, p, 0, high);
}

void mk_share_exact_interval(double successes, double failures, double tail, double *low, double *high)
{
    *low = successes > 0 ? beta_quantile(tail, successes, failures + 1) : 0;
    *high = failures > 0 ? beta_quantile(1 - tail, successes + 1, failures) : 1;
}

int mk_compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int mk_compare_reals_down(const void *a, const void *b)
{
    return mk_compare_reals(b, a);
}

int mk_compare_counts(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

uint64_t mk_ordered_bits(double x)
{
    const uint64_t bits = mk_bits_of(isnan(x) ? (double)NAN : x + 0.0); /* -0 becomes 0 */
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

double mk_ordered_value(uint64_t bits)
{
    return mk_real_of(bits >> 63 ? bits & ~(UINT64_C(1) << 63) : ~bits);
}

void mk_sort_bits(uint64_t *key, uint64_t *scratch, size_t n)
{
    uint64_t *from = key, *to = scratch;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t count[256] = {0}, at = 0;
        for (size_t i = 0; i < n; i++) count[from[i] >> shift & 255]++;
        if (n && count[from[0] >> shift & 255] == n) continue;
        for (size_t d = 0; d < 256; d++) {
            size_t here = count[d];
            count[d] = at;
            at += here;
        }
        for (size_t i = 0; i < n; i++) to[count[from[i] >> shift & 255]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != key) memcpy(key, from, n * sizeof *key);
}

/* Radix sort of the ordered bits if there is memory for it: several times as fast. */
void mk_sort_values(double *values, size_t n)
{
    uint64_t *key = n >= RADIX_FROM ? malloc(2 * n * sizeof *key) : NULL;
    if (!key) {
        qsort(values, n, sizeof *values, mk_compare_reals);
        return;
    }
    for (size_t i = 0; i < n; i++) key[i] = mk_ordered_bits(values[i]);
    mk_sort_bits(key, key + n, n);
    for (size_t i = 0; i < n; i++) values[i] = mk_ordered_value(key[i]);
    free(key);
}

size_t mk_sort_distinct(double *values, size_t n, double low, double high)
{
    size_t kept = 0;
    qsort(values, n, sizeof *values, mk_compare_reals);
    for (size_t i = 0; i < n; i++)
        if (values[i] >= low && values[i] <= high && (kept == 0 || values[i] > values[kept - 1]))
            values[kept++] = values[i];
    return kept;
}

/* Quantile of type 7 between the order statistics a = x_(floor h) and b = x_(floor h + 1), h = (n - 1) p counted from
 * 0; `t` is the fraction of h. As NumPy computes it. */
static double statistics_between(double a, double b, double t)
{
    if (t <= 0 || a == b) return a;
    return t >= 0.5 ? b - (b - a) * (1 - t) : a + (b - a) * t;
}

double mk_quantile_sorted(const double *sorted, size_t n, double p)
{
    if (!n) return NAN;
    double h = (double)(n - 1) * p;
    size_t i = (size_t)h;
    if (i + 1 >= n) return sorted[n - 1];
    return statistics_between(sorted[i], sorted[i + 1], h - (double)i);
}

double mk_share_sorted(const double *sorted, size_t n, double x)
{
    return n ? (double)mk_count_at_most(sorted, n, x) / (double)n : NAN;
}

/* ---- histograms ---- */

enum { FIRST_ROOM = 4, FLOOR_SHIFT = 52 - MK_HISTOGRAM_BITS };

void mk_histogram_init(struct mk_histogram *h, int whole)
{
    memset(h, 0, sizeof *h);
    h->whole = whole;
}

void mk_histogram_free(struct mk_histogram *h)
{
    free(h->bin);
    h->bin = NULL;
    h->room = h->used = 0;
}

void mk_histogram_clear(struct mk_histogram *h)
{
    if (h->room) memset(h->bin, 0, h->room * sizeof *h->bin);
    h->used = h->shift = 0;
    h->sealed = 0;
    h->n = 0;
}

/* The slot of `key`, or the free slot where it belongs; room is a power of 2, and never all of it is used. */
static struct mk_bin *place(struct mk_bin *bin, size_t room, uint64_t key)
{
    size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (room - 1);
    while (bin[i].count && bin[i].key != key) i = (i + 1) & (room - 1);
    return &bin[i];
}

static int grow(struct mk_histogram *h)
{
    size_t room = h->room ? 2 * h->room : FIRST_ROOM;
    struct mk_bin *bin = calloc(room, sizeof *bin);
    if (!bin) return MK_ENOMEM;
    for (size_t i = 0; i < h->room; i++)
        if (h->bin[i].count) *place(bin, room, h->bin[i].key) = h->bin[i];
    free(h->bin);
    h->bin = bin;
    h->room = room;
    return MK_OK;
}

/* Moves the occupied bins to the front, ascending by their keys, with which they begin. */
static void order(struct mk_histogram *h)
{
    size_t used = 0;
    for (size_t i = 0; i < h->room; i++)
        if (h->bin[i].count) h->bin[used++] = h->bin[i];
    if (used) qsort(h->bin, used, sizeof *h->bin, mk_compare_counts);
}

/* Merges neighbours until the number of bins or the floor is reached. */
static int coarsen(struct mk_histogram *h)
{
    order(h);
    while (h->used > MK_HISTOGRAM_BINS && h->shift < FLOOR_SHIFT) {
        size_t used = 0;
        for (size_t i = 0; i < h->used; i++) {
            uint64_t key = h->bin[i].key >> 1, count = h->bin[i].count;
            if (used && h->bin[used - 1].key == key)
                h->bin[used - 1].count += count;
            else
                h->bin[used++] = (struct mk_bin){key, count};
        }
        h->used = used;
        h->shift++;
    }
    struct mk_bin *bin = calloc(h->room, sizeof *bin);
    if (!bin) return MK_ENOMEM;
    for (size_t i = 0; i < h->used; i++) *place(bin, h->room, h->bin[i].key) = h->bin[i];
    free(h->bin);
    h->bin = bin;
    return MK_OK;
}

int mk_histogram_add(struct mk_histogram *h, double x)
{
    uint64_t bits = mk_ordered_bits(x);
    if (2 * (h->used + 1) > h->room && grow(h)) return MK_ENOMEM;
    if (!h->n || bits < h->low) h->low = bits;
    if (!h->n || bits > h->high) h->high = bits;
    h->n++;
    struct mk_bin *bin = place(h->bin, h->room, bits >> h->shift);
    if (bin->count++) return MK_OK;
    bin->key = bits >> h->shift;
    h->used++;
    return h->used > MK_HISTOGRAM_BINS && h->shift < FLOOR_SHIFT ? coarsen(h) : MK_OK;
}

void mk_histogram_seal(struct mk_histogram *h)
{
    order(h);
    h->sealed = 1;
}

void mk_histogram_bounds(const struct mk_histogram *h, size_t i, double *low, double *high)
{
    uint64_t first = h->bin[i].key << h->shift;
    uint64_t last = first + ((UINT64_C(1) << h->shift) - 1);
    *low = mk_ordered_value(first < h->low ? h->low : first);
    *high = mk_ordered_value(last > h->high ? h->high : last);
    if (h->whole) {
        *low = ceil(*low);
        *high = floor(*high);
    }
}

/* Order statistic `rank`, counted from 0. */
static double value_at(const struct mk_histogram *h, uint64_t rank)
{
    double low, high;
    size_t i = 0;
    if (rank == 0) return mk_ordered_value(h->low);
    if (rank + 1 >= h->n) return mk_ordered_value(h->high);
    while (rank >= h->bin[i].count) rank -= h->bin[i++].count;
    mk_histogram_bounds(h, i, &low, &high);
    return statistics_between(low, high, ((double)rank + 0.5) / (double)h->bin[i].count);
}

double mk_histogram_quantile(const struct mk_histogram *h, double p)
{
    if (!h->n) return NAN;
    double at = (double)(h->n - 1) * p;
    uint64_t i = (uint64_t)at;
    double a = value_at(h, i);
    return statistics_between(a, value_at(h, i + 1), at - (double)i);
}

double mk_histogram_share(const struct mk_histogram *h, double x)
{
    if (!h->n) return NAN;
    double below = 0;
    for (size_t i = 0; i < h->used; i++) {
        double low, high, count = (double)h->bin[i].count;
        mk_histogram_bounds(h, i, &low, &high);
        if (x >= high)
            below += count;
        else if (x >= low)
            below += count * (x - low) / (high - low);
    }
    return below / (double)h->n;
}

double mk_proxy_regret(double oracle, double policy)
{
    return oracle == 0 ? NAN : (oracle - policy) / oracle;
}
