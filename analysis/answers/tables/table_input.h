/* Inputs of tables: the options that say how recorded rewards are read (which column is which, rules for gaps), which
 * become overrides of the experiment, and the opening of what they describe. */
#ifndef MAXK_ANALYSIS_ANSWERS_TABLES_TABLE_INPUT_H
#define MAXK_ANALYSIS_ANSWERS_TABLES_TABLE_INPUT_H

#include "sim/base/progress.h"
#include "sim/base/table/option.h"
#include "sim/problem/trajectory.h"
#include "sim/run/experiment/experiment.h"
#include "sim/run/store/result.h"

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
#define MK_INPUT_OPTION(name, letter, kind, to, arg, choices, help)                                                    \
    {                                                                                                                  \
        name, letter, kind, to, arg, choices, 1, 0, help                                                               \
    }
#define MK_INPUT_OPTIONS(in)                                                                                           \
    MK_INPUT_OPTION("plugin", 0, MK_OPT_TEXTS, &(in).plugins, "FILE.so", NULL,                                         \
                    "load policies or families of your own; may be repeated"),                                         \
        MK_INPUT_OPTION("set", 's', MK_OPT_TEXTS, &(in).sets, "KEY=VALUE", NULL,                                       \
                        "override a key of the experiment, such as problem.instances=[adult] (repeatable)"),           \
        MK_INPUT_OPTION("columns", 0, MK_OPT_TEXT, &(in).columns, "NAME=COLUMN,…", NULL,                               \
                        "names of the columns in a CSV file whose names are not the usual ones, such as "              \
                        "instance=dataset,arm=classifier,repetition=seed,reward=accuracy"),                            \
        MK_INPUT_OPTION("missing", 0, MK_OPT_CHOICE, &(in).missing, "RULE", MK_MISSING_CHOICES,                        \
                        "what to do if an arm lacks a repetition: keep in each instance the repetitions that all "     \
                        "of its arms have (own), reject the file, drop the repetition in all instances, or drop "      \
                        "the arm (default: own)"),                                                                     \
        MK_INPUT_OPTION("holes", 0, MK_OPT_CHOICE, &(in).holes, "RULE", MK_HOLES_CHOICES,                              \
                        "what to do if an iteration is missing within a series: reject the file, repeat the "          \
                        "previous reward, or let later rewards move up (close) (default: error)"),                     \
        MK_INPUT_OPTION("ends-early", 0, MK_OPT_CHOICE, &(in).ends_early, "RULE", MK_ENDS_CHOICES,                     \
                        "what to do if a series ends before the largest horizon: reject the file, repeat the last "    \
                        "reward (hold), begin the series again, or let policies continue with the other arms "         \
                        "(leave) (default: error)")

/* The options as overrides, appended to in->sets.text, of which those from *first on are to be freed with
 * mk_input_sets_free. */
int mk_input_sets(const char *command, struct mk_input_options *in, size_t *first, struct mk_error *err);
void mk_input_sets_free(struct mk_input_options *in, size_t first);

/* mk_problem_input_open of the file `path`, or of the result `r` unless it is NULL, with these options, of which it
 * frees in->sets; `report` shows the progress of searches, and may be NULL. */
int mk_input_load(struct mk_experiment **out, const char *command, const char *path, struct mk_result *r,
                  struct mk_input_options *in, unsigned need, mk_progress_report *report, struct mk_error *err);

/* Runs the searches of an experiment, if it has any. */
int mk_input_run_searches_with(struct mk_experiment *e, mk_progress_report *report, struct mk_error *err);

/* What rules for gaps dropped or filled in, a few lines of it at most, each with its end; malloc'ed; "" where nothing
 * was, NULL: out of memory. */
char *mk_input_gaps(const struct mk_problem *p);

/* Prints that. */
void mk_input_print_gaps(FILE *to, const struct mk_problem *p);

/* The instance that an option --instance names, by its name or number; NULL: the first one. */
int mk_input_find_instance(const char *command, const struct mk_problem *p, const char *name, size_t *at,
                           struct mk_error *err);

/* mk_result_experiment with the option --plugin. */
int mk_input_of_result(struct mk_result *r, const struct mk_texts *plugins, struct mk_experiment **out,
                       struct mk_error *err);

/* The option --plugin becomes the first of the overrides of the experiment; *text, which is then one of them, is the
 * caller's to free. */
int mk_plugins_add(const struct mk_texts *plugins, struct mk_texts *sets, char **text, struct mk_error *err);
#endif
