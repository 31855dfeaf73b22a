/* The folder of the published experiments. */
#ifndef MAXK_SIM_COMMAND_EXPERIMENTS_FOLDER_H
#define MAXK_SIM_COMMAND_EXPERIMENTS_FOLDER_H

enum { MK_FOLDER_ROOM = 4096 };

/* experiments/ in the working directory (a checkout); if there is none, those installed with the program. */
const char *mk_experiments_folder(char out[MK_FOLDER_ROOM]);

#endif
