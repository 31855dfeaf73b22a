#include "analysis/compare/arms/stationarity.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_math.h>

#include "sim/base/error.h"
#include "sim/base/order.h"
#include "sim/base/statistics.h"

double mk_kolmogorov_tail(double x)
{
    double sum = 0;
    if (!(x > 0)) return isnan(x) ? NAN : 1;
    if (x < 1) { /* the dual series, which converges faster here */
        for (int k = 1; k <= 9; k += 2) sum += exp(-gsl_pow_2(k * M_PI / x) / 8);
        return fmax(1 - sqrt(2 * M_PI) / x * sum, 0);
    }
    for (int k = 5; k >= 1; k--) sum = exp(-2 * gsl_pow_2(k * x)) - sum;
    return 2 * sum;
}

struct ranks {
    size_t n_halves, longest, rewards;
    double *rank;           /* [longest] of one repetition, from 0 to 1 */
    double *sorted;         /* [longest] */
    double *sum;            /* [longest + 1] at shares j / longest of the pulls, over the repetitions */
    double *first, *second; /* [rewards]: ranks of the first and last halves */
};

static void free_ranks(struct ranks *w)
{
    free(w->rank);
    free(w->sorted);
    free(w->sum);
    free(w->first);
    free(w->second);
}

static int new_ranks(struct ranks *w, const struct mk_problem *p, size_t instance, size_t k, struct mk_error *err)
{
    *w = (struct ranks){.longest = 0};
    for (uint64_t r = 0; r < p->instance[instance].replications; r++) {
        const size_t n = mk_series_recorded(mk_problem_series(p, instance, k, r));
        w->rewards += n;
        if (n > w->longest) w->longest = n;
    }
    w->rank = malloc((w->longest + 1) * sizeof *w->rank);
    w->sorted = malloc((w->longest + 1) * sizeof *w->sorted);
    w->sum = calloc(w->longest + 1, sizeof *w->sum);
    w->first = malloc((w->rewards + 1) * sizeof *w->first);
    w->second = malloc((w->rewards + 1) * sizeof *w->second);
    if (w->rank && w->sorted && w->sum && w->first && w->second) return MK_OK;
    free_ranks(w);
    return mk_fail_memory(err, "the survey");
}

/* Adds a repetition of n >= 2 rewards. Returns n, or 0 when all are equal. */
static size_t add_repetition(struct ranks *w, const double *reward, size_t n)
{
    memcpy(w->sorted, reward, n * sizeof *reward);
    mk_sort_values(w->sorted, n);
    if (w->sorted[0] == w->sorted[n - 1]) return 0;
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t ends = mk_count_below(w->sorted, n, reward[i]) + mk_count_at_most(w->sorted, n, reward[i]);
        w->rank[i] = (double)ends / (2 * (double)n); /* the mean is 1/2, with ties as well */
        squares += gsl_pow_2(w->rank[i] - 0.5);
    }
    const double sd = sqrt(squares / ((double)n - 1));
    double sum = 0;
    for (size_t j = 0, i = 0; j <= w->longest; j++) {
        for (; i < n && (i + 1) * w->longest <= j * n; i++) sum += (w->rank[i] - 0.5) / sd;
        w->sum[j] += sum;
    }
    memcpy(w->first + w->n_halves, w->rank, n / 2 * sizeof *w->rank);
    memcpy(w->second + w->n_halves, w->rank + n - n / 2, n / 2 * sizeof *w->rank);
    w->n_halves += n / 2;
    return n;
}

/* Largest difference of the two distribution functions. */
static double halves_apart(const struct ranks *w)
{
    double most = 0;
    mk_sort_values(w->first, w->n_halves);
    mk_sort_values(w->second, w->n_halves);
    for (size_t i = 0; i < w->n_halves; i++)
        for (int s = 0; s < 2; s++) {
            const double x = s ? w->second[i] : w->first[i];
            const size_t a = mk_count_at_most(w->first, w->n_halves, x),
                         b = mk_count_at_most(w->second, w->n_halves, x);
            most = fmax(most, fabs((double)a - (double)b));
        }
    return most / (double)w->n_halves;
}

int mk_stationarity_of(struct mk_stationarity *out, const struct mk_problem *p, size_t instance, size_t k,
                       struct mk_error *err)
{
    struct ranks w;
    size_t used = 0;
    double most = 0;
    *out = (struct mk_stationarity){0, NAN, NAN};
    const int code = new_ranks(&w, p, instance, k, err);
    if (code) return code;
    for (uint64_t r = 0; r < p->instance[instance].replications; r++) {
        const struct mk_series *s = mk_problem_series(p, instance, k, r);
        const size_t n = mk_series_recorded(s);
        if (n >= 2) used += add_repetition(&w, s->reward, n);
    }
    if (used) {
        /* Sums that differ by rounding alone count as equal: the first of them is the change. */
        for (size_t j = 1; j < w.longest; j++)
            if (fabs(w.sum[j]) > most + 1e-9) {
                most = fabs(w.sum[j]);
                out->change = j;
            }
        out->p_change = mk_kolmogorov_tail(most / sqrt((double)used));
        out->p_halves = mk_kolmogorov_tail(halves_apart(&w) * sqrt((double)w.n_halves / 2));
    }
    free_ranks(&w);
    return MK_OK;
}
