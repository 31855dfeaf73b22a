#include "sim/base/order.h"

#include <stdbool.h>
#include <string.h>

#include "sim/base/number.h"

enum { DIGITS = 8, BUCKETS = 256, FEW = 150 /* so many are merged faster than counted */ };

static size_t at_most(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void merge_sort(const double *x, uint32_t *order, uint32_t *scratch, size_t n)
{
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t from = 0; from < n; from += 2 * width) {
            const size_t middle = at_most(from + width, n), end = at_most(from + 2 * width, n);
            size_t a = from, b = middle;
            for (size_t i = from; i < end; i++)
                scratch[i] = a < middle && (b == end || x[order[a]] <= x[order[b]]) ? order[a++] : order[b++];
        }
        memcpy(order, scratch, n * sizeof *order);
    }
}

/* Whole numbers in the order of the doubles; -0 is 0. */
static inline uint64_t rank_of(double x)
{
    const uint64_t bits = mk_bits_of(x + 0.0);
    return bits & UINT64_C(1) << 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static inline size_t digit_of(double x, int digit)
{
    return rank_of(x) >> 8 * digit & (BUCKETS - 1);
}

/* Counts become the places where the buckets begin. False: all are in one bucket. */
static bool place_buckets(uint32_t *count, size_t n)
{
    uint32_t begin = 0;
    for (size_t i = 0; i < BUCKETS; i++) {
        if (count[i] == n) return false;
        const uint32_t here = count[i];
        count[i] = begin;
        begin += here;
    }
    return true;
}

/* By the bytes of the ranks, the last one first. */
static void radix_sort(const double *x, uint32_t *order, uint32_t *scratch, size_t n)
{
    uint32_t count[DIGITS][BUCKETS] = {{0}}, *from = order, *to = scratch;
    for (size_t i = 0; i < n; i++)
        for (int digit = 0; digit < DIGITS; digit++) count[digit][digit_of(x[i], digit)]++;
    for (int digit = 0; digit < DIGITS; digit++) {
        if (!place_buckets(count[digit], n)) continue;
        for (size_t i = 0; i < n; i++) to[count[digit][digit_of(x[from[i]], digit)]++] = from[i];
        uint32_t *const swapped = from;
        from = to;
        to = swapped;
    }
    if (from != order) memcpy(order, from, n * sizeof *order);
}

void mk_ascending_order(const double *x, uint32_t *order, uint32_t *scratch, size_t n)
{
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    (n < FEW ? merge_sort : radix_sort)(x, order, scratch, n);
}

enum { LANES = 8 };

static inline bool beats(double x, double y, bool min)
{
    return min ? x < y : x > y;
}

/* Compiled for either value of `min`. */
static inline __attribute__((always_inline)) double extreme(size_t n, const double *x, bool min)
{
    double lane[LANES], found = x[0];
    size_t i = 0;
    if (n >= 2 * LANES) {
        for (; i < LANES; i++) lane[i] = x[i];
        for (; i + LANES <= n; i += LANES)
            for (size_t j = 0; j < LANES; j++) lane[j] = beats(x[i + j], lane[j], min) ? x[i + j] : lane[j];
        for (size_t j = 0; j < LANES; j++) found = beats(lane[j], found, min) ? lane[j] : found;
    }
    for (; i < n; i++) found = beats(x[i], found, min) ? x[i] : found;
    return found;
}

double mk_largest(size_t n, const double *x)
{
    return extreme(n, x, false);
}

double mk_least(size_t n, const double *x)
{
    return extreme(n, x, true);
}
