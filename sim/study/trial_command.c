#include "sim/study/trial_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mk_trial_words mk_trial_words(const struct mk_tune *t, const struct mk_trial *trial, size_t number,
                                     const char *directory, const char *config)
{
    return (struct mk_trial_words){.arm = t->arm[trial->arm].label,
                                   .instance = t->instance,
                                   .here = t->here,
                                   .directory = directory,
                                   .config = config,
                                   .trial = number + 1,
                                   .seed = trial->seed,
                                   .fidelity = trial->fidelity,
                                   .space = trial->space,
                                   .v = trial->v};
}

char **mk_trial_argv(const struct mk_tune *t, const struct mk_trial *trial, size_t number, const char *directory)
{
    char *config = NULL;
    if (asprintf(&config, "%s/config.json", directory) < 0) return NULL;
    const struct mk_trial_words words = mk_trial_words(t, trial, number, directory, config);
    char **argv = mk_command_argv(t->arm[trial->arm].command, &words);
    free(config);
    return argv;
}

char **mk_launched_argv(const struct mk_tune *t, char **argv)
{
    size_t n = 0;
    while (argv && argv[n]) n++;
    char **all = argv ? calloc(t->n_launcher + n + 1, sizeof *all) : NULL;
    bool good = all != NULL;
    for (size_t i = 0; i < t->n_launcher && good; i++) good = (all[i] = strdup(t->launcher[i])) != NULL;
    if (good) {
        memcpy(all + t->n_launcher, argv, n * sizeof *all);
        free(argv);
        return all;
    }
    mk_command_free(all);
    mk_command_free(argv);
    return NULL;
}
