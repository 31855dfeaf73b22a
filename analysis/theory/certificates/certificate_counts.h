/* Counts in blocks, and sums of independent ones: of the first passages of several arms. */
#ifndef MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFICATE_COUNTS_H
#define MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFICATE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/theory/certificates/first_passage.h"

enum { MK_COUNTS_BLOCKS = 2048 };

/* Counts 1 … T in blocks: single ones up to 2 fineness, then that many to every octave. From above a block counts as
 * its first count, from below as its last one. */
struct mk_count_blocks {
    size_t n;
    uint64_t first[MK_COUNTS_BLOCKS], last[MK_COUNTS_BLOCKS];
    const uint64_t *value;
    enum mk_side side;
};

/* false: there would be too many. */
bool mk_count_blocks_cut(struct mk_count_blocks *c, uint64_t horizon, uint64_t fineness, enum mk_side side);

/* The block of the sum of two counts, in [n][n]; n: beyond `max`. From above sums are rounded down to the first count
 * of a block, from below up to the last one: to that of the block which they are in. */
void mk_count_blocks_sums(uint16_t *sum, const struct mk_count_blocks *c, uint64_t max);

/* total += an independent variable, by the table of sums, rounded to the side of the counts. Probabilities by block;
 * next: [n] work. Returns the number of products. */
double mk_count_blocks_add(double *total, const double *mass, double *next, const struct mk_count_blocks *c,
                           const uint16_t *sum);

/* The number of values, ascending, that are at most m. */
size_t mk_count_blocks_up_to(const uint64_t *value, size_t n, uint64_t m);

#endif
