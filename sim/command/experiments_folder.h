/* Where the published experiments and the manual are. */
#ifndef MAXK_SIM_COMMAND_EXPERIMENTS_FOLDER_H
#define MAXK_SIM_COMMAND_EXPERIMENTS_FOLDER_H

enum { MK_FOLDER_ROOM = 4096 };

/* experiments/ in the working directory (a checkout); if there is none, those installed with the program. */
const char *mk_experiments_folder(char out[MK_FOLDER_ROOM]);

/* The first page of the manual, built in the checkout or installed with the program; NULL: there is none. */
const char *mk_manual_page(char out[MK_FOLDER_ROOM]);

/* The path of the experiment of this name in that folder, malloc'ed: "e4_power" → "experiments/e4_power.yaml". NULL:
 * the operand is a path, or a file that exists, or there is no such experiment. */
char *mk_experiment_by_name(const char *operand);

#endif
