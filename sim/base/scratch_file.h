/* Arrays too large for memory, in an unlinked temporary file in $TMPDIR (default /var/tmp): appended first, later read
 * and changed through a mapping. The pages of a mapping belong to the file: the system reclaims them when it needs
 * memory, and mk_scratch_release gives them back at once. */
#ifndef MAXK_SIM_BASE_SCRATCH_FILE_H
#define MAXK_SIM_BASE_SCRATCH_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"

struct mk_scratch;

/* `bytes`: its approximate final size, NaN: unknown. Errors: MK_EINPUT when no file can be created there or less space
 * than that is free, MK_ENOMEM. */
int mk_scratch_new(struct mk_scratch **out, double bytes, struct mk_error *err);

/* Unmaps and drops the file. */
void mk_scratch_free(struct mk_scratch *s);

/* Appends n numbers; *at is the position of the first, counted in numbers. Not after mk_scratch_map. MK_EIO. */
int mk_scratch_append(struct mk_scratch *s, const double *value, size_t n, uint64_t *at, struct mk_error *err);

/* Everything appended so far, in one mapping; *out is NULL when that is nothing. */
int mk_scratch_map(struct mk_scratch *s, double **out, struct mk_error *err);

/* Room for n >= 1 more numbers, in a mapping of their own; zeros. */
int mk_scratch_alloc(struct mk_scratch *s, size_t n, double **out, struct mk_error *err);

/* A new, empty folder $TMPDIR/maxk-<name>-XXXXXX (default /tmp), its path in `folder`; the caller removes it. MK_EIO.
 */
int mk_scratch_folder(char *folder, size_t room, const char *name, struct mk_error *err);

/* The pages with these numbers are not needed for now: they leave this process, and come back when touched. The numbers
 * must lie in mappings of a scratch file. */
void mk_scratch_release(const double *from, size_t n);

#endif
