/* Whole chunks of a dataset, packed and unpacked outside HDF5 by several threads: in the form that its filters shuffle
 * and deflate give. The calls into HDF5 are made by the calling thread alone. */
#ifndef MAXK_SIM_STORE_STORE_CHUNK_H
#define MAXK_SIM_STORE_STORE_CHUNK_H

#include <hdf5.h>
#include <stddef.h>

enum {
    MK_MAX_RANK = 4,
    MK_MANY_VALUES = 4096 /* of fewer, threads would only wait for each other */
};

struct mk_chunk {
    hid_t dataset;
    hsize_t offset[MK_MAX_RANK]; /* of its first value */
    size_t values;               /* of 8 bytes, in the whole chunk */
    size_t used;                 /* of these, from the first on, are read; all are written */
    void *at;
};

/* Room for the chunks at work at a time. */
struct mk_slots {
    int threads;
    size_t n, values;
    unsigned char *packed, *planes; /* [n] rooms for one chunk */
    size_t *bytes;                  /* [n], 0: packing failed */
};

/* For chunks of at most `values` values, threads >= 1: two slots a thread, fewer where they would need more than 64
 * MiB, one at least. */
size_t mk_slots_bytes(size_t values, int threads, size_t *n);
/* < 0: no memory, to be freed all the same. */
int mk_slots_new(struct mk_slots *s, size_t values, int threads);
void mk_slots_free(struct mk_slots *s);

/* < 0: failed, HDF5 or memory. */
int mk_chunks_write(struct mk_slots *s, const struct mk_chunk *c, size_t n);
int mk_chunks_read(struct mk_slots *s, const struct mk_chunk *c, size_t n);

#endif
