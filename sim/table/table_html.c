#include "sim/table/table_html.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"

const char mk_table_html_style[] =
    /* what is wider than the page scrolls, and a shadow at its right edge says that there is more */
    ".table,.wide div{overflow-x:auto;background:linear-gradient(to left,#fff 1rem,transparent) right/2.5rem 100% no-repeat "
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
    mk_table_cell_marks(t, v, row, &bold, &underlined);
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

/* The rows first … end-1 of those that people see. */
static void put_rows(const struct mk_table *t, const struct mk_table_view *view, const char *caption, size_t first,
                     size_t end, FILE *to, const struct mk_table_html *how)
{
    const size_t all = end - first, n = how->most_rows && how->most_rows < all ? how->most_rows : all;
    put(to, "<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"",
        how->label ? how->label : mk_table_title(t), "\">\n<table>\n");
    if (*caption)
        put(to, "<caption><span>", caption, "</span></caption>\n");
    else /* for screen readers: a heading says it to others */
        put(to, "<caption class=\"unseen\">", how->label ? how->label : mk_table_title(t), "</caption>\n");
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
    if (!mk_table_groups(t)) put_rows(t, view, mk_table_caption(t), 0, mk_table_seen_rows(t), to, how);
    for (size_t g = 0; g < mk_table_groups(t); g++) {
        const char *caption = mk_table_group(t, g, &first, &end);
        put_rows(t, view, caption, first, end, to, how);
    }
    for (size_t i = 0; (note = mk_table_note(t, i)); i++) put_note(note, to);
    put_meanings(t, view, to);
}

int mk_table_write_html(const struct mk_table *t, FILE *to, const struct mk_table_html *how, struct mk_error *err)
{
    struct mk_table_html rest = *how;
    for (t = mk_table_seen(t); t; t = mk_table_next(t)) {
        struct mk_table_view *view = NULL;
        const int code = mk_table_shown_columns(t, (struct mk_table_style){MK_TABLE_HTML, rest.show}, &view, err);
        if (code) return code;
        put_table(t, view, to, &rest);
        free(view);
        rest.label = rest.show = NULL;
    }
    return MK_OK;
}

int mk_table_print_page(const struct mk_table *t, FILE *to, struct mk_table_style style, struct mk_error *err)
{
    const struct mk_table_html how = {.show = style.show};
    struct mk_table_view *view = NULL;
    int code = mk_table_shown_columns(mk_table_seen(t), style, &view, err); /* before anything is printed */
    free(view);
    if (code) return code;
    put(to, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>",
        mk_table_title(mk_table_seen(t)), "</title>\n<style>body{font-family:sans-serif;margin:1.5rem}");
    fprintf(to, "%s</style>\n</head>\n<body>\n", mk_table_html_style);
    code = mk_table_write_html(t, to, &how, err);
    fprintf(to, "<script>\n%s</script>\n</body>\n</html>\n", mk_table_html_script);
    return code ? code : mk_table_flush(to, err);
}
