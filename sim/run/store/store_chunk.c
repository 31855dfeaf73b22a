#include "sim/run/store/store_chunk.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { VALUE = 8, LEVEL = 1, SLOTS_A_THREAD = 2, SLOT_BYTES = 64 << 20 };

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "values are stored in memory order, least significant byte first");

static size_t packed_room(size_t values)
{
    return (size_t)compressBound((uLong)(values * VALUE));
}

/* Plane b holds byte b of every value. */
static void shuffle(const unsigned char *value, size_t n, unsigned char *plane)
{
    for (size_t b = 0; b < VALUE; b++)
        for (size_t i = 0; i < n; i++) plane[b * n + i] = value[VALUE * i + b];
}

static void unshuffle(const unsigned char *plane, size_t n, unsigned char *value, size_t used)
{
    for (size_t i = 0; i < used; i++)
        for (size_t b = 0; b < VALUE; b++) value[VALUE * i + b] = plane[b * n + i];
}

size_t mk_slots_bytes(size_t values, int threads, size_t *n)
{
    const size_t one = packed_room(values) + values * VALUE, most = SLOT_BYTES / one;
    *n = SLOTS_A_THREAD * (size_t)threads;
    if (*n > most) *n = most ? most : 1;
    return *n * one;
}

int mk_slots_new(struct mk_slots *s, size_t values, int threads)
{
    *s = (struct mk_slots){.threads = threads, .values = values};
    mk_slots_bytes(values, threads, &s->n);
    s->packed = malloc(s->n * packed_room(values));
    s->planes = malloc(s->n * values * VALUE);
    s->bytes = malloc(s->n * sizeof *s->bytes);
    return s->packed && s->planes && s->bytes ? 0 : -1;
}

void mk_slots_free(struct mk_slots *s)
{
    free(s->packed);
    free(s->planes);
    free(s->bytes);
}

static unsigned char *packed_of(const struct mk_slots *s, size_t slot)
{
    return s->packed + slot * packed_room(s->values);
}

static unsigned char *planes_of(const struct mk_slots *s, size_t slot)
{
    return s->planes + slot * s->values * VALUE;
}

static void pack(struct mk_slots *s, size_t slot, const struct mk_chunk *c)
{
    uLongf bytes = (uLongf)packed_room(c->values);
    shuffle(c->at, c->values, planes_of(s, slot));
    int failed = compress2(packed_of(s, slot), &bytes, planes_of(s, slot), (uLong)(c->values * VALUE), LEVEL) != Z_OK;
    s->bytes[slot] = failed ? 0 : (size_t)bytes;
}

int mk_chunks_write(struct mk_slots *s, const struct mk_chunk *c, size_t n)
{
    for (size_t first = 0, some; first < n; first += some) {
        some = n - first < s->n ? n - first : s->n;
#pragma omp parallel for num_threads(s->threads) schedule(dynamic, 1) if (some * s->values >= MK_MANY_VALUES)
        for (size_t i = 0; i < some; i++) pack(s, i, &c[first + i]);
        for (size_t i = 0; i < some; i++)
            if (!s->bytes[i] || H5Dwrite_chunk(c[first + i].dataset, H5P_DEFAULT, 0, c[first + i].offset, s->bytes[i],
                                               packed_of(s, i)) < 0)
                return -1;
    }
    return 0;
}

/* Fetches a packed chunk. No filter was skipped when it was written: HDF5 1.10 leaves the filter mask unset for a
 * dataset's only chunk until the file is closed. */
static int fetch(struct mk_slots *s, size_t slot, const struct mk_chunk *c)
{
    hsize_t bytes = 0;
    uint32_t skipped = 0;
    if (H5Dget_chunk_storage_size(c->dataset, c->offset, &bytes) < 0 || bytes < 1 || bytes > packed_room(c->values))
        return -1;
    s->bytes[slot] = (size_t)bytes;
    return H5Dread_chunk(c->dataset, H5P_DEFAULT, c->offset, &skipped, packed_of(s, slot)) < 0 ? -1 : 0;
}

static int unpack(struct mk_slots *s, size_t slot, const struct mk_chunk *c)
{
    uLongf bytes = (uLongf)(c->values * VALUE);
    if (uncompress(planes_of(s, slot), &bytes, packed_of(s, slot), (uLong)s->bytes[slot]) != Z_OK ||
        bytes != c->values * VALUE)
        return -1;
    unshuffle(planes_of(s, slot), c->values, c->at, c->used);
    return 0;
}

int mk_chunks_read(struct mk_slots *s, const struct mk_chunk *c, size_t n)
{
    int failed = 0;
    for (size_t first = 0, some; first < n && !failed; first += some) {
        some = n - first < s->n ? n - first : s->n;
        for (size_t i = 0; i < some; i++)
            if (fetch(s, i, &c[first + i])) return -1;
#pragma omp parallel for num_threads(s->threads) schedule(dynamic, 1)                                                  \
    reduction(|                                                                                                        \
              : failed) if (some * s->values >= MK_MANY_VALUES)
        for (size_t i = 0; i < some; i++) failed |= unpack(s, i, &c[first + i]) != 0;
    }
    return failed ? -1 : 0;
}
