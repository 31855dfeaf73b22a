/* Numbers that are too many to keep in memory: appended to a temporary file in $TMPDIR (default /var/tmp) that has no
 * name any more, later read and changed through a mapping. The pages of a mapping are the file's: the system takes them
 * back when it needs memory, and mk_scratch_release gives them back at once. */
#ifndef MAXK_SIM_BASE_SCRATCH_FILE_H
#define MAXK_SIM_BASE_SCRATCH_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "sim/base/error.h"

struct mk_scratch;

/* `bytes`: how large it will about be, NaN: unknown. Errors: MK_EINPUT when no file can be made there or the place has
 * less than that free, MK_ENOMEM. */
int mk_scratch_new(struct mk_scratch **out, double bytes, struct mk_error *err);

/* Unmaps and drops the file. */
void mk_scratch_free(struct mk_scratch *s);

/* Appends n numbers; *at is the place of the first, counted in numbers. Not after mk_scratch_map. MK_EIO. */
int mk_scratch_append(struct mk_scratch *s, const double *value, size_t n, uint64_t *at, struct mk_error *err);

/* Everything that was appended, in one mapping; NULL in *out when it is nothing. */
int mk_scratch_map(struct mk_scratch *s, double **out, struct mk_error *err);

/* Room for n >= 1 more numbers, mapped apart; zeros. */
int mk_scratch_alloc(struct mk_scratch *s, size_t n, double **out, struct mk_error *err);

/* The pages that hold these numbers are not needed for now: they leave this process, and come back when touched. The
 * numbers must lie in mappings of a spill. */
void mk_scratch_release(const double *from, size_t n);

#endif
