#include "analysis/page/report_page.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:0 auto;padding:1rem;color:#1a1a1a;background:#fff}"
    "h1{font-size:1.7rem;line-height:1.2}h2{margin-top:2.5rem;padding-top:.5rem;border-top:2px solid #444;font-size:1.35rem}"
    "h3{margin:1.8rem 0 .4rem;font-size:1.1rem}"
    "pre{overflow-x:auto;background:#f6f6f6;padding:.7rem;font:13px/1.4 ui-monospace,monospace;border-radius:4px}"
    ".pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,22rem),1fr));gap:1.2rem;grid-auto-flow:dense}"
    "figure{margin:0}figure svg{display:block;width:100%;height:auto}"
    ".wide{grid-column:1/-1}.wide div{overflow-x:auto}.wide svg{min-width:44rem}"
    "figcaption{font-size:.85rem;color:#444;overflow-wrap:anywhere}"
    "summary{cursor:pointer;font-weight:600}nav a{margin-right:1rem}p,li{overflow-wrap:anywhere}";

void mk_page_begin(struct mk_page *p, FILE *to, const char *title)
{
    *p = (struct mk_page){.to = to};
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          to);
    mk_html_text(p->to, title);
    fprintf(to, "</title>\n<style>%s%s</style>\n</head>\n<body>\n<main>\n<h1>", style, mk_table_html_style);
    mk_html_text(p->to, title);
    fputs("</h1>\n", to);
}

void mk_page_end(struct mk_page *p)
{
    fprintf(p->to, "</main>\n<script>\n%s</script>\n</body>\n</html>\n", mk_table_html_script);
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

void mk_page_heading(struct mk_page *p, int level, const char *text)
{
    fprintf(p->to, "<h%d>", level);
    mk_html_text(p->to, text);
    fprintf(p->to, "</h%d>\n", level);
}

void mk_page_section(struct mk_page *p, const char *text)
{
    fputs("<h2 id=\"", p->to);
    mk_html_text(p->to, text);
    fputs("\">", p->to);
    mk_html_text(p->to, text);
    fputs("</h2>\n", p->to);
}

void mk_page_paragraph(struct mk_page *p, const char *text)
{
    fputs("<p>", p->to);
    mk_html_text(p->to, text);
    fputs("</p>\n", p->to);
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

static char *read_text(const char *path)
{
    char *text = NULL, room[1 << 14];
    size_t size = 0, got;
    FILE *from = fopen(path, "rb"), *to = from ? open_memstream(&text, &size) : NULL;
    while (to && (got = fread(room, 1, sizeof room, from)) > 0) fwrite(room, 1, got, to);
    bool good = to && !ferror(from);
    if (from) fclose(from);
    if (to && fclose(to)) good = false;
    if (good) return text;
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
    char *text = read_text(svg), *begin = text ? strstr(text, "<svg") : NULL;
    int code = begin ? MK_OK : mk_fail(err, MK_EIO, "%s: cannot be read: %s", svg, strerror(errno));
    if (!code) {
        p->pictures++;
        fprintf(p->to, "<figure%s>\n<div tabindex=\"0\" role=\"img\" aria-label=\"",
                is_wide(begin) ? " class=\"wide\"" : "");
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
