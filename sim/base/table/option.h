/* Options: their names, ranges and help, and the reading of their values. Commands have tables of them, and so have the
 * tables of analysis/answers/tables, whose options are also those of the public library. */
#ifndef MAXK_SIM_BASE_TABLE_OPTION_H
#define MAXK_SIM_BASE_TABLE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"

enum mk_option_kind {
    MK_OPT_FLAG,   /* int *to = lo, at least 1 */
    MK_OPT_TEXT,   /* const char **to */
    MK_OPT_TEXTS,  /* struct mk_texts *to: may be repeated */
    MK_OPT_COUNT,  /* uint64_t *to; lo <= value <= hi; accepts 1e6 */
    MK_OPT_REAL,   /* double *to; lo <= value <= hi */
    MK_OPT_CHOICE, /* int *to: position in choices "a|b|c" */
    MK_OPT_COUNTS, /* struct mk_counts *to: comma-separated, ascending after parsing */
    MK_OPT_AMOUNT, /* double *to: a horizon, which is as MK_OPT_COUNT or, where it is a cost, a fraction */
    MK_OPT_AMOUNTS /* struct mk_amounts *to: the same of MK_OPT_COUNTS */
};

struct mk_texts {
    size_t n;
    const char **text; /* owned array of borrowed strings */
};
struct mk_counts {
    size_t n;
    uint64_t *value; /* owned */
};

struct mk_amounts {
    size_t n;
    double *value; /* owned */
};

struct mk_option {
    const char *name; /* long name, NULL ends the table */
    char letter;      /* 0: none */
    enum mk_option_kind kind;
    void *to;
    const char *arg;     /* placeholder in the help, NULL for flags */
    const char *choices; /* MK_OPT_CHOICE; for other kinds a list that the command checks, or NULL */
    double lo, hi;       /* of numbers; hi < lo: no limits */
    const char *help;
};

struct mk_usage {
    const char *command;               /* "run" */
    const char *operands;              /* "EXPERIMENT.yaml" */
    const char *text;                  /* what it does, what it prints: paragraphs, see below */
    size_t min_operands, max_operands; /* max 0 = none */
};

/* Names of a registry by position, NULL past the end. */
typedef const char *mk_name_at(size_t i);

/* Usage texts, for --help and the man page: a paragraph is one line, paragraphs are separated by "\n\n" and wrapped
 * where they are printed. "  term  text" is an item of a list; other lines that begin with a blank, such as commands,
 * are printed as they are. */

/* Stores the value of option o of a command, of which the messages speak. */
int mk_option_read(const char *command, const struct mk_option *o, const char *text, struct mk_error *err);

/* "maxk COMMAND: OPTION: PROBLEM (see maxk COMMAND --help)" */
int mk_option_fail(const char *command, const char *option, const char *problem, struct mk_error *err);

/* The same where `text` is not among the choices. */
int mk_option_fail_choice(const char *command, const char *option, const char *choices, const char *text,
                          struct mk_error *err);

/* Options of one name with different choices, such as the formats of tables and of pictures: the next of them, NULL: no
 * more; and whether `o` is a later one of a table that begins with `options`. */
const struct mk_option *mk_option_next(const struct mk_option *o);
bool mk_option_is_later(const struct mk_option *options, const struct mk_option *o);

/* "100", "1e6", "2^20" to a whole number; 0 = not a whole number. */
bool mk_parse_count(const char *text, uint64_t *out);

#endif
