/* The rows of a trajectory file gathered into series: between sim/trajectory.c (reads rows) and
 * sim/trajectory_build.c (checks them and makes the problem). */
#ifndef MAXK_SIM_TRAJECTORY_ROWS_H
#define MAXK_SIM_TRAJECTORY_ROWS_H

#include "sim/csv.h"
#include "sim/intern.h"
#include "sim/trajectory.h"

/* A row that did not continue its series. */
struct mk_loose {
    uint64_t iteration;
    double reward, cost;
    size_t line;
};

struct mk_gathered {
    size_t instance;          /* number in instances */
    size_t arm;               /* number in arms, or in baselines */
    int is_baseline;
    uint64_t repetition;
    uint64_t first;           /* iteration of reward[0]; reward[i] is iteration first + i */
    double *reward;
    double *cost;             /* NULL: the file has no such column */
    size_t n, room;
    struct mk_loose *loose;
    size_t n_loose, loose_room;
    size_t first_line, line;  /* of its first and last row in the file */
};

struct mk_rows {
    const char *path;
    struct mk_intern instances, arms, baselines;
    struct mk_gathered *series;
    size_t n, room;
};

/* Checks the series and moves them into a problem. `selected` as in mk_trajectory_options. */
int mk_rows_build(struct mk_problem **out, struct mk_rows *rows, const struct mk_trajectory_options *options,
                  struct mk_error *err);

/* Leaves out what the rule (not MK_MISSING_ERROR) says. */
int mk_rows_drop(struct mk_problem *p, enum mk_missing rule, struct mk_error *err);

#endif
