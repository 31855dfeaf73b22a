#include "analysis/compare/growth_bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/pcg64.h"
#include "sim/base/statistics.h"

enum { LEAST_SAMPLES = 20 };

struct ranked {
    double value;
    size_t row;
};

static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* How often every row is drawn. */
static void draw(uint32_t *times, size_t n, uint64_t seed, size_t sample)
{
    struct mk_pcg64 g;
    struct mk_key key = mk_key_text(mk_key_word(mk_key_start(), seed), "rate bootstrap");
    mk_pcg64_from_key(&g, mk_key_word(key, sample));
    memset(times, 0, n * sizeof *times);
    for (size_t i = 0; i < n; i++) times[mk_uniform_below(&g, n)]++;
}

static void measure(const struct ranked *column, const uint32_t *times, size_t n, double *mean, double *median)
{
    double sum = 0, middle[2] = {NAN, NAN};
    size_t seen = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t count = times[column[i].row];
        sum += count * column[i].value;
        for (size_t side = 0; side < 2; side++) {
            size_t at = (n - 1 + side) / 2;
            if (at >= seen && at < seen + count) middle[side] = column[i].value;
        }
        seen += count;
    }
    *mean = sum / (double)n;
    *median = middle[0] + (middle[1] - middle[0]) / 2;
}

int mk_growth_bootstrap(const uint64_t *pulls, const double *max_reward, size_t n, size_t arms, uint64_t seed,
                        size_t samples, double *mean, double *median, struct mk_error *err)
{
    const size_t columns = arms + 1;
    struct ranked *all = malloc(columns * n * sizeof *all);
    int short_of_memory = !all;
    for (size_t k = 0; all && k < columns; k++) {
        struct ranked *column = all + k * n;
        for (size_t i = 0; i < n; i++)
            column[i] = (struct ranked){k < arms ? (double)pulls[i * arms + k] : max_reward[i], i};
        qsort(column, n, sizeof *column, by_value);
    }
#pragma omp parallel for schedule(dynamic, 1) reduction(| : short_of_memory)
    for (size_t s = 0; s < samples; s++) {
        uint32_t *times = all ? malloc(n * sizeof *times) : NULL;
        if (!times) {
            short_of_memory |= 1;
            continue;
        }
        draw(times, n, seed, s);
        for (size_t k = 0; k < columns; k++)
            measure(all + k * n, times, n, &mean[s * columns + k], &median[s * columns + k]);
        free(times);
    }
    free(all);
    return short_of_memory ? mk_fail_memory(err, "the bootstrap") : MK_OK;
}

void mk_growth_interval(double *value, size_t n, double *low, double *high)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(value[i])) value[kept++] = value[i];
    *low = *high = NAN;
    if (kept < LEAST_SAMPLES) return;
    mk_sort_values(value, kept);
    *low = mk_quantile_sorted(value, kept, 0.025);
    *high = mk_quantile_sorted(value, kept, 0.975);
}

double mk_growth_deviation(const double *value, size_t n, size_t stride)
{
    struct mk_real_moments m = {0};
    for (size_t i = 0; i < n; i++) mk_real_moments_add(&m, value[i * stride]);
    return mk_spread_error(&m.spread) * sqrt((double)n);
}
