/* Resolved tune files, which are kept in journals, as files that `maxk tune` reads, and whether two of them are of the
 * same trials. */
#ifndef MAXK_SIM_STUDY_TUNE_FILE_H
#define MAXK_SIM_STUDY_TUNE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"

/* A tune file of this resolved text, malloc'ed, whose budget is at least `trials`, and `cost`, which is not in a
 * resolved text; INFINITY: none. */
int mk_tune_file_text(char **out, const char *resolved, uint64_t trials, double cost, struct mk_error *err);

/* Whether trials of the tune file `old` can be continued by `now` (resolved texts). Of a study of the caller's own and
 * a program they need to have in common what trials depend on, neither names nor what belongs to programs. MK_EINPUT
 * with `path`, that of the journal, and the first difference. *other_budget: they differ in the number of evaluations
 * alone. */
int mk_tune_file_compare(const char *path, const char *old, const char *now, bool *other_budget, struct mk_error *err);

#endif
