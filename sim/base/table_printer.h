/* Tables on standard output or in a file: aligned columns for people, CSV (RFC 4180 quoting, LF ends) for programs,
 * JSON (a list with one object per row) for programs, Markdown (GitHub) and LaTeX (a tabular) for documents. An aligned
 * table that is wider than its terminal is printed in several parts, each with the first columns.
 *
 * Cells are added row by row from left to right; after the last column the next cell starts a new row. CSV and JSON are
 * written as they come, so that they may be of any length; other tables are held until mk_table_finish. Errors (memory,
 * writing) are kept until mk_table_finish, so cells can be added without checks. */
#ifndef MAXK_SIM_BASE_TABLE_PRINTER_H
#define MAXK_SIM_BASE_TABLE_PRINTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/api/maxk/error.h"

enum mk_table_form { MK_TABLE_ALIGNED, MK_TABLE_CSV, MK_TABLE_MARKDOWN, MK_TABLE_LATEX, MK_TABLE_JSON };
#define MK_TABLE_FORMS "aligned|csv|markdown|latex|json"

/* How a table is to be printed: what the options of a command leave here. */
struct mk_table_style {
    int form;         /* enum mk_table_form */
    const char *show; /* "a,b": these columns alone, in this order; NULL: all */
};
#define MK_TABLE_PLAIN ((struct mk_table_style){MK_TABLE_ALIGNED, NULL})

/* Lines of a table of options. */
#define MK_TABLE_OPTIONS(style)                                                                                        \
    {"csv", 0, MK_OPT_FLAG, &(style).form, NULL, NULL, MK_TABLE_CSV, 0, "print CSV, every column with all digits"},    \
        {"json",        0,    MK_OPT_FLAG,                                                                             \
         &(style).form, NULL, NULL,                                                                                    \
         MK_TABLE_JSON, 0,    "print JSON: the rows of --csv as objects"},                                             \
    {                                                                                                                  \
        "show", 0, MK_OPT_TEXT, &(style).show, "COLUMN,…", NULL, 1, 0,                                                 \
            "print these columns of the table alone, in this order"                                                    \
    }

struct mk_table_printer;

/* `columns`: the names, separated by commas, exactly as the CSV header. `to` stays open and belongs to the caller.
 * style.show may write _ for a blank in a name; MK_EINPUT with the names there are where it names another. */
int mk_table_begin(struct mk_table_printer **out, FILE *to, struct mk_table_style style, const char *columns,
                   struct mk_error *err);

/* Of an aligned table the rows alone. */
void mk_table_hide_names(struct mk_table_printer *t);

void mk_table_text(struct mk_table_printer *t, const char *text); /* left-aligned; quoted in CSV where necessary */
void mk_table_count(struct mk_table_printer *t, uint64_t value);  /* right-aligned, like every number */

/* CSV and JSON: all digits (mk_format_real), NaN as an empty cell or null, infinities of JSON as texts. Other forms: 6
 * significant digits, NaN as "-". */
void mk_table_real(struct mk_table_printer *t, double value);

/* Digits that are left out of a number: an upper bound is rounded up, a lower one down, so that what is shown is a
 * bound, too. */
enum mk_table_rounding { MK_ROUND_NEAREST, MK_ROUND_UP, MK_ROUND_DOWN };

/* Prints value into room[size] with a format of printf for one double that begins with the number; the nearest number
 * with these digits on the given side of it. Returns room. */
const char *mk_format_rounded(double value, const char *format, enum mk_table_rounding rounding, char *room,
                              size_t size);

/* The same as mk_table_real, rounded this way. */
void mk_table_bound(struct mk_table_printer *t, double value, enum mk_table_rounding rounding);

/* Right-aligned text of the caller's own format, e.g. "%.1f ± %.1f". */
void mk_table_format(struct mk_table_printer *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Highlights the next cell in documents: bold, underlined, or both. Aligned tables: one or two asterisks after it. CSV:
 * no effect. */
void mk_table_mark(struct mk_table_printer *t, int bold, int underlined);

/* Prints what is buffered, flushes, frees the table. `code` is the result so far (MK_OK: nothing failed) and is
 * returned when it is an error, whose text stays in err (then nothing that is buffered is printed); otherwise the first
 * error of the table. t may be NULL (after a failed begin). */
int mk_table_finish(struct mk_table_printer *t, int code, struct mk_error *err);

/* Columns that a UTF-8 text takes on a terminal: East Asian wide characters take two, combining ones none. */
size_t mk_text_width(const char *text);

#endif
