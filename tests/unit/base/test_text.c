/* Stems of file names; whole numbers that are doubles. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/number.h"
#include "sim/base/param.h"
#include "sim/base/text.h"
#include "tests/support/check.h"

static void check_stems(void)
{
    static const char *const cases[][2] = {
        {"experiments/e4_power.yaml", "e4_power"},
        {"/a/b/nb201_main.csv.gz", "nb201_main"},
        {"runs.yml", "runs"},
        {"results/x.h5", "x"},
        {"a.b.csv", "a.b"},
        {".csv", ".csv"},
        {"plain", "plain"},
        {"dir.yaml/file", "file"},
        {"x.part", "x.part"},
        {"dir/", ""},
    };
    char out[32], small[4];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(strcmp(mk_file_stem(cases[i][0], out, sizeof out), cases[i][1]) == 0, "the stem of %s is '%s'",
              cases[i][0], out);
    CHECK(strcmp(mk_file_stem("abcdef", small, sizeof small), "abc") == 0, "a stem is cut to its room");
}

static void check_texts(void)
{
    char **text = calloc(3, sizeof *text);
    mk_free_texts(NULL, 3);
    for (size_t i = 0; text && i < 2; i++) text[i] = strdup("x");
    mk_free_texts(text, 3);
    CHECK(text != NULL, "texts are freed, those that are NULL too");
}

/* 2^53 = 9007199254740992. */
static int is_exact(const char *text)
{
    double x;
    return mk_parse_real(text, strlen(text), &x) && mk_is_exact(text, strlen(text), x);
}

static void check_exact(void)
{
    static const struct mk_param count = {"count", MK_INTEGER, 0, 0, -INFINITY, INFINITY, NULL, NULL};
    CHECK(MK_EXACT_MAX == 9007199254740992.0 && (uint64_t)MK_EXACT_MAX == UINT64_C(9007199254740992) &&
              MK_EXACT_MAX + 1 == MK_EXACT_MAX && MK_EXACT_MAX - 1 != MK_EXACT_MAX,
          "MK_EXACT_MAX is 2^53, after which doubles leave whole numbers out");
    CHECK(is_exact("9007199254740992") && is_exact("9007199254740991") && is_exact("-9007199254740992") &&
              is_exact("1e15") && is_exact("9007199254740994"),
          "texts of whole numbers that are doubles are exact");
    CHECK(!is_exact("9007199254740993") && !is_exact("-9007199254740993") && !is_exact("1e23"),
          "2^53 + 1 and 10^23, which are not, are not");
    CHECK(mk_param_allows(&count, MK_EXACT_MAX) && mk_param_allows(&count, -MK_EXACT_MAX) &&
              !mk_param_allows(&count, MK_EXACT_MAX + 2) && !mk_param_allows(&count, 0.5) &&
              !mk_param_allows(&count, (double)NAN),
          "whole parameters reach from -2^53 to 2^53");
}

int main(void)
{
    check_stems();
    check_texts();
    check_exact();
    return CHECK_EXIT;
}
