/* Quantiles over replications from the stored pulls and maxima, a group of cells at a time, by several threads. */
#ifndef MAXK_SIM_STORE_STORE_QUANTILES_H
#define MAXK_SIM_STORE_STORE_QUANTILES_H

#include <stdint.h>

#include "sim/store/result.h"
#include "sim/store/store_chunk.h"

/* Where the values of a cell are: datasets [instance][horizon][replication][arm] and [instance][horizon][replication]
 * in chunks of one instance and horizon, chunk_rows replications and all arms. pulls < 0: maxima alone. */
struct mk_stored_cell {
    hid_t pulls, max_reward;
    hsize_t instance, horizon;
};

struct mk_sorter;

/* Approximate bytes: 8 for every value of the cells loaded at a time (4 MiB per thread, or one cell; at most *cells),
 * and 24 for every replication and sorting thread (*rooms: at most `threads`, 256 MiB in total or one). */
size_t mk_sorter_bytes(uint64_t replications, size_t arms, int threads, size_t *cells, int *rooms);

/* *cells: the number of cells; on return the number loaded at a time, >= 1. slots must outlive it. NULL: out of
 * memory. */
struct mk_sorter *mk_sorter_new(uint64_t replications, size_t arms, uint64_t chunk_rows, struct mk_slots *slots,
                                size_t *cells);
void mk_sorter_free(struct mk_sorter *s);

/* Reads the first `rows` replications of n <= *cells cells. < 0: failed. */
int mk_sorter_load(struct mk_sorter *s, const struct mk_stored_cell *cell, size_t n, uint64_t rows);

/* Maxima of loaded cell i in ascending order, [rows]; valid until the next call. */
const double *mk_sorter_maxima(struct mk_sorter *s, size_t i);

/* Of the n loaded cells: quantile_pulls and quantile_max at mk_quantile_levels, and at_q[i]: Q_q of the maxima. */
void mk_sorter_quantiles(struct mk_sorter *s, struct mk_cell *const *cell, size_t n, double q, double *at_q);

#endif
