#include "sim/table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/param.h"

enum { CELL_ROOM = 256, GAP = 2 };

struct mk_table {
    FILE *to;
    enum mk_table_form form;
    size_t n_columns, column; /* column of the next cell */
    size_t *width;            /* [n_columns] */
    char *right;              /* [n_columns] 1: holds numbers */
    char *text;               /* the cells held, each with its end */
    size_t used, room;
    int code; /* first error, and errno for MK_EIO */
    int saved_errno;
};

size_t mk_text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

void mk_csv_text(FILE *to, const char *text)
{
    size_t n = strlen(text);
    int quote = strpbrk(text, ",\"\r\n") || (n && (text[0] == ' ' || text[n - 1] == ' '));
    if (!quote) {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"') fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

static void hold(struct mk_table *t, const char *text)
{
    size_t n = strlen(text) + 1;
    if (t->used + n > t->room) {
        size_t room = 2 * (t->used + n) + 1024;
        char *grown = realloc(t->text, room);
        if (!grown) {
            t->code = MK_ENOMEM;
            return;
        }
        t->text = grown;
        t->room = room;
    }
    memcpy(t->text + t->used, text, n);
    t->used += n;
    size_t width = mk_text_width(text);
    if (width > t->width[t->column]) t->width[t->column] = width;
}

static void add(struct mk_table *t, const char *text)
{
    if (t->code) return;
    if (t->form == MK_TABLE_CSV) {
        errno = 0;
        mk_csv_text(t->to, text);
        fputc(t->column + 1 == t->n_columns ? '\n' : ',', t->to);
        if (ferror(t->to)) {
            t->code = MK_EIO;
            t->saved_errno = errno;
        }
    } else {
        hold(t, text);
    }
    t->column = (t->column + 1) % t->n_columns;
}

int mk_table_begin(struct mk_table **out, FILE *to, enum mk_table_form form, const char *columns, struct mk_error *err)
{
    int code = MK_OK;
    char *names = NULL, *rest;
    struct mk_table *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t) return mk_fail_memory(err, "a table");
    t->to = to;
    t->form = form;
    t->n_columns = 1;
    for (const char *c = columns; *c; c++) t->n_columns += *c == ',';
    t->width = calloc(t->n_columns, sizeof *t->width);
    t->right = calloc(t->n_columns, 1);
    names = strdup(columns);
    if (!t->width || !t->right || !names) {
        code = mk_fail_memory(err, "a table");
        goto out;
    }
    rest = names;
    for (size_t i = 0; i < t->n_columns; i++) add(t, strsep(&rest, ","));
    *out = t;
    t = NULL;
out:
    free(names);
    if (t) {
        free(t->width);
        free(t->right);
        free(t);
    }
    return code;
}

void mk_table_text(struct mk_table *t, const char *text)
{
    add(t, text);
}

void mk_table_count(struct mk_table *t, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    t->right[t->column] = 1;
    add(t, text);
}

void mk_table_real(struct mk_table *t, double value)
{
    char text[32];
    t->right[t->column] = 1;
    if (t->form == MK_TABLE_CSV)
        add(t, isnan(value) ? "" : mk_format_real(value, text, sizeof text));
    else if (isnan(value))
        add(t, "-");
    else {
        snprintf(text, sizeof text, "%.6g", value);
        add(t, text);
    }
}

void mk_table_format(struct mk_table *t, const char *format, ...)
{
    char text[CELL_ROOM];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    t->right[t->column] = 1;
    add(t, text);
}

static void pad(FILE *to, size_t n)
{
    while (n--) fputc(' ', to);
}

static void print_aligned(const struct mk_table *t)
{
    size_t column = 0;
    for (const char *cell = t->text; cell < t->text + t->used; cell += strlen(cell) + 1) {
        size_t fill = t->width[column] - mk_text_width(cell);
        int last = column + 1 == t->n_columns;
        if (column) pad(t->to, GAP);
        if (t->right[column]) pad(t->to, fill);
        fputs(cell, t->to);
        if (!t->right[column] && !last) pad(t->to, fill);
        if (last) fputc('\n', t->to);
        column = last ? 0 : column + 1;
    }
}

int mk_table_end(struct mk_table *t, struct mk_error *err)
{
    if (!t) return MK_OK;
    if (!t->code && t->form == MK_TABLE_ALIGNED) print_aligned(t);
    errno = 0;
    if (!t->code && (fflush(t->to) != 0 || ferror(t->to))) {
        t->code = MK_EIO;
        t->saved_errno = errno;
    }
    int code = t->code;
    if (code == MK_ENOMEM) mk_fail_memory(err, "a table");
    if (code == MK_EIO)
        mk_fail(err, code, "table: writing failed: %s", t->saved_errno ? strerror(t->saved_errno) : "output error");
    free(t->width);
    free(t->right);
    free(t->text);
    free(t);
    return code;
}
