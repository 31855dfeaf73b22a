/* Tables: every table that a command of maxk prints, as typed columns in memory.
 *
 * `maxk list tables` lists the tables. `maxk list columns TABLE` documents the columns of one, with units. The command
 * of the same name prints it.
 *
 * A column is a contiguous array that belongs to the table. A value that does not apply or is not known is missing
 * (missing.h).
 *
 * One thread at a time may make tables (maxk.h). */
#ifndef MAXK_TABLE_H
#define MAXK_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "missing.h"

#ifdef __cplusplus
extern "C" {
#endif

enum mk_column_type { MK_COLUMN_TEXT, MK_COLUMN_COUNT, MK_COLUMN_REAL, MK_COLUMN_FLAG };

/* What a column is. */
struct mk_column {
    const char *name; /* the name in the first line of CSV */
    enum mk_column_type type;
    const char *unit;  /* "pulls", "rewards", "1 / reward" …; "" for a column without a unit */
    const char *about; /* what the values mean */
};

struct mk_table;

/* Makes the table with this name. inputs[n_inputs] are what the command takes: paths of results, experiments or CSV
 * files. options[n_options] are the options of the command without the dashes, each as "name=value", or "name" for an
 * option without a value. An option that may be repeated is given once for each value. The caller frees *out with
 * mk_table_free.
 * MK_EINPUT: there is no such table or option, or the command would reject the inputs.
 * MK_EIO, MK_ENUM, MK_ENOMEM, MK_ESTOPPED: reading or computing failed, or was stopped. */
int mk_table_make(struct mk_table **out, const char *name, const char *const *inputs, size_t n_inputs,
                  const char *const *options, size_t n_options, struct mk_error *err);

/* Frees a table and everything that its functions returned. NULL is allowed. */
void mk_table_free(struct mk_table *t);

/* Says whether the table with this name can be made from a result file. MK_OK: it can.
 * MK_EINPUT: it cannot, for the reason in *err. */
int mk_table_applies(const char *name, const char *result, struct mk_error *err);

/* The names and summaries of all tables, for i = 0, 1, …; NULL past the last one. */
const char *mk_table_name(size_t i);
const char *mk_table_summary(size_t i);

/* The columns of a table, known without making it. Number 0 is the table itself; numbers 1, 2, … are the further
 * tables that are made along with it (mk_table_further). Stores how many columns there are in *n_columns. Returns NULL
 * past the last table. */
const struct mk_column *mk_table_columns_of(const char *name, size_t number, size_t *n_columns);

/* The title of one of these tables, such as "L and U by rank"; NULL past the last one. */
const char *mk_table_title_of(const char *name, size_t number);

/* How many rows and columns a table has, and what a column is; NULL past the last column. */
size_t mk_table_rows(const struct mk_table *t);
size_t mk_table_columns(const struct mk_table *t);
const struct mk_column *mk_table_column(const struct mk_table *t, size_t column);

/* The values of a column, one for each row. The array belongs to the table. Returns NULL if the column has another
 * type, or if there is no such column. */
const char *const *mk_table_texts(const struct mk_table *t, size_t column);
const uint64_t *mk_table_counts(const struct mk_table *t, size_t column);
const double *mk_table_reals(const struct mk_table *t, size_t column);
const unsigned char *mk_table_flags(const struct mk_table *t, size_t column);

/* What belongs to the table but to no row: a title of a few words, a caption above the table ("" if there is none),
 * and notes below it, for i = 0, 1, …; NULL past the last note. A caption or note may have several lines. */
const char *mk_table_title(const struct mk_table *t);
const char *mk_table_caption(const struct mk_table *t);
const char *mk_table_note(const struct mk_table *t, size_t i);

/* Commands print the rows of some tables in groups, such as one group for each horizon. These functions return how
 * many groups there are (0: the table is printed as a whole), the caption of a group (NULL past the last one), and the
 * numbers of the rows of a group in the order in which they are printed; the array belongs to the table, and *n_rows
 * is its length. Rows that are in no group are not printed as text. */
size_t mk_table_groups(const struct mk_table *t);
const char *mk_table_group_caption(const struct mk_table *t, size_t group);
const size_t *mk_table_group_rows(const struct mk_table *t, size_t group, size_t *n_rows);

/* Warnings about the inputs, such as rows that were dropped or filled in, one line each, for i = 0, 1, …; NULL past
 * the last one. */
const char *mk_table_warning(const struct mk_table *t, size_t i);

/* The next table that was made along with this one, such as a summary by rank. It belongs to this table. Returns NULL
 * if there is none. */
const struct mk_table *mk_table_further(const struct mk_table *t);

/* ---- deprecated ---- */

MK_DEPRECATED("mk_table_further") const struct mk_table *mk_table_next(const struct mk_table *t);

#ifdef __cplusplus
}
#endif
#endif
