/* Where an input file is ("-" is standard input, and experiments/… may be what is installed with the program), and of
 * which kind. */
#ifndef MAXK_SIM_BASE_INPUT_PATH_H
#define MAXK_SIM_BASE_INPUT_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/api/maxk/error.h"

bool mk_is_standard_input(const char *path);

/* What to open for a path: /dev/stdin for "-", else the path itself. */
const char *mk_readable_path(const char *path);

/* Makes standard input, or an open pipe that the path names (/dev/fd/63, as a shell writes for <(…)), a file that can
 * be opened several times and read from its start each time: the content goes to a temporary file, which takes its
 * place. Nothing happens for other paths, or where it is a file already. */
int mk_standard_input_keep(const char *path, struct mk_error *err);

/* By the suffix (.csv, .tsv, with or without .gz), in any case; else by the first bytes: gzip, or a line of column
 * names. */
bool mk_input_is_csv(const char *path);
bool mk_input_is_yaml(const char *path);
/* By its first bytes, or .h5. */
bool mk_input_is_result(const char *path);

/* Opens a file of at most `max` bytes for reading: its descriptor, to be closed, and its size; or -1 and why not, such
 * as "No such file or directory" or "not a regular file". A device, which may have no end, or a pipe, which may never
 * have a beginning, is none. */
int mk_open_regular(const char *path, size_t max, size_t *size, const char **why);

enum { MK_PATH_ROOM = 4096 };

/* The file that this code is in: libmaxk.so, or else the program; false: it is not known. */
bool mk_own_file(char out[MK_PATH_ROOM]);

/* PREFIX/PATH, where this program or library is PREFIX/bin/… or in PREFIX/lib or a folder of it; false: it is
 * elsewhere, or there is no such file. */
bool mk_installed_path(char out[MK_PATH_ROOM], const char *path);

/* For experiments/… that is not there relative to the working directory: the file in PREFIX/share/maxk; false: it is
 * another path or there is none. */
bool mk_installed_experiment(char out[MK_PATH_ROOM], const char *path);

#endif
