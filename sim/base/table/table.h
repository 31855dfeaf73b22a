/* Tables as values: how those of sim/api/maxk/table.h are filled and printed.
 *
 * A kind of table is declared by one list macro, from which the enumerators of its columns and their descriptors come:
 *
 *     #define COLUMNS(X) X(ARM, "arm", COUNT, "", "number") X(GAP, "gap", REAL, "rewards", "gap to the best arm")
 *     MK_TABLE_COLUMNS(columns, COLUMNS);
 *
 * Cells are set by these names in any order; mk_table_end_row ends a row. A row that lacks a cell, sets one twice or
 * sets one of another type is a mistake in the program, which stops with a message. Lack of memory is kept until
 * mk_table_check. */
#ifndef MAXK_SIM_BASE_TABLE_TABLE_H
#define MAXK_SIM_BASE_TABLE_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/api/maxk/error.h"
#include "sim/api/maxk/table.h"
#include "sim/base/table/table_printer.h"

#define MK_COLUMN_ENUMERATOR(id, name, type, unit, about) id,
#define MK_COLUMN_DESCRIPTOR(id, name, type, unit, about) {name, MK_COLUMN_##type, unit, about},
#define MK_TABLE_COLUMNS(name, list)                                                                                   \
    enum { list(MK_COLUMN_ENUMERATOR) };                                                                               \
    static const struct mk_column name[] = {list(MK_COLUMN_DESCRIPTOR)}

/* What people see: columns in this order, with headings ("": the name) and formats of their own; heading NULL ends it.
 * MK_COLUMN_SEEN: a column of the list macro as it is. Programs and documents of data (CSV, JSON) get every column. */
struct mk_table_view {
    int column;
    const char *heading;
    const char *format; /* of printf for one double, or MK_TABLE_P; NULL: "%.6g" */
};
#define MK_TABLE_P "p-value" /* four decimals, or two digits below 1e-4 */
#define MK_COLUMN_SEEN(id, name, type, unit, about) {id, "", NULL},
#define MK_TABLE_VIEW_END                                                                                              \
    {                                                                                                                  \
        0, NULL, NULL                                                                                                  \
    }

struct mk_table_schema {
    const char *title; /* a few words */
    const struct mk_column *column;
    size_t n_columns;
    const struct mk_table_view *view; /* NULL: all columns */
    size_t n_data;                    /* CSV and JSON have this many of them, the first; 0: all */
    bool empty_counts;                /* counts that are missing are printed as empty texts, not as "-" or null */
    bool bare;                        /* people see no headings: scripts read the first word of a line */
    bool is_markdown;                 /* texts are Markdown, those of the first column words of code */
    bool mixed;                       /* texts of added columns are printed as numbers where they are ones */
};
#define MK_TABLE_SCHEMA(title, columns, view)                                                                          \
    {                                                                                                                  \
        title, columns, sizeof(columns) / sizeof *(columns), view, 0, false, false, false, false                       \
    }

/* The last is not one of the printer's: a page with the caption, the notes and the further tables, too. */
enum { MK_TABLE_HTML = MK_TABLE_LATEX + 1 };
#define MK_TABLE_FORMS "text|csv|json|markdown|latex|html"

/* How a table is to be printed: what the options of a command leave here. */
struct mk_table_style {
    int form;            /* enum mk_table_form, or MK_TABLE_HTML */
    const char *show;    /* "a,b": these columns alone, in this order; NULL: all */
    const char *command; /* which has the options, for messages; NULL where `show` is */
};

/* Whether the caption, the notes and the further tables are printed, too. */
static inline bool mk_table_prints_all(struct mk_table_style style)
{
    return style.form == MK_TABLE_TEXT || style.form == MK_TABLE_HTML;
}

/* Lines of a table of options. */
#define MK_TABLE_OPTIONS(style) MK_TABLE_FORMAT(style, "text"), MK_TABLE_SHORT_FORMATS(style)
#define MK_TABLE_FORMAT(style, usual)                                                                                  \
    {                                                                                                                  \
        "format", 'f', MK_OPT_CHOICE, &(style).form, "NAME", MK_TABLE_FORMS, 1, 0,                                     \
            "format of the table (default: " usual ")"                                                                 \
    }
#define MK_TABLE_SHORT_FORMATS(style)                                                                                  \
    {"csv",         0,    MK_OPT_FLAG,                                                                                 \
     &(style).form, NULL, NULL,                                                                                        \
     MK_TABLE_CSV,  0,    "print CSV, every column with all digits (--format csv)"},                                   \
        {"json",        0,    MK_OPT_FLAG,                                                                             \
         &(style).form, NULL, NULL,                                                                                    \
         MK_TABLE_JSON, 0,    "print JSON: the rows of --csv as objects (--format json)"},                             \
    {                                                                                                                  \
        "show", 0, MK_OPT_TEXT, &(style).show, "COLUMN,…", NULL, 1, 0,                                                 \
            "print these columns of the table alone, in this order"                                                    \
    }

int mk_table_new(struct mk_table **out, const struct mk_table_schema *schema, struct mk_error *err);

/* Columns that only the input decides: another name, another type and unit, none (cells of the column are then
 * ignored), or a further column at the end (the number that names its cells). Before the first row. The texts are
 * copied. */
void mk_table_drop_column(struct mk_table *t, size_t column);
void mk_table_rename(struct mk_table *t, size_t column, const char *name);
void mk_table_retype(struct mk_table *t, size_t column, enum mk_column_type type, const char *unit);
size_t mk_table_add_column(struct mk_table *t, const char *name, enum mk_column_type type, const char *unit,
                           const char *about);

/* A further column at the end, which is named and typed by `about`, for programs and --show only. Its cells are not set
 * but follow from those of `column`, which are texts: value[i], or of texts word[i], where the text is key[i], and
 * missing elsewhere. Everything is copied. */
void mk_table_add_lookup(struct mk_table *t, size_t column, const struct mk_column *about, size_t n,
                         const char *const *key, const double *value, const char *const *word);

/* How people see the numbers of a column where digits are left out: what is certified or proved is rounded outwards. In
 * every view; CSV and JSON have all digits. Default: MK_ROUND_NEAREST. */
void mk_table_round(struct mk_table *t, size_t column, enum mk_table_rounding rounding);

void mk_table_set_text(struct mk_table *t, size_t column, const char *text); /* copied */
void mk_table_format_text(struct mk_table *t, size_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void mk_table_set_count(struct mk_table *t, size_t column, uint64_t value);
void mk_table_set_real(struct mk_table *t, size_t column, double value);
void mk_table_set_number(struct mk_table *t, size_t column, double value); /* of the column's type: count or real */
void mk_table_set_flag(struct mk_table *t, size_t column, bool value);
void mk_table_set_missing(struct mk_table *t, size_t column);

/* What people see of a cell in place of its value, which is set before; programs get the value. */
void mk_table_set_seen(struct mk_table *t, size_t column, bool bold, bool underlined, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void mk_table_end_row(struct mk_table *t);

/* People see this column too, after those of the view; `heading` is not copied. */
void mk_table_show_column(struct mk_table *t, size_t column, const char *heading);

/* People see this row next, and no others than those listed so. */
void mk_table_list_row(struct mk_table *t, size_t row);

/* People see the rows that are listed from here on as a table of their own with this caption. */
void mk_table_begin_group(struct mk_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

void mk_table_set_caption(struct mk_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void mk_table_add_note(struct mk_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void mk_table_add_warning(struct mk_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Continues the last note, and the caption of the last group or, where no group has begun, that of the table. */
void mk_table_extend_note(struct mk_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void mk_table_extend_caption(struct mk_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* People see the further tables alone. */
void mk_table_hide(struct mk_table *t);

/* Appends a further table, which t takes over (NULL: nothing). */
void mk_table_append(struct mk_table *t, struct mk_table *next);

/* Why the table, which is complete otherwise, is an error: printed, and then returned by the command. */
void mk_table_fail(struct mk_table *t, const struct mk_error *why);
int mk_table_failure(const struct mk_table *t, struct mk_error *err);

/* From now on rows are printed as they come, and not kept: for long tables, as CSV or JSON; in other forms the table is
 * kept for mk_table_print. Before the first cell, and after columns were renamed or added; `to` stays the caller's.
 * mk_table_check ends the printing, mk_table_print has nothing left to print. MK_EINPUT as of mk_table_print. */
int mk_table_stream(struct mk_table *t, FILE *to, struct mk_table_style style, struct mk_error *err);

/* MK_EINPUT where style.show names a column that is not in the table, as mk_table_print says, too: for tables that take
 * long, after columns were renamed or added. */
int mk_table_check_shown(const struct mk_table *t, struct mk_table_style style, struct mk_error *err);

/* Checks the table and those that follow it. MK_EFAIL: a mistake in the program, with the column; MK_ENOMEM. */
int mk_table_check(struct mk_table *t, struct mk_error *err);

/* Position of a column by name; SIZE_MAX: none. */
size_t mk_table_find(const struct mk_table *t, const char *name);

/* Prints it: as text and HTML the caption, the view, the notes and the further tables; other forms have the columns of
 * the table itself alone. style.show chooses among all columns of the table, and may write _ for a blank in a name;
 * MK_EINPUT with the names there are where it names another. */
int mk_table_print(const struct mk_table *t, FILE *to, struct mk_table_style style, struct mk_error *err);

/* ---- for renderers ---- */

/* The first of the tables that people see. */
const struct mk_table *mk_table_seen(const struct mk_table *t);

/* Which row is the i-th of those that people see. */
size_t mk_table_seen_row(const struct mk_table *t, size_t i);

/* A cell as people see it: a text of the table, or a number in `room`; "" and "-": missing. */
enum { MK_CELL_ROOM = 64 };
const char *mk_table_cell_seen(const struct mk_table *t, const struct mk_table_view *v, size_t row,
                               char room[MK_CELL_ROOM]);

#endif
