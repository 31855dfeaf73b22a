/* Command-line options of one command: a table that getopt_long reads, and from which --help is printed. */
#ifndef MAXK_SIM_COMMAND_OPTIONS_H
#define MAXK_SIM_COMMAND_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/error.h"

enum mk_option_kind {
    MK_OPT_FLAG,   /* int *to = lo, at least 1 */
    MK_OPT_TEXT,   /* const char **to */
    MK_OPT_TEXTS,  /* struct mk_texts *to: may be repeated */
    MK_OPT_COUNT,  /* uint64_t *to; lo <= value <= hi; accepts 1e6 */
    MK_OPT_REAL,   /* double *to; lo <= value <= hi */
    MK_OPT_CHOICE, /* int *to: position in choices "a|b|c" */
    MK_OPT_COUNTS  /* struct mk_counts *to: comma-separated, ascending after parsing */
};

struct mk_texts {
    size_t n;
    const char **text; /* owned array of borrowed strings */
};
struct mk_counts {
    size_t n;
    uint64_t *value; /* owned */
};

struct mk_option {
    const char *name; /* long name, NULL ends the table */
    char letter;      /* 0: none */
    enum mk_option_kind kind;
    void *to;
    const char *arg;     /* placeholder in the help, NULL for flags */
    const char *choices; /* MK_OPT_CHOICE; for other kinds a list that the command checks, or NULL */
    double lo, hi;       /* MK_OPT_COUNT, MK_OPT_REAL, MK_OPT_COUNTS; hi < lo: no limits */
    const char *help;
};

/* Names of a registry by position, NULL past the end. */
typedef const char *mk_name_at(size_t i);

struct mk_usage {
    const char *command;               /* "run" */
    const char *operands;              /* "EXPERIMENT.yaml" */
    const char *text;                  /* what it does, what it prints: paragraphs, see below */
    size_t min_operands, max_operands; /* max 0 = none */
};

enum { MK_HELP_SHOWN = 1 };

/* Usage texts, for --help and the man page: a paragraph is one line, paragraphs are separated by "\n\n" and wrapped
 * where they are printed. "  term  text" is an item of a list; other lines that begin with a blank, such as commands,
 * are printed as they are. */

/* Parses argv[1 … argc-1] (argv[0] is the command's name). Options and operands may be mixed. Operands are moved to
 * the end: *operands points at them; where they are experiment files, the name of a published one stands for its path
 * (sim/command/experiments_folder.h). Returns MK_OK, MK_HELP_SHOWN after -h or --help[=FORM] (sim/command/help.h), or
 * MK_EINPUT. */
int mk_options_parse(const struct mk_usage *usage, const struct mk_option *options, int argc, char **argv,
                     char ***operands, size_t *n_operands, struct mk_error *err);

/* The same where the operand is one of `names`, which shells then complete; the caller checks it. */
int mk_options_parse_named(const struct mk_usage *usage, const struct mk_option *options, mk_name_at *names, int argc,
                           char **argv, char ***operands, size_t *n_operands, struct mk_error *err);

/* argv as one line, for the provenance of files; malloc'ed, NULL: no memory. */
char *mk_command_line(int argc, char **argv);

/* The option --plugin becomes the first of the overrides of the experiment; *text, which is then one of them, is the
 * caller's to free. */
int mk_plugins_add(const struct mk_texts *plugins, struct mk_texts *sets, char **text, struct mk_error *err);
#define MK_PLUGIN_OPTION(to)                                                                                           \
    {                                                                                                                  \
        "plugin", 0, MK_OPT_TEXTS, (to), "FILE.so", NULL, 0, -1,                                                       \
            "load policies or families of your own (in place of the key `plugins`); may be repeated"                   \
    }

/* "100", "1e6", "2^20" to a whole number; 0 = not a whole number. */
bool mk_parse_count(const char *text, uint64_t *out);

#endif
