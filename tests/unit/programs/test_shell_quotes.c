/* Where a character of a shell text stands: what a parameter at @, or an empty one at ~, is written as. The
 * expectations follow from the quoting rules of POSIX (Shell Command Language, 2.2 and 2.6.3);
 * tests/command/test_tune.py has a shell run such texts. */
#include <stdlib.h>
#include <string.h>

#include "sim/study/shell_quotes.h"
#include "tests/support/check.h"

static const struct {
    const char *text, *expected;
} cases[] = {
    {"echo @ @", "echo \"${1}\" \"${2}\""},
    {"echo \"@\" @", "echo \"${1}\" \"${2}\""},
    {"echo '@' @", "echo ''\"${1}\"'' \"${2}\""},
    {"echo \"'@'\" @", "echo \"'${1}'\" \"${2}\""},
    {"echo '\"@\"'", "echo '\"'\"${1}\"'\"'"},
    {"echo \\\"@ \\'@", "echo \\\"\"${1}\" \\'\"${2}\""},
    {"echo \"\\\"@\"", "echo \"\\\"${1}\""},
    {"# don't @\n@", "# don't \"${1}\"\n\"${2}\""},
    {"a#'b @'", "a#'b '\"${1}\"''"},
    {"echo \"$(cat @ '@' \"@\") @\"", "echo \"$(cat \"${1}\" ''\"${2}\"'' \"${3}\") ${4}\""},
    {"echo \"$( (cat @) ) @\"", "echo \"$( (cat \"${1}\") ) ${2}\""},
    {"echo \"`cat @` @\" @", "echo \"`cat \"${1}\"` ${2}\" \"${3}\""},
    {"echo ~ \"~\" '~'", "echo ${1} \"${2}\" ''\"${3}\"''"},
    {"(cat @) | \"@\"", "(cat \"${1}\") | \"${2}\""},
};

static char *expanded(const char *text)
{
    struct mk_shell_quotes s = {0};
    char *out = NULL;
    size_t size = 0, n = 0;
    FILE *to = open_memstream(&out, &size);
    for (; to && *text; text++) {
        if (*text == '@' || *text == '~') {
            mk_shell_put_parameter(to, &s, ++n, *text == '~');
            continue;
        }
        putc(*text, to);
        mk_shell_quotes_next(&s, *text);
    }
    if (to) fclose(to);
    return out;
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *out = expanded(cases[i].text);
        CHECK(out && strcmp(out, cases[i].expected) == 0, "%s: %s", cases[i].text, out ? out : "no memory");
        free(out);
    }
    char deep[200] = "", *out;
    for (int i = 0; i < 60; i++) strcat(deep, "$(");
    out = expanded(deep);
    CHECK(out && strcmp(out, deep) == 0, "sixty substitutions, one in another");
    free(out);
    return CHECK_EXIT;
}
