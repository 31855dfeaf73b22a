/* Options of the commands that read recorded rewards, from a CSV file or an experiment: which column is which, rules
 * for gaps. They become overrides of the experiment. */
#ifndef MAXK_SIM_COMMAND_INPUT_OPTIONS_H
#define MAXK_SIM_COMMAND_INPUT_OPTIONS_H

#include "sim/command/options.h"
#include "sim/experiment/experiment.h"
#include "sim/problem/trajectory.h"
#include "sim/store/result.h"

struct mk_input_options {
    struct mk_texts sets, plugins;
    char *loaded;                   /* the override that --plugin makes; owned */
    const char *columns;            /* "instance=dataset,arm=classifier"; NULL: not given */
    int missing, holes, ends_early; /* position among the choices; -1: not given */
};

#define MK_INPUT_DEFAULTS                                                                                              \
    {                                                                                                                  \
        .missing = -1, .holes = -1, .ends_early = -1                                                                   \
    }

/* Lines of a table of options. */
#define MK_INPUT_OPTIONS(in)                                                                                           \
    {"plugin",                                                                                                         \
     0,                                                                                                                \
     MK_OPT_TEXTS,                                                                                                     \
     &(in).plugins,                                                                                                    \
     "FILE.so",                                                                                                        \
     NULL,                                                                                                             \
     1,                                                                                                                \
     0,                                                                                                                \
     "load policies or families of your own; may be repeated"},                                                        \
        {"set",      's',         MK_OPT_TEXTS,                                                                        \
         &(in).sets, "KEY=VALUE", NULL,                                                                                \
         1,          0,           "override a key of the experiment, such as problem.instances=[adult] (repeatable)"}, \
        {"columns",                                                                                                    \
         0,                                                                                                            \
         MK_OPT_TEXT,                                                                                                  \
         &(in).columns,                                                                                                \
         "NAME=COLUMN,…",                                                                                              \
         NULL,                                                                                                         \
         1,                                                                                                            \
         0,                                                                                                            \
         "what the columns of a CSV file are called, such as instance=dataset,arm=classifier,repetition=seed,"         \
         "reward=accuracy"},                                                                                           \
        {"missing",                                                                                                    \
         0,                                                                                                            \
         MK_OPT_CHOICE,                                                                                                \
         &(in).missing,                                                                                                \
         "RULE",                                                                                                       \
         MK_MISSING_CHOICES,                                                                                           \
         1,                                                                                                            \
         0,                                                                                                            \
         "where an arm lacks a repetition: each instance keeps its own complete ones, error, drop the repetition "     \
         "everywhere, or drop the arm (default: own)"},                                                                \
        {"holes",     0,      MK_OPT_CHOICE,                                                                           \
         &(in).holes, "RULE", MK_HOLES_CHOICES,                                                                        \
         1,           0,      "where an iteration is missing within a series (default: error)"},                       \
    {                                                                                                                  \
        "ends-early", 0, MK_OPT_CHOICE, &(in).ends_early, "RULE", MK_ENDS_CHOICES, 1, 0,                               \
            "where a series ends before the largest horizon (default: error)"                                          \
    }

/* Runs the searches of an experiment, if it has any, with a progress line. */
int mk_input_run_searches(struct mk_experiment *e, struct mk_error *err);

/* mk_problem_input_open with these options and a progress line; what rules for gaps did is said on standard error.
 * Frees in->sets. */
int mk_input_open(struct mk_experiment **out, const char *command, const char *path, struct mk_input_options *in,
                  unsigned need, struct mk_error *err);

/* The options as overrides, appended to in->sets.text, of which those from *first on are to be freed with
 * mk_input_sets_free. */
int mk_input_sets(const char *command, struct mk_input_options *in, size_t *first, struct mk_error *err);
void mk_input_sets_free(struct mk_input_options *in, size_t first);

/* mk_result_experiment with the option --plugin; frees plugins->text. */
int mk_input_of_result(struct mk_result *r, struct mk_texts *plugins, struct mk_experiment **out, struct mk_error *err);

/* Prints what rules for gaps dropped or filled in, a few lines of it at most; nothing where nothing was. */
void mk_input_tell_gaps(FILE *to, const struct mk_problem *p);

#endif
