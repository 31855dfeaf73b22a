/* Tables as people see them, as text and HTML, and as programs read them. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/table/table_html.h"
#include "sim/base/table/table_parts.h"
#include "sim/base/text.h"

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

/* How a cell is to be emphasised. */
static void cell_marks(const struct mk_table *t, const struct mk_table_view *v, size_t row, bool *bold,
                       bool *underlined)
{
    const struct seen *seen = t->column[v->column].seen;
    *bold = seen && seen[row].bold;
    *underlined = seen && seen[row].underlined;
}

static void print_row(const struct mk_table *t, size_t row, const struct mk_table_view *view, bool data,
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
        cell_marks(t, v, row, &bold, &underlined);
        mk_table_mark(p, bold, underlined);
        if (c->about.type != MK_COLUMN_TEXT || is_mixed(t, c) || (c->seen && c->seen[row].text))
            mk_table_format(p, "%s", text);
        else
            mk_table_text(p, text);
    }
}

/* ---- what people and programs see ---- */

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

/* The columns of style.show. */
static int choose_columns(const struct mk_table *t, struct mk_table_style style, struct mk_table_view *to,
                          struct mk_error *err)
{
    const bool data = is_data(style);
    const char *show = style.show;
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
            code = mk_fail(err, MK_EINPUT, "maxk %s: --show: no column '%s' in this table; allowed: %s", style.command,
                           mk_clip_bytes(show, length, clip), mk_join(name, n, names, sizeof names));
        else
            *to++ = (struct mk_table_view){(int)at[i], name[i], NULL};
        if (!show[length]) break;
    }
    free(name);
    free(at);
    return code;
}

/* The columns that are printed; malloc'ed, ends with heading NULL. */
static int shown_columns(const struct mk_table *t, struct mk_table_style style, struct mk_table_view **out,
                         struct mk_error *err)
{
    size_t max = t->n_columns + t->n_added + 2;
    for (const struct mk_table_view *v = t->schema->view; v && v->heading; v++) max++;
    for (const char *c = style.show ? style.show : ""; *c; c++) max += *c == ',';
    *out = calloc(max, sizeof **out);
    if (!*out) return mk_fail_memory(err, "a table");
    if (style.show) {
        const int code = choose_columns(t, style, *out, err);
        if (code) {
            free(*out);
            *out = NULL;
        }
        return code;
    }
    list_columns(t, is_data(style), *out);
    return MK_OK;
}

int mk_table_check_shown(const struct mk_table *t, struct mk_table_style style, struct mk_error *err)
{
    struct mk_table_view *view = NULL;
    const int code = shown_columns(t, style, &view, err);
    free(view);
    return code;
}

const struct mk_table *mk_table_seen(const struct mk_table *t)
{
    while (t->hidden && t->next) t = t->next;
    return t;
}

static size_t seen_rows(const struct mk_table *t)
{
    return t->n_listed || t->n_groups ? t->n_listed : t->rows;
}

size_t mk_table_seen_row(const struct mk_table *t, size_t i)
{
    return t->n_listed ? t->listed[i] : i;
}

/* The caption of a group, and its rows first … end-1 of those that people see. */
static const char *group_caption(const struct mk_table *t, size_t i, size_t *first, size_t *end)
{
    size_t n;
    mk_table_group_rows(t, i, &n);
    *first = t->group[i].first;
    *end = *first + n;
    return t->group[i].caption;
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

/* ---- as HTML ---- */

const char mk_table_html_style[] =
    /* what is wider than the page scrolls, and a shadow at its right edge says that there is more */
    ".table{overflow-x:auto;background:linear-gradient(to left,#fff 1rem,transparent) right/2.5rem 100% no-repeat "
    "local,linear-gradient(to left,rgba(0,0,0,.2),transparent) right/.8rem 100% no-repeat scroll}"
    ".table{margin:.6rem 0}table{border-collapse:collapse;font-size:.85rem;width:max-content}"
    "caption{text-align:left;padding:.2rem .6rem .4rem 0;color:#444}"
    "caption span{display:block;max-width:min(70rem,100vw - 3rem)}"
    "caption.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}"
    "td,th{border-bottom:1px solid #ddd;padding:.25rem .6rem;text-align:left;vertical-align:top;font-weight:400}"
    "td{max-width:24rem;overflow-wrap:anywhere}"
    "thead th{background:#f3f3f3;font-weight:600;vertical-align:bottom}"
    ".n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    "tbody th{position:sticky;left:0;background:#fff;max-width:14rem;overflow-wrap:break-word}"
    "@media(max-width:40rem){tbody th{max-width:8rem}}"
    "th button{all:unset;cursor:pointer;font-weight:600}th button:focus-visible{outline:2px solid #1d5fa8}"
    "th button::after{content:\"\\a0\\2195\";color:#767676}th[aria-sort=ascending] button::after{content:\"\\a0\\2191\"}"
    "th[aria-sort=descending] button::after{content:\"\\a0\\2193\"}"
    ".note{white-space:pre-line}dl.columns{font-size:.85rem}dl.columns dt{font-weight:600}dl.columns dd{margin:0 0 .4rem}"
    ".holds,.better{color:#1b7837}.violated,.worse{color:#c51b2b;font-weight:bold}.vacuous,.not-applicable{color:#666}"
    ".inconclusive,.undecided{color:#8a6508}";

/* Numbers by value, texts by the alphabet, what is missing last in both directions. */
const char mk_table_html_script[] =
    "for(const t of document.querySelectorAll('.table table'))[...t.tHead.rows[0].cells].forEach((h,k)=>{\n"
    "const b=document.createElement('button');b.type='button';b.append(...h.childNodes);h.append(b);\n"
    "const v=r=>{const s=r.cells[k].textContent.trim(),x=Number(s.replace('inf','Infinity'));\n"
    "return s===''||s==='-'?null:isNaN(x)?s:x};\n"
    "b.onclick=()=>{const d=h.getAttribute('aria-sort')==='ascending'?-1:1;\n"
    "for(const o of t.tHead.rows[0].cells)o.removeAttribute('aria-sort');\n"
    "h.setAttribute('aria-sort',d>0?'ascending':'descending');\n"
    "t.tBodies[0].append(...[...t.tBodies[0].rows].sort((p,q)=>{const x=v(p),y=v(q);\n"
    "return x===null||y===null?(x===null)-(y===null):\n"
    "d*(typeof x==='number'&&typeof y==='number'?(x>y)-(x<y):String(x).localeCompare(String(y)))}))}})\n";

static void put_character(FILE *to, char c)
{
    if (c == '&')
        fputs("&amp;", to);
    else if (c == '<')
        fputs("&lt;", to);
    else if (c == '>')
        fputs("&gt;", to);
    else if (c == '"')
        fputs("&quot;", to);
    else if ((unsigned char)c >= 0x20 || c == '\n' || c == '\t')
        fputc(c, to);
}

void mk_html_text(FILE *to, const char *text)
{
    for (; *text; text++) put_character(to, *text);
}

void mk_html_prose(FILE *to, const char *text)
{
    for (bool is_code = false; *text; text++) {
        if (*text != '`' || (!is_code && !strchr(text + 1, '`'))) {
            put_character(to, *text);
            continue;
        }
        is_code = !is_code;
        fputs(is_code ? "<code>" : "</code>", to);
    }
}

void mk_html_id(FILE *to, const char *text)
{
    bool between = false;
    fputc('s', to); /* names begin with a letter */
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < 0x80 && !isalnum(c)) {
            between = true;
            continue;
        }
        if (between) fputc('-', to);
        between = false;
        if (c < 0x80)
            fputc(tolower(c), to);
        else
            fprintf(to, "%02x", c);
    }
}

static void put(FILE *to, const char *before, const char *text, const char *after)
{
    fputs(before, to);
    mk_html_text(to, text);
    fputs(after, to);
}

static bool is_number(const struct mk_table *t, const struct mk_table_view *v)
{
    return mk_table_column(t, (size_t)v->column)->type != MK_COLUMN_TEXT;
}

/* Verdicts have colours. */
static bool is_verdict(const char *text)
{
    static const char *const word[] = {"holds",          "violated", "vacuous", "inconclusive",
                                       "not-applicable", "better",   "worse",   "undecided"};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strcmp(word[i], text) == 0) return true;
    return false;
}

static void put_head(const struct mk_table *t, const struct mk_table_view *view, FILE *to)
{
    fputs("<thead>\n<tr>", to);
    for (const struct mk_table_view *v = view; v->heading; v++)
        put(to, is_number(t, v) ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">", v->heading, "</th>");
    fputs("</tr>\n</thead>\n", to);
}

/* The first column names the row. */
static void put_cell(const struct mk_table *t, const struct mk_table_view *v, size_t row, bool first, FILE *to,
                     const struct mk_table_html *how)
{
    char room[MK_CELL_ROOM];
    const char *text = mk_table_cell_seen(t, v, row, room);
    bool bold, underlined;
    cell_marks(t, v, row, &bold, &underlined);
    const bool number = is_number(t, v), links = !number && how->links && how->links(how->context, text);
    fputs(first ? "<th scope=\"row\"" : "<td", to);
    if (number || is_verdict(text)) put(to, " class=\"", number ? "n" : text, "\"");
    fputc('>', to);
    if (links) {
        fputs("<a href=\"#", to);
        mk_html_id(to, text);
        fputs("\">", to);
    }
    fprintf(to, "%s%s", bold ? "<b>" : "", underlined ? "<u>" : "");
    mk_html_text(to, text);
    fprintf(to, "%s%s", underlined ? "</u>" : "", bold ? "</b>" : "");
    fprintf(to, "%s%s", links ? "</a>" : "", first ? "</th>" : "</td>");
}

static void put_meanings(const struct mk_table *t, const struct mk_table_view *view, FILE *to)
{
    if (!*mk_table_column(t, (size_t)view->column)->about) return;
    fputs("<details><summary>What the columns mean</summary>\n<dl class=\"columns\">\n", to);
    for (const struct mk_table_view *v = view; v->heading; v++) {
        const struct mk_column *c = mk_table_column(t, (size_t)v->column);
        put(to, "<dt>", v->heading, "</dt>");
        put(to, "<dd>", c->about, "");
        if (*c->unit) put(to, " (", c->unit, ")");
        fputs("</dd>\n", to);
    }
    fputs("</dl>\n</details>\n", to);
}

static const char *label_of(const struct mk_table *t, const struct mk_table_html *how)
{
    return how->label ? how->label : t->schema->title;
}

/* The rows first … end-1 of those that people see. */
static void put_rows(const struct mk_table *t, const struct mk_table_view *view, const char *caption, size_t first,
                     size_t end, FILE *to, const struct mk_table_html *how)
{
    const size_t all = end - first, n = how->most_rows && how->most_rows < all ? how->most_rows : all;
    put(to, "<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"", label_of(t, how), "\">\n<table>\n");
    if (*caption)
        put(to, "<caption><span>", caption, "</span></caption>\n");
    else /* for screen readers: a heading says it to others */
        put(to, "<caption class=\"unseen\">", label_of(t, how), "</caption>\n");
    put_head(t, view, to);
    fputs("<tbody>\n", to);
    for (size_t i = first; i < first + n; i++) {
        fputs("<tr>", to);
        for (const struct mk_table_view *v = view; v->heading; v++)
            put_cell(t, v, mk_table_seen_row(t, i), v == view, to, how);
        fputs("</tr>\n", to);
    }
    fputs("</tbody>\n</table>\n</div>\n", to);
    if (n < all) {
        fprintf(to, "<p class=\"note\">%zu of %zu rows", n, all);
        put(to, how->whole ? "; " : "", how->whole ? how->whole : "", ".</p>\n");
    }
}

/* Lines that were broken for a terminal are joined; one that ends a sentence stays. */
static void put_note(const char *note, FILE *to)
{
    char *joined = strdup(note);
    fputs("<p class=\"note\">", to);
    for (char *at = joined; at && *at; at++)
        if (*at == '\n' && at > joined && at[-1] != '.') *at = ' ';
    mk_html_prose(to, joined ? joined : note);
    fputs("</p>\n", to);
    free(joined);
}

static void put_table(const struct mk_table *t, const struct mk_table_view *view, FILE *to,
                      const struct mk_table_html *how)
{
    const char *note;
    size_t first, end;
    const size_t rows = seen_rows(t);
    const bool folded = how->open_rows && rows > how->open_rows;
    if (folded) {
        put(to, "<details><summary>", label_of(t, how), "");
        fprintf(to, ": %zu rows</summary>\n", rows);
    }
    if (!mk_table_groups(t)) put_rows(t, view, mk_table_caption(t), 0, rows, to, how);
    for (size_t g = 0; g < mk_table_groups(t); g++) {
        const char *caption = group_caption(t, g, &first, &end);
        put_rows(t, view, caption, first, end, to, how);
    }
    for (size_t i = 0; (note = mk_table_note(t, i)); i++) put_note(note, to);
    put_meanings(t, view, to);
    if (folded) fputs("</details>\n", to);
}

int mk_table_write_html(const struct mk_table *t, FILE *to, const struct mk_table_html *how, struct mk_error *err)
{
    struct mk_table_html rest = *how;
    for (t = mk_table_seen(t); t; t = mk_table_further(t)) {
        struct mk_table_view *view = NULL;
        const struct mk_table_style style = {.form = MK_TABLE_HTML, .show = rest.show};
        const int code = shown_columns(t, style, &view, err);
        if (code) return code;
        put_table(t, view, to, &rest);
        free(view);
        rest.label = rest.show = NULL;
    }
    return MK_OK;
}

/* A page of its own, which needs nothing else, with the table and those that follow it. */
static int print_page(const struct mk_table *t, FILE *to, struct mk_table_style style, struct mk_error *err)
{
    const struct mk_table_html how = {.show = style.show};
    int code = mk_table_check_shown(mk_table_seen(t), style, err); /* before anything is printed */
    if (code) return code;
    put(to, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>",
        mk_table_seen(t)->schema->title, "</title>\n<style>body{font-family:sans-serif;margin:1.5rem}");
    fprintf(to, "%s</style>\n</head>\n<body>\n", mk_table_html_style);
    code = mk_table_write_html(t, to, &how, err);
    fprintf(to, "<script>\n%s</script>\n</body>\n</html>\n", mk_table_html_script);
    return code ? code : mk_table_flush(to, err);
}

/* ---- as text and for programs ---- */

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

int mk_table_stream(struct mk_table *t, FILE *to, struct mk_table_style style, struct mk_error *err)
{
    if (!is_data(style)) return MK_OK;
    t->stream.print = print_row;
    int code = shown_columns(t, style, &t->stream.view, err);
    return code ? code : begin_rows(&t->stream.printer, t->stream.view, to, style.form, err);
}

/* Those that people see from `first` to `end` among them; of data all. */
static int print_rows(const struct mk_table *t, size_t first, size_t end, FILE *to, struct mk_table_style style,
                      struct mk_error *err)
{
    struct mk_table_printer *p = NULL;
    struct mk_table_view *view = NULL;
    const bool data = is_data(style);
    int code = shown_columns(t, style, &view, err);
    if (!code) code = begin_rows(&p, view, to, style.form, err);
    if (!code && t->schema->bare && style.form == MK_TABLE_TEXT) mk_table_hide_names(p);
    if (!code && t->schema->is_markdown && style.form == MK_TABLE_MARKDOWN) mk_table_take_markdown(p);
    for (size_t r = data ? 0 : first; !code && r < (data ? t->rows : end); r++)
        print_row(t, data ? r : mk_table_seen_row(t, r), view, data, p);
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
        const char *caption = group_caption(t, g, &first, &end);
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
                                          : print_rows(t, 0, seen_rows(t), to, style, err);
}

int mk_table_print(const struct mk_table *t, FILE *to, struct mk_table_style style, struct mk_error *err)
{
    if (t->stream.view) return MK_OK;
    if (style.form == MK_TABLE_HTML) return print_page(t, to, style, err);
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
