/* CSV read row by row, plain or gzip, in memory that does not grow with the file.
 *
 * RFC 4180: cells separated by commas, quotes around cells that hold separators, quotes ("") or line ends; LF or CRLF;
 * a UTF-8 byte order mark is skipped; the first row names the columns and every row has as many cells. Empty lines are
 * skipped, and blanks around cells without quotes. The separator is the one of comma, semicolon and tab that is most
 * frequent in the first line; with semicolons numbers may have a decimal comma. A row may have at most MK_CSV_ROW
 * bytes. Truncated or damaged gzip data is an error, never a short file. */
#ifndef MAXK_SIM_BASE_CSV_H
#define MAXK_SIM_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/where.h"

#include "sim/api/maxk/error.h"

enum { MK_CSV_ROW = 1 << 20, MK_CSV_END = 1 };

struct mk_csv_cell {
    const char *text; /* without quotes; not NUL-terminated */
    size_t length;
    const char *raw; /* its start in the row as written in the file */
};

struct mk_csv {
    char *path;
    char separator; /* ',', ';' or a tab */
    size_t n_columns;
    char **column;            /* names */
    struct mk_csv_cell *cell; /* [n_columns] the current row, valid until the next call */
    size_t line;              /* line (from 1) on which the current row starts */
    struct mk_csv_input *input;
};

/* Opens the file ("-": standard input, see sim/base/input_path.h) and reads the row of column names. MK_EINPUT:
 * cannot be opened, empty, malformed. */
int mk_csv_open(struct mk_csv **out, const char *path, struct mk_error *err);
void mk_csv_close(struct mk_csv *csv);

/* The next row: MK_OK, MK_CSV_END after the last one, or an error with its place. */
int mk_csv_next(struct mk_csv *csv, struct mk_error *err);

/* How much of the file was read, 0 … 1; NaN where its size is not known (a pipe). */
double mk_csv_share(const struct mk_csv *csv);

/* Position of a column, by its name or, if none has it, by its name in any case; -1 when there is no such column, -2
 * when several have the name. */
int mk_csv_find(const struct mk_csv *csv, const char *name);

/* "comma", "semicolon" or "tab". */
const char *mk_csv_separator_name(char separator);

/* The names of the columns, as many as fit, separated by ", ". */
const char *mk_csv_columns_text(const struct mk_csv *csv, char *out, size_t room);

/* Place of a cell of the current row, the column counted in characters from 1. */
struct mk_where mk_csv_where(const struct mk_csv *csv, size_t cell);

/* Whether the current row's cell says that there is no value: it is empty, or NA, N/A, NaN, ?, null or None in any
 * case. */
bool mk_csv_is_missing(const struct mk_csv *csv, size_t cell);

/* The current row's cell as a finite number, or the error `file:line:column: name: …`. */
int mk_csv_number(const struct mk_csv *csv, size_t cell, double *out, struct mk_error *err);

/* All numbers of one column, malloc'ed; at least one row is needed. */
int mk_csv_column(const char *path, const char *column, double **values, size_t *n, struct mk_error *err);

#endif
