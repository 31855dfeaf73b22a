#include "sim/base/order.h"

#include <string.h>

static size_t at_most(size_t a, size_t b)
{
    return a < b ? a : b;
}

void mk_ascending_order(const double *x, uint32_t *order, uint32_t *scratch, size_t n)
{
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
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
