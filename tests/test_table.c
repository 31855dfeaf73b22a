#include <stdlib.h>
#include <string.h>

#include "sim/table.h"
#include "tests/check.h"

/* Every kind of cell once; returns what was printed. */
static char *print(enum mk_table_form form, struct mk_error *err, int *code)
{
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);
    struct mk_table *t = NULL;
    *code = mk_table_begin(&t, to, form, "name,count,value", err);
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
        *code = mk_table_end(t, err);
    }
    fclose(to);
    return text;
}

int main(void)
{
    struct mk_error err = {0, ""};
    int code;
    char *csv = print(MK_TABLE_CSV, &err, &code);
    CHECK(code == MK_OK && strcmp(csv, "name,count,value\nplain,18446744073709551615,0.1\n\"a, \"\"b\"\"\",1 ± 2,\n"
                                       "µ,3,-inf\n") == 0,
          "csv: quoting, all digits, empty for NaN");
    char *aligned = print(MK_TABLE_ALIGNED, &err, &code);
    CHECK(code == MK_OK && strcmp(aligned, "name                   count  value\n"
                                           "plain   18446744073709551615    0.1\n"
                                           "a, \"b\"                 1 ± 2      -\n"
                                           "µ                          3   -inf\n") == 0,
          "aligned, UTF-8 by code points");
    CHECK(mk_text_width("Δ ± µ") == 5, "width counts code points");
    FILE *full = fopen("/dev/full", "w");
    struct mk_table *t = NULL;
    if (full) {
        code = mk_table_begin(&t, full, MK_TABLE_CSV, "a", &err);
        for (int i = 0; !code && i < 10000; i++) mk_table_count(t, 7);
        code = code ? code : mk_table_end(t, &err);
        CHECK(code == MK_EIO && strstr(err.text, "No space left"), "a full disk is reported: %s", err.text);
        fclose(full);
    } else {
        SKIP("no /dev/full");
    }
    free(csv);
    free(aligned);
    return CHECK_EXIT;
}
