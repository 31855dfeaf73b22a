/* The trials of a study in its result file: /trials, with the column `trial` as a scale. */
#include <stdlib.h>
#include <string.h>

#include "sim/store/store_util.h"
#include "sim/table/table.h"

static const struct mk_dataset_part everything = {MK_EVERYWHERE, MK_EVERYWHERE, 0, 0};

/* Creates the dataset of a column and writes it; *dataset is the caller's. */
static int put_column(hid_t group, const struct mk_dimensions *axes, const struct mk_table *t, size_t column,
                      hid_t *dataset)
{
    static const enum mk_field_kind kinds[] = {
        [MK_COLUMN_TEXT] = MK_KIND_TEXT, [MK_COLUMN_COUNT] = MK_KIND_COUNT, [MK_COLUMN_REAL] = MK_KIND_REAL};
    const struct mk_column *c = mk_table_column(t, column);
    const struct mk_field field = {c->name, "t", kinds[c->type], *c->unit ? c->unit : "1", c->about};
    const void *values = c->type == MK_COLUMN_TEXT    ? (const void *)mk_table_texts(t, column)
                         : c->type == MK_COLUMN_COUNT ? (const void *)mk_table_counts(t, column)
                                                      : (const void *)mk_table_reals(t, column);
    *dataset = mk_h5_create(group, &field, axes, NULL, 0);
    return *dataset < 0 ? -1 : mk_h5_write(*dataset, &field, axes, &everything, values);
}

int mk_trials_store(hid_t file, const struct mk_table *t)
{
    struct mk_scale_uses uses[MK_DIMENSIONS] = {{0}};
    struct mk_dimensions axes = {.size = {[MK_DIMENSION_TRIAL] = mk_table_rows(t)}, .uses = uses};
    const size_t trial = mk_table_find(t, "trial");
    hid_t group = mk_h5_group(file, "trials"), *scale = &axes.scale[MK_DIMENSION_TRIAL], dataset;
    int status = group < 0 ? -1 : put_column(group, &axes, t, trial, scale);
    for (size_t i = 0; i < mk_table_columns(t) && !status; i++) {
        if (i == trial) continue;
        status = put_column(group, &axes, t, i, &dataset);
        if (mk_h5_close(&dataset)) status = -1;
    }
    if (!status) status = mk_h5_put_uses(&axes, MK_DIMENSION_TRIAL, MK_DIMENSIONS);
    mk_h5_close(scale);
    mk_h5_close(&group);
    mk_h5_free_uses(uses);
    return status;
}
