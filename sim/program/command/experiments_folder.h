/* Where the published experiments and the manual are. */
#ifndef MAXK_SIM_PROGRAM_COMMAND_EXPERIMENTS_FOLDER_H
#define MAXK_SIM_PROGRAM_COMMAND_EXPERIMENTS_FOLDER_H

#include <stdbool.h>

#include "sim/base/input_path.h"

/* experiments/ in the working directory (a checkout); if there is none, those installed with the program. */
const char *mk_experiments_folder(char out[MK_PATH_ROOM]);

/* The first page of the manual, built in the checkout or installed with the program; NULL: there is none. */
const char *mk_manual_page(char out[MK_PATH_ROOM]);

/* The path of a published experiment or of its data, malloc'ed. Where experiments are expected it may be given by its
 * name: "e4_power" → "experiments/e4_power.yaml", or the one that is installed. For a path experiments/… that is not in
 * the working directory it is the installed file, which a line on standard error says. NULL: the operand is a file that
 * exists, or there is no such file. */
char *mk_find_operand(const char *operand, bool is_experiment);

#endif
