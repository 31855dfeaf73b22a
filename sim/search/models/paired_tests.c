/* Wins, ties and losses; the sign test; Wilcoxon's signed-rank test; Holm. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "sim/base/error.h"

#include "sim/search/models/significance.h"

enum { EXACT_MOST = 50 };

struct mk_win_counts mk_compare_pairs(const double *a, const double *b, size_t n, double absolute, double relative)
{
    struct mk_win_counts r = {0, 0, 0};
    for (size_t i = 0; i < n; i++) {
        if (isnan(a[i]) || isnan(b[i])) continue;
        if (a[i] == b[i] || fabs(a[i] - b[i]) <= absolute + relative * fabs(b[i]))
            r.ties++;
        else if (a[i] > b[i])
            r.wins++;
        else
            r.losses++;
    }
    return r;
}

double mk_sign_test(struct mk_win_counts r)
{
    size_t wins = r.wins + r.ties / 2, n = wins + r.losses + r.ties / 2;
    return wins == 0 ? 1 : gsl_cdf_binomial_Q((unsigned)(wins - 1), 0.5, (unsigned)n);
}

double mk_sign_test_two_sided(struct mk_win_counts r)
{
    const struct mk_win_counts other = {r.losses, r.ties, r.wins};
    return fmin(1, 2 * fmin(mk_sign_test(r), mk_sign_test(other)));
}

/* ---- Wilcoxon ---- */

struct difference {
    double size;
    int sign;
};

static int by_size(const void *a, const void *b)
{
    double x = ((const struct difference *)a)->size, y = ((const struct difference *)b)->size;
    return (x > y) - (x < y);
}

/* P(S <= s) for the sum S of the ranks 1 … n that have a positive sign, each sign being a fair coin; count[0 …
 * n(n+1)/2]. */
static double exact_below(double *count, size_t n, double s)
{
    size_t top = 0;
    double below = 0;
    if (s < 0) return 0;
    count[0] = 1;
    for (size_t i = 1; i <= n; i++) {
        memset(count + top + 1, 0, i * sizeof *count);
        top += i;
        for (size_t j = top; j >= i; j--) count[j] += count[j - i];
    }
    for (size_t j = 0; j <= top && (double)j <= s; j++) below += count[j];
    return below / pow(2, (double)n);
}

static void exact(struct mk_wilcoxon *w)
{
    double count[EXACT_MOST * (EXACT_MOST + 1) / 2 + 1];
    w->exact = 1;
    w->p_greater = exact_below(count, w->n, w->minus); /* S+ and S- have the same distribution, and S+ + S- is fixed */
    w->p_two_sided = fmin(1, 2 * exact_below(count, w->n, fmin(w->plus, w->minus)));
}

static void approximate(struct mk_wilcoxon *w)
{
    double n = (double)w->n;
    if (!(w->variance > 0)) return;
    double z = (w->plus - n * (n + 1) / 4) / sqrt(w->variance);
    w->p_greater = gsl_cdf_ugaussian_Q(z);
    w->p_two_sided = fmin(1, 2 * gsl_cdf_ugaussian_Q(fabs(z)));
}

size_t mk_wilcoxon_bytes(size_t n)
{
    return (n + 1) * sizeof(struct difference);
}

void mk_wilcoxon_in(void *scratch, const double *difference, size_t n, enum mk_zeros zeros, double tolerance,
                    struct mk_wilcoxon *out)
{
    struct difference *d = scratch;
    double ties = 0;
    bool any_zero = false;
    *out = (struct mk_wilcoxon){.p_greater = 1, .p_two_sided = 1};
    for (size_t i = 0; i < n; i++) {
        const bool zero = fabs(difference[i]) <= tolerance;
        if (isnan(difference[i]) || (zero && zeros == MK_ZEROS_DROP)) continue;
        any_zero |= zero;
        d[out->n++] =
            zero ? (struct difference){0, 0} : (struct difference){fabs(difference[i]), difference[i] > 0 ? 1 : -1};
    }
    qsort(d, out->n, sizeof *d, by_size);
    for (size_t i = 0, end; i < out->n; i = end) {
        for (end = i + 1; end < out->n && d[end].size - d[end - 1].size <= tolerance;) end++;
        double equal = (double)(end - i), rank = (double)(i + 1 + end) / 2;
        ties += equal * (equal * equal - 1);
        for (size_t j = i; j < end; j++) {
            out->plus += d[j].sign > 0 ? rank : d[j].sign < 0 ? 0 : rank / 2;
            out->minus += d[j].sign < 0 ? rank : d[j].sign > 0 ? 0 : rank / 2;
        }
    }
    if (!out->n) return;
    const double used = (double)out->n;
    out->variance = (used * (used + 1) * (2 * used + 1) - ties / 2) / 24;
    if (out->n <= EXACT_MOST && ties == 0 && !any_zero)
        exact(out);
    else
        approximate(out);
}

int mk_wilcoxon_test(const double *difference, size_t n, enum mk_zeros zeros, double tolerance, struct mk_wilcoxon *out,
                     struct mk_error *err)
{
    void *scratch = malloc(mk_wilcoxon_bytes(n));
    if (!scratch) return mk_fail_memory(err, "Wilcoxon's test");
    mk_wilcoxon_in(scratch, difference, n, zeros, tolerance, out);
    free(scratch);
    return MK_OK;
}

/* ---- many hypotheses ---- */

struct hypothesis {
    double p;
    size_t at;
};

static int by_p(const void *a, const void *b)
{
    const struct hypothesis *x = a, *y = b;
    return x->p != y->p ? (x->p > y->p) - (x->p < y->p) : (x->at > y->at) - (x->at < y->at);
}

size_t mk_holm_bytes(size_t n)
{
    return (n + 1) * sizeof(struct hypothesis);
}

void mk_holm_in(void *scratch, const double *p, size_t n, double *adjusted)
{
    struct hypothesis *h = scratch;
    size_t m = 0;
    double max = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isnan(p[i])) h[m++] = (struct hypothesis){p[i], i};
        adjusted[i] = NAN;
    }
    qsort(h, m, sizeof *h, by_p);
    for (size_t i = 0; i < m; i++) {
        max = fmax(max, mk_bonferroni(h[i].p, m - i));
        adjusted[h[i].at] = max;
    }
}

int mk_holm(const double *p, size_t n, double *adjusted, struct mk_error *err)
{
    void *scratch = malloc(mk_holm_bytes(n));
    if (!scratch) return mk_fail_memory(err, "Holm's adjustment");
    mk_holm_in(scratch, p, n, adjusted);
    free(scratch);
    return MK_OK;
}

double mk_bonferroni(double p, size_t m)
{
    return isnan(p) ? p : fmin(1, p * (double)m);
}
