/* What table.c, which makes tables, and table_print.c share. */
#ifndef MAXK_SIM_BASE_TABLE_TABLE_PARTS_H
#define MAXK_SIM_BASE_TABLE_TABLE_PARTS_H

#include "sim/base/table/table.h"

struct seen {
    char *text; /* NULL: the value itself */
    bool bold, underlined;
};

/* The values of a column that follows from another. */
struct lookup {
    size_t column; /* how the cells of the other are named */
    size_t n, last;
    char **key;    /* [n] */
    double *value; /* [n], or NULL: texts */
    char **word;   /* [n], or NULL; entries may be NULL: missing */
};

struct column {
    struct mk_column about;
    char *name, *own_text; /* where they are not those of the schema */
    size_t id; /* how its cells are named: the position in the schema, or what mk_table_add_column returned */
    bool set;  /* in the current row */
    enum mk_table_rounding rounding;
    struct lookup *lookup; /* NULL: its cells are set */
    struct seen *seen;     /* [room] or NULL: what people see in place of the values */
    union {
        char **text;
        uint64_t *count;
        double *real;
        unsigned char *flag;
        void *any;
    } value; /* [room] */
};

struct group {
    char *caption;
    size_t first; /* of the listed rows */
};

struct lines {
    char **line;
    size_t n;
};

struct mk_table {
    const struct mk_table_schema *schema;
    struct column *column;
    size_t n_columns, n_dropped, rows, room;
    size_t *listed, n_listed;    /* rows that people see; none, and no groups: all */
    struct mk_table_view *added; /* columns that people see after those of the view */
    size_t n_added;
    struct group *group;
    size_t n_groups;
    char *caption;
    struct lines notes, warnings;
    struct mk_table *next;
    struct mk_error failure, bug;
    bool no_memory, hidden;
    struct { /* of mk_table_stream; a printer: not ended yet */
        struct mk_table_printer *printer;
        void (*print)(const struct mk_table *t, size_t row, const struct mk_table_view *view, bool data,
                      struct mk_table_printer *p);
        struct mk_table_view *view;
    } stream;
};

/* The place of a column in t->column by its id; SIZE_MAX: it was dropped, or there is none. */
size_t mk_table_place(const struct mk_table *t, size_t id);

#endif
