/* Command lines with placeholders: {NAME} of a hyperparameter is its value; {arm}, {trial}, {seed}, {fidelity},
 * {config} (path of a JSON file with the configuration), {directory} (folder of the trial), {folder} (that of the first
 * trial with this configuration that it continues), {bound}, {instance} and
 * {here} (folder of the tune file) are those of the trial, unless a hyperparameter has the name; {args}, a word of its
 * own, stands for the words of `args` for every active hyperparameter, in which {name}, {last} (what follows the last
 * dot of the name) and {value} are its own. {{ and }} are braces.
 *
 * Values become words of argv, or, of `shell`, parameters of the shell (sim/study/shell_quotes.h): none is ever
 * interpreted. A word that names a hyperparameter which is inactive is dropped (a word that names others too is
 * refused when the file is read), and so is one that a value leaves
 * empty, such as an option that is not given; in a shell text both expand to no word unless they are within quotes. */
#ifndef MAXK_SIM_STUDY_COMMAND_WORDS_H
#define MAXK_SIM_STUDY_COMMAND_WORDS_H

#include <stdio.h>

#include "sim/study/tune_state.h"

enum { MK_TRIAL_PATH_ROOM = 4096 };

/* The folder that trial `number`, whose own is `directory`, shares with the trials that it continues. */
void mk_trial_folder(const struct mk_trial *trial, const char *directory, char out[MK_TRIAL_PATH_ROOM]);

/* What placeholders stand for. */
struct mk_trial_words {
    const char *arm, *instance, *here, *directory, *config;
    uint64_t trial, seed;
    double fidelity, bound;
    const struct mk_space *space;
    const double *v; /* the configuration */
    char folder[MK_TRIAL_PATH_ROOM];
};

/* Whether all placeholders have a meaning with this space; NULL: {here} and {instance} alone, as for a persistent
 * program. MK_EINPUT with the place `where`. */
int mk_command_check(const struct mk_command_words *c, const struct mk_space *space, struct mk_where where,
                     const char *key, struct mk_error *err);

/* Whether a word has this placeholder, such as "{fidelity}". */
bool mk_command_has(const struct mk_command_words *c, const char *placeholder);

/* The hyperparameters whose values stand in no word, so that the program has to read them by the variables below: how
 * many, their names joined in `out`, as many as fit. 0: none, or a word names the variables. One on which only others
 * depend need not stand in a word. */
size_t mk_command_lacks(const struct mk_command_words *c, const struct mk_space *space, char *out, size_t room);

/* As mk_command_check for {name} and {value} in a word of `args`. */
int mk_command_check_arg(const char *word, struct mk_where where, struct mk_error *err);

/* Those of a trial. directory: of the trial, config: the file with its configuration; both are borrowed. */
struct mk_trial_words mk_trial_words(const struct mk_tune *t, const struct mk_trial *trial, size_t number,
                                     const char *directory, const char *config);

/* argv, ended by NULL, of a command and of a trial; NULL when out of memory. Freed with mk_command_free. */
char **mk_command_argv(const struct mk_command_words *c, const struct mk_trial_words *w);
char **mk_trial_argv(const struct mk_tune *t, const struct mk_trial *trial, size_t number, const char *directory);
void mk_command_free(char **argv);

/* The variables with which programs find their trial: NAME=VALUE, ended by NULL; NULL when out of memory. Freed with
 * mk_command_free. */
char **mk_trial_variables(const struct mk_trial_words *w);

/* The command of a trial as one line for a shell that runs as it stands: with these variables where its words name one
 * of them or lack a hyperparameter; malloc'ed, NULL when out of memory. */
char *mk_trial_command(const struct mk_tune *t, const struct mk_trial *trial, size_t number, const char *directory);

#endif
