/* One self-contained HTML page: headings, a navigation made of them, texts, tables, pictures as inline SVG. Nothing is
 * fetched when it is opened. */
#ifndef MAXK_ANALYSIS_ANSWERS_PAGE_REPORT_PAGE_H
#define MAXK_ANALYSIS_ANSWERS_PAGE_REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/api/maxk/error.h"
#include "sim/base/table/table_html.h"

/* Tables with more rows are folded, or shown in part. */
enum { MK_PAGE_OPEN_ROWS = 40, MK_PAGE_MOST_ROWS = 1000 };

struct mk_page_heading {
    int level;
    char *text, *id;
};

struct mk_page {
    FILE *to;        /* the body, in memory until the end */
    size_t pictures; /* so far */
    FILE *out;
    char *title, *body;
    size_t size;
    size_t n;
    struct mk_page_heading *heading; /* [n] */
    bool lifted, no_memory;
};

/* lifted: the title is that of the only result, and headings are a level higher than they are called.
 *
 * mk_page_end writes the page to `out` and frees what it has, also where `code` is an error, which it returns then. */
int mk_page_begin(struct mk_page *p, FILE *out, const char *title, bool lifted, struct mk_error *err);
int mk_page_end(struct mk_page *p, int code, struct mk_error *err);

/* A box to tick, by which the page is loaded again every so many seconds; the address keeps the choice. */
void mk_page_reload(struct mk_page *p, uint64_t seconds);

/* A heading of level 2 or 3. Cells of tables link to the first of its text (mk_html_id). */
void mk_page_heading(struct mk_page *p, int level, const char *text);

/* A paragraph; what is between backticks is code. mk_page_say: of less than 4.5 KB. */
void mk_page_paragraph(struct mk_page *p, const char *text);
void mk_page_say(struct mk_page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A text as it is, in a box that scrolls where it is wider than the page; folded under `summary` unless that is NULL.
 */
void mk_page_verbatim(struct mk_page *p, const char *summary, const char *text);

/* What comes between is folded under these words. */
void mk_page_fold_begin(struct mk_page *p, const char *summary);
void mk_page_fold_end(struct mk_page *p);

/* A table and those that follow it (sim/base/table/table_html.h). */
int mk_page_table(struct mk_page *p, const struct mk_table *t, const struct mk_table_html *how, struct mk_error *err);

/* Around pictures, which then stand side by side where there is room. */
void mk_page_pictures_begin(struct mk_page *p);
void mk_page_pictures_end(struct mk_page *p);

/* A picture with its caption. MK_EIO: the SVG file cannot be read. */
int mk_page_picture(struct mk_page *p, const char *svg, const char *caption, struct mk_error *err);

#endif
