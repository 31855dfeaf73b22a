/* Text from files on its way into figures: nothing in it may reach a shell or be interpreted by gnuplot. */
#ifndef MAXK_ANALYSIS_ANSWERS_FIGURES_PLOT_PLOT_TEXT_H
#define MAXK_ANALYSIS_ANSWERS_FIGURES_PLOT_PLOT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Copies `text` as one line of valid UTF-8: control characters become spaces, bytes that are not UTF-8 become U+FFFD.
 * Text longer than `limit` characters (0: no limit) or than the room is cut, with an ellipsis as the last character.
 * room >= 4. Returns the number of characters written. */
size_t mk_text_clean(const char *text, size_t limit, char *out, size_t room);

enum mk_markup { MK_MARKUP_NONE, MK_MARKUP_TEX };

/* Writes `text`, cleaned, as a gnuplot string expression in single quotes, in which neither backslashes nor backquotes
 * nor `@` macros mean anything; apostrophes are joined in between. Only enhanced text remains to be switched off, with
 * `noenhanced` where the string is used. For LaTeX it is written as its commands (mk_tex_write). */
void mk_gnuplot_quote(FILE *to, enum mk_markup markup, const char *text);

/* The same for the label of a tic, which gnuplot takes for a format: every % is doubled. */
void mk_gnuplot_quote_tic(FILE *to, enum mk_markup markup, const char *text);

/* As mk_gnuplot_quote, broken at spaces into lines of at most `width` characters if words allow it; at most
 * `max_lines`, the last of them cut. Writes 'first'."\n".'second' and returns the number of lines (at least 1); `to`
 * may be NULL, to count. */
size_t mk_gnuplot_quote_lines(FILE *to, enum mk_markup markup, const char *text, size_t width, size_t max_lines);

/* 1 when `name` is one of the words of `list`, which are separated by spaces; also when list is NULL. */
bool mk_name_listed(const char *list, const char *name);

#endif
