#include "analysis/theory/certificates/certificate_counts.h"

#include <float.h>
#include <string.h>

bool mk_count_blocks_cut(struct mk_count_blocks *c, uint64_t horizon, uint64_t fineness, enum mk_side side)
{
    c->n = 0;
    c->side = side;
    for (uint64_t at = 1, width = 1; at <= horizon; at += width) {
        if (c->n == MK_COUNTS_BLOCKS) return false;
        while (at >= 2 * fineness * width) width *= 2;
        c->first[c->n] = at;
        c->last[c->n++] = at + width - 1 < horizon ? at + width - 1 : horizon;
    }
    c->value = side == MK_FROM_ABOVE ? c->first : c->last;
    return true;
}

void mk_count_blocks_sums(uint16_t *sum, const struct mk_count_blocks *c, uint64_t max)
{
    for (size_t a = 0; a < c->n; a++) {
        size_t at = 0;
        for (size_t b = 0; b < c->n; b++) {
            const uint64_t its = c->value[a] + c->value[b];
            while (at < c->n && c->last[at] < its) at++;
            sum[a * c->n + b] = (uint16_t)(its > max ? c->n : at);
        }
    }
}

/* Every entry is a sum of at most n^2 products. */
double mk_count_blocks_add(double *total, const double *mass, double *next, const struct mk_count_blocks *c,
                           const uint16_t *sum)
{
    const size_t n = c->n;
    const double error = ((double)n * (double)n + 8) * DBL_EPSILON,
                 factor = c->side == MK_FROM_ABOVE ? 1 + error : 1 - error;
    double products = 0;
    memset(next, 0, n * sizeof *next);
    for (size_t a = 0; a < n; a++) {
        const uint16_t *its = sum + a * n;
        const double own = total[a];
        if (!(own > 0)) continue;
        for (size_t b = 0; b < n && its[b] < n; b++) next[its[b]] += own * mass[b];
        products += (double)n;
    }
    for (size_t a = 0; a < n; a++) total[a] = next[a] * factor;
    return products;
}

size_t mk_count_blocks_up_to(const uint64_t *value, size_t n, uint64_t m)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (value[middle] <= m)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
