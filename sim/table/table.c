#include "sim/table/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct column {
    struct mk_column about;
    char *name, *own_text; /* where they are not those of the schema */
    bool set;              /* in the current row */
    union {
        char **text;
        uint64_t *count;
        double *real;
        unsigned char *flag;
        void *any;
    } value; /* [room] */
};

struct lines {
    char **line;
    size_t n;
};

struct mk_table {
    const struct mk_table_schema *schema;
    struct column *column;
    size_t n_columns, rows, room;
    size_t *listed, n_listed; /* rows that people see; none: all */
    char *caption;
    struct lines notes, warnings;
    struct mk_table *next;
    struct mk_error failure, bug;
    bool no_memory;
    struct { /* of mk_table_stream; a printer: not ended yet */
        struct mk_table_printer *printer;
        struct mk_table_view *view;
        struct mk_error failure;
    } stream;
};

/* A mistake in the program: the first one is what mk_table_check returns. */
static void bug(struct mk_table *t, const char *problem, const char *column)
{
    if (!t->bug.code)
        mk_fail(&t->bug, MK_EFAIL, "a mistake in maxk: table '%s': %s: %s", t->schema->title, column, problem);
}

/* ---- cells as texts ---- */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static const char *format_real(double value, const char *format, char room[MK_CELL_ROOM])
{
    snprintf(room, MK_CELL_ROOM,
             isnan(value) ? "-"
             : format     ? format
                          : "%.6g",
             value); /* formats of views: one double */
    return room;
}
#pragma GCC diagnostic pop

static void print_cell(struct mk_table_printer *p, const struct mk_table *t, const struct mk_table_view *v, size_t row)
{
    const struct column *c = &t->column[v->column];
    const char *const format = v->format;
    char text[MK_CELL_ROOM];
    switch (c->about.type) {
    case MK_COLUMN_TEXT: mk_table_text(p, c->value.text[row] ? c->value.text[row] : ""); return;
    case MK_COLUMN_COUNT:
        if (c->value.count[row] != MK_COUNT_MISSING)
            mk_table_count(p, c->value.count[row]);
        else if (t->schema->empty_counts)
            mk_table_text(p, "");
        else
            mk_table_real(p, NAN);
        return;
    case MK_COLUMN_FLAG:
        if (c->value.flag[row] == MK_FLAG_MISSING)
            mk_table_real(p, NAN);
        else
            mk_table_count(p, c->value.flag[row]);
        return;
    case MK_COLUMN_REAL:
        if (format && !isnan(c->value.real[row]))
            mk_table_format(p, "%s", format_real(c->value.real[row], format, text));
        else
            mk_table_real(p, c->value.real[row]);
        return;
    }
}

static void print_row(struct mk_table_printer *p, const struct mk_table *t, const struct mk_table_view *view,
                      size_t row)
{
    for (const struct mk_table_view *v = view; v->heading; v++) print_cell(p, t, v, row);
}

/* ---- making ---- */

static size_t cell_size(enum mk_column_type type)
{
    switch (type) {
    case MK_COLUMN_TEXT: return sizeof(char *);
    case MK_COLUMN_COUNT: return sizeof(uint64_t);
    case MK_COLUMN_REAL: return sizeof(double);
    case MK_COLUMN_FLAG: return 1;
    }
    return 0;
}

int mk_table_new(struct mk_table **out, const struct mk_table_schema *schema, struct mk_error *err)
{
    struct mk_table *t = calloc(1, sizeof *t);
    *out = NULL;
    if (t) t->column = calloc(schema->n_columns, sizeof *t->column);
    if (!t || !t->column) {
        free(t);
        return mk_fail_memory(err, "a table");
    }
    t->schema = schema;
    t->n_columns = schema->n_columns;
    for (size_t i = 0; i < t->n_columns; i++) t->column[i].about = schema->column[i];
    *out = t;
    return MK_OK;
}

static void free_lines(struct lines *l)
{
    for (size_t i = 0; i < l->n; i++) free(l->line[i]);
    free(l->line);
}

void mk_table_free(struct mk_table *t)
{
    while (t) {
        struct mk_table *next = t->next;
        for (size_t i = 0; i < t->n_columns; i++) {
            struct column *c = &t->column[i];
            const size_t texts = c->about.type == MK_COLUMN_TEXT && c->value.text ? t->rows + c->set : 0;
            for (size_t r = 0; r < texts; r++) free(c->value.text[r]);
            free(c->value.any);
            free(c->name);
            free(c->own_text);
        }
        free(t->column);
        free(t->listed);
        free(t->caption);
        if (t->stream.printer) mk_table_finish(t->stream.printer, MK_EFAIL, NULL);
        free(t->stream.view);
        free_lines(&t->notes);
        free_lines(&t->warnings);
        free(t);
        t = next;
    }
}

void mk_table_rename(struct mk_table *t, size_t column, const char *name)
{
    struct column *c = &t->column[column];
    free(c->name);
    c->name = strdup(name);
    if (c->name)
        c->about.name = c->name;
    else
        t->no_memory = true;
}

size_t mk_table_add_column(struct mk_table *t, const char *name, enum mk_column_type type, const char *unit,
                           const char *about)
{
    if (t->room) bug(t, "a column is added after the first cell", name);
    struct column *grown = t->room ? NULL : realloc(t->column, (t->n_columns + 1) * sizeof *grown);
    if (!grown) {
        t->no_memory = true;
        return t->n_columns - 1;
    }
    t->column = grown;
    grown[t->n_columns] = (struct column){.about = {name, type, unit, about}, .own_text = strdup(about)};
    if (grown[t->n_columns].own_text)
        grown[t->n_columns].about.about = grown[t->n_columns].own_text;
    else
        t->no_memory = true;
    mk_table_rename(t, t->n_columns, name);
    return t->n_columns++;
}

/* Whether every column has room for the current row. */
static bool grow(struct mk_table *t)
{
    if (t->rows < t->room) return true;
    const size_t room = 2 * t->room + 16;
    for (size_t i = 0; i < t->n_columns; i++) {
        void *grown = realloc(t->column[i].value.any, room * cell_size(t->column[i].about.type));
        if (!grown) {
            t->no_memory = true;
            return false;
        }
        t->column[i].value.any = grown;
    }
    t->room = room;
    return true;
}

/* The column of the next cell; NULL: without memory nothing is stored any more. */
static struct column *next_cell(struct mk_table *t, size_t column, int type)
{
    struct column *c = column < t->n_columns ? &t->column[column] : NULL;
    if (!c)
        bug(t, "no such column", "a cell");
    else if (c->set)
        bug(t, "set twice in a row", c->about.name);
    else if (type >= 0 && type != (int)c->about.type)
        bug(t, "a value of another type", c->about.name);
    if (t->bug.code || t->no_memory || !grow(t)) return NULL;
    c->set = true;
    return c;
}

void mk_table_set_text(struct mk_table *t, size_t column, const char *text)
{
    struct column *c = next_cell(t, column, MK_COLUMN_TEXT);
    if (!c) return;
    c->value.text[t->rows] = text ? strdup(text) : NULL;
    if (text && !c->value.text[t->rows]) t->no_memory = true;
}

void mk_table_set_count(struct mk_table *t, size_t column, uint64_t value)
{
    struct column *c = next_cell(t, column, MK_COLUMN_COUNT);
    if (c) c->value.count[t->rows] = value;
}

void mk_table_set_real(struct mk_table *t, size_t column, double value)
{
    struct column *c = next_cell(t, column, MK_COLUMN_REAL);
    if (c) c->value.real[t->rows] = value;
}

void mk_table_set_flag(struct mk_table *t, size_t column, bool value)
{
    struct column *c = next_cell(t, column, MK_COLUMN_FLAG);
    if (c) c->value.flag[t->rows] = value;
}

void mk_table_set_missing(struct mk_table *t, size_t column)
{
    struct column *c = next_cell(t, column, -1);
    if (!c) return;
    switch (c->about.type) {
    case MK_COLUMN_TEXT: c->value.text[t->rows] = NULL; break;
    case MK_COLUMN_COUNT: c->value.count[t->rows] = MK_COUNT_MISSING; break;
    case MK_COLUMN_REAL: c->value.real[t->rows] = NAN; break;
    case MK_COLUMN_FLAG: c->value.flag[t->rows] = MK_FLAG_MISSING; break;
    }
}

void mk_table_end_row(struct mk_table *t)
{
    for (size_t i = 0; !t->no_memory && i < t->n_columns; i++)
        if (!t->column[i].set) bug(t, "not set in a row", t->column[i].about.name);
    if (t->bug.code || t->no_memory) return; /* the row is not part of the table */
    for (size_t i = 0; i < t->n_columns; i++) t->column[i].set = false;
    if (!t->stream.view) {
        t->rows++;
        return;
    }
    if (t->stream.printer) print_row(t->stream.printer, t, t->stream.view, 0);
    for (size_t i = 0; i < t->n_columns; i++)
        if (t->column[i].about.type == MK_COLUMN_TEXT) free(t->column[i].value.text[0]);
}

void mk_table_list_row(struct mk_table *t, size_t row)
{
    size_t *grown = realloc(t->listed, (t->n_listed + 1) * sizeof *grown);
    if (!grown) {
        t->no_memory = true;
        return;
    }
    t->listed = grown;
    grown[t->n_listed++] = row;
}

static void add_line(struct mk_table *t, struct lines *l, const char *format, va_list ap)
{
    char **grown = realloc(l->line, (l->n + 1) * sizeof *grown);
    if (grown) l->line = grown;
    if (!grown || vasprintf(&grown[l->n], format, ap) < 0)
        t->no_memory = true;
    else
        l->n++;
}

void mk_table_set_caption(struct mk_table *t, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    free(t->caption);
    if (vasprintf(&t->caption, format, ap) < 0) {
        t->caption = NULL;
        t->no_memory = true;
    }
    va_end(ap);
}

void mk_table_add_note(struct mk_table *t, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    add_line(t, &t->notes, format, ap);
    va_end(ap);
}

void mk_table_add_warning(struct mk_table *t, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    add_line(t, &t->warnings, format, ap);
    va_end(ap);
}

void mk_table_append(struct mk_table *t, struct mk_table *next)
{
    while (t->next) t = t->next;
    t->next = next;
}

void mk_table_fail(struct mk_table *t, const struct mk_error *why)
{
    t->failure = *why;
}

int mk_table_failure(const struct mk_table *t, struct mk_error *err)
{
    return t->failure.code ? mk_fail(err, t->failure.code, "%s", t->failure.text) : MK_OK;
}

int mk_table_check(struct mk_table *t, struct mk_error *err)
{
    for (; t; t = t->next) {
        for (size_t i = 0; !t->no_memory && i < t->n_columns; i++)
            if (t->column[i].set) bug(t, "the last row is not ended", t->column[i].about.name);
        if (t->bug.code) return mk_fail(err, t->bug.code, "%s", t->bug.text);
        if (t->no_memory) return mk_fail_memory(err, "a table");
        if (t->stream.failure.code) return mk_fail(err, t->stream.failure.code, "%s", t->stream.failure.text);
        int code = mk_table_finish(t->stream.printer, MK_OK, err);
        t->stream.printer = NULL;
        if (code) return code;
    }
    return MK_OK;
}

/* ---- reading ---- */

size_t mk_table_rows(const struct mk_table *t)
{
    return t->rows;
}

size_t mk_table_columns(const struct mk_table *t)
{
    return t->n_columns;
}

const struct mk_column *mk_table_column(const struct mk_table *t, size_t column)
{
    return column < t->n_columns ? &t->column[column].about : NULL;
}

size_t mk_table_find(const struct mk_table *t, const char *name)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (strcmp(t->column[i].about.name, name) == 0) return i;
    return SIZE_MAX;
}

static const void *values(const struct mk_table *t, size_t column, enum mk_column_type type)
{
    static const double nothing[1]; /* of a table without rows */
    if (column >= t->n_columns || t->column[column].about.type != type) return NULL;
    return t->rows ? t->column[column].value.any : nothing;
}

const char *const *mk_table_texts(const struct mk_table *t, size_t column)
{
    return values(t, column, MK_COLUMN_TEXT);
}

const uint64_t *mk_table_counts(const struct mk_table *t, size_t column)
{
    return values(t, column, MK_COLUMN_COUNT);
}

const double *mk_table_reals(const struct mk_table *t, size_t column)
{
    return values(t, column, MK_COLUMN_REAL);
}

const unsigned char *mk_table_flags(const struct mk_table *t, size_t column)
{
    return values(t, column, MK_COLUMN_FLAG);
}

const char *mk_table_caption(const struct mk_table *t)
{
    return t->caption ? t->caption : "";
}

const char *mk_table_note(const struct mk_table *t, size_t i)
{
    return i < t->notes.n ? t->notes.line[i] : NULL;
}

const char *mk_table_warning(const struct mk_table *t, size_t i)
{
    return i < t->warnings.n ? t->warnings.line[i] : NULL;
}

const struct mk_table *mk_table_next(const struct mk_table *t)
{
    return t->next;
}

/* ---- printing ---- */

static bool is_data(struct mk_table_style style)
{
    return style.form == MK_TABLE_CSV || style.form == MK_TABLE_JSON;
}

/* The columns to print: those of the view, or all. malloc'ed, ends with heading NULL; NULL: out of memory. */
static struct mk_table_view *columns_shown(const struct mk_table *t, struct mk_table_style style)
{
    const struct mk_table_schema *s = t->schema;
    const struct mk_table_view *own = s->view;
    const bool data = is_data(style), all = data || style.show || !own;
    struct mk_table_view *view = calloc(2 * t->n_columns + 32, sizeof *view);
    size_t n = 0;
    for (size_t i = 0; view && all && i < t->n_columns; i++)
        if (!data || !s->n_data || i < s->n_data || i >= s->n_columns)
            view[n++] = (struct mk_table_view){(int)i, t->column[i].about.name, NULL};
    for (; view && !all && own->heading; own++) {
        view[n] = *own;
        if (!*own->heading) view[n].heading = t->column[own->column].about.name;
        n++;
    }
    return view;
}

const char *mk_table_title(const struct mk_table *t)
{
    return t->schema->title;
}

struct mk_table_view *mk_table_seen_columns(const struct mk_table *t)
{
    return columns_shown(t, MK_TABLE_PLAIN);
}

size_t mk_table_seen_rows(const struct mk_table *t)
{
    return t->n_listed ? t->n_listed : t->rows;
}

size_t mk_table_seen_row(const struct mk_table *t, size_t i)
{
    return t->n_listed ? t->listed[i] : i;
}

const char *mk_table_cell_seen(const struct mk_table *t, const struct mk_table_view *v, size_t row,
                               char room[MK_CELL_ROOM])
{
    const struct column *c = &t->column[v->column];
    uint64_t count = MK_COUNT_MISSING;
    switch (c->about.type) {
    case MK_COLUMN_TEXT: return c->value.text[row] ? c->value.text[row] : "";
    case MK_COLUMN_REAL: return format_real(c->value.real[row], v->format, room);
    case MK_COLUMN_COUNT: count = c->value.count[row]; break;
    case MK_COLUMN_FLAG:
        if (c->value.flag[row] != MK_FLAG_MISSING) count = c->value.flag[row];
        break;
    }
    snprintf(room, MK_CELL_ROOM, "%" PRIu64, count);
    return count == MK_COUNT_MISSING ? "-" : room;
}

static int begin_rows(struct mk_table_printer **p, const struct mk_table_view *view, FILE *to,
                      struct mk_table_style style, struct mk_error *err)
{
    char *names = NULL;
    size_t length;
    FILE *f = view ? open_memstream(&names, &length) : NULL;
    for (size_t i = 0; f && view[i].heading; i++) fprintf(f, "%s%s", i ? "," : "", view[i].heading);
    int code = f && !fclose(f) ? MK_OK : mk_fail_memory(err, "a table");
    if (!code) code = mk_table_begin(p, to, style, names, err);
    free(names);
    return code;
}

void mk_table_stream(struct mk_table *t, FILE *to, struct mk_table_style style)
{
    t->stream.view = columns_shown(t, style);
    begin_rows(&t->stream.printer, t->stream.view, to, style, &t->stream.failure);
}

static int print_rows(const struct mk_table *t, FILE *to, struct mk_table_style style, struct mk_error *err)
{
    struct mk_table_printer *p = NULL;
    struct mk_table_view *view = columns_shown(t, style);
    const bool all = is_data(style);
    int code = begin_rows(&p, view, to, style, err);
    for (size_t r = 0; !code && r < (all ? t->rows : mk_table_seen_rows(t)); r++)
        print_row(p, t, view, all ? r : mk_table_seen_row(t, r));
    code = mk_table_finish(p, code, err);
    free(view);
    return code;
}

int mk_table_print(const struct mk_table *t, FILE *to, struct mk_table_style style, struct mk_error *err)
{
    if (t->stream.view) return MK_OK;
    if (style.form != MK_TABLE_ALIGNED) return print_rows(t, to, style, err);
    int code = MK_OK;
    for (bool first = true; t && !code; t = t->next, first = false) {
        if (!first) fputc('\n', to);
        if (t->caption) fprintf(to, "%s\n", t->caption);
        code = print_rows(t, to, style, err);
        for (size_t i = 0; !code && i < t->notes.n; i++) fprintf(to, "\n%s\n", t->notes.line[i]);
        style.show = NULL;
    }
    return code;
}
