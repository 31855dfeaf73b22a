/* B(l) = l + sum_{t=l}^T min(1, t^-p + c log^2 t / l) and its minimum over integers l.
 *
 * Sums. Euler-Maclaurin with Bernoulli numbers up to B_12 from t = 32 on.
 *
 * Minimum. (1) Where nothing is clipped, which is an up-set of l since the summand falls with l, the second difference
 * of B is  l^-p - (l+1)^-p + c [2 W / (l (l+1) (l+2)) + q(l)/l - q(l+1)/(l+2)],  q = log^2, W = sum_{t>l} q(t), and
 * q(l+1)/q(l) <= (1 + 1/(l log l))^2 <= 1 + 2/l for l >= 4: B is convex there, and bisection on the first difference
 *     D(l) = B(l+1) - B(l) = 1 - l^-p - c q(l)/l - c W / (l (l+1))
 * finds the minimum. (2) Elsewhere, branch and bound: for l in [l1, l2] the summand is at least its value at l2 and at
 * most 1, so that B(l) >= l1 + sum_{t=l1}^T min(1, t^-p + c q(t) / l2). */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "analysis/theory/bounds.h"

enum { DIRECT = 32, TERMS = 6, MAX_NODES = 128, CONVEX_FROM = 4 };
static const double largest_p = 1e4; /* 2^-p underflows to 0 well before */

/* B_2k / (2k)! */
static const double bernoulli[TERMS] = {1.0 / 12,       -1.0 / 720,     1.0 / 30240,
                                        -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000.0};

static double log2_at(double t)
{
    double l = log(t);
    return l * l;
}

/* sum_k B_2k/(2k)! f^(2k-1)(t), f = t^-p: derivatives -(p)_(2k-1) t^(-p-2k+1). */
static double power_correction(double p, double t)
{
    double sum = 0, derivative = -p * pow(t, -p) / t;
    for (int k = 0; k < TERMS; k++) {
        sum += bernoulli[k] * derivative;
        double m = 2 * k + 1;
        derivative *= (p + m) / t * ((p + m + 1) / t);
    }
    return sum;
}

/* The same for log^2: f^(m)(t) = (-1)^(m-1) 2 (m-1)! (log t - H_(m-1)) / t^m. */
static double log2_correction(double t)
{
    double sum = 0, factor = 2 / t, harmonic = 0, l = log(t);
    for (int k = 0; k < TERMS; k++) {
        sum += bernoulli[k] * factor * (l - harmonic);
        double m = 2 * k + 1;
        harmonic += 1 / m + 1 / (m + 1);
        factor *= m / t * ((m + 1) / t);
    }
    return sum;
}

double mk_power_sum(double p, uint64_t first, uint64_t last)
{
    double sum = 0;
    uint64_t t = first;
    p = fmin(p, largest_p);
    for (; t < DIRECT && t <= last; t++) sum += pow((double)t, -p);
    if (t > last) return sum;
    double a = (double)t, b = (double)last, q = 1 - p, ratio = log(b / a);
    double integral = q == 0 ? ratio : pow(a, q) * expm1(q * ratio) / q;
    return sum + integral + (pow(a, -p) + pow(b, -p)) / 2 + power_correction(p, b) - power_correction(p, a);
}

static double log2_integral(double t)
{
    double l = log(t) - 1;
    return t * (l * l + 1);
}

double mk_log2_sum(uint64_t first, uint64_t last)
{
    double sum = 0;
    uint64_t t = first;
    for (; t < DIRECT && t <= last; t++) sum += log2_at((double)t);
    if (t > last) return sum;
    double a = (double)t, b = (double)last;
    return sum + (log2_integral(b) - log2_integral(a)) + (log2_at(a) + log2_at(b)) / 2 + log2_correction(b) -
           log2_correction(a);
}

/* t^-p + k log^2 t; 1 at t = 1, also for p = inf. */
static double summand(double p, double k, uint64_t t)
{
    if (t == 1) return 1;
    double l = log((double)t);
    return exp(-p * l) + k * l * l;
}

/* t (d/dt) of the summand: increasing in t. */
static double slope(double p, double k, uint64_t t)
{
    double l = log((double)t);
    return 2 * k * l - (p > 0 ? p * exp(-p * l) : 0);
}

/* Smallest t in [first, last] with slope >= 0, or last. */
static uint64_t lowest_point(double p, double k, uint64_t first, uint64_t last)
{
    while (first < last) {
        uint64_t middle = first + (last - first) / 2;
        if (slope(p, k, middle) >= 0)
            last = middle;
        else
            first = middle + 1;
    }
    return first;
}

/* Between `outside`, where the summand is >= 1, and `inside`, where it is below: the last t inside. */
static uint64_t edge(double p, double k, uint64_t inside, uint64_t outside)
{
    for (;;) {
        uint64_t gap = outside > inside ? outside - inside : inside - outside;
        if (gap <= 1) return inside;
        uint64_t middle = outside > inside ? inside + gap / 2 : inside - gap / 2;
        if (summand(p, k, middle) < 1)
            inside = middle;
        else
            outside = middle;
    }
}

/* The t in [first, last] with summand below 1, as [*lo, *hi]; 0 when there is none. */
static bool unclipped(double p, double k, uint64_t first, uint64_t last, uint64_t *lo, uint64_t *hi)
{
    int first_in = summand(p, k, first) < 1, last_in = summand(p, k, last) < 1;
    uint64_t inside = first_in ? first : last;
    if (!first_in && !last_in) {
        inside = lowest_point(p, k, first, last);
        if (inside > first && summand(p, k, inside - 1) < summand(p, k, inside)) inside--;
        if (!(summand(p, k, inside) < 1)) return false;
    }
    *lo = first_in ? first : edge(p, k, inside, first);
    *hi = last_in ? last : edge(p, k, inside, last);
    return true;
}

double mk_clipped_sum(double p, double k, uint64_t first, uint64_t last)
{
    uint64_t lo, hi;
    if (last < first) return 0;
    p = fmin(p, largest_p);
    if (!unclipped(p, k, first, last, &lo, &hi)) return (double)(last - first + 1);
    double clipped = (double)(lo - first) + (double)(last - hi);
    return clipped + mk_power_sum(p, lo, hi) + (k > 0 ? k * mk_log2_sum(lo, hi) : 0);
}

struct search {
    double p, c, best;
    uint64_t horizon, at;
};

static void try_l(struct search *s, uint64_t l)
{
    double value = (double)l + mk_clipped_sum(s->p, s->c / (double)l, l, s->horizon);
    if (value < s->best) {
        s->best = value;
        s->at = l;
    }
}

static bool nothing_clipped(const struct search *s, uint64_t l)
{
    double k = s->c / (double)l;
    return summand(s->p, k, l) < 1 && summand(s->p, k, s->horizon) < 1;
}

/* Smallest l in [CONVEX_FROM, T] with nothing clipped, or T + 1. */
static uint64_t convex_start(const struct search *s)
{
    uint64_t lo = CONVEX_FROM, hi = s->horizon + 1;
    if (hi < lo) return hi;
    while (lo < hi) {
        uint64_t middle = lo + (hi - lo) / 2;
        if (nothing_clipped(s, middle))
            hi = middle;
        else
            lo = middle + 1;
    }
    return hi;
}

static double first_difference(const struct search *s, uint64_t l)
{
    double x = (double)l, tail = s->c > 0 ? s->c * mk_log2_sum(l + 1, s->horizon) : 0;
    return 1 - exp(-s->p * log(x)) - s->c * log2_at(x) / x - tail / (x * (x + 1));
}

static void search_convex(struct search *s, uint64_t from)
{
    uint64_t lo = from, hi = s->horizon;
    while (lo < hi) {
        uint64_t middle = lo + (hi - lo) / 2;
        if (first_difference(s, middle) >= 0)
            hi = middle;
        else
            lo = middle + 1;
    }
    try_l(s, lo);
}

static void search_branches(struct search *s, uint64_t last)
{
    struct {
        uint64_t lo, hi;
    } node[MAX_NODES];
    size_t n = 0;
    node[n].lo = 1;
    node[n++].hi = last;
    while (n > 0) {
        uint64_t lo = node[--n].lo, hi = node[n].hi;
        if (lo > hi) continue;
        double min = (double)lo + mk_clipped_sum(s->p, s->c / (double)hi, lo, s->horizon);
        if (min >= s->best * (1 - 1e-14)) continue;
        uint64_t middle = lo + (hi - lo) / 2;
        try_l(s, middle);
        node[n].lo = lo;
        node[n++].hi = middle - 1;
        node[n].lo = middle + 1;
        node[n++].hi = hi;
    }
}

double mk_bound_sum(double p, double c, uint64_t horizon, uint64_t *at)
{
    struct search s = {fmin(p, largest_p), c, INFINITY, horizon, 1};
    try_l(&s, 1);
    uint64_t from = convex_start(&s);
    if (from <= horizon) search_convex(&s, from);
    search_branches(&s, from - 1);
    if (at) *at = s.at;
    return s.best;
}
