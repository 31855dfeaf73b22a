#include "analysis/compare/recorded_trials.h"

#include <math.h>
#include <string.h>

#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/study/study_files.h"

/* Columns of OUT.csv; files of earlier versions lack the last two. */
enum { ARM, ARM_INDEX, LOSS, STATUS, FIDELITY, SEEN, COLUMNS };
static const char *const names[COLUMNS] = {"arm", "arm_index", "loss", "status", "fidelity", MK_LOSS_SEEN};

static int find_column(const struct mk_csv *csv, size_t column, int *at, struct mk_error *err)
{
    char columns[400];
    const char *name = names[column];
    *at = mk_csv_find(csv, name);
    if (*at >= 0 || column >= FIDELITY) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s:1: %s: expected a column of this name, as in the trials of maxk tune; got %s",
                   csv->path, name, mk_csv_columns_text(csv, columns, sizeof columns));
}

/* A number of the row; of a column that is not there the usual one. */
static int number_at(const struct mk_csv *csv, int at, double usual, double *out, struct mk_error *err)
{
    *out = usual;
    return at < 0 ? MK_OK : mk_csv_number(csv, (size_t)at, out, err);
}

static int take_row(struct mk_recorded_trials *r, const struct mk_tune *t, const struct mk_csv *csv,
                    const int at[COLUMNS], struct mk_error *err)
{
    const size_t arm = (size_t)at[ARM], index = (size_t)at[ARM_INDEX];
    const struct mk_csv_cell *label = &csv->cell[arm], *status = &csv->cell[at[STATUS]];
    char clip[MK_CLIP_ROOM];
    double number, loss, seen, fidelity;
    int code = number_at(csv, at[LOSS], NAN, &loss, err);
    if (!code) code = number_at(csv, at[SEEN], loss, &seen, err);
    if (!code) code = number_at(csv, at[FIDELITY], 1, &fidelity, err);
    if (!code) code = mk_csv_number(csv, index, &number, err);
    if (code) return code;
    if (number < 0)
        return mk_fail_at(err, mk_csv_where(csv, index), "arm_index",
                          "expected trials that a policy has chosen, got a combined search");
    const size_t k = mk_tune_find_arm(t, label->text, label->length);
    if (k == t->n_arms)
        return mk_fail_at(err, mk_csv_where(csv, arm), "arm", "expected the label of an arm, got '%s'",
                          mk_clip_bytes(label->text, label->length, clip));
    const bool whole = fidelity == 1 && mk_trial_status_of(status->text, status->length) == MK_TRIAL_OK;
    return mk_recorded_trials_add(r, k, -seen, whole ? -loss : NAN, err);
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
        const double whole = mk_trial_is_whole(results, trial) ? mk_tune_reward(results->t, trial->value) : NAN;
        if (!trial->dropped) code = mk_recorded_trials_add(r, trial->arm, trial->reward, whole, err);
    }
    if (!code && !r->n) code = mk_fail(err, MK_EINPUT, "%s: no trials", results->t->file);
    if (code) mk_recorded_trials_clear(r);
    return code;
}

int mk_recorded_trials_read(struct mk_recorded_trials *r, const struct mk_tune *t, const char *path,
                            struct mk_error *err)
{
    struct mk_csv *csv = NULL;
    int at[COLUMNS];
    int code = begin(r, t, err);
    if (!code) code = mk_csv_open(&csv, path, err);
    for (size_t c = 0; c < COLUMNS && !code; c++) code = find_column(csv, c, &at[c], err);
    while (!code && !(code = mk_csv_next(csv, err))) code = take_row(r, t, csv, at, err);
    mk_csv_close(csv);
    if (code == MK_CSV_END) code = r->n ? MK_OK : mk_fail(err, MK_EINPUT, "%s: no trials", path);
    if (code) mk_recorded_trials_clear(r);
    return code;
}
