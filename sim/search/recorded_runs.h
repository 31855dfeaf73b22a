/* Recorded runs in a CSV file, row by row, as maxk tune and maxk record write them: columns arm and reward (or loss),
 * and what the two callers below need. Rows of failed trials (a column status other than ok) and of combined searches
 * (an arm_index below 0), whose trials are also there as those of arms, are passed over, and so are evaluations in part
 * (a column fidelity below 1): what they gave is not what their configurations are worth. */
#ifndef MAXK_SIM_SEARCH_RECORDED_RUNS_H
#define MAXK_SIM_SEARCH_RECORDED_RUNS_H

#include <stdbool.h>

#include "sim/base/csv.h"

enum mk_runs_column {
    MK_RUNS_INSTANCE,
    MK_RUNS_ARM,
    MK_RUNS_CONFIGURATION,
    MK_RUNS_REWARD,
    MK_RUNS_LOSS,
    MK_RUNS_STATUS,
    MK_RUNS_ARM_INDEX,
    MK_RUNS_FIDELITY,
    MK_RUNS_OPTIMIZER,
    MK_RUNS_COLUMNS
};

struct mk_recorded_runs {
    struct mk_csv *csv;
    int column[MK_RUNS_COLUMNS]; /* positions in the file; -1: there is no such column */
    size_t in_part;              /* evaluations in part so far, which were passed over */
    bool lacks_fidelity; /* rows so far are of an optimiser that evaluates in part, and no column says which are:
                            files of earlier versions */
    const char *only;    /* NULL, or the instance whose rows alone count; may be set after opening */
};

/* Opens the file. instances: a column instance is needed, and a column configuration is not; otherwise the reverse.
 * MK_EINPUT with its place; close it also then. */
int mk_recorded_open(struct mk_recorded_runs *r, const char *path, bool instances, struct mk_error *err);
void mk_recorded_close(struct mk_recorded_runs *r);

/* The position of a further column; -1: there is none, which is MK_EINPUT where it is required. */
int mk_recorded_find(const struct mk_recorded_runs *r, const char *name, bool required, int *at, struct mk_error *err);

/* The next row, with its reward; MK_CSV_END after the last. */
int mk_recorded_next(struct mk_recorded_runs *r, double *reward, struct mk_error *err);

/* A cell of the row, whose column there is. */
static inline const struct mk_csv_cell *mk_recorded_cell(const struct mk_recorded_runs *r, enum mk_runs_column c)
{
    return &r->csv->cell[r->column[c]];
}

#endif
