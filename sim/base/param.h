/* Parameter descriptors, shared by policies and distributions: the single source for the validation
 * of experiment files, for `maxk describe`, and for the attributes of result files. */
#ifndef MAXK_SIM_BASE_PARAM_H
#define MAXK_SIM_BASE_PARAM_H

#include <stdbool.h>
#include <stddef.h>

/* Rewards lie within -MK_MOST_REWARD … MK_MOST_REWARD, so that differences, sums and squares of them do not overflow
 * anywhere; readers refuse others. */
#define MK_MOST_REWARD 1e100
#define MK_REWARD_RANGE "-1e100 to 1e100"

enum { MK_MAX_PARAMS = 20 };

enum mk_param_kind {
    MK_REAL,    /* a number */
    MK_INTEGER, /* a whole number (stored as double, |x| <= 2^53) */
    MK_CHOICE,  /* one of the words in `choices`; its 0-based position is stored */
    MK_LIST,    /* a list of numbers, stored outside the value array (distributions only) */
    MK_PARTS,   /* a list of arms, stored outside the value array, in which it is NaN (components of a mixture;
                   candidates) */
    MK_FILE,    /* path of a CSV file whose column (the MK_COLUMN parameter) supplies the MK_LIST */
    MK_COLUMN,  /* column name that goes with MK_FILE */
    MK_TEXT     /* a text, stored outside the value array (objectives only, like their MK_FILE) */
};

enum {
    MK_REQUIRED = 1, /* no default */
    MK_OPTIONAL = 2, /* NaN when absent; the item's check decides which combinations are allowed */
    MK_OPEN_LO = 4,  /* lo itself is not allowed */
    MK_OPEN_HI = 8   /* hi itself is not allowed */
};

struct mk_param {
    const char *name; /* NULL ends a table */
    enum mk_param_kind kind;
    unsigned flags;
    double def, lo, hi;
    const char *choices; /* MK_CHOICE: words separated by '|' */
    const char *help;
};

/* A row: one of the words, by default the one at position `def`. */
#define MK_CHOICE_ROW(name, def, words, help)                                                                          \
    {                                                                                                                  \
        name, MK_CHOICE, 0, def, 0, 0, words, help                                                                     \
    }

/* The last row of a table. */
#define MK_PARAMS_END                                                                                                  \
    {                                                                                                                  \
        NULL, MK_REAL, 0, 0, 0, 0, NULL, NULL                                                                          \
    }

/* Ties a table to the enum of its positions: `count`, the enumerator past the last one, is the number of its rows. */
#define MK_PARAMS_ARE(params, count)                                                                                   \
    _Static_assert(sizeof(params) / sizeof *(params) == (count) + 1 && (int)(count) <= (int)MK_MAX_PARAMS,             \
                   "an enumerator for every parameter")

/* Number of entries before the terminator; `params` may be NULL. */
size_t mk_param_count(const struct mk_param *params);

/* Whether it is one number, and not a list, a file or text. */
bool mk_param_is_number(const struct mk_param *p);

/* Position of `name`, or -1. */
int mk_param_find(const struct mk_param *params, const char *name);

/* Fill value[] with the defaults (NaN where required or optional). */
void mk_param_defaults(const struct mk_param *params, double *value);

/* Choices are words in one text, "a|b|c". The position of a word, or -1; the word at a position (copied to out); all of
 * them as "a, b, c"; the one that `word` was probably meant to be (mk_nearest, copied to out), or NULL. */
int mk_choice_find(const char *choices, const char *word);
const char *mk_choice_word(const char *choices, int position, char *out, size_t room);
const char *mk_choice_list(const char *choices, char *out, size_t room);
const char *mk_choice_nearest(const char *choices, const char *word, char *out, size_t room);

/* 1 when x is within kind, lo, hi and the open ends (NaN never is). */
bool mk_param_allows(const struct mk_param *p, double x);

/* "a number > 0", "a whole number from 1 to 100", "one of none, global_max, minmax": for messages and help. */
const char *mk_param_range(const struct mk_param *p, char *out, size_t room);

/* Shortest decimal text that reads back as x (at most 24 characters and the end). "inf", "-inf", "nan" as such. */
const char *mk_format_real(double x, char *out, size_t room);

/* Formats the value of parameter p as written in an experiment file. */
const char *mk_param_format(const struct mk_param *p, double x, char *out, size_t room);

#endif
