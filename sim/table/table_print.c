#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/table/table_parts.h"

/* ---- cells as texts ---- */

static const char *format_real(const struct column *c, size_t row, const char *format, char room[MK_CELL_ROOM])
{
    const double value = c->value.real[row];
    if (isnan(value)) return "-";
    if (format && strcmp(format, MK_TABLE_P) == 0) format = value < 1e-4 ? "%.1e" : "%.4f";
    return mk_format_rounded(value, format ? format : "%.6g", c->rounding, room, MK_CELL_ROOM);
}

/* A text that is a number where it looks like one. */
static void print_mixed(struct mk_table_printer *p, const char *text)
{
    double x = NAN;
    if (text && !mk_parse_real(text, strlen(text), &x))
        mk_table_format(p, "%s", text);
    else
        mk_table_real(p, x);
}

static void print_value(struct mk_table_printer *p, const struct mk_table *t, const struct mk_table_view *v, size_t row)
{
    const struct column *c = &t->column[v->column];
    const char *const format = v->format;
    char text[MK_CELL_ROOM];
    switch (c->about.type) {
    case MK_COLUMN_TEXT:
        if (c->id >= t->schema->n_columns && t->schema->mixed)
            print_mixed(p, c->value.text[row]);
        else
            mk_table_text(p, c->value.text[row] ? c->value.text[row] : "");
        return;
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
            mk_table_format(p, "%s", format_real(c, row, format, text));
        else
            mk_table_bound(p, c->value.real[row], c->rounding);
        return;
    }
}

void mk_table_print_row(const struct mk_table *t, size_t row, const struct mk_table_view *view, bool data,
                        struct mk_table_printer *p)
{
    for (const struct mk_table_view *v = view; v->heading; v++) {
        const struct seen *seen = data || !t->column[v->column].seen ? NULL : &t->column[v->column].seen[row];
        if (seen) mk_table_mark(p, seen->bold, seen->underlined);
        if (seen && seen->text)
            mk_table_format(p, "%s", seen->text);
        else
            print_value(p, t, v, row);
    }
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
        if (!data && !style.show && t->column[i].lookup)
            continue;
        else if (!data || !s->n_data || t->column[i].id < s->n_data || t->column[i].id >= s->n_columns)
            view[n++] = (struct mk_table_view){(int)i, t->column[i].about.name, NULL};
    for (; view && !all && own->heading; own++) {
        const size_t at = mk_table_place(t, (size_t)own->column);
        if (at == SIZE_MAX) continue; /* dropped */
        view[n] = *own;
        view[n].column = (int)at;
        if (!*own->heading) view[n].heading = t->column[at].about.name;
        n++;
    }
    for (size_t i = 0; view && !all && i < t->n_added; i++) {
        view[n] = t->added[i];
        view[n++].column = (int)mk_table_place(t, (size_t)t->added[i].column);
    }
    return view;
}

const struct mk_table *mk_table_seen(const struct mk_table *t)
{
    while (t->hidden && t->next) t = t->next;
    return t;
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
    return t->n_listed || t->n_groups ? t->n_listed : t->rows;
}

size_t mk_table_seen_row(const struct mk_table *t, size_t i)
{
    return t->n_listed ? t->listed[i] : i;
}

const char *mk_table_group(const struct mk_table *t, size_t i, size_t *first, size_t *end)
{
    size_t n;
    mk_table_group_rows(t, i, &n);
    *first = t->group[i].first;
    *end = *first + n;
    return t->group[i].caption;
}

void mk_table_cell_marks(const struct mk_table *t, const struct mk_table_view *v, size_t row, bool *bold,
                         bool *underlined)
{
    const struct seen *seen = t->column[v->column].seen;
    *bold = seen && seen[row].bold;
    *underlined = seen && seen[row].underlined;
}

const char *mk_table_cell_seen(const struct mk_table *t, const struct mk_table_view *v, size_t row,
                               char room[MK_CELL_ROOM])
{
    const struct column *c = &t->column[v->column];
    uint64_t count = MK_COUNT_MISSING;
    if (c->seen && c->seen[row].text) return c->seen[row].text;
    switch (c->about.type) {
    case MK_COLUMN_TEXT: return c->value.text[row] ? c->value.text[row] : "";
    case MK_COLUMN_REAL: return format_real(c, row, v->format, room);
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
    t->stream.data = is_data(style);
    begin_rows(&t->stream.printer, t->stream.view, to, style, &t->stream.failure);
}

/* Those that people see from `first` to `end` among them; of data all. */
static int print_rows(const struct mk_table *t, size_t first, size_t end, FILE *to, struct mk_table_style style,
                      struct mk_error *err)
{
    struct mk_table_printer *p = NULL;
    struct mk_table_view *view = columns_shown(t, style);
    const bool data = is_data(style);
    int code = begin_rows(&p, view, to, style, err);
    if (!code && t->schema->bare && style.form == MK_TABLE_ALIGNED) mk_table_hide_names(p);
    for (size_t r = data ? 0 : first; !code && r < (data ? t->rows : end); r++)
        mk_table_print_row(t, data ? r : mk_table_seen_row(t, r), view, data, p);
    code = mk_table_finish(p, code, err);
    free(view);
    return code;
}

/* The caption of a group in a document: below its rows, in LaTeX as a comment. */
static void print_below(const char *caption, FILE *to, int form)
{
    const char *const begin = form == MK_TABLE_LATEX ? "% " : "";
    if (form == MK_TABLE_MARKDOWN) fputc('\n', to);
    fputs(begin, to);
    for (; *caption; caption++) {
        fputc(*caption, to);
        if (*caption == '\n') fputs(begin, to);
    }
    fputc('\n', to);
}

static int print_groups(const struct mk_table *t, FILE *to, struct mk_table_style style, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t g = 0; !code && g < t->n_groups; g++) {
        size_t first, end;
        const char *caption = mk_table_group(t, g, &first, &end);
        if (g) fputc('\n', to);
        if (style.form == MK_TABLE_ALIGNED) fprintf(to, "%s\n\n", caption);
        code = print_rows(t, first, end, to, style, err);
        if (!code && style.form != MK_TABLE_ALIGNED) print_below(caption, to, style.form);
    }
    return code;
}

static int print_all(const struct mk_table *t, FILE *to, struct mk_table_style style, struct mk_error *err)
{
    return t->n_groups && !is_data(style) ? print_groups(t, to, style, err)
                                          : print_rows(t, 0, mk_table_seen_rows(t), to, style, err);
}

int mk_table_print(const struct mk_table *t, FILE *to, struct mk_table_style style, struct mk_error *err)
{
    if (t->stream.view) return MK_OK;
    if (!is_data(style)) t = mk_table_seen(t);
    if (style.form != MK_TABLE_ALIGNED) return print_all(t, to, style, err);
    int code = MK_OK;
    for (bool first = true; t && !code; t = t->next, first = false) {
        if (!first) fputc('\n', to);
        if (t->caption) fprintf(to, "%s\n", t->caption);
        code = print_all(t, to, style, err);
        for (size_t i = 0; !code && i < t->notes.n; i++) fprintf(to, "\n%s\n", t->notes.line[i]);
        style.show = NULL;
    }
    return code;
}
