/* Tables: what maxk computes about experiments, recorded rewards and results, as typed columns in memory. `maxk list
 * tables` names them, `maxk list columns TABLE` documents their columns, and the commands of the same names print them.
 *
 * Columns are contiguous arrays that belong to the table. A value that does not apply or is not known is missing: NaN
 * in a column of numbers, NULL in one of texts, MK_COUNT_MISSING and MK_FLAG_MISSING in the others. */
#ifndef MAXK_TABLE_H
#define MAXK_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum mk_column_type { MK_COLUMN_TEXT, MK_COLUMN_COUNT, MK_COLUMN_REAL, MK_COLUMN_FLAG };

#define MK_COUNT_MISSING UINT64_MAX
#define MK_FLAG_MISSING 255 /* flags are 0 or 1 */

struct mk_column {
    const char *name; /* as in the head of CSV */
    enum mk_column_type type;
    const char *unit; /* "pulls", "rewards", "1 / reward"; "": none */
    const char *about;
};

struct mk_table;

/* Makes a table: inputs and options are those of the command of the same name, options as "name=value" ("name" alone
 * for those without a value); options that may be repeated are given once for each value. Freed with mk_table_free.
 * Errors: MK_EINPUT (no such table or option, and what the command refuses), and those of reading and computing. */
int mk_table_make(struct mk_table **out, const char *name, const char *const *inputs, size_t n_inputs,
                  const char *const *options, size_t n_options, struct mk_error *err);
void mk_table_free(struct mk_table *t);

/* Whether a table says something about a result file: MK_OK, or MK_EINPUT with the reason why it does not. */
int mk_table_applies(const char *name, const char *result, struct mk_error *err);

/* The tables that there are, and their columns without making them; NULL past the end. What a table also has as further
 * tables (mk_table_next) has numbers 1, 2, …; 0 is the table itself. */
const char *mk_table_name(size_t i);
const char *mk_table_summary(size_t i);
const struct mk_column *mk_table_columns_of(const char *name, size_t number, size_t *n_columns);

/* The title of one of them: of further tables "L and U by rank"; NULL past the end. */
const char *mk_table_title_of(const char *name, size_t number);

size_t mk_table_rows(const struct mk_table *t);
size_t mk_table_columns(const struct mk_table *t);
const struct mk_column *mk_table_column(const struct mk_table *t, size_t column); /* NULL past the end */

/* The values of a column, one per row, borrowed; NULL where the column has another type or there is none. */
const char *const *mk_table_texts(const struct mk_table *t, size_t column);
const uint64_t *mk_table_counts(const struct mk_table *t, size_t column);
const double *mk_table_reals(const struct mk_table *t, size_t column);
const unsigned char *mk_table_flags(const struct mk_table *t, size_t column);

/* What belongs to the answer but to no row: a title of a few words; a caption above the table ("": none), and notes
 * below it, NULL past the end. Caption and notes may have several lines. */
const char *mk_table_title(const struct mk_table *t);
const char *mk_table_caption(const struct mk_table *t);
const char *mk_table_note(const struct mk_table *t, size_t i);

/* Where people see the rows of a table as several tables, such as one for every horizon, each of these groups has a
 * caption: how many there are, 0: none; the caption of one, NULL past the end; and the numbers of its rows, in the
 * order in which people see them, borrowed. Rows that are in no group are for programs only. */
size_t mk_table_groups(const struct mk_table *t);
const char *mk_table_group_caption(const struct mk_table *t, size_t group);
const size_t *mk_table_group_rows(const struct mk_table *t, size_t group, size_t *n_rows);

/* What was dropped or filled in while the inputs were read, one line each; NULL past the end. */
const char *mk_table_warning(const struct mk_table *t, size_t i);

/* A further table that was computed along with this one, such as a summary; borrowed; NULL: none. */
const struct mk_table *mk_table_next(const struct mk_table *t);

#ifdef __cplusplus
}
#endif
#endif
