/* What an earlier run has left, kept when another one takes its place. */
#ifndef MAXK_SIM_STUDY_TUNE_PREVIOUS_H
#define MAXK_SIM_STUDY_TUNE_PREVIOUS_H

#include <stdbool.h>

#include "sim/api/maxk/error.h"

enum { MK_PREVIOUS_ROOM = 32 };

/* Gives the files of `result` (OUT.h5, OUT.csv, OUT.times.csv, OUT.best.yaml; NULL: none) second names with the first
 * ending .previous, .previous.2, … that is free, so that they are there until others replace them, and moves the folder
 * to this ending. Files that have a second name already, of a run that was interrupted, are kept. *ending: "" if there
 * was nothing to keep. */
int mk_tune_keep_previous(const char *result, const char *folder, bool move_folder, char ending[MK_PREVIOUS_ROOM],
                          struct mk_error *err);

#endif
