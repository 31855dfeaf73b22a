#include "sim/base/table/table_printer.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/param.h"
#include "sim/base/progress.h"
#include "sim/base/text.h"

enum { CELL_ROOM = 256, GAP = 2 };

struct mk_table_printer {
    FILE *to;
    enum mk_table_form form;
    size_t n_columns, column; /* column of the next cell */
    size_t *width;            /* [n_columns] */
    char *right;              /* [n_columns] 1: holds numbers */
    char *text;               /* the buffered cells, each with its terminator */
    size_t used;              /* bytes of text */
    char **name;              /* [n_columns], JSON */
    bool any_row;             /* JSON: one was begun */
    bool names_hidden;
    bool is_markdown;     /* the texts; those of the first column are code */
    bool number;          /* the next cell is one */
    int bold, underlined; /* of the next cell */
    int code;             /* first error, and errno for MK_EIO */
    int saved_errno;
};

static size_t code_points(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

size_t mk_text_width(const char *text)
{
    const char *first_wide = text;
    while (*first_wide && !(*first_wide & 0x80)) first_wide++;
    if (!*first_wide) return (size_t)(first_wide - text);
    const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (!utf8) return code_points(text);
    const locale_t previous = uselocale(utf8);
    mbstate_t state = {0};
    size_t width = 0, bytes;
    wchar_t c;
    for (; (bytes = mbrtowc(&c, text, strlen(text), &state)) && bytes < (size_t)-2; text += bytes) {
        const int columns = wcwidth(c);
        width += columns < 0 ? 1 : (size_t)columns;
    }
    uselocale(previous);
    freelocale(utf8);
    return width + code_points(text); /* what is not UTF-8 */
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

static void json_cell(struct mk_table_printer *t, const char *text)
{
    if (!t->column) fputs(t->any_row ? ",\n {" : "[\n {", t->to);
    t->any_row = true;
    fputs(t->column ? ", " : "", t->to);
    mk_put_json_text(t->to, t->name[t->column]);
    fputs(": ", t->to);
    const bool plain = t->number && *text && strspn(text, "0123456789+-.eE") == strlen(text);
    if (plain)
        fputs(text, t->to);
    else if (t->number && !*text)
        fputs("null", t->to);
    else
        mk_put_json_text(t->to, text);
    if (t->column + 1 == t->n_columns) fputc('}', t->to);
}

static void keep_text(struct mk_table_printer *t, const char *text)
{
    size_t n = strlen(text) + 1;
    if (!MK_GROW(t->text, t->used, n)) {
        t->code = MK_ENOMEM;
        return;
    }
    memcpy(t->text + t->used, text, n);
    t->used += n;
    size_t width = mk_text_width(text);
    if (width > t->width[t->column]) t->width[t->column] = width;
}

/* Text as it must be written, with its highlighting, malloc'ed; false: out of memory. */
static bool dress(const struct mk_table_printer *t, const char *text, char **out)
{
    static const char *const before[2][4] = {{"", "**", "<u>", "**<u>"},
                                             {"", "\\textbf{", "\\underline{", "\\textbf{\\underline{"}};
    static const char *const after[2][4] = {{"", "**", "</u>", "</u>**"}, {"", "}", "}", "}}"}};
    static const struct {
        const char *text, *latex;
    } special[] = {{"~", "\\textasciitilde{}"},
                   {"^", "\\textasciicircum{}"},
                   {"\\", "\\textbackslash{}"},
                   {"<", "\\textless{}"},
                   {">", "\\textgreater{}"},
                   {"|", "\\textbar{}"},
                   {"±", "$\\pm$"}};
    const size_t n = sizeof special / sizeof *special;
    int look = (t->bold != 0) + 2 * (t->underlined != 0), latex = t->form == MK_TABLE_LATEX;
    const bool is_code = t->is_markdown && !t->column;
    size_t room = 0;
    if (t->form == MK_TABLE_TEXT)
        return asprintf(out, "%s%s%s", text, t->bold ? "*" : "", t->underlined ? "*" : "") >= 0;
    FILE *to = open_memstream(out, &room);
    if (!to) return false;
    fputs(before[latex][look], to);
    if (is_code) fputc('`', to);
    if (latex && !look && !t->column && *text && strchr("[*", *text))
        fputs("{}", to); /* no argument of the line before it */
    for (const char *c = text; *c; c++) {
        size_t i = 0;
        while (latex && i < n && strncmp(c, special[i].text, strlen(special[i].text)) != 0) i++;
        if (latex && i < n) {
            fputs(special[i].latex, to);
            c += strlen(special[i].text) - 1;
            continue;
        }
        if (strchr(latex ? "&%$#_{}" : t->is_markdown ? "|" : "|*_<&[~`\\", *c)) fputc('\\', to);
        fputc(*c, to);
    }
    if (is_code) fputc('`', to);
    fputs(after[latex][look], to);
    if (fclose(to) == 0) return true;
    free(*out);
    return false;
}

static void hold_cell(struct mk_table_printer *t, const char *text)
{
    char *dressed;
    if (!dress(t, text, &dressed)) {
        t->code = MK_ENOMEM;
        return;
    }
    mk_text_one_line(dressed); /* nothing in a file controls a terminal or breaks a row */
    keep_text(t, dressed);
    free(dressed);
}

static void add(struct mk_table_printer *t, const char *text)
{
    if (t->code) return;
    if (t->form == MK_TABLE_CSV || t->form == MK_TABLE_JSON) {
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

void mk_table_hide_names(struct mk_table_printer *t)
{
    t->names_hidden = true;
}

void mk_table_take_markdown(struct mk_table_printer *t)
{
    t->is_markdown = true;
}

void mk_table_mark(struct mk_table_printer *t, int bold, int underlined)
{
    t->bold = bold;
    t->underlined = underlined;
}

static void add_cell(struct mk_table_printer *t, const char *text, bool number, bool right)
{
    t->number = number;
    if (right) t->right[t->column] = 1;
    add(t, text);
}

static void free_table(struct mk_table_printer *t)
{
    if (t->name) mk_free_texts(t->name, t->n_columns);
    free(t->width);
    free(t->right);
    free(t->text);
    free(t);
}

int mk_table_begin(struct mk_table_printer **out, FILE *to, enum mk_table_form form, const char *const *name, size_t n,
                   struct mk_error *err)
{
    struct mk_table_printer *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t) return mk_fail_memory(err, "a table");
    t->to = to;
    t->form = form;
    t->n_columns = n;
    t->width = calloc(n + 1, sizeof *t->width);
    t->right = calloc(n + 1, 1);
    t->name = calloc(n + 1, sizeof *t->name);
    bool good = t->width && t->right && t->name;
    for (size_t i = 0; i < n && good && form == MK_TABLE_JSON; i++) good = (t->name[i] = strdup(name[i])) != NULL;
    if (!good) {
        free_table(t);
        return mk_fail_memory(err, "a table");
    }
    for (size_t i = 0; i < n && form != MK_TABLE_JSON; i++) add(t, name[i]);
    *out = t;
    return MK_OK;
}

void mk_table_text(struct mk_table_printer *t, const char *text)
{
    add_cell(t, text, false, false);
}

void mk_table_count(struct mk_table_printer *t, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    add_cell(t, text, true, true);
}

void mk_table_real(struct mk_table_printer *t, double value)
{
    char text[32];
    add_cell(t, isnan(value) ? "" : mk_format_real(value, text, sizeof text), true, true);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
const char *mk_format_rounded(double value, const char *format, enum mk_table_rounding rounding, char *room,
                              size_t size)
{
    snprintf(room, size, format, value);
    if (rounding == MK_ROUND_NEAREST || !isfinite(value)) return room;
    /* A step that is half as large was too small, so that no number with these digits is passed over. */
    for (double step = fmax(fabs(value) * DBL_EPSILON, DBL_TRUE_MIN);; step *= 2) {
        const double shown = strtod(room, NULL);
        if (rounding == MK_ROUND_UP ? shown >= value : shown <= value) return room;
        snprintf(room, size, format, rounding == MK_ROUND_UP ? value + step : value - step);
    }
}
#pragma GCC diagnostic pop

void mk_table_format(struct mk_table_printer *t, const char *format, ...)
{
    char text[CELL_ROOM];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    add_cell(t, text, false, true);
}

static void pad(FILE *to, size_t n)
{
    while (n--) fputc(' ', to);
}

/* The columns first … end-1, after the first `keys` ones. */
static void print_part(const struct mk_table_printer *t, size_t keys, size_t first, size_t end)
{
    size_t column = 0;
    const char *cell = t->text;
    for (size_t i = 0; t->names_hidden && i < t->n_columns; i++) cell += strlen(cell) + 1;
    for (; cell < t->text + t->used; cell += strlen(cell) + 1) {
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
static size_t count_keys(const struct mk_table_printer *t, size_t room, size_t *width)
{
    size_t keys = 0;
    *width = 0;
    while (keys < t->n_columns && (!keys || (!t->right[keys] && *width + t->width[keys] + GAP <= room / 2)))
        *width += t->width[keys++] + GAP;
    return keys;
}

static void print_aligned(const struct mk_table_printer *t)
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

static void print_markdown(const struct mk_table_printer *t)
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

static void print_latex(const struct mk_table_printer *t)
{
    size_t column = 0, row = 0;
    fputs("% \\usepackage{booktabs}\n\\begin{tabular}{", t->to);
    for (size_t i = 0; i < t->n_columns; i++) fputc(t->right[i] ? 'r' : 'l', t->to);
    fputs("}\n\\toprule\n", t->to);
    for (const char *cell = t->text; cell < t->text + t->used; cell += strlen(cell) + 1) {
        fprintf(t->to, "%s%s", column ? " & " : "", cell);
        column = column + 1 < t->n_columns ? column + 1 : 0;
        if (column) continue;
        fputs(" \\\\\n", t->to);
        if (!row++) fputs("\\midrule\n", t->to);
    }
    fputs("\\bottomrule\n\\end{tabular}\n", t->to);
}

/* Which file `to` is says mk_atomic_file_close. */
static int fail_write(FILE *to, int number, struct mk_error *err)
{
    return mk_fail(err, MK_EIO, "%swrite failed: %s", to == stdout ? "standard output: " : "",
                   number ? strerror(number) : "output error");
}

int mk_table_flush(FILE *to, struct mk_error *err)
{
    errno = 0;
    return fflush(to) != 0 || ferror(to) ? fail_write(to, errno, err) : MK_OK;
}

int mk_table_finish(struct mk_table_printer *t, int code, struct mk_error *err)
{
    if (!t) return code;
    errno = 0;
    const bool whole = !code && !t->code;
    if (whole && t->form == MK_TABLE_TEXT) print_aligned(t);
    if (whole && t->form == MK_TABLE_MARKDOWN) print_markdown(t);
    if (whole && t->form == MK_TABLE_LATEX) print_latex(t);
    if (!t->code && t->form == MK_TABLE_JSON) fputs(t->any_row ? "\n]\n" : "[]\n", t->to);
    if (!t->code && (fflush(t->to) != 0 || ferror(t->to))) {
        t->code = MK_EIO;
        t->saved_errno = errno;
    }
    if (!code && t->code == MK_ENOMEM) mk_fail_memory(err, "a table");
    if (!code && t->code == MK_EIO) fail_write(t->to, t->saved_errno, err);
    if (!code) code = t->code;
    free_table(t);
    return code;
}
