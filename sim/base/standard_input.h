/* "-" as the name of an input file: standard input. */
#ifndef MAXK_SIM_BASE_STANDARD_INPUT_H
#define MAXK_SIM_BASE_STANDARD_INPUT_H

#include <stdbool.h>

#include "sim/base/error.h"

bool mk_is_standard_input(const char *path);

/* What to open for a path: /dev/stdin for "-", else the path itself. */
const char *mk_readable_path(const char *path);

/* Makes standard input a file that can be opened several times and read from its start each time: the content of a pipe
 * goes to a temporary file, which takes its place. Nothing happens for other paths, or where it is a file already. */
int mk_standard_input_keep(const char *path, struct mk_error *err);

#endif
