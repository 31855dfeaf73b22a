#include "sim/search/models/parzen.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "distributions/parts/kernel.h"
#include "sim/base/clones.h"
#include "sim/base/order.h"

enum { RECENT = 25, LANES = 4 };

static const double root_half = 0.70710678118654752440, log_root_two_pi = 0.91893853320467274178;

/* Bandwidth of Scott's rule in units of the range; the narrowest kernels in units of 1 / range. */
static const double scott_factor = 0.2, most_kernels = 100;

/* Beyond so many standard deviations a normal has no mass in double precision; terms of a sum that are smaller than its
 * largest one by exp(negligible) do not count: all of 10^6 of them are less than 1e-15 of it. */
static const double far = 8.5, negligible = -50;

void mk_parzen_free(struct mk_parzen *p)
{
    mk_pool_free(&p->pool);
    *p = (struct mk_parzen){0};
}

static int reserve(struct mk_parzen *p, size_t d, size_t n, struct mk_error *err)
{
    const struct mk_pool_array arrays[] = {
        MK_POOL_ARRAY(p->mu, d * n),   MK_POOL_ARRAY(p->sigma, d * n), MK_POOL_ARRAY(p->inverse, d * n),
        MK_POOL_ARRAY(p->same, d * n), MK_POOL_ARRAY(p->mass, n),      MK_POOL_ARRAY(p->cumulated, n),
        MK_POOL_ARRAY(p->height, n),   MK_POOL_ARRAY(p->term, n),      MK_POOL_ARRAY(p->order, 2 * n),
    };
    p->d = d;
    p->n = n;
    return mk_pool_lay_out(&p->pool, arrays, sizeof arrays / sizeof *arrays, "a density estimate", err);
}

/* P(Z <= b) - P(Z <= a) for a <= b, to full relative accuracy. */
static double normal_mass(double a, double b)
{
    if (a > 0) return 0.5 * (erfc(a * root_half) - erfc(b * root_half));
    if (b < 0) return 0.5 * (erfc(-b * root_half) - erfc(-a * root_half));
    return 1 - 0.5 * (erfc(-a * root_half) + erfc(b * root_half));
}

/* log of the mass within [0, 1]. */
static double log_mass_inside(double mu, double inverse)
{
    const double below = mu * inverse, above = (1 - mu) * inverse;
    if (below > far && above > far) return 0;
    return log(1 - 0.5 * ((below > far ? 0 : erfc(below * root_half)) + (above > far ? 0 : erfc(above * root_half))));
}

/* Weight of observation j of n, chronological. */
static double weight_of(size_t j, size_t n)
{
    if (n < RECENT || j >= n - RECENT) return 1;
    const size_t old = n - RECENT;
    const double first = 1 / (double)n;
    return old == 1 ? first : first + (double)j * ((1 - first) / (double)(old - 1));
}

static void set_weights(struct mk_parzen *p)
{
    double sum = 1;
    for (size_t j = 0; j + 1 < p->n; j++) sum += weight_of(j, p->n - 1);
    double cumulated = 0;
    for (size_t j = 0; j < p->n; j++) {
        const double weight = (j + 1 < p->n ? weight_of(j, p->n - 1) : 1) / sum;
        cumulated += weight;
        p->cumulated[j] = cumulated;
        p->height[j] = weight;
    }
    mk_block_log(p->n, p->height);
}

static void set_gaps(const double *mu, double *sigma, uint32_t *order, size_t n)
{
    mk_ascending_order(mu, order, order + n, n);
    for (size_t i = 0; i < n; i++) {
        const double at = mu[order[i]];
        const double left = at - (i ? mu[order[i - 1]] : 0), right = (i + 1 < n ? mu[order[i + 1]] : 1) - at;
        sigma[order[i]] = n > 1 && i == 0 ? right : n > 1 && i + 1 == n ? left : fmax(left, right);
    }
}

/* Kernels in the order of their means: those of observations in one cell mostly have one bandwidth. */
static void find_equal(struct mk_parzen *p, size_t j)
{
    const double *mu = p->mu + j * p->n, *sigma = p->sigma + j * p->n;
    uint32_t *same = p->same + j * p->n, last = 0;
    mk_ascending_order(mu, p->order, p->order + p->n, p->n);
    for (size_t k = 0; k < p->n; k++) {
        const uint32_t i = p->order[k];
        same[i] = k && mu[i] == mu[last] && sigma[i] == sigma[last] ? same[last] : i;
        last = i;
    }
}

/* Means and bandwidths of axis j, and the contribution of its kernels to the heights. */
static void set_axis(struct mk_parzen *p, size_t j, const double *u, size_t stride, enum mk_bandwidth bandwidth,
                     bool normalise)
{
    const struct mk_parzen_axis *axis = &p->axis[j];
    const size_t n = p->n;
    double *mu = p->mu + j * n, *sigma = p->sigma + j * n, *inverse = p->inverse + j * n;
    for (size_t i = 0; i + 1 < n; i++) mu[i] = u[i * stride + j];
    if (axis->words) {
        mu[n - 1] = -1;
        return;
    }
    mu[n - 1] = 0.5;
    const double narrowest = 1 / fmin(most_kernels, 1 + (double)n), observations = n > 1 ? (double)n - 1 : 1;
    if (bandwidth == MK_BANDWIDTH_GAP)
        set_gaps(mu, sigma, p->order, n);
    else
        for (size_t i = 0; i < n; i++) sigma[i] = scott_factor * pow(observations, -1 / ((double)p->d + 4));
    double width = 1, log_width = 0; /* many kernels are equally narrow */
    for (size_t i = 0; i < n; i++) {
        sigma[i] = i + 1 == n ? 1 : fmin(fmax(sigma[i], narrowest), 1);
        inverse[i] = 1 / sigma[i];
        p->height[i] -= log_mass_inside(mu[i], inverse[i]);
        if (sigma[i] != width) log_width = log(width = sigma[i]);
        if (!(axis->cell > 0)) p->height[i] -= log_root_two_pi + (normalise ? log_width : 0);
    }
    if (axis->cell > 0) find_equal(p, j);
}

int mk_parzen_build(struct mk_parzen *p, const struct mk_parzen_axis *axis, size_t d, const double *u, size_t stride,
                    size_t n, enum mk_bandwidth bandwidth, bool normalise, struct mk_error *err)
{
    int code = reserve(p, d, n + 1, err);
    if (code) return code;
    p->axis = axis;
    set_weights(p);
    for (size_t j = 0; j < d; j++) set_axis(p, j, u, stride, bandwidth, normalise);
    return MK_OK;
}

/* ---- density ---- */

static void add_words(const struct mk_parzen *p, size_t j, double x)
{
    const double *mu = p->mu + j * p->n, words = (double)p->axis[j].words, base = 1 / (double)p->n;
    const double other = log(base / (1 + words * base)), same = log((base + 1) / (1 + words * base));
    for (size_t i = 0; i + 1 < p->n; i++) p->term[i] += mu[i] == x ? same : other;
    p->term[p->n - 1] -= log(words);
}

static void add_cells(const struct mk_parzen *p, size_t j, double x)
{
    const double *mu = p->mu + j * p->n, *sigma = p->sigma + j * p->n, half = 0.5 * p->axis[j].cell;
    const double lo = fmax(x - half, 0), hi = fmin(x + half, 1);
    const uint32_t *same = p->same + j * p->n;
    for (size_t i = 0; i < p->n; i++)
        if (same[i] == i) p->mass[i] = log(normal_mass((lo - mu[i]) / sigma[i], (hi - mu[i]) / sigma[i]));
    for (size_t i = 0; i < p->n; i++) p->term[i] += p->mass[same[i]];
}

MK_CLONES static void add_normals(const double *mu, const double *inverse, double x, size_t n, double *term)
{
    for (size_t i = 0; i < n; i++) {
        const double z = (x - mu[i]) * inverse[i];
        term[i] -= 0.5 * z * z;
    }
}

/* log of the sum of exp(term); overwrites the terms. */
MK_CLONES static double log_sum(double *term, size_t n)
{
    double max[LANES], sum[LANES] = {0};
    size_t i = 0, kept = 0;
    for (size_t c = 0; c < LANES; c++) max[c] = term[0];
    for (; i + LANES <= n; i += LANES)
        for (size_t c = 0; c < LANES; c++) max[c] = term[i + c] > max[c] ? term[i + c] : max[c];
    for (; i < n; i++) max[0] = term[i] > max[0] ? term[i] : max[0];
    const double first = max[0] > max[1] ? max[0] : max[1], second = max[2] > max[3] ? max[2] : max[3];
    const double largest = first > second ? first : second;
    for (i = 0; i < n; i++) {
        const double off = term[i] - largest;
        term[kept] = off;
        kept += off > negligible;
    }
    mk_block_exp(kept, term, 1, 1);
    for (i = 0; i + LANES <= kept; i += LANES)
        for (size_t c = 0; c < LANES; c++) sum[c] += term[i + c];
    for (; i < kept; i++) sum[0] += term[i];
    return log((sum[0] + sum[2]) + (sum[1] + sum[3])) + largest;
}

double mk_parzen_log_density(const struct mk_parzen *p, const double *x)
{
    memcpy(p->term, p->height, p->n * sizeof *p->term);
    for (size_t j = 0; j < p->d; j++) {
        if (p->axis[j].words)
            add_words(p, j, x[j]);
        else if (p->axis[j].cell > 0)
            add_cells(p, j, x[j]);
        else
            add_normals(p->mu + j * p->n, p->inverse + j * p->n, x[j], p->n, p->term);
    }
    return log_sum(p->term, p->n);
}

/* ---- draws ---- */

/* Words with probabilities proportional to 1 / kernels, plus 1 for the observed one. */
static double draw_word(const struct mk_parzen *p, size_t j, size_t kernel, double u)
{
    const double words = (double)p->axis[j].words, base = 1 / (double)p->n, seen = p->mu[j * p->n + kernel];
    if (kernel + 1 == p->n) return fmin(floor(u * words), words - 1);
    const double at = u * (1 + words * base);
    return at < 1 ? seen : fmin(floor((at - 1) / base), words - 1);
}

double mk_truncated_normal(double mu, double sigma, double u)
{
    const double below = 0.5 * erfc(mu / sigma * root_half);
    const double mass = normal_mass(-mu / sigma, (1 - mu) / sigma);
    return fmin(fmax(mu + sigma * gsl_cdf_ugaussian_Pinv(below + u * mass), 0), 1);
}

void mk_parzen_sample(const struct mk_parzen *p, struct mk_pcg64 *rng, double *x)
{
    /* The first one whose cumulated weight exceeds the draw, or the last one. */
    const size_t kernel = mk_count_at_most(p->cumulated, p->n - 1, mk_uniform(rng));
    for (size_t j = 0; j < p->d; j++) {
        const double u = mk_uniform(rng);
        x[j] = p->axis[j].words ? draw_word(p, j, kernel, u)
                                : mk_truncated_normal(p->mu[j * p->n + kernel], p->sigma[j * p->n + kernel], u);
        /* Cells by their middle. */
        if (p->axis[j].cell > 0)
            x[j] = (fmin(floor(x[j] / p->axis[j].cell), rint(1 / p->axis[j].cell) - 1) + 0.5) * p->axis[j].cell;
    }
}
