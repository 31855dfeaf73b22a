/* The rows of a trajectory file gathered into series: shared by the files of sim/problem/trajectory.h. */
#ifndef MAXK_SIM_PROBLEM_TRAJECTORY_ROWS_H
#define MAXK_SIM_PROBLEM_TRAJECTORY_ROWS_H

#include "sim/base/csv.h"
#include "sim/base/scratch_file.h"
#include "sim/base/string_table.h"
#include "sim/problem/trajectory.h"

/* A row that did not continue its series. */
struct mk_loose {
    uint64_t iteration;
    double value[MK_VALUES];
    size_t line;
};

/* A stretch of a series in the temporary file of rewards, and at the same position of the others. */
struct mk_scratch_part {
    uint64_t at;
    size_t n;
};

struct mk_gathered {
    size_t instance; /* number in instances */
    size_t arm;      /* number in arms, or in baselines */
    int is_baseline;
    size_t repetition; /* number in repetitions */
    uint64_t first;    /* iteration of the first value; number i is of iteration first + i */
    double
        *value[MK_VALUES]; /* [held] the most recent ones; [n] after mk_rows_join; NULL: the file has no such column */
    size_t n;              /* in order; before mk_rows_join the first n - held of them are in part[] */
    size_t held, room;
    struct mk_scratch_part *part;
    size_t n_parts;
    int mapped; /* the values lie in the temporary files */
    struct mk_loose *loose;
    size_t n_loose;
    size_t holes;            /* missing iterations that a rule dealt with */
    size_t in_part;          /* rows of evaluations in part: their rewards are NaN until they are left out */
    size_t first_line, line; /* of its first and last row in the file */
};

struct mk_rows {
    const char *path;
    struct mk_string_table instances, arms, baselines, repetitions;
    struct mk_gathered *series;
    size_t n;
    bool has[MK_VALUES];
    bool lacks_fidelity;                 /* an optimiser that evaluates in part, and no column for that */
    size_t taken;                        /* rewards in order of all series */
    size_t bytes, memory;                /* of the values in memory, and the limit */
    struct mk_scratch *spill[MK_VALUES]; /* NULL: everything is in memory */
};

/* Moves what is in memory to the temporary files. share: fraction of the input read so far (0 … 1; NaN: unknown), for
 * the estimate of their size. */
int mk_rows_to_scratch(struct mk_rows *rows, double share, struct mk_error *err);

/* All rows have been read: completes the values of every series. */
int mk_rows_join(struct mk_rows *rows, struct mk_error *err);

/* Frees what the series owns. */
void mk_gathered_clear(struct mk_gathered *s);

/* Checks the series and moves them into a problem. `selected` as in mk_trajectory_options. */
int mk_rows_build(struct mk_problem **out, struct mk_rows *rows, const struct mk_trajectory_options *options,
                  struct mk_error *err);

/* ---- trajectory_array.c ---- */

/* Whether the file at this path is in HDF5's format. */
bool mk_trajectory_is_array(const char *path);

/* Its series into *rows; of instances only those that `options` selects, others' names into *skipped. MK_EINPUT with
 * the path, and the indices of a reward that is out of range. */
int mk_trajectory_array_gather(struct mk_rows *rows, const struct mk_trajectory_options *options,
                               struct mk_string_table *skipped, struct mk_error *err);

#endif
