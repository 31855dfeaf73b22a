#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/table/table_printer.h"
#include "tests/support/check.h"

/* Every kind of cell once; returns what was printed. */
static char *print(enum mk_table_form form, struct mk_error *err, int *code)
{
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);
    struct mk_table_printer *t = NULL;
    *code = mk_table_begin(&t, to, form, (const char *const[]){"name", "count", "value"}, 3, err);
    if (!*code) {
        mk_table_text(t, "plain");
        mk_table_count(t, 18446744073709551615u);
        mk_table_real(t, 0.1);
        mk_table_text(t, "a, \"b\"");
        mk_table_format(t, "%d ± %d", 1, 2);
        mk_table_real(t, NAN);
        mk_table_text(t, "µ");
        mk_table_count(t, 3);
        mk_table_real(t, -INFINITY);
        *code = mk_table_finish(t, MK_OK, err);
    }
    fclose(to);
    return text;
}

/* Cells that documents would misread, plain and marked. */
static char *print_marked(enum mk_table_form form, bool is_markdown)
{
    struct mk_error err = {0, ""};
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);
    struct mk_table_printer *t = NULL;
    if (mk_table_begin(&t, to, form, (const char *const[]){"a_1", "50 %"}, 2, &err) == MK_OK) {
        if (is_markdown) mk_table_take_markdown(t);
        mk_table_text(t, "x|y & z^2");
        mk_table_mark(t, 1, 1);
        mk_table_format(t, "%d ± %d", 1, 2);
        mk_table_mark(t, 1, 0);
        mk_table_text(t, "*");
        mk_table_real(t, 2.5);
        mk_table_finish(t, MK_OK, &err);
    }
    fclose(to);
    return text;
}

static void check_documents(void)
{
    static const struct {
        enum mk_table_form form;
        const char *what, *want;
        bool is_markdown;
    } document[] = {
        {MK_TABLE_MARKDOWN, "Markdown",
         "| a\\_1 | 50 % |\n|:---|---:|\n| x\\|y \\& z^2 | **<u>1 ± 2</u>** |\n| **\\*** | 2.5 |\n", false},
        {MK_TABLE_MARKDOWN, "texts that are Markdown",
         "| a\\_1 | 50 % |\n|:---|---:|\n| `x\\|y & z^2` | **<u>1 ± 2</u>** |\n| **`*`** | 2.5 |\n", true},
        {MK_TABLE_LATEX, "LaTeX",
         "% \\usepackage{booktabs}\n\\begin{tabular}{lr}\n\\toprule\na\\_1 & 50 \\% \\\\\n\\midrule\n"
         "x\\textbar{}y \\& z\\textasciicircum{}2 & \\textbf{\\underline{1 $\\pm$ 2}} \\\\\n"
         "\\textbf{*} & 2.5 \\\\\n\\bottomrule\n\\end{tabular}\n",
         false},
        {MK_TABLE_TEXT, "aligned, asterisks after marked cells",
         "a_1           50 %\nx|y & z^2  1 ± 2**\n**             2.5\n", false},
        {MK_TABLE_CSV, "CSV knows no marks", "a_1,50 %\nx|y & z^2,1 ± 2\n*,2.5\n", false},
    };
    for (size_t i = 0; i < sizeof document / sizeof *document; i++) {
        char *text = print_marked(document[i].form, document[i].is_markdown);
        CHECK(strcmp(text, document[i].want) == 0, "%s", document[i].what);
        free(text);
    }
}

/* What is held is not printed after a failure: half of a table is no answer. */
static void check_failure(void)
{
    struct mk_error err = {0, ""};
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);
    struct mk_table_printer *t = NULL;
    int code = mk_table_begin(&t, to, MK_TABLE_TEXT, (const char *const[]){"a"}, 1, &err);
    mk_table_count(t, 7);
    if (!code) code = mk_table_finish(t, mk_fail(&err, MK_EINPUT, "what went wrong"), &err);
    fclose(to);
    CHECK(code == MK_EINPUT && strcmp(err.text, "what went wrong") == 0, "an earlier error is kept");
    CHECK(n == 0, "and nothing is printed");
    free(text);
}

int main(void)
{
    struct mk_error err = {0, ""};
    int code;
    char *csv = print(MK_TABLE_CSV, &err, &code);
    CHECK(code == MK_OK && strcmp(csv, "name,count,value\nplain,18446744073709551615,0.1\n\"a, \"\"b\"\"\",1 ± 2,\n"
                                       "µ,3,-inf\n") == 0,
          "csv: quoting, all digits, empty for NaN");
    char *aligned = print(MK_TABLE_TEXT, &err, &code);
    CHECK(code == MK_OK && strcmp(aligned, "name                   count  value\n"
                                           "plain   18446744073709551615    0.1\n"
                                           "a, \"b\"                 1 ± 2       \n"
                                           "µ                          3   -inf\n") == 0,
          "aligned, UTF-8 by code points");
    check_documents();
    check_failure();
    CHECK(mk_text_width("Δ ± µ") == 5, "width counts code points");
    CHECK(mk_text_width("日本 a") == 6 && mk_text_width("e\xcc\x81") == 1,
          "two columns for East Asian wide characters, none for combining ones");
    CHECK(mk_text_width("a\xff"
                        "b") == 3,
          "and one for a byte that is not UTF-8");
    FILE *full = fopen("/dev/full", "w");
    struct mk_table_printer *t = NULL;
    REQUIRE(full, "/dev/full");
    code = mk_table_begin(&t, full, MK_TABLE_CSV, (const char *const[]){"a"}, 1, &err);
    for (int i = 0; !code && i < 10000; i++) mk_table_count(t, 7);
    code = code ? code : mk_table_finish(t, MK_OK, &err);
    CHECK(code == MK_EIO && strstr(err.text, "No space left"), "a full disk is reported: %s", err.text);
    fclose(full);
    free(csv);
    free(aligned);
    return CHECK_EXIT;
}
