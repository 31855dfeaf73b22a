#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/table/table_html.h"
#include "sim/table/table_parts.h"

/* ---- cells as texts ---- */

static const char *format_real(const struct column *c, size_t row, const char *format, char room[MK_CELL_ROOM])
{
    const double value = c->value.real[row];
    if (isnan(value)) return "-";
    if (format && strcmp(format, MK_TABLE_P) == 0) format = value < 1e-4 ? "%.1e" : "%.4f";
    return mk_format_rounded(value, format ? format : "%.6g", c->rounding, room, MK_CELL_ROOM);
}

/* Whether texts of the column are printed as numbers where they are ones. */
static bool is_mixed(const struct mk_table *t, const struct column *c)
{
    return c->about.type == MK_COLUMN_TEXT && t->schema->mixed && c->id >= t->schema->n_columns;
}

/* For programs: the value with all digits. */
static void print_value(struct mk_table_printer *p, const struct mk_table *t, const struct column *c, size_t row)
{
    const char *text;
    double x = NAN;
    switch (c->about.type) {
    case MK_COLUMN_TEXT:
        text = c->value.text[row] ? c->value.text[row] : "";
        if (is_mixed(t, c) && (!*text || mk_parse_real(text, strlen(text), &x)))
            mk_table_real(p, x);
        else
            mk_table_text(p, text);
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
    case MK_COLUMN_REAL: mk_table_real(p, c->value.real[row]); return;
    }
}

void mk_table_print_row(const struct mk_table *t, size_t row, const struct mk_table_view *view, bool data,
                        struct mk_table_printer *p)
{
    char room[MK_CELL_ROOM];
    bool bold, underlined;
    for (const struct mk_table_view *v = view; v->heading; v++) {
        const struct column *c = &t->column[v->column];
        if (data) {
            print_value(p, t, c, row);
            continue;
        }
        const char *text = mk_table_cell_seen(t, v, row, room);
        mk_table_cell_marks(t, v, row, &bold, &underlined);
        mk_table_mark(p, bold, underlined);
        if (c->about.type != MK_COLUMN_TEXT || is_mixed(t, c) || (c->seen && c->seen[row].text))
            mk_table_format(p, "%s", text);
        else
            mk_table_text(p, text);
    }
}

/* ---- printing ---- */

static bool is_data(struct mk_table_style style)
{
    return style.form == MK_TABLE_CSV || style.form == MK_TABLE_JSON;
}

/* Whether programs, or people who do not ask for others, can see the column. */
static bool is_offered(const struct mk_table *t, const struct column *c, bool data)
{
    const size_t n = t->schema->n_data;
    return data ? !n || c->id < n || c->id >= t->schema->n_columns : !c->lookup;
}

/* Those of the view, or all. `to` has room for all of both. */
static void list_columns(const struct mk_table *t, bool data, struct mk_table_view *to)
{
    const struct mk_table_view *own = data ? NULL : t->schema->view;
    for (size_t i = 0; !own && i < t->n_columns; i++)
        if (is_offered(t, &t->column[i], data)) *to++ = (struct mk_table_view){(int)i, t->column[i].about.name, NULL};
    for (const struct mk_table_view *v = own; v && v->heading; v++) {
        const size_t at = mk_table_place(t, (size_t)v->column);
        if (at == SIZE_MAX) continue; /* dropped */
        *to = *v;
        to->column = (int)at;
        if (!*v->heading) to->heading = t->column[at].about.name;
        to++;
    }
    for (size_t i = 0; own && i < t->n_added; i++, to++) {
        *to = t->added[i];
        to->column = (int)mk_table_place(t, (size_t)t->added[i].column);
    }
}

static bool same_name(const char *name, const char *given, size_t length)
{
    size_t i = 0;
    while (i < length && name[i] && (name[i] == given[i] || (name[i] == ' ' && given[i] == '_'))) i++;
    return i == length && !name[i];
}

/* The columns of "a,b". */
static int choose_columns(const struct mk_table *t, bool data, const char *show, struct mk_table_view *to,
                          struct mk_error *err)
{
    char clip[MK_CLIP_ROOM], names[MK_ERROR_TEXT / 2];
    const char **name = calloc(t->n_columns + 1, sizeof *name);
    size_t *at = calloc(t->n_columns + 1, sizeof *at), n = 0;
    int code = name && at ? MK_OK : mk_fail_memory(err, "a table");
    for (size_t i = 0; !code && i < t->n_columns; i++) {
        if (data && !is_offered(t, &t->column[i], data)) continue;
        at[n] = i;
        name[n++] = t->column[i].about.name;
    }
    for (size_t length; !code; show += length + 1) {
        size_t i = 0;
        length = strcspn(show, ",");
        while (i < n && !same_name(name[i], show, length)) i++;
        if (i == n)
            code = mk_fail(err, MK_EINPUT, "--show: no column '%s' in this table; allowed: %s",
                           mk_clip_bytes(show, length, clip), mk_join(name, n, names, sizeof names));
        else
            *to++ = (struct mk_table_view){(int)at[i], name[i], NULL};
        if (!show[length]) break;
    }
    free(name);
    free(at);
    return code;
}

int mk_table_shown_columns(const struct mk_table *t, struct mk_table_style style, struct mk_table_view **out,
                           struct mk_error *err)
{
    size_t most = t->n_columns + t->n_added + 2;
    for (const struct mk_table_view *v = t->schema->view; v && v->heading; v++) most++;
    for (const char *c = style.show ? style.show : ""; *c; c++) most += *c == ',';
    *out = calloc(most, sizeof **out);
    if (!*out) return mk_fail_memory(err, "a table");
    if (style.show) {
        const int code = choose_columns(t, is_data(style), style.show, *out, err);
        if (code) {
            free(*out);
            *out = NULL;
        }
        return code;
    }
    list_columns(t, is_data(style), *out);
    return MK_OK;
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
    const char *text;
    if (c->seen && c->seen[row].text) return c->seen[row].text;
    double x = NAN;
    switch (c->about.type) {
    case MK_COLUMN_TEXT:
        text = c->value.text[row] ? c->value.text[row] : "";
        if (!is_mixed(t, c) || (*text && !mk_parse_real(text, strlen(text), &x))) return text;
        snprintf(room, MK_CELL_ROOM, isnan(x) ? "-" : "%.6g", x);
        return room;
    case MK_COLUMN_REAL: return format_real(c, row, v->format, room);
    case MK_COLUMN_COUNT:
        count = c->value.count[row];
        if (count == MK_COUNT_MISSING && t->schema->empty_counts) return "";
        break;
    case MK_COLUMN_FLAG:
        if (c->value.flag[row] != MK_FLAG_MISSING) count = c->value.flag[row];
        break;
    }
    snprintf(room, MK_CELL_ROOM, "%" PRIu64, count);
    return count == MK_COUNT_MISSING ? "-" : room;
}

static int begin_rows(struct mk_table_printer **p, const struct mk_table_view *view, FILE *to, int form,
                      struct mk_error *err)
{
    size_t n = 0;
    while (view[n].heading) n++;
    const char **name = calloc(n + 1, sizeof *name);
    if (!name) return mk_fail_memory(err, "a table");
    for (size_t i = 0; i < n; i++) name[i] = view[i].heading;
    const int code = mk_table_begin(p, to, (enum mk_table_form)form, name, n, err);
    free(name);
    return code;
}

void mk_table_stream(struct mk_table *t, FILE *to, struct mk_table_style style)
{
    if (!is_data(style)) return;
    if (mk_table_shown_columns(t, style, &t->stream.view, &t->stream.failure)) return;
    begin_rows(&t->stream.printer, t->stream.view, to, style.form, &t->stream.failure);
}

/* Those that people see from `first` to `end` among them; of data all. */
static int print_rows(const struct mk_table *t, size_t first, size_t end, FILE *to, struct mk_table_style style,
                      struct mk_error *err)
{
    struct mk_table_printer *p = NULL;
    struct mk_table_view *view = NULL;
    const bool data = is_data(style);
    int code = mk_table_shown_columns(t, style, &view, err);
    if (!code) code = begin_rows(&p, view, to, style.form, err);
    if (!code && t->schema->bare && style.form == MK_TABLE_TEXT) mk_table_hide_names(p);
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
        if (style.form == MK_TABLE_TEXT) fprintf(to, "%s\n\n", caption);
        code = print_rows(t, first, end, to, style, err);
        if (!code && style.form != MK_TABLE_TEXT) print_below(caption, to, style.form);
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
    if (style.form == MK_TABLE_HTML) return mk_table_print_page(t, to, style, err);
    if (!is_data(style)) t = mk_table_seen(t);
    if (style.form != MK_TABLE_TEXT) return print_all(t, to, style, err);
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
