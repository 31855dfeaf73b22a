/* Tables as HTML: a real table with heads, caption and notes, numbers to the right, and what its columns mean. Its
 * columns are sorted by a click or by the keyboard where scripts run; without them it is complete as well. */
#ifndef MAXK_SIM_BASE_TABLE_TABLE_HTML_H
#define MAXK_SIM_BASE_TABLE_TABLE_HTML_H

#include "sim/base/table/table.h"

struct mk_table_html {
    const char *label; /* what screen readers call it; NULL: the title of its schema */
    size_t open_rows;  /* a table of more is folded under its label; 0: none is */
    size_t most_rows;  /* further rows are left out, and a note says so; 0: all */
    const char *whole; /* what that note says of the whole table: "`maxk summary FILE` prints all"; NULL: nothing */
    bool (*links)(const void *context, const char *text); /* whether a text is a heading; NULL: none is */
    const void *context;
    const char *show; /* as in struct mk_table_style */
};

/* Style and script that tables need: once on a page. */
extern const char mk_table_html_style[], mk_table_html_script[];

/* The text with &, <, > and quotes as entities, without what controls terminals. */
void mk_html_text(FILE *to, const char *text);

/* The same, in which what is between backticks is code. */
void mk_html_prose(FILE *to, const char *text);

/* The name of a heading: letters and digits of the text in lower case, a hyphen for what is between them; other bytes
 * as hexadecimal digits. */
void mk_html_id(FILE *to, const char *text);

/* The table and those that follow it. MK_ENOMEM; errors of writing are left to the owner of `to`. */
int mk_table_write_html(const struct mk_table *t, FILE *to, const struct mk_table_html *how, struct mk_error *err);

#endif
