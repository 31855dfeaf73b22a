/* Tables as values: cells by name, missing values, views, further tables, and mistakes. */
#include "sim/base/table/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/table/table_html.h"
#include "tests/support/check.h"

#define COLUMNS(X)                                                                                                     \
    X(NAME, "name", TEXT, "", "a text")                                                                                \
    X(PULLS, "pulls", COUNT, "pulls", "a count")                                                                       \
    X(REWARD, "reward", REAL, "rewards", "a number")                                                                   \
    X(BEST, "best", FLAG, "", "a flag")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_view view[] = {{REWARD, "mean", "%.1f"}, {NAME, "name", NULL}, MK_TABLE_VIEW_END};
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("a test", columns, NULL);
static const struct mk_table_schema viewed = MK_TABLE_SCHEMA("a view", columns, view);

static struct mk_table *three_rows(const struct mk_table_schema *s)
{
    struct mk_error err;
    struct mk_table *t = NULL;
    if (mk_table_new(&t, s, &err)) return NULL;
    for (size_t i = 0; i < 2; i++) { /* in any order */
        mk_table_set_flag(t, BEST, i == 1);
        mk_table_set_real(t, REWARD, i ? 0.25 : -INFINITY);
        mk_table_set_text(t, NAME, i ? "b, c" : "a");
        mk_table_set_count(t, PULLS, i ? 18446744073709551614u : 0);
        mk_table_end_row(t);
    }
    for (size_t c = 0; c < 4; c++) mk_table_set_missing(t, c);
    mk_table_end_row(t);
    return t;
}

static char *printed(const struct mk_table *t, int form, const char *show)
{
    char *text = NULL;
    size_t n;
    struct mk_error err;
    FILE *to = open_memstream(&text, &n);
    int code = mk_table_print(t, to, (struct mk_table_style){form, show, "test"}, &err);
    fclose(to);
    if (code) snprintf(text, n + 1, "%.*s", (int)n, "");
    return text;
}

static void check_printed(const struct mk_table *t, int form, const char *show, const char *want, const char *what)
{
    char *got = printed(t, form, show);
    const bool same = strcmp(got, want) == 0;
    CHECK(same, "%s%s", what, same ? "" : got);
    free(got);
}

static void check_values(void)
{
    struct mk_table *t = three_rows(&schema);
    const char *const *name = mk_table_texts(t, NAME);
    const uint64_t *pulls = mk_table_counts(t, PULLS);
    const double *reward = mk_table_reals(t, REWARD);
    const unsigned char *best = mk_table_flags(t, BEST);
    CHECK(mk_table_rows(t) == 3 && mk_table_columns(t) == 4, "three rows of four columns");
    CHECK(name && pulls && reward && best, "every column has its array");
    CHECK(strcmp(name[1], "b, c") == 0 && !name[2], "texts, of which the last is missing");
    CHECK(pulls[0] == 0 && pulls[1] == 18446744073709551614u && pulls[2] == MK_COUNT_MISSING, "counts");
    CHECK(reward[0] == -INFINITY && reward[1] == 0.25 && isnan(reward[2]), "numbers");
    CHECK(best[0] == 0 && best[1] == 1 && best[2] == MK_FLAG_MISSING, "flags");
    CHECK(!mk_table_reals(t, PULLS) && !mk_table_counts(t, 4), "an array of another type, or past the end, is NULL");
    CHECK(!mk_table_column(t, 4) && strcmp(mk_table_column(t, PULLS)->unit, "pulls") == 0, "descriptors");
    CHECK(mk_table_find(t, "reward") == REWARD && mk_table_find(t, "none") == SIZE_MAX, "columns by name");
    check_printed(t, MK_TABLE_CSV, NULL,
                  "name,pulls,reward,best\na,0,-inf,0\n\"b, c\",18446744073709551614,0.25,1\n,,,\n", "CSV");
    check_printed(
        t, MK_TABLE_JSON, "best,name",
        "[\n {\"best\": 0, \"name\": \"a\"},\n {\"best\": 1, \"name\": \"b, c\"},\n {\"best\": null, \"name\": "
        "\"\"}\n]\n",
        "JSON of some columns");
    mk_table_free(t);
}

/* A number that is none may have a sign; nobody sees it. */
static void check_negative_nan(void)
{
    struct mk_error err;
    struct mk_table *t = NULL;
    CHECK(mk_table_new(&t, &schema, &err) == MK_OK, "a table");
    mk_table_set_text(t, NAME, "a");
    mk_table_set_count(t, PULLS, 1);
    mk_table_set_real(t, REWARD, copysign(NAN, -1));
    mk_table_set_flag(t, BEST, true);
    mk_table_end_row(t);
    check_printed(t, MK_TABLE_CSV, NULL, "name,pulls,reward,best\na,1,,1\n", "CSV without -nan");
    for (int form = 0; form <= MK_TABLE_JSON; form++) {
        char *got = printed(t, form, NULL);
        CHECK(*got && !strcasestr(got, "nan"), "form %d without -nan%s", form, strcasestr(got, "nan") ? got : "");
        free(got);
    }
    mk_table_free(t);
}

static void check_view(void)
{
    struct mk_error err;
    struct mk_table *t = three_rows(&viewed), *next = NULL;
    CHECK(mk_table_new(&next, &schema, &err) == MK_OK, "a further table");
    mk_table_set_caption(next, "%d rows:", 0);
    mk_table_append(t, next);
    mk_table_list_row(t, 1);
    mk_table_list_row(t, 0);
    mk_table_add_note(t, "%s", "a note");
    check_printed(t, MK_TABLE_TEXT, NULL,
                  "mean  name\n 0.2  b, c\n-inf  a\n\na note\n\n0 rows:\nname  pulls  reward  best\n",
                  "people see the view, the listed rows, the notes and what follows");
    check_printed(t, MK_TABLE_CSV, "name", "name\na\n\"b, c\"\n\n", "programs every row");
    CHECK(strcmp(mk_table_note(t, 0), "a note") == 0 && !mk_table_note(t, 1), "the notes");
    CHECK(mk_table_further(t) == next && strcmp(mk_table_caption(next), "0 rows:") == 0, "what follows");
    mk_table_free(t);
}

static void check_own_columns(void)
{
    struct mk_error err;
    struct mk_table *t = NULL;
    CHECK(mk_table_new(&t, &schema, &err) == MK_OK, "a table");
    mk_table_rename(t, REWARD, "regret");
    const size_t alpha = mk_table_add_column(t, "alpha", MK_COLUMN_REAL, "", "a parameter");
    for (size_t c = 0; c < 4; c++) mk_table_set_missing(t, c);
    mk_table_set_real(t, alpha, 0.5);
    mk_table_end_row(t);
    check_printed(t, MK_TABLE_CSV, NULL, "name,pulls,regret,best,alpha\n,,,,0.5\n", "columns that the input decides");
    CHECK(mk_table_check(t, &err) == MK_OK && mk_table_failure(t, &err) == MK_OK, "nothing is wrong");
    mk_table_fail(t, &(struct mk_error){MK_ENUM, "why"});
    CHECK(mk_table_failure(t, &err) == MK_ENUM && strcmp(err.text, "why") == 0, "a part that failed");
    mk_table_free(t);
}

/* Columns that follow from a text: for programs, with values, texts and what no key has. */
static void check_lookups(void)
{
    static const char *const key[] = {"a", "c"}, *const word[] = {"one", NULL},
                             *const name[] = {"c", "a", "a", "b", NULL};
    static const double value[] = {0.5, 2};
    struct mk_error err;
    struct mk_table *t = NULL;
    CHECK(mk_table_new(&t, &schema, &err) == MK_OK, "a table");
    mk_table_add_lookup(t, NAME, &(struct mk_column){"alpha", MK_COLUMN_REAL, "", "a number"}, 2, key, value, NULL);
    mk_table_drop_column(t, PULLS);
    mk_table_add_lookup(t, NAME, &(struct mk_column){"ties", MK_COLUMN_TEXT, "", "a text"}, 2, key, NULL, word);
    for (size_t i = 0; i < 5; i++) {
        mk_table_set_text(t, NAME, name[i]);
        mk_table_set_missing(t, REWARD);
        mk_table_set_missing(t, BEST);
        mk_table_end_row(t);
    }
    check_printed(t, MK_TABLE_CSV, NULL, "name,reward,best,alpha,ties\nc,,,2,\na,,,0.5,one\na,,,0.5,one\nb,,,,\n,,,,\n",
                  "lookups");
    check_printed(t, MK_TABLE_TEXT, NULL,
                  "name  reward  best\nc          -     -\na          -     -\na          -     -\nb          -     "
                  "-\n           -     -\n",
                  "people do not see them");
    check_printed(t, MK_TABLE_TEXT, "name,alpha",
                  "name  alpha\nc         2\na       0.5\na       0.5\nb         -\n          -\n", "unless they ask");
    CHECK(mk_table_check(t, &err) == MK_OK, "nothing is wrong");
    mk_table_free(t);
}

/* Bounds: what people see lies on the safe side, the next number with these digits; programs get every digit. */
static void check_rounding(void)
{
    static const struct {
        double value;
        const char *format, *up, *down;
    } cases[] = {{0.26, "%.1f", "0.3", "0.2"},
                 {0.21, "%.1f", "0.3", "0.2"},
                 {-0.26, "%.1f", "-0.2", "-0.3"},
                 {0.25, "%.2f", "0.25", "0.25"},
                 {1e-300, "%.1f", "0.1", "0.0"},
                 {99.96, "%.3g", "100", "99.9"},
                 {10000003, NULL, "1.00001e+07", "1e+07"},
                 {0, "%.1f", "0.0", "0.0"},
                 {INFINITY, NULL, "inf", "inf"}};
    struct mk_error err;
    char want[64], what[64];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int up = 0; up < 2; up++) {
            const struct mk_table_view seen[] = {{REWARD, "bound", cases[k].format}, MK_TABLE_VIEW_END};
            const struct mk_table_schema own = MK_TABLE_SCHEMA("a bound", columns, seen);
            struct mk_table *t = NULL;
            CHECK(mk_table_new(&t, &own, &err) == MK_OK, "a table of a bound");
            mk_table_round(t, REWARD, up ? MK_ROUND_UP : MK_ROUND_DOWN);
            for (size_t c = 0; c < 4; c++)
                if (c != REWARD) mk_table_set_missing(t, c);
            mk_table_set_real(t, REWARD, cases[k].value);
            mk_table_end_row(t);
            const char *shown = up ? cases[k].up : cases[k].down;
            snprintf(what, sizeof what, "%.17g, %s: ", cases[k].value, up ? "up" : "down");
            snprintf(want, sizeof want, "| bound |\n|---:|\n| %s |\n", shown);
            check_printed(t, MK_TABLE_MARKDOWN, NULL, want, what);
            char room[MK_CELL_ROOM];
            CHECK(strcmp(mk_table_cell_seen(t, &seen[0], 0, room), shown) == 0, "%sa page shows %s", what, room);
            if (!cases[k].format) {
                snprintf(want, sizeof want, "| reward |\n|---:|\n| %s |\n", shown);
                check_printed(t, MK_TABLE_MARKDOWN, "reward", want, "chosen columns are rounded outwards, too");
            }
            if (cases[k].value == 0.26) check_printed(t, MK_TABLE_CSV, "reward", "reward\n0.26\n", "every digit");
            mk_table_free(t);
        }
}

enum mistake { LACKS, TWICE, TYPE, NO_COLUMN, NOT_ENDED, LATE_COLUMN };

/* Whether the mistake is found, with a message that names the column, and no wrong row is kept. */
static bool found(enum mistake mistake, const char *column)
{
    struct mk_error err = {0, ""};
    struct mk_table *t = NULL;
    if (mk_table_new(&t, &schema, &err)) return false;
    for (size_t c = 0; c < 4; c++)
        if (c != NAME || mistake != LACKS) mk_table_set_missing(t, c);
    if (mistake == TWICE) mk_table_set_count(t, PULLS, 2);
    if (mistake == NO_COLUMN) mk_table_set_real(t, 4, 2);
    if (mistake == LATE_COLUMN) mk_table_add_column(t, "late", MK_COLUMN_TEXT, "", "");
    if (mistake != NOT_ENDED) mk_table_end_row(t);
    if (mistake == TYPE) mk_table_set_real(t, BEST, 2);
    const size_t rows = mk_table_rows(t);
    const int code = mk_table_check(t, &err);
    mk_table_free(t);
    return code == MK_EFAIL && rows == (mistake == TYPE) && strstr(err.text, column);
}

static void check_mistakes(void)
{
    CHECK(found(LACKS, "name: not set in a row"), "a row that lacks a cell is found");
    CHECK(found(TWICE, "pulls: set twice in a row"), "a cell set twice");
    CHECK(found(TYPE, "best: a value of another type"), "a value of another type");
    CHECK(found(NO_COLUMN, "no such column"), "a cell past the last column");
    CHECK(found(NOT_ENDED, "name: the last row is not ended"), "a row that is not ended");
    CHECK(found(LATE_COLUMN, "late: a column is added after the first cell"), "a column that comes too late");
}

/* Columns that are dropped; groups with captions; what people see in place of a value; texts that may be numbers. */
static void check_seen(void)
{
    static const struct mk_table_schema mixed = {.title = "mixed", .column = columns, .n_columns = 4, .mixed = true};
    struct mk_error err;
    struct mk_table *t = NULL;
    REQUIRE(mk_table_new(&t, &mixed, &err) == MK_OK, "memory");
    mk_table_drop_column(t, PULLS);
    mk_table_drop_column(t, BEST);
    const size_t more = mk_table_add_column(t, "p", MK_COLUMN_TEXT, "", "a p-value or a record");
    for (size_t i = 0; i < 3; i++) {
        static const char *const text[] = {"0.03125", "3/1/0", NULL};
        mk_table_set_text(t, NAME, i ? "12" : "a");
        mk_table_set_count(t, PULLS, 7);
        mk_table_set_real(t, REWARD, (double)i);
        mk_table_set_flag(t, BEST, true);
        mk_table_set_text(t, more, text[i]);
        if (!i) mk_table_set_seen(t, more, true, true, "%.2f", 0.03125);
        mk_table_end_row(t);
    }
    CHECK(mk_table_check(t, &err) == MK_OK && mk_table_columns(t) == 3 && mk_table_find(t, "p") == 2,
          "cells of dropped columns are ignored");
    check_printed(t, MK_TABLE_CSV, NULL, "name,reward,p\na,0,0.03125\n12,1,3/1/0\n12,2,\n", "programs get the values");
    check_printed(t, MK_TABLE_JSON, "name,p",
                  "[\n {\"name\": \"a\", \"p\": 0.03125},\n {\"name\": \"12\", \"p\": \"3/1/0\"},\n {\"name\": "
                  "\"12\", \"p\": null}\n]\n",
                  "numbers where they are ones, in added columns alone");
    check_printed(t, MK_TABLE_TEXT, "p,name", "     p  name\n0.03**  a\n 3/1/0  12\n     -  12\n", "people see others");
    mk_table_begin_group(t, "the last");
    mk_table_list_row(t, 2);
    mk_table_begin_group(t, "the %s,\nin two lines", "others");
    mk_table_list_row(t, 1);
    mk_table_list_row(t, 0);
    check_printed(t, MK_TABLE_TEXT, "reward",
                  "the last\n\nreward\n     2\n\nthe others,\nin two lines\n\nreward\n     1\n     0\n", "groups");
    check_printed(
        t, MK_TABLE_MARKDOWN, "p",
        "| p |\n|---:|\n| - |\n\nthe last\n\n| p |\n|---:|\n| 3/1/0 |\n| **<u>0.03</u>** |\n\nthe others,\nin two lines\n",
        "in Markdown their captions follow");
    check_printed(t, MK_TABLE_CSV, "reward", "reward\n0\n1\n2\n", "programs get all rows");
    mk_table_free(t);
}

/* Texts that documents would misread and a number that is not finite, in every form. */
static void check_forms(void)
{
    static const struct {
        int form;
        const char *want;
    } cases[] = {
        {MK_TABLE_TEXT, "name             reward\n[a]_% & # < > |     inf\n*~^\\$ \"q\" `         0.1\n"},
        {MK_TABLE_CSV, "name,reward\n[a]_% & # < > |,inf\n\"*~^\\$ \"\"q\"\" `\",0.1\n"},
        {MK_TABLE_JSON, "[\n {\"name\": \"[a]_% & # < > |\", \"reward\": \"inf\"},\n"
                        " {\"name\": \"*~^\\\\$ \\\"q\\\" `\", \"reward\": 0.1}\n]\n"},
        {MK_TABLE_MARKDOWN, "| name | reward |\n|:---|---:|\n| \\[a]\\_% \\& # \\< > \\| | inf |\n"
                            "| \\*\\~^\\\\$ \"q\" \\` | 0.1 |\n"},
        {MK_TABLE_LATEX, "% \\usepackage{booktabs}\n\\begin{tabular}{lr}\n\\toprule\nname & reward \\\\\n\\midrule\n"
                         "{}[a]\\_\\% \\& \\# \\textless{} \\textgreater{} \\textbar{} & inf \\\\\n"
                         "{}*\\textasciitilde{}\\textasciicircum{}\\textbackslash{}\\$ \"q\" ` & 0.1 \\\\\n"
                         "\\bottomrule\n\\end{tabular}\n"},
    };
    struct mk_error err = {0, ""};
    struct mk_table *t = NULL;
    REQUIRE(mk_table_new(&t, &schema, &err) == MK_OK, "memory");
    mk_table_drop_column(t, PULLS);
    for (size_t i = 0; i < 2; i++) {
        mk_table_set_text(t, NAME, i ? "*~^\\$ \"q\" `" : "[a]_% & # < > |");
        mk_table_set_real(t, REWARD, i ? 0.1 : INFINITY);
        mk_table_set_flag(t, BEST, i);
        mk_table_end_row(t);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *got = printed(t, cases[i].form, "name,reward");
        CHECK(strcmp(got, cases[i].want) == 0, "form %d: %s", cases[i].form, got);
        free(got);
    }
    mk_table_set_caption(t, "a caption & more");
    char *page = printed(t, MK_TABLE_HTML, NULL), *some = printed(t, MK_TABLE_HTML, "reward");
    CHECK(strncmp(page, "<!DOCTYPE html>", 15) == 0 && strstr(page, "<title>a test</title>") &&
              strstr(page, "<span>a caption &amp; more</span>") && strstr(page, "</html>\n"),
          "HTML is a page with its title and the caption");
    CHECK(strstr(page, "<tr><th scope=\"row\">[a]_% &amp; # &lt; &gt; |</th><td class=\"n\">inf</td>"
                       "<td class=\"n\">0</td></tr>"),
          "a row of it");
    CHECK(!strstr(some, "[a]_%") && !strstr(some, "best") && strstr(some, "\"n\">inf</th></tr>"), "one column of it");
    free(page);
    free(some);
    mk_table_free(t);
}

/* Columns that are chosen: in their order, more than once, with _ for a blank. */
static void check_shown(void)
{
    struct mk_error err = {0, ""};
    struct mk_table *t = three_rows(&schema);
    mk_table_rename(t, REWARD, "the reward");
    check_printed(t, MK_TABLE_CSV, "the_reward,name", "the reward,name\n-inf,a\n0.25,\"b, c\"\n,\n", "two columns");
    check_printed(t, MK_TABLE_TEXT, "best,the reward,best",
                  "best  the reward  best\n   0        -inf     0\n   1        0.25     1\n   -           -     -\n",
                  "one of them twice");
    for (int form = MK_TABLE_TEXT; form <= MK_TABLE_HTML; form++) {
        const int code = mk_table_print(t, stdout, (struct mk_table_style){form, "name,x", "test"}, &err);
        CHECK(code == MK_EINPUT && strstr(err.text, "'x'") && strstr(err.text, "name, pulls, the reward, best"),
              "a column that is not there, form %d: %s", form, err.text);
    }
    mk_table_free(t);
}

/* Long tables on a page are folded, each for itself. */
static void check_folded(void)
{
    struct mk_error err;
    struct mk_table *t = three_rows(&viewed);
    char *page = NULL;
    size_t size, folds = 0;
    mk_table_append(t, three_rows(&schema));
    for (int i = 0; i < 2; i++) mk_table_list_row(t, 0);
    FILE *to = open_memstream(&page, &size);
    const struct mk_table_html how = {.label = "all & more", .open_rows = 2};
    CHECK(to && mk_table_write_html(t, to, &how, &err) == MK_OK && fclose(to) == 0, "HTML");
    for (const char *at = page; (at = strstr(at, "rows</summary>")); at++) folds++;
    CHECK(folds == 1 && strstr(page, "<details><summary>a test: 3 rows</summary>\n<div class=\"table\"") &&
              strstr(page, "aria-label=\"all &amp; more\"") && !strstr(page, "more: "),
          "the second one alone has three rows that people see: %s", page);
    free(page);
    mk_table_free(t);
}

static void check_p_values(void)
{
    static const struct mk_table_view p_view[] = {{REWARD, "", MK_TABLE_P}, MK_TABLE_VIEW_END};
    static const struct mk_table_schema p_schema = MK_TABLE_SCHEMA("p-values", columns, p_view);
    struct mk_table *t = three_rows(&p_schema);
    check_printed(t, MK_TABLE_TEXT, NULL, "reward\n  -inf\n0.2500\n     -\n", "p-values");
    mk_table_free(t);
}

int main(void)
{
    check_values();
    check_seen();
    check_p_values();
    check_negative_nan();
    check_view();
    check_own_columns();
    check_lookups();
    check_forms();
    check_shown();
    check_folded();
    check_rounding();
    check_mistakes();
    return CHECK_EXIT;
}
