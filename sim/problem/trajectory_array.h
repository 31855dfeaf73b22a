/* Recorded rewards as an array in an HDF5 file (netCDF-4 files are such files):
 *
 *     /reward    [instance, arm, repetition, iteration] numbers; NaN: there is none
 *     /instance  [instance] names, texts or whole numbers; without it 0, 1, …
 *     /arm       [arm] the same
 *
 * NaN at the end of a series: it is shorter; all of it: the series is missing; within it: a hole, as in
 * sim/problem/trajectory.h, whose rules hold. */
#ifndef MAXK_SIM_PROBLEM_TRAJECTORY_ARRAY_H
#define MAXK_SIM_PROBLEM_TRAJECTORY_ARRAY_H

#include "sim/problem/trajectory_rows.h"

/* Whether the file at this path is in HDF5's format. */
bool mk_trajectory_is_array(const char *path);

/* Its series into *rows; of instances only those that `options` selects, others' names into *skipped. MK_EINPUT with
 * the path, and the indices of a reward that is out of range. */
int mk_trajectory_array_gather(struct mk_rows *rows, const struct mk_trajectory_options *options,
                               struct mk_string_table *skipped, struct mk_error *err);

#endif
