/* The environment of programs: that of maxk, in which numbers are printed with a point whatever the locale is
 * (LC_NUMERIC=C; LC_ALL becomes LANG). */
#ifndef MAXK_SIM_TUNE_ENVIRONMENT_H
#define MAXK_SIM_TUNE_ENVIRONMENT_H

#include "sim/study/command_words.h"

/* With MAXK_TRIAL, MAXK_ARM, MAXK_SEED, MAXK_CONFIG and MAXK_DIRECTORY of a trial (NULL: without); NULL: out of memory.
 */
char **mk_environment_new(const struct mk_trial_words *trial);
void mk_environment_free(char **environment);

#endif
