#include "analysis/answers/page/report_page.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/input_path.h"

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:0 auto;padding:1rem;color:#1a1a1a;background:#fff}"
    "h1{font-size:1.7rem;line-height:1.2}h2{margin-top:2.5rem;padding-top:.5rem;border-top:2px solid #444;font-size:1.35rem}"
    "h3{margin:1.8rem 0 .4rem;font-size:1.1rem}"
    "pre{overflow-x:auto;background:#f6f6f6;padding:.7rem;font:13px/1.4 ui-monospace,monospace;border-radius:4px}"
    ".pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,22rem),1fr));gap:1.2rem;grid-auto-flow:dense}"
    "figure{margin:0}figure svg{display:block;width:100%;height:auto}"
    ".wide{grid-column:1/-1}"
    "figcaption{font-size:.85rem;color:#444;overflow-wrap:anywhere}"
    "summary{cursor:pointer;font-weight:600}p,li{overflow-wrap:anywhere}"
    "nav{font-size:.9rem;margin:1rem 0}nav ul{list-style:none;margin:.3rem 0;padding:0;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem}"
    "nav ul ul{padding-left:1rem}nav li:has(ul){flex-basis:100%}a{color:#1d5fa8}"
    ":focus-visible{outline:2px solid #1d5fa8;outline-offset:2px}";

enum { MOST_OPEN = 24 }; /* headings of a navigation that is not folded */

int mk_page_begin(struct mk_page *p, FILE *out, const char *title, bool lifted, struct mk_error *err)
{
    *p = (struct mk_page){.out = out, .title = strdup(title), .lifted = lifted};
    p->to = open_memstream(&p->body, &p->size);
    return p->title && p->to ? MK_OK : mk_fail_memory(err, "the report");
}

/* Headings i … of `level` and those below them; returns the first heading after them. */
static size_t put_list(const struct mk_page *p, size_t i, int level)
{
    fputs("<ul>\n", p->out);
    while (i < p->n && p->heading[i].level >= level) {
        fprintf(p->out, "<li><a href=\"#%s\">", p->heading[i].id);
        mk_html_text(p->out, p->heading[i].text);
        fputs("</a>", p->out);
        i++;
        if (i < p->n && p->heading[i].level > level) i = put_list(p, i, p->heading[i].level);
        fputs("</li>\n", p->out);
    }
    fputs("</ul>\n", p->out);
    return i;
}

static void put_navigation(const struct mk_page *p)
{
    const bool folded = p->n > MOST_OPEN;
    if (p->n < 2) return;
    fprintf(p->out, "<nav aria-label=\"Contents of this page\">\n%s",
            folded ? "<details><summary>Contents</summary>\n" : "");
    for (size_t i = 0; i < p->n;) i = put_list(p, i, p->heading[i].level);
    fprintf(p->out, "%s</nav>\n", folded ? "</details>\n" : "");
}

static void put_page(const struct mk_page *p)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          p->out);
    mk_html_text(p->out, p->title);
    fprintf(p->out, "</title>\n<style>%s%s</style>\n</head>\n<body>\n<main>\n<h1>", style, mk_table_html_style);
    mk_html_text(p->out, p->title);
    fputs("</h1>\n", p->out);
    put_navigation(p);
    fwrite(p->body, 1, p->size, p->out);
    fprintf(p->out, "</main>\n<script>\n%s</script>\n</body>\n</html>\n", mk_table_html_script);
}

int mk_page_end(struct mk_page *p, int code, struct mk_error *err)
{
    const bool good = p->to && fclose(p->to) == 0 && !p->no_memory;
    if (!code && !good) code = mk_fail_memory(err, "the report");
    if (!code) put_page(p);
    for (size_t i = 0; i < p->n; i++) {
        free(p->heading[i].text);
        free(p->heading[i].id);
    }
    free(p->heading);
    free(p->title);
    free(p->body);
    return code;
}

void mk_page_reload(struct mk_page *p, uint64_t seconds)
{
    fprintf(p->to,
            "<p><label><input type=\"checkbox\" id=\"reload\"> load this page again every %" PRIu64
            " seconds</label></p>\n<script>\nconst box=document.getElementById('reload');let timer;\n"
            "const set=()=>{clearTimeout(timer);if(box.checked)timer=setTimeout(()=>location.reload(),%" PRIu64
            "*1000)};\nbox.checked=location.hash==='#reload';set();\n"
            "box.onchange=()=>{history.replaceState(null,'',box.checked?'#reload':'#');set()};\n</script>\n",
            seconds, seconds);
}

/* The name of a heading: that of its text, and a number where it has been given. NULL: out of memory. */
static char *name_of(const struct mk_page *p, const char *text)
{
    char *id = NULL, *name = NULL;
    size_t size, same = 1;
    FILE *to = open_memstream(&id, &size);
    if (!to) return NULL;
    mk_html_id(to, text);
    if (fclose(to)) {
        free(id);
        return NULL;
    }
    for (size_t i = 0; i < p->n; i++) {
        const char *other = p->heading[i].id; /* NULL: out of memory, which is said at the end */
        same += other && strncmp(other, id, size) == 0 && (!other[size] || other[size] == '.');
    }
    if (same == 1) return id;
    if (asprintf(&name, "%s.%zu", id, same) < 0) name = NULL;
    free(id);
    return name;
}

void mk_page_heading(struct mk_page *p, int level, const char *text)
{
    level -= p->lifted;
    if (!MK_GROW(p->heading, p->n, 1)) {
        p->no_memory = true;
        return;
    }
    struct mk_page_heading *h = &p->heading[p->n];
    *h = (struct mk_page_heading){level, strdup(text), name_of(p, text)};
    p->n++;
    p->no_memory |= !h->text || !h->id;
    fprintf(p->to, "<h%d id=\"%s\">", level, h->id ? h->id : "");
    mk_html_text(p->to, text);
    fprintf(p->to, "</h%d>\n", level);
}

void mk_page_paragraph(struct mk_page *p, const char *text)
{
    fputs("<p>", p->to);
    mk_html_prose(p->to, text);
    fputs("</p>\n", p->to);
}

void mk_page_say(struct mk_page *p, const char *format, ...)
{
    char text[4608];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    mk_page_paragraph(p, text);
}

void mk_page_fold_begin(struct mk_page *p, const char *summary)
{
    fputs("<details><summary>", p->to);
    mk_html_text(p->to, summary);
    fputs("</summary>\n", p->to);
}

void mk_page_fold_end(struct mk_page *p)
{
    fputs("</details>\n", p->to);
}

void mk_page_verbatim(struct mk_page *p, const char *summary, const char *text)
{
    if (summary) mk_page_fold_begin(p, summary);
    fputs("<pre tabindex=\"0\">", p->to);
    mk_html_text(p->to, text);
    fputs("</pre>\n", p->to);
    if (summary) mk_page_fold_end(p);
}

int mk_page_table(struct mk_page *p, const struct mk_table *t, const struct mk_table_html *how, struct mk_error *err)
{
    return mk_table_write_html(t, p->to, how, err);
}

/* ---- pictures ---- */

enum { MOST_OF_PICTURE = 1 << 28 };

/* The text of a file, malloc'ed; NULL: why not. */
static char *read_text(const char *path, const char **why)
{
    size_t size, got = 0;
    const int fd = mk_open_regular(path, MOST_OF_PICTURE, &size, why);
    if (fd < 0) return NULL;
    char *text = malloc(size + 1);
    ssize_t n = 0;
    while (text && got < size && (n = read(fd, text + got, size - got)) > 0) got += (size_t)n;
    *why = !text ? "out of memory" : n < 0 ? strerror(errno) : NULL;
    close(fd);
    if (!*why) {
        text[got] = 0;
        return text;
    }
    free(text);
    return NULL;
}

/* Names within the picture get a number of their own: several pictures share the page. */
static void copy_svg(struct mk_page *p, const char *at)
{
    static const char *const before[] = {" id=\"", " id='", "href=\"#", "href='#", "url(#"};
    while (*at) {
        size_t k = 0;
        while (k < sizeof before / sizeof *before && strncmp(at, before[k], strlen(before[k])) != 0) k++;
        if (k == sizeof before / sizeof *before) {
            fputc(*at++, p->to);
            continue;
        }
        fprintf(p->to, "%sp%zu_", before[k], p->pictures);
        at += strlen(before[k]);
    }
}

/* Panels side by side and wide maps, which would be unreadable in a column of the page. */
static bool is_wide(const char *svg)
{
    const char *box = strstr(svg, "viewBox=\"0 0 ");
    return box && strtod(box + strlen("viewBox=\"0 0 "), NULL) > 4.5 * 96;
}

void mk_page_pictures_begin(struct mk_page *p)
{
    fputs("<div class=\"pictures\">\n", p->to);
}

void mk_page_pictures_end(struct mk_page *p)
{
    fputs("</div>\n", p->to);
}

int mk_page_picture(struct mk_page *p, const char *svg, const char *caption, struct mk_error *err)
{
    const char *why;
    char *text = read_text(svg, &why), *begin = text ? strstr(text, "<svg") : NULL;
    const int code = begin  ? MK_OK
                     : text ? mk_fail(err, MK_EINPUT, "%s: not an SVG picture", svg)
                            : mk_fail(err, MK_EIO, "%s: cannot be read: %s", svg, why);
    if (!code) {
        p->pictures++;
        fprintf(p->to, "<figure%s>\n<div role=\"img\" aria-label=\"", is_wide(begin) ? " class=\"wide\"" : "");
        mk_html_text(p->to, caption);
        fputs("\">\n", p->to);
        copy_svg(p, begin);
        fputs("</div>\n<figcaption>", p->to);
        mk_html_text(p->to, caption);
        fputs("</figcaption>\n</figure>\n", p->to);
    }
    free(text);
    return code;
}
