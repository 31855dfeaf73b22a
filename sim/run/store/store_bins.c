/* Histograms of pulls and maxima (keep: summary): the bins of all cells one after another, and where those of each cell
 * begin. */
#include <stdlib.h>

#include "sim/base/statistics.h"
#include "sim/run/store/store_util.h"

enum {
    BIN_CHUNK = 4096,
    BIN_BATCH = 1 << 14, /* bins written at once */
    OF_PULLS = 0,        /* the two sets */
    OF_MAX = 1
};

static const struct mk_field fields[2][MK_HISTOGRAM_FIELDS] = {
    {
        {"pulls_bin", "p", MK_KIND_REAL, "pulls", "smallest value of the bin, cell after cell"},
        {"pulls_bin_high", "p", MK_KIND_REAL, "pulls", "largest value of the bin"},
        {"pulls_bin_count", "p", MK_KIND_COUNT, "1", "replications in the bin"},
        {"pulls_first_bin", "iha", MK_KIND_INDEX, "1", "position of the cell's first bin along pulls_bin"},
        {"pulls_bins", "iha", MK_KIND_INDEX, "1", "number of the cell's bins"},
    },
    {
        {"max_bin", "m", MK_KIND_REAL, "reward", "smallest value of the bin, cell after cell"},
        {"max_bin_high", "m", MK_KIND_REAL, "reward", "largest value of the bin"},
        {"max_bin_count", "m", MK_KIND_COUNT, "1", "replications in the bin"},
        {"max_first_bin", "ih", MK_KIND_INDEX, "1", "position of the cell's first bin along max_bin"},
        {"max_bins", "ih", MK_KIND_INDEX, "1", "number of the cell's bins"},
    },
};

int mk_bins_create(struct mk_bins_out *out, hid_t summary, const struct mk_dimensions *of_file)
{
    static const hsize_t chunk = BIN_CHUNK;
    struct mk_dimensions axes = *of_file;
    hid_t group = mk_h5_group(summary, "histograms");
    int status = group < 0 ? -1 : 0;
    for (size_t s = 0; s < 2; s++) {
        enum mk_dimension axis = s == OF_PULLS ? MK_DIMENSION_PULLS_BIN : MK_DIMENSION_MAX_BIN;
        axes.size[axis] = 0;
        axes.uses[axis].n = 0;
        for (size_t i = 0; !status && i < MK_HISTOGRAM_FIELDS; i++) {
            int grows = i <= MK_FIELD_BIN_COUNT;
            out->id[s][i] = mk_h5_create(group, &fields[s][i], &axes, grows ? &chunk : NULL, grows);
            if (out->id[s][i] < 0) status = -1;
            if (i == MK_FIELD_BIN_LOW) axes.scale[axis] = out->id[s][i];
        }
    }
    if (!status)
        status = mk_h5_put_uses(&axes, MK_DIMENSION_COORDS, MK_DIMENSION_POLICY) || mk_h5_link(group, of_file, "iha")
                     ? -1
                     : 0;
    mk_h5_close(&group);
    return status;
}

/* Bins on their way to one of the sets: many arms have few of them each. */
struct bins {
    struct mk_bins_out *out;
    size_t set, n;
    double low[BIN_BATCH], high[BIN_BATCH];
    uint64_t count[BIN_BATCH];
};

static int bins_flush(struct bins *b)
{
    const void *const values[] = {b->low, b->high, b->count};
    for (size_t i = 0; i <= MK_FIELD_BIN_COUNT; i++)
        if (mk_h5_append(b->out->id[b->set][i], fields[b->set][i].kind, b->out->n[b->set], b->n, values[i])) return -1;
    b->out->n[b->set] += b->n;
    b->n = 0;
    return 0;
}

/* The bins of one histogram; notes where they will be. */
static int bins_add(struct bins *b, const struct mk_histogram *h, int64_t *first, int64_t *number)
{
    if (!h->used) return 0;
    *first = (int64_t)(b->out->n[b->set] + b->n);
    *number = (int64_t)h->used;
    for (size_t i = 0; i < h->used; i++) {
        if (b->n == BIN_BATCH && bins_flush(b)) return -1;
        mk_histogram_bounds(h, i, &b->low[b->n], &b->high[b->n]);
        b->count[b->n++] = h->bin[i].count;
    }
    return 0;
}

/* All bins of n histograms to one of the sets. */
static int append(struct mk_bins_out *out, size_t set, const struct mk_histogram *h, size_t n, int64_t *first,
                  int64_t *number)
{
    struct bins *b = malloc(sizeof *b);
    if (!b) return -1;
    b->out = out;
    b->set = set;
    b->n = 0;
    int status = 0;
    for (size_t k = 0; !status && k < n; k++) status = bins_add(b, &h[k], &first[k], &number[k]);
    if (!status) status = bins_flush(b);
    free(b);
    return status;
}

int mk_bins_write(struct mk_bins_out *out, const struct mk_dimensions *axes, const struct mk_dataset_cell *cell,
                  const struct mk_histogram *pulls, size_t arms, const struct mk_histogram *max)
{
    int64_t *first = calloc(2 * arms, sizeof *first), *number = first ? first + arms : NULL, of_max[2] = {0, 0};
    int status = first ? 0 : -1;
    if (!status) status = append(out, OF_PULLS, pulls, arms, first, number);
    if (!status) status = append(out, OF_MAX, max, 1, &of_max[0], &of_max[1]);
    const void *const values[2][2] = {{first, number}, {&of_max[0], &of_max[1]}};
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; !status && i < 2; i++)
            status = mk_h5_write(out->id[s][MK_FIELD_BIN_FIRST + i], &fields[s][MK_FIELD_BIN_FIRST + i], axes, cell,
                                 values[s][i]);
    free(first);
    return status;
}
