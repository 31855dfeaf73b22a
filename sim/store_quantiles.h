/* Quantiles over replications from the stored pulls and maxima, a group of cells at a time, by several threads. */
#ifndef MAXK_SIM_STORE_QUANTILES_H
#define MAXK_SIM_STORE_QUANTILES_H

#include <stdint.h>

#include "sim/result.h"
#include "sim/store_chunk.h"

/* Where the values of a cell are: datasets [instance][horizon][replication][arm] and [instance][horizon][replication]
 * in chunks of one instance and horizon, chunk_rows replications and all arms. pulls < 0: maxima alone. */
struct mk_stored_cell {
    hid_t pulls, max_reward;
    hsize_t instance, horizon;
};

struct mk_sorter;

/* threads >= 1. *cells: how many cells are loaded at a time, >= 1. Memory: 8 bytes for every value of these cells (4 MiB
 * a thread, or one cell) and 24 bytes for every replication and thread (fewer threads where that passes 256 MiB). slots must
 * outlive it. NULL: no memory. */
struct mk_sorter *mk_sorter_new(uint64_t replications, size_t arms, uint64_t chunk_rows, struct mk_slots *slots,
                                size_t *cells);
void mk_sorter_free(struct mk_sorter *s);

/* Reads n <= *cells cells. < 0: failed. */
int mk_sorter_load(struct mk_sorter *s, const struct mk_stored_cell *cell, size_t n);

/* Maxima of loaded cell i in ascending order, [replications]; until the next call. */
const double *mk_sorter_maxima(struct mk_sorter *s, size_t i);

/* Of the n loaded cells: quantile_pulls and quantile_max at mk_quantile_levels, and at_q[i]: Q_q of the maxima. */
void mk_sorter_quantiles(struct mk_sorter *s, struct mk_cell *const *cell, size_t n, double q, double *at_q);

#endif
