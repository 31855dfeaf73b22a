/* Search spaces in the files of other tools, as the `space` of a tune file: parameters and scenarios of irace,
 * ConfigSpace's JSON, parameter configuration spaces (PCS) of SMAC and ParamILS. What a space of maxk cannot express is
 * said. */
#ifndef MAXK_SIM_SEARCH_RECORDS_SPACE_FILE_H
#define MAXK_SIM_SEARCH_RECORDS_SPACE_FILE_H

#include "sim/api/maxk/error.h"
#include "sim/base/string_table.h"

/* Reads a file of one of these kinds, which its content tells. *out: YAML, malloc'ed. MK_EINPUT: it is none of them,
 * or malformed. */
int mk_space_file_read(char **out, struct mk_string_table *notes, const char *path, struct mk_error *err);

#endif
