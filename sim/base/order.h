/* The order of numbers, and places in it; the largest and the smallest, in loops that compilers vectorise. */
#ifndef MAXK_SIM_BASE_ORDER_H
#define MAXK_SIM_BASE_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* order[0 … n-1] <- positions of x in ascending order of x, equal values in the order of positions (a stable
 * sort; no NaN). scratch[n]. */
void mk_ascending_order(const double *x, uint32_t *order, uint32_t *scratch, size_t n);

/* How many of the numbers sorted[0 … n-1], in ascending order, are < x, and how many <= x. */
static inline size_t mk_count_below(const double *sorted, size_t n, double x)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sorted[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline size_t mk_count_at_most(const double *sorted, size_t n, double x)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sorted[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The largest and the smallest of n >= 1 numbers, none of them NaN. */
double mk_largest(size_t n, const double *x);
double mk_least(size_t n, const double *x);

#endif
