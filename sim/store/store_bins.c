/* Histograms of pulls and maxima (keep: summary): the bins of all cells one after another, and where those of each cell
 * begin. */
#include <stdlib.h>

#include "sim/base/statistics.h"
#include "sim/store/store_util.h"

enum {
    BIN_CHUNK = 4096,
    OF_PULLS = 0, /* the two sets */
    OF_MAX = 1
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
            out->id[s][i] = mk_h5_create(group, &mk_histogram_fields[s][i], &axes, grows ? &chunk : NULL, grows);
            if (out->id[s][i] < 0) status = -1;
            if (i == MK_FIELD_BIN_LOW) axes.scale[axis] = out->id[s][i];
        }
    }
    if (!status)
        status =
            mk_h5_put_uses(&axes, MK_DIMENSION_COORDS, MK_DIMENSIONS) || mk_layout_link(group, of_file, "iha") ? -1 : 0;
    mk_h5_close(&group);
    return status;
}

/* Appends the bins of one histogram and notes where they are. */
static int append(struct mk_bins_out *out, size_t s, const struct mk_histogram *h, int64_t *first, int64_t *number)
{
    const size_t n = h->used;
    if (!n) return 0;
    double *low = malloc(n * sizeof *low), *high = malloc(n * sizeof *high);
    uint64_t *count = malloc(n * sizeof *count);
    int status = -1;
    if (!low || !high || !count) goto out;
    for (size_t i = 0; i < n; i++) {
        mk_histogram_bounds(h, i, &low[i], &high[i]);
        count[i] = h->bin[i].count;
    }
    const void *const values[] = {low, high, count};
    for (size_t i = 0; i <= MK_FIELD_BIN_COUNT; i++)
        if (mk_h5_append(out->id[s][i], mk_histogram_fields[s][i].kind, out->n[s], n, values[i])) goto out;
    *first = (int64_t)out->n[s];
    *number = (int64_t)n;
    out->n[s] += n;
    status = 0;
out:
    free(count);
    free(high);
    free(low);
    return status;
}

int mk_bins_write(struct mk_bins_out *out, const struct mk_dimensions *axes, const struct mk_dataset_part *cell,
                  const struct mk_histogram *pulls, size_t arms, const struct mk_histogram *max)
{
    int64_t *first = calloc(2 * arms, sizeof *first), *number = first ? first + arms : NULL, of_max[2] = {0, 0};
    int status = first ? 0 : -1;
    for (size_t k = 0; !status && k < arms; k++) status = append(out, OF_PULLS, &pulls[k], &first[k], &number[k]);
    if (!status) status = append(out, OF_MAX, max, &of_max[0], &of_max[1]);
    const void *const values[2][2] = {{first, number}, {&of_max[0], &of_max[1]}};
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; !status && i < 2; i++)
            status = mk_h5_write(out->id[s][MK_FIELD_BIN_FIRST + i], &mk_histogram_fields[s][MK_FIELD_BIN_FIRST + i],
                                 axes, cell, values[s][i]);
    free(first);
    return status;
}
