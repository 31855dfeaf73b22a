/* Structs of settings of the public headers, which begin with their size, so that later versions can add members. */
#ifndef MAXK_SIM_PROGRAM_LIBRARY_SETTINGS_H
#define MAXK_SIM_PROGRAM_LIBRARY_SETTINGS_H

#include <stddef.h>

#include "sim/api/maxk/error.h"

/* Copies settings, whose first member is their size in the caller's version of the header. `size` is that in this
 * version, `first` that in version 1.0; members that the caller does not have become 0. MK_EINPUT: the size is below
 * `first`, or the caller has set a member that this version does not have. */
int mk_settings_copy(void *to, size_t size, size_t first, const void *from, const char *name, struct mk_error *err);

#endif
