#include "sim/base/table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/param.h"
#include "sim/base/progress.h"
#include "sim/base/text.h"

enum { CELL_ROOM = 256, GAP = 2 };

struct mk_table {
    FILE *to;
    enum mk_table_form form;
    size_t n_columns, column; /* column of the next cell */
    size_t *width;            /* [n_columns] */
    char *right;              /* [n_columns] 1: holds numbers */
    char *text;               /* the buffered cells, each with its terminator */
    size_t used, room;
    char **name;          /* [n_columns], JSON */
    bool header, any_row; /* cells are names of columns; JSON: a row was begun */
    bool number;          /* the next cell is one */
    int bold, underlined; /* of the next cell */
    int code;             /* first error, and errno for MK_EIO */
    int saved_errno;
};

size_t mk_text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* One CSV cell, with quotes where it holds a comma, a quote, a line end, or a space at either end. */
static void csv_text(FILE *to, const char *text)
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

static void json_text(FILE *to, const char *text)
{
    fputc('"', to);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(to, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(to, "\\u%04x", *c);
        else
            fputc(*c, to);
    }
    fputc('"', to);
}

static void json_cell(struct mk_table *t, const char *text)
{
    if (!t->column) fputs(t->any_row ? ",\n {" : "[\n {", t->to);
    t->any_row = true;
    fputs(t->column ? ", " : "", t->to);
    json_text(t->to, t->name[t->column]);
    fputs(": ", t->to);
    const bool plain = t->number && *text && strspn(text, "0123456789+-.eE") == strlen(text);
    if (plain)
        fputs(text, t->to);
    else if (t->number && !*text)
        fputs("null", t->to);
    else
        json_text(t->to, text);
    if (t->column + 1 == t->n_columns) fputc('}', t->to);
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

/* Text as it must be written in the document, with its highlighting. */
static bool dress(const struct mk_table *t, const char *text, char **out)
{
    static const char *const before[2][4] = {{"", "**", "<u>", "**<u>"},
                                             {"", "\\textbf{", "\\underline{", "\\textbf{\\underline{"}};
    static const char *const after[2][4] = {{"", "**", "</u>", "</u>**"}, {"", "}", "}", "}}"}};
    int look = (t->bold != 0) + 2 * (t->underlined != 0), latex = t->form == MK_TABLE_LATEX;
    size_t room = 0;
    FILE *to = open_memstream(out, &room);
    if (!to) return false;
    fputs(before[latex][look], to);
    for (const char *c = text; *c; c++) {
        if (!latex && strchr("|*_<`\\", *c)) fputc('\\', to);
        if (latex && strchr("&%$#_{}", *c)) fputc('\\', to);
        if (latex && strchr("~^\\", *c))
            fputs(*c == '~' ? "\\textasciitilde{}" : *c == '^' ? "\\textasciicircum{}" : "\\textbackslash{}", to);
        else if (latex && strncmp(c, "±", strlen("±")) == 0)
            fputs("$\\pm$", to), c += strlen("±") - 1;
        else
            fputc(*c, to);
    }
    fputs(after[latex][look], to);
    return fclose(to) == 0;
}

static void hold_cell(struct mk_table *t, const char *text)
{
    char *dressed = NULL;
    if (t->form == MK_TABLE_ALIGNED) {
        if (asprintf(&dressed, "%s%s%s", text, t->bold ? "*" : "", t->underlined ? "*" : "") < 0) dressed = NULL;
    } else if (!dress(t, text, &dressed)) {
        t->code = MK_ENOMEM;
    }
    if (!dressed) {
        t->code = MK_ENOMEM;
    } else if (!t->code) {
        mk_text_one_line(dressed); /* nothing in a file controls a terminal or breaks a row */
        hold(t, dressed);
    }
    free(dressed);
}

static void add(struct mk_table *t, const char *text)
{
    if (t->code) return;
    if (t->form == MK_TABLE_JSON && t->header) {
        t->name[t->column] = strdup(text);
        if (!t->name[t->column]) t->code = MK_ENOMEM;
    } else if (t->form == MK_TABLE_CSV || t->form == MK_TABLE_JSON) {
        errno = 0;
        if (t->form == MK_TABLE_JSON) {
            json_cell(t, text);
        } else {
            csv_text(t->to, text);
            fputc(t->column + 1 == t->n_columns ? '\n' : ',', t->to);
        }
        if (ferror(t->to)) {
            t->code = MK_EIO;
            t->saved_errno = errno;
        }
    } else {
        hold_cell(t, text);
    }
    t->bold = t->underlined = 0;
    t->number = false;
    t->column = (t->column + 1) % t->n_columns;
}

void mk_table_mark(struct mk_table *t, int bold, int underlined)
{
    t->bold = bold;
    t->underlined = underlined;
}

static void free_table(struct mk_table *t)
{
    if (t->name) mk_free_texts(t->name, t->n_columns);
    free(t->width);
    free(t->right);
    free(t->text);
    free(t);
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
    t->name = calloc(t->n_columns, sizeof *t->name);
    if (!t->width || !t->right || !t->name || !names) {
        code = mk_fail_memory(err, "a table");
        goto out;
    }
    rest = names;
    t->header = true;
    for (size_t i = 0; i < t->n_columns; i++) add(t, strsep(&rest, ","));
    t->header = false;
    *out = t;
    t = NULL;
out:
    free(names);
    if (t) {
        free_table(t);
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
    t->number = true;
    add(t, text);
}

void mk_table_real(struct mk_table *t, double value)
{
    char text[32];
    t->right[t->column] = 1;
    t->number = true;
    if (t->form == MK_TABLE_CSV || t->form == MK_TABLE_JSON)
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

/* The columns first … end-1, after the first `keys` ones. */
static void print_part(const struct mk_table *t, size_t keys, size_t first, size_t end)
{
    size_t column = 0;
    for (const char *cell = t->text; cell < t->text + t->used; cell += strlen(cell) + 1) {
        const bool shown = column < keys || (column >= first && column < end), last = column + 1 == end;
        const size_t fill = t->width[column] - mk_text_width(cell);
        if (shown) {
            if (column) pad(t->to, GAP);
            if (t->right[column]) pad(t->to, fill);
            fputs(cell, t->to);
            if (!t->right[column] && !last) pad(t->to, fill);
            if (last) fputc('\n', t->to);
        }
        column = column + 1 == t->n_columns ? 0 : column + 1;
    }
}

/* How many leading columns name the row: those of texts, at least one, in at most half of the width. */
static size_t count_keys(const struct mk_table *t, size_t room, size_t *width)
{
    size_t keys = 0;
    *width = 0;
    while (keys < t->n_columns && (!keys || (!t->right[keys] && *width + t->width[keys] + GAP <= room / 2)))
        *width += t->width[keys++] + GAP;
    return keys;
}

static void print_aligned(const struct mk_table *t)
{
    const size_t room = mk_terminal_width(t->to);
    size_t all = 0, width;
    for (size_t i = 0; i < t->n_columns; i++) all += t->width[i] + (i ? GAP : 0);
    if (!room || all <= room) {
        print_part(t, 0, 0, t->n_columns);
        return;
    }
    const size_t keys = count_keys(t, room, &width);
    for (size_t first = keys, end; first < t->n_columns; first = end) {
        size_t used = width + t->width[first];
        for (end = first + 1; end < t->n_columns && used + GAP + t->width[end] <= room; end++)
            used += GAP + t->width[end];
        if (first > keys) fputc('\n', t->to);
        print_part(t, keys, first, end);
    }
}

static void print_markdown(const struct mk_table *t)
{
    size_t column = 0, row = 0;
    for (const char *cell = t->text; cell < t->text + t->used; cell += strlen(cell) + 1) {
        fprintf(t->to, "%s%s |", column ? " " : "| ", cell);
        column = (column + 1) % t->n_columns;
        if (column) continue;
        fputc('\n', t->to);
        if (row++) continue;
        for (size_t i = 0; i < t->n_columns; i++) fputs(t->right[i] ? "|---:" : "|:---", t->to);
        fputs("|\n", t->to);
    }
}

static void print_latex(const struct mk_table *t)
{
    size_t column = 0, row = 0;
    fputs("\\begin{tabular}{", t->to);
    for (size_t i = 0; i < t->n_columns; i++) fputc(t->right[i] ? 'r' : 'l', t->to);
    fputs("}\n\\hline\n", t->to);
    for (const char *cell = t->text; cell < t->text + t->used; cell += strlen(cell) + 1) {
        fprintf(t->to, "%s%s", column ? " & " : "", cell);
        column = column + 1 < t->n_columns ? column + 1 : 0;
        if (column) continue;
        fputs(" \\\\\n", t->to);
        if (!row++) fputs("\\hline\n", t->to);
    }
    fputs("\\hline\n\\end{tabular}\n", t->to);
}

int mk_table_finish(struct mk_table *t, int code, struct mk_error *err)
{
    if (!t) return code;
    errno = 0;
    const bool whole = !code && !t->code;
    if (whole && t->form == MK_TABLE_ALIGNED) print_aligned(t);
    if (whole && t->form == MK_TABLE_MARKDOWN) print_markdown(t);
    if (whole && t->form == MK_TABLE_LATEX) print_latex(t);
    if (!t->code && t->form == MK_TABLE_JSON) fputs(t->any_row ? "\n]\n" : "[]\n", t->to);
    if (!t->code && (fflush(t->to) != 0 || ferror(t->to))) {
        t->code = MK_EIO;
        t->saved_errno = errno;
    }
    if (!code && t->code == MK_ENOMEM) mk_fail_memory(err, "a table");
    if (!code && t->code == MK_EIO)
        mk_fail(err, MK_EIO, "table: write failed: %s", t->saved_errno ? strerror(t->saved_errno) : "output error");
    if (!code) code = t->code;
    free_table(t);
    return code;
}
