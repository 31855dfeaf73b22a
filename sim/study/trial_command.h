/* What placeholders stand for in the command of a trial. */
#ifndef MAXK_SIM_STUDY_TRIAL_COMMAND_H
#define MAXK_SIM_STUDY_TRIAL_COMMAND_H

#include "sim/study/command_words.h"
#include "sim/study/tune_state.h"

/* directory: of the trial, config: the file with its configuration; both are borrowed. */
struct mk_trial_words mk_trial_words(const struct mk_tune *t, const struct mk_trial *trial, size_t number,
                                     const char *directory, const char *config);

/* argv of a trial, as mk_command_argv; NULL: out of memory. */
char **mk_trial_argv(const struct mk_tune *t, const struct mk_trial *trial, size_t number, const char *directory);

/* argv behind the words of the launcher, which takes its place; freed where that fails. NULL: out of memory, or argv
 * is. */
char **mk_launched_argv(const struct mk_tune *t, char **argv);

#endif
