/* Where the characters of a shell text stand: bare, between quotes, within $( ) or backquotes. A value is put there as
 * a positional parameter, so that the shell never reads it as text of its own, and the quotes around the parameter are
 * those that keep it one word; where this reading of the text is mistaken, it may be split, but is never run. */
#ifndef MAXK_SIM_STUDY_SHELL_QUOTES_H
#define MAXK_SIM_STUDY_SHELL_QUOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { MK_SHELL_DEPTH = 32 }; /* of substitutions; what is deeper counts as this */

/* Zero-filled: at the beginning of a text. */
struct mk_shell_quotes {
    size_t depth;
    struct {
        char quote; /* ' or ", 0: bare */
        char end;   /* of the substitution: ) or ` */
    } level[MK_SHELL_DEPTH];
    bool escaped, comment;
    char last;
};

/* The next character of the text. */
void mk_shell_quotes_next(struct mk_shell_quotes *s, char c);

/* Writes parameter `number`, from 1, as it has to be written here; no_word: it is empty, and gives no word where it is
 * bare.
 */
void mk_shell_put_parameter(FILE *to, const struct mk_shell_quotes *s, size_t number, bool no_word);

#endif
