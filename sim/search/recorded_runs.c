#include "sim/search/recorded_runs.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/search/optimizers/optimizer.h"
#include "sim/search/records/import.h"
#include "sim/search/space/trial_status.h"

static const char *const names[MK_RUNS_COLUMNS] = {
    [MK_RUNS_INSTANCE] = "instance",           [MK_RUNS_ARM] = "arm",           [MK_RUNS_REWARD] = "reward",
    [MK_RUNS_CONFIGURATION] = "configuration", [MK_RUNS_LOSS] = "loss",         [MK_RUNS_STATUS] = "status",
    [MK_RUNS_ARM_INDEX] = "arm_index",         [MK_RUNS_FIDELITY] = "fidelity", [MK_RUNS_OPTIMIZER] = "optimizer",
};

int mk_recorded_find(const struct mk_recorded_runs *r, const char *name, bool required, int *at, struct mk_error *err)
{
    char columns[400];
    *at = mk_csv_find(r->csv, name);
    if (*at >= 0 || (*at == -1 && !required)) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s:1: %s: expected one column of this name, got %s", r->csv->path, name,
                   mk_csv_columns_text(r->csv, columns, sizeof columns));
}

int mk_recorded_open(struct mk_recorded_runs *r, const char *path, bool instances, struct mk_error *err)
{
    *r = (struct mk_recorded_runs){.csv = NULL};
    int code = mk_csv_open(&r->csv, path, err);
    for (int c = 0; c < MK_RUNS_COLUMNS && !code; c++) {
        const bool required = c == MK_RUNS_ARM || (c == MK_RUNS_INSTANCE && instances) ||
                              (c == MK_RUNS_CONFIGURATION && !instances) ||
                              (c == MK_RUNS_LOSS && r->column[MK_RUNS_REWARD] < 0);
        code = mk_recorded_find(r, names[c], required, &r->column[c], err);
    }
    return mk_import_instead(code, path, err);
}

void mk_recorded_close(struct mk_recorded_runs *r)
{
    mk_csv_close(r->csv);
}

/* Whether the row has such a column with another text. */
static bool differs(const struct mk_recorded_runs *r, enum mk_runs_column c, const char *text)
{
    const struct mk_csv_cell *cell = r->column[c] < 0 ? NULL : mk_recorded_cell(r, c);
    return cell && !(cell->length == strlen(text) && memcmp(cell->text, text, cell->length) == 0);
}

static bool is_left_out(const struct mk_recorded_runs *r)
{
    const struct mk_csv_cell *index = r->column[MK_RUNS_ARM_INDEX] < 0 ? NULL : mk_recorded_cell(r, MK_RUNS_ARM_INDEX);
    return differs(r, MK_RUNS_STATUS, mk_trial_status_word[MK_TRIAL_OK]) ||
           (index && index->length && index->text[0] == '-') || (r->only && differs(r, MK_RUNS_INSTANCE, r->only));
}

/* Whether the row is an evaluation in part. */
static int is_part(struct mk_recorded_runs *r, bool *part, struct mk_error *err)
{
    const int at = r->column[MK_RUNS_FIDELITY];
    double fidelity = 1;
    int code = at < 0 || r->column[MK_RUNS_CONFIGURATION] < 0 || mk_csv_is_missing(r->csv, (size_t)at)
                   ? MK_OK
                   : mk_csv_number(r->csv, (size_t)at, &fidelity, err);
    *part = fidelity != 1;
    r->in_part += *part;
    return code;
}

static bool evaluates_in_part(const struct mk_csv_cell *optimizer)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)optimizer->length, optimizer->text);
    const struct mk_optimizer_type *type = mk_optimizer_type_find(name);
    return type && type->flags & MK_OPTIMIZER_FIDELITY;
}

int mk_recorded_next(struct mk_recorded_runs *r, double *reward, struct mk_error *err)
{
    const bool is_loss = r->column[MK_RUNS_REWARD] < 0;
    bool part = false;
    int code;
    do {
        code = mk_csv_next(r->csv, err);
        if (!code && !is_left_out(r)) code = is_part(r, &part, err);
    } while (!code && (part || is_left_out(r)));
    if (!code && r->column[MK_RUNS_FIDELITY] < 0 && r->column[MK_RUNS_OPTIMIZER] >= 0)
        r->lacks_fidelity |= evaluates_in_part(mk_recorded_cell(r, MK_RUNS_OPTIMIZER));
    if (!code) code = mk_csv_number(r->csv, (size_t)r->column[is_loss ? MK_RUNS_LOSS : MK_RUNS_REWARD], reward, err);
    if (is_loss) *reward = -*reward;
    return code;
}
