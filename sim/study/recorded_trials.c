#include "sim/study/recorded_trials.h"

#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

static int find_column(const struct mk_csv *csv, const char *name, size_t *at, struct mk_error *err)
{
    char columns[400];
    const int found = mk_csv_find(csv, name);
    *at = (size_t)found;
    if (found >= 0) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s:1: %s: expected a column of this name, as in the trials of maxk tune; got %s",
                   csv->path, name, mk_csv_columns_text(csv, columns, sizeof columns));
}

static int take_row(struct mk_recorded_trials *r, const struct mk_tune *t, const struct mk_csv *csv, size_t arm,
                    size_t index, size_t loss, struct mk_error *err)
{
    const struct mk_csv_cell *label = &csv->cell[arm];
    char clip[MK_CLIP_ROOM];
    double number, x;
    int code = mk_csv_number(csv, loss, &x, err);
    if (!code) code = mk_csv_number(csv, index, &number, err);
    if (code) return code;
    if (number < 0)
        return mk_fail_at(err, mk_csv_where(csv, index), "arm_index",
                          "expected trials that a policy has chosen, got a combined search");
    const size_t k = mk_tune_find_arm(t, label->text, label->length);
    if (k == t->n_arms)
        return mk_fail_at(err, mk_csv_where(csv, arm), "arm", "expected the label of an arm, got '%s'",
                          mk_clip_bytes(label->text, label->length, clip));
    return mk_recorded_trials_add(r, k, -x, err);
}

static int begin(struct mk_recorded_trials *r, const struct mk_tune *t, struct mk_error *err)
{
    int code = mk_recorded_trials_begin(r, t->n_arms, mk_tune_unit(t), t->seed, err);
    for (size_t k = 0; k < t->n_arms && !code; k++) r->label[k] = t->arm[k].label;
    return code;
}

int mk_recorded_trials_of(struct mk_recorded_trials *r, const struct mk_tune_state *results, struct mk_error *err)
{
    int code = begin(r, results->t, err);
    if (!code && !results->t->policy)
        code = mk_fail(err, MK_EINPUT, "%s: expected trials that a policy has chosen, got a combined search",
                       results->t->file);
    for (size_t i = 0; i < results->n && !code; i++) {
        const struct mk_trial *trial = &results->trial[i];
        if (!trial->dropped) code = mk_recorded_trials_add(r, trial->arm, trial->reward, err);
    }
    if (!code && !r->n) code = mk_fail(err, MK_EINPUT, "%s: no trials", results->t->file);
    if (code) mk_recorded_trials_clear(r);
    return code;
}

int mk_recorded_trials_read(struct mk_recorded_trials *r, const struct mk_tune *t, const char *path,
                            struct mk_error *err)
{
    struct mk_csv *csv = NULL;
    size_t arm = 0, index = 0, loss = 0;
    int code = begin(r, t, err);
    if (!code) code = mk_csv_open(&csv, path, err);
    if (!code) code = find_column(csv, "arm", &arm, err);
    if (!code) code = find_column(csv, "arm_index", &index, err);
    if (!code) code = find_column(csv, "loss", &loss, err);
    while (!code && !(code = mk_csv_next(csv, err))) code = take_row(r, t, csv, arm, index, loss, err);
    mk_csv_close(csv);
    if (code == MK_CSV_END) code = r->n ? MK_OK : mk_fail(err, MK_EINPUT, "%s: no trials", path);
    if (code) mk_recorded_trials_clear(r);
    return code;
}
