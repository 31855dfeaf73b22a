/* Tables on standard output or in a file: aligned columns for people, CSV (RFC 4180 quoting, LF ends) for programs,
 * JSON (a list with one object per row) for programs, Markdown (GitHub) and LaTeX (a tabular with the rules of
 * booktabs) for documents. An aligned table that is wider than its terminal is printed in several parts, each with the
 * first columns.
 *
 * Cells are added row by row from left to right; after the last column the next cell starts a new row. CSV and JSON are
 * written as they come, so that they may be of any length; other tables are held until mk_table_finish. Errors (memory,
 * writing) are kept until mk_table_finish, so cells can be added without checks. */
#ifndef MAXK_SIM_BASE_TABLE_TABLE_PRINTER_H
#define MAXK_SIM_BASE_TABLE_TABLE_PRINTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/api/maxk/error.h"

enum mk_table_form { MK_TABLE_TEXT, MK_TABLE_CSV, MK_TABLE_JSON, MK_TABLE_MARKDOWN, MK_TABLE_LATEX };

struct mk_table_printer;

/* `name`: the names of the columns, exactly as in the CSV header. `to` stays open and belongs to the caller. */
int mk_table_begin(struct mk_table_printer **out, FILE *to, enum mk_table_form form, const char *const *name, size_t n,
                   struct mk_error *err);

/* An aligned table is printed without its head, the rows alone. */
void mk_table_hide_names(struct mk_table_printer *t);

/* The texts of a Markdown table are Markdown (after mk_table_begin), those of the first column words of code. */
void mk_table_take_markdown(struct mk_table_printer *t);

void mk_table_text(struct mk_table_printer *t, const char *text); /* left-aligned; quoted in CSV where necessary */
void mk_table_count(struct mk_table_printer *t, uint64_t value);  /* right-aligned, like every number */

/* All digits (mk_format_real); NaN as an empty cell or null, infinities of JSON as texts. */
void mk_table_real(struct mk_table_printer *t, double value);

/* Digits that are left out of a number: an upper bound is rounded up, a lower one down, so that what is shown is a
 * bound, too. */
enum mk_table_rounding { MK_ROUND_NEAREST, MK_ROUND_UP, MK_ROUND_DOWN };

/* Prints value into room[size] with a format of printf for one double that begins with the number; the nearest number
 * with these digits on the given side of it. Returns room. */
const char *mk_format_rounded(double value, const char *format, enum mk_table_rounding rounding, char *room,
                              size_t size);

/* Right-aligned text of the caller's own format, e.g. "%.1f ± %.1f". */
void mk_table_format(struct mk_table_printer *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Highlights the next cell in documents: bold, underlined, or both. Aligned tables: one or two asterisks after it. CSV:
 * no effect. */
void mk_table_mark(struct mk_table_printer *t, int bold, int underlined);

/* Prints what is buffered, flushes, frees the table. `code` is the result so far (MK_OK: nothing failed) and is
 * returned when it is an error, whose text stays in err (then nothing that is buffered is printed); otherwise the first
 * error of the table. t may be NULL (after a failed begin). */
int mk_table_finish(struct mk_table_printer *t, int code, struct mk_error *err);

/* Writes what `to` has buffered; MK_EIO: it, or earlier writing, failed. */
int mk_table_flush(FILE *to, struct mk_error *err);

/* Columns that a UTF-8 text takes on a terminal: East Asian wide characters take two, combining ones none. */
size_t mk_text_width(const char *text);

#endif
