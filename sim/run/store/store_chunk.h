/* Whole chunks of a dataset, packed and unpacked outside HDF5 by several threads, in the form produced by its filters
 * shuffle and deflate. Only the calling thread calls HDF5. */
#ifndef MAXK_SIM_RUN_STORE_STORE_CHUNK_H
#define MAXK_SIM_RUN_STORE_STORE_CHUNK_H

#include <hdf5.h>
#include <stddef.h>

enum {
    MK_MAX_RANK = 4,
    MK_MANY_VALUES = 4096 /* for fewer, threads would only wait for each other */
};

struct mk_chunk {
    hid_t dataset;
    hsize_t offset[MK_MAX_RANK]; /* of its first value */
    size_t values;               /* of 8 bytes each, in the whole chunk */
    size_t used;                 /* how many of these, from the first on, are read; all are written */
    void *at;
};

/* Buffers for the chunks being processed at a time. */
struct mk_slots {
    int threads;
    size_t n, values;
    unsigned char *packed, *planes; /* [n] buffers for one chunk */
    size_t *bytes;                  /* [n], 0: packing failed */
};

/* For chunks of at most `values` values, threads >= 1: two slots per thread, fewer if they would need more than 64 MiB,
 * at least one. */
size_t mk_slots_bytes(size_t values, int threads, size_t *n);
/* < 0: out of memory; to be freed all the same. */
int mk_slots_new(struct mk_slots *s, size_t values, int threads);
void mk_slots_free(struct mk_slots *s);

/* < 0: failed, HDF5 or memory. */
int mk_chunks_write(struct mk_slots *s, const struct mk_chunk *c, size_t n);
int mk_chunks_read(struct mk_slots *s, const struct mk_chunk *c, size_t n);

#endif
